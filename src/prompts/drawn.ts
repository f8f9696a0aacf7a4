import { styleText } from 'node:util';
// One by one, so that the bundle leaves out the others: the editor prompt alone is half a megabyte.
import { confirm, input, password, search, select } from '@inquirer/prompts';
import { backTip, behindMark, drawnChoice, drawnMessage } from './drawn-text.ts';
import { type Keyboard, openKeyboard } from './keyboard.ts';
import { type Answer, type Check, type Choice, type Question, wayOut } from './question.ts';
import { Aborted, fitted, type Terminal } from './terminal.ts';

// What a prompt rejects with after a Ctrl-C, and after its signal is aborted.
const ENDED = ['ExitPromptError', 'AbortPromptError'];
const BACK = Symbol('back');

interface Drawing {
  keyboard: Keyboard;
  context: { input: NodeJS.ReadableStream; output: NodeJS.WriteStream; signal: AbortSignal };
  /** Ends the question with an error. */
  fail(error: unknown): void;
}

/** Asks with lists that have a cursor, and with answers that are edited in place. Throws `Aborted`. */
export async function ask(question: Question, terminal: Terminal): Promise<Answer> {
  const answer = await askOnce(question, terminal);
  const isOpen = question.kind === 'choice' && question.isOpen && answer === NOTHING.value;
  return isOpen ? ask(question, terminal) : answer;
}

async function askOnce(question: Question, terminal: Terminal): Promise<Answer> {
  const { output, interrupted } = terminal;
  // Its reason is BACK, or the error that ends the question.
  const ended = new AbortController();
  const fail = (error: unknown) => ended.abort(error);
  const keyboard = await openKeyboard(terminal, {
    back() {
      // A question that a person goes back from leaves no trace.
      context.clearPromptOnDone = true;
      ended.abort(BACK);
    },
    aborted: () => fail(new Aborted()),
    ignored: question.kind === 'text' ? [] : ['tab'],
  });
  const signal = AbortSignal.any([interrupted, ended.signal]);
  const context = { input: keyboard.keys, output, signal, clearPromptOnDone: false };
  try {
    if (question.hint) output.write(`${styleText('dim', fitted(question.hint, output).join('\n'))}\n`);
    return await draw(question, { keyboard, context, fail });
  } catch (error) {
    const { reason = new Aborted() } = ended.signal;
    if (reason === BACK) return undefined;
    throw error instanceof Error && ENDED.includes(error.name) ? reason : error;
  } finally {
    keyboard.close();
  }
}

/** Where the cursor begins if nothing is picked for a person. */
const NOTHING: Choice = { value: '', name: '(pick one)' };

async function draw(question: Question, { keyboard, context, fail }: Drawing): Promise<string> {
  const { output } = context;
  const message = drawnMessage(question, output);
  const back = backTip(question, output);
  const tip = back === '' ? '' : ` ${styleText('dim', back)}`;
  let isDone = false;
  const theme = {
    style: {
      // Neither the tip nor what was wrong stays on the screen.
      message(text: string, status: string) {
        isDone = status === 'done';
        return styleText('bold', text) + (isDone ? '' : tip);
      },
      error: (text: string) => (isDone ? '' : styleText('red', `> ${text}`)),
    },
  };
  const list = { message, pageSize: pageSizeFor(question, output), theme: listTheme(question, output) };
  const drawn = (choices: readonly Choice[]) => choices.map(choice => drawnChoice(choice, message, output));
  switch (question.kind) {
    case 'text': {
      const { check, value, defaultAnswer, takenAs = text => text } = question;
      const validate = validator(check, fail, output);
      const transformer = (text: string, { isFinal }: { isFinal: boolean }) =>
        isFinal ? styleText('cyan', takenAs(text)) : text;
      const answer = input({ message, validate, theme, transformer, ...withDefault(defaultAnswer) }, context);
      // As a default it would come back when the line is emptied.
      if (value) keyboard.type(value);
      return answer;
    }
    case 'secret': {
      const validate = validator(question.check, fail, output);
      return password({ message, mask: true, toggleMask: false, validate, theme }, context);
    }
    case 'choice': {
      const { choices, defaultAnswer, isOpen = false } = question;
      const all = drawn(isOpen ? [NOTHING, ...choices] : choices);
      return select({ ...list, choices: all, loop: false, ...withDefault(defaultAnswer) }, context);
    }
    case 'search': {
      const find = searcher(question, fail);
      return search({ ...list, source: async term => drawn(await find(term)) }, context);
    }
    case 'confirm':
      return (await confirm({ message, default: false, theme }, context)) ? 'yes' : 'no';
  }
}

const withDefault = (answer: string | undefined) => (answer === undefined ? {} : { default: answer });

/** Errors in our part of a prompt end the question. */
async function guarded<T>(fail: Drawing['fail'], fallback: T, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    fail(error);
    return fallback;
  }
}

const validator = (check: Check, fail: Drawing['fail'], output: NodeJS.WriteStream) => (text: string) =>
  guarded<string | true>(fail, 'It could not be checked.', async () => {
    const problem = await check(text);
    return problem === undefined || behindMark(problem, output);
  });

/** The default comes first while nothing is typed. */
const searcher =
  ({ find, defaultAnswer }: Extract<Question, { kind: 'search' }>, fail: Drawing['fail']) =>
  (term = '') =>
    guarded(fail, [], async () => {
      const found = await find(term);
      if (term !== '' || defaultAnswer === undefined) return found;
      const isDefault = ({ value }: Choice) => value === defaultAnswer;
      const first = found.find(isDefault) ?? (await find(defaultAnswer)).find(isDefault);
      return [...(first ? [first] : []), ...found.filter(choice => !isDefault(choice))];
    });

const listTheme = (question: Question, { columns }: NodeJS.WriteStream) => ({
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) =>
      [
        ...(question.kind === 'search' && !(columns > 0 && columns < 60) ? [['type', 'part of a name']] : []),
        ...keys,
        ['esc', wayOut(question) ?? 'back'],
      ]
        .map(([key = '', action = '']) => `${key} ${action}`)
        .join(' • '),
  },
  i18n: { disabledError: 'This choice is not available.' },
});

/** How many lines of a list fit on the screen with everything around it; the hint stays in sight if there is room. */
function pageSizeFor({ message, hint }: Question, output: NodeJS.WriteStream): number {
  const height = (text: string) => fitted(text, output).length;
  // Two blank lines, a problem, the help, and the line that the cursor is left in.
  const room = (output.rows ?? 24) - height(`? ${message} `) - 5;
  return Math.max(3, Math.min(room, 7), room - (hint ? height(hint) : 0));
}
