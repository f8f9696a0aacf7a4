// Questions in lines that are written once and never redrawn, for screen readers and dumb terminals.
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import {
  Aborted,
  type Check,
  type Choice,
  type Entry,
  forgetTyped,
  progressWords,
  type Question,
  type QuestionOfKind,
  type Terminal,
  terminalWidth,
  wayOut,
  wrappedLines,
} from './question.ts';

const BACK = '<';

/** The terminals whose person has been told how to go back. */
const explained = new WeakSet<NodeJS.ReadStream>();

/** Asks a question in lines. Throws `Aborted`. */
export async function askPlain(question: Question, terminal: Terminal): Promise<Entry> {
  const { input, output } = terminal;
  const say = (text: string) =>
    void output.write(`${wrappedLines(text, terminalWidth(output)).join('\n')}\n`);
  const { above, prompt, parse } = await promptWords(question);
  const way = wayOut(question);
  if (way !== undefined && !explained.has(input)) {
    explained.add(input);
    say(`(Answer ${BACK} to go back to the previous question, and at the first one to leave.)`);
  }
  if (question.hint) say(question.hint);
  if (above) say(above);
  for (;;) {
    const line = await typedLine(
      terminal,
      promptOf(prompt(), [progressWords(question), way && `${BACK} ${way}`]),
      question.kind === 'secret',
    ).catch((error: unknown) => {
      say('');
      throw error;
    });
    if (question.kind === 'secret') say('');
    if (line === BACK) return undefined;
    const { answer, message } = await parse(line);
    if (message !== undefined) say(message);
    if (answer !== undefined) return answer;
  }
}

/** The next line that is typed, without the codes that keys such as the arrows leave in it. Throws `Aborted`. */
async function typedLine(terminal: Terminal, prompt: string, isHidden: boolean): Promise<string> {
  const { input, output, interrupted } = terminal;
  await forgetTyped(terminal);
  // The terminal itself shows what is typed, unless the answer is hidden: then readline reads the keys, and its output goes nowhere.
  if (!isHidden) input.setRawMode(false);
  const lines = createInterface({ input, output: new PassThrough().resume(), terminal: isHidden });
  let leave = () => {};
  const line = await new Promise<string>((resolve, reject) => {
    leave = () => reject(new Aborted());
    lines.once('line', resolve).once('close', leave).once('error', leave);
    input.once('close', leave).once('error', leave);
    interrupted.addEventListener('abort', leave);
    output.write(`${wrappedLines(prompt, terminalWidth(output)).join('\n')} `);
  }).finally(() => {
    lines.close();
    input.off('close', leave).off('error', leave);
    interrupted.removeEventListener('abort', leave);
  });
  return stripVTControlCharacters(line)
    .replace(/\p{Cc}/gu, '')
    .trim();
}

/** How a question is written in lines, and how a line that is typed becomes its answer. */
interface Words {
  /** The lines above the prompt. */
  above?: string;
  prompt(): Prompt;
  parse(typed: string): Promise<Parsed>;
}

/** The text of a question, and the answer that Enter alone gives. */
type Prompt = readonly [message: string, onEnter?: string | undefined];

interface Parsed {
  /** Absent: the question is asked again. */
  answer?: string;
  message?: string;
}

async function promptWords(question: Question): Promise<Words> {
  const { message } = question;
  switch (question.kind) {
    case 'text':
      return textWords(question);
    case 'secret':
      return { prompt: () => [message], parse: typed => checkedAnswer(question.check, typed) };
    case 'choice':
      return choiceWords(question);
    case 'several':
      return severalWords(question);
    case 'search':
      return searchWords(question);
    case 'confirm':
      return { prompt: () => [message, 'y/N'], parse: async typed => parseConfirm(typed) };
  }
}

function textWords(question: QuestionOfKind<'text'>): Words {
  const { message, defaultAnswer, value, check } = question;
  let onEnter = value ?? defaultAnswer ?? '';
  const isCleared = (typed: string) => typed === '-' && value !== undefined;
  return {
    prompt: () => [message, value && onEnter ? `${onEnter}; - clears it` : onEnter],
    async parse(typed) {
      // If the check has doubts about an answer, Enter alone gives the same answer again.
      onEnter = isCleared(typed) ? '' : typed || onEnter;
      return checkedAnswer(check, onEnter);
    },
  };
}

function choiceWords(question: QuestionOfKind<'choice'>): Words {
  const { message, choices, defaultAnswer } = question;
  const enabled = choices.filter(isEnabled);
  const onEnter = enabled.findIndex(({ value }) => value === defaultAnswer);
  return {
    above: `${message}\n${numberedChoices(choices)}`,
    prompt: () => ['Number', onEnter < 0 ? '' : String(onEnter + 1)],
    async parse(typed) {
      const picked =
        typed === '' ? enabled[onEnter] : (enabled[Number(typed) - 1] ?? choiceNamed(enabled, typed));
      return picked ? { answer: picked.value, message: picked.name } : { message: numbersFor(enabled) };
    },
  };
}

function severalWords(question: QuestionOfKind<'several'>): Words {
  const { message, choices, picked: before = [] } = question;
  const enabled = choices.filter(isEnabled);
  const ticked = enabled.flatMap(({ value }, index) => (before.includes(value) ? index + 1 : []));
  return {
    above: `${message}\n${numberedChoices(choices)}`,
    prompt: () => ['Numbers, such as 1,2, or all', ticked.join(',') || 'none'],
    async parse(typed) {
      if (/^none$/i.test(typed)) return { answer: '' };
      const words = (typed || ticked.join(',')).split(/[\s,]+/).filter(Boolean);
      const picked = /^all$/i.test(typed) ? enabled : words.flatMap(word => enabled[Number(word) - 1] ?? []);
      if (picked.length < words.length) return { message: numbersFor(enabled) };
      return { answer: enabled.flatMap(choice => (picked.includes(choice) ? choice.value : [])).join(',') };
    },
  };
}

const numbersFor = (choices: readonly Choice[]): string =>
  choices.length === 0
    ? 'None of them is available.'
    : `Answer ${choices.length === 1 ? '1' : `a number from 1 to ${choices.length}`}.`;

const MAX_LISTED = 20;

async function searchWords(question: QuestionOfKind<'search'>): Promise<Words> {
  const { message, find, defaultAnswer } = question;
  const onEnter =
    defaultAnswer === undefined
      ? undefined
      : choiceNamed((await find(defaultAnswer)).filter(isEnabled), defaultAnswer);
  let listed: readonly Choice[] = [];
  return {
    prompt: () => [
      listed.length > 0 ? 'Number, or more of its name' : `${message} (part of its name, or its code)`,
      onEnter?.name,
    ],
    async parse(typed) {
      if (typed === '' && !onEnter) return { message: 'Type a part of its name, or its code.' };
      const byNumber = typed === '' ? onEnter : listed.filter(isEnabled)[Number(typed) - 1];
      const all = byNumber ? [byNumber] : await find(typed);
      const enabled = all.filter(isEnabled);
      const picked = choiceNamed(enabled, typed) ?? (all.length === 1 ? enabled[0] : undefined);
      if (picked) return { answer: picked.value, message: picked.name };
      listed = all.slice(0, MAX_LISTED);
      if (all.length === 0) return { message: `Nothing matches ${JSON.stringify(typed)}.` };
      const rest = all.length - listed.length;
      const more = rest > 0 ? `\nand ${rest} more: type more of the name` : '';
      return { message: numberedChoices(listed) + more };
    },
  };
}

function parseConfirm(typed: string): Parsed {
  const word = typed.toLowerCase();
  if (['y', 'yes'].includes(word)) return { answer: 'yes' };
  return ['', 'n', 'no'].includes(word) ? { answer: 'no' } : { message: 'Answer y or n.' };
}

async function checkedAnswer(check: Check, answer: string): Promise<Parsed> {
  const problem = await check(answer);
  return problem === undefined ? { answer } : { message: problem };
}

/** `Receiver: City (12 of 30, < back) [Berlin]:`; a message that is a question gets no colon. */
function promptOf([message, onEnter = '']: Prompt, tips: readonly (string | undefined)[]): string {
  const tip = tips.filter(Boolean).join(', ');
  return [message, tip && ` (${tip})`, onEnter && ` [${onEnter}]`, !/[?:]$/.test(message) && ':']
    .filter(Boolean)
    .join('');
}

const isEnabled = (choice: Choice): boolean => choice.disabled === undefined;

/** The choice whose value or name was typed. */
const choiceNamed = (choices: readonly Choice[], typed: string): Choice | undefined =>
  choices.find(({ value }) => value.toLowerCase() === typed.toLowerCase()) ??
  choices.find(({ name }) => name.toLowerCase() === typed.toLowerCase());

function numberedChoices(choices: readonly Choice[]): string {
  let number = 0;
  return choices
    .map(({ name, disabled }) => {
      if (disabled !== undefined) return `   ${name} ${disabled}`;
      number += 1;
      return `${number}) ${name}`;
    })
    .join('\n');
}
