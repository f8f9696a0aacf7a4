import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import type { Choice, PromptStyle } from '../../src/prompts/question.ts';
import { buildScript } from '../rig/build.ts';
import { type OpenOptions, open, type Screen } from '../rig/terminal.ts';

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
  let script: string;
  beforeAll(async () => {
    script = await buildScript('test/prompts/questions.ts');
  });
  return (list, options = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-questions-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const stdoutToFile = join(folder, 'answers');
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
