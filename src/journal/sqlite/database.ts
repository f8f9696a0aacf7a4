// The journal in a file of this machine.

import type { Booking, Intent, Outcome } from '../../booking/booking.ts';
import { type Claim, ClaimLost } from '../../booking/questions.ts';
import { keyIdentity } from '../../contract/key.ts';
import { causeOf, damaged, Failure } from '../../errors.ts';
import { isDamage, isLocked, type Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import { lostWords } from '../../say/booked.ts';
import type { JournalWork } from '../../say/journal.ts';
import {
  claimFree,
  claimingOf,
  firstBooking,
  foundBy,
  HOLDS_KEY,
  IS_OPEN,
  intentsInserted,
  isAbandoned,
  isKeyed,
  isOf,
  MAY_SEND,
  obstacleTo,
  type Processes,
} from '../claim.ts';
import {
  createLeases,
  createPace,
  type Database,
  type Db,
  inGroups,
  raw,
  sql,
  stopwatch,
} from '../database.ts';
import { renewAll } from '../lists.ts';
import { recordLost, recordOutcome, usualStep, writeSteps } from '../record.ts';
import { jsonIn, type Opening } from '../tables.ts';
import { claimNames, searchedWords } from '../words.ts';
import { type JournalFile, movedFailure, movedTo, openJournalFile, statementsIn } from './file.ts';

export { sqliteVersion } from '../../host/sqlite.ts';

/** How many pages of 4 KB the log of writes (WAL) collects: the more there are, the less often one page of an index is copied. */
const CHECKPOINT_PAGES = 8000;

/** A pause in ms, longer than SQLite sleeps between two attempts to get the lock (100 ms): so a process that waits gets its turn. */
const PAUSE_MS = 110;

/** How long an outcome is tried to be recorded while another process holds the lock, in ms. */
const PATIENCE_MS = 5 * 60 * 1000;

/**
 * The journal in a file of this machine; creates the file if there is none. Every commit is synced before its promise
 * resolves. Rejects with `storage`.
 */
export async function openSqlite(
  file: string,
  processes: Processes,
  host: Pick<Host, 'now' | 'monotonic' | 'turn' | 'deadline'>,
  opening: Opening = {},
): Promise<Database> {
  const guarded = guardOf(file);
  const store = await guarded('opened', () => openJournalFile(file, opening, host));
  store.all(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // step: journal opened
  const db = sqliteDb(store, processes, host, { isReadOnly: false });

  // All reads and writes go through one queue: there is one connection, and a read may have to write that a booking is lost. The
  // statements of a group wait for nothing but each other, so that nothing else runs between them.
  const pace = createPace(host);
  const grouped = inGroups({
    write: (works: readonly (() => Promise<unknown>)[]) =>
      store.transactionOf(async () => {
        const results: unknown[] = [];
        for (const work of works) results.push(await work());
        return results;
      }),
    mayBeOfOne: () => true,
    most: pace.most,
    turn: host.turn,
  });
  const within = <T>(doing: JournalWork, work: () => Promise<T>) =>
    guarded(doing, () => grouped(work) as Promise<T>);
  /** Writes, unless the bookings were moved since the journal was opened: another process may have done so. */
  const written = <T>(work: () => Promise<T>) =>
    within('written', async () => {
      const moved = opening.evenMoved ? undefined : movedFailure(file, store);
      if (moved) throw moved;
      return work();
    });

  const leases = createLeases(ids => written(() => renewAll(db, ids)), host);
  const attempted = new Set<string>();
  /** The bookings that are being sent, as they were claimed. */
  const sending = new Map<string, Booking>();

  async function record(id: string, outcome: Outcome) {
    const usual = usualStep(sending.get(id), outcome);
    const isWritten = usual !== undefined && (await writeSteps(db, [usual])).size > 0;
    return isWritten ? undefined : recordOutcome(db, id, outcome);
  }

  async function claim(intent: Intent): Promise<Claim> {
    // step: claim transaction begun
    const obstacle = isKeyed(intent) ? undefined : await obstacleTo(db, intent);
    if (obstacle) return obstacle;
    const holder = await bookingWithKey(db, intent);
    if (holder) return { kind: 'taken', booking: holder };
    const claiming = claimingOf(intent, processes.own, host.now());
    const claim = await claimFree(db, claiming);
    if (claim?.kind === 'claimed') {
      // step: claim written, not committed
      return claim;
    }
    const holding = claim ?? (await obstacleTo(db, intent));
    if (holding) return holding;
    throw new Error('the key of a booking without an obstacle is held');
  }

  return {
    identity: store.identity,
    movedTo: store.movedTo,
    isReadOnly: false,
    read: work => within('read', () => work(db)),
    write: work => written(() => work(db)),
    async claim(intent) {
      const result = await written(() => claim(intent));
      if (result.kind === 'claimed') {
        leases.hold(result.booking.id);
        sending.set(result.booking.id, result.booking);
      }
      return result;
    },
    async fence(id) {
      // Before the first attempt it is enough that the function below asks in the moment of sending.
      if (attempted.has(id) && !(await guarded('read', () => maySendNow(store, id)))) throw new ClaimLost();
      attempted.add(id);
      return () => {
        try {
          pace.sent(id);
          return maySendNow(store, id);
        } catch {
          return false;
        }
      };
    },
    async finish(id, outcome) {
      pace.answered(id);
      try {
        return await persistently(() => written(() => record(id, outcome)), host);
      } finally {
        leases.release(id);
        attempted.delete(id);
        sending.delete(id);
      }
    },
    leases,
    backup: copy => guarded('copied', () => store.backup(copy)),
    clean: () => guarded('cleaned', () => store.clean()),
    pause: () => new Promise(resolve => void host.deadline(PAUSE_MS, resolve)),
    async close() {
      leases.close();
      await store.whenIdle();
      return guarded('closed', () => store.close());
    },
  };
}

/**
 * The booking that has the key of an intent, by another index than the unique one: if one of them is damaged, the other still prevents a
 * second booking.
 */
async function bookingWithKey(db: Db, intent: Intent): Promise<Booking | undefined> {
  const { scope, keySpace, key } = intent;
  if (key === null) return undefined;
  const holder = await db.first<{ id: string }>(sql`SELECT id FROM bookings
    WHERE key_id = ${keyIdentity(key)} AND ${isOf(scope)} AND key_space || '' = ${keySpace} AND ${HOLDS_KEY}`);
  if (holder === undefined) return undefined;
  await db.recordLost();
  const booking = await firstBooking(db, sql`id = ${holder.id}`);
  if (booking === undefined) throw damaged({ part: 'booking', booking: holder.id });
  return booking;
}

/**
 * Tries once more, as the disk may have been full for a moment; and for minutes while a process that writes the journal anew has the
 * lock.
 */
async function persistently<T>(work: () => Promise<T>, host: Pick<Host, 'now' | 'monotonic'>): Promise<T> {
  const elapsed = stopwatch(host);
  for (let isFirst = true; ; isFirst = false)
    try {
      return await work();
    } catch (error) {
      if (!isFirst && !(isLocked(error) && elapsed() < PATIENCE_MS)) throw error;
    }
}

/** May the booking be sent at this moment? */
function maySendNow(store: Pick<JournalFile, 'first' | 'checkFiles'>, id: string): boolean {
  // step: fence asked
  store.checkFiles();
  return (
    store.first(`SELECT 1 AS found FROM bookings WHERE id = ? AND ${MAY_SEND.texts[0]}`, id) !== undefined
  );
}

/** Runs work on a journal: a failure of the work becomes a `storage` failure that names the file, and what to do. */
export const guardOf =
  (file: string) =>
  async <T>(doing: JournalWork, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      const problem = isDamage(error) ? 'damaged' : isLocked(error) ? 'locked' : undefined;
      throw new Failure(
        'storage',
        { kind: 'journal-file-failed', journal: file, doing, why: causeOf(error), problem },
        { retry: isLocked(error) ? 'later' : 'after-change' },
        { cause: error },
      );
    }
  };

const rowTextsBefore = new Map<string, readonly string[]>();

/** The texts of a table `rows` around its values, made once for each set of columns and number of rows. */
function rowTexts(names: readonly string[], count: number): readonly string[] {
  const key = `${count} ${names.join()}`;
  let texts = rowTextsBefore.get(key);
  if (texts === undefined) {
    const row = names.map(name => `? AS ${name}`).join(', ');
    texts = `(SELECT ${Array.from({ length: count }, () => row).join(' UNION ALL SELECT ')}) AS rows`.split(
      '?',
    );
    rowTextsBefore.set(key, texts);
  }
  return texts;
}

/** The `Db` of a journal file. `isReadOnly`: lost bookings are not recorded as unknown. */
export function sqliteDb(
  store: Pick<Store, 'all' | 'first' | 'run'>,
  processes: Processes,
  clock: Pick<Host, 'now'>,
  journal: Pick<Database, 'isReadOnly'>,
): Db {
  const { own, isAlive } = processes;
  const ownText = JSON.stringify(own);
  const now = () => Math.floor(clock.now());
  const db: Db = {
    ...statementsIn(store),
    own,
    isAlive,
    get movedTo() {
      return movedTo(store);
    },
    hasEnded: (holder, leaseUntil, now) => isAbandoned(processes, holder, leaseUntil, now),
    get now() {
      return sql`${now()}`;
    },
    isOneOf: (column, values) =>
      sql`${raw(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
    isIn: (column, selection) => sql`${raw(column)} IN (${selection})`,
    // GLOB passes over a text far faster than `instr` where a character is rare: so GLOB does not look for the blank before a word.
    contains(column, text) {
      const [start = ''] = text.trimStart().match(/^.{0,40}/u) ?? [];
      return sql`(${column} GLOB ${`*${start.replace(/[*?[]/g, '[$&]')}*`} AND instr(${column}, ${text}) > 0)`;
    },
    // No other transaction runs meanwhile: there are no rows to lock.
    forUpdate: sql``,
    skipLocked: sql``,
    rowsOf(columns) {
      const values = Object.values(columns);
      const count = values[0]?.length ?? 0;
      const parts = Array.from({ length: count }, (_, row) => values.map(texts => texts[row] ?? null)).flat();
      return { texts: rowTexts(Object.keys(columns), count), parts };
    },
    unlocked: condition => condition,
    async lock() {},
    async writeClaims(claimings) {
      const written = new Set<string>();
      for (const claiming of claimings) {
        const { id, intent } = claiming;
        if ((await db.run(intentsInserted(db, [claiming]))) === 0) continue;
        await db.run(foundBy(id, searchedWords(intent.request.value), claimNames(intent)));
        written.add(id);
      }
      return written;
    },
    async lost() {
      const open = await db.rows<{ id: string; holder: string; leaseUntil: number }>(
        sql`SELECT id, holder, lease_until AS "leaseUntil" FROM bookings
          WHERE ${IS_OPEN} AND state = 'pending' AND (holder <> ${ownText} OR lease_until <= ${now()})`,
      );
      return open.flatMap(({ id, holder, leaseUntil }) =>
        db.hasEnded(jsonIn(id, 'holder', holder), leaseUntil, now()) ? id : [],
      );
    },
    async recordLost() {
      if (journal.isReadOnly) return;
      // No other transaction runs meanwhile: a lost booking is still lost when it is written.
      await recordLost(db, lostWords('ended'), raw('true'));
    },
    // The last number is the count: no booking is deleted, and no number left out. A real count would read all of an index.
    bookings: sql`(SELECT COALESCE(MAX(number), 0) FROM bookings)`,
    engine: sql`'SQLite ' || sqlite_version()`,
    bytes: sql`(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())`,
  };
  return db;
}
