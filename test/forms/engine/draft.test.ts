import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Draft, openDrafts } from '../../../src/forms/engine/draft.ts';
import { formState } from '../../../src/forms/engine/form.ts';
import { temporaryFolder } from '../../rig/profile.ts';

const folderOf = (): string => {
  const folder = temporaryFolder();
  return join(folder, 'drafts');
};

const draft = (at: number, city: string): Draft => ({
  at,
  address: 'demo',
  options: { key: 'A-1' },
  entered: formState({ city }),
});

test('a draft is saved for its owner only, and read back unchanged', () => {
  const folder = folderOf();
  openDrafts(folder, 'ship').save(draft(7, 'Bern'));

  expect(openDrafts(folder, 'ship').list()).toEqual([draft(7, 'Bern')]);
  expect(statSync(join(folder, 'ship-7.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a draft is replaced in one step, also after a process was killed while writing', () => {
  const folder = folderOf();
  const drafts = openDrafts(folder, 'ship');
  drafts.save(draft(7, 'Bern'));
  writeFileSync(join(folder, 'ship-7.json.new'), '{"at":');
  drafts.save(draft(7, 'Basel'));

  expect(drafts.list()).toEqual([draft(7, 'Basel')]);
  expect(readdirSync(folder)).toEqual(['ship-7.json']);
});

test('the newest draft comes first, without those of other operations and files that are no drafts', () => {
  const folder = folderOf();
  const drafts = openDrafts(folder, 'ship');
  drafts.save(draft(9, 'Bern'));
  drafts.save(draft(10, 'Basel'));
  openDrafts(folder, 'ship-dual').save(draft(11, 'Chur'));
  for (const [name, text] of [
    ['ship-12.json', '{"at":12,"address":"demo","entered":{"body":null}}'],
    ['ship-13.json', 'not JSON'],
    ['ship-14.txt', '{}'],
  ] as const)
    writeFileSync(join(folder, name), text);

  expect(drafts.list().map(({ at }) => at)).toEqual([10, 9]);
  expect(readFileSync(join(folder, 'ship-13.json'), 'utf8')).toBe('not JSON');
});

test('a draft can be removed, also twice', () => {
  const drafts = openDrafts(folderOf(), 'ship');
  expect(drafts.list()).toEqual([]);
  drafts.save(draft(7, 'Bern'));
  drafts.remove(draft(7, 'Bern'));
  drafts.remove(draft(7, 'Bern'));
  expect(drafts.list()).toEqual([]);
});

test('a folder that cannot be written is named', () => {
  const folder = folderOf();
  mkdirSync(join(folder, '..'), { recursive: true });
  writeFileSync(folder, 'a file');

  expect(() => openDrafts(folder, 'ship').save(draft(7, 'Bern'))).toThrow(
    /the draft .*ship-7\.json cannot be saved/,
  );
  expect(() => openDrafts(folder, 'ship').list()).toThrow(/cannot be read/);
});
