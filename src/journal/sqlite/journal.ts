import { Failure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { openStore } from '../../sqlite.ts';
import type { Processes } from '../holder.ts';
import type { Claim, Intent, Journal } from '../journal.ts';
import { type Run, sharedMethods } from '../methods.ts';
import { newId } from '../new-id.ts';
import { effectOf, obstacleTo, writeIntent } from '../rules.ts';
import { runIn, sqliteDialect } from './dialect.ts';
import { groupCommits } from './group-commit.ts';
import { reserveIn } from './reserve.ts';
import { MIGRATIONS } from './schema.ts';

/** Pages of 4 KB that the WAL collects: the more there are, the less often a page of an index is copied from it. */
const CHECKPOINT_PAGES = 8000;

const UNSENT = '; nothing was sent';

/**
 * The journal in a file of this machine; creates the file if there is none. Every commit is synced before its promise
 * resolves. Rejects with `storage`.
 */
export async function openJournal(
  file: string,
  processes: Processes,
  host: Pick<Host, 'now' | 'turn'>,
): Promise<Journal> {
  const guarded = async <T>(doing: string, work: () => T | Promise<T>, consequence = ''): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const why = `the journal ${file} cannot be ${doing}: ${messageOf(error)}${consequence}`;
      throw new Failure('storage', why, {}, { cause: error });
    }
  };
  const store = await guarded(
    'opened',
    () => openStore(file, { durability: 'full', migrations: MIGRATIONS }),
    UNSENT,
  );
  store.all(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const db = sqliteDialect(processes, host);
  const reserve = reserveIn(`${file}-reserve`, host);
  // A read may write, too: a booking whose process is gone becomes unknown when it is read.
  const grouped = groupCommits(store, host);
  const within = <T>(doing: string, work: () => T, consequence?: string) =>
    guarded(doing, () => grouped(work), consequence);
  const run: Run = (doing, steps, { beforeSending = false } = {}) =>
    within(doing, () => runIn(store, steps()), beforeSending ? UNSENT : '');

  function insert(intent: Intent): string {
    const id = newId(host.now());
    const written = writeIntent(db, intent, { id, holder: processes.own, lease: intent.lease });
    if (!runIn(store, written)) throw new Error('the key of a booking without an obstacle is held');
    return id;
  }

  return {
    ...sharedMethods(db, run),
    claim: intent =>
      within(
        'written',
        (): Claim => {
          const obstacle = runIn(store, obstacleTo(db, intent));
          if (obstacle) return obstacle;
          reserve.hold();
          return { kind: 'claimed', id: insert(intent) };
        },
        UNSENT,
      ),
    async recordOutcome(id, outcome) {
      const write = () => run('written', () => db.recordOutcome(id, outcome, effectOf(outcome)));
      await write().catch(() => {
        reserve.release();
        return write();
      });
    },
    close: () => guarded('closed', () => store.close()),
  };
}
