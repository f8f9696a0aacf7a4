// The drawn questions at a real terminal.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Bare, CARRIER, CITY, COUNTRY, NAME, questions } from '../rig/terminal.ts';

const ask = questions('drawn');

const [LEFT, DOWN, BACKSPACE] = ['\x1b[D', '\x1b[B', '\x7f'];

/** What is asked, what the screen shows then, what the person types before Enter, the answer, and how it stays on the screen. */
const KINDS: [Bare, string | RegExp, string, string, string][] = [
  [CITY, '? City (esc back)', `Berlim${BACKSPACE}n`, 'Berlin', 'City Berlin'],
  [{ ...CITY, message: 'offered', defaultAnswer: 'Bonn' }, '(Bonn)', '', 'Bonn', 'offered Bonn'],
  [{ ...CITY, message: 'edited', value: 'Berln' }, '(esc back) Berln', `${LEFT}i`, 'Berlin', 'edited Berlin'],
  [{ ...CITY, message: 'emptied', value: 'a' }, '? emptied (esc back) a', BACKSPACE, '', 'emptied'],
  [CARRIER, '❯ Economy', DOWN + DOWN, 'EXP', 'Carrier Express'],
  [
    { ...CARRIER, message: 'Other', defaultAnswer: 'EXP' },
    /Other\n[\s\S]*❯ Express/,
    '',
    'EXP',
    'Other Express',
  ],
  [{ ...COUNTRY, message: 'From' }, '❯ Austria', 'germ', 'DE', 'From Germany (DE)'],
  [
    { ...COUNTRY, message: 'To', defaultAnswer: 'TR' },
    /\? To\n❯ Türkiye \(TR\)\n {2}Austria/,
    '',
    'TR',
    'To Türkiye (TR)',
  ],
  [{ kind: 'confirm', message: 'Sure?' }, 'Sure? (y/N)', 'y', 'yes', 'Sure? Yes'],
  [{ kind: 'confirm', message: 'Really?' }, 'Really? (y/N)', '', 'no', 'Really? No'],
];

test('each kind of question is answered by keys, and its answer stays on the screen', async () => {
  const at = ask(KINDS.map(([question]) => question));
  for (const [, shown, typed, , stays] of KINDS) {
    await at.waitFor(shown);
    at.type(typed);
    if (typed === 'germ') await at.waitFor(/germ\n❯ Germany/);
    at.key('enter');
    await at.waitFor(`✔ ${stays}`);
  }
  expect(await at.answers()).toEqual(KINDS.map(([, , , answer]) => answer));
  expect(at.screen()).toBe(KINDS.map(([, , , , stays]) => `✔ ${stays}`).join('\n'));
});

test('a wrong answer is refused and corrected, and a check that throws ends the question with its error', async () => {
  const at = ask([CITY, NAME]);
  await at.waitFor('? City');
  at.type('wrong\r');
  await at.waitFor('? City (esc back) wrong\n> It must not be wrong.');
  at.type('ly\r');
  await at.waitFor('? Name');
  at.type('broken\r');
  expect(await at.answers()).toEqual(['wrongly', 'ENDED: the check is broken']);
  expect(at.screen()).toBe('✔ City wrongly');
});

test('a secret is not shown, not even when it is pasted', async () => {
  const at = ask([{ kind: 'secret', message: 'Token' }]);
  await at.waitFor('? Token');
  at.type('tok');
  at.paste('en-123');
  await at.waitFor('*********');
  at.key('enter');
  expect(await at.answers()).toEqual(['token-123']);
  expect(at.raw()).not.toMatch(/tok|123/);
});

describe('one answer is one answer:', () => {
  test('a paste of several lines', async () => {
    const at = ask([CITY, NAME]);
    await at.waitFor('? City');
    at.paste('Berlin\r\nMitte\n');
    await at.waitFor('? City (esc back) Berlin Mitte');
    at.key('enter');
    await at.waitFor('? Name');
    at.type('Ada\r');
    expect(await at.answers()).toEqual(['Berlin Mitte', 'Ada']);
  });

  test('a text with an Enter in the middle, and keys that were typed before the question', async () => {
    const at = ask([CITY, NAME]);
    at.type('y\ry\r');
    await at.waitFor('? City');
    at.type('wrong\rMitte');
    await at.waitFor('It must not be wrong.');
    at.type('!\rMitte\r');
    await at.waitFor('? Name');
    at.type('Ada\r');
    expect(await at.answers()).toEqual(['wrong!', 'Ada']);
  });
});

describe('a list', () => {
  test('of which any number is picked', async () => {
    const at = ask([{ ...CARRIER, kind: 'several' }]);
    await at.waitFor('? Carrier');
    at.type(' ');
    await at.waitFor('◉ Economy');
    at.key('up');
    at.type('a');
    await at.waitFor('◉ Express');
    at.key('enter');
    expect(await at.answers()).toEqual(['ECO,EXP']);
    expect(at.screen()).toBe('✔ Carrier 2 of them');
  });

  test('in which nothing is picked for a person is asked again after Enter alone', async () => {
    const at = ask([{ ...CARRIER, isOpen: true }]);
    await at.waitFor('❯ (pick one)');
    at.key('enter');
    // It looks as before. A key that comes too early is ignored, so a letter is typed until it works; a second one changes nothing.
    const isThere = at.waitFor('❯ Economy').then(() => true);
    do at.type('e');
    while (!(await Promise.race([isThere, delay(100, false)])));
    at.key('enter');
    expect(await at.answers()).toEqual(['ECO']);
    expect(at.screen()).toBe('✔ Carrier Economy');
  });
});
