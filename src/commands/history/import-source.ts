// What can be imported: the journal of another machine, or the results of its batches.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resultsIn } from '../../batch/run/read-results.ts';
import type { Leg } from '../../contract/operation.ts';
import { Failure, unreadableBecause } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { placeText } from '../../journal/booking.ts';
import { type BookingWithFiles, openOtherJournal } from '../../journal/sqlite/other-journal.ts';
import { targetFlags } from '../../order/command-line.ts';
import { requiredStateFolder } from '../../profile/environment.ts';
import { DEMO } from '../../profile/store.ts';
import { resolveTarget, targetScope } from '../../profile/target.ts';
import type { Session } from '../../session/session.ts';
import { commandText } from '../../text.ts';
import { bookingIdIn, bookingsOf, type ImportContext, mayBeBooked } from './import-results.ts';

export interface ImportedBooking extends BookingWithFiles {
  /** Its id on the other machine, if it differs from the id here. */
  there?: string | undefined;
}

export interface ImportSource {
  kind: 'journal' | 'results';
  /** How many bookings there are, if that is known. */
  size?: number;
  pages(): AsyncIterable<ImportedBooking[]> | Iterable<ImportedBooking[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  /** Numbers of the lines that may be about a booking but do not say enough. */
  unclear: readonly number[];
  close(): void;
}

/** Checks that it is a journal or a results file of waybill before anything is imported. Throws `usage`, `storage`. */
export async function openSource(session: Session, path: string): Promise<ImportSource> {
  const begun = beginning(absolutePath(path, session.host), path);
  if (begun.startsWith(MAGIC)) {
    const { host } = session;
    const copy = join(requiredStateFolder(host), `import-${host.process.id}-${host.random()}.db`);
    const other = await openOtherJournal(absolutePath(path, host), copy, Math.floor(host.now()));
    return { ...other, kind: 'journal', unclear: [] };
  }
  return openResults(session, path);
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
    // What is named and is not there is a mistake of the command line; exit 10 is for what is ours to keep.
    throw new Failure('usage', `${path} cannot be read: ${unreadableBecause(error)}; nothing was imported`);
  }
}

const PAGE = 500;

async function openResults(session: Session, path: string): Promise<ImportSource> {
  const { from, name } = session.target();
  const context: ImportContext = {
    scope: session.scope(),
    profile: from === 'environment' ? null : (name ?? null),
    at: Math.floor(session.host.now()),
    path,
  };
  const here = placeText(context.scope);
  const notOurs = () =>
    new Failure(
      'usage',
      `${path} is neither a journal of waybill nor results of a batch in JSON lines, each with its operation and place; nothing was imported. \`waybill history import\` accepts the .jsonl that \`waybill batch --results\` wrote, or the journal.db of a state folder. Results in CSV are not imported: import the journal of that machine`,
    );
  async function* read() {
    for await (const one of resultsIn(session.host, path, 'jsonl', notOurs)) {
      if (one.value && one.value.place !== here) throw madeElsewhere(session, path, one.value.place);
      yield one;
    }
  }

  // The whole file is read once before anything is imported.
  let isEmpty = true;
  for await (const _ of read()) isEmpty = false;
  if (isEmpty) throw notOurs();
  const unclear: number[] = [];

  async function* pages(): AsyncGenerator<ImportedBooking[]> {
    let page: ImportedBooking[] = [];
    for await (const { line, key, value, isComplete } of read()) {
      if (value && isComplete && !mayBeBooked(value)) continue;
      const found = value && isComplete ? bookingsOf(key, value, context) : [];
      if (found.length === 0) unclear.push(line);
      for (const one of found) page.push({ ...one, files: [], there: value && bookingIdIn(value) });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  return { kind: 'results', pages, label: () => undefined, unclear, close() {} };
}

/** What was booked in one place must not count as booked in another one. */
function madeElsewhere(session: Session, path: string, place: string): Failure {
  const { from, base } = session.target();
  const here =
    from === 'demo' || base !== undefined
      ? `this command is for ${placeText(session.scope())}`
      : 'this command has no address';
  const flags = flagsFor(session, place);
  const advice =
    flags === undefined
      ? 'No profile here has that address and account: add one with `waybill profile add`, and name it with --profile'
      : `To import them there, run \`${commandText(['waybill', 'history', 'import', path, ...flags])}\``;
  return new Failure(
    'usage',
    `${path} has the results of bookings at ${place}, but ${here}; nothing was imported. ${advice}`,
  );
}

/** The flags that choose a place; `undefined` if neither the environment nor a profile has it. */
function flagsFor({ host, config }: Session, place: string): string[] | undefined {
  for (const profile of [undefined, DEMO, ...Object.keys(config.profiles)])
    for (const sandbox of [undefined, false, true]) {
      const globals = {
        ...(profile !== undefined && { profile }),
        ...(sandbox !== undefined && { sandbox }),
      };
      try {
        if (placeText(targetScope(resolveTarget(host, config, globals))) === place)
          return targetFlags({ globals });
      } catch {
        // A profile that cannot be used is not the one.
      }
    }
  return undefined;
}
