import { keyIdentity } from '../../contract/key.ts';
import { Failure, messageOf } from '../../errors.ts';
import type { Store } from '../../host/sqlite.ts';
import type { Host } from '../../host.ts';
import { type Claim, ClaimLost, type Intent } from '../booking.ts';
import {
  beyondLimit,
  claimingOf,
  firstBooking,
  HOLDS_KEY,
  IS_OPEN,
  isKeyed,
  isOf,
  leasesRenewed,
  MAY_SEND,
  obstacleTo,
  type Processes,
  writeIntent,
} from '../claim.ts';
import { createLeases, type Database, type Db, inGroups, raw, sql } from '../database.ts';
import { outcomeEffect, recordOutcome } from '../finish.ts';
import { jsonIn, type Opening } from '../tables.ts';
import { openKeptStore, statementsIn } from './kept-store.ts';

/** Pages of 4 KB that the WAL collects: the more there are, the less often a page of an index is copied from it. */
const CHECKPOINT_PAGES = 8000;

/** Longer than a process that waits for the lock sleeps between two attempts: SQLite sleeps 100 ms. */
const PAUSE_MS = 110;

/** How long after its lease a process counts as sending if it is known to run: it may be stopped. */
const RUNNING_MS = 60 * 60 * 1000;

const UNSENT = '; nothing was sent';

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
  const guarded = async <T>(doing: string, work: () => T | Promise<T>, consequence = ''): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      const why = `the journal ${file} cannot be ${doing}: ${messageOf(error)}${consequence}${adviceFor(error)}`;
      throw new Failure('storage', why, {}, { cause: error });
    }
  };
  const store = await guarded('opened', () => openKeptStore(file, opening, host), UNSENT);
  store.all(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  // step: journal opened
  const db = dbOf(store, processes, host);

  // All of it goes through one queue, because there is one connection, and a read may find that a booking is lost. The
  // statements of a group wait for nothing but each other, so that nothing else runs between them.
  const grouped = inGroups(
    (works: readonly (() => Promise<unknown>)[]) =>
      store.transactionOf(async () => {
        const results: unknown[] = [];
        for (const work of works) results.push(await work());
        return results;
      }),
    host,
  );
  const within = <T>(doing: string, work: () => Promise<T>, consequence?: string) =>
    guarded(doing, () => grouped(work) as Promise<T>, consequence);

  const leases = createLeases(ids => within('written', () => db.run(leasesRenewed(db, ids))), host);
  const attempted = new Set<string>();
  // Claimed here without labels, so that there are none to release.
  const unlabelled = new Set<string>();

  async function claim(intent: Intent): Promise<Claim> {
    // step: claim transaction begun
    const obstacle = isKeyed(intent) ? undefined : await obstacleTo(db, intent);
    if (obstacle) return obstacle;
    const { scope, keySpace, key } = intent;
    // By another index than the one that keeps a key from being written twice: damage to one of them must not book it again.
    const held =
      key !== null &&
      (await db.first<{ id: string }>(sql`SELECT id FROM bookings
        WHERE key_id = ${keyIdentity(key)} AND ${isOf(scope)} AND key_space || '' = ${keySpace} AND ${HOLDS_KEY}`));
    if (held) {
      await db.recordLost();
      const booking = await firstBooking(db, sql`id = ${held.id}`);
      if (booking === undefined)
        throw new Error(`it is damaged: the booking ${held.id} is not found by its id`);
      return { kind: 'taken', booking };
    }
    const beyond = intent.perDay && (await beyondLimit(db, intent));
    if (beyond) return beyond;
    const claiming = claimingOf(intent, processes.own, host.now());
    if (await writeIntent(db, claiming)) {
      // step: claim written, not committed
      return { kind: 'claimed', booking: claiming.booking };
    }
    const holding = await obstacleTo(db, intent);
    if (holding) return holding;
    throw new Error('the key of a booking without an obstacle is held');
  }

  return {
    read: (work, { isBeforeSending = false } = {}) =>
      within('read', () => work(db), isBeforeSending ? UNSENT : ''),
    write: work => within('written', () => work(db)),
    async claim(intent) {
      const result = await within('written', () => claim(intent), UNSENT);
      if (result.kind === 'claimed') {
        leases.hold(result.booking.id);
        if (intent.labels.length === 0) unlabelled.add(result.booking.id);
      }
      return result;
    },
    async fence(id) {
      const isOurs = () => {
        // step: fence asked
        store.checkPlace();
        return (
          store.first(`SELECT 1 AS found FROM bookings WHERE id = ? AND ${MAY_SEND.texts[0]}`, id) !==
          undefined
        );
      };
      // Before the first attempt it is enough to ask in the moment of sending.
      if (attempted.has(id) && !(await guarded('read', isOurs, UNSENT))) throw new ClaimLost();
      attempted.add(id);
      return () => {
        try {
          return isOurs();
        } catch {
          return false;
        }
      };
    },
    async finish(id, outcome) {
      const effect = { ...outcomeEffect(outcome), ...(unlabelled.has(id) && { released: [] }) };
      const write = () => within('written', () => recordOutcome(db, id, outcome, effect));
      try {
        // Once more: the lock may have been held for long, or the disk full, for a moment.
        return await write().catch(write);
      } finally {
        leases.release(id);
        attempted.delete(id);
        unlabelled.delete(id);
      }
    },
    backup: copy => guarded('copied', () => store.backup(copy)),
    pause: () => new Promise(resolve => void host.deadline(PAUSE_MS, resolve)),
    async close() {
      leases.close();
      await store.whenIdle();
      return guarded('closed', () => store.close());
    },
  };
}

function dbOf(store: Store, { own, isAlive }: Processes, clock: Pick<Host, 'now'>): Db {
  const ownText = JSON.stringify(own);
  const now = () => Math.floor(clock.now());
  const db: Db = {
    ...statementsIn(store),
    get now() {
      return sql`${now()}`;
    },
    isOneOf: (column, values) =>
      sql`${raw(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
    isIn: (column, selection) => sql`${raw(column)} IN (${selection})`,
    contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
    // A transaction is alone.
    forUpdate: sql``,
    unlocked: condition => condition,
    async lock() {},
    async lockPlace() {},
    async recordLost() {
      const open = await db.rows<{ id: string; holder: string; leaseUntil: number }>(
        sql`SELECT id, holder, lease_until AS "leaseUntil" FROM bookings
          WHERE ${IS_OPEN} AND state = 'pending' AND (holder <> ${ownText} OR lease_until <= ${now()})`,
      );
      const lost = open.flatMap(({ id, holder, leaseUntil }) => {
        const alive = isAlive(jsonIn(id, 'holder', holder));
        return alive === false || now() >= leaseUntil + (alive ? RUNNING_MS : 0) ? id : [];
      });
      if (lost.length > 0)
        await db.run(sql`UPDATE bookings SET state = 'unknown', code = 'outcome_unknown', settled_at = ${now()},
            why = 'the process that sent it ended before it could record an outcome'
          WHERE ${db.isOneOf('id', lost)} AND state = 'pending'`);
    },
    bytes: sql`(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())`,
  };
  return db;
}

/** What to do about damage; empty for anything else. */
const adviceFor = (error: unknown): string =>
  /damaged|malformed|not a database/.test(messageOf(error))
    ? '. Put it back from a backup, or save what can be read: `waybill help journal` says how'
    : '';
