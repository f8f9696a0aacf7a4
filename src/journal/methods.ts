// What both journals do in the same way.
import { keyIdentity } from '../contract/key.ts';
import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import type { Booking, Ids, Intent, Scope } from './booking.ts';
import type { Dialect } from './dialect.ts';
import type { Pace } from './in-steps.ts';
import { indexed } from './indexed.ts';
import type { BookingWithLabels, ImportResult, Journal, JournalSize, LookUpBy } from './journal.ts';
import { list, seeLost } from './list.ts';
import { orderOf, orders } from './orders.ts';
import { prune } from './prune.ts';
import { obstaclesTo, settle } from './record-settlement.ts';
import { restorations } from './restorations.ts';
import { COLUMNS, HOLDS_KEY, IS_OPEN, WITHOUT_BODIES } from './row.ts';
import {
  bookingOfLabel,
  bookingsWhere,
  firstBooking,
  identityOf,
  importBooking,
  inScope,
  labelOf,
  obstacleTo,
  twinsOf,
} from './rules.ts';
import type { Run, RunOptions } from './run.ts';
import { firstOf, rowsOf, type Steps, sql } from './sql.ts';
import { recordSeen, underWay } from './under-way.ts';
import { trackingName } from './words.ts';

const FIRST: RunOptions = { beforeSending: true };

export const sharedMethods = (
  db: Dialect,
  run: Run,
  pace: Pace,
): Omit<Journal, 'claim' | 'fence' | 'recordOutcome' | 'backup' | 'close'> => ({
  obstacle: intent => run('read', () => obstacleTo(db, intent), FIRST),
  twins: (scope, operation, fingerprints) =>
    run('read', () => twins(db, scope, operation, fingerprints), FIRST),
  latestBy: (scope, by, values) => run('read', () => latestBy(db, scope, by, values), FIRST),
  knownAmong: (scope, keySpace, keys, shipments) =>
    run('read', () => knownAmong(db, scope, keySpace, keys, shipments), FIRST),
  obstaclesTo: settlements => run('read', () => obstaclesTo(db, settlements), { atomic: true }),
  settle: settlements => run('written', () => settle(db, settlements), { atomic: true }),
  byId: id => run('read', () => firstBooking(db, sql`id = ${id}`)),
  named: ref => run('read', () => named(db, ref)),
  bookingOfLabel: (scope, shipment) => run('read', () => bookingOfLabel(db, scope, shipment)),
  bookingOf: (scope, id) => run('read', () => bookingOf(db, scope, id)),
  holdersOf: (scope, shipment) => run('read', () => holdersOf(db, scope, shipment)),
  saveLabel: (id, leg, pdf, file) => run('written', () => db.saveLabel(id, leg, pdf, file)),
  savedLabel: (id, leg) => run('read', () => savedLabel(db, id, leg)),
  list: filter => run('read', () => list(db, filter)),
  orders: filter => run('read', () => orders(db, filter)),
  orderOf: booking => run('read', () => orderOf(db, booking)),
  labelledShipments: id => run('read', () => labelledShipments(id)),
  underWay: (scope, filter) => run('read', () => underWay(db, scope, filter)),
  recordSeen: (scope, sightings) => run('written', () => recordSeen(db, scope, sightings), { atomic: true }),
  importBookings: bookings => run('written', () => importAll(db, bookings), { atomic: true }),
  size: () => run('read', () => size(db)),
  restorations: () => run('read', restorations),
  prune: before => prune(db, run, pace, before),
});

// A union, so that each of them is looked up in its own index. Shops write `#5001`, and people type `5001`.
const named = (db: Dialect, ref: string): Steps<Booking[]> =>
  bookingsWhere(
    db,
    sql`number IN (SELECT number FROM bookings WHERE id = ${ref}
        UNION SELECT number FROM bookings WHERE ${db.isOneOf('key_id', [keyIdentity(ref), `#${keyIdentity(ref)}`])}
        UNION SELECT number FROM made JOIN bookings ON bookings.id = booking
          WHERE ${db.isOneOf('made.id', [indexed(ref), trackingName(ref)])})
      ORDER BY number DESC`,
  );

function* importAll(db: Dialect, bookings: readonly BookingWithLabels[]): Steps<ImportResult[]> {
  const results: ImportResult[] = [];
  for (const one of bookings) results.push(yield* importBooking(db, one));
  return results;
}

const labelledShipments = (id: string): Steps<Intent['labels'][number][]> =>
  rowsOf(sql`SELECT leg, shipment FROM labels WHERE booking = ${id} ORDER BY leg DESC`);

function* twins(
  db: Dialect,
  scope: Scope,
  operation: OperationCommand,
  fingerprints: readonly string[],
): Steps<Map<string, Booking>> {
  const found = (yield* twinsOf(db, scope, operation, fingerprints, WITHOUT_BODIES)) ?? [];
  return new Map(found.toReversed().map(booking => [booking.fingerprint, booking]));
}

function* latestBy(
  db: Dialect,
  scope: Scope,
  by: LookUpBy,
  values: readonly string[],
): Steps<Map<string, Booking>> {
  // The concatenation keeps SQLite from an index by which it would read all bookings of the account.
  const here = sql`address || '' = ${scope.address} AND account || '' = ${scope.account}`;
  const condition =
    by === 'source'
      ? sql`${db.isOneOf('source', values)} AND source IS NOT NULL AND key_id IS NULL AND ${here}`
      : by === 'recordName'
        ? sql`${db.isOneOf('record_name', values)} AND record_name IS NOT NULL AND ${here}`
        : sql`${inScope(scope)} AND key_space = ${by.keySpace} AND ${db.isOneOf('key_id', values)}`;
  // The last of each value counts. The one that holds its key comes last, even if an imported one is newer.
  const bookings = yield* bookingsWhere(
    db,
    sql`${condition} ORDER BY (${HOLDS_KEY}), number`,
    COLUMNS.replace(' request,', ' NULL AS request,'),
  );
  const lookedUp = (booking: Booking) => (typeof by === 'string' ? booking[by] : identityOf(booking.key));
  return new Map(bookings.map(booking => [lookedUp(booking) ?? '', booking]));
}

function* knownAmong(
  db: Dialect,
  scope: Scope,
  keySpace: string,
  keys: readonly string[],
  shipments: readonly string[],
): Steps<Set<string>> {
  // step: known bookings asked
  const ids = shipments.map(indexed);
  const within = sql`${inScope(scope)} AND key_space = ${keySpace}`;
  // A shipment that is only labelled here has no key here, and one that is only booked here has no label here.
  const known =
    keySpace === 'label'
      ? sql`SELECT shipment FROM labels WHERE ${inScope(scope)} AND ${db.isOneOf('shipment', ids)}`
      : sql`SELECT id FROM made WHERE ${db.isOneOf('id', ids)}
          AND EXISTS (SELECT 1 FROM bookings WHERE bookings.id = made.booking AND ${within})`;
  const rows = yield* rowsOf<{ word: string }>(
    sql`SELECT key_id AS word FROM bookings WHERE ${within} AND ${db.isOneOf('key_id', keys.map(keyIdentity))}
        AND ${HOLDS_KEY}
      UNION ${known}`,
  );
  const found = new Set(rows.map(({ word }) => word));
  return new Set([
    ...keys.filter(key => found.has(keyIdentity(key))),
    ...shipments.filter(id => found.has(indexed(id))),
  ]);
}

function* bookingOf(
  db: Dialect,
  scope: Scope,
  id: string,
): Steps<{ booking: Booking; kind: keyof Ids } | undefined> {
  const bookings = yield* bookingsWhere(
    db,
    sql`${inScope(scope)} AND id IN (SELECT booking FROM made WHERE made.id = ${indexed(id)}) ORDER BY number DESC`,
  );
  // A newer one may have been said to have it, by mistake.
  for (const booking of bookings) {
    const kind = (Object.keys(booking.ids) as (keyof Ids)[]).find(name => booking.ids[name] === id);
    if (kind) return { booking, kind };
  }
  return undefined;
}

function* holdersOf(
  db: Dialect,
  scope: Scope,
  shipment: string,
): Steps<Awaited<ReturnType<Journal['holdersOf']>>> {
  const having = sql`${inScope(scope)} AND id IN (SELECT booking FROM made WHERE made.id = ${indexed(shipment)})
    AND ${HOLDS_KEY}`;
  // One may have had the id, and was reopened.
  const holders = (yield* bookingsWhere(db, sql`${having} ORDER BY number`)).filter(({ ids }) =>
    Object.values(ids).includes(shipment),
  );
  if (holders.length < 2) return { holders };
  const label = (yield* firstOf<{ booking: string }>(labelOf(scope, shipment)))?.booking;
  const earlier = yield* rowsOf<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${having} AND number < (SELECT number FROM bookings WHERE id = ${label ?? null})`,
  );
  const before = holders.filter(({ id }) => earlier.some(one => one.id === id));
  const [only] = before;
  const own = holders.find(({ id }) => id === label);
  return { holders, labelled: own ?? (before.length === 1 ? only : undefined) };
}

function* savedLabel(db: Dialect, id: string, leg: Leg): Steps<Uint8Array | undefined> {
  const row = yield* firstOf<{ pdf: unknown }>(
    sql`SELECT pdf FROM label_files WHERE booking = ${id} AND leg = ${leg}`,
  );
  return row && db.pdfOf(row.pdf);
}

function* size(db: Dialect): Steps<JournalSize> {
  yield* seeLost(db);
  const counted = yield* firstOf<JournalSize>(sql`SELECT CAST(count(*) AS float8) AS bookings,
    CAST((SELECT count(*) FROM bookings WHERE ${IS_OPEN} AND state = 'unknown') AS float8) AS "unknown",
    CAST(${db.bytes} AS float8) AS bytes FROM bookings`);
  return counted ?? { bookings: 0, unknown: 0, bytes: 0 };
}
