import { Failure, messageOf, systemCode } from '../../errors.ts';
import type { Host } from '../../host.ts';
import {
  type Claim,
  type Holder,
  type Intent,
  type Journal,
  NO_RESPONSE,
  type RecordedOutcome,
} from '../journal.ts';
import { type Run, sharedMethods } from '../methods.ts';
import { newId } from '../new-id.ts';
import { effectOf, obstacleTo, writeIntent } from '../rules.ts';
import type { Steps } from '../sql.ts';
import { connect, NotReached, type PostgresSettings } from './connection.ts';
import { postgresDialect as db, lock, renewLeases } from './dialect.ts';
import { prepare } from './schema.ts';

export interface Lease {
  /** How long a claimed booking counts as being sent, in ms by the server's clock; after that it is `unknown`. */
  ms: number;
  /** How long an outcome is retried while the server is gone, in ms. */
  patience: number;
}

// Processes that wait for a booking of a dead process wait this long, and a process may be offline this long.
const LEASE: Lease = { ms: 60_000, patience: 60_000 };
const RETRY_PAUSE_MS = 500;

/** The end of a message about a step before anything is sent. */
const unsent = (error: unknown): string => `; nothing was sent. ${adviceFor(error)}`;
/** After sending there is no advice: trying again would book again. */
const noAdvice = (): string => '';

type JournalHost = Pick<Host, 'now' | 'sleep' | 'deadline'>;

/**
 * A journal that many machines share, in PostgreSQL; creates its tables if there are none. A unique index decides who
 * claims a key: the process that commits the intent sends. It renews its leases while it sends. Rejects with `storage`.
 */
export async function openSharedJournal(
  settings: PostgresSettings,
  own: Holder,
  host: JournalHost,
  lease: Lease = LEASE,
): Promise<Journal> {
  const { place } = settings;
  const postgres = await guarded('opened', () => connect(settings), unsent);

  async function guarded<T>(
    doing: string,
    work: () => Promise<T>,
    ending: (error: unknown) => string = error => `. ${adviceFor(error)}`,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof NotReached && error.cause instanceof Failure) throw error.cause;
      const why = `the journal ${place} cannot be ${doing}: ${messageOf(error)}${ending(error)}`;
      throw new Failure('storage', why, {}, { cause: error });
    }
  }

  // Bookings that this process is sending.
  const held = new Set<string>();
  let stopRenewing = () => {};
  function renewLater(): void {
    stopRenewing();
    stopRenewing = host.deadline(lease.ms / 3, async () => {
      // If the server is gone for a moment, the next renewal is early enough.
      if (held.size > 0) await postgres.run(renewLeases([...held], lease.ms)).catch(() => {});
      if (held.size > 0) renewLater();
    });
  }
  function hold(id: string): void {
    held.add(id);
    if (held.size === 1) renewLater();
  }
  function release(id: string): void {
    held.delete(id);
    if (held.size === 0) stopRenewing();
  }

  /** Tries until it works, or until the time is over: then it rejects with the last error. */
  async function persist(work: () => Promise<void>, ms: number): Promise<void> {
    let isOver = false;
    const stop = host.deadline(ms, () => {
      isOver = true;
    });
    for (;;) {
      try {
        await work();
        return stop();
      } catch (error) {
        if (isOver) throw error;
        await host.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  const record = (id: string, outcome: RecordedOutcome, ms: number) =>
    persist(() => postgres.run(db.recordOutcome(id, outcome, effectOf(outcome))), ms);

  // Intents that may have been written although the claim failed; nothing was sent for them.
  const withdrawals = new Set<Promise<void>>();
  function withdraw(id: string, why: string): void {
    const done: Promise<void> = record(
      id,
      { ...NO_RESPONSE, state: 'not_sent', code: 'storage', why },
      WITHDRAW_MS,
    )
      .catch(() => {})
      .finally(() => withdrawals.delete(done));
    withdrawals.add(done);
  }

  async function claim(intent: Intent): Promise<Claim> {
    for (;;) {
      const begun = host.now();
      const id = newId(begun);
      const claimed = await claimAs(id, intent);
      // A process that was suspended must not send a booking that may count as lost by now.
      if (claimed?.kind === 'claimed' && host.now() - begun > lease.ms / 2) {
        withdraw(id, 'claiming it took too long; nothing was sent');
        throw new Error('it took too long to answer');
      }
      if (claimed?.kind === 'claimed') hold(id);
      if (claimed) return claimed;
    }
  }

  /** `undefined` if the key was held and is free again. */
  async function claimAs(id: string, intent: Intent): Promise<Claim | undefined> {
    const isKeyed = intent.key !== null && intent.labels.length === 0;
    try {
      if (!isKeyed) return await postgres.transaction(claimAlone(id, intent));
      if (await postgres.run(write(id, intent))) return { kind: 'claimed', id };
    } catch (error) {
      if (!(error instanceof NotReached) && !isRefusal(error))
        withdraw(id, 'the journal was lost while it was claimed; nothing was sent');
      throw error;
    }
    return postgres.run(obstacleTo(db, intent));
  }

  const write = (id: string, intent: Intent) => writeIntent(db, intent, { id, holder: own, lease: lease.ms });

  function* claimAlone(id: string, intent: Intent): Steps<Claim | undefined> {
    yield* lock(intent);
    const obstacle = yield* obstacleTo(db, intent);
    if (obstacle) return obstacle;
    return (yield* write(id, intent)) ? { kind: 'claimed', id } : undefined;
  }

  try {
    await guarded('opened', () => prepare(postgres, place), unsent);
  } catch (error) {
    await postgres.close();
    throw error;
  }

  const run: Run = (doing, steps, { beforeSending = false, atomic = false } = {}) => {
    const work = () => (atomic ? postgres.transaction(steps()) : postgres.run(steps()));
    return guarded(doing, work, beforeSending ? unsent : undefined);
  };
  return {
    ...sharedMethods(db, run),
    claim: intent => guarded('written', () => claim(intent), unsent),
    recordOutcome: (id, outcome) =>
      guarded('written', () => record(id, outcome, lease.patience), noAdvice).finally(() => release(id)),
    async close() {
      stopRenewing();
      await Promise.all(withdrawals);
      await postgres.close();
    },
  };
}

/** Withdrawing an intent is retried for less time than recording an outcome. */
const WITHDRAW_MS = 10_000;

/** Did the server refuse, so that nothing was written? Not if the connection was lost (08) or the server ended (57, 58). */
const isRefusal = (error: unknown): boolean => /^(?!08|57|58)[0-5][0-9A-Z]{4}$/.test(systemCode(error) ?? '');

/** What to do next, by the code of the error. */
function adviceFor(error: unknown): string {
  const code = systemCode(error instanceof NotReached ? error.cause : error);
  if (code === '28P01' || code === '28000')
    return 'The password comes from the address in WAYBILL_JOURNAL, PGPASSWORD, PGPASSFILE or the profile';
  if (code === '3D000') return 'Create the database first: `waybill help journal` shows how';
  if (code === '42501' || code === '3F000')
    return 'The role lacks a right: `waybill help journal` shows which rights it needs';
  if (code === '25006')
    return 'It is read-only, like that of a standby server. Name the server that accepts writes';
  return 'Check the server, and the address in WAYBILL_JOURNAL or the profile, and try again. Nothing is booked without the journal';
}
