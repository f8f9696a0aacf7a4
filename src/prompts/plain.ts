import { stripVTControlCharacters } from 'node:util';
import { lineParserFor } from './line-parsers.ts';
import { lineReader } from './lines.ts';
import type { Answer, Question } from './question.ts';
import { fitted, type Terminal } from './terminal.ts';

const BACK = '<';

/** The terminals whose person knows how to go back. */
const explained = new WeakSet<NodeJS.ReadStream>();

/** Asks in lines that are written once and never redrawn, for screen readers. Throws `Aborted`. */
export async function ask(question: Question, terminal: Terminal): Promise<Answer> {
  if (question.kind !== 'secret') return askInLines(question, terminal);
  // Before the question is written: what is typed at once must not be shown either.
  terminal.input.setRawMode(true);
  return askInLines(question, terminal).finally(() => terminal.input.setRawMode(false));
}

async function askInLines(question: Question, terminal: Terminal): Promise<Answer> {
  const { input, output } = terminal;
  const lines = lineReader(terminal);
  const { above, prompt, parse } = await lineParserFor(question);
  const say = (text: string) => void output.write(`${fitted(text, output).join('\n')}\n`);

  if (question.kind !== 'confirm' && !explained.has(input)) {
    explained.add(input);
    say(`(Answer ${BACK} to go back to the previous question.)`);
  }
  if (question.hint) say(question.hint);
  if (above) say(above);
  for (;;) {
    output.write(`${fitted(prompt(), output).join('\n')} `);
    const line = await lines.next().catch((error: unknown) => {
      say('');
      throw error;
    });
    if (question.kind === 'secret') say('');
    const typed = clean(line);
    if (typed === BACK) return undefined;
    const { answer, message } = await parse(typed);
    if (message !== undefined) say(message);
    if (answer !== undefined) return answer;
  }
}

/** Without what keys such as the arrows leave in a line. */
const clean = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}/gu, '')
    .trim();
