// The files that a run writes: the results, a line for each record, and with --failed the records to be mended.

import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { openReplacement, removeFile } from '../../host/replace-file.ts';
import type { Host } from '../../host.ts';
import { notePrinted, outputLabels } from '../../labels/print.ts';
import type { LabelOutput, LabelPages } from '../../labels/save.ts';
import type { Desk } from '../../order/desk.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { labelProblemText } from '../../say/labels.ts';
import { tellInner } from '../../say/notices.ts';
import { personWords } from '../../say/person.ts';
import type { BatchInput, RawRecord } from '../source.ts';
import type { EarlierFailed } from './failed-file.ts';
import { type OutputNames, type ResultsGuard, refusing } from './guard.ts';
import { failureReason, lineFormat } from './results.ts';

/** What a run is to write. */
interface OutputTerms {
  names: OutputNames;
  /** False if the run only counts. */
  isWritten: boolean;
  /** Why the results that are there must not be replaced. */
  unreadable: Failure | undefined;
  /** Is told why there are no results; without it they are needed. */
  onNone: ((why: string) => void) | undefined;
  earlierFailed: EarlierFailed | undefined;
}

type Replacement = ReturnType<typeof openReplacement>;

/** Where the lines of records go. */
export interface LineOutput {
  /** The first failure to write after `publish`, which must not cost the summary: what was booked is booked. */
  readonly failure: Failure | undefined;
  /** `raw`: the record as the input has it, for the `--failed` file. Throws `storage` before `publish`. */
  report(line: ResultLine, raw: RawRecord | undefined): void;
}

/** Writes what became of the records. */
export class Outputs implements LineOutput {
  readonly #terms: OutputTerms;
  readonly #asInput: BatchInput['failed'];
  readonly #host: Host;
  readonly #textOf: (line: ResultLine) => string;
  #results: Replacement | undefined;
  readonly #failed: Replacement | undefined;
  #isPublished = false;
  /** Are all records done? */
  #isDone = false;
  /** Has the `--failed` file no record yet? */
  #isFirst = true;
  #isFailedPublished = false;
  /** Where the results are, if others took their place. */
  #kept: string | undefined;
  failure: Failure | undefined;
  /** The name that the `--failed` file of an earlier run has now, because it has what is not in the input of this one. */
  failedKept: string | undefined;
  /** The `--failed` file of an earlier run that was removed, because nothing failed in this one. */
  removed: string | undefined;

  /** `input`: writes records as they came. Throws `storage`. */
  constructor(terms: OutputTerms, { failed: asInput }: Pick<BatchInput, 'failed'>, host: Host) {
    this.#terms = terms;
    this.#asInput = asInput;
    this.#host = host;
    const { names, isWritten } = terms;
    const { head, text } = lineFormat(names.format, names.command);
    this.#textOf = text;
    if (isWritten) this.#results = this.#openResults();
    try {
      if (names.failed !== undefined) this.#failed = this.#open(names.failed);
    } catch (error) {
      this.#results?.close();
      throw refusing(error, '--failed', names.command);
    }
    this.#results?.write(head);
  }

  /** The name of the results; `undefined` if none are written. */
  get results(): string | undefined {
    return this.#results && (this.#kept ?? this.#terms.names.results);
  }

  /** The name of the `--failed` file; `undefined` if it has no record. */
  get failed(): string | undefined {
    return this.#isFailedPublished ? this.#terms.names.failed : undefined;
  }

  /** All records are done. Until then a person may still need what an earlier run wrote to the `--failed` file. */
  allDone(): void {
    this.#isDone = true;
  }

  report(line: ResultLine, raw: RawRecord | undefined): void {
    if (this.#isPublished) this.#remembering(() => this.#write(line, raw));
    else this.#write(line, raw);
  }

  /** Puts the results in place, line by line from here on. Throws `storage`. */
  publish(): void {
    try {
      this.#results?.publish();
    } catch (error) {
      this.#results?.close();
      this.#results = undefined;
      this.#goWithout(error);
    }
    this.#isPublished = true;
  }

  async close(guard: ResultsGuard): Promise<void> {
    this.#remembering(() => {
      if (this.#results?.isReplaced) this.#kept = this.#results.keep();
    });
    this.#remembering(() => this.#results?.close());
    this.#remembering(() => this.#endFailed());
    if (this.#kept === undefined) return;
    const replaced = await guard.settle(this.#kept);
    if (replaced) this.failure ??= replaced;
    else this.#kept = undefined;
  }

  #open(name: string): Replacement {
    return openReplacement(absolutePath(name, this.#host), name, this.#host.process);
  }

  #openResults(): Replacement | undefined {
    const { unreadable, names } = this.#terms;
    try {
      if (unreadable) throw unreadable;
      return this.#open(names.results);
    } catch (error) {
      return this.#goWithout(error);
    }
  }

  #goWithout(error: unknown): undefined {
    const { names, onNone } = this.#terms;
    if (!onNone || !(error instanceof Failure)) throw refusing(error, '--results', names.command);
    // What is said at the end differs: without results, a batch may go on.
    onNone(error.message);
  }

  #write(line: ResultLine, raw: RawRecord | undefined): void {
    this.#results?.write(this.#textOf(line));
    if (!raw || !line.error || !['invalid', 'rejected'].includes(line.state)) return;
    const head = this.#isFirst ? this.#asInput.head() : '';
    const why = safe(failureReason(line.error));
    this.#failed?.write(head + this.#asInput.record(raw, why, this.#isFirst));
    this.#isFirst = false;
  }

  #endFailed(): void {
    const { names, earlierFailed } = this.#terms;
    const { failed: name } = names;
    if (name === undefined) return;
    try {
      if (!this.#isFirst || this.#isDone) this.failedKept = earlierFailed?.keepAside();
      if (!this.#isFirst) {
        this.#failed?.write(this.#asInput.foot());
        this.#failed?.publish();
        this.#isFailedPublished = true;
      }
    } finally {
      this.#failed?.close();
    }
    // The file of an earlier run would be mistaken for that of this run.
    const isLeft = this.#isFirst && this.#isDone && removeFile(absolutePath(name, this.#host), name);
    if (isLeft && this.failedKept === undefined) this.removed = name;
  }

  #remembering(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.failure ??= error;
    }
  }
}

/** The labels of a run as one file and one print job, in the order of the input. */
export type LabelJob = ReturnType<typeof openLabelJob>;

export function openLabelJob(desk: Desk | undefined, files: LabelOutput | undefined) {
  const labels: (LabelPages & { line: number })[] = [];
  return {
    /** A record has ended. `isWanted`: was it to have a label? */
    add({ line, key, error }: ResultLine, isWanted: boolean, pages?: LabelPages): void {
      if (!isWanted || files === undefined) return;
      const missing = { name: key ?? `line ${line}`, files: [], failed: error !== null };
      labels.push({ line, ...(pages ?? missing) });
    },
    /** When all have ended. Gives a sentence for everything that failed. */
    async finish(): Promise<string[]> {
      if (labels.length === 0 || desk === undefined || files === undefined) return [];
      labels.sort((one, other) => one.line - other.line);
      // Else they were printed one by one.
      const unfinished = files.merged ? await outputLabels(files, labels, desk) : [];
      const lineOf = new Map(labels.map(({ name, line }) => [name, line]));
      const sorted = <T>(names: T[], nameOf: (item: T) => string) =>
        names.sort((one, other) => (lineOf.get(nameOf(one)) ?? 0) - (lineOf.get(nameOf(other)) ?? 0));
      sorted(files.done.printed, name => name);
      sorted(files.done.earlier, ({ name }) => name);
      await notePrinted(files, desk);
      return unfinished.map(problem => personWords(labelProblemText(problem, tellInner)));
    },
  };
}
