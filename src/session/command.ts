// The declaration of a command: what is typed, what help says of the command, and what it does. The tree that reads a command line,
// help, completion and `waybill schema commands` are made from the declaration (`src/shell/tree.ts`).
import type { FailureCode } from '../exit-codes.ts';
import type { Closed, Flags, OptionsOf } from './flags.ts';
import type { Session } from './session.ts';

/** A word of a command line that belongs to no flag: `<ref>`, `[file]`, `<ref...>`. */
export interface Operand<T extends string = string> {
  typed: T;
  help?: string;
  choices?: readonly string[];
}

export const operand = <const T extends string>(
  typed: T,
  help?: string,
  choices?: readonly string[],
): Operand<T> => ({ typed, ...(help !== undefined && { help }), ...(choices && { choices }) });

type OperandValue<T extends string> = T extends `${string}...${string}`
  ? string[]
  : T extends `[${string}`
    ? string | undefined
    : string;

/** A word with its description, as help lists such words. */
export type Term = readonly [term: string, description: string];

/** What the help of a command says besides its summary, operands and flags. */
export interface Page {
  /** What a user should know first: the sentences that follow the summary. */
  about?: string;
  /**
   * Lines for bash with comments. Run in an empty folder with the profile `demo`, the lines work, also after the examples
   * of all other pages: each page has keys, profiles and addresses of its own.
   */
  examples: readonly string[];
  /** What the command prints on stdout; left out for a group of commands, which prints its help. */
  output?: {
    table: string;
    quiet?: string;
    json?: string;
  };
  /** The exit codes that mean more for this command than `waybill help exit-codes` says. */
  exits?: Readonly<Partial<Record<FailureCode, string>>>;
  /** More sections by title: paragraphs, or terms with their descriptions. */
  notes?: Readonly<Record<string, string | readonly Term[]>>;
}

/** The output of a command that only writes something, and prints no result. */
export const SILENT: Page['output'] & object = { table: 'nothing; a note on stderr says what was done' };

/** A command, without its summary, which stands in the list that names the command. */
export interface Declaration<F extends Flags, A extends readonly Operand[]> extends Page {
  /** What help shows behind the name of the command, if that is not made from operands and flags. */
  usage?: string;
  operands?: A;
  flags?: F;
  /** The command examines the set-up, and runs even if the set-up makes other commands fail. It writes nothing. */
  isExamining?: true;
  /** Runs the command. A number that it returns is the exit code; it returns none if a failure chooses the exit code. */
  run(
    session: Session,
    options: OptionsOf<F>,
    ...operands: { [I in keyof A]: A[I] extends Operand<infer T> ? OperandValue<T> : never }
  ): Promise<unknown>;
}

/** A command with any flags: a `Declaration` without its types. */
export interface DeclaredCommand extends Page {
  usage?: string;
  operands: readonly Operand[];
  flags: Flags;
  isExamining?: true;
  run(session: Session, options: never, ...operands: never[]): Promise<unknown>;
}

export const declare = <
  F extends Flags & Closed<F> = Record<never, never>,
  const A extends readonly Operand[] = readonly [],
>(
  declaration: Declaration<F, A>,
): DeclaredCommand => ({ operands: [], flags: {}, ...declaration }) as DeclaredCommand;

/** A group of commands. */
export interface CommandGroup extends Page {
  commands: Readonly<Record<string, ListedCommand>>;
  /** The command that runs if no command of the group is named. */
  usual?: string;
  /** The error for a word that names no command of the group. */
  unknown?(word: string): Error;
}

/** What the file of a command exports. */
export interface CommandFile {
  command: DeclaredCommand | CommandGroup;
}

/** A command in the list of its group. The file of the command is loaded when the command is typed, or its help is shown. */
export type ListedCommand = readonly [
  summary: string,
  load: () => Promise<DeclaredCommand | CommandGroup | CommandFile>,
];
