// Run at a terminal by the tests beside it: asks what QUESTIONS says, one after the other, and writes the answers to
// stdout as a line of JSON, or how it ended without.

import type { Choice, PromptStyle, Question } from '../../src/host/question.ts';
import { processHost } from '../../src/host.ts';
import { messageOf } from '../../src/system-errors.ts';

const COUNTRIES: readonly Choice[] = [
  ['AT', 'Austria'],
  ['AU', 'Australia'],
  ['DE', 'Germany'],
  ['TR', 'Türkiye'],
].map(([value = '', name = '']) => ({ value, name: `${name} (${value})` }));

// The functions that no JSON carries: `wrong` is no answer, and `broken` breaks the check.
const whole = (question: Question): Question =>
  Object.assign(question, {
    check: async (text: string) => {
      if (text === 'broken') throw new Error('the check is broken');
      return text === 'wrong' ? 'It must not be wrong.' : undefined;
    },
    find: async (term: string) =>
      COUNTRIES.filter(({ name }) => name.toLowerCase().includes(term.toLowerCase())),
  });

async function main(): Promise<void> {
  const { QUESTIONS = '[]', MANNER = 'drawn' } = process.env;
  const host = processHost();
  const answers: unknown[] = [];
  try {
    for (const question of JSON.parse(QUESTIONS) as Question[])
      answers.push((await host.ask(whole(question), MANNER as PromptStyle)) ?? 'BACK');
  } catch (error) {
    answers.push(`ENDED: ${messageOf(error)}`);
  }
  await host.stdout.write(`${JSON.stringify(answers)}\n`);
  // Outside a question the terminal is as it was before.
  if (process.stdin.isRaw) await host.stdout.write('STILL RAW\n');
}

void main();
