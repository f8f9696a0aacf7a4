// The plain questions at a real terminal, which shows what is typed by itself.
import { afterEach, expect, test } from 'vitest';
import { type Asked, CARRIER, CITY, COUNTRY, NAME, questions } from '../rig/terminal.ts';

const open = questions('plain');
const BACK = '(Answer < to go back to the previous question, and at the first one to leave.)';

let shown: Asked | undefined;
const ask: typeof open = (list, options) => {
  shown = open(list, options);
  return shown;
};

afterEach(() => {
  // Whatever was asked and answered: no colour, no cursor moved, nothing redrawn.
  expect(shown?.raw()).not.toContain('\x1b');
});

/** Answers line after line: what stands on the screen is these lines with their answers, and nothing else. */
async function says(at: Asked, ...steps: readonly [asked: string, said: string, seen?: string][]) {
  let screen = `${BACK}\n`;
  for (const [asked, said, seen = said] of steps) {
    screen += asked;
    await at.waitFor(screen);
    at.type(`${said}\r`);
    screen += seen === '' ? '\n' : ` ${seen}\n`;
  }
}

test('a text is a line, the default or the current text; it is refused, and cleared', async () => {
  const hint = 'The service: it is no city.\nIt says so.';
  const at = ask([
    { ...CITY, hint },
    { ...CITY, defaultAnswer: 'Berlin' },
    { ...CITY, value: 'Bonn' },
    { ...CITY, value: 'Bonn' },
    CITY,
    CITY,
  ]);
  await says(
    at,
    [`${hint}\nCity (< back):`, 'wrong'],
    ['It must not be wrong.\nCity (< back) [wrong]:', 'right'],
    ['City (< back) [Berlin]:', ''],
    ['City (< back) [Bonn; - clears it]:', ''],
    ['City (< back) [Bonn; - clears it]:', '-'],
    ['City (< back):', 'Dürüm'],
    ['City (< back):', 'broken'],
  );
  expect(await at.answers()).toEqual([
    ...['right', 'Berlin', 'Bonn', '', 'Dürüm', 'ENDED: the check is broken'],
  ]);
});

test('the codes of keys such as the arrows are no text, and what was typed before a question does not answer it', async () => {
  const at = ask([CITY, CITY, { kind: 'confirm', message: 'Sure?' }]);
  await at.waitFor('City (< back):');
  at.type(' Ber\x1b[Dlin\t\r');
  await at.waitFor(/City[\s\S]*City \(< back\):$/);
  at.paste('Bonn\ny\ny');
  await at.waitFor('Sure? [y/N]');
  at.type('\r');
  expect(await at.answers()).toEqual(['Berlin', 'Bonn', 'no']);
});

test('a secret is not shown, and can be corrected', async () => {
  const at = ask([{ kind: 'secret', message: 'Token' }, NAME]);
  await says(at, ['Token (< back):', 'toq\x7fk😀\x7fen 1', ''], ['Name (< back):', 'Ada']);
  expect(await at.answers()).toEqual(['token 1', 'Ada']);
});

test('a choice is a number, the default or a name; what is not available has no number and says why', async () => {
  const disabled = CARRIER.choices.map(choice => ({ ...choice, disabled: '(no)' }));
  const at = ask([CARRIER, { ...CARRIER, defaultAnswer: 'EXP' }, CARRIER, { ...CARRIER, choices: disabled }]);
  const list = 'Carrier\n1) Economy\n   Freight (from 30 kg on)\n2) Express\nNumber (< back)';
  await says(
    at,
    [`${list}:`, '3'],
    ['Answer a number from 1 to 2.\nNumber (< back):', '2'],
    [`Express\n${list} [2]:`, ''],
    [`Express\n${list}:`, 'economy'],
    ['Economy\nCarrier\n   Economy (no)\n   Freight (no)\n   Express (no)\nNumber (< back):', '1'],
    ['None of them is available.\nNumber (< back):', '<'],
  );
  expect(await at.answers()).toEqual(['EXP', 'EXP', 'ECO', 'BACK']);
});

test('any number of choices is picked by numbers with commas, all or none of them', async () => {
  const several = { ...CARRIER, kind: 'several' } as const;
  const at = ask([several, several, several]);
  const list =
    'Carrier\n1) Economy\n   Freight (from 30 kg on)\n2) Express\nNumbers, such as 1,2, or all (< back) [none]:';
  await says(
    at,
    [list, '3'],
    ['Answer a number from 1 to 2.\nNumbers, such as 1,2, or all (< back) [none]:', '2, 1'],
    [list, 'all'],
    [list, ''],
  );
  expect(await at.answers()).toEqual(['ECO,EXP', 'ECO,EXP', '']);
});

test('a search takes the only match, a code or the default, and lists several matches', async () => {
  const at = ask([COUNTRY, COUNTRY, COUNTRY, COUNTRY, { ...COUNTRY, defaultAnswer: 'TR' }, COUNTRY]);
  const country = 'Country (part of its name, or its code) (< back)';
  const more = 'Number, or more of its name (< back):';
  await says(
    at,
    [`${country}:`, 'germ'],
    [`Germany (DE)\n${country}:`, 'au'],
    [`Australia (AU)\n${country}:`, 'aust'],
    [`1) Austria (AT)\n2) Australia (AU)\n${more}`, '2'],
    [`Australia (AU)\n${country}:`, 'aust'],
    [`1) Austria (AT)\n2) Australia (AU)\n${more}`, 'zzz'],
    [`Nothing matches "zzz".\n${country}:`, 'austri'],
    [`Austria (AT)\n${country} [Türkiye (TR)]:`, ''],
    [`Türkiye (TR)\n${country}:`, ''],
    [`Type a part of its name, or its code.\n${country}:`, 'DE'],
  );
  expect(await at.answers()).toEqual(['DE', 'AU', 'AU', 'AT', 'TR', 'DE']);
});

test('a yes is a yes, Enter alone is a no, and anything else is asked again', async () => {
  const sure = { kind: 'confirm', message: 'Sure?' } as const;
  const at = ask([sure, sure]);
  await at.waitFor('Sure? [y/N]');
  at.type('maybe\r');
  await at.waitFor('Answer y or n.\nSure? [y/N]');
  at.type('Y\r');
  await at.waitFor(/Y\nSure/);
  at.type('\r');
  expect(await at.answers()).toEqual(['yes', 'no']);
});
