// A file of lines takes the place of the one that was there, whole, whoever else writes to that name.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReplacement } from '../../../src/batch/run/replace-file.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ends.jsonl');
  return {
    path,
    open: () => openReplacement(path, path, { id: 1, exists: () => false }),
    text: () => readFileSync(path, 'utf8'),
    others: () => readdirSync(folder).filter(name => name !== 'ends.jsonl'),
  };
}

test('What was there stays until it is published, and every line after that is there at once', () => {
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

test('What was never published leaves what was there, and nothing else', () => {
  const { path, text, others, open } = place();
  writeFileSync(path, 'before\n');
  const lines = open();
  lines.write('x'.repeat(200_000));
  lines.close();
  expect([text(), others()]).toEqual(['before\n', []]);
});

test('Two at one time: the last to publish is there, whole', () => {
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

test('What a run that was killed has left behind has no say in who may read it', () => {
  const { path, open } = place();
  writeFileSync(`${path}.part`, 'left behind', { mode: 0o644 });
  const lines = open();
  lines.publish();
  lines.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
