import { stripVTControlCharacters } from 'node:util';
import { lineParserFor } from './line-parsers.ts';
import { lineReader } from './lines.ts';
import type { Answer, Question } from './question.ts';
import type { Terminal } from './terminal.ts';

const BACK = '<';

const explained = new WeakSet<NodeJS.ReadStream>();

/** Asks in lines that are written once and never redrawn, for who listens to them. Throws `Left`. */
export async function ask(question: Question, terminal: Terminal): Promise<Answer> {
  if (question.kind !== 'secret') return askInLines(question, terminal, false);
  // Before it is asked: what is typed at once must not be shown either.
  terminal.input.setRawMode(true);
  return askInLines(question, terminal, true).finally(() => terminal.input.setRawMode(false));
}

async function askInLines(question: Question, terminal: Terminal, hidden: boolean): Promise<Answer> {
  const { input, output } = terminal;
  const lines = lineReader(terminal);
  const { above, prompt, parse } = await lineParserFor(question);
  const say = (text: string) => void output.write(`${text}\n`);

  if (question.kind !== 'confirm' && !explained.has(input)) {
    explained.add(input);
    say(`(${BACK} as an answer goes back to the question before.)`);
  }
  if (question.hint) say(question.hint);
  if (above !== '') say(above);
  for (;;) {
    output.write(prompt());
    const line = await lines.next().catch((error: unknown) => {
      say('');
      throw error;
    });
    if (hidden) say('');
    const typed = clean(line);
    if (typed === BACK) return undefined;
    const heard = await parse(typed);
    if (heard.say !== undefined) say(heard.say);
    if (heard.answer !== undefined) return heard.answer;
  }
}

/** Without what keys leave behind that mean nothing here. */
const clean = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}/gu, '')
    .trim();
