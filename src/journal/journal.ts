// The durable record of every booking. What becomes of a booking is decided in src/booking/machine.ts, whose table of states is in
// ARCHITECTURE.md. What is always true:
// 1. An intent is on disk before the first byte of its request, and an outcome before it is shown.
// 2. A key has one booking: of the bookings with one key, in one key space at one address and account, at most one is pending, created,
//    partial, unknown or cancelled and names no other holder of the key. A unique index says so. A label of a shipment has one, too.
// 3. Before each attempt a process asks the journal (a local journal in the moment of the first byte), and does not send a booking
//    that was settled or lost, or whose key is disputed.
// 4. An outcome is never dropped: if a person settled the booking first, the outcome is recorded as a fact beside that, and told.
// 5. What a person says is a fact: answer, status and reason stay as they came.
// 6. No booking is deleted, and its key, ids and labels stay when the rest is pruned.
// 7. A journal that holds less than before is not used, unless a person says that the loss is known; that is recorded.
// 8. An order is on one list of a kind. A list that was recorded and not written is written later, under its number.
import { createHash } from 'node:crypto';
import {
  type Booking,
  INPUT_UNKNOWN,
  type Intent,
  isMade,
  type LegShipment,
  type NewSettlement,
  type Outcome,
  type Scope,
  SETTLED_AS,
} from '../booking/booking.ts';
import { withoutLinks } from '../booking/machine.ts';
import type { Amended, Beyond, Claim, Obstacle, SettleObstacle } from '../booking/questions.ts';
import type { Leg, OperationCommand } from '../contract/operations.ts';
import { comparable, type DayLimit, type Money } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { beyondLimit, bookingsWhere, IS_OPEN, leftOfDay, obstacleTo } from './claim.ts';
import { type Database, type Db, raw, type Sql, sql } from './database.ts';
import { forgetFacts, HAS_PRIVATE_FACTS } from './facts.ts';
import { bookingsOfOrders, importedName, JournalReader } from './find.ts';
import { type BookingToImport, type ImportResult, importBooking, isNews } from './import.ts';
import { ListBook } from './lists.ts';
import { IS_SHIPPED } from './orders.ts';
import { claimPrints, endPrints, type PrintClaim, type PrintEnd } from './prints.ts';
import { timeNow } from './record.ts';
import { lockAlone, Obstructed, obstaclesTo, settle } from './settle.ts';
import { indexedShipment, jsonIn } from './tables.ts';
import { givenInserted } from './words.ts';

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
  /** The booking of the event, as it is known at that time. */
  of?: Booking | undefined;
}

/** A shipment of a booking that was seen at a milestone. */
interface Sighting extends LegShipment {
  booking: string;
  milestone: string;
}

/** How many bookings are pruned in one transaction: between two transactions other processes write. */
const PRUNED_AT_ONCE = 2000;

/**
 * The durable record of every booking. When a promise resolves, the data is on disk. Rejects with `storage` if the
 * journal cannot be read or written.
 */
export class Journal extends JournalReader {
  readonly #onEvent: ((event: JournalEvent) => void) | undefined;
  /** The bookings that this process claimed, as the log names them. */
  readonly #claimed = new Map<string, Required<Pick<JournalEvent, 'operation' | 'key' | 'of'>>>();
  readonly #awaited = new Set<string>();
  /** The lists for couriers and shops. */
  readonly lists: ListBook;

  constructor(database: Database, onEvent?: (event: JournalEvent) => void) {
    super(database);
    this.lists = new ListBook(database);
    this.#onEvent = onEvent;
  }

  /** Does a log get the events of this journal? */
  get isWatched(): boolean {
    return this.#onEvent !== undefined;
  }

  /** What prevents the booking of an intent; writes nothing. */
  async obstacle(intent: Intent): Promise<Obstacle | undefined> {
    const obstacle = await this.database.read(db => obstacleTo(db, intent));
    if (obstacle) this.#noteWait(obstacle.booking);
    return obstacle;
  }

  /** Why an intent has no room in the limit of its day; writes nothing. The claim asks again. */
  beyondLimit(intent: Intent): Promise<Beyond | undefined> {
    return this.database.read(db => beyondLimit(db, intent));
  }

  /** What a profile can still spend today at an address and account, under limits of a day. */
  leftOfDay(payer: Pick<Intent, 'scope' | 'profile'>, limits: readonly DayLimit[]): Promise<Money[]> {
    return this.database.read(db => leftOfDay(db, payer, limits));
  }

  /** Writes the intent, or says what prevents the booking: atomically, even if other processes try the same. */
  async claim(intent: Intent): Promise<Claim> {
    // step: key looked up, not claimed
    const claim = this.database.claim(intent);
    return this.#onEvent ? this.#tellClaim(intent, claim) : claim;
  }

  /**
   * Asks, before each attempt, whether this process may still send a claimed booking. Rejects with `ClaimLost` if not. The function that
   * it gives is called when the first byte is about to be written: `false` means not to write, and to ask again.
   */
  fence(id: string): Promise<() => boolean> {
    return this.database.fence(id);
  }

  /**
   * Records the outcome of a booking. If the booking was settled in the meantime, or its shipment is that of another order, the outcome
   * is kept all the same, and the promise resolves to what this means.
   */
  recordOutcome(id: string, outcome: Outcome): Promise<Amended | undefined> {
    const finished = this.database.finish(id, outcome);
    return this.#onEvent ? this.#tellOutcome(id, outcome, finished) : finished;
  }

  /** What prevents settlements; writes nothing. */
  obstaclesTo(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
    return this.database.read(db => obstaclesTo(db, settlements), { isAtomic: true });
  }

  /** Records what a person says about bookings: all of it, or nothing if there are obstacles, which are given. */
  async settle(settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
    const written = this.database.write(db => settle(db, settlements)).catch(obstacleIn);
    const obstacles = await this.#told({ event: 'settlement' }, written);
    if (this.#onEvent && obstacles.length === 0)
      for (const { id, kind } of settlements) {
        const booking = await this.byId(id);
        this.#onEvent({
          event: 'settlement',
          level: 'info',
          booking: id,
          state: SETTLED_AS[kind],
          of: booking,
        });
      }
    return obstacles;
  }

  /** Saves a label file with the booking that made it. `false`: the booking was pruned meanwhile, and nothing is saved. */
  async saveLabel(id: string, leg: Leg, pdf: Uint8Array, labelFile: string): Promise<boolean> {
    const { key = null, of } = this.#claimed.get(id) ?? {};
    const event = { event: 'label', booking: id, operation: 'label', key, labelFile, of } as const;
    const saved = this.database.write(async db => {
      const row = await db.first<{ files: string }>(
        sql`SELECT files FROM bookings WHERE id = ${id} AND ${KEEPS_FILES} ${db.forUpdate}`,
      );
      // The booking was pruned, so no address may stay: a label has one.
      if (row === undefined) return false;
      const hash = createHash('sha256').update(pdf).digest('hex').slice(0, HASH_LETTERS);
      await db.run(sql`INSERT INTO label_files (booking, leg, pdf, hash)
        VALUES (${id}, ${leg}, ${Buffer.from(pdf).toString('base64')}, ${hash})
        ON CONFLICT (booking, leg) DO UPDATE SET pdf = excluded.pdf, hash = excluded.hash`);
      const files = { ...jsonIn<Booking['files']>(id, 'files', row.files), [leg]: labelFile };
      await db.run(sql`UPDATE bookings SET files = ${JSON.stringify(files)} WHERE id = ${id}`);
      return true;
    });
    const isSaved = await this.#told(event, saved);
    if (isSaved) this.#onEvent?.({ ...event, level: 'info' });
    return isSaved;
  }

  /**
   * Claims the labels of these shipments for a print, which begins at once and lasts until `endPrints`. Gives the claimed labels, and the
   * held ones. While another process prints one of them, none is claimed. `again`: also labels that were printed, or may have been.
   */
  claimPrints(scope: Scope, shipments: readonly LegShipment[], again: boolean): Promise<PrintClaim> {
    return this.database.write(db => claimPrints(db, scope, shipments, again));
  }

  /**
   * Ends a claim of labels: those in `begun` were printed, or cut off, as `end` says; the others are again as they were before. `file`:
   * the merged file in which a person prints them.
   */
  async endPrints(
    claim: PrintClaim,
    begun: readonly LegShipment[] = [],
    end: PrintEnd = 'printed',
    file: string | null = null,
  ): Promise<void> {
    if (claim.claimed.length > 0) await this.database.write(db => endPrints(db, claim, begun, end, file));
  }

  /** Records that shipments were seen at milestones that end a journey. */
  recordSeen(sightings: readonly Sighting[]): Promise<void> {
    const bookings = sightings.map(({ booking }) => booking);
    return this.database.write(async db => {
      const rows = await db.rows<{ id: string; milestones: string }>(
        // Locked in the order of their numbers, so that two processes never wait for each other.
        sql`SELECT id, milestones FROM bookings
          WHERE ${db.isOneOf('id', bookings)} AND ${IS_SHIPPED} ORDER BY number ${db.forUpdate}`,
      );
      for (const { id, milestones } of rows) {
        const seen = jsonIn<Record<string, string[]>>(id, 'milestones', milestones);
        for (const { booking, milestone, ...shipment } of sightings) {
          if (booking !== id) continue;
          const word = indexedShipment(shipment);
          seen[word] = [...new Set([...(seen[word] ?? []), comparable(milestone)])];
        }
        const text = JSON.stringify(seen);
        if (text !== milestones) await db.run(sql`UPDATE bookings SET milestones = ${text} WHERE id = ${id}`);
      }
    });
  }

  /** Imports bookings with their ids and times, each once; none of them is `pending`. Gives a result for each. */
  importBookings(bookings: readonly BookingToImport[]): Promise<ImportResult[]> {
    return this.database.write(async db => {
      // Locked before rows are written, so that two imports never wait for each other.
      await lockAlone(db, 'settle');
      // An order that another machine handed over must not get onto a list of this journal meanwhile.
      await lockAlone(db, 'put on a list');
      const results: ImportResult[] = [];
      for (const booking of bookings) results.push(await importBooking(db, booking));
      return results;
    });
  }

  /** The bookings, among these, that an import would take over; writes nothing. */
  newsAmong<B extends BookingToImport>(bookings: readonly B[]): Promise<B[]> {
    return this.database.read(async db => {
      const news: B[] = [];
      for (const booking of bookings) if (await isNews(db, booking)) news.push(booking);
      return news;
    });
  }

  /** The time in ms since 1970, by the clock of the journal: for a shared journal that of its server. */
  now(): Promise<number> {
    return this.database.read(timeNow);
  }

  /** Records that all of a file was imported. `content`: a hash of its bytes. */
  noteImported(content: string): Promise<void> {
    return this.database.write(async db => {
      // A row of `given` needs a booking: any booking will do.
      const newest = await db.first<{ id: string }>(
        sql`SELECT id FROM bookings ORDER BY number DESC LIMIT 1`,
      );
      if (newest) await db.run(givenInserted(importedName(content), newest.id));
    });
  }

  /** Copies the whole journal into an empty file, while other processes may write. Rejects if the journal is shared. */
  backup(file: string): Promise<void> {
    return this.database.backup(file);
  }

  /**
   * Deletes personal data of bookings with a known outcome from before `before`, in ms since 1970: requests, responses, labels, addresses
   * and reasons. Keys and ids stay, so that nothing is booked again. Gives how many bookings were pruned. `clean` then removes the data
   * from the files of the journal.
   */
  async prune(before: number): Promise<number> {
    const time = Math.floor(before);
    // `number + 0` keeps SQLite from reading the newer half of all bookings: it uses the index by time, which has time and number.
    const newest = await this.database.read(db =>
      db.first<{ number: number | null }>(
        sql`SELECT CAST(MAX(number + 0) AS float8) AS number FROM bookings WHERE at < ${time}`,
      ),
    );
    const last = newest?.number ?? 0;
    let pruned = 0;
    for (let end = 0; end < last; ) {
      const old = sql`number > ${end} AND number <= ${end + PRUNED_AT_ONCE} AND at < ${time} AND NOT ${IS_OPEN}`;
      const count = await this.database.write(db => pruneWhere(db, old));
      end += PRUNED_AT_ONCE;
      pruned += count;
      // No pause after a page that was pruned before: nothing was written, and nobody waits.
      if (count > 0 && end < last) await this.database.pause();
    }
    return pruned;
  }

  /**
   * Prunes these orders, as `wholeOrders` gave them, also unknown ones; what is being sent is left out. `undefined`: an attempt or a
   * label was added since then, and nothing is pruned.
   */
  pruneOrders(orders: readonly Booking[]): Promise<number | undefined> {
    return this.database.write(async db => {
      const ids = orders.map(({ id }) => id);
      const now = await bookingsOfOrders(db, await bookingsWhere(db, db.isOneOf('id', ids)));
      if (now.length > ids.length) return undefined;
      let pruned = 0;
      for (let at = 0; at < ids.length; at += PRUNED_AT_ONCE) {
        const these = db.isOneOf('id', ids.slice(at, at + PRUNED_AT_ONCE));
        pruned += await pruneWhere(db, sql`${these} AND state <> 'pending'`);
      }
      return pruned;
    });
  }

  /**
   * Removes deleted data from the files of the journal, which are written anew; nobody else can book meanwhile. `false`: somebody who
   * reads the journal kept the last of the old data. PostgreSQL cleans up by itself, in time.
   */
  clean(): Promise<boolean> {
    return this.database.clean();
  }

  close(): Promise<void> {
    return this.database.close();
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

  async #tellOutcome(
    id: string,
    outcome: Outcome,
    finished: Promise<Amended | undefined>,
  ): Promise<Amended | undefined> {
    const { of, ...names }: Partial<JournalEvent> = this.#claimed.get(id) ?? {};
    const eventOf = (ended: Outcome | Booking) =>
      ({
        event: 'outcome',
        booking: id,
        ...names,
        state: ended.state,
        error: ended.code,
        httpStatus: ended.httpStatus,
        of: of && { ...of, ...ended },
      }) as const;
    // The file of a label is saved later, and its event needs this entry.
    if (names.operation !== 'label') this.#claimed.delete(id);
    const amended = await this.#told(eventOf(outcome), finished);
    const ended = amended?.booking ?? outcome;
    const { state } = ended;
    if (isMade(ended) && ended.overPrice === true)
      this.#onEvent?.({ ...eventOf(ended), level: 'warning', error: 'over_price' });
    else
      this.#onEvent?.({
        ...eventOf(ended),
        level: state === 'created' ? 'info' : state === 'unknown' ? 'error' : 'warning',
      });
    return amended;
  }

  /** Waits for `work`, and tells the log if it fails. */
  async #told<T>(event: Omit<JournalEvent, 'level'>, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const code = error instanceof Failure ? error.code : 'internal';
      this.#onEvent?.({ ...event, level: 'error', error: code });
      throw error;
    }
  }

  /** A process that waits for a booking looks at it again and again until it is sent: the log gets one event. */
  #noteWait({ id, operation, key, state }: Booking): void {
    if (state !== 'pending') return void this.#awaited.delete(id);
    if (!this.#awaited.has(id))
      this.#onEvent?.({ event: 'wait', level: 'info', operation, key, booking: id });
    this.#awaited.add(id);
  }
}

/** The obstacle in the error of a settlement. Throws any other error. */
function obstacleIn(error: unknown): SettleObstacle[] {
  const cause = error instanceof Failure ? error.cause : error;
  if (cause instanceof Obstructed) return [cause.obstacle];
  throw error;
}

/** A condition for bookings that may keep a label: a pruned one has no request and keeps none; an imported one never had a request. */
const KEEPS_FILES = sql`(request IS NOT NULL OR fingerprint = ${INPUT_UNKNOWN})`;

/** How much is kept of the hash of a label: 128 bits tell labels apart. */
const HASH_LETTERS = 32;

async function pruneWhere(db: Db, old: Sql): Promise<number> {
  const hasLink = raw(`labels LIKE '%"link":%'`);
  const full = sql`${old} AND (request IS NOT NULL OR answer IS NOT NULL OR why <> '' OR files <> '{}'
    OR rule IS NOT NULL OR ${HAS_PRIVATE_FACTS} OR ${hasLink})`;
  // All rows are locked before one is changed, so that what is settled or saved meanwhile is not lost. Sorted, so that two processes
  // never wait for each other.
  const locked = await db.rows<{ name: string; id: string }>(
    sql`SELECT CAST(number AS text) AS name, id FROM bookings WHERE ${full} ORDER BY number ${db.forUpdate}`,
  );
  if (locked.length === 0) return 0;
  // By number, because SQLite finds bookings faster by their numbers than by their ids.
  const these = db.isOneOf(
    'number',
    locked.map(({ name }) => name),
  );
  await db.run(sql`UPDATE found_by SET person = '' WHERE ${these}`);
  await db.run(sql`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${these})`);
  await db.run(sql`UPDATE labels SET printed_in = ''
    WHERE printed_in IS NOT NULL AND booking IN (SELECT id FROM bookings WHERE ${these})`);
  await forgetFacts(
    db,
    locked.map(({ id }) => id),
  );
  const linked = await db.rows<{ id: string; labels: string }>(
    sql`SELECT id, labels FROM bookings WHERE ${these} AND ${hasLink}`,
  );
  // An unknown booking of labels keeps its request: whoever settles the booking is asked for its shipments.
  await db.run(sql`UPDATE bookings SET answer = NULL, excerpt = NULL, why = '', files = '{}', rule = NULL,
    request = CASE WHEN operation = 'label' AND state = 'unknown' THEN request END WHERE ${these}`);
  for (const { id, labels } of linked) {
    const kept = withoutLinks(jsonIn<Booking['labels']>(id, 'labels', labels));
    await db.run(sql`UPDATE bookings SET labels = ${JSON.stringify(kept)} WHERE id = ${id}`);
  }
  return locked.length;
}
