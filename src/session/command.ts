// A command, declared once: what is typed, what help says of it, and what it does. The tree that reads a command line, help, completion
// and `waybill schema commands` are made from the declaration (`src/shell/tree.ts`).
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

/** A description of a word, as help lists them. */
export type Term = readonly [term: string, description: string];

/** What the help of a command says besides its summary, operands and flags. */
export interface Page {
  /** What is worth to know before anything else: the sentences behind the summary. */
  about?: string;
  /**
   * Lines for bash with comments. Pasted into an empty folder they work with the profile `demo`, also after the examples
   * of all other pages: each page has keys, profiles and addresses of its own.
   */
  examples: readonly string[];
  /** What is on stdout; left out for a group of commands, which shows its help. */
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

/** The output of a command that only writes. */
export const SILENT: Page['output'] & object = { table: 'nothing; a note on stderr says what was done' };

/** A command. Its summary stands in the list that names it. */
export interface Declaration<F extends Flags, A extends readonly Operand[]> extends Page {
  /** What help shows behind the name, where it is not made from operands and flags. */
  usage?: string;
  operands?: A;
  flags?: F;
  /** It looks at the set-up, and runs also where that makes other commands fail. It writes nothing. */
  isExamining?: true;
  /** It returns a number only if a failure does not choose the exit code. */
  run(
    session: Session,
    options: OptionsOf<F>,
    ...operands: { [I in keyof A]: A[I] extends Operand<infer T> ? OperandValue<T> : never }
  ): Promise<unknown>;
}

/** A command, whatever its flags are. */
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
  /** The command that runs where none is named. */
  usual?: string;
  /** What a word that names none of them means. */
  unknown?(word: string): Error;
}

/** The file of a command. */
export interface CommandFile {
  command: DeclaredCommand | CommandGroup;
}

/** A command in the list of its group: what it takes and does is loaded when it is typed, or its help is shown. */
export type ListedCommand = readonly [
  summary: string,
  load: () => Promise<DeclaredCommand | CommandGroup | CommandFile>,
];
