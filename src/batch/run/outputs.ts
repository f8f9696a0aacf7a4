import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Input, RawRecord } from '../source.ts';
import { openReplacement, type Replacement } from './replace-file.ts';
import { LINE_FORMATS, type ResultLine } from './result-line.ts';

/** The files that a run writes. */
export interface OutputNames {
  results: string;
  format: keyof typeof LINE_FORMATS;
  failed: string | undefined;
}

/** `orders.results.jsonl` for `orders.csv`. Throws `usage` if a file would be written over another. */
export function outputNames(
  input: string,
  command: string,
  { results, failed }: { results?: string; failed?: string },
  { cwd }: Pick<Host, 'cwd'>,
): OutputNames {
  const stem = input === '-' ? command : basename(input, extname(input));
  const path = results ?? `${stem}.results.jsonl`;
  const files = [input, path, failed].flatMap(name =>
    name === undefined ? [] : identityOf(resolve(cwd, name)),
  );
  if (new Set(files).size < files.length)
    throw new Failure('usage', `input, --results and --failed must be different files; nothing was sent`);
  return { results: path, format: extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl', failed };
}

/** A file has the same identity under all of its names. */
function identityOf(path: string): string {
  const present = statSync(path, { throwIfNoEntry: false });
  return present?.isFile() ? `${present.dev}:${present.ino}` : path;
}

/** Writes what became of the records. */
export interface Outputs {
  /** `raw`: the record as the input has it, for the `--failed` file. Throws `storage` before `publish`. */
  report(line: ResultLine, raw: RawRecord | undefined): void;
  /** Puts the results in place, line by line from here on. Throws `storage`. */
  publish(): void;
  close(): void;
  /** The first failure to write after `publish`, which must not cost the summary: what was booked is booked. */
  readonly failure: Failure | undefined;
}

/** `writesResults`: false if the run only counts. Throws `storage`. */
export function openOutputs(
  names: OutputNames,
  writesResults: boolean,
  input: Pick<Input, 'failed'>,
  { cwd, process }: Pick<Host, 'cwd' | 'process'>,
): Outputs {
  const { head, text } = LINE_FORMATS[names.format];
  const open = (name: string) => openReplacement(resolve(cwd, name), name, process);
  const results = writesResults ? open(names.results) : undefined;
  const failed = names.failed === undefined ? undefined : failedWriter(open(names.failed), input);
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
    if (raw && (line.state === 'invalid' || line.state === 'rejected')) failed?.write(raw, line);
  }
  return {
    get failure() {
      return failure;
    },
    report(line, raw) {
      if (published) remembering(() => write(line, raw));
      else write(line, raw);
    },
    publish() {
      results?.publish();
      published = true;
    },
    close() {
      remembering(() => results?.close());
      remembering(() => failed?.close());
    },
  };
}

/** Writes the records to be fixed, in the format of the input. */
function failedWriter(file: Replacement, { failed }: Pick<Input, 'failed'>) {
  let first = true;
  return {
    write(raw: RawRecord, { error }: ResultLine) {
      if (first) file.write(failed.head());
      const issues = error?.issues.map(({ path, message }) => `${path} ${message}`.trim()) ?? [];
      file.write(failed.record(raw, issues.length > 0 ? issues.join('; ') : (error?.message ?? ''), first));
      first = false;
    },
    close() {
      // Published even if it is empty: the file of an earlier run would be mistaken for that of this run.
      if (!first) file.write(failed.foot());
      file.publish();
      file.close();
    },
  };
}
