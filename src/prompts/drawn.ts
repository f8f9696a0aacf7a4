import { styleText } from 'node:util';
// Named one by one, so that the bundle leaves out the others: the editor prompt alone brings half a megabyte.
import { confirm, input, password, search, select } from '@inquirer/prompts';
import { type Keyboard, openKeyboard } from './keyboard.ts';
import type { Answer, Check, Choice, Question } from './question.ts';
import { Aborted, type Terminal } from './terminal.ts';

// What a prompt rejects with at a Ctrl-C, and where its signal is aborted.
const ENDED = ['ExitPromptError', 'AbortPromptError'];

type Of<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

interface Drawing {
  terminal: Terminal;
  keyboard: Keyboard;
  context: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; signal: AbortSignal };
  /** Ends the question with a fault that is none of the person's. */
  fail(fault: unknown): void;
}

/** Asks with lists to move in and answers that are edited in place. Throws `Left`. */
export async function ask(question: Question, terminal: Terminal): Promise<Answer> {
  const { output, interrupted } = terminal;
  const ended = new AbortController();
  let isBack = false;
  let fault: unknown = new Aborted();
  const keyboard = await openKeyboard(terminal, {
    back() {
      isBack = true;
      // What is gone back from leaves no trace.
      context.clearPromptOnDone = true;
      ended.abort();
    },
    aborted: () => ended.abort(),
    ignored: question.kind === 'text' ? [] : ['tab'],
  });
  const signal = AbortSignal.any([interrupted, ended.signal]);
  const context = { input: keyboard.keys, output, signal, clearPromptOnDone: false };
  const fail = (why: unknown) => {
    fault = why;
    ended.abort();
  };
  try {
    if (question.hint) output.write(`${styleText('dim', question.hint)}\n`);
    return await draw(question, { terminal, keyboard, context, fail });
  } catch (error) {
    if (isBack) return undefined;
    throw error instanceof Error && ENDED.includes(error.name) ? fault : error;
  } finally {
    keyboard.close();
  }
}

function draw(question: Question, drawing: Drawing): Promise<string> {
  switch (question.kind) {
    case 'text':
      return drawText(question, drawing);
    case 'secret':
      return drawSecret(question, drawing);
    case 'choice':
      return drawChoice(question, drawing);
    case 'search':
      return drawSearch(question, drawing);
    case 'confirm':
      return drawConfirm(question, drawing);
  }
}

function drawText({ message, defaultAnswer, value, check }: Of<'text'>, drawing: Drawing): Promise<string> {
  const { keyboard, context } = drawing;
  const validate = validator(check, drawing);
  const answer = input(
    { message, validate, ...(defaultAnswer !== undefined && { default: defaultAnswer }) },
    context,
  );
  // As a default it would come back when the line is emptied.
  if (value) keyboard.type(value);
  return answer;
}

const drawSecret = ({ message, check }: Of<'secret'>, drawing: Drawing): Promise<string> =>
  password({ message, mask: true, toggleMask: false, validate: validator(check, drawing) }, drawing.context);

const drawConfirm = async ({ message }: Of<'confirm'>, { context }: Drawing): Promise<string> =>
  (await confirm({ message, default: false }, context)) ? 'yes' : 'no';

const drawChoice = (question: Of<'choice'>, { terminal, context }: Drawing): Promise<string> => {
  const { message, choices, defaultAnswer } = question;
  return select(
    {
      message,
      choices: choices.map(drawn),
      loop: false,
      pageSize: linesFor(question, choices, terminal),
      theme: THEME,
      ...(defaultAnswer !== undefined && { default: defaultAnswer }),
    },
    context,
  );
};

async function drawSearch(question: Of<'search'>, { terminal, context, fail }: Drawing): Promise<string> {
  const { message, find, defaultAnswer } = question;
  const source = async (term = '') => {
    try {
      const found = await find(term);
      if (term !== '' || defaultAnswer === undefined) return found.map(drawn);
      const isOffer = ({ value }: Choice) => value === defaultAnswer;
      const first = found.find(isOffer) ?? (await find(defaultAnswer)).find(isOffer);
      return [...(first ? [first] : []), ...found.filter(choice => !isOffer(choice))].map(drawn);
    } catch (error) {
      fail(error);
      return [];
    }
  };
  return search({ message, source, pageSize: linesFor(question, [], terminal), theme: THEME }, context);
}

const drawn = ({ value, name, description, disabled }: Choice) => ({
  value,
  name,
  ...(description !== undefined && { description: description }),
  ...(disabled !== undefined && { disabled }),
});

const THEME = {
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) =>
      [...keys, ['esc', 'back']].map(([key = '', action = '']) => `${key} ${action}`).join(' • '),
  },
  i18n: { disabledError: 'This one cannot be picked.' },
};

/** A check as a prompt takes it. */
const validator =
  (check: Check, { fail }: Drawing) =>
  async (text: string): Promise<string | true> => {
    try {
      return (await check(text)) ?? true;
    } catch (error) {
      fail(error);
      return 'It could not be checked.';
    }
  };

/** How many lines of a list fit on the screen with all that stands around it; a hint is kept in sight if that can be. */
function linesFor(
  { message, hint = '' }: Question,
  choices: readonly Choice[],
  { output }: Terminal,
): number {
  const { rows = 24, columns = 80 } = output;
  const height = (text: string) =>
    text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / columns)), 0);
  const says = Math.max(1, ...choices.map(choice => height(choice.description ?? '')));
  // A blank line, a fault, the help, and the line that the cursor is left in.
  const room = rows - height(`? ${message} `) - says - 4;
  return Math.max(3, Math.min(room, 7), room - (hint === '' ? 0 : height(hint)));
}
