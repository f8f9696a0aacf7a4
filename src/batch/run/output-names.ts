// The names of the files that a run writes.

import { statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';

/** The files that a run writes. */
export type OutputNames = ReturnType<typeof outputNames>;

/**
 * The default name of the results: `orders.results.jsonl` for orders that are booked. Other operations have other names, because the
 * results of bookings must not be replaced: another machine may know only by them what is booked.
 */
export const resultsName = (input: string, command: OperationCommand): string =>
  `${input}.${command === 'ship' || command === 'ship-dual' ? 'results' : command}.jsonl`;

/** The names of the files that a run writes. Throws `usage` if a file would be written over another one. */
export function outputNames(
  input: string,
  command: OperationCommand,
  options: { results?: string; failed?: string; log?: string | undefined },
  host: Pick<Host, 'cwd'>,
) {
  const { results, failed, log } = options;
  const { cwd } = host;
  const stem = input === '-' ? command : basename(input, extname(input));
  const path = results ?? resultsName(stem, command);
  // If the current folder was deleted, a default results file is not written there.
  const written = cwd === undefined ? results : path;
  const files = [input === '-' ? undefined : input, written, failed, log].flatMap(name =>
    name === undefined ? [] : fileIdentity(absolutePath(name, { cwd })),
  );
  if (new Set(files).size < files.length)
    throw new Failure('usage', 'input, --results, --failed and --log must be different files');
  const format: 'jsonl' | 'csv' = extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl';
  return { command, results: path, format, failed };
}

/** What identifies a file under any of its names. */
function fileIdentity(path: string): string {
  try {
    const present = statSync(path, { throwIfNoEntry: false });
    return present?.isFile() ? `${present.dev}:${present.ino}` : path;
  } catch {
    // The error is reported when the file is opened.
    return path;
  }
}

/** Adds to the failure of a file that cannot be written, before anything is sent, the flag that names another file (`option`). */
export const unwritableFailure = (error: unknown, option: string, operation: OperationCommand): unknown =>
  error instanceof Failure ? error.with({ hint: `Name another file with ${option}`, operation }) : error;
