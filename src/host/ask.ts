import { Failure } from '../errors.ts';
import type { Answer, PromptStyle, Question } from '../prompts/question.ts';
import { Aborted, type Terminal } from '../prompts/terminal.ts';
import { interruption } from './signals.ts';

/** Asks with the prompts of that style, which are loaded only now. */
export async function ask(question: Question, style: PromptStyle, terminal: Terminal): Promise<Answer> {
  const { interrupted } = terminal;
  const prompts = await (style === 'drawn' ? import('../prompts/drawn.ts') : import('../prompts/plain.ts'));
  try {
    return await prompts.ask(question, terminal);
  } catch (error) {
    if (interrupted.aborted) throw interruption(interrupted, abortedAt(question).message);
    throw error instanceof Aborted ? abortedAt(question) : error;
  }
}

/** The failure of a command whose person leaves instead of answering. */
export const abortedAt = ({ message }: Question): Failure =>
  new Failure('interrupted', `left at the question ${JSON.stringify(message)}; nothing was sent`);
