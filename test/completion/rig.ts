import { expect } from 'vitest';
import type { Rig } from '../rig/command.ts';

/** What is offered for the last of the words, with what it is, and the line before it; nothing else ever happens. */
export async function offered(
  rig: Rig,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ how: string[]; values: string[]; description: Record<string, string> }> {
  const { exitCode, stdout, stderr, requests, questions } = await rig.run(['__complete', 'fish', ...words], {
    env,
  });
  expect({ exitCode, stderr, requests, questions }).toEqual({
    exitCode: 0,
    stderr: '',
    requests: [],
    questions: [],
  });
  const [how = '', ...lines] = stdout.split('\n').slice(0, -1);
  const rows = lines.map(line => line.split('\t'));
  return {
    how: how.split('\t'),
    values: rows.map(([value = '']) => value),
    description: Object.fromEntries(rows.map(([value, description = '']) => [value, description])),
  };
}

export const values = async (rig: Rig, ...words: string[]): Promise<string[]> =>
  (await offered(rig, words)).values;
