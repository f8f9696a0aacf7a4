// Which shipments are under way: those that nobody has seen at an end of their journey. Who reads a shipment records it.
import { comparable } from '../contract/words.ts';
import type { Booking, Ids, Scope } from './booking.ts';
import type { Dialect } from './dialect.ts';
import { indexed } from './indexed.ts';
import { bookingsWhere } from './rules.ts';
import { rowsOf, type Sql, type Steps, sql } from './sql.ts';

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

/** As both databases store it. */
const stored = (milestone: string): string => indexed(comparable(milestone));

/** Few enough for one statement. */
const WRITTEN_AT_ONCE = 500;

/** Those of shipments that are not booked here change nothing. */
export function* recordSeen(db: Dialect, scope: Scope, sightings: readonly Sighting[]): Steps<void> {
  const milestones = new Map<string, string[]>();
  for (const { shipment, milestone } of sightings) {
    const word = stored(milestone);
    milestones.set(word, [...(milestones.get(word) ?? []), indexed(shipment)]);
  }
  // Sorted, so that two processes never wait for each other.
  for (const [word, shipments] of [...milestones].sort())
    for (let at = 0; at < shipments.length; at += WRITTEN_AT_ONCE)
      yield* add(db, scope, shipments.slice(at, at + WRITTEN_AT_ONCE), word);
}

/** Step by step: as one statement, a database without statistics may read all bookings for each shipment. */
function* add(db: Dialect, scope: Scope, shipments: readonly string[], word: string): Steps<void> {
  const isMade = db.isOneOf('made.id', shipments);
  const made = yield* rowsOf<{ booking: string }>(sql`SELECT booking FROM made WHERE ${isMade}`);
  const isOne = db.isOneOf(
    'id',
    made.map(({ booking }) => booking),
  );
  const own = yield* rowsOf<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${isOne} AND ${isOf(scope)} AND ${IS_SHIPPED}`,
  );
  const isOwn = db.isOneOf(
    'booking',
    own.map(({ id }) => id),
  );
  yield sql`INSERT INTO seen SELECT booking, id, ${word} FROM made WHERE ${isMade} AND ${isOwn}
    ORDER BY booking, id ON CONFLICT DO NOTHING`;
}

const IS_SHIPPED = sql`key_space = 'shipment' AND state IN ('created', 'partial')`;

/** Newest first, a page of the journal: fewer than `limit` are the last ones. */
export function* underWay(
  db: Dialect,
  scope: Scope,
  { since, ends, before, limit }: UnderWayFilter,
): Steps<{ booking: Booking; ids: Ids }[]> {
  const isEnd = db.isOneOf('milestone', ends.map(stored));
  const older =
    before === undefined ? sql`true` : sql`number < (SELECT number FROM bookings WHERE id = ${before})`;
  const bookings = yield* bookingsWhere(
    db,
    sql`${IS_SHIPPED} AND ${isOf(scope)} AND ${bookedSince(since)} AND ${older} AND ${hasMore(isEnd)}
      ORDER BY number DESC LIMIT ${limit}`,
  );
  const seen = yield* rowsOf<{ booking: string; shipment: string }>(
    sql`SELECT booking, shipment FROM seen WHERE ${isEnd} AND ${db.isOneOf(
      'booking',
      bookings.map(({ id }) => id),
    )}`,
  );
  const ended = new Set(seen.map(({ booking, shipment }) => `${booking} ${shipment}`));
  return bookings.map(booking => {
    const left = Object.entries(booking.ids).filter(([, id]) => !ended.has(`${booking.id} ${indexed(id)}`));
    return { booking, ids: Object.fromEntries(left) };
  });
}

// The concatenation and the additions keep databases from indexes by which they would read and sort all bookings.
const isOf = ({ address, account }: Scope): Sql =>
  sql`address || '' = ${address} AND account || '' = ${account}`;

const bookedSince = (since: number): Sql =>
  sql`at + 0 >= ${Math.floor(since)} AND number >= COALESCE(
    (SELECT MIN(number + 0) FROM bookings WHERE at >= ${Math.floor(since)}), 0)`;

/**
 * Were not all of its shipments seen at an end? What was settled may have had other shipments before, so it is looked at
 * one by one.
 */
const hasMore = (isEnd: Sql): Sql =>
  sql`(settlements <> '[]' OR (SELECT COUNT(DISTINCT shipment) FROM seen WHERE booking = bookings.id AND ${isEnd})
    < CASE operation WHEN 'ship-dual' THEN 2 ELSE 1 END)`;
