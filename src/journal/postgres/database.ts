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

/** How long an outcome is tried to be recorded while the server cannot be reached, in ms. */
const PATIENCE_MS = 60_000;

/**
 * A journal that many machines share, in PostgreSQL; creates its tables if there are none. A unique index decides who claims a key: the
 * process that commits its intent sends the booking, and renews the lease meanwhile. Rejects with `storage`.
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
    // Nothing to do: transactions of PostgreSQL wait for rows, and not for each other.
    async pause() {},
    async close() {
      await sending.close();
      // The last claim is remembered once, at the end, and not with a write for each claim.
      if (sending.last) remember(sending.last.id, sending.last.at);
      await postgres.close();
    },
  };
}

/** Runs work on the server: a failure of the work becomes a `storage` failure that names the journal, and what to do. */
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

/** The codes of errors by which the server has no room for another connection or statement at this moment. */
const BUSY = /^53/;

const retryingServer = (postgres: Postgres, processes: Processes): JournalServer => ({
  run: (work, options) =>
    retried(() => postgres.run(statements => work(postgresDb(statements, processes)), options)),
  transaction: (work, options) =>
    retried(() => postgres.transaction(statements => work(postgresDb(statements, processes)), options)),
  hasChanged: () => postgres.hasChanged(),
});

/** The codes of errors by which two transactions waited for each other, or took one key at one moment. */
const RACES = ['40P01', '23505'];
const RACE_TRIES = 5;

/** Runs work again that the server undid in favour of another transaction: the next try sees what that transaction wrote. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!RACES.includes(systemCode(error) ?? '') || tries === RACE_TRIES) throw error;
    }
}
