// What can be imported: the journal of another machine, or the results of its batches.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resultsIn } from '../../batch/run/read-results.ts';
import type { Leg } from '../../contract/operation.ts';
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure, messageOf } from '../../errors.ts';
import { absolutePath } from '../../folder.ts';
import { type BookingWithFiles, openOtherJournal } from '../../journal/sqlite/other-journal.ts';
import { requiredStateFolder } from '../../profile/folders.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { bookingIdIn, bookingsOf, type ImportContext, mayBeBooked, operationOf } from './import-results.ts';

export interface ImportedBooking extends BookingWithFiles {
  /** Its id on the other machine, if it differs from the id here. */
  there?: string | undefined;
}

export interface Source {
  kind: 'journal' | 'results';
  /** How many bookings there are, if that is known. */
  size?: number;
  pages(): AsyncIterable<ImportedBooking[]> | Iterable<ImportedBooking[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  /** Numbers of the lines that may be about a booking but do not say enough. */
  unclear: readonly number[];
  close(): void;
}

/** Checks that it is a journal or a results file of waybill before anything is imported. Throws `usage`, `storage`, `unauthorized`. */
export async function openSource(session: Session, path: string): Promise<Source> {
  const begun = beginning(absolutePath(path, session.host), path);
  if (begun.startsWith(MAGIC)) {
    const { host } = session;
    const copy = join(requiredStateFolder(host), `import-${host.process.id}-${host.random()}.db`);
    const other = await openOtherJournal(absolutePath(path, host), copy, Math.floor(host.now()));
    return { ...other, kind: 'journal', unclear: [] };
  }
  return openResults(session, path, begun.trimStart().startsWith('{') ? 'jsonl' : 'csv');
}

const MAGIC = 'SQLite format 3\0';

function beginning(place: string, path: string): string {
  try {
    // To open a pipe would wait for its writer.
    if (!statSync(place).isFile()) throw new Error('it is not a plain file');
    const file = openSync(place, 'r');
    try {
      const bytes = Buffer.alloc(64);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).replace(/^\ufeff/, '');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Failure('storage', `${path} cannot be read: ${messageOf(error)}; nothing was imported`);
  }
}

const PAGE = 500;

async function openResults(session: Session, path: string, format: 'jsonl' | 'csv'): Promise<Source> {
  const notOurs = () =>
    new Failure(
      'usage',
      `${path} is neither a journal of waybill nor a results file of a batch; nothing was imported. \`waybill history import\` accepts the journal.db of a state folder, or a file that \`waybill batch --results\` wrote`,
    );
  const read = () => resultsIn(session.host, path, format, notOurs);
  // The whole file is read once before anything is imported.
  let operation: Operation | undefined;
  let size = 0;
  const sandboxes = new Set<boolean>();
  for await (const { value } of read()) {
    if (value === undefined || !mayBeBooked(value)) continue;
    size += 1;
    operation ??= operationOf(value);
    sandboxes.add(String(value.sandbox) === 'true');
  }
  const context: ImportContext = { ...target(session, path, size, sandboxes), operation: operation ?? SHIP };
  const unclear: number[] = [];

  async function* pages(): AsyncGenerator<ImportedBooking[]> {
    let page: ImportedBooking[] = [];
    for await (const line of read()) {
      if (line.value && line.isComplete && !mayBeBooked(line.value)) continue;
      const found = line.isComplete ? bookingsOf(line, context) : [];
      if (found.length === 0) unclear.push(line.line);
      for (const one of found) page.push({ ...one, files: [], there: line.value && bookingIdIn(line.value) });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  if (size > 0)
    await session.printer.note(
      `${path} does not say where its bookings were made. They are imported as bookings at ${context.scope.address}${context.profile === null ? '' : ` (profile ${context.profile})`}`,
    );
  return { kind: 'results', pages, label: () => undefined, unclear, close() {} };
}

const SHIP = OPERATIONS.createShipment;

/** The results do not say where they were booked: this command imports them as its own. */
function target(
  session: Session,
  path: string,
  size: number,
  sandboxes: ReadonlySet<boolean>,
): Omit<ImportContext, 'operation'> {
  const { from, name, sandbox, base } = session.target();
  if (size > 0 && from !== 'demo' && base === undefined)
    throw new Failure(
      'unauthorized',
      `${path} does not say where its bookings were made, and no address is configured here; nothing was imported. Name the profile that made them: \`waybill history import ${shellWord(path)} --profile NAME\``,
    );
  if (size > 0 && sandboxes.has(!sandbox))
    throw new Failure(
      'usage',
      `${path} has bookings of ${sandbox ? 'production' : 'the sandbox'}, but this command would import them as bookings of ${sandbox ? 'the sandbox' : 'production'}; nothing was imported. Give ${sandbox ? '--no-sandbox' : '--sandbox'}`,
    );
  return {
    ...{ scope: session.scope(), sandbox, path, at: Math.floor(session.host.now()) },
    profile: from === 'environment' ? null : (name ?? null),
  };
}
