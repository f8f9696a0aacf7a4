// The file of a log, and what becomes of its lines if it takes none for a while.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from '../../src/session/log-file.ts';
import { temporaryFolder } from '../rig/profile.ts';

const sleep = async () => {};
const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const line = (number: number): string => `{"time":"${number}","more":"${'x'.repeat(300)}"}`;

function pipe() {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  /** What is in it. */
  const read = (): string => {
    const bytes = Buffer.alloc(1024 * 1024);
    let text = '';
    try {
      for (let length = 1; length > 0; text += bytes.toString('utf8', 0, length))
        length = readSync(reader, bytes);
    } catch {
      // It is empty.
    }
    return text;
  };
  return { path, read, close: () => closeSync(reader) };
}

test('a slow reader gets each line, whole and in order', async () => {
  const { path, read, close } = pipe();
  const faults: string[] = [];
  const file = openLogFile(path, { cwd: '/', turn, sleep }, why => faults.push(why));
  const lines = Array.from({ length: 1000 }, (_, number) => line(number));
  let got = '';
  for (const [number, one] of lines.entries()) {
    file.write(one);
    if (number % 300 === 299) {
      await turn();
      got += read();
    }
  }
  while (got.length < lines.join('\n').length) {
    file.flush();
    got += read();
  }
  await file.close();
  expect([got, faults]).toEqual([`${lines.join('\n')}\n`, []]);
  close();
});

test('a reader that is slow at the end is waited for as long as it takes something', async () => {
  const { path, read, close } = pipe();
  const faults: string[] = [];
  let got = '';
  const take = () => {
    got += read();
  };
  const host = { cwd: '/', turn, sleep: async () => take() };
  const file = openLogFile(path, host, why => faults.push(why));
  for (let number = 0; number < 1000; number += 1) file.write(line(number));
  await file.close();
  take();
  expect([got.split('\n').length, faults]).toEqual([1001, []]);
  close();
});

test('a line that an earlier process could not end is not mixed with the next one', async () => {
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, `${line(1)}\n{"time":"2","run`);
  for (const number of [3, 4]) {
    const file = openLogFile(path, { cwd: '/', turn, sleep }, () => {});
    file.write(line(number));
    await file.close();
  }
  expect(readFileSync(path, 'utf8')).toBe(`${line(1)}\n{"time":"2","run\n${line(3)}\n${line(4)}\n`);
});

test('lines that its reader never took are said at the end, once', async () => {
  const { path, read, close } = pipe();
  const faults: string[] = [];
  const file = openLogFile(path, { cwd: '/', turn, sleep }, why => faults.push(why));
  for (let number = 0; number < 1000; number += 1) file.write(line(number));
  await turn();
  await file.close();
  expect(faults).toEqual(['its reader did not take every line']);
  expect(read()).toMatch(/\}\n$/);
  close();
});
