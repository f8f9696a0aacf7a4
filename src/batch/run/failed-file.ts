// Keeps the file of --failed that an earlier run wrote: a person may have mended records in it, and not run it yet. A file with a record
// that is not word for word in the input of this run is never replaced or removed.

import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { absolutePath, fileAt, firstBytes, gotName } from '../../host/folder.ts';
import { inputBytes } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { unwritableBecause } from '../../system-errors.ts';
import { openRecords } from '../input.ts';
import type { BatchInput, InputSettings, RawRecord } from '../input-types.ts';
import { ERROR_COLUMN, RECORD_COLUMN } from '../record-name.ts';
import { unwritableFailure } from './output-names.ts';
import { resultsFault } from './results-guard.ts';

/** How every `--failed` file begins: the header of CSV, or the first record of JSON. */
const BEGINNING = new RegExp(
  `^\\ufeff?(?:"?${ERROR_COLUMN}"?[^\\w"]"?${RECORD_COLUMN}\\b|\\[?\\s*\\{\\s*"${ERROR_COLUMN}"\\s*:)`,
);
const LONGEST_BEGINNING = 200;

/** The file of --failed that an earlier run wrote, as this run found it. */
export type EarlierFailed = Awaited<ReturnType<typeof readEarlierFailed>>;

/**
 * Reads the records of the file. `settings`: the settings of the input, whose format the file has. Throws `usage` if a batch did not write
 * the file with --failed, `storage` if the file cannot be read.
 */
export async function readEarlierFailed(
  session: Session,
  operation: OperationCommand,
  name: string,
  settings: InputSettings,
) {
  const { host } = session;
  const unreadable = resultsFault(name, host);
  if (unreadable) throw unwritableFailure(unreadable, '--failed', operation);
  const path = absolutePath(name, host);
  const fileBefore = fileAt(path);
  /** Identities of the records in the file that the input has not had so far. */
  const unmet = new Set<string>();
  let isReadable = true;
  refuseStranger();
  if (hasContent()) {
    const { onWarnings: _, encoding: __, ...others } = settings;
    const earlier = openRecords(inputBytes(path, host), { ...others, name, keepsLeftOut: true });
    try {
      for await (const raw of earlier.records) unmet.add(recordIdentity(earlier, raw));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
      isReadable = false;
    }
  }
  return {
    meet(input: BatchInput, raw: RawRecord): void {
      if (unmet.size > 0) unmet.delete(recordIdentity(input, raw));
    },
    /**
     * Is called before the file is replaced or removed. A file with a record that the input lacks, or that was written since the run began,
     * gets another name: this name is given back. Throws `usage`, `storage`.
     */
    keepAside(): string | undefined {
      refuseStranger();
      const isNew = fileAt(path) !== fileBefore;
      return hasContent() && (isNew || !isReadable || unmet.size > 0) ? keptAside(path, name) : undefined;
    },
  };

  /** Has the file content that could be lost? A device has none. */
  function hasContent(): boolean {
    const present = statSync(path, { throwIfNoEntry: false });
    return present?.isFile() === true && present.size > 0;
  }

  function refuseStranger(): void {
    if (hasContent() && !BEGINNING.test(firstBytes(path, LONGEST_BEGINNING).toString()))
      throw new Failure(
        'usage',
        `${name} exists, and a batch did not write it with --failed; name another file with --failed`,
        { operation },
      );
  }
}

/** The identity of a record, which is the same in the input and in a file of --failed, unless somebody changed the record. */
const recordIdentity = (input: BatchInput, raw: RawRecord): string =>
  hash('sha256', input.failed.head() + input.failed.record(raw, '', true), 'base64');

/** Gives a file one more name, with the next number that is free. Throws `storage`. */
function keptAside(path: string, name: string): string {
  const ending = extname(name);
  const numbered = (file: string, number: number) =>
    `${file.slice(0, file.length - ending.length)}.${number}${ending}`;
  try {
    for (let number = 2; ; number += 1)
      if (gotName(path, numbered(path, number))) return numbered(name, number);
  } catch (error) {
    throw new Failure(
      'storage',
      `${name} cannot be kept under another name: ${unwritableBecause(error)}`,
      {},
      { cause: error },
    );
  }
}
