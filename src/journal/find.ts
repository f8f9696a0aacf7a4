// How bookings are looked up: the same for both databases.
import { keyIdentity } from '../contract/key.ts';
import type { Leg, OperationCommand } from '../contract/operations.ts';
import { comparable } from '../contract/read.ts';
import {
  type BookedOrder,
  type Booking,
  type Filter,
  type Ids,
  type Intent,
  isAt,
  type JournalSize,
  type LookUpBy,
  labelledBy,
  mayExist,
  type OrderFilter,
  type Scope,
} from './booking.ts';
import {
  bookingsWhere,
  findTwins,
  HOLDS_KEY,
  holdingList,
  IS_OPEN,
  inScope,
  optionalKeyIdentity,
  PRINTED_AT,
} from './claim.ts';
import { EVERYTHING, jsonIn, selected, WITHOUT_BODIES } from './columns.ts';
import { allOf, type Db, raw, type Sql, sql } from './database.ts';
import { indexed, type SoughtText, soughtTexts, trackingName } from './words.ts';

/** The bookings with this id, key, id from the service or tracking number, the newest first. */
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
  const found = await findTwins(db, scope, operation, fingerprints, WITHOUT_BODIES);
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
  const lookedUp = (booking: Booking) =>
    typeof by === 'string' ? booking[by] : optionalKeyIdentity(booking.key);
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

export function listBookings(db: Db, filter: Filter): Promise<Booking[]> {
  const { limit, before } = filter;
  const end = limit === undefined ? sql`` : sql`LIMIT ${limit}`;
  return bookingsWhere(
    db,
    sql`${conditionOf(filter)} AND number < ${pageStart(before)} ORDER BY number DESC ${end}`,
  );
}

/** The number of a booking, before which a page begins. */
const pageStart = (before: string | undefined): Sql =>
  before === undefined
    ? sql`${Number.MAX_SAFE_INTEGER}`
    : sql`(SELECT number FROM bookings AS page WHERE page.id = ${before})`;

/** The condition of a filter, without the page. */
function conditionOf({ states = [], operation, key, since, until }: Filter): Sql {
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

const IS_SHIPPED = sql`key_space = 'shipment' AND state IN ('created', 'partial')`;

/** Records where shipments were seen; those that are not booked here change nothing. */
export async function recordSeen(db: Db, scope: Scope, sightings: readonly Sighting[]): Promise<void> {
  const isMade = db.isOneOf(
    'made.id',
    sightings.map(({ shipment }) => indexed(shipment)),
  );
  const rows = await db.rows<{ id: string; ids: string; milestones: string }>(
    // Sorted, so that two processes never wait for each other.
    sql`SELECT id, ids, milestones FROM bookings
      WHERE ${db.isIn('id', sql`SELECT booking FROM made WHERE ${isMade}`)}
        AND ${isOf(scope)} AND ${IS_SHIPPED} ORDER BY number ${db.forUpdate}`,
  );
  for (const { id, ids, milestones } of rows) {
    const own = new Set(Object.values(jsonIn<Ids>(id, 'ids', ids)));
    const seen = jsonIn<Record<string, string[]>>(id, 'milestones', milestones);
    for (const { shipment, milestone } of sightings)
      if (own.has(shipment))
        seen[shipment] = [...new Set([...(seen[shipment] ?? []), comparable(milestone)])];
    const text = JSON.stringify(seen);
    if (text !== milestones) await db.run(sql`UPDATE bookings SET milestones = ${text} WHERE id = ${id}`);
  }
}

/** A page of the bookings of shipments, newest first: what each made, and what was not seen at an end. */
interface ShippedPage {
  /** The id of each that is under way, and its ids that are. */
  found: { id: string; ids: Ids }[];
  /** Where the next page begins; `undefined` behind the last one. */
  next: string | undefined;
}

/** How many bookings are looked at in one page. */
const PAGE = 1000;

export async function shippedPage(
  db: Db,
  scope: Scope,
  { since, ends, before }: Omit<UnderWayFilter, 'limit'>,
  oldest: number,
): Promise<ShippedPage> {
  const isEnd = new Set(ends.map(comparable));
  const rows = await db.rows<{ id: string; ids: string; milestones: string }>(
    // The addition keeps databases from an index by which they would read and sort all bookings.
    sql`SELECT id, ids, milestones FROM bookings
      WHERE ${IS_SHIPPED} AND ${isOf(scope)} AND at + 0 >= ${Math.floor(since)}
        AND number >= ${oldest} AND number < ${pageStart(before)}
      ORDER BY number DESC LIMIT ${PAGE}`,
  );
  const found = rows.map(({ id, ids, milestones }) => {
    const seen = jsonIn<Record<string, string[]>>(id, 'milestones', milestones);
    const left = Object.entries(jsonIn<Ids>(id, 'ids', ids)).filter(
      ([, shipment]) => !seen[shipment]?.some(one => isEnd.has(one)),
    );
    return { id, ids: Object.fromEntries(left) };
  });
  return {
    found: found.filter(({ ids }) => Object.keys(ids).length > 0),
    next: rows.length < PAGE ? undefined : rows.at(-1)?.id,
  };
}

export const byIds = async (db: Db, ids: readonly string[]): Promise<Map<string, Booking>> =>
  new Map((await bookingsWhere(db, db.isOneOf('id', ids))).map(one => [one.id, one]));

/** The number of the oldest booking since a time, in ms since 1970; `undefined` if there is none. */
export async function oldestSince(db: Db, since: number): Promise<number | undefined> {
  // The addition keeps SQLite from reading all bookings: the index by time has time and number.
  const row = await db.first<{ oldest: number | null }>(
    sql`SELECT CAST(MIN(number + 0) AS float8) AS oldest FROM bookings WHERE at >= ${Math.floor(since)}`,
  );
  return row?.oldest ?? undefined;
}

// Orders as people read them: newest first, with the labels that were made of them, and found by what is known of them.

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

const EXISTS_NOW = "state IN ('created', 'partial')";

/**
 * The claims of labels that exist and were not printed, with the bookings that made them. The service gives no file of a
 * domestic label, as a rule: there is nothing to print then.
 */
const unprinted = (others = '') => `labels CROSS JOIN bookings AS maker${others}
  WHERE printed_at IS NULL AND maker.id = labels.booking AND maker.${EXISTS_NOW}
    AND (labels.leg <> 'domestic' OR maker.labels LIKE '%"domestic":{%"link":%'
      OR EXISTS (SELECT 1 FROM label_files WHERE label_files.booking = maker.id AND label_files.leg = labels.leg))`;

/** The label of a shipment that is not here has a row of its own. */
const IS_UNPRINTED = raw(`${EXISTS_NOW} AND (
  bookings.id IN (SELECT maker.id FROM ${unprinted()})
  OR bookings.id IN (SELECT shipped.id
    FROM ${unprinted(' CROSS JOIN made CROSS JOIN bookings AS shipped')} AND made.id = labels.shipment
      AND shipped.id = made.booking AND shipped.address = labels.address AND shipped.account = labels.account))`);

/** A shipment whose label is under way or unknown is not among them. */
const IS_UNLABELLED = raw(`key_space = 'shipment' AND ${EXISTS_NOW} AND bookings.id IN (
  SELECT shipped.id FROM made CROSS JOIN bookings AS shipped
  WHERE made.id NOT LIKE '~%' AND shipped.id = made.booking AND NOT EXISTS (
    SELECT 1 FROM labels WHERE labels.shipment = made.id
      AND labels.address = shipped.address AND labels.account = shipped.account))`);

export async function orders(db: Db, filter: OrderFilter): Promise<BookedOrder[]> {
  const { before, limit } = filter;
  const start = pageStart(before);
  const texts = soughtTexts(filter);
  if (texts.length === 0) {
    const page = sql`${orderCondition(filter)} AND number < ${start} ORDER BY number DESC LIMIT ${limit}`;
    return withLabels(db, await bookingsWhere(db, page));
  }
  // The table of words is read from its end until there are enough. CROSS JOIN keeps SQLite from another order.
  const found = await db.rows<{ id: string }>(
    sql`SELECT id FROM found_by CROSS JOIN bookings
      WHERE found_by.number < ${start} AND ${allOf(texts.map(one => isFound(db, one)))}
        AND bookings.number = found_by.number AND ${orderCondition(filter)}
      ORDER BY found_by.number DESC LIMIT ${limit}`,
  );
  const ids = found.map(({ id }) => id);
  return withLabels(db, await bookingsWhere(db, sql`${db.isOneOf('id', ids)} ORDER BY number DESC`));
}

const PERSON = raw('person');
const NAMES = raw('names');

function isFound(db: Db, { names, person }: SoughtText): Sql {
  const ways = names === undefined ? [] : [db.contains(NAMES, names)];
  if (person.length > 0) ways.push(allOf(person.map(text => db.contains(PERSON, text))));
  return sql`(${ways.reduce((all, one) => sql`${all} OR ${one}`)})`;
}

function orderCondition({
  demo,
  profile,
  notHandedOver,
  unprinted,
  unlabelled,
  ...filter
}: OrderFilter): Sql {
  const conditions = [conditionOf(filter)];
  if (notHandedOver) conditions.push(sql`handover IS NULL AND key_space = 'shipment'`);
  if (unprinted) conditions.push(IS_UNPRINTED);
  if (unlabelled) conditions.push(IS_UNLABELLED);
  if (demo !== undefined) conditions.push(demo ? DEMO : sql`NOT (${DEMO})`);
  if (profile !== undefined) conditions.push(sql`profile = ${profile}`);
  if (filter.operation !== LABELS) conditions.push(sql`NOT (${IS_PART})`);
  return allOf(conditions);
}

/** The orders of a handover, the oldest first. `nth`: 0 is the newest one. `undefined`: there is none. */
export async function handedOver(db: Db, nth: number): Promise<BookedOrder[] | undefined> {
  const found = await db.first<{ handover: string }>(
    sql`SELECT DISTINCT handover FROM bookings WHERE handover IS NOT NULL
      ORDER BY handover DESC LIMIT 1 OFFSET ${nth}`,
  );
  if (found === undefined) return undefined;
  return withLabels(db, await bookingsWhere(db, sql`handover = ${found.handover} ORDER BY number`));
}

interface LabelRow {
  shipment: string;
  leg: Leg;
  booking: string;
  printedAt: number | null;
}

export async function bookedOrderOf(db: Db, booking: Booking): Promise<BookedOrder> {
  const [order] = await withLabels(db, [booking]);
  return order ?? { booking, labels: [] };
}

/** Bookings with the labels of their shipments; those of labels with the shipment. */
async function withLabels(db: Db, bookings: readonly Booking[]): Promise<BookedOrder[]> {
  const shipments = bookings.flatMap(one => [...shipmentsOf(one)]);
  const claims =
    shipments.length === 0
      ? []
      : await db.rows<LabelRow>(
          sql`SELECT shipment, leg, booking, ${PRINTED_AT} FROM labels WHERE ${db.isOneOf('shipment', shipments)}`,
        );
  const makers = await byId(
    db,
    claims.map(({ booking }) => booking),
    WITHOUT_BODIES,
  );
  const labelled = await shipmentsLabelled(
    db,
    bookings.filter(({ operation }) => operation === LABELS),
  );
  return bookings.map(booking => {
    const own = shipmentsOf(booking);
    const claimed = claims.flatMap(({ shipment, booking: id, ...claim }) => {
      const maker = makers.get(id);
      // A label that was not made here is no part of a booking of labels.
      const isPart = booking.operation !== LABELS || id === booking.id;
      return maker && isPart && own.has(shipment) && isAt(maker, booking) ? { ...claim, booking: maker } : [];
    });
    const labels = claimed.flatMap(({ leg, booking: maker }) =>
      maker.id === booking.id ? [] : { leg, booking: maker },
    );
    const printed = Object.fromEntries(
      claimed.flatMap(({ leg, printedAt }) => (printedAt === null ? [] : [[leg, printedAt]])),
    );
    const labelOf = labelled.get(booking.id);
    return { booking, labels, printed, ...(labelOf && { labelOf }) };
  });
}

/** The shipments that a booking made, or that it labels. */
function shipmentsOf(booking: Booking): Set<string> {
  const { subscription: _, ...made } = booking.ids;
  return new Set([...Object.values(made), ...labelledBy(booking).map(one => one.shipment)].map(indexed));
}

async function byId(db: Db, ids: readonly string[], columns = EVERYTHING): Promise<Map<string, Booking>> {
  if (ids.length === 0) return new Map();
  const found = await bookingsWhere(db, db.isOneOf('id', [...new Set(ids)]), columns);
  return new Map(found.map(booking => [booking.id, booking]));
}

/** The ids of all bookings of shipments that fit, the newest first: read at once, because a page would sort all of them. */
export async function shipmentsWhere(db: Db, filter: Omit<OrderFilter, 'limit'>): Promise<string[]> {
  const condition = sql`${orderCondition({ ...filter, limit: 0 })} AND key_space = 'shipment'`;
  const rows = await db.rows<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${condition} ORDER BY number DESC`,
  );
  return rows.map(({ id }) => id);
}

export async function ordersOf(db: Db, ids: readonly string[]): Promise<BookedOrder[]> {
  return withLabels(db, await bookingsWhere(db, sql`${db.isOneOf('id', ids)} ORDER BY number DESC`));
}

/**
 * For each name that has some: the orders whose shipment it is, or the tracking number of whose label, or else whose key; the
 * newest first.
 */
export async function ordersNamed(db: Db, names: readonly string[]): Promise<Map<string, BookedOrder[]>> {
  const wordsOf = (name: string) => [indexed(name), trackingName(name)];
  const keysOf = (name: string) => [keyIdentity(name), `#${keyIdentity(name)}`];
  const made = await db.rows<{ word: string; booking: string }>(
    sql`SELECT id AS word, booking FROM made WHERE ${db.isOneOf('id', names.flatMap(wordsOf))}`,
  );
  const keyed = await db.rows<{ word: string; booking: string }>(
    sql`SELECT key_id AS word, id AS booking FROM bookings WHERE ${db.isOneOf('key_id', names.flatMap(keysOf))}`,
  );
  const found = await byId(
    db,
    [...made, ...keyed].map(({ booking }) => booking),
  );
  const labelled = await shipmentsLabelled(
    db,
    [...found.values()].filter(({ operation }) => operation === LABELS),
  );
  const bookings = new Map([...found].map(([id, booking]) => [id, labelled.get(id) ?? booking]));
  const whole = await withLabels(db, [...new Set(bookings.values())]);
  const orderOf = new Map(whole.map(order => [order.booking.id, order]));
  const byWord = new Map<string, Set<BookedOrder>>();
  for (const [rows, kind] of [
    [made, 'made'],
    [keyed, 'key'],
  ] as const)
    for (const { word, booking } of rows) {
      const order = orderOf.get(bookings.get(booking)?.id ?? '');
      const place = `${kind} ${word}`;
      if (order) byWord.set(place, (byWord.get(place) ?? new Set()).add(order));
    }
  return new Map(
    names.flatMap(name => {
      const places = [...wordsOf(name).map(word => `made ${word}`), ...keysOf(name).map(key => `key ${key}`)];
      const all = places.map(place => byWord.get(place)).find(one => one !== undefined);
      return all ? [[name, [...all].sort((one, other) => other.booking.at - one.booking.at)] as const] : [];
    }),
  );
}

/** For each booking of labels, by its id: the shipment that it was to label. */
async function shipmentsLabelled(db: Db, labelling: readonly Booking[]): Promise<Map<string, Booking>> {
  const asked = labelling.flatMap(booking =>
    labelledBy(booking).map(({ shipment }) => ({ booking, shipment: indexed(shipment) })),
  );
  if (asked.length === 0) return new Map();
  const made = await db.rows<{ id: string; booking: string }>(
    sql`SELECT id, booking FROM made WHERE ${db.isOneOf('id', [...new Set(asked.map(one => one.shipment))])}`,
  );
  const shipments = await byId(
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
