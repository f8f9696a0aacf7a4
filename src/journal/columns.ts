// The columns of a booking, each told once: the tables of both databases, every SELECT and INSERT, what an outcome writes,
// and how a row becomes a booking follow from this.
import { OPERATIONS } from '../contract/operations.ts';
import { FAILURES } from '../errors.ts';
import { type Booking, STATES } from './booking.ts';
import { list, raw, type Sql, sql, type Value } from './database.ts';

interface Column {
  name: string;
  /** A `flag` is 0 or 1, `json` is text. */
  kind: 'text' | 'number' | 'flag' | 'json';
  isNeverNull?: true;
  /** What a new row has; it is never null, either. */
  start?: string;
  /** Other text is damage. */
  allowed?: readonly string[];
  /** Only the journal has it, and not its bookings. */
  isInner?: true;
  /** Is it written by the claim, or with the outcome? Others are written later. */
  by?: 'claim' | 'outcome';
}

const text = (name: string, more: Partial<Column> = {}): Column => ({ name, kind: 'text', ...more });
const claim = { by: 'claim' } as const;
const always = { by: 'claim', isNeverNull: true } as const;
const outcome = { by: 'outcome' } as const;

const COLUMNS = {
  id: text('id', always),
  address: text('address', always),
  account: text('account', always),
  operation: text('operation', { ...always, allowed: Object.values(OPERATIONS).map(one => one.command) }),
  keySpace: text('key_space', always),
  key: text('key', claim),
  /** What is compared of the key. */
  keyId: text('key_id', { isInner: true, ...claim }),
  fingerprint: text('fingerprint', always),
  source: text('source', claim),
  recordName: text('record_name', claim),
  profile: text('profile', claim),
  sandbox: { name: 'sandbox', kind: 'flag', ...always },
  run: text('run', claim),
  actor: text('actor', claim),
  maxPrice: text('max_price', claim),
  expected: text('expected', claim),
  at: { name: 'at', kind: 'number', ...always },
  leaseUntil: { name: 'lease_until', kind: 'number', isInner: true, ...always },
  holder: { name: 'holder', kind: 'json', ...always },
  state: text('state', { start: 'pending', allowed: STATES, ...outcome }),
  settledAt: { name: 'settled_at', kind: 'number', ...outcome },
  code: text('code', { allowed: Object.keys(FAILURES), ...outcome }),
  httpStatus: { name: 'http_status', kind: 'number', ...outcome },
  overPrice: { name: 'over_price', kind: 'flag', ...outcome },
  charged: text('charged', outcome),
  why: text('why', { start: '', ...outcome }),
  ids: { name: 'ids', kind: 'json', start: '{}', ...outcome },
  labels: { name: 'labels', kind: 'json', start: '{}', ...outcome },
  overtakenBy: text('overtaken_by'),
  /** The milestones of ends at which its shipments were seen, as `{"S-1":["delivered"]}`. */
  milestones: { name: 'milestones', kind: 'json', start: '{}' },
  handover: { name: 'handover', kind: 'json' },
  files: { name: 'files', kind: 'json', start: '{}' },
  settlements: { name: 'settlements', kind: 'json', start: '[]' },
  // The longest come last: SQLite need not read them to find the others.
  request: { name: 'request', kind: 'json', ...claim },
  answer: text('answer', outcome),
} as const satisfies Record<keyof Booking, Column> & Record<string, Column>;

export type Key = keyof typeof COLUMNS;
const ALL = Object.entries(COLUMNS) as [Key, Column][];

const keysBy = (by: Column['by']): readonly Key[] =>
  ALL.filter(([, one]) => one.by === by).map(([key]) => key);

export const columnName = (key: Key): string => COLUMNS[key].name;

/** What an outcome writes. */
export const OUTCOME = keysBy('outcome');

export const isNumber = (key: Key): boolean => ['number', 'flag'].includes(COLUMNS[key].kind);

/** The columns of a CREATE TABLE. `integer`: the type of whole numbers. */
export const columnTypes = (integer: string): string =>
  ALL.map(([key, { name, start, isNeverNull }]) => {
    const type = `${name} ${isNumber(key) ? integer : 'TEXT'}`;
    if (start !== undefined) return `${type} NOT NULL DEFAULT '${start}'`;
    return isNeverNull ? `${type} NOT NULL` : type;
  }).join(', ');

/** A row as both databases give it. */
export type Row = { [key in Key]: string | number | null } & { id: string };

/** The columns of a SELECT. `without`: long ones that are read as null. */
export const selected = (...without: Key[]): string =>
  ALL.map(([key, { name }]) => {
    if (without.includes(key)) return `NULL AS "${key}"`;
    // The cast is for PostgreSQL, which gives bigint as text.
    return `${isNumber(key) ? `CAST(${name} AS float8)` : name} AS "${key}"`;
  }).join(', ');

export const EVERYTHING = selected();

/** The columns of a SELECT from a table of any version: what it has no column for is as in a new row. */
export const selectedOf = (names: readonly string[]): string =>
  ALL.map(([key, { name, start }]) =>
    names.includes(name)
      ? `${name} AS "${key}"`
      : `${start === undefined ? 'NULL' : `'${start}'`} AS "${key}"`,
  ).join(', ');

/** The columns without request and answer, which are long. */
export const WITHOUT_BODIES = selected('request', 'answer');

/** What a booking has in a column, as it is stored. */
export function stored(key: Key, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const { kind } = COLUMNS[key];
  if (kind === 'json') return JSON.stringify(value);
  return kind === 'flag' ? Number(value) : (value as Value);
}

/** A new row, by the keys of its columns. */
type NewRow = { readonly [key in Key]?: Value | Sql };

/** Gives the function that writes bookings, but for those whose id is known or whose key is held. */
function insertionOf(keys: readonly Key[]): (rows: readonly NewRow[]) => Sql {
  const names = raw(keys.map(columnName).join(', '));
  return rows => {
    const values = list(rows.map(row => sql`(${list(keys.map(key => row[key] ?? null))})`));
    return sql`INSERT INTO bookings (${names}) VALUES ${values} ON CONFLICT DO NOTHING`;
  };
}

/** What a claim writes. */
export const claimsInserted = insertionOf(keysBy('claim'));

const everyBooking = insertionOf(ALL.map(([key]) => key));

/** A whole booking, as it was somewhere else. `keyId`: what is compared of its key. */
export const bookingInserted = (booking: Booking, keyId: string | null): Sql => {
  const row = { ...booking, keyId, leaseUntil: 0 };
  return everyBooking([
    Object.fromEntries(ALL.map(([key]) => [key, stored(key, row[key as keyof typeof row])])) as NewRow,
  ]);
};

const SET = [...OUTCOME.map((key, index) => `${index > 0 ? ', ' : ''}${columnName(key)} = `), ''];

/** The SET of an UPDATE that records an outcome: a value for each column of `OUTCOME`. */
export const outcomeSet = (values: readonly (Value | Sql)[]): Sql => ({ texts: SET, parts: values });

/** The booking of a row. Throws an error that names what is damaged, as a disk may leave it. */
export function bookingFrom(row: Row): Booking {
  const booking: Record<string, unknown> = {};
  for (const [key, column] of ALL)
    if (!column.isInner) booking[key] = row[key] === null ? null : read(row, key, column);
  // The statement that finds lost bookings writes a time.
  if (row.state === 'unknown') booking.settledAt = null;
  return booking as unknown as Booking;
}

function read(row: Row, key: Key, { kind, allowed }: Column): unknown {
  const value = row[key];
  if (kind === 'flag') return value === 1;
  if (kind === 'json') return jsonIn(row.id, key, String(value));
  if (allowed && !allowed.includes(String(value))) throw damaged(row.id, key);
  return value;
}

/** The value of a column of JSON, of the booking `id`. Throws an error that names it if it is damaged. */
export function jsonIn<Value>(id: string, key: Key, text: string): Value {
  const { start, isNeverNull }: Column = COLUMNS[key];
  // A request is what a person gave; all others are objects and lists that are written here.
  const isOurs = start !== undefined || isNeverNull;
  try {
    const value = JSON.parse(text);
    if (!isOurs || (typeof value === 'object' && value !== null)) return value;
  } catch {
    // It is named below.
  }
  throw damaged(id, key);
}

const damaged = (id: string, key: Key): Error =>
  new Error(`it is damaged: the "${key}" of booking ${id} is not what waybill writes`);
