// The files that a run writes: the results with a line for each record, and with --failed the records to be mended.

import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { openReplacement, removeFile } from '../../host/replace-file.ts';
import type { Journal } from '../../journal/journal.ts';
import { notePrinted, outputLabels } from '../../labels/finish.ts';
import type { LabelOutput, OrderLabels } from '../../labels/save.ts';
import type { Desk } from '../../order/desk.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { labelProblemText } from '../../say/labels.ts';
import { tellInner } from '../../say/notices.ts';
import { personWords } from '../../say/person.ts';
import type { Session } from '../../session/session.ts';
import type { BatchInput, InputSettings, RawRecord } from '../input-types.ts';
import { type EarlierFailed, readEarlierFailed } from './failed-file.ts';
import { type OutputNames, unwritableFailure } from './output-names.ts';
import { failureReason, lineFormat } from './result-line.ts';
import { ResultsGuard, resultsFault } from './results-guard.ts';

type Replacement = ReturnType<typeof openReplacement>;

export interface LineOutput {
  /** The first failure to write after `publish`. The run still shows its summary, because what was booked is booked. */
  readonly failure: Failure | undefined;
  /** Writes the line of a record. `raw`: the record as the input has it, for `--failed`. Before `publish`, throws `storage`. */
  report(line: ResultLine, raw: RawRecord | undefined): void;
}

/** `onNone` is told why no results are written; if it is absent, they must be written. */
interface OutputTerms {
  isWritten: boolean;
  onNone: ((why: string) => void) | undefined;
}

export class Outputs implements LineOutput {
  readonly #session: Session;
  readonly #names: OutputNames;
  readonly #terms: OutputTerms;
  readonly #guard: ResultsGuard;
  /** Why the results file that is there cannot be read, and so must not be replaced. */
  readonly #unreadable: Failure | undefined;
  readonly #format: ReturnType<typeof lineFormat>;
  #asInput: BatchInput['failed'] | undefined;
  #earlier: EarlierFailed | undefined;
  #results: Replacement | undefined;
  #failed: Replacement | undefined;
  #isPublished = false;
  /** Has the `--failed` file no record yet? */
  #isFirst = true;
  #isFailedPublished = false;
  /** The file with the results of this run, if other results took their place. */
  #kept: string | undefined;
  /** The `--failed` file of an earlier run that was removed, because nothing failed in this run. */
  #removed: string | undefined;
  failure: Failure | undefined;
  /** The name under which the `--failed` file of an earlier run is kept, because it has records that the input lacks. */
  failedKept: string | undefined;

  /** `journal`: the journal with which this run books. */
  constructor(session: Session, names: OutputNames, journal: Journal | undefined, terms: OutputTerms) {
    this.#session = session;
    this.#names = names;
    this.#terms = terms;
    this.#guard = new ResultsGuard(session, names, journal);
    this.#unreadable = terms.isWritten ? resultsFault(names.results, session.host) : undefined;
    this.#format = lineFormat(names.format, names.command);
  }

  /** Refuses to replace a results file whose content would be lost. Throws `usage`, `duplicate`, `storage`. */
  async refuseLoss(): Promise<void> {
    if (this.#terms.isWritten && !this.#unreadable) await this.#guard.refuseLoss();
  }

  /** Opens the files. `settings`: the settings of the input, whose format the `--failed` file has. Throws `usage`, `storage`. */
  async open(input: BatchInput, settings: InputSettings): Promise<void> {
    const { failed, command } = this.#names;
    this.#asInput = input.failed;
    if (failed !== undefined)
      this.#earlier = await readEarlierFailed(this.#session, command, failed, settings);
    if (this.#terms.isWritten) this.#results = this.#openResults();
    try {
      if (failed !== undefined) this.#failed = this.#open(failed);
    } catch (error) {
      this.#results?.close();
      throw unwritableFailure(error, '--failed', command);
    }
    this.#results?.write(this.#format.head);
  }

  /** The name of the results; `undefined` if none are written. */
  get results(): string | undefined {
    return this.#results && (this.#kept ?? this.#names.results);
  }

  /** The name of the `--failed` file; `undefined` if it has no record. */
  get failed(): string | undefined {
    return this.#isFailedPublished ? this.#names.failed : undefined;
  }

  /** Notes a record of the input that an earlier run may have written to the `--failed` file. */
  meet(input: BatchInput, raw: RawRecord): void {
    this.#earlier?.meet(input, raw);
  }

  report(line: ResultLine, raw: RawRecord | undefined): void {
    if (this.#isPublished) this.#remembering(() => this.#write(line, raw));
    else this.#write(line, raw);
  }

  /**
   * Claims the results file for the journal that books, and puts the file in place, before anything is sent. From here on lines are written
   * one by one. Throws `usage`, `duplicate`, `storage`.
   */
  async publish(claimant: Journal | undefined): Promise<void> {
    if (this.#results !== undefined) {
      if (claimant) await this.#guard.claim(claimant);
      // Another machine may have booked while the input was read, or a person was asked.
      await this.#guard.refuseLoss();
    }
    try {
      this.#results?.publish();
    } catch (error) {
      this.#results?.close();
      this.#results = undefined;
      this.#goWithout(error);
    }
    this.#isPublished = true;
  }

  /**
   * Closes the files. `ended`: which records have their lines? A run that broke off keeps its claim, for the next run with its journal.
   * `isDone`: are all records done? Until then the `--failed` file of an earlier run is not removed: a person may need it.
   */
  async close(ended: 'none' | 'some' | 'all', isDone: boolean): Promise<void> {
    this.#remembering(() => {
      if (this.#results?.isReplaced) this.#kept = this.#results.keep();
    });
    this.#remembering(() => this.#results?.close());
    this.#remembering(() => this.#endFailed(isDone));
    if (this.#kept !== undefined) {
      const replaced = await this.#guard.settle(this.#kept);
      if (replaced) this.failure ??= replaced;
      else this.#kept = undefined;
    }
    if (ended !== 'some' && !this.failure) this.#guard.release(ended === 'all');
  }

  /** Says what became of the `--failed` file of an earlier run. `input`: the name of the input of this run. */
  async tell(input: string): Promise<void> {
    const { printer } = this.#session;
    if (this.failedKept !== undefined)
      await printer.note(
        `${this.#names.failed} had records that somebody mended, or that are not in ${input}; they are kept in ${this.failedKept}`,
      );
    if (this.#removed !== undefined)
      await printer.note(
        `${this.#removed} is removed: it had records that failed in an earlier run, and none failed in this one`,
      );
  }

  #open(name: string): Replacement {
    const { host } = this.#session;
    return openReplacement(absolutePath(name, host), name, host.process);
  }

  #openResults(): Replacement | undefined {
    try {
      if (this.#unreadable) throw this.#unreadable;
      return this.#open(this.#names.results);
    } catch (error) {
      return this.#goWithout(error);
    }
  }

  #goWithout(error: unknown): undefined {
    const { onNone } = this.#terms;
    if (!onNone || !(error instanceof Failure))
      throw unwritableFailure(error, '--results', this.#names.command);
    // The batch may go on without results.
    onNone(error.message);
  }

  #write(line: ResultLine, raw: RawRecord | undefined): void {
    this.#results?.write(this.#format.text(line));
    const { error, state } = line;
    if (!raw || !error || !this.#asInput || (state !== 'invalid' && state !== 'rejected')) return;
    const head = this.#isFirst ? this.#asInput.head() : '';
    this.#failed?.write(head + this.#asInput.record(raw, safe(failureReason(error)), this.#isFirst));
    this.#isFirst = false;
  }

  #endFailed(isDone: boolean): void {
    const { failed: name } = this.#names;
    if (name === undefined) return;
    try {
      if (!this.#isFirst || isDone) this.failedKept = this.#earlier?.keepAside();
      if (!this.#isFirst && this.#asInput) {
        this.#failed?.write(this.#asInput.foot());
        this.#failed?.publish();
        this.#isFailedPublished = true;
      }
    } finally {
      this.#failed?.close();
    }
    // A `--failed` file of an earlier run would be mistaken for a file of this run, in which nothing failed.
    const isLeft = this.#isFirst && isDone && removeFile(absolutePath(name, this.#session.host), name);
    if (isLeft && this.failedKept === undefined) this.#removed = name;
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
  const labels: (OrderLabels & { line: number })[] = [];
  return {
    /** Takes the labels of a record that has ended. `isWanted`: was it to have a label? */
    add(record: ResultLine, isWanted: boolean, pages?: OrderLabels): void {
      const { line, key, error } = record;
      if (!isWanted || files === undefined) return;
      const missing = { name: key ?? `line ${line}`, files: [], failed: error !== null };
      labels.push({ line, ...(pages ?? missing) });
    },
    /** Merges or prints the labels when all records have ended. Gives a sentence for everything that failed. */
    async finish(): Promise<string[]> {
      if (labels.length === 0 || desk === undefined || files === undefined) return [];
      labels.sort((left, right) => left.line - right.line);
      // Labels that are not merged were printed one by one.
      const unfinished = files.merged ? await outputLabels(files, labels, desk) : [];
      const lineOf = new Map(labels.map(({ name, line }) => [name, line]));
      const sorted = <T>(names: T[], nameOf: (item: T) => string) =>
        names.sort((left, right) => (lineOf.get(nameOf(left)) ?? 0) - (lineOf.get(nameOf(right)) ?? 0));
      sorted(files.done.printed, name => name);
      sorted(files.done.earlier, ({ name }) => name);
      await notePrinted(files, desk);
      return unfinished.map(problem => personWords(labelProblemText(problem, tellInner)));
    },
  };
}
