// Orders as people read them: bookings with the labels of their shipments; and how orders are found.

import {
  type Booking,
  isAt,
  type LegShipment,
  labelledBy,
  mayExist,
  type Scope,
  shipmentsIn,
} from '../booking/booking.ts';
import type { BookedOrder, Filter, LabelMaker, Listing, OrderFilter } from '../booking/questions.ts';
import { keyIdentity } from '../contract/key.ts';
import { bookingsWhere, columnsWhere, IS_OPEN, isOf } from './claim.ts';
import { allOf, type Db, raw, type Sql, sql } from './database.ts';
import {
  bookingColumns,
  bookingFrom,
  type Columns,
  EVERYTHING,
  holdingList,
  indexed,
  indexedShipment,
  type Row,
} from './tables.ts';
import type { SoughtText } from './words.ts';

/** The condition for bookings that match a filter, without the limits of a page. */
export function conditionOf(filter: Filter): Sql {
  const { states = [], operation, key, since, until } = filter;
  const conditions: Sql[] = [];
  // States are no parameters, so that the databases can use their indexes.
  if (states.length > 0) conditions.push(raw(`state IN (${states.map(state => `'${state}'`).join(', ')})`));
  if (states.length > 0 && states.every(state => state === 'pending' || state === 'unknown'))
    conditions.push(IS_OPEN);
  if (operation !== undefined) conditions.push(sql`operation = ${operation}`);
  if (key !== undefined) conditions.push(sql`key_id = ${keyIdentity(key)}`);
  if (since !== undefined)
    conditions.push(sql`at >= ${Math.floor(since)} AND bookings.number >= ${firstSince(since)}`);
  if (until !== undefined) conditions.push(sql`at <= ${Math.floor(until)}`);
  return allOf(conditions);
}

/** If so many bookings follow a time, the first one is not asked for: that would take longer than to read a page. */
const COUNTED = 20_000;

/**
 * The number of the first booking since a time, in ms since 1970; 0 if too many bookings follow that time. A page is read from the newest
 * number down: without this bound the last page would read all older bookings.
 */
export const firstSince = (since: number): Sql =>
  sql`(SELECT CASE WHEN COUNT(*) < ${COUNTED} THEN MIN(late.number) ELSE 0 END
    FROM (SELECT number FROM bookings WHERE at >= ${Math.floor(since)} LIMIT ${COUNTED}) AS late)`;

export const IS_SHIPPED = sql`key_space = 'shipment' AND state IN ('created', 'partial')`;

/** The operation that makes labels for shipments of other bookings. */
export const LABELS = 'label';

// A condition for bookings of demo. The concatenation keeps SQLite from an index of addresses, by which it would read and sort all.
export const DEMO = raw("address || '' IN ('demo', 'demo/sandbox')");

/** A condition: the rows of `made` and `labels` are of one shipment. */
export const IS_LABELLED = `made.shipment = labels.shipment AND made.leg = labels.leg
  AND made.address = labels.address AND made.account = labels.account`;

/**
 * A condition for bookings of a made label whose shipment is in this journal: they are shown with the shipment. CROSS JOIN keeps the
 * order of the tables in SQLite.
 */
const IS_PART = raw(`operation = '${LABELS}' AND state = 'created' AND EXISTS (
  SELECT 1 FROM labels CROSS JOIN made CROSS JOIN bookings AS shipped
  WHERE labels.booking = bookings.id AND ${IS_LABELLED} AND shipped.id = made.booking
    AND shipped.operation <> '${LABELS}' AND shipped.state IN (${holdingList}))`);

const EXISTS_NOW = "state IN ('created', 'partial')";

/**
 * A condition for labels that exist and were not printed, with the bookings that made them (`maker`). The service gives no file of a
 * domestic label, as a rule: then there is nothing to print.
 */
const UNPRINTED = `printed_at IS NULL AND maker.id = labels.booking AND maker.${EXISTS_NOW}
  AND (labels.leg <> 'domestic' OR maker.labels LIKE '%"domestic":{%"link":%'
    OR EXISTS (SELECT 1 FROM label_files WHERE label_files.booking = maker.id AND label_files.leg = labels.leg))`;

/** A condition for orders with a label to print. If the shipment is not in this journal, the booking of its label is the order. */
const IS_UNPRINTED = raw(`${EXISTS_NOW} AND (
  bookings.id IN (SELECT maker.id FROM labels CROSS JOIN bookings AS maker WHERE ${UNPRINTED})
  OR bookings.id IN (SELECT shipped.id
    FROM labels CROSS JOIN bookings AS maker CROSS JOIN made CROSS JOIN bookings AS shipped
    WHERE ${UNPRINTED} AND ${IS_LABELLED} AND shipped.id = made.booking))`);

/** A condition for orders with a shipment without a label. A label that is under way or unknown counts as a label. */
const IS_UNLABELLED = raw(`key_space = 'shipment' AND ${EXISTS_NOW} AND bookings.id IN (
  SELECT shipped.id FROM made CROSS JOIN bookings AS shipped
  WHERE shipped.id = made.booking AND NOT EXISTS (SELECT 1 FROM labels WHERE ${IS_LABELLED}))`);

export function isFound(db: Db, sought: SoughtText): Sql {
  if ('column' in sought) return db.contains(raw(sought.column), sought.text);
  const [parts, or] = 'any' in sought ? [sought.any, true] : [sought.all, false];
  const conditions = parts.map(part => isFound(db, part));
  return or
    ? sql`(${conditions.reduce((before, condition) => sql`${before} OR ${condition}`)})`
    : allOf(conditions);
}

export function orderCondition(filter: OrderFilter): Sql {
  const { demo, profile, scope, sandbox } = filter;
  const conditions = [conditionOf(filter)];
  if (filter.notOn !== undefined)
    conditions.push(sql`key_space = 'shipment' AND NOT ${isOnList(filter.notOn)}`);
  if (filter.unprinted) conditions.push(IS_UNPRINTED);
  if (filter.unlabelled) conditions.push(IS_UNLABELLED);
  if (demo !== undefined) conditions.push(demo ? DEMO : sql`NOT (${DEMO})`);
  if (profile !== undefined) conditions.push(sql`profile = ${profile}`);
  if (scope !== undefined) conditions.push(isOf(scope));
  if (sandbox !== undefined) conditions.push(sql`sandbox = ${Number(sandbox)}`);
  if (filter.operation !== LABELS) conditions.push(sql`NOT (${IS_PART})`);
  return allOf(conditions);
}

const isOnList = (list: string): Sql =>
  sql`EXISTS (SELECT 1 FROM listed WHERE listed.booking = bookings.id AND listed.name = ${list})`;

export const ordersWhere = (db: Db, condition: Sql): Promise<BookedOrder[]> =>
  ordersWith(db, EVERYTHING, condition);

/** Orders whose bookings meet a condition, with some columns of the bookings. */
export const ordersWith = async <B extends Maker>(
  db: Db,
  columns: Columns<B>,
  condition: Sql,
): Promise<BookedOrder<B>[]> => withLabels(db, await columnsWhere(db, columns, condition));

const MAKER: Columns<LabelMaker> = bookingColumns(['id', 'at', 'state', 'labels', 'files'], {}, 'maker');

/** The columns of a `PrintedLabel`. */
export const PRINTED = raw('CAST(printed_at AS float8) AS "printedAt", printed_in AS "printedIn"');

interface Claim extends LegShipment, Scope, Pick<Row, keyof LabelMaker> {
  printedAt: number | null;
  printedIn: string | null;
}

/** The labels of shipments, each with the booking that made it, or may have made it. */
const CLAIMS = sql`SELECT claim.shipment, claim.leg, claim.address, claim.account,
  ${PRINTED}, ${MAKER.selection}
  FROM labels AS claim CROSS JOIN bookings AS maker WHERE maker.id = claim.booking`;

/** The parts of a booking by which its labels are looked up. */
type Maker = Pick<Booking, 'id' | 'address' | 'account' | 'operation' | 'keySpace' | 'request' | 'ids'>;

/** Adds to bookings the labels of their shipments and the lists that they are on; to bookings of labels, the booking of the shipment. */
export async function withLabels<B extends Maker>(db: Db, bookings: readonly B[]): Promise<BookedOrder<B>[]> {
  const claims = byShipment(await rowsOfShipments<Claim>(db, CLAIMS, bookings.flatMap(shipmentsOfBooking)));
  const labelled = await shipmentsLabelled(db, bookings);
  const listings = await listingsOf(db, bookings);
  return bookings.map(booking => {
    const shipments = new Set(shipmentsOfBooking(booking).map(indexedShipment));
    const claimed = [...shipments]
      .flatMap(word => claims.get(word) ?? [])
      // A booking of labels has only the labels that it holds itself.
      .filter(claim => isAt(claim, booking) && (booking.operation !== LABELS || claim.id === booking.id));
    const labels = claimed.flatMap(claim =>
      claim.id === booking.id ? [] : { leg: claim.leg, booking: bookingFrom(claim, MAKER) },
    );
    const printed = Object.fromEntries(
      claimed.flatMap(({ leg, printedAt, printedIn }) =>
        printedAt === null ? [] : [[leg, { at: printedAt, file: printedIn }]],
      ),
    );
    const labelOf = labelled.get(booking.id);
    const lists = listings.get(booking.id);
    return { booking, labels, printed, ...(lists && { lists }), ...(labelOf && { labelOf }) };
  });
}

/** The columns of a `Listing`. */
export const LISTING =
  raw(`lists.name, CAST(lists.number AS float8) AS number, CAST(lists.at AS float8) AS at,
  lists.person AS by, lists.run`);

/** The lists that bookings are on, by the ids of the bookings. */
async function listingsOf(db: Db, bookings: readonly Maker[]): Promise<Map<string, Listing[]>> {
  const ids = bookings.flatMap(({ id, keySpace }) => (keySpace === 'shipment' ? id : []));
  if (ids.length === 0) return new Map();
  const rows = await db.rows<Listing & { booking: string }>(
    sql`SELECT listed.booking, ${LISTING} FROM listed
        JOIN lists ON lists.name = listed.name AND lists.number = listed.number
      WHERE ${db.isOneOf('listed.booking', ids)} ORDER BY lists.at, lists.name`,
  );
  const listings = new Map<string, Listing[]>();
  for (const { booking, ...listing } of rows)
    listings.set(booking, [...(listings.get(booking) ?? []), listing]);
  return listings;
}

/** The shipments that a booking made, or that it labels. */
export const shipmentsOfBooking = (booking: Maker): LegShipment[] => [
  ...shipmentsIn(booking.ids),
  ...labelledBy(booking),
];

export async function bookingsById(db: Db, ids: readonly string[]): Promise<Map<string, Booking>> {
  if (ids.length === 0) return new Map();
  const found = await bookingsWhere(db, db.isOneOf('id', [...new Set(ids)]));
  return new Map(found.map(booking => [booking.id, booking]));
}

/** For each booking of labels, by its id: the booking that made the shipment to label. */
export async function shipmentsLabelled(db: Db, bookings: readonly Maker[]): Promise<Map<string, Booking>> {
  const claims = await prunedClaims(db, bookings);
  const asked = bookings.flatMap(booking =>
    [...labelledBy(booking), ...(claims.get(booking.id) ?? [])].map(label => ({ booking, label })),
  );
  const made = await rowsOfShipments<LegShipment & { booking: string }>(
    db,
    sql`SELECT leg, shipment, booking FROM made WHERE true`,
    asked.map(({ label }) => label),
  );
  const makers = await bookingsById(
    db,
    made.map(({ booking }) => booking),
  );
  const madeAs = byShipment(made);
  return new Map(
    asked.flatMap(({ booking, label }) => {
      const found = madeAs
        .get(indexedShipment(label))
        ?.flatMap(row => makers.get(row.booking) ?? [])
        .find(maker => isAt(maker, booking) && mayExist(maker));
      return found ? [[booking.id, found] as const] : [];
    }),
  );
}

/** The shipments of those bookings of labels whose requests were deleted, by the ids of the bookings: the table `labels` has them still. */
async function prunedClaims(db: Db, bookings: readonly Maker[]): Promise<Map<string, LegShipment[]>> {
  const ids = bookings.flatMap(({ id, operation, request }) =>
    operation === LABELS && request === null ? id : [],
  );
  if (ids.length === 0) return new Map();
  const rows = await db.rows<LegShipment & { booking: string }>(
    sql`SELECT leg, shipment, booking FROM labels WHERE ${db.isOneOf('booking', ids)} ORDER BY leg DESC`,
  );
  const claims = new Map<string, LegShipment[]>(ids.map(id => [id, []]));
  for (const { booking, ...claim } of rows) claims.get(booking)?.push(claim);
  return claims;
}

/** The rows of a SELECT that belong to these shipments. */
export async function rowsOfShipments<R extends LegShipment>(
  db: Db,
  selection: Sql,
  shipments: readonly LegShipment[],
): Promise<R[]> {
  if (shipments.length === 0) return [];
  const sought = new Set(shipments.map(indexedShipment));
  const ids = shipments.map(({ shipment }) => indexed(shipment));
  const rows = await db.rows<R>(sql`${selection} AND ${db.isOneOf('shipment', ids)}`);
  return rows.filter(row => sought.has(indexedShipment(row)));
}

/** Groups rows by `indexedShipment`: a search through all rows for each booking of a page would take longer than to read them. */
function byShipment<R extends LegShipment>(rows: readonly R[]): Map<string, R[]> {
  const shipments = new Map<string, R[]>();
  for (const row of rows) {
    const word = indexedShipment(row);
    const before = shipments.get(word);
    if (before) before.push(row);
    else shipments.set(word, [row]);
  }
  return shipments;
}
