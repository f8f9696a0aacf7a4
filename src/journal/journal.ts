// The durable record of every booking. For who audits it:
//
// | from             | to                                   | by                                   | its key and its labels are         |
// |------------------|--------------------------------------|--------------------------------------|------------------------------------|
// | (none)           | pending                              | a claim, before the first byte       | taken, if nothing else holds them  |
// | pending          | created, partial                     | its answer                           | held; a leg without a label is free |
// | pending          | unknown                              | no conclusive answer; a lost process | held                               |
// | pending          | rejected, not_sent                   | its answer; nothing was sent         | free                               |
// | unknown          | created, partial, rejected           | its answer, however late             | as above                           |
// | unknown          | created, rejected                    | a person: `history resolve`          | as above                           |
// | created, rejected | unknown                             | a person: `--reopen`                 | held again, if nothing else has them |
// | created, partial | cancelled                            | a person: `history cancelled`        | held                               |
// | cancelled        | created, partial                     | a person: `--reopen`                 | held                               |
// | rejected by a person | unknown, overtaken by another    | its answer says that both may exist  | those of the other one             |
//
// What is always true:
// 1. An intent is on disk before the first byte of its request, and an outcome before it is shown.
// 2. Of the bookings with one key, in one place and key space, at most one is pending, created, partial, unknown or cancelled
//    and not overtaken: a unique index says so. The same holds for the label of a shipment.
// 3. A process asks again in the moment of the first byte, and does not send what was settled, lost or overtaken.
// 4. An outcome is never dropped: if a person spoke first, it is recorded beside what was said, and told.
// 5. What a person says is added; answer, status and reason stay as they came.
// 6. No booking is deleted, and its key, ids and labels stay when the rest is pruned.
// 7. A journal that holds less than it held is not used, unless a person says that this is known; that is recorded.
import type { Leg, OperationCommand } from '../contract/operations.ts';
import type { Money } from '../contract/read.ts';
import { Failure, type FailureCode } from '../errors.ts';
import type {
  Beyond,
  BookedOrder,
  Booking,
  BookingWithLabels,
  Claim,
  Filter,
  Handover,
  Ids,
  ImportResult,
  Intent,
  JournalSize,
  LabelRecord,
  LateOutcome,
  LookUpBy,
  NewSettlement,
  Obstacle,
  OrderFilter,
  RecordedOutcome,
  Scope,
  SettleObstacle,
} from './booking.ts';
import { bookingOfLabel, firstBooking, obstacleTo } from './claim.ts';
import { type Database, type Db, type ReadOptions, sql } from './database.ts';
import {
  bookedOrderOf,
  bookingOf,
  byIds,
  handedOver,
  knownAmong,
  labelledShipments,
  latestBy,
  listBookings,
  named,
  oldestSince,
  orders,
  ordersNamed,
  ordersOf,
  recordSeen,
  type Sighting,
  savedLabel,
  shipmentsWhere,
  shippedPage,
  size,
  twins,
  type UnderWayFilter,
} from './find.ts';
import {
  importBooking,
  newestBefore,
  PRUNED_AT_ONCE,
  printedAmong,
  prunePage,
  recordPrinted,
  saveLabel,
} from './keep.ts';
import { beyondLimit, leftOfDay } from './limits.ts';
import { handOver, obstaclesTo, settle } from './settle.ts';
import { type Restoration, restorations } from './tables.ts';

/** What a log tells of the journal: that something was recorded, or could not be. */
export interface JournalEvent {
  event: 'wait' | 'claim' | 'outcome' | 'settlement' | 'label';
  level: 'info' | 'warning' | 'error';
  operation?: OperationCommand;
  key?: string | null;
  booking?: string;
  state?: string;
  error?: FailureCode | null;
  httpStatus?: number | null;
  labelFile?: string;
  /** That booking, as it is known then. */
  of?: Booking | undefined;
}

const UNSENT = { isBeforeSending: true } as const;

/**
 * The durable record of every booking. When a promise resolves, the data is on disk. Rejects with `storage` if the
 * journal cannot be read or written.
 */
export class Journal {
  readonly #database: Database;
  readonly #onEvent: ((event: JournalEvent) => void) | undefined;
  /** What was claimed here, for the log. */
  readonly #claimed = new Map<string, Required<Pick<JournalEvent, 'operation' | 'key' | 'of'>>>();
  readonly #awaited = new Set<string>();

  constructor(database: Database, onEvent?: (event: JournalEvent) => void) {
    this.#database = database;
    this.#onEvent = onEvent;
  }

  /** Is a log told of what is recorded? */
  get isWatched(): boolean {
    return this.#onEvent !== undefined;
  }

  /** What prevents the booking; writes nothing. */
  async obstacle(intent: Intent): Promise<Obstacle | undefined> {
    const obstacle = await this.#database.read(db => obstacleTo(db, intent), UNSENT);
    if (obstacle) this.#noteWait(obstacle.booking);
    return obstacle;
  }

  /** Why it has no room in the limit of its day; writes nothing. The claim decides again. */
  beyondLimit(intent: Intent): Promise<Beyond | undefined> {
    return this.#database.read(db => beyondLimit(db, intent), UNSENT);
  }

  /** What is left of the limit of a day for a profile at an address and account. */
  leftOfDay(payer: Pick<Intent, 'scope' | 'profile'>, limit: readonly Money[]): Promise<Money[]> {
    return this.#database.read(db => leftOfDay(db, payer, limit));
  }

  /** Writes the intent, or says what prevents the booking: atomically, even if other processes try the same. */
  async claim(intent: Intent): Promise<Claim> {
    // step: key looked up, not claimed
    const claim = this.#database.claim(intent);
    return this.#onEvent ? this.#tellClaim(intent, claim) : claim;
  }

  /**
   * Asks whether a claimed booking is still ours to send, before each attempt. Rejects with `ClaimLost` if not. The
   * function is called when the first byte is about to be written: `false` means that it must not be, and to ask again.
   */
  fence(id: string): Promise<() => boolean> {
    return this.#database.fence(id);
  }

  /** Nothing is lost if the booking was settled in the meantime: then it resolves to what that means. */
  recordOutcome(id: string, outcome: RecordedOutcome): Promise<LateOutcome | undefined> {
    const finished = this.#database.finish(id, outcome);
    return this.#onEvent ? this.#tellOutcome(id, outcome, finished) : finished;
  }

  /**
   * Records what ended and claims what begins, in one commit: the database joins what comes at one moment. Gives for each what
   * `recordOutcome` and `claim` give, or why they fail.
   */
  async turn(
    ended: readonly { id: string; outcome: RecordedOutcome }[],
    next: readonly Intent[],
  ): Promise<{
    recorded: PromiseSettledResult<LateOutcome | undefined>[];
    claims: PromiseSettledResult<Claim>[];
  }> {
    const recording = Promise.allSettled(ended.map(({ id, outcome }) => this.recordOutcome(id, outcome)));
    const claiming = Promise.allSettled(next.map(intent => this.claim(intent)));
    return { recorded: await recording, claims: await claiming };
  }

  /** What prevents settlements; writes nothing. */
  obstaclesTo(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
    return this.#database.read(db => obstaclesTo(db, settlements), { isAtomic: true });
  }

  /** Records what a person says about bookings: all of it, or nothing if it gives obstacles. */
  async settle(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
    const written = this.#database.write(db => settle(db, settlements));
    const obstacles = await this.#told({ event: 'settlement' }, written);
    if (this.#onEvent && obstacles.length === 0)
      for (const { id, state } of settlements) {
        const found = await this.byId(id);
        this.#onEvent({ event: 'settlement', level: 'info', booking: id, state, of: found });
      }
    return obstacles;
  }

  /**
   * For each of these fingerprints that has one: the newest booking with that input, of the last day, or one that may exist,
   * however old it is; without its request and answer.
   */
  twins(
    scope: Scope,
    operation: OperationCommand,
    fingerprints: readonly string[],
  ): Promise<Map<string, Booking>> {
    return this.#read(db => twins(db, scope, operation, fingerprints), UNSENT);
  }

  /** For each identity, source or record name: the booking that holds it, or else the newest; without its request. */
  latestBy(scope: Scope, by: LookUpBy, values: readonly string[]): Promise<Map<string, Booking>> {
    return this.#read(db => latestBy(db, scope, by, values), UNSENT);
  }

  /** The keys that are held in that key space, and the shipments that it made; of labels those that have one. */
  knownAmong(
    scope: Scope,
    keySpace: string,
    keys: readonly string[],
    shipments: readonly string[],
  ): Promise<Set<string>> {
    return this.#database.read(db => knownAmong(db, scope, keySpace, keys, shipments), UNSENT);
  }

  byId(id: string): Promise<Booking | undefined> {
    return this.#read(db => firstBooking(db, sql`id = ${id}`));
  }

  /**
   * The bookings, of any place, that have this as their id, their key, or their key behind a `#`, an id of a shipment or
   * subscription, or a tracking number; newest first, each once.
   */
  named(ref: string): Promise<Booking[]> {
    return this.#read(db => named(db, ref));
  }

  /** The booking that made, or may have made, the label of a shipment; and the leg. */
  bookingOfLabel(scope: Scope, shipment: string): Promise<LabelRecord | undefined> {
    return this.#read(db => bookingOfLabel(db, scope, shipment));
  }

  /** The booking of a shipment or a subscription, and which of its ids this is. */
  bookingOf(scope: Scope, id: string): Promise<{ booking: Booking; kind: keyof Ids } | undefined> {
    return this.#read(db => bookingOf(db, scope, id));
  }

  /** Saves a label file with the booking that made it. */
  async saveLabel(id: string, leg: Leg, pdf: Uint8Array, labelFile: string): Promise<void> {
    const { key = null, of } = this.#claimed.get(id) ?? {};
    const event = { event: 'label', booking: id, operation: 'label', key, labelFile, of } as const;
    await this.#told(
      event,
      this.#database.write(db => saveLabel(db, id, leg, pdf, labelFile)),
    );
    this.#onEvent?.({ ...event, level: 'info' });
  }

  savedLabel(id: string, leg: Leg): Promise<Uint8Array | undefined> {
    return this.#database.read(db => savedLabel(db, id, leg));
  }

  /** Those of the shipments whose labels were printed, by whomever. */
  printedAmong(scope: Scope, shipments: readonly string[]): Promise<Set<string>> {
    return this.#database.read(db => printedAmong(db, scope, shipments));
  }

  /** Records that the labels of these shipments were printed. */
  recordPrinted(scope: Scope, shipments: readonly string[]): Promise<void> {
    return this.#database.write(db => recordPrinted(db, scope, shipments));
  }

  /** Newest first. */
  list(filter: Filter): Promise<Booking[]> {
    return this.#read(db => listBookings(db, filter));
  }

  /** Orders, newest first. A label that was made is a part of its shipment, unless labels are asked for. */
  orders(filter: OrderFilter): Promise<BookedOrder[]> {
    return this.#read(db => orders(db, filter));
  }

  /** The ids of all bookings of shipments that fit, the newest first. */
  shipmentsWhere(filter: Omit<OrderFilter, 'limit'>): Promise<string[]> {
    return this.#read(db => shipmentsWhere(db, filter));
  }

  /** The orders of these bookings, the newest first. */
  ordersOf(ids: readonly string[]): Promise<BookedOrder[]> {
    return this.#read(db => ordersOf(db, ids));
  }

  /** For each name that has some: the orders with that shipment, tracking number or key; the newest first. */
  ordersNamed(names: readonly string[]): Promise<Map<string, BookedOrder[]>> {
    return this.#read(db => ordersNamed(db, names));
  }

  orderOf(booking: Booking): Promise<BookedOrder> {
    return this.#read(db => bookedOrderOf(db, booking));
  }

  /**
   * The newest bookings of shipments that were not seen at an end of their journey, with the ids of those: fewer than `limit`
   * are the last ones. Others write between the pages that are looked at.
   */
  async underWay(scope: Scope, filter: UnderWayFilter): Promise<{ booking: Booking; ids: Ids }[]> {
    const all: { id: string; ids: Ids }[] = [];
    const oldest = await this.#database.read(db => oldestSince(db, filter.since));
    if (oldest === undefined) return [];
    let { before } = filter;
    do {
      const page = await this.#database.read(db => shippedPage(db, scope, { ...filter, before }, oldest));
      all.push(...page.found);
      before = page.next;
    } while (before !== undefined && all.length < filter.limit);
    const wanted = all.slice(0, filter.limit);
    const bookings = await this.#read(db =>
      byIds(
        db,
        wanted.map(({ id }) => id),
      ),
    );
    return wanted.flatMap(({ id, ids }) => {
      const booking = bookings.get(id);
      return booking ? [{ booking, ids }] : [];
    });
  }

  /** Records that shipments of the scope were seen at milestones that end a journey; others are left out. */
  recordSeen(scope: Scope, sightings: readonly Sighting[]): Promise<void> {
    return this.#database.write(db => recordSeen(db, scope, sightings));
  }

  /** Records that a courier got the parcels of these bookings. `false`: another handover had one of them; nothing is recorded. */
  handOver(handover: Pick<Handover, 'by' | 'run'>, bookings: readonly string[]): Promise<boolean> {
    return this.#database.write(db => handOver(db, handover, bookings));
  }

  /** The orders of a handover, the oldest first. `nth`: 0 is the newest one. `undefined`: there is none. */
  handedOver(nth: number): Promise<BookedOrder[] | undefined> {
    return this.#read(db => handedOver(db, nth));
  }

  /** The shipments whose labels a booking holds, as they are indexed. */
  labelledShipments(id: string): Promise<Intent['labels']> {
    return this.#database.read(db => labelledShipments(db, id));
  }

  /** Imports bookings with their ids and times, each once; none of them is `pending`. Gives a result for each. */
  importBookings(bookings: readonly BookingWithLabels[]): Promise<ImportResult[]> {
    return this.#database.write(async db => {
      const results: ImportResult[] = [];
      for (const one of bookings) results.push(await importBooking(db, one));
      return results;
    });
  }

  size(): Promise<JournalSize> {
    return this.#read(size);
  }

  /** Each time that a person said that it was put back or moved, the oldest first. */
  restorations(): Promise<Restoration[]> {
    return this.#database.read(restorations);
  }

  /** Copies all of it into an empty file, while others write. Rejects if it is a database of many machines. */
  backup(file: string): Promise<void> {
    return this.#database.backup(file);
  }

  /**
   * Drops requests, responses, labels and addresses of bookings before a time, in ms since 1970, whose outcome is known; keys
   * and ids stay. Gives how many were pruned.
   */
  async prune(before: number): Promise<number> {
    const last = await this.#database.read(db => newestBefore(db, before));
    let pruned = 0;
    for (let end = 0; end < last; ) {
      const count = await this.#database.write(db => prunePage(db, before, end));
      end += PRUNED_AT_ONCE;
      pruned += count;
      // A page that was pruned before holds nobody up.
      if (count > 0 && end < last) await this.#database.pause();
    }
    return pruned;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Reads bookings, of which those that are lost are unknown. */
  #read<T>(work: (db: Db) => Promise<T>, options?: ReadOptions): Promise<T> {
    return this.#database.read(async db => {
      await db.recordLost();
      return work(db);
    }, options);
  }

  async #tellClaim(intent: Intent, claiming: Promise<Claim>): Promise<Claim> {
    const { operation, key: own, orderKey } = intent;
    const names = { operation, key: own ?? orderKey ?? null };
    const claim = await this.#told({ event: 'claim', ...names }, claiming);
    if (claim.kind === 'limit')
      this.#onEvent?.({ event: 'claim', level: 'warning', ...names, error: 'over_budget' });
    else if (claim.kind !== 'claimed') this.#noteWait(claim.booking);
    else {
      const { id } = claim.booking;
      this.#claimed.set(id, { ...names, of: claim.booking });
      this.#onEvent?.({ event: 'claim', level: 'info', ...names, booking: id, of: claim.booking });
    }
    return claim;
  }

  async #tellOutcome<Late>(id: string, outcome: RecordedOutcome, finished: Promise<Late>): Promise<Late> {
    const { state, code, httpStatus } = outcome;
    const { of, ...names }: Partial<JournalEvent> = this.#claimed.get(id) ?? {};
    const known = of && { ...of, ...outcome };
    const event = {
      event: 'outcome',
      booking: id,
      ...names,
      state,
      error: code,
      httpStatus,
      of: known,
    } as const;
    // The file of a label is saved later.
    if (names.operation !== 'label') this.#claimed.delete(id);
    const late = await this.#told(event, finished);
    if (state === 'created' && outcome.overPrice === true)
      this.#onEvent?.({ ...event, level: 'warning', error: 'over_price' });
    else
      this.#onEvent?.({
        ...event,
        level: state === 'created' ? 'info' : state === 'unknown' ? 'error' : 'warning',
      });
    return late;
  }

  /** The log is told why something could not be recorded. */
  async #told<T>(event: Omit<JournalEvent, 'level'>, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const code = error instanceof Failure ? error.code : 'internal';
      this.#onEvent?.({ ...event, level: 'error', error: code });
      throw error;
    }
  }

  /** It is looked at again and again until it is sent. */
  #noteWait({ id, operation, key, state }: Booking): void {
    if (state !== 'pending') return void this.#awaited.delete(id);
    if (!this.#awaited.has(id))
      this.#onEvent?.({ event: 'wait', level: 'info', operation, key, booking: id });
    this.#awaited.add(id);
  }
}
