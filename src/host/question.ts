// Questions to a person, and the terminal. `drawn-prompts.ts` asks with a cursor, `plain-prompts.ts` in lines for screen readers.
import { wrapped } from '../text.ts';

export interface Choice {
  /** The answer when the choice is picked. */
  value: string;
  /** The text of the choice, one line. */
  name: string;
  /** Why the choice cannot be picked. */
  disabled?: string;
}

/** How far a person is in a form. */
export interface Progress {
  number: number;
  of: number;
  /** May an answer that is still open add questions, so that `of` is the least number? */
  isLeast: boolean;
}

interface QuestionBase {
  /** The name of the question: the path of a field, or another name. */
  id: string;
  message: string;
  /** Lines above the question: an explanation, the words of the service. */
  hint?: string | undefined;
  /** What Esc does, as the question says: `leave` in the first question of a form. Absent: the default of `wayOut`. */
  esc?: 'back' | 'leave' | undefined;
  progress?: Progress | undefined;
}

/** How far the form is: `12 of 30`; empty for a question outside of a form. */
export const progressWords = (question: Question): string =>
  question.progress === undefined
    ? ''
    : `${question.progress.number} of ${question.progress.isLeast ? 'at least ' : ''}${question.progress.of}`;

/** What a question says about Esc. To a question for yes or no, "no" is a way back already, unless the question is a step of a form. */
export const wayOut = (question: Question): 'back' | 'leave' | undefined =>
  question.esc ?? (question.kind === 'confirm' ? undefined : 'back');

/** The problem with an answer; `undefined`: none. */
export type Check = (text: string) => string | undefined | Promise<string | undefined>;

export const isRequired: Check = text => (text.trim() === '' ? 'It is required' : undefined);

/** A question to a person. Its texts come from anywhere: the session makes them safe for a terminal. */
export type Question =
  | (QuestionBase & {
      kind: 'text';
      /** The answer that Enter alone gives. */
      defaultAnswer?: string | undefined;
      /** The current text, edited in place; if it is emptied, the answer is ''. */
      value?: string | undefined;
      check: Check;
    })
  /** A secret, which is typed without being shown. */
  | (QuestionBase & { kind: 'secret'; check: Check })
  | (QuestionBase & {
      kind: 'choice';
      choices: readonly Choice[];
      defaultAnswer?: string | undefined;
      /** Enter alone picks no choice: a person has to decide. */
      isOpen?: boolean;
    })
  /** Any number of choices. The answer is their values with commas between them; '' is none. */
  | (QuestionBase & {
      kind: 'several';
      choices: readonly Choice[];
      /** The values that are picked from the beginning. */
      picked?: readonly string[] | undefined;
    })
  | (QuestionBase & {
      /** A choice among many: `find` returns the choices that match what was typed so far, the best first. */
      kind: 'search';
      find(term: string): Promise<readonly Choice[]>;
      defaultAnswer?: string | undefined;
    })
  /** The answer is `yes` or `no`; the default is no. */
  | (QuestionBase & { kind: 'confirm' });

export type QuestionOfKind<Kind extends Question['kind']> = Extract<Question, { kind: Kind }>;

/** An answer; `undefined`: the person wants to go back to the previous question, or to leave the form at its first question. */
export type Entry = string | undefined;

/** `drawn`: lists with a cursor, answers edited in place. `plain`: one line after the other, nothing redrawn. */
export type PromptStyle = 'drawn' | 'plain';

/** Where a question is asked. */
export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Ends a question without an answer. */
  interrupted: AbortSignal;
  /** Resolves when everything that is ready by now has run. */
  turn(): Promise<void>;
}

/** The person left the question: Ctrl-C, Ctrl-D, or a terminal that is gone. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/**
 * Drops the keys that were typed before the question, so that they do not answer it. Leaves the terminal in raw mode: only then a
 * line is read before its Enter. Throws `Aborted`.
 */
export async function forgetTyped(terminal: Terminal): Promise<void> {
  const { input, interrupted, turn } = terminal;
  if (interrupted.aborted || input.readableEnded || input.destroyed) throw new Aborted();
  input.setRawMode(true);
  input.resume();
  // Two turns, because the first one may end before any key is read.
  await turn();
  await turn();
}

/** Some terminals, such as that of a container, do not know their width and say 0. */
export const terminalWidth = (output: NodeJS.WriteStream): number =>
  output.columns > 0 ? output.columns : 80;

/** The text in lines of at most that width, broken at spaces. */
export const wrappedLines = (text: string, width: number): string[] =>
  text.split('\n').flatMap(line => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (line.length <= width) return [line];
    return wrapped(line, width - indent.length).map(part => indent + part);
  });
