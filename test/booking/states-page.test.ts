// ARCHITECTURE says what the machine does: its table of states is that of the machine.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MACHINE } from '../../src/booking/machine.ts';

const words = (states: readonly string[]): string => states.map(state => `\`${state}\``).join(', ');
const becomes = (from: readonly string[], to: readonly string[]): string =>
  words(from) === words(to) ? 'the same' : words(to);

const TABLE = [
  '| what happens | a booking that is | becomes | its key and its labels |',
  '|---|---|---|---|',
  '| it is claimed, before the first byte | new | `pending` | taken, if nothing else holds them |',
  ...MACHINE.map(({ by, from, to, key }) => `| ${by} | ${words(from)} | ${becomes(from, to)} | ${key} |`),
].join('\n');

test('ARCHITECTURE has the table of the machine', () => {
  expect(readFileSync('ARCHITECTURE.md', 'utf8')).toContain(TABLE);
});
