import { Failure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Intent } from '../booking.ts';
import { inGroups } from '../groups.ts';
import type { Processes } from '../holder.ts';
import { type Claim, ClaimLost, type Journal } from '../journal.ts';
import { createLeases } from '../leases.ts';
import { sharedMethods } from '../methods.ts';
import { newId } from '../new-id.ts';
import type { Opening } from '../opening.ts';
import { recordOutcome } from '../record-outcome.ts';
import { effectOf, isKeyed, maySend, obstacleTo, renewLeases, writeIntent } from '../rules.ts';
import type { Run } from '../run.ts';
import { keyedObstacle, runIn, sqliteDialect } from './dialect.ts';
import { openKeptStore } from './kept-store.ts';
import { reserveIn } from './reserve.ts';

/** Pages of 4 KB that the WAL collects: the more there are, the less often a page of an index is copied from it. */
const CHECKPOINT_PAGES = 8000;

/** Longer than a process that waits for the lock sleeps between two attempts: SQLite sleeps 100 ms. */
const PAUSE_MS = 110;

const UNSENT = '; nothing was sent';

/**
 * The journal in a file of this machine; creates the file if there is none. Every commit is synced before its promise
 * resolves. Rejects with `storage`.
 */
export async function openJournal(
  file: string,
  processes: Processes,
  host: Pick<Host, 'now' | 'monotonic' | 'turn' | 'deadline'>,
  opening: Opening = {},
): Promise<Journal> {
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
  const db = sqliteDialect(processes, host);
  const reserve = reserveIn(`${file}-reserve`, host);
  // A read may write, too: a booking whose process is gone becomes unknown when it is read.
  const grouped = inGroups(
    (works: readonly (() => unknown)[]) => store.transaction(() => works.map(work => work())),
    host,
  );
  const within = <T>(doing: string, work: () => T, consequence?: string) =>
    guarded(doing, () => grouped(work) as Promise<T>, consequence);
  const run: Run = (doing, steps, { beforeSending = false } = {}) =>
    within(doing, () => runIn(store, steps()), beforeSending ? UNSENT : '');

  const leases = createLeases(ids => within('written', () => runIn(store, renewLeases(db, ids))), host);

  const attempted = new Set<string>();
  // Bookings that were claimed here without labels, and so have none to release.
  const unlabelled = new Set<string>();

  function claim(intent: Intent): Claim {
    // step: claim transaction begun
    const before = isKeyed(intent) ? undefined : runIn(store, obstacleTo(db, intent));
    const obstacle = before ?? runIn(store, keyedObstacle(db, intent));
    if (obstacle) return obstacle;
    reserve.hold();
    const id = insert(intent);
    if (id !== undefined) return { kind: 'claimed', id };
    const holding = runIn(store, obstacleTo(db, intent));
    if (holding) return holding;
    throw new Error('the key of a booking without an obstacle is held');
  }

  function insert(intent: Intent): string | undefined {
    const id = newId(host.now());
    if (!runIn(store, writeIntent(db, { id, intent, holder: processes.own }))) return undefined;
    // step: claim written, not committed
    return id;
  }

  return {
    ...sharedMethods(db, run, {
      monotonic: host.monotonic,
      pause: () => new Promise(resolve => void host.deadline(PAUSE_MS, resolve)),
    }),
    async claim(intent) {
      const claimed = await within('written', () => claim(intent), UNSENT);
      if (claimed.kind === 'claimed') {
        leases.hold(claimed.id);
        if (intent.labels.length === 0) unlabelled.add(claimed.id);
      }
      return claimed;
    },
    async fence(id) {
      const isOurs = () => {
        // step: fence asked
        store.checkPlace();
        return runIn(store, maySend(id));
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
    async recordOutcome(id, outcome) {
      const effect = { ...effectOf(outcome), ...(unlabelled.has(id) && { released: [] }) };
      const write = () => run('written', () => recordOutcome(db, id, outcome, effect));
      try {
        return await write().catch(() => {
          reserve.release();
          return write();
        });
      } finally {
        leases.release(id);
        attempted.delete(id);
        unlabelled.delete(id);
      }
    },
    backup: copy => guarded('copied', () => store.backup(copy)),
    close() {
      leases.close();
      return guarded('closed', () => store.close());
    },
  };
}

/** What to do about damage; empty for anything else. */
const adviceFor = (error: unknown): string =>
  /damaged|malformed|not a database/.test(messageOf(error))
    ? '. Put it back from a backup, or save what can be read: `waybill help journal` says how'
    : '';
