// What can be imported: the journal of another machine, or the results of its batches.
import { closeSync, openSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resultsIn } from '../../batch/run/read-results.ts';
import type { Leg } from '../../contract/operation.ts';
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure, messageOf } from '../../errors.ts';
import type { BookingWithLabels } from '../../journal/journal.ts';
import { openOtherJournal } from '../../journal/other-journal.ts';
import { stateFolder } from '../../profile/folders.ts';
import type { Session } from '../../session/session.ts';
import { bookedAs, bookingsOf, isBooked, operationTold, type Whose } from './results.ts';

/** A booking, and the legs whose label files come with it. */
export interface Brought extends BookingWithLabels {
  files: readonly Leg[];
  /** Its id on its machine, where it has another one here. */
  there?: string | undefined;
}

export interface Source {
  kind: 'journal' | 'results';
  /** How many bookings there are, where that is known. */
  size?: number;
  pages(): AsyncIterable<Brought[]> | Iterable<Brought[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  /** Lines that may tell of a booking, but do not say enough; by their numbers. */
  unclear: readonly number[];
  close(): void;
}

/** Opens it, and sees that it is one of ours before anything is taken. Throws `usage`, `storage`, `unauthorized`. */
export async function openSource(session: Session, path: string): Promise<Source> {
  const begun = beginning(resolve(session.host.cwd, path), path);
  if (begun.startsWith(MAGIC)) {
    const { host } = session;
    const copy = join(stateFolder(host), `import-${host.process.id}-${host.random()}.db`);
    const other = await openOtherJournal(resolve(host.cwd, path), copy, Math.floor(host.now()));
    return { ...other, kind: 'journal', unclear: [] };
  }
  return openResults(session, path, begun.trimStart().startsWith('{') ? 'jsonl' : 'csv');
}

const MAGIC = 'SQLite format 3\0';

function beginning(place: string, path: string): string {
  try {
    const file = openSync(place, 'r');
    try {
      const bytes = Buffer.alloc(64);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).replace(/^\ufeff/, '');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Failure('storage', `${path} cannot be read: ${messageOf(error)}; nothing was taken over`);
  }
}

const PAGE = 500;

async function openResults(session: Session, path: string, format: 'jsonl' | 'csv'): Promise<Source> {
  const foreign = () =>
    new Failure(
      'usage',
      `${path} is neither a journal of waybill nor a results file of a batch; nothing was taken over. \`waybill history import\` takes the journal.db of a state folder, or what \`waybill batch\` wrote as --results`,
    );
  const read = () => resultsIn(session.host, path, format, foreign);
  // Gone through once before anything is taken.
  let operation: Operation | undefined;
  let size = 0;
  const sandboxes = new Set<boolean>();
  for await (const { value } of read()) {
    if (value === undefined || !isBooked(value)) continue;
    size += 1;
    operation ??= operationTold(value);
    sandboxes.add(String(value.sandbox) === 'true');
  }
  const whose: Whose = { ...target(session, path, size, sandboxes), operation: operation ?? SHIP };
  const unclear: number[] = [];

  async function* pages(): AsyncGenerator<Brought[]> {
    let page: Brought[] = [];
    for await (const line of read()) {
      if (line.value && line.isComplete && !isBooked(line.value)) continue;
      const found = line.isComplete ? bookingsOf(line, whose) : undefined;
      if (found === undefined) unclear.push(line.line);
      for (const one of found ?? [])
        page.push({ ...one, files: [], there: line.value && bookedAs(line.value) });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  if (size > 0)
    await session.printer.note(
      `${path} does not say where its bookings were made: they are taken for bookings at ${whose.scope.address}${whose.profile === null ? '' : ` (profile ${whose.profile})`}`,
    );
  return { kind: 'results', pages, label: () => undefined, unclear, close() {} };
}

const SHIP = OPERATIONS.createShipment;

/** The results do not say where they were booked: it is taken to be where this command would book. */
function target(
  session: Session,
  path: string,
  size: number,
  sandboxes: ReadonlySet<boolean>,
): Omit<Whose, 'operation'> {
  const { from, name, sandbox, base } = session.target();
  if (size > 0 && from !== 'demo' && base === undefined)
    throw new Failure(
      'unauthorized',
      `${path} does not say where its bookings were made, and there is no address here; nothing was taken over. Name the profile that they were made with: \`waybill history import ${path} --profile NAME\``,
    );
  if (size > 0 && sandboxes.has(!sandbox))
    throw new Failure(
      'usage',
      `${path} has bookings of ${sandbox ? 'production' : 'the sandbox'}, and this command would take them for bookings of ${sandbox ? 'the sandbox' : 'production'}; nothing was taken over. Give ${sandbox ? '--no-sandbox' : '--sandbox'}`,
    );
  return {
    ...{ scope: session.scope(), sandbox, path, at: Math.floor(session.host.now()) },
    profile: from === 'environment' ? null : (name ?? null),
  };
}
