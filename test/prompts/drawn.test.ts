import { render } from '@inquirer/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from '../../src/prompts/drawn.ts';
import type { Question } from '../../src/prompts/question.ts';
import { Aborted, type Terminal } from '../../src/prompts/terminal.ts';

/** Resolves when what a key has set going is done. */
const settled = () => new Promise(resolve => setImmediate(resolve));

/** The question on a screen without a terminal; `more` is what the terminal is known by beside it. */
async function draw(question: Question, more: Partial<Terminal> = {}) {
  const drawn = await render((_: Question, context: unknown) => {
    const { input, output } = context as Terminal;
    const turn = async () => {};
    const interrupted = new AbortController().signal;
    return ask(question, {
      // A stream of the process is not ended with a question.
      output: Object.assign(output, { _isStdio: true }),
      interrupted,
      turn,
      ...more,
      input: Object.assign(input, { setRawMode: () => input, ...more.input }),
    });
  }, question);
  await settled();
  return drawn;
}

const check = async (text: string) => (text === 'wrong' ? 'It must not be wrong.' : undefined);
const TEXT = { kind: 'text', id: 'city', message: 'City', check } as const;

describe('text', () => {
  test('that the check refuses can be corrected', async () => {
    const { answer, events, getScreen } = await draw(TEXT);
    events.type('wrong');
    events.keypress('enter');
    await settled();
    expect(getScreen()).toBe('? City (esc back) wrong\n> It must not be wrong.');
    events.type('ly');
    events.keypress('enter');
    expect(await answer).toBe('wrongly');
  });

  test('is checked as it will be answered, also the default and an emptied line', async () => {
    const checked: string[] = [];
    const noting = async (text: string) => void checked.push(text);
    const offered = await draw({ ...TEXT, check: noting, defaultAnswer: 'Berlin' });
    offered.events.keypress('enter');
    expect(await offered.answer).toBe('Berlin');
    const there = await draw({ ...TEXT, check: noting, value: 'x' });
    there.events.keypress('backspace');
    there.events.keypress('enter');
    expect(await there.answer).toBe('');
    expect(checked).toEqual(['Berlin', '']);
  });

  test('that is taken as another one is shown as that one', async () => {
    const takenAs = (text: string) => text.replace(/^00/, '+');
    const { answer, events, getScreen } = await draw({ ...TEXT, takenAs });
    events.type('0049');
    expect(getScreen()).toBe('? City (esc back) 0049');
    events.keypress('enter');
    expect(await answer).toBe('0049');
    expect(getScreen()).toBe('✔ City +49');
  });

  test('shows its hint above it', async () => {
    const { answer, events, getFullOutput } = await draw({ ...TEXT, hint: 'one\ntwo' });
    events.type('x');
    events.keypress('enter');
    await answer;
    expect(await getFullOutput()).toBe('one\ntwo\n✔ City x');
  });
});

test('a search begins with all choices, the default first', async () => {
  const terms: string[] = [];
  const all = ['AT', 'DE', 'TR'].map(value => ({ value, name: `name of ${value}` }));
  const { answer, events, getScreen } = await draw({
    kind: 'search',
    id: 'country',
    message: 'Country',
    // What is offered is not among the likely ones, and is named all the same.
    find: async term => {
      terms.push(term);
      return term === '' ? all.slice(0, 2) : all.filter(({ value }) => value === term);
    },
    defaultAnswer: 'TR',
  });
  expect(getScreen()).toMatch(/^\? Country\n❯ name of TR\n {2}name of AT\n {2}name of DE\n/);
  expect(getScreen()).toContain('type part of a name • ↑↓ navigate');
  events.keypress('enter');
  expect(await answer).toBe('TR');
  expect(terms).toEqual(['', 'TR']);
});

test('an error in a check or a search ends the question', async () => {
  const broken = async () => Promise.reject(new Error('broken'));
  const text = await draw({ ...TEXT, check: broken });
  const rejected = expect(text.answer).rejects.toThrow('broken');
  text.events.keypress('enter');
  await rejected;
  const search = await draw({ kind: 'search', id: 'country', message: 'Country', find: broken });
  await expect(search.answer).rejects.toThrow('broken');
});

describe('nothing is asked', () => {
  test('if the terminal is gone', async () => {
    const gone = { readableEnded: true } as NodeJS.ReadStream;
    const { answer, getScreen } = await draw(TEXT, { input: gone });
    await expect(answer).rejects.toThrow(Aborted);
    expect(getScreen()).toBe('');
  });

  test('after an interruption', async () => {
    const { answer, getScreen } = await draw(TEXT, { interrupted: AbortSignal.abort('SIGTERM') });
    await expect(answer).rejects.toThrow(Aborted);
    expect(getScreen()).not.toContain('City');
  });
});

test('raw mode is on during a question and off after it', async () => {
  const modes: boolean[] = [];
  const input = {
    setRawMode: (mode: boolean) => void modes.push(mode),
  } as unknown as NodeJS.ReadStream;
  const answered = await draw(TEXT, { input });
  answered.events.keypress('enter');
  await answered.answer;
  const back = await draw(TEXT, { input });
  back.events.keypress('escape');
  expect(await back.answer).toBeUndefined();
  expect(modes).toEqual([true, false, true, false]);
});

test('Ctrl-Z does nothing, because it would leave the shell a terminal in raw mode', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const { answer, events } = await draw(TEXT);
  events.keypress({ name: 'z', ctrl: true } as Parameters<typeof events.keypress>[0]);
  events.keypress('enter');
  expect(await answer).toBe('');
  expect(kill).not.toHaveBeenCalled();
});
