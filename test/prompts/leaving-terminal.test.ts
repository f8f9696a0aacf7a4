// Going back from every kind of question at a real terminal, and leaving it.
import { describe, expect, test } from 'vitest';
import { type Bare, NAME, questions } from '../rig/terminal.ts';
import { sampled } from '../torture/size.ts';

const drawn = questions('drawn');
const plain = questions('plain');

const EVERY: readonly Bare[] = [
  { kind: 'text', message: 'City' },
  { kind: 'secret', message: 'Token' },
  {
    kind: 'choice',
    message: 'Carrier',
    choices: [
      { value: 'ECO', name: 'Economy' },
      { value: 'EXP', name: 'Express' },
    ],
  },
  { kind: 'search', message: 'Country' },
  { kind: 'confirm', message: 'Sure?' },
];
const SHOWS_CURSOR = '\x1b[?25h';
const PASTES_AS_TYPED = '\x1b[?2004l';

describe.each(sampled(EVERY, 2))('at a drawn question of the kind $kind', question => {
  const shown = `? ${question.message}`;
  const left = `ENDED: left at the question ${JSON.stringify(question.message)}`;

  test('Esc goes back and removes the question from the screen', async () => {
    const at = drawn([NAME, question, NAME]);
    await at.waitFor('? Name');
    at.type('Ada\r');
    await at.waitFor(shown);
    at.key('esc');
    await at.waitFor(/✔ Name Ada\n\? Name \(esc back\)$/);
    at.type('Eve\r');
    expect(await at.answers()).toEqual(['Ada', 'BACK', 'Eve']);
  });

  test('keys whose code begins with an Esc are not Esc', async () => {
    const at = drawn([question]);
    await at.waitFor(shown);
    at.key('down');
    at.key('up');
    at.key('left');
    at.type('\x1bOP');
    at.key('ctrl-z');
    at.key('enter');
    expect(await at.answers()).toEqual([expect.not.stringMatching(/BACK|ENDED/)]);
  });

  test.each([
    ['Ctrl-C', 'ctrl-c'],
    ['Ctrl-D', 'ctrl-d'],
  ] as const)('%s leaves, and the terminal is as it was', async (_, key) => {
    const at = drawn([question]);
    await at.waitFor(shown);
    at.key(key);
    expect(await at.answers()).toEqual([expect.stringContaining(left)]);
    expect(at.raw()).toContain(SHOWS_CURSOR);
    expect(at.raw().endsWith(PASTES_AS_TYPED)).toBe(true);
  });

  test('a SIGTERM ends it and restores the terminal', async () => {
    const at = drawn([question]);
    await at.waitFor(shown);
    at.kill('SIGTERM');
    expect(await at.answers()).toEqual([expect.stringContaining('ENDED: stopped by SIGTERM')]);
    expect(at.raw()).toContain(SHOWS_CURSOR);
    expect(at.raw().endsWith(PASTES_AS_TYPED)).toBe(true);
  });

  test('a closed window ends it', async () => {
    const at = drawn([question]);
    await at.waitFor(shown);
    at.hangUp();
    await at.ended;
  });

  test.each([40, 200])('it fits a width of %i', async columns => {
    const message = `${question.message} of a message that is longer than the narrower one is wide`;
    const at = drawn([{ ...question, message }, NAME], { columns });
    await at.waitFor('wide');
    at.key('enter');
    await at.waitFor('? Name');
    expect(at.screen().match(/of a message/g)).toHaveLength(1);
  });
});

describe.each(sampled(EVERY, 2))('at a plain question of the kind $kind', question => {
  const shown = question.kind === 'choice' ? 'Number (< back):' : question.message;

  test('< goes back', async () => {
    const at = plain([question, NAME]);
    await at.waitFor(shown);
    at.type('<\r');
    await at.waitFor('Name (< back):');
    at.type('Ada\r');
    expect(await at.answers()).toEqual(['BACK', 'Ada']);
  });

  test('Ctrl-C leaves', async () => {
    const at = plain([question]);
    await at.waitFor(shown);
    at.key('ctrl-c');
    // Where the terminal reads the line, it makes a signal of the key.
    const how = question.kind === 'secret' ? 'left at' : 'stopped by SIGINT';
    expect(await at.answers()).toEqual([expect.stringContaining(`ENDED: ${how}`)]);
  });

  test('Ctrl-D leaves', async () => {
    const at = plain([question]);
    await at.waitFor(shown);
    at.key('ctrl-d');
    expect(await at.answers()).toEqual([expect.stringContaining('ENDED: left at')]);
  });

  test('a SIGTERM ends it', async () => {
    const at = plain([question]);
    await at.waitFor(shown);
    at.kill('SIGTERM');
    expect(await at.answers()).toEqual([expect.stringContaining('ENDED: stopped by SIGTERM')]);
  });

  test('a closed window ends it', async () => {
    const at = plain([question]);
    await at.waitFor(shown);
    at.hangUp();
    await at.ended;
  });
});
