// Inquirer breaks lines in the middle of words, so it gets all text in lines that fit.
import { type Choice, type Question, wayOut } from './question.ts';
import { fitted } from './terminal.ts';

type Output = Pick<NodeJS.WriteStream, 'columns'>;

/** The text in lines that fit behind a mark such as `? `. */
export const behindMark = (text: string, { columns = 80 }: Output): string =>
  fitted(text, { columns: columns - 2 }).join('\n  ');

/** The message of a question; its last line has room for what Inquirer draws behind it. */
export function drawnMessage(question: Question, output: Output): string {
  const back = backTip(question, output);
  const rest = `${back === '' ? '' : `${back} `}${restOf(question)}`;
  // One word, because it stays whole. Inquirer adds the blank before it.
  return behindMark(`${question.message} ${'-'.repeat(rest.length)}`, output).slice(0, -rest.length - 1);
}

/** How to go back, if there is room; a list says it with its other keys. */
export function backTip(question: Question, { columns }: Output): string {
  const way = wayOut(question);
  const isList = question.kind === 'choice' || question.kind === 'search';
  return way === undefined || isList || (columns > 0 && columns < 60) ? '' : `(esc ${way})`;
}

function restOf(question: Question): string {
  if (question.kind === 'confirm') return '(y/N) yes ';
  const { defaultAnswer, value } = question.kind === 'text' ? question : {};
  return value || (defaultAnswer ? `(${defaultAnswer}) ` : 'an answer ');
}

/** Inquirer draws a choice behind a mark, and the one that was picked behind the message. */
export function drawnChoice({ value, name, disabled }: Choice, message: string, output: Output) {
  const { columns = 80 } = output;
  const lastLine = message.slice(message.lastIndexOf('\n') + 1);
  const short = lastLine.length + name.length + 3 < columns ? name : `\n  ${behindMark(name, output)}`;
  if (disabled === undefined) return { value, name: behindMark(name, output), short };
  // Inquirer draws two texts with a blank between them.
  const shown = behindMark(`${name} ${disabled}`, output);
  const end = shown.lastIndexOf(' ');
  return { value, name: shown.slice(0, end), disabled: shown.slice(end + 1) };
}
