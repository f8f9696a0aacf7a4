// How bookings are looked up: the same for both databases.
import { keyIdentity } from '../contract/key.ts';
import type { Leg } from '../contract/operation.ts';
import type { OperationCommand } from '../contract/operations.ts';
import { comparable } from '../contract/words.ts';
import type { Booking, Ids, Intent, Scope } from './booking.ts';
import { bookingsWhere, HOLDS_KEY, IS_OPEN, identityOf, inScope, twinsOf } from './claim.ts';
import { selected, WITHOUT_BODIES } from './columns.ts';
import type { Db } from './database.ts';
import { indexed } from './indexed.ts';
import { allOf, raw, type Sql, sql } from './sql.ts';
import type { Filter, JournalSize, LookUpBy } from './types.ts';
import { trackingName } from './words.ts';

/** Those with this id, key, id from the service or tracking number, the newest first. */
export const named = (db: Db, ref: string): Promise<Booking[]> =>
  bookingsWhere(
    db,
    // A union, so that each of them is looked up in its own index. Shops write `#5001`, and people type `5001`.
    sql`number IN (SELECT number FROM bookings WHERE id = ${ref}
        UNION SELECT number FROM bookings WHERE ${db.isOneOf('key_id', [keyIdentity(ref), `#${keyIdentity(ref)}`])}
        UNION SELECT number FROM made JOIN bookings ON bookings.id = booking
          WHERE ${db.isOneOf('made.id', [indexed(ref), trackingName(ref)])})
      ORDER BY number DESC`,
  );

export async function twins(
  db: Db,
  scope: Scope,
  operation: OperationCommand,
  fingerprints: readonly string[],
): Promise<Map<string, Booking>> {
  const found = await twinsOf(db, scope, operation, fingerprints, WITHOUT_BODIES);
  return new Map(found.toReversed().map(booking => [booking.fingerprint, booking]));
}

export async function latestBy(
  db: Db,
  scope: Scope,
  by: LookUpBy,
  values: readonly string[],
): Promise<Map<string, Booking>> {
  const condition =
    by === 'source'
      ? sql`${db.isOneOf('source', values)} AND source IS NOT NULL AND key_id IS NULL AND ${isOf(scope)}`
      : by === 'recordName'
        ? sql`${db.isOneOf('record_name', values)} AND record_name IS NOT NULL AND ${isOf(scope)}`
        : sql`${inScope(scope)} AND key_space = ${by.keySpace} AND ${db.isOneOf('key_id', values)}`;
  // The last of each value counts. The one that holds its key comes last, even if an imported one is newer.
  const bookings = await bookingsWhere(
    db,
    sql`${condition} ORDER BY (${HOLDS_KEY}), number`,
    selected('request'),
  );
  const lookedUp = (booking: Booking) => (typeof by === 'string' ? booking[by] : identityOf(booking.key));
  return new Map(bookings.map(booking => [lookedUp(booking) ?? '', booking]));
}

// The concatenation keeps SQLite from an index by which it would read all bookings of the account.
const isOf = ({ address, account }: Scope): Sql =>
  sql`address || '' = ${address} AND account || '' = ${account}`;

export async function knownAmong(
  db: Db,
  scope: Scope,
  keySpace: string,
  keys: readonly string[],
  shipments: readonly string[],
): Promise<Set<string>> {
  // step: known bookings asked
  const ids = shipments.map(indexed);
  const within = sql`${inScope(scope)} AND key_space = ${keySpace}`;
  // A shipment that is only labelled here has no key here, and one that is only booked here has no label here.
  const known =
    keySpace === 'label'
      ? sql`SELECT shipment FROM labels WHERE ${inScope(scope)} AND ${db.isOneOf('shipment', ids)}`
      : sql`SELECT id FROM made WHERE ${db.isOneOf('id', ids)}
          AND EXISTS (SELECT 1 FROM bookings WHERE bookings.id = made.booking AND ${within})`;
  const rows = await db.rows<{ word: string }>(
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

export async function bookingOf(
  db: Db,
  scope: Scope,
  id: string,
): Promise<{ booking: Booking; kind: keyof Ids } | undefined> {
  const bookings = await bookingsWhere(
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

export const labelledShipments = (db: Db, id: string): Promise<Intent['labels'][number][]> =>
  db.rows(sql`SELECT leg, shipment FROM labels WHERE booking = ${id} ORDER BY leg DESC`);

export async function savedLabel(db: Db, id: string, leg: Leg): Promise<Uint8Array | undefined> {
  const row = await db.first<{ pdf: string }>(
    sql`SELECT pdf FROM label_files WHERE booking = ${id} AND leg = ${leg}`,
  );
  return row && Buffer.from(row.pdf, 'base64');
}

export async function size(db: Db): Promise<JournalSize> {
  const counted = await db.first<JournalSize>(sql`SELECT CAST(count(*) AS float8) AS bookings,
    CAST((SELECT count(*) FROM bookings WHERE ${IS_OPEN} AND state = 'unknown') AS float8) AS "unknown",
    CAST(${db.bytes} AS float8) AS bytes FROM bookings`);
  return counted ?? { bookings: 0, unknown: 0, bytes: 0 };
}

export function list(db: Db, filter: Filter): Promise<Booking[]> {
  const { limit, before } = filter;
  const end = limit === undefined ? sql`` : sql`LIMIT ${limit}`;
  return bookingsWhere(
    db,
    sql`${conditionOf(filter)} AND number < ${startOf(before)} ORDER BY number DESC ${end}`,
  );
}

/** The number of a booking, before which a page begins. */
export const startOf = (before: string | undefined): Sql =>
  before === undefined
    ? sql`${Number.MAX_SAFE_INTEGER}`
    : sql`(SELECT number FROM bookings AS page WHERE page.id = ${before})`;

/** Without the page. */
export function conditionOf({ states = [], operation, key, since, until }: Filter): Sql {
  const conditions: Sql[] = [];
  // Written out, so that the databases can use their indexes.
  if (states.length > 0) conditions.push(raw(`state IN (${states.map(state => `'${state}'`).join(', ')})`));
  if (states.length > 0 && states.every(state => state === 'pending' || state === 'unknown'))
    conditions.push(IS_OPEN);
  if (operation !== undefined) conditions.push(sql`operation = ${operation}`);
  if (key !== undefined) conditions.push(sql`key_id = ${keyIdentity(key)}`);
  if (since !== undefined) conditions.push(sql`at >= ${Math.floor(since)}`);
  if (until !== undefined) conditions.push(sql`at <= ${Math.floor(until)}`);
  return allOf(conditions);
}

/** Which shipments are under way. */
export interface UnderWayFilter {
  /** Booked since then, in ms since 1970. */
  since: number;
  /** The milestones that end a journey. */
  ends: readonly string[];
  /** The id of a booking: only older ones, which are the next page. */
  before?: string | undefined;
  limit: number;
}

/** A shipment that was seen at a milestone. */
export interface Sighting {
  shipment: string;
  milestone: string;
}

type Milestones = Readonly<Record<string, string>>;

const IS_SHIPPED = sql`key_space = 'shipment' AND state IN ('created', 'partial')`;

/** Those of shipments that are not booked here change nothing. */
export async function recordSeen(db: Db, scope: Scope, sightings: readonly Sighting[]): Promise<void> {
  const milestones = new Map(sightings.map(({ shipment, milestone }) => [shipment, comparable(milestone)]));
  const isMade = db.isOneOf('made.id', [...milestones.keys()].map(indexed));
  const rows = await db.rows<{ id: string; ids: string; milestones: string }>(
    // Sorted, so that two processes never wait for each other.
    sql`SELECT id, ids, milestones FROM bookings WHERE id IN (SELECT booking FROM made WHERE ${isMade})
      AND ${isOf(scope)} AND ${IS_SHIPPED} ORDER BY number ${db.forUpdate}`,
  );
  for (const { id, ...row } of rows) {
    const known: Milestones = JSON.parse(row.milestones);
    const seen = { ...known };
    for (const shipment of Object.values<string>(JSON.parse(row.ids))) {
      const milestone = milestones.get(shipment);
      if (milestone !== undefined) seen[shipment] = milestone;
    }
    const text = JSON.stringify(seen);
    if (text !== row.milestones) await db.run(sql`UPDATE bookings SET milestones = ${text} WHERE id = ${id}`);
  }
}

/** How many bookings are read at a time. */
const PAGE = 500;

/** Newest first, a page of the journal: fewer than `limit` are the last ones. */
export async function underWay(
  db: Db,
  scope: Scope,
  { since, ends, before, limit }: UnderWayFilter,
): Promise<{ booking: Booking; ids: Ids }[]> {
  const isEnd = new Set(ends.map(comparable));
  const found: { booking: Booking; ids: Ids }[] = [];
  let start = before;
  for (let count = PAGE; count === PAGE && found.length < limit; ) {
    const page = await bookingsWhere(
      db,
      sql`${IS_SHIPPED} AND ${isOf(scope)} AND ${bookedSince(since)} AND number < ${startOf(start)}
        ORDER BY number DESC LIMIT ${PAGE}`,
    );
    for (const booking of page) {
      const left = Object.entries(booking.ids).filter(([, id]) => !isEnd.has(booking.milestones[id] ?? ''));
      if (left.length > 0) found.push({ booking, ids: Object.fromEntries(left) });
    }
    count = page.length;
    start = page.at(-1)?.id;
  }
  return found.slice(0, limit);
}

// The additions keep databases from indexes by which they would read and sort all bookings.
const bookedSince = (since: number): Sql =>
  sql`at + 0 >= ${Math.floor(since)} AND number >= COALESCE(
    (SELECT MIN(number + 0) FROM bookings WHERE at >= ${Math.floor(since)}), 0)`;
