import type { Check, Choice, Question } from './question.ts';

/** How one question is read from lines that are typed. */
export interface LineParser {
  /** What stands above the prompt, '' where that is nothing. */
  above: string;
  prompt(): string;
  /** What a line means: an answer, or what to say before it is asked again. */
  parse(typed: string): Promise<Parsed>;
}

interface Parsed {
  answer?: string;
  say?: string;
}

type Of<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

/** How many of the things that were found are read out. */
const MAX_LISTED = 20;

export async function lineParserFor(question: Question): Promise<LineParser> {
  switch (question.kind) {
    case 'text':
      return readText(question);
    case 'secret':
      return {
        above: '',
        prompt: () => promptOf(question.message),
        parse: line => checked(question.check, line),
      };
    case 'choice':
      return readChoice(question);
    case 'search':
      return readSearch(question);
    case 'confirm':
      return readConfirm(question);
  }
}

function readText({ message, defaultAnswer, value, check }: Of<'text'>): LineParser {
  const enter = value ?? defaultAnswer ?? '';
  const shown = value ? `${value}; - takes it away` : enter;
  const answerFor = (typed: string): string => {
    if (typed === '') return enter;
    return typed === '-' && value !== undefined ? '' : typed;
  };
  return {
    above: '',
    prompt: () => promptOf(message, shown),
    parse: typed => checked(check, answerFor(typed)),
  };
}

function readChoice({ message, choices, defaultAnswer }: Of<'choice'>): LineParser {
  const enabled = choices.filter(isEnabled);
  const offered = enabled.findIndex(({ value }) => value === defaultAnswer);
  return {
    above: `${message}\n${numbered(choices)}`,
    prompt: () => promptOf('Number', offered < 0 ? '' : String(offered + 1)),
    async parse(typed) {
      const picked =
        typed === '' ? enabled[offered] : (enabled[Number(typed) - 1] ?? findByName(enabled, typed));
      if (picked) return { answer: picked.value, say: picked.name };
      return { say: enabled.length === 0 ? 'None of them can be picked.' : numberWanted(enabled) };
    },
  };
}

async function readSearch({ message, find, defaultAnswer }: Of<'search'>): Promise<LineParser> {
  const offered =
    defaultAnswer === undefined
      ? undefined
      : findByName((await find(defaultAnswer)).filter(isEnabled), defaultAnswer);
  let found: readonly Choice[] = [];
  const take = ({ value, name }: Choice): Parsed => ({ answer: value, say: name });
  return {
    above: '',
    prompt: () =>
      promptOf(
        found.length > 0 ? 'Number, or more of its name' : `${message} (part of its name, or its code)`,
        offered?.name,
      ),
    async parse(typed) {
      if (typed === '') return offered ? take(offered) : { say: 'Type a part of its name, or its code.' };
      const listed = found.filter(isEnabled)[Number(typed) - 1];
      if (listed) return take(listed);
      const all = await find(typed);
      const meant =
        findByName(all.filter(isEnabled), typed) ?? (all.length === 1 ? all.find(isEnabled) : undefined);
      if (meant) return take(meant);
      found = all.slice(0, MAX_LISTED);
      if (all.length === 0) return { say: `Nothing is called ${JSON.stringify(typed)}.` };
      const more =
        all.length > MAX_LISTED ? `\nand ${all.length - MAX_LISTED} more: type more of the name` : '';
      return { say: numbered(found) + more };
    },
  };
}

const readConfirm = ({ message }: Of<'confirm'>): LineParser => ({
  above: '',
  prompt: () => promptOf(message, 'y/N'),
  async parse(typed) {
    const word = typed.toLowerCase();
    if (['y', 'yes'].includes(word)) return { answer: 'yes' };
    return ['', 'n', 'no'].includes(word) ? { answer: 'no' } : { say: 'Answer y or n.' };
  },
});

async function checked(check: Check, answer: string): Promise<Parsed> {
  const fault = await check(answer);
  return fault === undefined ? { answer } : { say: fault };
}

/** `Receiver: City [Berlin]: `; what is a question already gets no colon. */
function promptOf(message: string, enter = ''): string {
  const bracket = enter === '' ? '' : ` [${enter}]`;
  return `${message}${bracket}${/[?:]$/.test(message) ? '' : ':'} `;
}

const isEnabled = ({ disabled }: Choice): boolean => disabled === undefined;

/** The one that goes by that name or value. */
const findByName = (choices: readonly Choice[], typed: string): Choice | undefined =>
  choices.find(({ value }) => value.toLowerCase() === typed.toLowerCase()) ??
  choices.find(({ name }) => name.toLowerCase() === typed.toLowerCase());

function numbered(choices: readonly Choice[]): string {
  let number = 0;
  return choices
    .map(choice => {
      const { name, description, disabled } = choice;
      if (disabled !== undefined) return `   ${name} ${disabled}`;
      number += 1;
      return `${number}) ${name}${description === undefined ? '' : `: ${description}`}`;
    })
    .join('\n');
}

const numberWanted = ({ length }: readonly Choice[]): string =>
  length === 1 ? 'Answer 1.' : `Answer a number from 1 to ${length}.`;
