import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { lineReader } from '../../src/prompts/lines.ts';
import { Aborted, type Terminal } from '../../src/prompts/terminal.ts';

function terminal() {
  const input = new PassThrough();
  const stop = new AbortController();
  const at = { input, interrupted: stop.signal } as unknown as Terminal;
  return { input, stop, at, next: () => lineReader(at)() };
}

test('lines come one by one, in whatever pieces they arrive', async () => {
  const { input, next } = terminal();
  const bytes = Buffer.from('Dürüm\nsecond\r\nlast\n');
  const first = next();
  for (const byte of bytes) input.write(Buffer.from([byte]));
  expect([await first, await next(), await next(), await next()]).toEqual(['Dürüm', 'second', '', 'last']);
});

test('further lines wait for the next question', async () => {
  const { input, next } = terminal();
  input.write('one\ntwo\nthr');
  expect([await next(), await next()]).toEqual(['one', 'two']);
  const third = next();
  input.write('ee\n');
  expect(await third).toBe('three');
});

test('nothing is read between questions', async () => {
  const { input, next } = terminal();
  input.write('one\n');
  await next();
  expect(input.isPaused()).toBe(true);
  expect(input.listenerCount('data')).toBe(0);
});

test('a backspace removes one character, also an emoji', async () => {
  const { input, next } = terminal();
  input.write('ab\x7f😀\x7fc\b\x7f\x7f\x7fd\r');
  expect(await next()).toBe('d');
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s in raw mode aborts, also after other keys', async (_, key) => {
  const { input, next } = terminal();
  const line = next();
  input.write(`half${key}`);
  await expect(line).rejects.toThrow(Aborted);
});

test('the end of input aborts this and every further question; an unfinished line is no answer', async () => {
  const { input, next } = terminal();
  const line = next();
  input.end('half');
  await expect(line).rejects.toThrow(Aborted);
  await expect(next()).rejects.toThrow(Aborted);
});

test('an input error aborts', async () => {
  const { input, next } = terminal();
  const line = next();
  input.on('error', () => {});
  input.destroy(new Error('EIO'));
  await expect(line).rejects.toThrow(Aborted);
});

test('an interruption aborts and releases the input', async () => {
  const { input, stop, next } = terminal();
  const line = next();
  stop.abort('SIGTERM');
  await expect(line).rejects.toThrow(Aborted);
  await expect(next()).rejects.toThrow(Aborted);
  expect(input.listenerCount('data')).toBe(0);
});
