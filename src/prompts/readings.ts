import type { Check, Choice, Question } from './question.ts';

/** How one question is read from lines that are typed. */
export interface Reading {
  /** What stands above the prompt, '' where that is nothing. */
  above: string;
  prompt(): string;
  /** What a line means: an answer, or what to say before it is asked again. */
  hear(typed: string): Promise<Heard>;
}

interface Heard {
  answer?: string;
  say?: string;
}

type Of<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

/** How many of the things that were found are read out. */
const MOST = 20;

export async function readingOf(question: Question): Promise<Reading> {
  switch (question.kind) {
    case 'text':
      return readText(question);
    case 'secret':
      return {
        above: '',
        prompt: () => promptOf(question.message),
        hear: line => checked(question.check, line),
      };
    case 'choice':
      return readChoice(question);
    case 'search':
      return readSearch(question);
    case 'confirm':
      return readConfirm(question);
  }
}

function readText({ message, offer, value, check }: Of<'text'>): Reading {
  const enter = value ?? offer ?? '';
  const shown = value ? `${value}; - takes it away` : enter;
  const answerFor = (typed: string): string => {
    if (typed === '') return enter;
    return typed === '-' && value !== undefined ? '' : typed;
  };
  return {
    above: '',
    prompt: () => promptOf(message, shown),
    hear: typed => checked(check, answerFor(typed)),
  };
}

function readChoice({ message, choices, offer }: Of<'choice'>): Reading {
  const enabled = choices.filter(isEnabled);
  const offered = enabled.findIndex(({ value }) => value === offer);
  return {
    above: `${message}\n${numbered(choices)}`,
    prompt: () => promptOf('Number', offered < 0 ? '' : String(offered + 1)),
    async hear(typed) {
      const picked = typed === '' ? enabled[offered] : (enabled[Number(typed) - 1] ?? called(enabled, typed));
      if (picked) return { answer: picked.value, say: picked.name };
      return { say: enabled.length === 0 ? 'None of them can be picked.' : numberWanted(enabled) };
    },
  };
}

async function readSearch({ message, find, offer }: Of<'search'>): Promise<Reading> {
  const offered = offer === undefined ? undefined : called((await find(offer)).filter(isEnabled), offer);
  let found: readonly Choice[] = [];
  const take = ({ value, name }: Choice): Heard => ({ answer: value, say: name });
  return {
    above: '',
    prompt: () =>
      promptOf(
        found.length > 0 ? 'Number, or more of its name' : `${message} (part of its name, or its code)`,
        offered?.name,
      ),
    async hear(typed) {
      if (typed === '') return offered ? take(offered) : { say: 'Type a part of its name, or its code.' };
      const listed = found.filter(isEnabled)[Number(typed) - 1];
      if (listed) return take(listed);
      const all = await find(typed);
      const meant =
        called(all.filter(isEnabled), typed) ?? (all.length === 1 ? all.find(isEnabled) : undefined);
      if (meant) return take(meant);
      found = all.slice(0, MOST);
      if (all.length === 0) return { say: `Nothing is called ${JSON.stringify(typed)}.` };
      const more = all.length > MOST ? `\nand ${all.length - MOST} more: type more of the name` : '';
      return { say: numbered(found) + more };
    },
  };
}

const readConfirm = ({ message }: Of<'confirm'>): Reading => ({
  above: '',
  prompt: () => promptOf(message, 'y/N'),
  async hear(typed) {
    const word = typed.toLowerCase();
    if (['y', 'yes'].includes(word)) return { answer: 'yes' };
    return ['', 'n', 'no'].includes(word) ? { answer: 'no' } : { say: 'Answer y or n.' };
  },
});

async function checked(check: Check, answer: string): Promise<Heard> {
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
const called = (choices: readonly Choice[], typed: string): Choice | undefined =>
  choices.find(({ value }) => value.toLowerCase() === typed.toLowerCase()) ??
  choices.find(({ name }) => name.toLowerCase() === typed.toLowerCase());

function numbered(choices: readonly Choice[]): string {
  let number = 0;
  return choices
    .map(choice => {
      const { name, says, disabled } = choice;
      if (disabled !== undefined) return `   ${name} ${disabled}`;
      number += 1;
      return `${number}) ${name}${says === undefined ? '' : `: ${says}`}`;
    })
    .join('\n');
}

const numberWanted = ({ length }: readonly Choice[]): string =>
  length === 1 ? 'Answer 1.' : `Answer a number from 1 to ${length}.`;
