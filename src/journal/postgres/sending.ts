// How this process sends bookings by the shared journal: their claims, the fence before each attempt, and their outcomes.

import {
  type Booking,
  type Holder,
  type Intent,
  LEASE_MS,
  NO_RESPONSE,
  type Outcome,
  type Scope,
} from '../../booking/booking.ts';
import type { Step } from '../../booking/machine.ts';
import type { Amended, Claim } from '../../booking/questions.ts';
import type { Host } from '../../host.ts';
import { lostWords } from '../../say/booked.ts';
import { claimFree, claimingOf, isKeyed, leaseEnd, lockNames, MAY_SEND, obstacleTo } from '../claim.ts';
import { type Claiming, createLeases, createPace, type Db, inGroups, sql, stopwatch } from '../database.ts';
import { renewAll } from '../lists.ts';
import { CannotRecord, recordOutcome, usualStep, writeSteps } from '../record.ts';
import { isRefusal, NotReached, QUERY_MS, ServerChanged, type WorkOptions } from './connection.ts';

/** How long a process tries to confirm a claim, or to withdraw an intent, in ms. */
const SHORT_PATIENCE_MS = 10_000;
const RETRY_PAUSE_MS = 500;
/** For how long a confirmed claim is not asked about again, in ms: the first attempt follows the claim at once. */
const CONFIRMED_MS = 1000;

/** The options of work for bookings that were sent: the work goes on even if the server has changed. */
const FOR_SENT = { isForSent: true };

export type JournalHost = Pick<Host, 'turn' | 'now' | 'monotonic' | 'sleep' | 'deadline'>;

type Run = <T>(work: (db: Db) => Promise<T>, options?: WorkOptions) => Promise<T>;

/** The server of the journal. Work runs again if the server undid it in favour of another transaction. */
export interface JournalServer {
  run: Run;
  transaction: Run;
  hasChanged(): boolean;
}

export class Sending {
  /** The last booking that this process claimed. */
  last: { id: string; at: number } | undefined;
  readonly leases;
  readonly #server: JournalServer;
  readonly #own: Holder;
  readonly #host: JournalHost;
  /** How long `finish` tries to record an outcome, in ms. */
  readonly #patience: number;
  /** The bookings that are being sent, as they were claimed. */
  readonly #claimed = new Map<string, Booking>();
  /** For each booking that is being sent: measures the time since the server last said that its claim is ours. */
  readonly #confirmed = new Map<string, () => number>();
  /** The outcomes that are being recorded. */
  readonly #recordings = new Set<Promise<unknown>>();
  readonly #pace;
  /** Writes claims in groups. Resolves to whether the claim was written: not if its key is held. */
  readonly #claimTogether;
  /** Writes the usual outcomes in groups. Resolves to whether the step was written: if not, the outcome is decided alone. */
  readonly #finishTogether;
  #lastLimited: Promise<unknown> = Promise.resolve();

  constructor(server: JournalServer, holder: Holder, host: JournalHost, patience: number) {
    this.#server = server;
    this.#own = holder;
    this.#host = host;
    this.#patience = patience;
    this.leases = createLeases(ids => server.run(db => renewAll(db, ids), FOR_SENT), host);
    this.#pace = createPace(host);
    const groups = { turn: host.turn, mayBeOfOne: isRefusal, most: this.#pace.most };
    this.#claimTogether = inGroups({
      async write(claimings: readonly Claiming[]) {
        const written = await server.run(db => db.writeClaims(claimings));
        return claimings.map(({ id }) => written.has(id));
      },
      ...groups,
    });
    this.#finishTogether = inGroups({
      async write(steps: readonly Step[]) {
        const written = await server.transaction(db => writeSteps(db, steps), FOR_SENT);
        return steps.map(({ booking }) => written.has(booking.id));
      },
      ...groups,
    });
  }

  async claim(intent: Intent): Promise<Claim> {
    for (;;) {
      const elapsed = stopwatch(this.#host);
      const claiming = claimingOf(intent, this.#own, this.#host.now());
      const claim = await this.#claimAs(claiming);
      if (claim === undefined) continue;
      if (claim.kind !== 'claimed') return claim;
      const { id } = claiming;
      this.#claimed.set(id, claim.booking);
      this.#confirmed.set(id, elapsed);
      this.leases.hold(id);
      this.last = { id, at: this.#host.now() };
      return claim;
    }
  }

  /** Makes a claim, or gives what prevents it. `undefined`: its key was held, and is free again. */
  async #claimAs(claiming: Claiming): Promise<Claim | undefined> {
    const { id, intent, booking } = claiming;
    try {
      const isLimited = intent.perDay.length > 0;
      if (!isKeyed(intent) || isLimited || intent.tellsSameOrder) {
        const alone = () => this.#server.transaction(db => claimAlone(db, claiming));
        return await (isLimited ? this.#afterOthers(alone) : alone());
      }
      if (await this.#claimTogether(claiming)) return { kind: 'claimed', booking };
    } catch (error) {
      if (!(error instanceof NotReached) && !isRefusal(error)) {
        // The claim may have been written: it is withdrawn.
        const why = lostWords('claim-lost');
        const notSent = { ...NO_RESPONSE, state: 'not_sent', code: 'storage', why } as const;
        void this.#record(id, notSent, SHORT_PATIENCE_MS).catch(() => {});
      }
      throw error;
    }
    return this.#server.run(db => obstacleTo(db, intent));
  }

  /** Claims under the limit of a day wait for one lock, one after the other and with one connection: the others stay free for outcomes. */
  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastLimited.then(work);
    this.#lastLimited = done.catch(() => {});
    return done;
  }

  /** Did the server confirm a moment ago that the claim is ours? */
  isConfirmed(id: string): boolean {
    return !this.#server.hasChanged() && this.#sinceConfirmed(id) <= CONFIRMED_MS;
  }

  /** Asks the server whether the claim is still ours, and takes a new lease if it is. */
  async confirm(id: string): Promise<boolean> {
    const elapsed = stopwatch(this.#host);
    const renew = () =>
      this.#server.run(db =>
        db.run(sql`UPDATE bookings SET lease_until = ${leaseEnd(db)} WHERE id = ${id} AND ${MAY_SEND}`),
      );
    const isFinal = (error: unknown) => error instanceof ServerChanged;
    if ((await this.#persist(renew, SHORT_PATIENCE_MS, isFinal)) === 0) return false;
    this.#confirmed.set(id, elapsed);
    return true;
  }

  /** May the first byte be written now? There is no time to ask the server, but nobody can take the claim before its lease ends. */
  begin(id: string): boolean {
    this.#pace.sent(id);
    return !this.#server.hasChanged() && this.#sinceConfirmed(id) < LEASE_MS / 2;
  }

  #sinceConfirmed(id: string): number {
    return this.#confirmed.get(id)?.() ?? Number.POSITIVE_INFINITY;
  }

  async finish(id: string, outcome: Outcome): Promise<Amended | undefined> {
    this.#pace.answered(id);
    try {
      return await this.#record(id, outcome, this.#patience);
    } finally {
      this.leases.release(id);
      this.#claimed.delete(id);
      this.#confirmed.delete(id);
    }
  }

  #record(id: string, outcome: Outcome, ms: number): Promise<Amended | undefined> {
    let usual = usualStep(this.#claimed.get(id), outcome);
    const work = this.#persist(
      async () => {
        const step = usual;
        usual = undefined;
        if (step && (await this.#finishTogether(step))) return undefined;
        return this.#server.transaction(db => recordOutcome(db, id, outcome), FOR_SENT);
      },
      ms,
      error => error instanceof CannotRecord,
    );
    const done = work.finally(() => this.#recordings.delete(done));
    this.#recordings.add(done);
    return done;
  }

  /** Runs work until it succeeds. Rejects with the last error if `isFinal` holds for it, or the time is over. */
  async #persist<T>(work: () => Promise<T>, ms: number, isFinal: (error: unknown) => boolean): Promise<T> {
    let isOver = false;
    const stop = this.#host.deadline(ms, () => {
      isOver = true;
    });
    for (;;) {
      try {
        const result = await work();
        stop();
        return result;
      } catch (error) {
        if (isOver || isFinal(error)) throw error;
        await this.#host.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.leases.close();
    await Promise.allSettled(this.#recordings);
  }
}

async function claimAlone(db: Db, claiming: Claiming): Promise<Claim | undefined> {
  const { intent } = claiming;
  await db.lock(intent.scope, lockNames(intent));
  if (intent.perDay.length > 0) await lockPlace(db, intent.scope);
  const obstacle = await obstacleTo(db, intent);
  if (obstacle) return obstacle;
  // step: shared claim has its locks
  return claimFree(db, claiming);
}

/** Makes other claims at the address and account that are held against a limit wait for this one. */
async function lockPlace(db: Db, scope: Scope): Promise<void> {
  // An idle transaction ends sooner than the others stop waiting: a machine that is gone or stopped must not keep them from booking.
  await db.run(sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(QUERY_MS / 2)}, true)`);
  await db.lock(scope, ['']);
}
