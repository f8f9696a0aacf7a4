// The tables of both databases, and what their columns hold: every SELECT and INSERT, what an outcome writes, and how a row becomes a
// booking follow from this.
import { createHash, randomUUID } from 'node:crypto';
import {
  type Booking,
  type Fact,
  HOLDING_STATES,
  INPUT_UNKNOWN,
  type LegShipment,
  STATES,
} from '../booking/booking.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { isRecord } from '../contract/paths.ts';
import { damaged, Failure } from '../errors.ts';
import { FAILURES } from '../exit-codes.ts';
import { emptyWith } from '../json.ts';
import type { JournalLoss } from '../say/journal.ts';
import type { Notice } from '../say/notices.ts';
import type { MustExist } from '../say/session.ts';
import { type Db, list, raw, type Sql, sql, type Value } from './database.ts';
import { FACTS, factsFrom } from './facts.ts';

/** The end of the year 9999, in ms since 1970: in a later time the year has more than four digits. */
const LAST_TIME = 253_402_300_799_999;

/** Is the value a time, or another whole number from 0 to `LAST_TIME`? */
const isWholeNumber = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_TIME;

interface Column {
  /** What the column holds: a `flag` is 0 or 1; absent: text. */
  kind?: 'number' | 'flag';
  /** The text must be a JSON object: any other text is damage. */
  json?: true;
  isNeverNull?: true;
  /** The value of the column in a new row. Such a column is never null. */
  start?: string;
  /** The texts that may be in the column. Another text is damage, seen when a row is read: the database does not know this list. */
  allowed?: readonly string[];
  /** The column is the journal's own: a `Booking` does not have it. */
  isInner?: true;
  /** The SQL from which a SELECT computes the value: the table has no such column. */
  computed?: string;
  /** Is the column written by the claim, or with the outcome? Absent: the column is written later. */
  by?: 'claim' | 'outcome';
}

const claim = { by: 'claim' } as const;
const always = { by: 'claim', isNeverNull: true } as const;
const outcome = { by: 'outcome' } as const;

/** The columns, by the names that a booking has for them: the column of `keySpace` is `key_space`. */
const COLUMNS = {
  id: always,
  address: always,
  account: always,
  operation: { allowed: Object.values(OPERATIONS).map(operation => operation.command), ...always },
  keySpace: always,
  key: claim,
  /** The form of the key that is compared with other keys. */
  keyId: { isInner: true, ...claim },
  orderNumber: claim,
  fingerprint: always,
  orderFingerprint: claim,
  source: claim,
  recordName: claim,
  profile: claim,
  sandbox: { kind: 'flag', ...always },
  run: claim,
  actor: claim,
  maxPrice: claim,
  rule: claim,
  /** Why the booking has its carrier. */
  choice: { json: true, ...claim },
  expected: claim,
  at: { kind: 'number', ...always },
  leaseUntil: { kind: 'number', isInner: true, ...always },
  holder: { json: true, ...always },
  state: { start: 'pending', allowed: STATES, ...outcome },
  settledAt: { kind: 'number', ...outcome },
  code: { allowed: Object.keys(FAILURES), ...outcome },
  httpStatus: { kind: 'number', ...outcome },
  overPrice: { kind: 'flag', ...outcome },
  charged: outcome,
  why: { start: '', ...outcome },
  ids: { json: true, start: '{}', ...outcome },
  labels: { json: true, start: '{}', ...outcome },
  /** How often a step changed the row. */
  version: { kind: 'number', start: '0' },
  /** Does the booking have rows in `facts`? Most bookings have none. */
  hasFacts: { kind: 'flag', start: '0', isInner: true },
  /** The id of another booking that has the key and the labels of this one. */
  keyHolder: {},
  /** The milestones at which its shipments were seen and that may end a journey, as `{"international S-1":["delivered"]}`. */
  milestones: { json: true, start: '{}' },
  files: { json: true, start: '{}' },
  facts: { computed: FACTS },
  /** What lists show of request and answer: if a row has an excerpt, lists read neither of the two. */
  excerpt: { json: true, isInner: true, ...outcome },
  // The longest columns come last: SQLite need not read them to find the others.
  request: { json: true, ...claim },
  answer: outcome,
} as const satisfies Record<keyof Booking, Column> & Record<string, Column>;

export type Key = keyof typeof COLUMNS;
const BY_KEY: Record<Key, Column> = COLUMNS;
const ALL = Object.entries(BY_KEY) as [Key, Column][];
/** The columns that the table stores; the others are computed. */
const STORED = ALL.filter(([, { computed }]) => computed === undefined);

const keysBy = (writer: Column['by']): readonly Key[] =>
  ALL.filter(([, column]) => column.by === writer).map(([key]) => key);

/** The states that hold a key, for a condition in SQL. */
export const holdingList = HOLDING_STATES.map(state => `'${state}'`).join(', ');

export const columnName = (key: Key): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** The names of the columns of bookings, except the number. */
export const COLUMN_NAMES = STORED.map(([key]) => columnName(key));

/** The columns that an outcome writes. */
export const OUTCOME = keysBy('outcome');

export const isNumber = (key: Key): boolean => ['number', 'flag'].includes(BY_KEY[key].kind ?? '');

/** A row of bookings as both databases give it. */
export type Row = { [key in Key]?: string | number | null } & { id: string };

const KEYS = ALL.map(([key]) => key);

/** Columns of bookings, as a SELECT names them. */
export interface Columns<B> {
  keys: readonly (keyof B & keyof Booking)[];
  empty: Readonly<Record<string, null>>;
  selection: Sql;
}

/** The columns of bookings for a SELECT. `instead`: SQL that is read in the place of some columns. `table`: its name in the SELECT. */
export const bookingColumns = <K extends keyof Booking>(
  keys: readonly K[],
  instead: { readonly [key in Key]?: string } = {},
  table = 'bookings',
): Columns<Pick<Booking, K>> => ({
  keys,
  empty: emptyWith(keys),
  selection: raw(
    keys
      .map(key => {
        const name = instead[key] ?? BY_KEY[key].computed ?? `${table}.${columnName(key)}`;
        // The cast is for PostgreSQL, which gives bigint as text.
        return `${isNumber(key) ? `CAST(${name} AS float8)` : name} AS "${key}"`;
      })
      .join(', '),
  ),
});

const BOOKING_KEYS = KEYS.filter(key => !BY_KEY[key].isInner) as (keyof Booking)[];

export const EVERYTHING = bookingColumns(BOOKING_KEYS);

// Request and answer are long, and the proposals in `choice` may be.
export const WITHOUT_REQUEST = bookingColumns(BOOKING_KEYS, { request: 'NULL', choice: 'NULL' });
export const WITHOUT_BODIES = bookingColumns(BOOKING_KEYS, {
  request: 'NULL',
  answer: 'NULL',
  choice: 'NULL',
});

/** What a booking has for a column, as the database stores it. */
export function stored(key: Key, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const { kind, json } = BY_KEY[key];
  if (json) return JSON.stringify(value);
  return kind === 'flag' ? Number(value) : (value as Value);
}

/** A booking to be inserted. `more`: columns that a booking does not have, or that are written in another way. */
interface NewRow {
  booking: Booking;
  more: { readonly [key in Key]?: Value | Sql };
}

/** Makes the function that inserts these columns of bookings, except bookings whose id is known or whose key is held. */
function insertionOf(keys: readonly Key[]): (rows: readonly NewRow[]) => Sql {
  const names = raw(keys.map(columnName).join(', '));
  return rows => {
    const values = list(
      rows.map(
        ({ booking, more }) =>
          sql`(${list(keys.map(key => more[key] ?? stored(key, booking[key as keyof Booking])))})`,
      ),
    );
    return sql`INSERT INTO bookings (${names}) VALUES ${values} ON CONFLICT DO NOTHING`;
  };
}

/** The statement that inserts the columns of claims. */
export const claimsInserted = insertionOf(keysBy('claim'));

/** The statement that inserts whole bookings, as another journal had them. */
export const bookingsInserted = insertionOf(STORED.map(([key]) => key));

/** The columns of a booking in a row. Throws an error that names the column, if a disk has damaged it. */
export function bookingFrom<B>(row: Row, columns: Columns<B>): B {
  const booking: { [key in keyof Booking]?: unknown } = { ...columns.empty };
  for (const key of columns.keys) booking[key] = columnValue(row.id, row[key] ?? null, key);
  // Each step to `unknown` writes a time, too, but an unknown booking is not settled.
  if (booking.state === 'unknown') booking.settledAt = null;
  return booking as B;
}

/** What a booking has for a column, from the value in its row. */
function columnValue(id: string, value: string | number | null, key: Key): unknown {
  const { kind, json, allowed, isNeverNull, start, computed } = BY_KEY[key];
  if (computed !== undefined) return factsIn(id, value);
  if (value === null && !isNeverNull && start === undefined) return null;
  if (kind !== undefined ? !isWholeNumber(value) : typeof value !== 'string') throw damagedColumn(id, key);
  if (kind === 'flag') return value === 1;
  if (json) return jsonIn(id, key, value as string);
  if (allowed && !allowed.includes(value as string)) throw damagedColumn(id, key);
  return value;
}

function factsIn(id: string, text: string | number | null): Fact[] {
  try {
    return factsFrom(String(text));
  } catch {
    throw damagedColumn(id, 'facts');
  }
}

/** The object in a JSON column of the booking `id`. Throws an error that names booking and column if the text is damaged. */
export function jsonIn<Value>(id: string, key: Key, text: string): Value {
  try {
    const value = JSON.parse(text);
    // Other JSON is damage, too: one flipped bit may move the columns of a row, each of which can be parsed.
    if (isRecord(value)) return value as Value;
  } catch {
    // The damaged column is named below.
  }
  throw damagedColumn(id, key);
}

const damagedColumn = (id: string, key: Key): Error => damaged({ part: 'column', column: key, booking: id });

/** The version of the schema in both databases, which refuse tables of another version. */
export const SCHEMA_VERSION = 25;

export interface Table {
  primaryKey: string;
  /** The column that names the booking of a row: so a move takes the row along. Absent: the table belongs to the whole journal. */
  bookingIn?: 'booking' | 'number';
  /** Only the owner of the tables writes this table, if roles differ. */
  isOwners?: true;
}

/** The tables that both databases have. */
export const TABLES = {
  bookings: { primaryKey: 'number' },
  labels: { primaryKey: 'address, account, leg, shipment', bookingIn: 'booking' },
  made: { primaryKey: 'shipment, leg, address, account', bookingIn: 'booking' },
  given: { primaryKey: 'name, booking', bookingIn: 'booking' },
  label_files: { primaryKey: 'booking, leg', bookingIn: 'booking' },
  found_by: { primaryKey: 'number', bookingIn: 'number' },
  facts: { primaryKey: 'number', bookingIn: 'booking' },
  lists: { primaryKey: 'name, number' },
  listed: { primaryKey: 'booking, name', bookingIn: 'booking' },
  restorations: { primaryKey: 'number', isOwners: true },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;
export const TABLE_LIST = Object.entries(TABLES) as [TableName, Table][];

/** The columns of the unique index by which a key is held once. */
export const ONE_KEY = 'address, account, key_space, key_id';
export const ONE_KEY_INDEX = `CREATE UNIQUE INDEX one_key ON bookings (${ONE_KEY}) WHERE key_id IS NOT NULL AND state IN (${holdingList}) AND key_holder IS NULL`;

/** A unique index that a database has. `columns`: as they are written in SQL. */
export interface UniqueIndex {
  name: string;
  table: string;
  columns: string;
  isPartial: boolean;
  isValid: boolean;
}

type Unique = Pick<UniqueIndex, 'table' | 'columns' | 'isPartial'>;

const UNIQUE: readonly Unique[] = [
  { table: 'bookings', columns: ONE_KEY, isPartial: true },
  ...['bookings', 'restorations'].map(table => ({ table, columns: 'id', isPartial: false })),
  ...TABLE_LIST.map(([table, { primaryKey }]) => ({ table, columns: primaryKey, isPartial: false })),
];

/**
 * Which unique index is missing, as after a restore without the indexes, or was not built; `undefined`: none. `invalid`: the name of the
 * index that was not built. `present`: the indexes of these tables.
 */
export function notUnique(
  tables: readonly string[],
  present: readonly UniqueIndex[],
): (Unique & { invalid: string | undefined }) | undefined {
  // step: unique indexes asked
  for (const needed of UNIQUE) {
    if (!tables.includes(needed.table)) continue;
    const { table, columns, isPartial } = needed;
    const indexes = present.filter(
      index => index.table === table && index.columns === columns && index.isPartial === isPartial,
    );
    if (!indexes.some(({ isValid }) => isValid)) return { ...needed, invalid: indexes[0]?.name };
  }
  return undefined;
}

/**
 * The statements that make the tables. `integer`: the type of whole numbers; `counter`: the type of a key that counts up; `end`: what is
 * put behind each table; `keyed`: what is put behind a table that is only looked up by its key.
 *
 * Times are milliseconds since 1970; requests, answers and ids are JSON as text. A key and the label of a shipment belong to one booking
 * at a time. A booking that was rejected or never sent releases them; so does a booking whose key was booked again before its own answer
 * came. The index `sources` leaves out bookings with a key, which are looked up by the key: an index of hashes takes most of the time of
 * an insert. The indexes `unsettled` and `dear` find the few among a million that wait for a person, `recent` finds the same input or
 * order within a day. `made` says whose each shipment is: its key is the lock of an id. `given` has the other names that the service gave
 * (subscriptions, and tracking numbers behind a ~), and `~imported HASH` for each file that was imported whole. `facts` has what happened
 * after claim and first answer; only pruning changes its rows. `lists` has each list of orders, and who writes it (lists of other
 * machines have numbers below 1), `listed` the orders of each list, `label_files` PDFs in base64. `found_by` has the words by which a
 * booking is found, and is narrow, because a search reads all of it. `restorations` has what persons said about a journal that was put
 * back.
 */
export function tables(dialect: Record<'integer' | 'counter' | 'end' | 'keyed', string>): string {
  const { integer, counter, end, keyed } = dialect;
  const columns = STORED.map(([key, { start, isNeverNull }]) => {
    const type = `${columnName(key)} ${isNumber(key) ? integer : 'TEXT'}`;
    if (start !== undefined) return `${type} NOT NULL DEFAULT '${start}'`;
    return isNeverNull ? `${type} NOT NULL` : type;
  });
  return `
  CREATE TABLE bookings (number ${counter}, ${columns.join(', ')}, UNIQUE (id)) ${end};
  ${ONE_KEY_INDEX};
  CREATE INDEX same_key ON bookings (key_id) WHERE key_id IS NOT NULL;
  CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key_id IS NULL;
  CREATE INDEX record_names ON bookings (record_name) WHERE record_name >= 'rec_';
  CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
  CREATE INDEX dear ON bookings (number) WHERE state IN ('created', 'partial') AND over_price = 1;
  CREATE INDEX key_holders ON bookings (key_holder) WHERE key_holder IS NOT NULL;
  CREATE INDEX recent ON bookings (at, fingerprint, order_fingerprint);
  CREATE TABLE labels (
    address TEXT NOT NULL,
    account TEXT NOT NULL,
    shipment TEXT NOT NULL,
    leg TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    printed_at ${integer},
    printed_in TEXT,
    printing_by TEXT,
    printing_since ${integer},
    PRIMARY KEY (${TABLES.labels.primaryKey})
  ) ${end};
  CREATE INDEX labels_of ON labels (booking);
  CREATE INDEX labelled ON labels (shipment);
  CREATE INDEX printing ON labels (leg, shipment) WHERE printing_by IS NOT NULL;
  CREATE TABLE made (
    shipment TEXT NOT NULL,
    leg TEXT NOT NULL,
    address TEXT NOT NULL,
    account TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    PRIMARY KEY (${TABLES.made.primaryKey})
  ) ${keyed};
  CREATE TABLE given (
    name TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    PRIMARY KEY (${TABLES.given.primaryKey})
  ) ${keyed};
  CREATE TABLE facts (
    number ${counter},
    booking TEXT NOT NULL REFERENCES bookings (id),
    at ${integer} NOT NULL,
    kind TEXT NOT NULL,
    other TEXT,
    said TEXT NOT NULL,
    private TEXT NOT NULL
  ) ${end};
  CREATE INDEX facts_of ON facts (booking);
  CREATE INDEX facts_naming ON facts (other) WHERE other IS NOT NULL;
  CREATE TABLE label_files (
    booking TEXT NOT NULL REFERENCES bookings (id),
    leg TEXT NOT NULL,
    pdf TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (${TABLES.label_files.primaryKey})
  ) ${end};
  CREATE INDEX same_labels ON label_files (hash);
  CREATE TABLE found_by (
    number ${integer} PRIMARY KEY,
    person TEXT NOT NULL,
    names TEXT NOT NULL
  ) ${end};
  CREATE TABLE lists (
    name TEXT NOT NULL,
    number ${integer} NOT NULL,
    at ${integer} NOT NULL,
    person TEXT NOT NULL,
    run TEXT,
    writing TEXT,
    writing_by TEXT,
    writing_until ${integer},
    PRIMARY KEY (${TABLES.lists.primaryKey})
  ) ${end};
  CREATE TABLE listed (
    booking TEXT NOT NULL REFERENCES bookings (id),
    name TEXT NOT NULL,
    number ${integer} NOT NULL,
    PRIMARY KEY (${TABLES.listed.primaryKey})
  ) ${keyed};
  CREATE INDEX orders_of_list ON listed (name, number);
  CREATE TABLE restorations (
    number ${counter},
    id TEXT NOT NULL UNIQUE,
    at ${integer} NOT NULL,
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    run TEXT,
    missing_since ${integer}
  ) ${end};`;
}

/** How a journal is opened. It may be new, or have lost bookings that it held. */
export interface Opening {
  /** `--new-journal`: a journal is made if there is none, or if all that it held is gone. */
  asNew?: boolean;
  /** Why a missing journal is an error, and none is made. */
  mustExist?: MustExist | undefined;
  /** What a person says who knows that the journal was put back to an older state, or moved: what it holds counts from now on. */
  restored?: Restoring;
  /** Gets the failure of a journal that has lost bookings and can still be used. Otherwise that failure is thrown. */
  onLost?(failure: Failure): void;
  /** Is it an error if nobody can tell whether the journal was put back, moved or taken over? */
  mustTell?: boolean;
  /** Gets a notice that a person should look into although the journal can be used. */
  warn?(notice: Notice): void;
  /**
   * The journal is opened to be read, and not made. A user who may write opens it as a booking does; a user who may not still reads it,
   * and `isReadOnly` says so.
   */
  toRead?: boolean;
  /** With `toRead`: nothing is written, not even a row, a file beside the journal, or what this machine remembers of the journal. */
  isUntouched?: boolean;
  /** The journal is used although its bookings were moved to a shared journal: bookings of demo were not, and a move may go on. */
  evenMoved?: boolean;
}

/** What `onLost` is if nobody gives it: throws the failure. */
export function throwLoss(failure: Failure): never {
  throw failure;
}

/** There is no journal in a database that was opened `toRead`, and none is made. */
export class NoTables extends Failure {
  constructor(journal: string) {
    super('not_found', { kind: 'journal-has-no-tables', journal });
  }
}

/** The failure of a journal whose tables are not of this version. */
export const otherVersion = (journal: string, engine: 'SQLite' | 'PostgreSQL', version: number): Failure =>
  new Failure('storage', {
    kind: 'journal-of-other-version',
    journal,
    engine,
    version,
    supported: SCHEMA_VERSION,
  });

export const lostBookings = (journal: string, loss: JournalLoss): Failure =>
  new Failure('storage', { kind: 'journal-lost-bookings', journal, ...loss });

// What persons said about a journal that was put back to an older state, or moved: bookings may be missing in it, and it is
// used all the same.

/** Who says that the journal was put back or moved, why, and in which run. */
export interface Restoring {
  by: string;
  reason: string;
  run: string | null;
}

export interface Restoration extends Restoring {
  /** When the person said so, in ms since 1970. */
  at: number;
  /** The time of the last booking before the bookings that may be missing; `null`: there is none. */
  missingSince: number | null;
}

/**
 * Records that the journal was put back, and gives the id of the record. `now`: the time of the journal's clock. `lastSeen`: the time of
 * a booking that is missing, if one is known; newer bookings in the journal were made after it was put back. Imported bookings say
 * nothing about what this journal held.
 */
export async function recordRestoration(
  db: Pick<Db, 'run'>,
  restoring: Restoring,
  now: Sql,
  lastSeen = Number.MAX_SAFE_INTEGER,
): Promise<string> {
  const { by, reason, run } = restoring;
  const id = randomUUID();
  await db.run(sql`INSERT INTO restorations (id, at, person, reason, run, missing_since)
    SELECT ${id}, ${now}, ${by}, ${reason}, ${run},
      (SELECT MAX(at) FROM bookings WHERE at <= ${lastSeen} AND fingerprint <> ${INPUT_UNKNOWN})`);
  return id;
}

/** What persons said about a journal that was put back or moved, the oldest first. */
export const restorations = (db: Db): Promise<Restoration[]> =>
  db.rows(sql`SELECT CAST(at AS float8) AS at, person AS by, reason, run,
    CAST(missing_since AS float8) AS "missingSince" FROM restorations ORDER BY number`);

/** The longest text that is indexed as it is, in bytes of UTF-8. PostgreSQL refuses a row whose indexed text is longer than 2,704. */
const LONGEST_INDEXED = 200;

/**
 * A text from outside, such as an id that the service gives, as both databases index it: a longer one is replaced by its
 * hash, so that no answer is too long to be recorded. The record itself has the whole text.
 */
export const indexed = (text: string): string =>
  text.length * 3 <= LONGEST_INDEXED || Buffer.byteLength(text) <= LONGEST_INDEXED
    ? text
    : `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A shipment as one text: its leg, and its id as `indexed` gives it. */
export const indexedShipment = (legShipment: LegShipment): string =>
  `${legShipment.leg} ${indexed(legShipment.shipment)}`;
