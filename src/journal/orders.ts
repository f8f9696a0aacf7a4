// Orders as people read them: newest first, with the labels that were made of them, and found by what is known of them.
import type { Leg } from '../contract/operation.ts';
import { type Booking, isAt, labelledBy, mayExist } from './booking.ts';
import { candidates } from './candidates.ts';
import type { Dialect } from './dialect.ts';
import type { Pace } from './in-steps.ts';
import { indexed } from './indexed.ts';
import type { Order, OrderFilter } from './journal.ts';
import { conditionOf, seeLost } from './list.ts';
import { COLUMNS, holdingList, WITHOUT_BODIES } from './row.ts';
import { bookingsWhere } from './rules.ts';
import type { Run } from './run.ts';
import { indexAll, indexedUntil } from './search.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from './sql.ts';
import { isSought, termsOf } from './words.ts';

/** How many bookings are read at a time when only some of them are wanted. */
const READ_AT_ONCE = 500;
/** How many numbers of a frequent word are collected at a time, at most: they take some 50 bytes each. */
const MOST_NUMBERS = 400_000;
/** After so many of these pages others get their turn. */
const PAGES_AT_ONCE = 10;

/** The operation that makes labels of shipments which another booking made. */
const LABELS = 'label';

// The concatenation keeps SQLite from an index of addresses, by which it would read and sort all bookings.
const DEMO = raw("address || '' IN ('demo', 'demo/sandbox')");

/** A label that was made, of a shipment that is here: it is shown with its shipment. CROSS JOIN keeps the order in SQLite. */
const IS_PART = raw(`operation = '${LABELS}' AND state = 'created' AND EXISTS (
  SELECT 1 FROM labels CROSS JOIN made CROSS JOIN bookings AS shipped
  WHERE labels.booking = bookings.id AND made.id = labels.shipment AND shipped.id = made.booking
    AND shipped.address = bookings.address AND shipped.account = bookings.account
    AND shipped.operation <> '${LABELS}' AND shipped.state IN (${holdingList}))`);

export async function orders(
  db: Dialect,
  run: Run,
  pace: Pace,
  filter: OrderFilter,
  indexing: (done: number, all: number) => void,
): Promise<Order[]> {
  const terms = termsOf(filter);
  const condition = orderCondition(filter);
  const read = (which: Sql, count: number) =>
    run('read', () => orderPage(db, sql`${condition} AND ${which}`, count));
  if (terms.length > 0) await indexAll(db, run, pace, indexing);
  const start = await run('read', () => startOf(db, filter));
  if (terms.length === 0) return (await read(sql`number < ${start}`, filter.limit)).orders;

  const fits = isSought(filter);
  const all: Order[] = [];
  const isFull = () => all.length >= filter.limit;
  const readAll = async (before: number, end: number) => {
    for (let below = before, pages = 1; below > end + 1 && !isFull(); pages += 1) {
      const page = await read(sql`number < ${below} AND number > ${end}`, READ_AT_ONCE);
      all.push(...page.orders.filter(fits));
      below = page.lowest ?? 0;
      if (pages % PAGES_AT_ONCE === 0) await pace.pause();
    }
  };
  const indexed = await run('read', indexedUntil);
  await readAll(start, indexed);
  const readFound = async (below: number, most: number) => {
    const { numbers, end } = await run('read', () => candidates(db, terms, below, { most, indexed }));
    for (let at = 0; at < numbers.length && !isFull(); ) {
      // Nearly all that the index names are sought.
      const some = Math.min(READ_AT_ONCE, 2 * (filter.limit - all.length));
      const page = await read(db.hasNumber(numbers.slice(at, at + some)), some);
      all.push(...page.orders.filter(fits));
      at += some;
    }
    return end;
  };
  let below = Math.min(start, indexed + 1);
  if ((await readFound(below, 0)) > 0) {
    // All words are frequent, so that many of the newest may have them.
    const end = Math.max(0, below - Math.min(READ_AT_ONCE, 4 * filter.limit));
    await readAll(below, end);
    below = end + 1;
    for (let most = 2 * filter.limit; below > 1 && !isFull(); most = Math.min(20 * most, MOST_NUMBERS))
      below = (await readFound(below, most)) + 1;
  }
  return all.slice(0, filter.limit);
}

function orderCondition({ demo, profile, ...filter }: OrderFilter): Sql {
  const conditions = [conditionOf(filter)];
  if (demo !== undefined) conditions.push(demo ? DEMO : sql`NOT (${DEMO})`);
  if (profile !== undefined) conditions.push(sql`profile = ${profile}`);
  if (filter.operation !== LABELS) conditions.push(sql`NOT (${IS_PART})`);
  return conditions.reduce((all, one) => sql`${all} AND ${one}`);
}

/** Below which number to begin. */
function* startOf(db: Dialect, { before }: OrderFilter): Steps<number> {
  yield* seeLost(db);
  if (before === undefined) return Number.MAX_SAFE_INTEGER;
  const found = yield* firstOf<{ number: number }>(
    sql`SELECT CAST(number AS float8) AS number FROM bookings WHERE id = ${before}`,
  );
  return found?.number ?? 0;
}

/** The newest orders that fulfil a condition, and the lowest number among them. */
function* orderPage(
  db: Dialect,
  condition: Sql,
  count: number,
): Steps<{ orders: Order[]; lowest: number | undefined }> {
  const bookings = yield* bookingsWhere(db, sql`${condition} ORDER BY number DESC LIMIT ${count}`);
  const last = bookings.length < count ? undefined : bookings.at(-1);
  const lowest =
    last &&
    (yield* firstOf<{ number: number }>(
      sql`SELECT CAST(number AS float8) AS number FROM bookings WHERE id = ${last.id}`,
    ));
  return { orders: yield* withLabels(db, bookings), lowest: lowest?.number };
}

interface LabelRow {
  shipment: string;
  leg: Leg;
  booking: string;
}

export function* orderOf(db: Dialect, booking: Booking): Steps<Order> {
  const [order] = yield* withLabels(db, [booking]);
  return order ?? { booking, labels: [] };
}

/** With the labels of their shipments, and for labels with the shipment. */
function* withLabels(db: Dialect, bookings: readonly Booking[]): Steps<Order[]> {
  const shipments = bookings.flatMap(shipmentsOf);
  const claims =
    shipments.length === 0
      ? []
      : yield* rowsOf<LabelRow>(
          sql`SELECT shipment, leg, booking FROM labels WHERE ${db.isOneOf('shipment', shipments)}`,
        );
  const makers = yield* byId(
    db,
    claims.map(({ booking }) => booking),
    WITHOUT_BODIES,
  );
  const labelled = yield* shipmentsLabelled(
    db,
    bookings.filter(({ operation }) => operation === LABELS),
  );
  return bookings.map(booking => {
    const own = new Set(shipmentsOf(booking));
    const labels = claims.flatMap(({ shipment, leg, booking: id }) => {
      const maker = makers.get(id);
      return maker && own.has(shipment) && id !== booking.id && isAt(maker, booking)
        ? { leg, booking: maker }
        : [];
    });
    const labelOf = labelled.get(booking.id);
    return { booking, labels, ...(labelOf && { labelOf }) };
  });
}

const shipmentsOf = ({ ids: { subscription: _, ...ids } }: Booking): string[] =>
  Object.values(ids).map(indexed);

function* byId(db: Dialect, ids: readonly string[], columns = COLUMNS): Steps<Map<string, Booking>> {
  if (ids.length === 0) return new Map();
  const found = yield* bookingsWhere(db, db.isOneOf('id', [...new Set(ids)]), columns);
  return new Map(found.map(booking => [booking.id, booking]));
}

/** For each booking of labels, by its id: the shipment that it was to label. */
function* shipmentsLabelled(db: Dialect, labelling: readonly Booking[]): Steps<Map<string, Booking>> {
  const asked = labelling.flatMap(booking =>
    labelledBy(booking).map(({ shipment }) => ({ booking, shipment: indexed(shipment) })),
  );
  if (asked.length === 0) return new Map();
  const made = yield* rowsOf<{ id: string; booking: string }>(
    sql`SELECT id, booking FROM made WHERE ${db.isOneOf('id', [...new Set(asked.map(one => one.shipment))])}`,
  );
  const shipments = yield* byId(
    db,
    made.map(({ booking }) => booking),
  );
  return new Map(
    asked.flatMap(({ booking, shipment }) => {
      const found = made
        .flatMap(one => (one.id === shipment ? (shipments.get(one.booking) ?? []) : []))
        .find(one => isAt(one, booking) && mayExist(one));
      return found ? [[booking.id, found] as const] : [];
    }),
  );
}
