// How bookings are looked up: the same for both databases. How orders are listed and found is in `orders.ts`.

import {
  type Booking,
  type Ids,
  type Intent,
  type LegShipment,
  labelledBy,
  legOfId,
  type Scope,
} from '../booking/booking.ts';
import {
  type BookedOrder,
  COUNTED,
  type CountedBooking,
  type Filter,
  type JournalSize,
  type LabelRecord,
  LISTED,
  type ListedBooking,
  type Listing,
  type LookUpBy,
  type OrderFilter,
  type PrintedLabel,
  type RecordedList,
  type Recorder,
} from '../booking/questions.ts';
import { needsAcceptance } from '../booking/standing.ts';
import { keyIdentity } from '../contract/key.ts';
import type { Leg } from '../contract/operations.ts';
import { comparable } from '../contract/read.ts';
import { StoreError } from '../errors.ts';
import {
  bookingOfLabel,
  bookingOfShipment,
  bookingsWhere,
  columnsWhere,
  findTwins,
  firstBooking,
  HOLDS_KEY,
  hasKey,
  IS_OPEN,
  inScope,
  isOf,
  isTwinOf,
  lastSent,
  optionalKeyIdentity,
  type SameOrder,
} from './claim.ts';
import { allOf, type Database, type Db, type ReadOptions, raw, type Sql, sql } from './database.ts';
import {
  bookingsById,
  conditionOf,
  DEMO,
  firstSince,
  IS_SHIPPED,
  isFound,
  LABELS,
  LISTING,
  orderCondition,
  ordersWhere,
  ordersWith,
  PRINTED,
  rowsOfShipments,
  shipmentsLabelled,
  shipmentsOfBooking,
  withLabels,
} from './orders.ts';
import { type HeldPrint, openPrints, printStates } from './prints.ts';
import {
  bookingColumns,
  type Columns,
  EVERYTHING,
  indexed,
  indexedShipment,
  jsonIn,
  type Restoration,
  restorations,
  WITHOUT_BODIES,
  WITHOUT_REQUEST,
} from './tables.ts';
import { soughtTexts, trackingName } from './words.ts';

/** Which shipments count as under way. */
interface UnderWayFilter {
  /** Only bookings since this time, in ms since 1970. */
  since: number;
  /** The milestones that end a journey. */
  ends: readonly string[];
  /** The id of a booking: only older bookings are given, which are the next page. */
  before?: string | undefined;
  limit: number;
}

/**
 * Why a booking waits for a person. `unknown`: nobody knows whether it exists. `pending`: its process is gone, and the journal cannot be
 * written to say so. `over_price`: its price is above its bound, and nobody has accepted the price.
 */
export type Waiting = 'unknown' | 'over_price' | 'pending';

/** What a profile has booked at one address and account: bookings that may exist, and how many of them have a key. */
export interface ProfilePlace extends Scope {
  profile: string | null;
  bookings: number;
  keys: number;
}

/**
 * In place of long columns: requests and answers only of rows without an excerpt. Bookings of labels keep the request, which names their
 * shipments.
 */
const INSTEAD_OF_BODIES = {
  request: `CASE WHEN excerpt IS NULL OR operation = '${LABELS}' THEN request END`,
  answer: 'CASE WHEN excerpt IS NULL THEN answer END',
} as const;
const WITH_EXCERPTS = bookingColumns(LISTED, INSTEAD_OF_BODIES);
const COUNTED_WITH_EXCERPTS = bookingColumns([...COUNTED, 'excerpt'], INSTEAD_OF_BODIES);
const WITH_PRICES = bookingColumns(COUNTED, {
  request: `CASE WHEN operation = '${LABELS}' THEN request END`,
  answer: 'CASE WHEN charged IS NULL THEN answer END',
});

/** How many bookings `underWay` reads in one statement. */
const PAGE = 1000;

/** All that is read of a journal. Each method rejects with `storage` if the read fails. */
export class JournalReader {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** An id (`jr_…`) that no other journal has, wherever the tables are; a copy has the id of its original. */
  get identity(): string {
    return this.database.identity;
  }

  /** The address of the shared journal into which the bookings of this one were moved. */
  get movedTo(): string | undefined {
    return this.database.movedTo;
  }

  /** Is there a pooler in front of the journal's server? A pooler hides a failover. */
  isPooled(): Promise<boolean> {
    return this.database.isPooled?.() ?? Promise.resolve(false);
  }

  /** Can this user only read the journal, and not book? */
  get isReadOnly(): boolean {
    return this.database.isReadOnly;
  }

  /** Reads bookings after lost ones were made unknown. */
  protected read<T>(work: (db: Db) => Promise<T>, options?: ReadOptions): Promise<T> {
    return this.database.read(async db => {
      await db.recordLost();
      return work(db);
    }, options);
  }

  /**
   * For each order that was booked before, under another key or none: the newest such booking of the last 24 hours, or one of any age
   * that is pending or unknown; without its request and answer. `orders`: all of one operation.
   */
  twins<Order extends SameOrder>(scope: Scope, orders: readonly Order[]): Promise<Map<Order, Booking>> {
    return this.read(async db => {
      const found = await findTwins(db, scope, orders, WITHOUT_BODIES);
      return new Map(
        orders.flatMap(order => {
          const twin = found.find(candidate => isTwinOf(candidate, order));
          return twin ? [[order, twin] as const] : [];
        }),
      );
    });
  }

  /**
   * For each identity of a key, source or record name: the booking that holds the key, or the newest. Only those by source have requests.
   */
  latestBy(scope: Scope, lookUp: LookUpBy, values: readonly string[]): Promise<Map<string, Booking>> {
    const isNamed = (db: Db) => {
      if (lookUp === 'source')
        return sql`${db.isOneOf('source', values)} AND source IS NOT NULL AND key_id IS NULL AND ${isOf(scope)}`;
      // The index leaves out the names of records that were not mended (`raw_…`): they are read from their own booking only.
      if (lookUp === 'recordName')
        return sql`${db.isOneOf('record_name', values)} AND record_name >= 'rec_' AND ${isOf(scope)}`;
      return sql`${inScope(scope)} AND key_space = ${lookUp.keySpace} AND ${db.isOneOf('key_id', values)}`;
    };
    const lookedUp = (booking: Booking) =>
      typeof lookUp === 'string' ? booking[lookUp] : optionalKeyIdentity(booking.key);
    return this.read(async db => {
      // The map keeps the last booking of each value: those that hold their key come last, even if an imported one is newer.
      const condition = sql`${isNamed(db)} ORDER BY (${HOLDS_KEY}), number`;
      // Bookings by source are of labels: their request is short, and names the shipment.
      const columns = lookUp === 'source' ? EVERYTHING : WITHOUT_REQUEST;
      const bookings = await columnsWhere(db, columns, condition);
      return new Map(bookings.map(booking => [lookedUp(booking) ?? '', booking]));
    });
  }

  /** Was a file with this content imported whole? `content`: a hash of its bytes. */
  hasImported(content: string): Promise<boolean> {
    return this.database.read(async db => {
      const name = importedName(content);
      return (await db.first(sql`SELECT 1 FROM given WHERE name = ${name} LIMIT 1`)) !== undefined;
    });
  }

  byId(id: string): Promise<Booking | undefined> {
    return this.read(db => firstBooking(db, sql`id = ${id}`));
  }

  /**
   * The bookings, at any address and account, that a reference names: by their id, their key (also without its `#`), the id of a shipment
   * or subscription, or a tracking number. Newest first, each once.
   */
  async named(ref: string): Promise<Booking[]> {
    return (await this.read(db => bookingsNamed(db, [ref]))).get(ref) ?? [];
  }

  /** The booking that holds the key of `booking`; `undefined`: the key is free, or `booking` has none. */
  async holderOfKey(booking: Booking): Promise<Booking | undefined> {
    if (booking.key === null) return undefined;
    return this.read(db => firstBooking(db, hasKey(booking, booking)));
  }

  /** All bookings of the orders of these bookings: those with the same keys, and those of their labels, too. */
  wholeOrders(bookings: readonly Booking[]): Promise<Booking[]> {
    return this.read(db => bookingsOfOrders(db, bookings));
  }

  /** The booking that made, or may have made, the label of a shipment. */
  bookingOfLabel(scope: Scope, shipment: LegShipment): Promise<LabelRecord | undefined> {
    return this.read(db => bookingOfLabel(db, scope, shipment));
  }

  /** The booking that made a shipment. */
  bookingOf(scope: Scope, shipment: LegShipment): Promise<Booking | undefined> {
    return this.read(db => bookingOfShipment(db, scope, shipment));
  }

  /** Another order in this journal that has a tracking number of this booking, and the shipment of this booking with that number. */
  withSameNumber(booking: Booking): Promise<(LegShipment & { order: Booking }) | undefined> {
    return this.database.read(async db => {
      for (const { leg, shipment } of shipmentsOfBooking(booking)) {
        const { trackingNumber } = booking.labels[leg] ?? {};
        if (trackingNumber === undefined) continue;
        // Only the newest five, in the order of the index: a service may give many orders one number.
        const ids = sql`SELECT booking FROM given WHERE name = ${trackingName(trackingNumber)}
          AND booking <> ${booking.id} ORDER BY booking DESC LIMIT 5`;
        const others = await bookingsWhere(
          db,
          sql`${db.isIn('id', ids)} AND ${isOf(booking)} AND sandbox = 0 AND state IN ('created', 'partial')`,
        );
        for (const other of others) {
          const theirs = shipmentsOfBooking(other).find(label => label.leg === leg);
          if (theirs === undefined || theirs.shipment === shipment) continue;
          const order = (await bookingOfShipment(db, booking, theirs)) ?? other;
          if (order.state !== 'cancelled') return { leg, shipment, order };
        }
      }
      return undefined;
    });
  }

  savedLabel(id: string, leg: Leg): Promise<Uint8Array | undefined> {
    return this.database.read(async db => {
      const row = await db.first<{ pdf: string }>(
        sql`SELECT pdf FROM label_files WHERE booking = ${id} AND leg = ${leg}`,
      );
      return row && Buffer.from(row.pdf, 'base64');
    });
  }

  /** Another shipment at the address and account whose label file equals that of the label `label` of the booking `id`, if one is kept. */
  sameLabel(scope: Scope, id: string, label: LegShipment): Promise<LegShipment | undefined> {
    return this.database.read(db =>
      db.first<LegShipment>(
        sql`SELECT labels.leg, labels.shipment FROM label_files
          JOIN labels ON labels.booking = label_files.booking AND labels.leg = label_files.leg
          WHERE hash = (SELECT hash FROM label_files WHERE booking = ${id} AND leg = ${label.leg})
            AND ${inScope(scope)} AND shipment <> ${indexed(label.shipment)} ORDER BY labels.leg DESC, shipment LIMIT 1`,
      ),
    );
  }

  /** The labels of these shipments that count as printed, by `indexedShipment`. */
  printedAmong(scope: Scope, shipments: readonly LegShipment[]): Promise<Map<string, PrintedLabel>> {
    return this.database.read(async db => {
      const rows = await rowsOfShipments<LegShipment & { printedAt: number; printedIn: string | null }>(
        db,
        sql`SELECT leg, shipment, ${PRINTED} FROM labels WHERE ${isOf(scope)} AND printed_at IS NOT NULL`,
        shipments,
      );
      return new Map(rows.map(row => [indexedShipment(row), { at: row.printedAt, file: row.printedIn }]));
    });
  }

  /** The labels that `claimPrints` would not claim at this moment. */
  heldPrints(scope: Scope, shipments: readonly LegShipment[], again: boolean): Promise<HeldPrint[]> {
    return this.database.read(async db => (await printStates(db, scope, shipments, again)).held);
  }

  /** The labels of an address and account whose prints began, and of which nobody knows how they ended. */
  abandonedPrints(scope: Scope): Promise<HeldPrint[]> {
    return this.database.read(db => openPrints(db, 'abandoned', scope));
  }

  /** The shipments whose labels a booking holds, with ids as `indexed` gives them. */
  labelledShipments(id: string): Promise<Intent['labels']> {
    return this.database.read(db =>
      db.rows(sql`SELECT leg, shipment FROM labels WHERE booking = ${id} ORDER BY leg DESC`),
    );
  }

  /** The bookings that match a filter, the newest first. */
  list(filter: Filter): Promise<Booking[]> {
    const { limit } = filter;
    const end = limit === undefined ? sql`` : sql`LIMIT ${limit}`;
    return this.read(db => bookingsWhere(db, sql`${conditionOf(filter)} ORDER BY number DESC ${end}`));
  }

  /** The orders that match a filter, the newest first. A made label is part of its shipment's order, unless the filter asks for labels. */
  orders(filter: OrderFilter): Promise<BookedOrder[]> {
    return this.page(filter, EVERYTHING);
  }

  /** As `orders`, with excerpts in the place of most requests and answers, which are long. */
  excerptedOrders(filter: OrderFilter): Promise<BookedOrder<ListedBooking>[]> {
    return this.page(filter, WITH_EXCERPTS);
  }

  /**
   * Orders as a summary counts them. `hasExcerpts`: with excerpts; else only with requests that name the shipment of a label, and with
   * answers whose price is in no column.
   */
  countedOrders(filter: OrderFilter, hasExcerpts: boolean): Promise<BookedOrder<CountedBooking>[]> {
    return this.page(filter, hasExcerpts ? COUNTED_WITH_EXCERPTS : WITH_PRICES);
  }

  private page<B extends CountedBooking>(
    filter: OrderFilter,
    columns: Columns<B>,
  ): Promise<BookedOrder<B>[]> {
    const { before, limit, since } = filter;
    const start = pageStart(before);
    const condition = orderCondition(filter);
    const texts = soughtTexts(filter);
    return this.read(async db => {
      if (texts.length === 0)
        return ordersWith(
          db,
          columns,
          sql`${condition} AND number < ${start} ORDER BY number DESC LIMIT ${limit}`,
        );
      // Reads the table of words from its end until the page is full. CROSS JOIN keeps SQLite from another order of the tables.
      const found = await db.rows<{ id: string }>(
        sql`SELECT id FROM found_by CROSS JOIN bookings
          WHERE found_by.number < ${start} AND found_by.number >= ${since === undefined ? 0 : firstSince(since)}
            AND ${allOf(texts.map(text => isFound(db, text)))}
            AND bookings.number = found_by.number AND ${condition}
          ORDER BY found_by.number DESC LIMIT ${limit}`,
      );
      const ids = found.map(({ id }) => id);
      return ordersWith(db, columns, sql`${db.isOneOf('id', ids)} ORDER BY number DESC`);
    });
  }

  /** The ids of all shipment bookings that match a filter, newest first. All are read at once, because each page would sort all of them. */
  shipmentsWhere(filter: Omit<OrderFilter, 'limit'>): Promise<string[]> {
    const condition = sql`${orderCondition({ ...filter, limit: 0 })} AND key_space = 'shipment'`;
    return this.read(async db => {
      const rows = await db.rows<{ id: string }>(
        sql`SELECT id FROM bookings WHERE ${condition} ORDER BY number DESC`,
      );
      return rows.map(({ id }) => id);
    });
  }

  /** The orders of these bookings, the newest first. */
  ordersOf(ids: readonly string[]): Promise<BookedOrder[]> {
    return this.read(db => ordersWhere(db, sql`${db.isOneOf('id', ids)} ORDER BY number DESC`));
  }

  /** About when each of these bookings was last sent: see `lastSent` in claim.ts. */
  lastSent(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.read(db => lastSent(db, ids));
  }

  /** The orders of bookings of shipments: with the labels of the shipments, whichever booking made these labels. */
  labelled(bookings: readonly Booking[]): Promise<BookedOrder[]> {
    return this.read(db => withLabels(db, bookings));
  }

  async orderOf(booking: Booking): Promise<BookedOrder> {
    const [order] = await this.labelled([booking]);
    return order ?? { booking, labels: [] };
  }

  /** For each name that has orders: the orders of the bookings that the name finds, the newest first. */
  ordersNamed(names: readonly string[]): Promise<Map<string, BookedOrder[]>> {
    return this.read(async db => {
      const named = await bookingsNamed(db, names);
      const bookings = [...new Set([...named.values()].flat())];
      const labelled = await shipmentsLabelled(db, bookings);
      const shipmentOf = (booking: Booking) => labelled.get(booking.id) ?? booking;
      const shipments = new Map(bookings.map(shipmentOf).map(booking => [booking.id, booking]));
      const orders = await withLabels(db, [...shipments.values()]);
      const byAge = orders.sort((left, right) => right.booking.at - left.booking.at);
      return new Map(
        [...named].map(([name, ofName]) => {
          const ids = new Set(ofName.map(booking => shipmentOf(booking).id));
          return [name, byAge.filter(({ booking }) => ids.has(booking.id))];
        }),
      );
    });
  }

  /**
   * The newest bookings of shipments that were not seen at an end of their journey, with the ids of these shipments. Fewer than `limit`
   * bookings: there are no older ones. Between the pages that this reads, other processes can write.
   */
  async underWay(scope: Scope, filter: UnderWayFilter): Promise<{ booking: Booking; ids: Ids }[]> {
    const { since, ends, before, limit } = filter;
    const isEnd = new Set(ends.map(comparable));
    const time = Math.floor(since);
    // `number + 0` keeps SQLite from reading all bookings: so it uses the index by time, which has time and number.
    const row = await this.database.read(db =>
      db.first<{ oldest: number | null }>(
        sql`SELECT CAST(MIN(number + 0) AS float8) AS oldest FROM bookings WHERE at >= ${time}`,
      ),
    );
    const oldest = row?.oldest ?? Number.MAX_SAFE_INTEGER;
    const found: { id: string; ids: Ids }[] = [];
    let next = before;
    do {
      const page = await this.database.read(async db => {
        const rows = await db.rows<{ id: string; ids: string; milestones: string }>(
          // `at + 0` keeps databases from the index by time, by which they would read and sort all bookings.
          sql`SELECT id, ids, milestones FROM bookings
            WHERE ${IS_SHIPPED} AND ${isOf(scope)} AND at + 0 >= ${time}
              AND number >= ${oldest} AND number < ${pageStart(next)}
            ORDER BY number DESC LIMIT ${PAGE}`,
        );
        return rows.map(({ id, ids, milestones }) => {
          const seen = jsonIn<Booking['milestones']>(id, 'milestones', milestones);
          const left = Object.entries(jsonIn<Ids>(id, 'ids', ids)).filter(([name, shipment]) => {
            const leg = legOfId(name as keyof Ids);
            return leg && !seen[indexedShipment({ leg, shipment })]?.some(milestone => isEnd.has(milestone));
          });
          return { id, ids: Object.fromEntries(left) };
        });
      });
      found.push(...page.filter(({ ids }) => Object.keys(ids).length > 0));
      next = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (next !== undefined && found.length < limit);
    const wanted = found.slice(0, limit);
    const ids = wanted.map(({ id }) => id);
    const bookings = await this.read(db => bookingsById(db, ids));
    return wanted.flatMap(({ id, ids }) => {
      const booking = bookings.get(id);
      return booking ? [{ booking, ids }] : [];
    });
  }

  /**
   * The newest list of a name that was recorded in this journal and has orders; `undefined`: there is none. `most`: its highest number;
   * `recorder`: who recorded it.
   */
  listed(
    name: string,
    most = Number.MAX_SAFE_INTEGER,
    recorder?: Recorder,
  ): Promise<RecordedList | undefined> {
    const isRecorders = recorder
      ? sql`lists.person = ${recorder.by} AND lists.run IS NOT DISTINCT FROM ${recorder.run}`
      : raw('true');
    return this.read(async db => {
      const listing = await db.first<Listing>(
        sql`SELECT ${LISTING} FROM lists
          WHERE lists.name = ${name} AND lists.number BETWEEN 1 AND ${most} AND ${isRecorders}
            AND EXISTS (SELECT 1 FROM listed WHERE listed.name = lists.name AND listed.number = lists.number)
          ORDER BY lists.number DESC LIMIT 1`,
      );
      if (listing === undefined) return undefined;
      const bookings = sql`SELECT booking FROM listed WHERE name = ${name} AND number = ${listing.number}`;
      return { listing, orders: await ordersWhere(db, sql`${db.isIn('id', bookings)} ORDER BY number`) };
    });
  }

  size(): Promise<JournalSize> {
    return this.read(async db => {
      const counted = await db.first<JournalSize>(sql`SELECT CAST(${db.bookings} AS float8) AS bookings,
        CAST((SELECT count(*) FROM bookings WHERE ${IS_OPEN} AND state = 'unknown') AS float8) AS "unknown",
        CAST(${db.bytes} AS float8) AS bytes, ${db.engine} AS engine`);
      if (!counted) throw new StoreError({ fault: 'no-answer' });
      return counted;
    });
  }

  /** What each profile has booked at each address and account. */
  profilePlaces(): Promise<ProfilePlace[]> {
    return this.read(db =>
      db.rows(sql`SELECT profile, address, account, CAST(count(*) AS float8) AS bookings,
        CAST(count(key_id) AS float8) AS keys FROM bookings WHERE ${HOLDS_KEY} GROUP BY profile, address, account`),
    );
  }

  /** The bookings that wait for a person, the oldest first. `demo`: true for bookings of the profile `demo` only, false for all others. */
  waiting(demo: boolean): Promise<{ why: Waiting; booking: Booking }[]> {
    return this.database.read(async db => {
      await db.recordLost();
      const lost = new Set(await db.lost());
      const within = demo ? DEMO : sql`NOT (${DEMO})`;
      const open = await bookingsWhere(db, sql`${IS_OPEN} AND ${within} ORDER BY number`);
      const dear = await bookingsWhere(
        db,
        sql`state IN ('created', 'partial') AND over_price = 1 AND ${within} ORDER BY number`,
      );
      const whyOf = (booking: Booking): Waiting | undefined => {
        if (booking.state === 'unknown') return 'unknown';
        if (lost.has(booking.id)) return 'pending';
        return needsAcceptance(booking) ? 'over_price' : undefined;
      };
      return [...open, ...dear].flatMap(booking => {
        const why = whyOf(booking);
        return why === undefined ? [] : { why, booking };
      });
    });
  }

  /** What persons said each time that the journal was put back to an older state, or moved, the oldest first. */
  restorations(): Promise<Restoration[]> {
    return this.database.read(restorations);
  }

  /**
   * The name of this journal in results: its identity, and how often a person said that the journal was put back. Bookings from before
   * that may be missing in the journal, and be in results only.
   */
  async nameInResults(): Promise<string> {
    const { length: times } = await this.restorations();
    return times === 0 ? this.identity : `${this.identity}+${times}`;
  }
}

/** The name of an imported file in the table `given`. Its blank keeps the name apart from tracking numbers, which have none. */
export const importedName = (content: string): string => `~imported ${content}`;

/** The names that the table `given` may have for a name: as an id, or as a tracking number. */
const indexedNames = (name: string): string[] => [indexed(name), trackingName(name)];
/** The identities of the keys that a typed name may mean: shops write `#5001`, and people type `5001`. */
const keyIdentities = (name: string): string[] => [keyIdentity(name), `#${keyIdentity(name)}`];

/** For each name that finds bookings: those with the name as their id, key, shipment, subscription or tracking number. */
async function bookingsNamed(db: Db, names: readonly string[]): Promise<Map<string, Booking[]>> {
  // Each kind of name is looked up in its own index.
  const rows = await db.rows<{ word: string; booking: string }>(
    sql`SELECT 'id ' || id AS word, id AS booking FROM bookings WHERE ${db.isOneOf('id', names)}
      UNION ALL SELECT 'key ' || key_id, id FROM bookings WHERE ${db.isOneOf('key_id', names.flatMap(keyIdentities))}
      UNION ALL SELECT 'name ' || shipment, booking FROM made WHERE ${db.isOneOf('shipment', names.map(indexed))}
      UNION ALL SELECT 'name ' || name, booking FROM given WHERE ${db.isOneOf('name', names.flatMap(indexedNames))}`,
  );
  const idsByWord = new Map<string, Set<string>>();
  for (const { word, booking } of rows) idsByWord.set(word, (idsByWord.get(word) ?? new Set()).add(booking));
  const newestFirst = await bookingsWhere(
    db,
    sql`${db.isOneOf('id', [...new Set(rows.map(({ booking }) => booking))])} ORDER BY number DESC`,
  );
  return new Map(
    names.flatMap(name => {
      const words = [
        `id ${name}`,
        ...keyIdentities(name).map(key => `key ${key}`),
        ...indexedNames(name).map(word => `name ${word}`),
      ];
      const ids = new Set(words.flatMap(word => [...(idsByWord.get(word) ?? [])]));
      return ids.size === 0 ? [] : [[name, newestFirst.filter(({ id }) => ids.has(id))] as const];
    }),
  );
}

/** The SQL of the number of the booking `before`, at which a page begins. */
const pageStart = (before: string | undefined): Sql =>
  before === undefined
    ? sql`${Number.MAX_SAFE_INTEGER}`
    : sql`(SELECT number FROM bookings AS page WHERE page.id = ${before})`;

/** All bookings of whole orders: `starts`, all others with their keys, and all that label their shipments. */
export async function bookingsOfOrders(db: Db, starts: readonly Booking[]): Promise<Booking[]> {
  const found = new Map(starts.map(booking => [booking.id, booking]));
  const add = (bookings: readonly Booking[]) => {
    for (const booking of bookings) found.set(booking.id, booking);
  };
  for (const { key, keySpace, ...scope } of starts)
    if (key !== null)
      add(
        await bookingsWhere(
          db,
          sql`key_id = ${keyIdentity(key)} AND ${isOf(scope)} AND key_space || '' = ${keySpace}`,
        ),
      );
  for (const order of [...found.values()])
    for (const { leg, shipment } of shipmentsOfBooking(order)) {
      const claims = sql`SELECT booking FROM labels WHERE shipment = ${indexed(shipment)} AND leg = ${leg}`;
      // If a label was not made, only the request of its booking names the shipment.
      const requested = sql`operation = ${LABELS} AND ${db.contains(raw('request'), JSON.stringify(shipment))}`;
      const labels = await bookingsWhere(
        db,
        sql`${isOf(order)} AND (${db.isIn('id', claims)} OR ${requested})`,
      );
      add(
        labels.filter(
          ({ request, ...label }) =>
            request === null ||
            labelledBy({ request, ...label }).some(
              labelled => labelled.leg === leg && labelled.shipment === shipment,
            ),
        ),
      );
    }
  return [...found.values()];
}
