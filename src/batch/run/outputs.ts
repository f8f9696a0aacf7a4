import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Input, RawRecord } from '../source.ts';
import { type LineWriter, markOf, openLines, removeLeftovers } from './replace-file.ts';
import { LINE_FORMATS, type ResultLine } from './result-line.ts';

/** The files that a run writes. */
export interface OutputNames {
  results: string;
  format: keyof typeof LINE_FORMATS;
  failed: string | undefined;
}

/** `orders.results.jsonl` for `orders.csv`. Throws `usage` where one file would be written over another. */
export function outputNames(
  input: string,
  command: string,
  { results, failed }: { results?: string; failed?: string },
  { cwd }: Pick<Host, 'cwd'>,
): OutputNames {
  const stem = input === '-' ? command : basename(input, extname(input));
  const path = results ?? `${stem}.results.jsonl`;
  const named = [input, path, failed].flatMap(name =>
    name === undefined ? [] : identityOf(resolve(cwd, name)),
  );
  if (new Set(named).size < named.length)
    throw new Failure('usage', `input, --results and --failed must be different files; nothing was sent`);
  return { results: path, format: extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl', failed };
}

/** A file has one identity under all of its names. */
function identityOf(path: string): string {
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.isFile() ? `${there.dev}:${there.ino}` : path;
}

/** Where the ends of records go. */
export interface Outputs {
  /** `raw`: the record as the input has it, for the `--failed` file. */
  report(line: ResultLine, raw: RawRecord | undefined): void;
  /** From here on the results are in their place, line by line. */
  publish(): void;
  close(): void;
}

/** `results`: false where no results are to be written. Throws `storage`. */
export function openOutputs(
  { results: path, format, failed: failedPath }: OutputNames,
  results: boolean,
  input: Pick<Input, 'failed'>,
  { cwd, process }: Pick<Host, 'cwd' | 'process'>,
): Outputs {
  const { head, text } = LINE_FORMATS[format];
  const open = (name: string) => {
    const place = resolve(cwd, name);
    removeLeftovers(place, id => id === process.id || process.exists(id));
    return openLines(place, markOf(process.id), name);
  };
  const ends = results ? open(path) : undefined;
  const mend = failedPath === undefined ? undefined : mending(open(failedPath), input);
  ends?.write(head);
  return {
    report(line, raw) {
      ends?.write(text(line));
      if (raw && (line.state === 'invalid' || line.state === 'rejected')) mend?.write(raw, line);
    },
    publish: () => ends?.publish(),
    close() {
      try {
        ends?.close();
      } finally {
        mend?.close();
      }
    },
  };
}

/** The records that want mending, in the input's own format. */
function mending(lines: LineWriter, { failed }: Pick<Input, 'failed'>) {
  let first = true;
  return {
    write(raw: RawRecord, { error }: ResultLine) {
      if (first) lines.write(failed.head());
      const told = error?.issues.map(({ path, message }) => `${path} ${message}`.trim()) ?? [];
      lines.write(failed.record(raw, told.length > 0 ? told.join('; ') : (error?.message ?? ''), first));
      first = false;
    },
    close() {
      // One of an earlier run would be taken for this one's.
      if (!first) lines.write(failed.foot());
      lines.publish();
      lines.close();
    },
  };
}
