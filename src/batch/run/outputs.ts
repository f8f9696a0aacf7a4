import { statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { openReplacement, removeFile } from '../../host/replace-file.ts';
import type { Host } from '../../host.ts';
import { noteNotPrinted, outputLabels } from '../../labels/print.ts';
import type { LabelFiles, LabelPages } from '../../labels/save.ts';
import type { Means } from '../../order/order.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import type { BatchInput, RawRecord } from '../source.ts';
import { failureReason, lineFormat } from './result-line.ts';

/** The files that a run writes. */
export type OutputNames = ReturnType<typeof outputNames>;

/**
 * The default name: `orders.results.jsonl` for orders that are booked. Other operations have names of their own, because
 * another machine may know only by that file what is booked.
 */
export const resultsName = (input: string, command: OperationCommand): string =>
  `${input}.${command === 'ship' || command === 'ship-dual' ? 'results' : command}.jsonl`;

/** Throws `usage` if a file would be written over another. */
export function outputNames(
  input: string,
  command: OperationCommand,
  { results, failed, log }: { results?: string; failed?: string; log?: string | undefined },
  { cwd }: Pick<Host, 'cwd'>,
) {
  const stem = input === '-' ? command : basename(input, extname(input));
  const path = results ?? resultsName(stem, command);
  // In a folder that was deleted there is no file to be written over.
  const written = cwd === undefined ? results : path;
  const files = [input === '-' ? undefined : input, written, failed, log].flatMap(name =>
    name === undefined ? [] : identityOf(absolutePath(name, { cwd })),
  );
  if (new Set(files).size < files.length)
    throw new Failure(
      'usage',
      'input, --results, --failed and --log must be different files; nothing was sent',
    );
  const format: 'jsonl' | 'csv' = extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl';
  return { command, results: path, format, failed };
}

/** A file has the same identity under all of its names. */
function identityOf(path: string): string {
  try {
    const present = statSync(path, { throwIfNoEntry: false });
    return present?.isFile() ? `${present.dev}:${present.ino}` : path;
  } catch {
    // The error is reported when the file is opened.
    return path;
  }
}

/** Writes what became of the records. */
export type Outputs = ReturnType<typeof openOutputs>;

/** The failure of a file that is not written, before anything is sent. `option`: names another one. */
export const refusing = ({ code, message, cause }: Failure, option: string, operation: OperationCommand) =>
  new Failure(
    code,
    `${message}; nothing was sent. Name another file with ${option}`,
    { operation },
    { cause },
  );

interface ResultsTerms {
  /** False if the run only counts. */
  isWritten: boolean;
  /** Why the file that is there must not be replaced. */
  unreadable: Failure | undefined;
  /** Is told why there are no results. Without it they are needed. */
  onNone: ((why: string) => void) | undefined;
}

/** Throws `storage`. */
export function openOutputs(
  names: OutputNames,
  { isWritten, unreadable, onNone }: ResultsTerms,
  { failed: asInput }: Pick<BatchInput, 'failed'>,
  { cwd, process }: Pick<Host, 'cwd' | 'process'>,
) {
  const { head, text } = lineFormat(names.format, names.command);
  // What is said at the end differs: without results, a batch may go on.
  const open = (name: string) => openReplacement(absolutePath(name, { cwd }, ''), name, process);
  const notSent = (error: unknown, option: string) =>
    error instanceof Failure ? refusing(error, option, names.command) : error;
  const goWithout = (error: unknown): undefined => {
    if (!onNone || !(error instanceof Failure)) throw notSent(error, '--results');
    onNone(error.message);
  };
  const openResults = () => {
    if (unreadable) return goWithout(unreadable);
    try {
      return open(names.results);
    } catch (error) {
      return goWithout(error);
    }
  };
  let results = isWritten ? openResults() : undefined;
  const openFailed = (name: string) => {
    try {
      return open(name);
    } catch (error) {
      throw notSent(error, '--failed');
    }
  };
  const failed = names.failed === undefined ? undefined : openFailed(names.failed);
  let isFirst = true;
  let isWhole = false;
  let removed: string | undefined;
  results?.write(head);
  let published = false;
  let failure: Failure | undefined;
  const remembering = (write: () => void) => {
    try {
      write();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure ??= error;
    }
  };
  function write(line: ResultLine, raw: RawRecord | undefined): void {
    results?.write(text(line));
    if (!raw || !line.error || !['invalid', 'rejected'].includes(line.state)) return;
    failed?.write(
      (isFirst ? asInput.head() : '') + asInput.record(raw, safe(failureReason(line.error)), isFirst),
    );
    isFirst = false;
  }
  return {
    /** The first failure to write after `publish`, which must not cost the summary: what was booked is booked. */
    get failure() {
      return failure;
    },
    /** The name of the results; `undefined` if none are written. */
    get results() {
      return results && names.results;
    },
    /** Does the `--failed` file have a record? */
    get hasFailed() {
      return !isFirst;
    },
    /** The `--failed` file of an earlier run that was removed, because nothing failed in this one. */
    get removed() {
      return removed;
    },
    /** The whole input was read, so that nothing else is invalid. */
    readToEnd(): void {
      isWhole = true;
    },
    /** `raw`: the record as the input has it, for the `--failed` file. Throws `storage` before `publish`. */
    report(line: ResultLine, raw: RawRecord | undefined): void {
      if (published) remembering(() => write(line, raw));
      else write(line, raw);
    },
    /** Puts the results in place, line by line from here on. Throws `storage`. */
    publish(): void {
      try {
        results?.publish();
      } catch (error) {
        results?.close();
        results = undefined;
        goWithout(error);
      }
      published = true;
    },
    close() {
      remembering(() => results?.close());
      remembering(() => {
        if (!isFirst) {
          failed?.write(asInput.foot());
          failed?.publish();
        }
        failed?.close();
        // The file of an earlier run would be mistaken for that of this run.
        if (
          isFirst &&
          isWhole &&
          names.failed !== undefined &&
          removeFile(absolutePath(names.failed, { cwd }), names.failed)
        )
          removed = names.failed;
      });
    },
  };
}

/** The labels of a run as one file and one print job, in the order of the input. */
export type LabelJob = ReturnType<typeof openLabelJob>;

export function openLabelJob(means: Means | undefined, files: LabelFiles | undefined) {
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
      if (labels.length === 0 || means === undefined) return [];
      labels.sort((one, other) => one.line - other.line);
      if (files?.merged) return outputLabels(files, labels, means);
      // They were printed one by one.
      if (files?.print === 'unprinted') await noteNotPrinted(labels, means);
      return [];
    },
  };
}
