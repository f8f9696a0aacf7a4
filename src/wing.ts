// What a wing, a folder of `src` that the core can do without, may add to the core. Code that is slow to load is loaded on first use.
import type { Shops } from './batch/shop.ts';
import type { Booking } from './booking/booking.ts';
import type { HelpGroup } from './contract/operations.ts';
import type { Issue } from './contract/shapes.ts';
import type { NotPrinted } from './labels/printer.ts';
import type { LabelFile, LabelOutput } from './labels/save.ts';
import type { Layers, RequestParts } from './order/build.ts';
import type { Desk } from './order/desk.ts';
import type { PageSize } from './paper.ts';
import type { Pdf } from './pdf/pdf.ts';
import type { LabelProblem } from './say/labels.ts';
import type { CommandFile } from './session/command.ts';
import type { Session } from './session/session.ts';

export interface Wing {
  /** Commands by the words that are typed: `papers`, `history handover`. Only a command of one word has a group in the help. */
  commands?: Readonly<Record<string, WingCommand>>;
  /** Formats of shops that a batch reads without a map file: their names for --map, and their built-in maps. */
  shops?: { names: readonly string[]; load(): Promise<Shops> };
  forms?: Forms;
  /** The papers that follow the labels of their orders, in a merged file or in print. `print`: prints a file, or gives why it did not. */
  papersBehind?(): Promise<
    (
      output: LabelOutput,
      desk: Desk,
      print: (path: string) => Promise<NotPrinted | undefined>,
    ) => PapersBehind
  >;
}

export interface WingCommand {
  summary: string;
  group?: HelpGroup;
  load(): Promise<CommandFile>;
}

export interface PapersBehind {
  /** A problem for each paper that was not made or printed. */
  problems: LabelProblem[];
  /** Adds the papers to a merged file, behind these labels of one order. `size`: the size of the last label. */
  merge(files: readonly LabelFile[], pdf: Pdf, size: PageSize | undefined): Promise<void>;
  /** Saves the papers beside these labels of one order, and prints the papers if the labels were printed. */
  save(files: readonly LabelFile[], isPrinted: boolean): Promise<void>;
}

/** Questions on a terminal. Each throws `interrupted` if the person leaves. */
export interface Forms {
  /** Asks for what a request lacks, then runs its command with the answers. A refusal of the service comes back to the form. */
  request(): Promise<
    (
      session: Session,
      parts: RequestParts,
      options: object,
      run: (answers: Answers) => Promise<void>,
    ) => Promise<void>
  >;
  /** Asks whether an unknown booking exists. `undefined`: the person does not know it yet. `sentAt`: when the booking was sent last. */
  outcome(): Promise<
    (
      session: Pick<Session, 'ask' | 'host'>,
      booking: Booking,
      sentAt: number,
    ) => Promise<SaidOutcome | undefined>
  >;
  /** Asks for what a saved party lacks, and lets the person change any field of it. */
  party(): Promise<
    (
      session: Pick<Session, 'ask'>,
      name: string,
      start: unknown,
      validate: (party: unknown) => Issue[],
    ) => Promise<unknown>
  >;
  /** Asks which booked shipments get a label, and where the labels go. */
  labels(): Promise<{
    pickUnlabelled(
      session: Session,
      before?: readonly { ref: string }[],
    ): Promise<{ ref: string }[] | undefined>;
    askForMerge(
      session: Pick<Session, 'ask'>,
      refuse: (name: string) => unknown,
    ): Promise<string | undefined>;
  }>;
}

/** What a person answered in a form, for the command. */
export interface Answers {
  layers: Layers;
  /** The customs numbers that the request may get. */
  numbers?: RequestParts['numbers'];
  /** Options that change nothing in the body, and the key that the form asked for. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** What a person says of an unknown booking, as options of `history resolve`; without any option: the booking was not created. */
export interface SaidOutcome {
  created?: string | undefined;
  domestic?: string | undefined;
  sameAs?: string | undefined;
}
