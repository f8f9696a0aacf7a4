// The drawn questions at a real terminal.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Asked, type Bare, CARRIER, CITY, COUNTRY, FOUND, NAME, questions } from '../rig/terminal.ts';

const ask = questions('drawn');

/** What is asked, what the screen shows then, what the person types before Enter, the answer, and how it stays on the screen. */
const KINDS: [Bare, string | RegExp, (at: Asked) => void, string, string][] = [
  [
    { ...CITY, message: 'typed' },
    '? typed (esc back)',
    at => {
      at.type('Berlim');
      at.key('backspace');
      at.type('n');
    },
    'Berlin',
    'typed Berlin',
  ],
  [{ ...CITY, message: 'offered', defaultAnswer: 'Bonn' }, '(Bonn)', () => {}, 'Bonn', 'offered Bonn'],
  [
    { ...CITY, message: 'edited', value: 'Berln' },
    '? edited (esc back) Berln',
    at => {
      at.key('left');
      at.type('i');
    },
    'Berlin',
    'edited Berlin',
  ],
  [
    { ...CITY, message: 'emptied', value: 'a' },
    '? emptied (esc back) a',
    at => at.key('backspace'),
    '',
    'emptied',
  ],
  [{ ...CITY, message: 'taken' }, '? taken', at => at.type('0049'), '0049', 'taken +49'],
  [
    CARRIER,
    '❯ Economy',
    at => {
      at.key('down');
      at.key('down');
    },
    'EXP',
    'Carrier Express',
  ],
  [
    { ...CARRIER, message: 'Another', defaultAnswer: 'EXP' },
    /Another\n[\s\S]*❯ Express/,
    () => {},
    'EXP',
    'Another Express',
  ],
  [{ ...COUNTRY, message: 'From' }, '❯ Austria', at => at.type('germ'), 'DE', 'From Germany (DE)'],
  [
    { ...COUNTRY, message: 'To', defaultAnswer: 'TR' },
    /\? To\n❯ Türkiye \(TR\)\n {2}Austria/,
    () => {},
    'TR',
    'To Türkiye (TR)',
  ],
  [{ kind: 'confirm', message: 'Sure?' }, 'Sure? (y/N)', at => at.type('y'), 'yes', 'Sure? Yes'],
  [{ kind: 'confirm', message: 'Really?' }, 'Really? (y/N)', () => {}, 'no', 'Really? No'],
];

test('each kind of question is answered by keys, and its answer stays on the screen', async () => {
  const at = ask(KINDS.map(([question]) => question));
  for (const [, shown, type, , stays] of KINDS) {
    await at.waitFor(shown);
    type(at);
    if (stays.startsWith('From')) await at.waitFor(/germ\n❯ Germany/);
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
  expect(at.screen()).toContain('✔ City wrongly\n');
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

  test('the key of a choice, which nothing else answers: no other letter, number or paste', async () => {
    const at = ask([FOUND, FOUND]);
    await at.waitFor('Skip it (s)');
    const others = [
      ...['x', '3', 'n4711\r', 'ss', '\rs'].map(typed => () => at.type(typed)),
      ...['s', 's2\r'].map(pasted => () => at.paste(pasted)),
    ];
    for (const other of others) {
      other();
      at.key('down');
      await at.waitFor('❯ It does not exist');
      at.key('up');
      await at.waitFor('❯ It exists');
    }
    at.type('s');
    await at.waitFor(/✔ What became of it\? Skip it \(s\)\n\?/);
    at.key('down');
    at.key('enter');
    expect(await at.answers()).toEqual(['skip', 'not-created']);
  });
});

describe('a list', () => {
  test('says why a choice is disabled, and does not let it be picked', async () => {
    const disabled = CARRIER.choices.map(choice => ({ ...choice, disabled: '(no)' }));
    const at = ask([CARRIER, { ...CARRIER, message: 'None', choices: disabled }]);
    await at.waitFor('Freight (from 30 kg on)');
    at.key('down');
    at.key('enter');
    await at.waitFor('This choice is not available.');
    at.key('up');
    at.key('enter');
    await at.waitFor('Express (no)');
    at.key('enter');
    await at.waitFor('This choice is not available.');
    at.key('esc');
    expect(await at.answers()).toEqual(['ECO', 'BACK']);
  });

  test('in which nothing is picked for a person is asked again after Enter alone', async () => {
    const at = ask([{ ...CARRIER, isOpen: true }]);
    await at.waitFor('❯ (pick one)');
    at.key('enter');
    await at.waitFor(/\(pick one\)[\s\S]*❯ \(pick one\)/);
    at.key('down');
    at.key('enter');
    expect(await at.answers()).toEqual(['ECO']);
  });

  test('that is long keeps to the screen', async () => {
    const choices = Array.from({ length: 50 }, (_, at) => ({ value: `${at}`, name: `number ${at}.` }));
    const hint = Array.from({ length: 12 }, (_, at) => `hint ${at}`).join('\n');
    const at = ask([{ ...CARRIER, hint, choices }], { rows: 24 });
    await at.waitFor('number 6.');
    for (let times = 0; times < 49; times += 1) at.key('down');
    await at.waitFor('❯ number 49.');
    expect(at.screen().match(/Carrier/g)).toHaveLength(1);
    at.key('enter');
    expect(await at.answers()).toEqual(['49']);
    expect(at.screen()).toBe(`${hint}\n✔ Carrier number 49.`);
  });

  test('in which nothing is found cannot be answered', async () => {
    const at = ask([COUNTRY]);
    await at.waitFor('Austria');
    at.type('zz');
    await at.waitFor('No results found');
    at.key('enter');
    // Nothing is seen to happen. A key that comes along with the Enter is ignored, so it is pressed until it works.
    for (let isBack = false; !isBack; ) {
      at.key('backspace');
      isBack = await Promise.race([at.waitFor(/❯ Austria/).then(() => true), delay(100, false)]);
    }
    at.key('enter');
    expect(await at.answers()).toEqual(['AT']);
  });
});

test('at a narrow terminal lines break at spaces, and nothing is drawn twice', async () => {
  const choices = [
    { value: 'EXP', name: 'Express: tomorrow before noon' },
    { value: 'BIG', name: 'Freight', disabled: '(from thirty kilograms on)' },
  ];
  const long = 'a'.repeat(70);
  const at = ask(
    [
      { kind: 'confirm', message: 'Book this? ECO, 9.50 EUR (demo)' },
      { ...CITY, message: 'The city', defaultAnswer: 'Villingen-Schwenningen' },
      { ...CITY, message: 'Its name', value: 'Villingen-Schwenningen' },
      { ...CARRIER, choices },
      NAME,
    ],
    { columns: 30 },
  );
  await at.waitFor('? Book this? ECO, 9.50 EUR\n  (demo) (y/N)');
  at.key('enter');
  await at.waitFor('? The city\n  (Villingen-Schwenningen)');
  at.key('enter');
  await at.waitFor('? Its name\n  Villingen-Schwenningen');
  at.type('!\r');
  await at.waitFor('❯ Express: tomorrow before\n  noon\n- Freight (from thirty\n  kilograms on)');
  at.key('enter');
  await at.waitFor('? Name');
  for (const letter of long) at.type(letter);
  at.key('enter');
  expect(await at.answers()).toEqual([
    ...['no', 'Villingen-Schwenningen', 'Villingen-Schwenningen!', 'EXP', long],
  ]);
  expect(at.screen().replace(/(?<=a)\n(?=a)/g, '')).toBe(
    [
      '✔ Book this? ECO, 9.50 EUR\n  (demo) No',
      '✔ The city\n  Villingen-Schwenningen',
      '✔ Its name\n  Villingen-Schwenningen!',
      '✔ Carrier\n  Express: tomorrow before\n  noon',
      `✔ Name ${long}`,
    ].join('\n'),
  );
});
