// Questions drawn by Inquirer. Added to it: a way back by Esc that leaves no line behind, pastes whose line breaks are not
// Enter, no answer from keys that were typed too early, and lines that break between words.
import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { styleText } from 'node:util';
// Each prompt is imported by its name, so that the bundle leaves out the others: the editor prompt alone is half a megabyte.
import { checkbox, confirm, input, password, search, select } from '@inquirer/prompts';
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

// The names of the errors with which a prompt rejects: after a Ctrl-C, and after its signal is aborted.
const ENDED = ['ExitPromptError', 'AbortPromptError'];
const BACK = Symbol('back');

/** Asks with lists that have a cursor, and with answers that are edited in place. Throws `Aborted`. */
export async function askDrawn(question: Question, terminal: Terminal): Promise<Entry> {
  const { output, interrupted } = terminal;
  const above = aboveOn(output);
  // The reason of this signal is BACK, or the error that ends the question.
  const ended = new AbortController();
  const fail = (error: unknown) => ended.abort(error);
  const keyboard = await openKeyboard(terminal, {
    back: () => fail(BACK),
    aborted: () => fail(new Aborted()),
    ignored: question.kind === 'text' ? [] : ['tab'],
  });
  const signal = AbortSignal.any([interrupted, ended.signal]);
  const context = { input: keyboard.keys, output, signal, clearPromptOnDone: true };
  const hint = question.hint ? wrappedLines(question.hint, terminalWidth(output)) : [];
  if (hint.length > 0) output.write(`${styleText('dim', hint.join('\n'))}\n`);
  let drawn: Drawn | undefined;
  try {
    drawn = await drawQuestion(question, { keyboard, context, fail });
  } catch (error) {
    const { reason = new Aborted() } = ended.signal;
    if (reason !== BACK) throw error instanceof Error && ENDED.includes(error.name) ? reason : error;
    drawn = undefined;
  } finally {
    keyboard.close();
  }
  const isUndecided = question.kind === 'choice' && question.isOpen && drawn?.answer === NOTHING.value;
  if (isUndecided) {
    above.remove(hint.length);
    return askDrawn(question, terminal);
  }
  if (drawn === undefined) above.takeBack(hint.length);
  else above.add(answeredLines(question, drawn, output), hint.length);
  return drawn?.answer;
}

/** The choice on which the cursor begins if no choice is picked for a person. */
const NOTHING: Choice = { value: '', name: '(pick one)' };

interface Drawing {
  keyboard: Keyboard;
  context: { input: NodeJS.ReadableStream; output: NodeJS.WriteStream; signal: AbortSignal };
  /** Ends the question with an error. */
  fail(error: unknown): void;
}

interface Drawn {
  answer: string;
  /** What is shown of the answer afterwards. */
  words: string;
}

async function drawQuestion(question: Question, drawing: Drawing): Promise<Drawn> {
  const { keyboard, context, fail } = drawing;
  const { output } = context;
  const message = drawnMessage(question, output);
  const validate = (check: Check) => (text: string) =>
    guarded<string | true>(fail, 'It could not be checked.', async () => {
      const problem = await check(text);
      return problem === undefined || behindMark(problem, output);
    });
  const list = { message, pageSize: pageSizeFor(question, output), theme: themeOf(question, output) };
  const { theme } = list;
  const named = (choices: readonly Choice[], answer: string) =>
    choices.find(({ value }) => value === answer)?.name ?? '';
  switch (question.kind) {
    case 'text': {
      const { check, value, defaultAnswer } = question;
      const asked = input(
        { message, validate: validate(check), theme, ...withDefault(defaultAnswer) },
        context,
      );
      // The text is typed into the line: given as a default, it would come back when the line is emptied.
      if (value) keyboard.type(value);
      const answer = await asked;
      return { answer, words: answer };
    }
    case 'secret': {
      const config = { message, mask: true, toggleMask: false, validate: validate(question.check), theme };
      return { answer: await password(config, context), words: '' };
    }
    case 'choice': {
      const { choices, defaultAnswer, isOpen = false } = question;
      const all = drawnChoices(isOpen ? [NOTHING, ...choices] : choices, output);
      const answer = await select(
        { ...list, choices: all, loop: false, ...withDefault(defaultAnswer) },
        context,
      );
      return { answer, words: named(choices, answer) };
    }
    case 'several': {
      const { choices, picked: before = [] } = question;
      const all = drawnChoices(choices, output).map(choice => ({
        ...choice,
        checked: before.includes(choice.value),
      }));
      const picked = await checkbox({ ...list, choices: all, loop: false }, context);
      return { answer: picked.join(','), words: picked.length === 0 ? 'none' : `${picked.length} of them` };
    }
    case 'search': {
      let found: readonly Choice[] = [];
      const source = async (term = '') => {
        found = await guarded(fail, [], () => foundFor(question, term));
        return drawnChoices(found, output);
      };
      const answer = await search({ ...list, source }, context);
      return { answer, words: named(found, answer) };
    }
    case 'confirm': {
      const isYes = await confirm({ message, default: false, theme }, context);
      return isYes ? { answer: 'yes', words: 'Yes' } : { answer: 'no', words: 'No' };
    }
  }
}

const withDefault = (answer: string | undefined) => (answer === undefined ? {} : { default: answer });

/** An error in our code for a prompt ends the question. */
async function guarded<T>(fail: Drawing['fail'], fallback: T, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    fail(error);
    return fallback;
  }
}

/** The choices that match; the default comes first while nothing is typed. */
async function foundFor(question: QuestionOfKind<'search'>, term: string): Promise<readonly Choice[]> {
  const { find, defaultAnswer } = question;
  const found = await find(term);
  if (term !== '' || defaultAnswer === undefined) return found;
  const isDefault = (choice: Choice) => choice.value === defaultAnswer;
  const first = found.find(isDefault) ?? (await find(defaultAnswer)).find(isDefault);
  return [...(first ? [first] : []), ...found.filter(choice => !isDefault(choice))];
}

// Inquirer breaks lines in the middle of words, so all text is given to Inquirer in lines that fit.

/** The text in lines that fit behind a mark such as `? `. */
const behindMark = (text: string, output: NodeJS.WriteStream): string =>
  wrappedLines(text, terminalWidth(output) - 2).join('\n  ');

/** The characters that are left free behind a question, for the beginning of the answer. */
const ANSWER_ROOM = 16;

/** The message; if there is room, also how far the form is and how to go back. A list names the way back among its other keys. */
function drawnMessage(question: Question, output: NodeJS.WriteStream): string {
  const way = wayOut(question);
  const message = behindMark(question.message, output);
  const isList = ['choice', 'several', 'search'].includes(question.kind);
  const far = progressWords(question);
  const back = way === undefined || isList ? '' : `esc ${way}`;
  const room = terminalWidth(output) - 2 - message.length;
  const isNarrow = terminalWidth(output) < 60 || message !== question.message;
  const tip = [[far, back], [far], [back]]
    .map(parts => parts.filter(Boolean).join(', '))
    .find((text, index) => text !== '' && text.length + 3 + (index === 0 && far ? ANSWER_ROOM : 0) < room);
  return styleText('bold', message) + (isNarrow || tip === undefined ? '' : styleText('dim', ` (${tip})`));
}

function answeredLines(question: Question, drawn: Drawn, output: NodeJS.WriteStream): string {
  const asked = behindMark(question.message, output);
  const lastLine = asked.slice(asked.lastIndexOf('\n') + 1);
  const fits = lastLine.length + drawn.words.length + 3 < terminalWidth(output);
  const shown = drawn.words && (fits ? ` ${drawn.words}` : `\n  ${behindMark(drawn.words, output)}`);
  return `${styleText('green', '✔')} ${styleText('bold', asked)}${styleText('cyan', shown)}`;
}

const drawnChoices = (choices: readonly Choice[], output: NodeJS.WriteStream) =>
  choices.map(({ value, name, disabled }) => {
    // Inquirer would draw the reason of a disabled choice without breaking lines: so the reason is in the name, and Inquirer gets a blank.
    const more = disabled === undefined ? {} : { disabled: ' ' };
    return {
      value,
      name: behindMark(disabled === undefined ? name : `${name} ${disabled}`, output),
      ...more,
    };
  });

const themeOf = (question: Question, output: NodeJS.WriteStream) => ({
  // What Inquirer draws of an answer is cleared at once: we write the line that stays.
  prefix: { idle: styleText('blue', '?'), done: '' },
  style: {
    message: (text: string, status: string) => (status === 'done' ? '' : text),
    keysHelpTip: (keys: [key: string, action: string][]) =>
      [
        ...(question.kind === 'search' && terminalWidth(output) >= 60 ? [['type', 'part of a name']] : []),
        ...keys,
        ['esc', wayOut(question) ?? 'back'],
      ]
        .map(([key = '', action = '']) => `${key} ${action}`)
        .join(' • '),
  },
  i18n: { disabledError: 'This choice is not available.' },
});

/** How many lines of a list fit on the screen beside all other lines; the hint stays in sight if there is room. */
function pageSizeFor(question: Question, output: NodeJS.WriteStream): number {
  const height = (text: string) => wrappedLines(text, terminalWidth(output)).length;
  // The 5 lines are two blank lines, a problem, the help, and the line in which the cursor is left.
  const room = (output.rows ?? 24) - height(`? ${question.message} `) - 5;
  return Math.max(3, Math.min(room, 7), room - (question.hint ? height(question.hint) : 0));
}

// What stays on the screen of answered questions. A person who goes back removes an answer and its line.

/** The code that erases everything below the cursor. */
const REST = '\x1b[J';

interface Above {
  /** Writes the lines of an answered question, below its hint. */
  add(lines: string, hintHeight: number): void;
  /** Removes the hint of the question that is being asked. */
  remove(hintHeight: number): void;
  /** Removes the hint, and the lines of the question before this one. */
  takeBack(hintHeight: number): void;
}

/** For each terminal: the heights of the texts that were written one right below the other, and the bytes written until then. */
const written = new WeakMap<NodeJS.WriteStream, { heights: number[]; bytes: number; columns: number }>();

function aboveOn(output: NodeJS.WriteStream): Above {
  const { bytesWritten, columns } = output;
  const before = written.get(output);
  // What other code wrote in between stays, and so does all text above it.
  const isLast = before?.bytes === bytesWritten && before.columns === columns;
  const heights = isLast ? before.heights : [];
  const keep = () => written.set(output, { heights, bytes: output.bytesWritten, columns });
  const remove = (height: number) => {
    // If the terminal has got another width, it has broken the lines anew: their height is not known.
    if (height > 0 && output.columns === columns) output.write(`\x1b[${height}A${REST}`);
    keep();
  };
  return {
    add(lines, hintHeight) {
      output.write(`${REST}${lines}\n`);
      heights.push(hintHeight + lines.split('\n').length);
      keep();
    },
    remove,
    takeBack: hintHeight => remove(hintHeight + (heights.pop() ?? 0)),
  };
}

/** The input of a prompt: the keys that are meant for it. */
interface Keyboard {
  keys: PassThrough;
  /** Acts as if a person had typed this text. */
  type(text: string): void;
  close(): void;
}

interface KeyboardEvents {
  /** A person typed Esc. */
  back(): void;
  /** A person typed Ctrl-C before the question or Ctrl-D on an empty line, or the terminal is gone. */
  aborted(): void;
  /** The names of keys that mean nothing in this question. */
  ignored: readonly string[];
}

// The wait for the rest of a key's code. A terminal sends the whole code at once; only a slow line splits it.
const ESCAPE_TIMEOUT_MS = 50;
const PASTES_MARKED = '\x1b[?2004h';
const PASTES_AS_TYPED = '\x1b[?2004l';
const LINE_BREAKS = ['return', 'enter', 'tab'];

/** Terminals on which a Ctrl-C came right behind an answer, when no question was open: the Ctrl-C leaves the next question. */
const leftBetween = new WeakSet<NodeJS.ReadStream>();

const isCtrlC = (key: Key): boolean => key.ctrl === true && key.name === 'c';

/**
 * The keyboard for one question. Keys typed before the question do not answer it, but a Ctrl-C among them leaves it. Throws
 * `Aborted`.
 */
async function openKeyboard(terminal: Terminal, events: KeyboardEvents): Promise<Keyboard> {
  const { input, output } = terminal;
  const keys = new PassThrough();
  const forward = forwarding(input, keys, events);
  const { aborted } = events;
  // Readline has no other way to set how long it waits for the rest of a key; only the first call for a stream counts.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_TIMEOUT_MS } as unknown as Interface);
  const early = (_text: string | undefined, key: Key) => {
    if (isCtrlC(key)) aborted();
  };
  input.on('keypress', early).once('end', aborted).once('close', aborted).once('error', aborted);
  await forgetTyped(terminal);
  if (leftBetween.delete(input)) aborted();
  input.off('keypress', early).on('keypress', forward);
  output.write(PASTES_MARKED);
  // Readline pauses its input when it closes, and a Ctrl-D closes it.
  keys.on('pause', aborted);
  return {
    keys,
    type: text => void keys.emit('keypress', text, { sequence: text }),
    close() {
      input.off('keypress', forward).off('end', aborted).off('close', aborted).off('error', aborted);
      input.setRawMode(false);
      input.pause();
      output.write(PASTES_AS_TYPED);
    },
  };
}

/** Passes keys on. A paste is text: its line breaks become blanks and answer nothing. */
function forwarding(input: NodeJS.ReadStream, keys: PassThrough, events: KeyboardEvents) {
  let pasting = false;
  let answered = false;
  let gap = false;
  const pass = (text: string | undefined, key: Key) => void keys.emit('keypress', text, key);

  const paste = (text: string | undefined, key: Key): void => {
    if (LINE_BREAKS.includes(key.name ?? '')) gap = true;
    else if (text && !key.ctrl && !key.meta) {
      if (gap) pass(' ', { name: 'space', sequence: ' ' });
      gap = false;
      pass(text, key);
    }
  };

  /** Keys that arrive together with an answer must not answer the next question. */
  const answer = (text: string | undefined, key: Key): void => {
    answered = true;
    pass(text, key);
    void Promise.resolve().then(() => (answered = false));
  };

  return (text: string | undefined, key: Key): void => {
    const { name = '' } = key;
    if (name === 'paste-start' || name === 'paste-end') {
      pasting = name === 'paste-start';
      gap = false;
    } else if (pasting) paste(text, key);
    else if (answered && isCtrlC(key)) leftBetween.add(input);
    else if (answered || events.ignored.includes(name) || (key.ctrl && name === 'z')) return;
    else if (name === 'escape') events.back();
    // Enter may be part of a paste that the terminal does not mark: what follows it at once answers nothing.
    else if (name === 'return' || name === 'enter') answer(text, key);
    else pass(text, key);
  };
}
