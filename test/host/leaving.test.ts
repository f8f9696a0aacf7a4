// Going back from every kind of question at a real terminal, and leaving it.
import { describe, expect, test } from 'vitest';
import { type Bare, CARRIER, CITY, COUNTRY, NAME, questions } from '../rig/terminal.ts';
import { sampled } from '../torture/size.ts';

const drawn = questions('drawn');
const plain = questions('plain');

const [ECONOMY, , EXPRESS] = CARRIER.choices;
const EVERY: readonly Bare[] = [
  CITY,
  { kind: 'secret', message: 'Token' },
  { ...CARRIER, choices: [ECONOMY, EXPRESS] },
  COUNTRY,
  { kind: 'confirm', message: 'Sure?' },
];
const SHOWS_CURSOR = '\x1b[?25h';
const PASTES_AS_TYPED = '\x1b[?2004l';

test('Esc goes back from each drawn question and removes it from the screen; other keys that begin with its code do not', async () => {
  const at = drawn([...EVERY, NAME]);
  for (const { message } of EVERY) {
    await at.waitFor(`? ${message}`);
    at.key('down');
    at.key('up');
    at.key('left');
    at.type('\x1bOP');
    at.key('esc');
  }
  await at.waitFor('? Name');
  at.type('Eve\r');
  expect(await at.answers()).toEqual([...EVERY.map(() => 'BACK'), 'Eve']);
  expect(at.screen()).toBe('✔ Name Eve');
});

const LEAVING = sampled(
  EVERY.flatMap(question =>
    (['ctrl-c', 'ctrl-d', 'SIGTERM'] as const).map(way => [way, question.kind, question] as const),
  ),
  4,
);

const plainly = (question: Bare) => (question.kind === 'choice' ? 'Number (< back):' : question.message);

test('at a plain question < goes back', async () => {
  const at = plain([...EVERY, NAME]);
  for (const question of EVERY) {
    await at.waitFor(plainly(question));
    at.type('<\r');
  }
  await at.waitFor('Name (< back):');
  at.type('Ada\r');
  expect(await at.answers()).toEqual([...EVERY.map(() => 'BACK'), 'Ada']);
});

describe.each(['drawn', 'plain'])('%s', manner => {
  const isDrawn = manner === 'drawn';
  test.each(LEAVING)('%s leaves a question of the kind %s', async (way, kind, question) => {
    const at = (isDrawn ? drawn : plain)([question]);
    await at.waitFor(isDrawn ? `? ${question.message}` : plainly(question));
    if (way === 'SIGTERM') at.kill(way);
    else at.key(way);
    // Where the terminal reads the line, it makes a signal of Ctrl-C.
    const signal = way === 'ctrl-c' && !isDrawn && kind !== 'secret' ? 'SIGINT' : way;
    const how = signal.startsWith('SIG')
      ? `stopped by ${signal}`
      : `left at the question "${question.message}"`;
    expect(await at.answers()).toEqual([expect.stringContaining(`ENDED: ${how}`)]);
    if (!isDrawn) return;
    expect(at.raw()).toContain(SHOWS_CURSOR);
    expect(at.raw().endsWith(PASTES_AS_TYPED)).toBe(true);
  });
});

test('Ctrl-C that comes with an answer, before the next question is there, leaves that question', async () => {
  const at = drawn([CITY, NAME]);
  await at.waitFor('? City');
  at.type('Mitte\r\x03');
  expect(await at.answers()).toEqual([
    'Mitte',
    expect.stringContaining('ENDED: left at the question "Name"'),
  ]);
});

test.each([
  ['drawn', drawn],
  ['plain', plain],
] as const)('a closed window ends a %s question', async (_, ask) => {
  const at = ask([NAME]);
  await at.waitFor('Name');
  await at.hangUp();
  await at.ended;
});
