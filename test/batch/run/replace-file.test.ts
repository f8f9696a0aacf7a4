// A file of lines replaces the old file as a whole, also if others write to the same name.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReplacement } from '../../../src/batch/run/replace-file.ts';
import { temporaryFolder } from '../../rig/profile.ts';

function place() {
  const folder = temporaryFolder();
  const path = join(folder, 'ends.jsonl');
  return {
    path,
    open: () => openReplacement(path, path, { id: 1, exists: () => false }),
    text: () => readFileSync(path, 'utf8'),
    others: () => readdirSync(folder).filter(name => name !== 'ends.jsonl'),
  };
}

test('The old file stays until the new one is published; after that every line is on the disk at once', () => {
  const { path, text, others, open } = place();
  writeFileSync(path, 'before\n');
  const lines = open();
  lines.write('1\n');
  expect(text()).toBe('before\n');
  lines.publish();
  expect(text()).toBe('1\n');
  lines.write('2\n');
  expect(text()).toBe('1\n2\n');
  lines.close();
  expect([text(), others()]).toEqual(['1\n2\n', []]);
});

test('A file that was never published leaves the old one, and nothing else', () => {
  const { path, text, others, open } = place();
  writeFileSync(path, 'before\n');
  const lines = open();
  lines.write('x'.repeat(200_000));
  lines.close();
  expect([text(), others()]).toEqual(['before\n', []]);
});

test('Of two at one time the last to publish stays, as a whole', () => {
  const { text, others, open } = place();
  const one = open();
  const other = open();
  one.write('one\n'.repeat(50_000));
  other.write('other\n');
  one.publish();
  other.publish();
  one.write('one\n');
  other.write('other\n');
  one.close();
  other.close();
  expect([text(), others()]).toEqual(['other\nother\n', []]);
});

test('A file that a killed run left behind does not decide who may read the results', () => {
  const { path, open } = place();
  writeFileSync(`${path}.part`, 'left behind', { mode: 0o644 });
  const lines = open();
  lines.publish();
  lines.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
