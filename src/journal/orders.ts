// Orders as people read them: newest first, with the labels that were made of them, and found by what is known of them.
import type { Leg } from '../contract/operation.ts';
import { type Booking, isAt, labelledBy, mayExist } from './booking.ts';
import { bookingsWhere, holdingList } from './claim.ts';
import { EVERYTHING, WITHOUT_BODIES } from './columns.ts';
import type { Db } from './database.ts';
import { conditionOf, startOf } from './find.ts';
import { indexed } from './indexed.ts';
import { allOf, raw, type Sql, sql } from './sql.ts';
import type { Order, OrderFilter } from './types.ts';
import { type SoughtText, soughtTexts } from './words.ts';

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

export async function orders(db: Db, filter: OrderFilter): Promise<Order[]> {
  const { before, limit } = filter;
  const start = startOf(before);
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

function orderCondition({ demo, profile, ...filter }: OrderFilter): Sql {
  const conditions = [conditionOf(filter)];
  if (demo !== undefined) conditions.push(demo ? DEMO : sql`NOT (${DEMO})`);
  if (profile !== undefined) conditions.push(sql`profile = ${profile}`);
  if (filter.operation !== LABELS) conditions.push(sql`NOT (${IS_PART})`);
  return allOf(conditions);
}

interface LabelRow {
  shipment: string;
  leg: Leg;
  booking: string;
}

export async function orderOf(db: Db, booking: Booking): Promise<Order> {
  const [order] = await withLabels(db, [booking]);
  return order ?? { booking, labels: [] };
}

/** With the labels of their shipments, and for labels with the shipment. */
async function withLabels(db: Db, bookings: readonly Booking[]): Promise<Order[]> {
  const shipments = bookings.flatMap(shipmentsOf);
  const claims =
    shipments.length === 0
      ? []
      : await db.rows<LabelRow>(
          sql`SELECT shipment, leg, booking FROM labels WHERE ${db.isOneOf('shipment', shipments)}`,
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

async function byId(db: Db, ids: readonly string[], columns = EVERYTHING): Promise<Map<string, Booking>> {
  if (ids.length === 0) return new Map();
  const found = await bookingsWhere(db, db.isOneOf('id', [...new Set(ids)]), columns);
  return new Map(found.map(booking => [booking.id, booking]));
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
