// The plain questions at a real terminal, which shows what is typed by itself.
import { afterEach, describe, expect, test } from 'vitest';
import { type Asked, CARRIER, CITY, COUNTRY, FOUND, NAME, questions } from '../rig/terminal.ts';

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

describe('text', () => {
  test('is a line, and the way back is explained once', async () => {
    const at = ask([CITY, NAME]);
    await at.waitFor('City (< back):');
    at.type('Berlin\r');
    await at.waitFor('Name (< back):');
    at.type('Ada\r');
    expect(await at.answers()).toEqual(['Berlin', 'Ada']);
    expect(at.screen()).toBe([BACK, 'City (< back): Berlin', 'Name (< back): Ada'].join('\n'));
  });

  test('is the default or the current text on Enter alone, and - clears it', async () => {
    const value = { ...CITY, value: 'Bonn' };
    const at = ask([{ ...CITY, defaultAnswer: 'Berlin' }, value, value]);
    await at.waitFor('City (< back) [Berlin]:');
    at.type('\r');
    await at.waitFor('City (< back) [Bonn; - clears it]:');
    at.type('\r');
    await at.waitFor(/Bonn; .*\n.*Bonn; /);
    at.type('-\r');
    expect(await at.answers()).toEqual(['Berlin', 'Bonn', '']);
  });

  test('that is wrong is refused, and asked for again', async () => {
    const at = ask([{ ...CITY, hint: 'The service: it is no city.\nIt says so.' }]);
    await at.waitFor('The service: it is no city.\nIt says so.\nCity (< back):');
    at.type('wrong\r');
    await at.waitFor('City (< back): wrong\nIt must not be wrong.\nCity (< back) [wrong]:');
    at.type('right\r');
    expect(await at.answers()).toEqual(['right']);
  });

  test('that is taken as another one is followed by that one', async () => {
    const at = ask([CITY]);
    await at.waitFor('City (< back):');
    at.type('0049\r');
    await at.answers();
    expect(at.screen()).toContain('City (< back): 0049\n+49');
  });

  test('whose check throws ends the question with that error', async () => {
    const at = ask([CITY]);
    await at.waitFor('City (< back):');
    at.type('broken\r');
    expect(await at.answers()).toEqual(['ENDED: the check is broken']);
  });

  test('and what stands above it break at spaces', async () => {
    const hint = 'The service: a sentence that is longer than this narrow terminal is wide';
    const message = 'City of the receiver as it is written on the parcel';
    const at = ask([{ ...CITY, hint, message }], { columns: 30 });
    await at.waitFor(/back\):/);
    expect(at.screen()).toContain(
      [
        'The service: a sentence that',
        'is longer than this narrow',
        'terminal is wide',
        'City of the receiver as it is',
        'written on the parcel (<',
        'back):',
      ].join('\n'),
    );
    at.type('Berlin\r');
    expect(await at.answers()).toEqual(['Berlin']);
  });

  test('loses the codes of keys such as the arrows', async () => {
    const at = ask([CITY]);
    await at.waitFor('City (< back):');
    at.type(' Ber\x1b[Dlin\t\r');
    expect(await at.answers()).toEqual(['Berlin']);
  });

  test('of several pasted lines answers the next questions', async () => {
    const at = ask([CITY, NAME, { kind: 'confirm', message: 'Sure?' }]);
    await at.waitFor('City (< back):');
    at.paste('Berlin\nAda\n');
    await at.waitFor('Sure? [y/N]');
    at.type('y\r');
    expect(await at.answers()).toEqual(['Berlin', 'Ada', 'yes']);
  });
});

test('a secret is not shown, and can be corrected', async () => {
  const at = ask([{ kind: 'secret', message: 'Token' }, NAME]);
  await at.waitFor('Token (< back):');
  at.type('toq\x7fk😀\x7fen 1\r');
  await at.waitFor('Name (< back):');
  at.type('Ada\r');
  expect(await at.answers()).toEqual(['token 1', 'Ada']);
  expect(at.screen()).toBe([BACK, 'Token (< back):', 'Name (< back): Ada'].join('\n'));
});

describe('a choice', () => {
  test('is numbered, except for choices that are not available, which say why', async () => {
    const at = ask([CARRIER]);
    await at.waitFor('Number (< back):');
    expect(at.screen()).toBe(
      [BACK, 'Carrier', '1) Economy', '   Freight (from 30 kg on)', '2) Express', 'Number (< back):'].join(
        '\n',
      ),
    );
    at.type('3\r');
    await at.waitFor('Answer a number from 1 to 2.\nNumber (< back):');
    at.type('2\r');
    expect(await at.answers()).toEqual(['EXP']);
  });

  test('is the default on Enter alone, and can be answered by name', async () => {
    const at = ask([{ ...CARRIER, defaultAnswer: 'EXP' }, CARRIER]);
    await at.waitFor('Number (< back) [2]:');
    at.type('\r');
    await at.waitFor(/Express\n[\s\S]*Number \(< back\):/);
    at.type('economy\r');
    expect(await at.answers()).toEqual(['EXP', 'ECO']);
  });

  test('of which all are disabled can be gone back from', async () => {
    const at = ask([
      { ...CARRIER, choices: CARRIER.choices.map(choice => ({ ...choice, disabled: '(no)' })) },
    ]);
    await at.waitFor('Number (< back):');
    at.type('1\r');
    await at.waitFor('None of them is available.\nNumber (< back):');
    at.type('<\r');
    expect(await at.answers()).toEqual(['BACK']);
  });
});

describe('a search', () => {
  test('accepts the only match, and names it', async () => {
    const at = ask([COUNTRY]);
    await at.waitFor('Country (part of its name, or its code) (< back):');
    at.type('germ\r');
    expect(await at.answers()).toEqual(['DE']);
    expect(at.screen()).toMatch(/germ\nGermany \(DE\)$/);
  });

  test('accepts a code although there are more matches', async () => {
    const at = ask([COUNTRY]);
    await at.waitFor('Country');
    at.type('au\r');
    expect(await at.answers()).toEqual(['AU']);
  });

  test('lists several matches to choose from', async () => {
    const at = ask([COUNTRY, COUNTRY]);
    await at.waitFor('Country');
    at.type('a\r');
    await at.waitFor(
      /1\) Austria \(AT\)\n2\) Australia \(AU\)\n[\s\S]*Number, or more of its name \(< back\):/,
    );
    at.type('2\r');
    await at.waitFor(/Australia \(AU\)\nCountry/);
    at.type('aust\r');
    await at.waitFor(/1\) Austria \(AT\)\n2\) Australia \(AU\)\nNumber, or more of its name \(< back\):$/);
    at.type('zzz\r');
    await at.waitFor('Nothing matches "zzz".');
    at.type('austri\r');
    expect(await at.answers()).toEqual(['AU', 'AT']);
  });

  test('answers the default on Enter alone, and requires an answer without a default', async () => {
    const at = ask([{ ...COUNTRY, defaultAnswer: 'TR' }, COUNTRY]);
    await at.waitFor('[Türkiye (TR)]:');
    at.type('\r');
    await at.waitFor(/Türkiye \(TR\)\nCountry/);
    at.type('\r');
    await at.waitFor('Type a part of its name, or its code.');
    at.type('DE\r');
    expect(await at.answers()).toEqual(['TR', 'DE']);
  });
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

test('a choice with keys is answered by its letter or its number', async () => {
  const at = ask([FOUND, FOUND]);
  await at.waitFor('2) It does not exist (n)\n3) Skip it (s)\nNumber or letter (< back):');
  at.type('n\r');
  await at.waitFor(/Number or letter \(< back\):[\s\S]*Number or letter \(< back\):/);
  at.type('1\r');
  expect(await at.answers()).toEqual(['not-created', 'created']);
});
