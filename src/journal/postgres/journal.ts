import { Failure, messageOf } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Claim, Holder, Intent, Journal, RecordedOutcome } from '../journal.ts';
import { type Run, sharedMethods } from '../methods.ts';
import { newId } from '../new-id.ts';
import { effectOf, obstacleTo, writeIntent } from '../rules.ts';
import type { Steps } from '../sql.ts';
import { connect, NotReached, type PostgresSettings } from './connection.ts';
import { postgresDialect as db, lock, renewLeases } from './dialect.ts';
import { prepare } from './schema.ts';

export interface Lease {
  /** So long an intent counts as being sent, in ms, by the server's clock; after that it is `unknown` for everybody. */
  ms: number;
  /** So long an outcome, or that nothing was sent, is tried to be written where the server is gone. */
  patience: number;
}

// Those who wait for the outcome of a runner that died wait so long; and a holder may be so long without the server.
const LEASE: Lease = { ms: 60_000, patience: 60_000 };
/** Between two tries. */
const PAUSE_MS = 500;

/** The end of a message about what comes before anything is sent. */
const unsent = (error: unknown): string => `; nothing was sent. ${adviceFor(error)}`;
/** And about what comes after: to try again would be to book again. */
const bare = (): string => '';

type JournalHost = Pick<Host, 'now' | 'sleep' | 'deadline'>;

/**
 * A journal that many machines share, in PostgreSQL; its tables are made where they are not there. A key is claimed by
 * a unique index: whoever commits the intent sends. Holders renew their leases while they send. Rejects with `storage`.
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

  // Intents of ours that are being sent.
  const held = new Set<string>();
  let stopRenewing = () => {};
  function renewLater(): void {
    stopRenewing();
    stopRenewing = host.deadline(lease.ms / 3, async () => {
      // Where the server is gone for a moment the next one will do.
      if (held.size > 0) await postgres.run(renewLeases([...held], lease.ms)).catch(() => {});
      if (held.size > 0) renewLater();
    });
  }
  function hold(id: string): void {
    held.add(id);
    if (held.size === 1) renewLater();
  }
  function letGo(id: string): void {
    held.delete(id);
    if (held.size === 0) stopRenewing();
  }

  /** Tries until it is done, or patience is at its end: rejects then with what stood against it last. */
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
        await host.sleep(PAUSE_MS);
      }
    }
  }

  const record = (id: string, outcome: RecordedOutcome, ms: number) =>
    persist(() => postgres.run(db.recordOutcome(id, outcome, effectOf(outcome))), ms);

  // Intents that may have been written though nobody was told; nothing of theirs was sent.
  const doubtful = new Set<Promise<void>>();
  function withdraw(id: string, why: string): void {
    const nothing = { httpStatus: null, answer: null, ids: {}, labels: {} };
    const done: Promise<void> = record(
      id,
      { state: 'not_sent', code: 'storage', why, ...nothing },
      WITHDRAW_MS,
    )
      .catch(() => {})
      .finally(() => doubtful.delete(done));
    doubtful.add(done);
  }

  async function claim(intent: Intent): Promise<Claim> {
    for (;;) {
      const begun = host.now();
      const id = newId(begun);
      const claimed = await claimAs(id, intent);
      // A process that stood still in the meantime must not send what may count as lost by now.
      if (claimed?.kind === 'claimed' && host.now() - begun > lease.ms / 2) {
        withdraw(id, 'claiming it took too long; nothing was sent');
        throw new Error('it took longer to answer than a booking is held for');
      }
      if (claimed?.kind === 'claimed') hold(id);
      if (claimed) return claimed;
    }
  }

  /** `undefined` where the key was held and is free again. */
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
      guarded('written', () => record(id, outcome, lease.patience), bare).finally(() => letGo(id)),
    async close() {
      stopRenewing();
      await Promise.all(doubtful);
      await postgres.close();
    },
  };
}

/** An intent that nobody waits for is withdrawn for less long than an outcome is written. */
const WITHDRAW_MS = 10_000;

/** The code of a server or of the network; empty where there is none. */
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Has the server said no, so that nothing was written? Not by a code of a lost connection (08) or of its own end (57, 58). */
const isRefusal = (error: unknown): boolean => /^(?!08|57|58)[0-5][0-9A-Z]{4}$/.test(codeOf(error));

/** What to do, by what the server or the network says. */
function adviceFor(error: unknown): string {
  const code = codeOf(error instanceof NotReached ? error.cause : error);
  if (['28P01', '28000'].includes(code))
    return 'The password comes from the address in WAYBILL_JOURNAL, PGPASSWORD, PGPASSFILE or the profile';
  if (code === '3D000') return 'The database has to be made first: `waybill help journal` shows how';
  if (['42501', '3F000'].includes(code))
    return 'The role may not do that: `waybill help journal` shows the rights it needs';
  if (code === '25006') return 'It can only be read, as of a standby server: name the one that takes writes';
  return 'Look after the server, or the address in WAYBILL_JOURNAL or the profile, and try again: without its journal nothing is booked';
}
