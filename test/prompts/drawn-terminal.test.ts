// The drawn questions at a real terminal.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CARRIER, CITY, COUNTRY, FOUND, NAME, questions } from '../rig/terminal.ts';

const ask = questions('drawn');

describe('text', () => {
  test('is typed, and stays on the screen', async () => {
    const at = ask([CITY]);
    await at.waitFor('? City');
    at.type('Berlim');
    at.key('backspace');
    at.type('n');
    at.key('enter');
    expect(await at.answers()).toEqual(['Berlin']);
    expect(at.screen()).toBe('✔ City Berlin');
  });

  test('is the default on Enter alone', async () => {
    const at = ask([{ ...CITY, defaultAnswer: 'Berlin' }]);
    await at.waitFor('(Berlin)');
    at.key('enter');
    expect(await at.answers()).toEqual(['Berlin']);
  });

  test('that is there already is edited in place', async () => {
    const at = ask([{ ...CITY, value: 'Berln' }]);
    await at.waitFor('? City (esc back) Berln');
    at.key('left');
    at.type('i');
    at.key('enter');
    expect(await at.answers()).toEqual(['Berlin']);
  });

  test('that is emptied does not come back', async () => {
    const at = ask([{ ...CITY, value: 'abc' }]);
    await at.waitFor('? City (esc back) abc');
    for (const key of ['backspace', 'backspace', 'backspace', 'enter'] as const) at.key(key);
    expect(await at.answers()).toEqual(['']);
  });

  test('that is longer than the screen is wide is drawn once', async () => {
    const long = 'a'.repeat(70);
    const at = ask([CITY, NAME], { columns: 40 });
    await at.waitFor('? City');
    for (const letter of long) at.type(letter);
    at.key('enter');
    await at.waitFor('? Name');
    expect(at.screen().replaceAll('\n', '')).toBe(`✔ City ${long}? Name`);
    at.type('Ada\r');
    expect(await at.answers()).toEqual([long, 'Ada']);
  });

  test('that is wrong is refused, and can be corrected', async () => {
    const at = ask([CITY]);
    await at.waitFor('? City');
    at.type('wrong');
    at.key('enter');
    await at.waitFor('It must not be wrong.');
    expect(at.screen()).toContain('? City (esc back) wrong');
    at.type('ly');
    at.key('enter');
    expect(await at.answers()).toEqual(['wrongly']);
  });

  test('whose check throws ends the question with that error', async () => {
    const at = ask([CITY]);
    await at.waitFor('? City');
    at.type('broken');
    at.key('enter');
    expect(await at.answers()).toEqual(['ENDED: the check is broken']);
  });

  test('of several pasted lines is one answer', async () => {
    const at = ask([CITY, NAME]);
    await at.waitFor('? City');
    at.paste('Berlin\r\nMitte\n');
    await at.waitFor('? City (esc back) Berlin Mitte');
    at.key('enter');
    await at.waitFor('? Name');
    at.type('Ada');
    at.key('enter');
    expect(await at.answers()).toEqual(['Berlin Mitte', 'Ada']);
  });

  test('with an Enter in the middle answers one question', async () => {
    const at = ask([CITY, NAME]);
    await at.waitFor('? City');
    at.type('wrong\rMitte');
    await at.waitFor('It must not be wrong.');
    at.type('!\r');
    await at.waitFor('? Name');
    at.type('Ada\r');
    expect(await at.answers()).toEqual(['wrong!', 'Ada']);
  });
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

describe('a choice', () => {
  test('is picked with the cursor', async () => {
    const at = ask([CARRIER]);
    await at.waitFor('❯ Economy');
    at.key('down');
    at.key('down');
    await at.waitFor('❯ Express');
    at.key('enter');
    expect(await at.answers()).toEqual(['EXP']);
    expect(at.screen()).toBe('✔ Carrier Express');
  });

  test('begins at the default', async () => {
    const at = ask([{ ...CARRIER, defaultAnswer: 'EXP' }]);
    await at.waitFor('❯ Express');
    at.key('enter');
    expect(await at.answers()).toEqual(['EXP']);
  });

  test('that is disabled says why, and cannot be picked', async () => {
    const at = ask([CARRIER]);
    await at.waitFor('Freight (from 30 kg on)');
    at.key('down');
    at.key('enter');
    await at.waitFor('This choice is not available.');
    at.key('up');
    at.key('enter');
    expect(await at.answers()).toEqual(['ECO']);
  });

  test('of which all are disabled can be gone back from', async () => {
    const at = ask([
      { ...CARRIER, choices: CARRIER.choices.map(choice => ({ ...choice, disabled: '(no)' })) },
    ]);
    await at.waitFor('Express (no)');
    at.key('enter');
    await at.waitFor('This choice is not available.');
    at.key('esc');
    expect(await at.answers()).toEqual(['BACK']);
  });

  test('of a long list keeps to the screen', async () => {
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
});

describe('a search', () => {
  test('finds by a part of the name, and then shows the whole name', async () => {
    const at = ask([{ ...COUNTRY, message: 'Receiver: Country' }]);
    await at.waitFor('Austria');
    at.type('germ');
    await at.waitFor(/germ\n❯ Germany/);
    at.key('enter');
    expect(await at.answers()).toEqual(['DE']);
    expect(at.screen()).toBe('✔ Receiver: Country Germany (DE)');
  });

  test('answers the default on Enter alone, and lists it first', async () => {
    const at = ask([{ ...COUNTRY, defaultAnswer: 'TR' }]);
    await at.waitFor(/\? Country\n❯ Türkiye \(TR\)\n {2}Austria/);
    at.key('enter');
    expect(await at.answers()).toEqual(['TR']);
  });

  test('without a match cannot be answered', async () => {
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

test('a yes is a yes, and Enter alone is a no', async () => {
  const at = ask([
    { kind: 'confirm', message: 'One?' },
    { kind: 'confirm', message: 'Two?' },
  ]);
  await at.waitFor('One? (y/N)');
  at.type('y');
  at.key('enter');
  await at.waitFor('Two? (y/N)');
  at.key('enter');
  expect(await at.answers()).toEqual(['yes', 'no']);
});

test('keys typed before a question do not answer it', async () => {
  const at = ask([CITY]);
  at.type('y\ry\r');
  await at.waitFor('? City');
  at.type('Berlin\r');
  expect(await at.answers()).toEqual(['Berlin']);
});

test('sixty questions cause no warning of Node', async () => {
  const at = ask(Array.from({ length: 60 }, (_, n) => ({ ...NAME, message: `Name ${n}` })));
  for (let n = 0; n < 60; n += 1) {
    await at.waitFor(`? Name ${n}`);
    at.type(`${n}\r`);
  }
  expect(await at.answers()).toHaveLength(60);
  expect(at.screen()).not.toMatch(/warning/i);
});

describe('at a narrow terminal, lines break at spaces:', () => {
  const narrow = { columns: 30 };

  test('a question and its choice of yes and no', async () => {
    const at = ask([{ kind: 'confirm', message: 'Book this? ECO, 9.50 EUR (demo)' }, CITY], narrow);
    await at.waitFor('? Book this? ECO, 9.50 EUR\n  (demo) (y/N)');
    at.key('enter');
    await at.waitFor('? City');
    expect(at.screen()).toBe('✔ Book this? ECO, 9.50 EUR\n  (demo) No\n? City');
    at.key('esc');
    expect(await at.answers()).toEqual(['no', 'BACK']);
  });

  test('a default that has no room beside its question stands below it', async () => {
    const at = ask([{ ...CITY, message: 'The city', defaultAnswer: 'Villingen-Schwenningen' }], narrow);
    await at.waitFor('? The city\n  (Villingen-Schwenningen)');
    at.key('enter');
    expect(await at.answers()).toEqual(['Villingen-Schwenningen']);
  });

  test('a text that is edited and has no room beside its question stands below it', async () => {
    const at = ask([{ ...CITY, message: 'The city', value: 'Villingen-Schwenningen' }], narrow);
    await at.waitFor('? The city\n  Villingen-Schwenningen');
    at.type('!');
    at.key('enter');
    expect(await at.answers()).toEqual(['Villingen-Schwenningen!']);
    expect(at.screen()).toBe('✔ The city\n  Villingen-Schwenningen!');
  });

  test('the problem with an answer', async () => {
    const at = ask([CITY], { columns: 18 });
    await at.waitFor('? City');
    at.type('wrong\r');
    await at.waitFor('> It must not be\n  wrong.');
    at.type('!\r');
    expect(await at.answers()).toEqual(['wrong!']);
  });

  test('the choices of a list, and the one that is picked', async () => {
    const choices = [
      { value: 'EXP', name: 'Express: tomorrow before noon' },
      { value: 'BIG', name: 'Freight', disabled: '(from thirty kilograms on)' },
    ];
    const at = ask([{ ...CARRIER, choices }], narrow);
    await at.waitFor('❯ Express: tomorrow before\n  noon\n- Freight (from thirty\n  kilograms on)');
    at.key('enter');
    expect(await at.answers()).toEqual(['EXP']);
    expect(at.screen()).toBe('✔ Carrier\n  Express: tomorrow before\n  noon');
  });
});

describe('a choice with keys', () => {
  test('is answered by each key alone, and shows what was picked', async () => {
    const at = ask([FOUND, FOUND, FOUND, FOUND]);
    for (const [index, key] of ['s', 'n', 'C', 'n'].entries()) {
      await at.waitFor(new RegExp(`(✔[\\s\\S]*){${index}}\\? What became of it\\?`));
      at.type(key);
    }
    expect(await at.answers()).toEqual(['skip', 'not-created', 'created', 'not-created']);
    expect(at.screen()).toContain('✔ What became of it? Skip it (s)');
  });

  test('is not answered by other letters or numbers, which do not change what a key means', async () => {
    const at = ask([FOUND]);
    await at.waitFor('Skip it (s)');
    at.type('x3n');
    at.key('down');
    await at.waitFor('❯ It does not exist');
    at.type('s');
    expect(await at.answers()).toEqual(['skip']);
  });

  test('is answered with arrows and Enter as well', async () => {
    const at = ask([FOUND]);
    await at.waitFor('Skip it (s)');
    at.key('down');
    at.key('enter');
    expect(await at.answers()).toEqual(['not-created']);
  });
});
