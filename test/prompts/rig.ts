import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Choice, PromptStyle } from '../../src/prompts/question.ts';
import { type OpenOptions, open, type Screen } from '../built/terminal.ts';

/** A question without its functions; see questions.ts for those. */
export type Bare = { message: string; hint?: string; defaultAnswer?: string } & (
  | { kind: 'text'; value?: string }
  | { kind: 'secret' | 'search' | 'confirm' }
  | { kind: 'choice'; choices: readonly Choice[] }
);

export interface Asked extends Screen {
  /** What came of it, when it is over. */
  answers(): Promise<string[]>;
}

/** A terminal at which questions are asked, one after the other. */
export function questions(
  manner: PromptStyle,
): (list: readonly Bare[], options?: Partial<OpenOptions>) => Asked {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-questions-'));
  const script = join(folder, 'questions.cjs');
  let count = 0;
  beforeAll(() =>
    build({
      entryPoints: [resolve('test/prompts/questions.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      logLevel: 'error',
    }),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (list, options = {}) => {
    count += 1;
    const stdoutToFile = join(folder, `answers-${count}`);
    const QUESTIONS = JSON.stringify(list.map(question => ({ id: question.kind, ...question })));
    const env = { PATH: process.env.PATH ?? '', ...options.env, QUESTIONS, MANNER: manner };
    const screen = open([script], { ...options, env, stdoutToFile });
    return {
      ...screen,
      async answers() {
        await screen.ended;
        return JSON.parse(readFileSync(stdoutToFile, 'utf8'));
      },
    };
  };
}
