// The tables, once for both databases. Times are milliseconds since 1970; requests, answers and ids are JSON as text. A key
// and the label of a shipment belong to one booking at a time; a booking that was rejected or never sent releases them, and so
// does one whose key was booked again before its own answer came.

import { randomUUID } from 'node:crypto';
import { Failure } from '../errors.ts';
import { holdingList } from './claim.ts';
import { columnTypes } from './columns.ts';
import { type Db, type Sql, sql } from './database.ts';

/** The number of the schema in both databases. Both refuse tables that have another one. */
export const SCHEMA_VERSION = 13;

/**
 * The statements that make them. `integer`: the type of whole numbers; `counter`: that of a key that counts up; `end`: behind
 * each table; `keyed`: behind one that is only looked up by its key.
 */
export const tables = ({
  integer,
  counter,
  end,
  keyed,
}: Record<'integer' | 'counter' | 'end' | 'keyed', string>): string => `
  CREATE TABLE bookings (number ${counter}, ${columnTypes(integer)}, UNIQUE (id)) ${end};
  CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)
    WHERE key_id IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
  CREATE INDEX same_key ON bookings (key_id) WHERE key_id IS NOT NULL;
  -- A booking with a key is looked up by its key: an index of hashes takes most of the time of an insert.
  CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key_id IS NULL;
  CREATE INDEX record_names ON bookings (record_name) WHERE record_name IS NOT NULL;
  -- For the few that are open among a million others.
  CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
  CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;
  -- The same input is sought among the bookings of a day.
  CREATE INDEX recent ON bookings (at, fingerprint);
  CREATE INDEX handed_over ON bookings (handover) WHERE handover IS NOT NULL;
  CREATE TABLE labels (
    address TEXT NOT NULL,
    account TEXT NOT NULL,
    shipment TEXT NOT NULL,
    leg TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    printed_at ${integer},
    PRIMARY KEY (address, account, shipment)
  ) ${end};
  CREATE INDEX labels_of ON labels (booking);
  CREATE INDEX labelled ON labels (shipment);
  -- Ids that the service gave, and tracking numbers behind a ~.
  CREATE TABLE made (
    id TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    PRIMARY KEY (id, booking)
  ) ${keyed};
  -- PDFs in base64.
  CREATE TABLE label_files (
    booking TEXT NOT NULL REFERENCES bookings (id),
    leg TEXT NOT NULL,
    pdf TEXT NOT NULL,
    PRIMARY KEY (booking, leg)
  ) ${end};
  -- By which words each booking is found. It is narrow, because a search reads all of it.
  CREATE TABLE found_by (
    number ${integer} PRIMARY KEY,
    person TEXT NOT NULL,
    names TEXT NOT NULL
  ) ${end};
  -- What persons said about a journal that was put back.
  CREATE TABLE restorations (
    number ${counter},
    id TEXT NOT NULL UNIQUE,
    at ${integer} NOT NULL,
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    run TEXT,
    missing_since ${integer}
  ) ${end};`;

/** How a journal is opened that may be new, or have lost bookings that it held. */
export interface Opening {
  /** It is made if there is none, or if all that it held is gone: `--new-journal`. */
  asNew?: boolean;
  /** Why it is not made if there is none. */
  mustExist?: string | undefined;
  /** What a person says who knows that it was put back to an older state, or moved: what is there counts from now on. */
  restored?: Restoring;
  /** Gets the failure of a journal that has lost bookings and can still be used. Otherwise that failure is thrown. */
  onLost?(failure: Failure): void;
  /** Called if there was none, and it was made. */
  onMade?(): void;
  /** Gets what a person should look into although the journal can be used. */
  warn?(text: string): void;
}

/** For a journal that must not have lost anything. */
export const refuse = (failure: Failure): never => {
  throw failure;
};

/** The failure of a journal whose tables are not of this version. `cure`: what to do about older ones. */
export function wrongVersion(journal: string, version: number, cure: string): Failure {
  const [age, advice] =
    version > SCHEMA_VERSION ? ['a newer', 'To use it, update waybill on this machine'] : ['an older', cure];
  return new Failure(
    'storage',
    `the journal ${journal} was written by ${age} version of waybill (its tables have number ${version}, not ${SCHEMA_VERSION}); nothing was sent. ${advice}`,
  );
}

/** How to go on without the bookings that were lost: the journal is gone with all of them, or was put back. */
const GOING_ON = {
  gone: '--new-journal continues with a new one',
  'put back':
    '`waybill history check --restored --reason TEXT` records that this is known, and continues with what is there',
} as const;

/** The failure of a journal that has lost bookings. `cure`: how they are put back. */
export const lostBookings = (
  journal: string,
  what: string,
  cure: string,
  state: keyof typeof GOING_ON,
): Failure =>
  new Failure(
    'storage',
    `the journal ${journal} ${what}. A key that was lost with them would be booked again; nothing was sent. ${cure}. ${GOING_ON[state]}: then waybill does not know the keys of those bookings`,
  );

// What persons said about a journal that was put back to an older state, or moved: bookings may be missing in it, and it is
// used all the same.

/** Who says it, why, and in which run. */
export interface Restoring {
  by: string;
  reason: string;
  run: string | null;
}

export interface Restoration extends Restoring {
  /** ms since 1970. */
  at: number;
  /** The time of the last booking before those that may be missing; `null` if there is none. */
  missingSince: number | null;
}

/**
 * Records it and gives its id. `now`: the time of the journal's clock. `lastSeen`: the time of a booking that is missing, if
 * one is known; bookings that are there and newer were made after the journal was put back.
 */
export async function recordRestoration(
  db: Pick<Db, 'run'>,
  { by, reason, run }: Restoring,
  now: Sql,
  lastSeen = Number.MAX_SAFE_INTEGER,
): Promise<string> {
  const id = randomUUID();
  await db.run(sql`INSERT INTO restorations (id, at, person, reason, run, missing_since)
    SELECT ${id}, ${now}, ${by}, ${reason}, ${run}, (SELECT MAX(at) FROM bookings WHERE at <= ${lastSeen})`);
  return id;
}

type Row = Restoring & { at: number; since: number | null };

/** The oldest first. */
export async function restorations(db: Db): Promise<Restoration[]> {
  const rows = await db.rows<Row>(
    sql`SELECT CAST(at AS float8) AS at, person AS by, reason, run, CAST(missing_since AS float8) AS since
      FROM restorations ORDER BY number`,
  );
  return rows.map(({ since, ...said }) => ({ ...said, missingSince: since }));
}
