// What both journals do in the same way.
import type { Leg } from '../contract/operation.ts';
import type { Dialect } from './dialect.ts';
import type {
  Booking,
  BookingWithLabels,
  Filter,
  Ids,
  ImportResult,
  Intent,
  Journal,
  LookUpBy,
  Scope,
} from './journal.ts';
import { COLUMNS, HOLDS_KEY, IS_OPEN } from './row.ts';
import { bookingOfLabel, bookingsWhere, firstBooking, importBooking, inScope, obstacleTo } from './rules.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from './sql.ts';

interface RunOptions {
  /** A message about a failure says that nothing was sent. */
  beforeSending?: boolean;
  /** All of the steps take effect, or none. */
  atomic?: boolean;
}

/** Runs the steps of a method. Takes a function because steps that fail may be run again. Rejects with `storage`. */
export type Run = <T>(doing: 'read' | 'written', steps: () => Steps<T>, options?: RunOptions) => Promise<T>;

const FIRST: RunOptions = { beforeSending: true };

export const sharedMethods = (db: Dialect, run: Run): Omit<Journal, 'claim' | 'recordOutcome' | 'close'> => ({
  obstacle: intent => run('read', () => obstacleTo(db, intent), FIRST),
  latestBy: (scope, by, values) => run('read', () => latestBy(db, scope, by, values), FIRST),
  knownAmong: (keys, shipments) => run('read', () => knownAmong(db, keys, shipments), FIRST),
  byId: id => run('read', () => firstBooking(db, sql`id = ${id}`)),
  bookingOfLabel: (scope, shipment) => run('read', () => bookingOfLabel(db, scope, shipment)),
  bookingOf: (scope, id) => run('read', () => bookingOf(db, scope, id)),
  saveLabel: (id, leg, pdf, file) => run('written', () => db.saveLabel(id, leg, pdf, file)),
  savedLabel: (id, leg) => run('read', () => savedLabel(db, id, leg)),
  list: filter => run('read', () => list(db, filter)),
  labelledShipments: id => run('read', () => labelledShipments(id)),
  importBookings: bookings => run('written', () => importAll(bookings), { atomic: true }),
  prune: before => run('written', () => prune(before), { atomic: true }),
});

function* importAll(bookings: readonly BookingWithLabels[]): Steps<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const one of bookings) results.push(yield* importBooking(one));
  return results;
}

const labelledShipments = (id: string): Steps<Intent['labels'][number][]> =>
  rowsOf(sql`SELECT leg, shipment FROM labels WHERE booking = ${id} ORDER BY leg DESC`);

function* latestBy(
  db: Dialect,
  scope: Scope,
  by: LookUpBy,
  values: readonly string[],
): Steps<Map<string, Booking>> {
  // The concatenation keeps SQLite from an index by which it would read all bookings of the account.
  const condition =
    by === 'source'
      ? sql`${db.isOneOf('source', values)} AND source IS NOT NULL AND key IS NULL
          AND address || '' = ${scope.address} AND account || '' = ${scope.account}`
      : sql`${inScope(scope)} AND key_space = ${by.keySpace} AND ${db.isOneOf('key', values)}`;
  // The last of a key or source counts. The one that holds it comes last, even if an imported one is newer.
  const bookings = yield* bookingsWhere(
    db,
    sql`${condition} ORDER BY (${HOLDS_KEY}), number`,
    COLUMNS.replace(' request,', ' NULL AS request,'),
  );
  return new Map(bookings.map(booking => [(by === 'source' ? booking.source : booking.key) ?? '', booking]));
}

function* knownAmong(db: Dialect, keys: readonly string[], shipments: readonly string[]): Steps<Set<string>> {
  const rows = yield* rowsOf<{ word: string }>(
    sql`SELECT key AS word FROM bookings WHERE ${db.isOneOf('key', keys)} AND ${HOLDS_KEY}
      UNION SELECT id FROM made WHERE ${db.isOneOf('id', shipments)}
      UNION SELECT shipment FROM labels WHERE ${db.isOneOf('shipment', shipments)}`,
  );
  return new Set(rows.map(({ word }) => word));
}

function* bookingOf(
  db: Dialect,
  scope: Scope,
  id: string,
): Steps<{ booking: Booking; kind: keyof Ids } | undefined> {
  const booking = yield* firstBooking(
    db,
    sql`${inScope(scope)} AND id IN (SELECT booking FROM made WHERE made.id = ${id}) ORDER BY number DESC`,
  );
  const kind = booking && (Object.keys(booking.ids) as (keyof Ids)[]).find(name => booking.ids[name] === id);
  return kind && { booking, kind };
}

function* savedLabel(db: Dialect, id: string, leg: Leg): Steps<Uint8Array | undefined> {
  const row = yield* firstOf<{ pdf: unknown }>(
    sql`SELECT pdf FROM label_files WHERE booking = ${id} AND leg = ${leg}`,
  );
  return row && db.pdfOf(row.pdf);
}

function* list(
  db: Dialect,
  { states = [], operation, key, since, until, limit, before }: Filter,
): Steps<Booking[]> {
  // A pending booking may turn out to be unknown, so all of them are read before the filter applies.
  if (!db.recordLost) yield* bookingsWhere(db, sql`${IS_OPEN} AND state = 'pending'`);
  const conditions: Sql[] = [sql`true`];
  // Written out, so that the databases can use their indexes.
  if (states.length > 0) conditions.push(raw(`state IN (${states.map(state => `'${state}'`).join(', ')})`));
  if (states.length > 0 && states.every(state => state === 'pending' || state === 'unknown'))
    conditions.push(IS_OPEN);
  if (operation !== undefined) conditions.push(sql`operation = ${operation}`);
  if (key !== undefined) conditions.push(sql`key = ${key}`);
  if (since !== undefined) conditions.push(sql`at >= ${Math.floor(since)}`);
  if (until !== undefined) conditions.push(sql`at <= ${Math.floor(until)}`);
  if (before !== undefined) conditions.push(sql`number < (SELECT number FROM bookings WHERE id = ${before})`);
  const condition = conditions.reduce((all, one) => sql`${all} AND ${one}`);
  const end = limit === undefined ? sql`` : sql`LIMIT ${limit}`;
  return yield* bookingsWhere(db, sql`${condition} ORDER BY number DESC ${end}`);
}

function* prune(before: number): Steps<number> {
  const old = sql`at < ${Math.floor(before)} AND NOT ${IS_OPEN}`;
  yield sql`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${old})`;
  const { changed } = yield sql`UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}'
    WHERE ${old} AND (request IS NOT NULL OR answer IS NOT NULL)`;
  return changed;
}
