// The journal that many machines share, in PostgreSQL.

import {
  type Amended,
  type Booking,
  type Claim,
  ClaimLost,
  type Intent,
  LEASE_MS,
  NO_RESPONSE,
  type Outcome,
  type Scope,
} from '../../booking/booking.ts';
import type { Step } from '../../booking/machine.ts';
import { causeOf, Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { lostWords } from '../../say/booked.ts';
import type { JournalWork } from '../../say/journal.ts';
import { systemCode } from '../../system-errors.ts';
import {
  claimFree,
  claimingOf,
  IS_OPEN,
  intentsInserted,
  isKeyed,
  leaseEnd,
  lockNames,
  MAY_SEND,
  obstacleTo,
  type Processes,
} from '../claim.ts';
import {
  type Claiming,
  createLeases,
  createPace,
  type Database,
  type Db,
  inGroups,
  list,
  raw,
  readingDatabase,
  type Sql,
  sql,
  stopwatch,
} from '../database.ts';
import { renewAll } from '../lists.ts';
import { CannotRecord, recordLost, recordOutcome, usualStep, writeSteps } from '../record.ts';
import { COLUMN_NAMES, type Opening, TABLES } from '../tables.ts';
import { claimNames, searchedWords } from '../words.ts';
import {
  connect,
  NOW,
  NOW_TEXT,
  NotReached,
  type PostgresSettings,
  QUERY_MS,
  ServerChanged,
  type Statements,
} from './connection.ts';
import { prepareTables } from './open.ts';
import { sharesSession } from './server.ts';

/** How long an outcome is retried while the server is gone, in ms: a process may be offline this long. */
const PATIENCE_MS = 60_000;
/** How long it is retried to ask for a claim, or to withdraw an intent, in ms. */
const SHORT_PATIENCE_MS = 10_000;
const RETRY_PAUSE_MS = 500;
/** After a claim was confirmed it is not asked about again for so long, in ms: the first attempt follows at once. */
const CONFIRMED_MS = 1000;

type JournalHost = Pick<Host, 'turn' | 'now' | 'monotonic' | 'sleep' | 'deadline'>;

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
  const { journalName } = settings;
  const postgres = await guarded('opened', () => connect(settings));

  async function guarded<T>(
    doing: JournalWork,
    work: () => Promise<T>,
    options: { wasSent?: boolean } = {},
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof NotReached && error.cause instanceof Failure) throw error.cause;
      const cause = error instanceof NotReached ? error.cause : error;
      const code = systemCode(cause);
      const mayComeBack = !isRefusal(cause) || BUSY.test(code ?? '');
      const retry = mayComeBack ? 'later' : 'after-change';
      const why = causeOf(error);
      throw new Failure(
        'storage',
        {
          kind: 'journal-server-failed',
          journal: journalName,
          doing,
          why,
          code,
          wasSent: options.wasSent ?? false,
        },
        { retry },
        { cause: error },
      );
    }
  }

  type Options = Parameters<typeof postgres.run>[1];
  const run = <T>(work: (db: Db) => Promise<T>, options?: Options) =>
    retried(() => postgres.run(statements => work(postgresDb(statements, processes)), options));
  const transaction = <T>(work: (db: Db) => Promise<T>, options?: Options) =>
    retried(() => postgres.transaction(statements => work(postgresDb(statements, processes)), options));

  const renew = (ids: readonly string[]) => run(db => renewAll(db, ids), FOR_SENT);
  const leases = createLeases(renew, host);
  // The time since the server last said that a claim is ours, for the bookings that are being sent.
  const confirmed = new Map<string, () => number>();

  /** Tries until it works, or until `isFinal` or the time is over: then it rejects with the last error. */
  async function persist<T>(
    work: () => Promise<T>,
    ms: number,
    isFinal: (error: unknown) => boolean,
  ): Promise<T> {
    let isOver = false;
    const stop = host.deadline(ms, () => {
      isOver = true;
    });
    for (;;) {
      try {
        const result = await work();
        stop();
        return result;
      } catch (error) {
        if (isOver || isFinal(error)) throw error;
        await host.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  /** What is being sent, as it was claimed. */
  const sending = new Map<string, Booking>();

  const pace = createPace(host);
  const groups = { turn: host.turn, mayBeOfOne: isRefusal, most: pace.most };

  /** Resolves to whether it was claimed: not if its key is held. */
  const claimTogether = inGroups({
    async write(claimings: readonly Claiming[]) {
      const written = await run(db => db.writeClaims(claimings));
      return claimings.map(({ id }) => written.has(id));
    },
    ...groups,
  });

  /** Resolves to whether it was written: not if it is not as usual, which is decided alone. */
  const finishTogether = inGroups({
    async write(steps: readonly Step[]) {
      const written = await transaction(db => writeSteps(db, steps), FOR_SENT);
      return steps.map(({ booking }) => written.has(booking.id));
    },
    ...groups,
  });

  /** What is being recorded. */
  const recordings = new Set<Promise<unknown>>();
  function record(id: string, outcome: Outcome, ms: number): Promise<Amended | undefined> {
    let usual = usualStep(sending.get(id), outcome);
    const work = persist(
      async () => {
        const step = usual;
        usual = undefined;
        if (step && (await finishTogether(step))) return undefined;
        return transaction(db => recordOutcome(db, id, outcome), FOR_SENT);
      },
      ms,
      error => error instanceof CannotRecord,
    );
    const done = work.finally(() => recordings.delete(done));
    recordings.add(done);
    return done;
  }

  async function claim(intent: Intent): Promise<Claim> {
    for (;;) {
      const elapsed = stopwatch(host);
      const claiming = claimingOf(intent, processes.own, host.now());
      const claim = await claimAs(claiming);
      if (claim === undefined) continue;
      if (claim.kind !== 'claimed') return claim;
      const { id } = claiming;
      confirmed.set(id, elapsed);
      leases.hold(id);
      sending.set(id, claim.booking);
      last = { id, at: host.now() };
      return claim;
    }
  }

  /** `undefined`: the key was held and is free again. */
  async function claimAs(claiming: Claiming): Promise<Claim | undefined> {
    const { id, intent, booking } = claiming;
    try {
      const isLimited = intent.perDay.length > 0;
      if (!isKeyed(intent) || isLimited || intent.tellsSameOrder) {
        const alone = () => transaction(db => claimAlone(db, claiming));
        return await (isLimited ? afterOthers(alone) : alone());
      }
      if (await claimTogether(claiming)) return { kind: 'claimed', booking };
    } catch (error) {
      if (!(error instanceof NotReached) && !isRefusal(error)) {
        // It may have been written.
        const why = lostWords('claim-lost');
        const notSent = { ...NO_RESPONSE, state: 'not_sent', code: 'storage', why } as const;
        void record(id, notSent, SHORT_PATIENCE_MS).catch(() => {});
      }
      throw error;
    }
    return run(db => obstacleTo(db, intent));
  }

  /** Those that wait for one lock wait with one connection: the others are for outcomes. */
  function afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = lastLimited.then(work);
    lastLimited = done.catch(() => {});
    return done;
  }
  let lastLimited: Promise<unknown> = Promise.resolve();

  async function claimAlone(db: Db, claiming: Claiming): Promise<Claim | undefined> {
    const { intent } = claiming;
    await db.lock(intent.scope, lockNames(intent));
    if (intent.perDay.length > 0) await lockPlace(db, intent.scope);
    const obstacle = await obstacleTo(db, intent);
    if (obstacle) return obstacle;
    // step: shared claim has its locks
    return claimFree(db, claiming);
  }

  const { journalIdentity, readOnly, remember } = await guarded('opened', () =>
    prepareTables(postgres, settings, opening, host.now),
  ).catch(async (error: unknown) => {
    await postgres.close();
    throw error;
  });
  // The last booking that was claimed here: it is remembered in the end, and not with a write for each.
  let last: { id: string; at: number } | undefined;

  if (readOnly || opening.isUntouched) {
    const read: Database['read'] = work =>
      guarded('read', () => postgres.run(statements => work(readingOnly(postgresDb(statements, processes)))));
    const isPooled = () => guarded('read', () => sharesSession(postgres));
    return readingDatabase(
      { identity: journalIdentity, read, isPooled, close: () => postgres.close() },
      readOnly,
    );
  }
  return {
    identity: journalIdentity,
    isReadOnly: false,
    read: (work, { isAtomic = false } = {}) =>
      guarded('read', () => (isAtomic ? transaction(work) : run(work))),
    write: work => guarded('written', () => transaction(work)),
    claim: intent => guarded('written', () => claim(intent)),
    async fence(id) {
      const sinceConfirmed = () => confirmed.get(id)?.() ?? Number.POSITIVE_INFINITY;
      if (postgres.hasChanged() || sinceConfirmed() > CONFIRMED_MS) {
        const elapsed = stopwatch(host);
        const confirm = () =>
          run(db =>
            db.run(sql`UPDATE bookings SET lease_until = ${leaseEnd(db)} WHERE id = ${id} AND ${MAY_SEND}`),
          );
        const isOurs = await guarded('read', () =>
          persist(confirm, SHORT_PATIENCE_MS, error => error instanceof ServerChanged),
        );
        if (isOurs === 0) throw new ClaimLost();
        confirmed.set(id, elapsed);
      }
      // The server cannot be asked in the moment of sending, but no one can take the claim before its lease ends.
      return () => {
        pace.sent(id);
        return !postgres.hasChanged() && sinceConfirmed() < LEASE_MS / 2;
      };
    },
    finish(id, outcome) {
      pace.answered(id);
      return guarded('written', () => record(id, outcome, patience), { wasSent: true }).finally(() => {
        leases.release(id);
        confirmed.delete(id);
        sending.delete(id);
      });
    },
    leases,
    async backup() {
      throw new Error('a database of many machines has its own programs for that');
    },
    clean: async () => true,
    // Its transactions wait for rows, and not for each other.
    async pause() {},
    async close() {
      leases.close();
      await Promise.allSettled(recordings);
      if (last) remember(last.id, last.at);
      await postgres.close();
    },
  };
}

/** What is for bookings that were sent: it goes on where the server has changed. */
const FOR_SENT = { isForSent: true };

const LOST_WHY = lostWords('silent');

/** What a booking is shown as of which no process renews the claim. */
const LOST = [
  ['state', "'unknown'"],
  ['code', "'outcome_unknown'"],
  ['why', `'${LOST_WHY}'`],
] as const;

/** Skips the rows that another process is writing. */
const unlocked = (condition: Sql): Sql =>
  sql`number IN (SELECT number FROM bookings WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

/** Other claims of the place that are held against a limit wait for this one. */
async function lockPlace(db: Db, place: Scope): Promise<void> {
  // Less than the others wait: a machine that is gone or stopped must not keep them from booking.
  await db.run(sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(QUERY_MS / 2)}, true)`);
  await db.lock(place, ['']);
}

const postgresDb = (statements: Statements, { own, isAlive }: Processes): Db => ({
  ...statements,
  own,
  isAlive,
  hasEnded: (_, leaseUntil, at) => leaseUntil <= at,
  now: NOW,
  isOneOf: (column, values) => sql`${raw(column)} = ANY (${values})`,
  // As a join, a database without statistics may read all bookings.
  isIn: (column, selection) => sql`${raw(column)} = ANY (ARRAY (${selection}))`,
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
  forUpdate: raw('FOR UPDATE'),
  skipLocked: raw('FOR UPDATE SKIP LOCKED'),
  rowsOf: columns =>
    sql`unnest(${list(Object.values(columns).map(texts => sql`${texts}::text[]`))}) AS rows (${raw(Object.keys(columns).join(', '))})`,
  unlocked,
  // Each by a statement of its own: what a statement sees is older than a lock that it waits for.
  async lock(scope, names) {
    // Sorted, so that two transactions never wait for each other.
    for (const name of [...names].sort()) {
      const text = JSON.stringify([scope.address, scope.account, name]);
      // PostgreSQL has these locks for all journals of a database: the number of the table that is guarded tells them apart, whatever
      // schema or search path leads there.
      await statements.run(
        sql`SELECT pg_advisory_xact_lock(hashtextextended('bookings'::regclass::oid::text || ${text}, 0))`,
      );
    }
  },
  // By one statement, because the server may be far away.
  async writeClaims(claimings) {
    const words = {
      of: claimings.map(({ id }) => id),
      person: claimings.map(({ intent }) => searchedWords(intent.request.value)),
      names: claimings.map(({ intent }) => claimNames(intent)),
    };
    const db = postgresDb(statements, { own, isAlive });
    const written = await statements.rows<{ id: string }>(sql`WITH claimed AS (
        ${intentsInserted(db, claimings)} RETURNING id, number
      ), words AS (
        INSERT INTO found_by SELECT number, person, names FROM claimed JOIN ${db.rowsOf(words)} ON of = id
      ) SELECT id FROM claimed`);
    return new Set(written.map(({ id }) => id));
  },
  // Only those that nobody is writing, so that no reader waits.
  async recordLost() {
    await recordLost(postgresDb(statements, { own, isAlive }), LOST_WHY, sql`lease_until <= ${NOW}`);
  },
  async lost() {
    const rows = await statements.rows<{ id: string }>(
      sql`SELECT id FROM bookings WHERE ${IS_OPEN} AND state = 'pending' AND lease_until <= ${NOW}`,
    );
    return rows.map(({ id }) => id);
  },
  bookings: raw('(SELECT count(*) FROM bookings)'),
  engine: raw("'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)"),
  bytes: raw(`(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE oid IN (${Object.keys(TABLES)
      .map(name => `'${name}'::regclass`)
      .join(', ')}))`),
});

/** The bookings as they are shown where nothing may be written: those that are lost are unknown. */
const SHOWN = raw(
  `WITH bookings AS NOT MATERIALIZED (SELECT number, ${COLUMN_NAMES.map(name => {
    const [, lost] = LOST.find(([column]) => column === name) ?? [];
    return lost === undefined
      ? name
      : `CASE WHEN state = 'pending' AND lease_until <= ${NOW_TEXT} THEN ${lost} ELSE ${name} END AS ${name}`;
  }).join(', ')} FROM bookings)`,
);

/** For a role that may only read: what is lost cannot be recorded, so it is read as if it were. */
const readingOnly = (db: Db): Db => ({
  ...db,
  rows: statement => db.rows(sql`${SHOWN} ${statement}`),
  first: statement => db.first(sql`${SHOWN} ${statement}`),
  async recordLost() {},
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

/** Did the server refuse, so that nothing was written? Not if the connection was lost (08) or the server ended (57, 58). */
const isRefusal = (error: unknown): boolean => /^(?!08|57|58)[0-5][0-9A-Z]{4}$/.test(systemCode(error) ?? '');

/** The server has no room for another connection or statement at this moment. */
const BUSY = /^53/;
