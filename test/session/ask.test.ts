import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { Host } from '../../src/host.ts';
import type { Printer } from '../../src/output/print.ts';
import type { Answer, PromptStyle, Question } from '../../src/prompts/question.ts';
import { createAsking } from '../../src/session/ask.ts';
import type { Globals } from '../../src/session/globals.ts';

interface Setting {
  env?: Record<string, string>;
  color?: boolean;
  interrupted?: AbortSignal;
  answer?(question: Question): Promise<Answer>;
}

function asking({ env = {}, color = true, interrupted, answer }: Setting = {}) {
  const done: string[] = [];
  const asked: { question: Question; manner: PromptStyle }[] = [];
  const host = {
    env,
    interrupted: interrupted ?? new AbortController().signal,
    async ask(question: Question, manner: PromptStyle) {
      done.push('asked');
      asked.push({ question, manner });
      return answer?.(question);
    },
  } as Partial<Host> as Host;
  const printer = {
    progress: async (line: string) => void done.push(`progress ${JSON.stringify(line)}`),
  } as Partial<Printer> as Printer;
  return { done, asked, ...createAsking(host, { color, input: true } as Globals, printer) };
}

describe('a question', () => {
  test.each([
    ['drawn', { TERM: 'xterm', NO_COLOR: '', WAYBILL_ACCESSIBLE: '0' }, true],
    ['drawn', { WAYBILL_ACCESSIBLE: 'false' }, true],
    ['plain', { TERM: 'dumb' }, true],
    ['plain', { NO_COLOR: '1' }, true],
    ['plain', { WAYBILL_ACCESSIBLE: '1' }, true],
    ['plain', {}, false],
  ])('is %s with %o and colour %s', async (manner, env, color) => {
    const { ask, asked } = asking({ env, color });
    await ask({ kind: 'confirm', id: 'sure', message: 'Sure?' });
    expect(asked[0]?.manner).toBe(manner);
  });

  test('comes after the progress line is removed', async () => {
    const { ask, done } = asking();
    await ask({ kind: 'confirm', id: 'sure', message: 'Sure?' });
    expect(done).toEqual(['progress ""', 'asked']);
  });

  test('shows no control characters, and its answer is the original value', async () => {
    const evil = 'a\x1b[2J\u202eb';
    const choices = [{ value: evil, name: evil, disabled: evil }];
    const check = async () => evil;
    const shared = { id: 'x', message: evil, hint: `${evil}\n${evil}` };
    const { ask, asked } = asking();
    await ask({ ...shared, kind: 'text', defaultAnswer: evil, value: evil, check });
    await ask({ ...shared, kind: 'secret', check });
    await ask({ ...shared, kind: 'choice', choices, defaultAnswer: evil });
    await ask({ ...shared, kind: 'search', find: async () => choices, defaultAnswer: evil });
    const fine = 'a[2Jb';
    for (const { question } of asked) {
      expect(question).toMatchObject({ message: fine, hint: `${fine}\n${fine}` });
      if (question.kind === 'text') expect(question).toMatchObject({ defaultAnswer: fine, value: fine });
      if ('check' in question) expect(await question.check('')).toBe(fine);
      const shown = question.kind === 'choice' ? question.choices : [];
      for (const choice of question.kind === 'search' ? await question.find('') : shown)
        expect(choice).toEqual({ value: evil, name: fine, disabled: fine });
    }
    expect(
      asked.slice(2).map(({ question }) => 'defaultAnswer' in question && question.defaultAnswer),
    ).toEqual([evil, evil]);
  });
});

describe('a yes', () => {
  const left = async () => Promise.reject(new Failure('interrupted', 'left'));

  test('is only a yes', async () => {
    expect(await asking({ answer: async () => 'yes' }).confirm('Sure?')).toBe(true);
    expect(await asking({ answer: async () => 'no' }).confirm('Sure?')).toBe(false);
    expect(await asking({ answer: async () => undefined }).confirm('Sure?')).toBe(false);
  });

  test('is not the answer of a person who leaves, by key or by signal', async () => {
    expect(await asking({ answer: left }).confirm('Sure?')).toBe(false);
    expect(await asking({ answer: left, interrupted: AbortSignal.abort('SIGINT') }).confirm('Sure?')).toBe(
      false,
    );
  });

  test('is neither given nor refused by a SIGTERM or an internal error', async () => {
    const interrupted = AbortSignal.abort('SIGTERM');
    await expect(asking({ answer: left, interrupted }).confirm('Sure?')).rejects.toThrow('left');
    const broken = async () => Promise.reject(new Error('broken'));
    await expect(asking({ answer: broken }).confirm('Sure?')).rejects.toThrow('broken');
  });
});
