// The journal that many machines share, in PostgreSQL.

import { ClaimLost } from '../../booking/questions.ts';
import { causeOf, Failure } from '../../errors.ts';
import type { JournalWork } from '../../say/journal.ts';
import { systemCode } from '../../system-errors.ts';
import type { Processes } from '../claim.ts';
import { type Database, readingDatabase } from '../database.ts';
import type { Opening } from '../tables.ts';
import { connect, isRefusal, NotReached, type Postgres, type PostgresSettings } from './connection.ts';
import { postgresDb, readingOnly } from './dialect.ts';
import { prepareTables } from './open.ts';
import { type JournalHost, type JournalServer, Sending } from './sending.ts';
import { sharesSession } from './server.ts';

/** How long an outcome is retried while the server is gone, in ms: a process may be offline this long. */
const PATIENCE_MS = 60_000;

/**
 * A journal that many machines share, in PostgreSQL; creates its tables if there are none. A unique index decides who
 * claims a key: the process that commits the intent sends. It renews its leases while it sends. Rejects with `storage`.
 */
export async function openPostgres(
  settings: PostgresSettings,
  processes: Processes,
  host: JournalHost,
  patience = PATIENCE_MS,
  opening: Opening = {},
): Promise<Database> {
  const guarded = guardOfServer(settings.journalName);
  const postgres = await guarded('opened', () => connect(settings));
  const { journalIdentity, readOnly, remember } = await guarded('opened', () =>
    prepareTables(postgres, settings, opening, host.now),
  ).catch(async (error: unknown) => {
    await postgres.close();
    throw error;
  });

  if (readOnly || opening.isUntouched) {
    const read: Database['read'] = work =>
      guarded('read', () => postgres.run(statements => work(readingOnly(postgresDb(statements, processes)))));
    const isPooled = () => guarded('read', () => sharesSession(postgres));
    return readingDatabase(
      { identity: journalIdentity, read, isPooled, close: () => postgres.close() },
      readOnly,
    );
  }

  const server = retryingServer(postgres, processes);
  const sending = new Sending(server, processes.own, host, patience);
  return {
    identity: journalIdentity,
    isReadOnly: false,
    read: (work, options = {}) =>
      guarded('read', () => (options.isAtomic ? server.transaction(work) : server.run(work))),
    write: work => guarded('written', () => server.transaction(work)),
    claim: intent => guarded('written', () => sending.claim(intent)),
    async fence(id) {
      if (!sending.isConfirmed(id) && !(await guarded('read', () => sending.confirm(id))))
        throw new ClaimLost();
      return () => sending.begin(id);
    },
    finish: (id, outcome) => guarded('written', () => sending.finish(id, outcome), { wasSent: true }),
    leases: sending.leases,
    async backup() {
      throw new Error('a database of many machines has its own programs for that');
    },
    clean: async () => true,
    // Its transactions wait for rows, and not for each other.
    async pause() {},
    async close() {
      await sending.close();
      // Remembered in the end, and not with a write for each claim.
      if (sending.last) remember(sending.last.id, sending.last.at);
      await postgres.close();
    },
  };
}

/** What runs work on the server: its failure becomes a `storage` that names the journal, and what to do. */
const guardOfServer =
  (journal: string) =>
  async <T>(doing: JournalWork, work: () => Promise<T>, options: { wasSent?: boolean } = {}): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof NotReached && error.cause instanceof Failure) throw error.cause;
      const cause = error instanceof NotReached ? error.cause : error;
      const code = systemCode(cause);
      const mayComeBack = !isRefusal(cause) || BUSY.test(code ?? '');
      const retry = mayComeBack ? 'later' : 'after-change';
      const wasSent = options.wasSent ?? false;
      throw new Failure(
        'storage',
        { kind: 'journal-server-failed', journal, doing, why: causeOf(error), code, wasSent },
        { retry },
        { cause: error },
      );
    }
  };

/** The server has no room for another connection or statement at this moment. */
const BUSY = /^53/;

const retryingServer = (postgres: Postgres, processes: Processes): JournalServer => ({
  run: (work, options) =>
    retried(() => postgres.run(statements => work(postgresDb(statements, processes)), options)),
  transaction: (work, options) =>
    retried(() => postgres.transaction(statements => work(postgresDb(statements, processes)), options)),
  hasChanged: () => postgres.hasChanged(),
});

/** Two transactions waited for each other, or took one key at one moment. */
const RACES = ['40P01', '23505'];
const RACE_TRIES = 5;

/** Tries again what the server undid in favour of another transaction: this time what that one wrote is seen. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!RACES.includes(systemCode(error) ?? '') || tries === RACE_TRIES) throw error;
    }
}
