// What the keyboard makes of the bytes that a terminal sends.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openKeyboard } from '../../src/prompts/keyboard.ts';
import type { Terminal } from '../../src/prompts/terminal.ts';

/** What happens at a terminal, in its order. */
async function watched() {
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const happened: string[] = [];
  const terminal = {
    input,
    output: new PassThrough(),
    turn: () => new Promise(resolve => setImmediate(resolve)),
  } as unknown as Terminal;
  const { keys } = await openKeyboard(terminal, {
    back: () => happened.push('back'),
    aborted: () => happened.push('aborted'),
    ignored: [],
  });
  keys.on('keypress', (_, { name }) => happened.push(name));
  return { input, happened };
}

test('an Esc goes back long before Node would take it for a key of its own, after half a second', async () => {
  const { input, happened } = await watched();
  // The timers of one process end in the order of their times, however late they are.
  const later = sleep(400).then(() => happened.push('400 ms'));
  input.write('\x1b');
  await later;
  expect(happened).toEqual(['back', '400 ms']);
});

test('a key that begins with an Esc, and arrives in two pieces, is that key', async () => {
  const { input, happened } = await watched();
  input.write('\x1b');
  input.write('[A');
  await sleep(100);
  expect(happened).toEqual(['up']);
});
