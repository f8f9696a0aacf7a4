// What a wing may add to the core. Whatever takes time to load is loaded when it is first asked for.
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
  /** Commands by what is typed for them: `papers`, `history handover`. Only one of the first level has a group of help. */
  commands?: Readonly<Record<string, WingCommand>>;
  /** Exports of shops that a batch reads without a map of one's own: their words for --map, and their tables. */
  shops?: { names: readonly string[]; load(): Promise<Shops> };
  forms?: Forms;
  /** The papers of labels that are merged or printed. `print`: prints a file, and gives why it did not. */
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
  /** Of each paper that was not made or printed. */
  problems: LabelProblem[];
  /** Adds them to a merged file, behind these labels of one order, of which the last has this size. */
  merge(files: readonly LabelFile[], pdf: Pdf, size: PageSize | undefined): Promise<void>;
  /** Saves them beside these labels of one order, and prints them if those were printed. */
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
  /** Asks whether an unknown booking exists. `undefined`: the person does not know it yet. `sentAt`: when it was sent last. */
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

/** What a form gives to its command. */
export interface Answers {
  layers: Layers;
  /** Which customs numbers it may get. */
  numbers?: RequestParts['numbers'];
  /** The options that say nothing of the body, with the key that the form asked for. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** What a person says, as the options of `history resolve` have it; without any of them: the booking was not created. */
export interface SaidOutcome {
  created?: string | undefined;
  domestic?: string | undefined;
  sameAs?: string | undefined;
}
