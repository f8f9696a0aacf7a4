// What the keyboard makes of the bytes that a terminal sends.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type KeyboardEvents, openKeyboard } from '../../src/prompts/keyboard.ts';
import type { Terminal } from '../../src/prompts/terminal.ts';

/** What happens at a terminal, in its order. */
async function watched(events: Partial<KeyboardEvents> = {}) {
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
    ...events,
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

const NUMBERS: Partial<KeyboardEvents> = { numberOf: text => ['c', 'n'].indexOf(text) + 1 || undefined };

/** When what was written has arrived. */
const arrived = () => sleep(0);

test('a key that answers alone answers with its number and Enter', async () => {
  const { input, happened } = await watched(NUMBERS);
  input.write('n');
  await arrived();
  expect(happened).toEqual(['2', 'return']);
});

test.each([
  ['several characters that come at once', 'n4711'],
  ['one character twice', 'nn'],
  ['a pasted line, with its Enter', 'n4711\r'],
  ['a line break before the text', '\rn'],
  ['a paste that the terminal marks', '\x1b[200~n\x1b[201~'],
  ['a longer one', '\x1b[200~n2\r\x1b[201~'],
])('%s answer no choice', async (_, pasted) => {
  const { input, happened } = await watched(NUMBERS);
  input.write(pasted);
  await arrived();
  expect(happened).toEqual([]);
  input.write('c');
  await arrived();
  expect(happened).toEqual(['1', 'return']);
});
