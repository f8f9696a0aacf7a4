import { stripVTControlCharacters } from 'node:util';
import { lineReader } from './lines.ts';
import { type Answer, type Check, type Choice, type Question, wayOut } from './question.ts';
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
  const nextLine = lineReader(terminal);
  const { above, prompt, parse } = await lineParserFor(question);
  const say = (text: string) => void output.write(`${fitted(text, output).join('\n')}\n`);

  const way = wayOut(question);
  if (way !== undefined && !explained.has(input)) {
    explained.add(input);
    say(`(Answer ${BACK} to go back to the previous question, and at the first one to leave.)`);
  }
  if (question.hint) say(question.hint);
  if (above) say(above);
  for (;;) {
    output.write(`${fitted(promptOf(prompt(), way), output).join('\n')} `);
    const line = await nextLine().catch((error: unknown) => {
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

/** How a question is written in lines, and how a line that is typed becomes its answer. */
interface LineParser {
  /** What stands above the prompt. */
  above?: string;
  prompt(): Prompt;
  parse(typed: string): Promise<Parsed>;
}

/** What is asked, and the answer of Enter alone. */
type Prompt = readonly [message: string, onEnter?: string | undefined];

interface Parsed {
  /** Absent: the question is asked again. */
  answer?: string;
  message?: string;
}

type Of<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

const MAX_LISTED = 20;

async function lineParserFor(question: Question): Promise<LineParser> {
  const { message } = question;
  switch (question.kind) {
    case 'text':
      return textParser(question);
    case 'secret':
      return { prompt: () => [message], parse: typed => checked(question.check, typed) };
    case 'choice':
      return choiceParser(question);
    case 'search':
      return searchParser(question);
    case 'confirm':
      return { prompt: () => [message, 'y/N'], parse: async typed => parseConfirm(typed) };
  }
}

function textParser({ message, defaultAnswer, value, check, takenAs }: Of<'text'>): LineParser {
  let onEnter = value ?? defaultAnswer ?? '';
  const isCleared = (typed: string) => typed === '-' && value !== undefined;
  return {
    prompt: () => [message, value && onEnter ? `${onEnter}; - clears it` : onEnter],
    async parse(typed) {
      // After a doubt Enter alone gives the same answer again.
      onEnter = isCleared(typed) ? '' : typed || onEnter;
      const parsed = await checked(check, onEnter);
      const taken = takenAs?.(onEnter) ?? onEnter;
      return parsed.answer === undefined || taken === onEnter ? parsed : { ...parsed, message: taken };
    },
  };
}

function choiceParser({ message, choices, defaultAnswer }: Of<'choice'>): LineParser {
  const enabled = choices.filter(isEnabled);
  const onEnter = enabled.findIndex(({ value }) => value === defaultAnswer);
  return {
    above: `${message}\n${numbered(choices)}`,
    prompt: () => ['Number', onEnter < 0 ? '' : String(onEnter + 1)],
    async parse(typed) {
      const picked = typed === '' ? enabled[onEnter] : (enabled[Number(typed) - 1] ?? named(enabled, typed));
      if (picked) return { answer: picked.value, message: picked.name };
      if (enabled.length === 0) return { message: 'None of them is available.' };
      return {
        message: enabled.length === 1 ? 'Answer 1.' : `Answer a number from 1 to ${enabled.length}.`,
      };
    },
  };
}

async function searchParser({ message, find, defaultAnswer }: Of<'search'>): Promise<LineParser> {
  const onEnter =
    defaultAnswer === undefined
      ? undefined
      : named((await find(defaultAnswer)).filter(isEnabled), defaultAnswer);
  let listed: readonly Choice[] = [];
  return {
    prompt: () => [
      listed.length > 0 ? 'Number, or more of its name' : `${message} (part of its name, or its code)`,
      onEnter?.name,
    ],
    async parse(typed) {
      if (typed === '' && !onEnter) return { message: 'Type a part of its name, or its code.' };
      const byNumber = listed.filter(isEnabled)[Number(typed) - 1];
      const all = typed === '' || byNumber ? [] : await find(typed);
      const enabled = all.filter(isEnabled);
      const picked =
        typed === ''
          ? onEnter
          : (byNumber ?? named(enabled, typed) ?? (all.length === 1 ? enabled[0] : undefined));
      if (picked) return { answer: picked.value, message: picked.name };
      listed = all.slice(0, MAX_LISTED);
      if (all.length === 0) return { message: `Nothing matches ${JSON.stringify(typed)}.` };
      const rest = all.length - listed.length;
      const more = rest > 0 ? `\nand ${rest} more: type more of the name` : '';
      return { message: numbered(listed) + more };
    },
  };
}

function parseConfirm(typed: string): Parsed {
  const word = typed.toLowerCase();
  if (['y', 'yes'].includes(word)) return { answer: 'yes' };
  return ['', 'n', 'no'].includes(word) ? { answer: 'no' } : { message: 'Answer y or n.' };
}

async function checked(check: Check, answer: string): Promise<Parsed> {
  const problem = await check(answer);
  return problem === undefined ? { answer } : { message: problem };
}

/** `Receiver: City (< back) [Berlin]:`; a message that is a question gets no colon. */
const promptOf = ([message, onEnter = '']: Prompt, way: string | undefined): string =>
  [message, way && ` (${BACK} ${way})`, onEnter && ` [${onEnter}]`, !/[?:]$/.test(message) && ':']
    .filter(Boolean)
    .join('');

const isEnabled = ({ disabled }: Choice): boolean => disabled === undefined;

/** The choice with that value or name. */
const named = (choices: readonly Choice[], typed: string): Choice | undefined =>
  choices.find(({ value }) => value.toLowerCase() === typed.toLowerCase()) ??
  choices.find(({ name }) => name.toLowerCase() === typed.toLowerCase());

function numbered(choices: readonly Choice[]): string {
  let number = 0;
  return choices
    .map(({ name, disabled }) => {
      if (disabled !== undefined) return `   ${name} ${disabled}`;
      number += 1;
      return `${number}) ${name}`;
    })
    .join('\n');
}
