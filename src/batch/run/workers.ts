import type { FailureCode } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Throttle } from './throttle.ts';

export interface WorkerLimits {
  /** Records under way at one time: a crash leaves at most that many unknown. */
  concurrency: number;
  /** After so many new unknowns no further record is started. */
  maxUnknown: number;
  /** After so many new bookings above their bound, too. */
  maxOverpriced?: number;
}

/**
 * Why no further record is started: `interrupted` by a signal, `outcome_unknown` or `over_price` for too many records, else what the
 * last record failed by.
 */
export type Stop = FailureCode;

/** Failures of the service, not of a record: after so many in a row there is no point in going on. */
const MAX_CONSECUTIVE = 5;
const SERVICE_CODES: readonly FailureCode[] = ['unauthorized', 'rate_limited', 'unavailable'];

/** What a record knows of the worker that performs it. */
export interface WorkerPlace {
  /** Waits for the record before it: that must be recorded and written down. `false`: the run was stopped meanwhile. */
  mayBeSent: Promise<boolean>;
  /** Tells the failure of the record before that is recorded: the next one is claimed in the same commit. */
  answered(code: FailureCode | undefined): void;
}

/**
 * Performs record after record, several at a time, until there are none or a failure says that the next would fail too;
 * then it waits for those under way. `perform` gives the failure of its record, and rejects only for an internal error.
 */
export async function runWorkers<R>(
  next: () => R | undefined,
  perform: (record: R, place: WorkerPlace) => Promise<FailureCode | undefined>,
  { concurrency, maxUnknown, maxOverpriced = Number.POSITIVE_INFINITY }: WorkerLimits,
  throttle: Pick<Throttle, 'turn'>,
  { interrupted }: Pick<Host, 'interrupted'>,
): Promise<Stop | undefined> {
  let stop: Stop | undefined;
  let unknown = 0;
  let overpriced = 0;
  let consecutive = 0;

  function judge(code: FailureCode | undefined): void {
    if (code === 'outcome_unknown') unknown += 1;
    if (code === 'over_price') overpriced += 1;
    consecutive = code !== undefined && SERVICE_CODES.includes(code) ? consecutive + 1 : 0;
    if (code === 'storage') stop ??= code;
    else if (unknown >= maxUnknown) stop ??= 'outcome_unknown';
    else if (overpriced >= maxOverpriced) stop ??= 'over_price';
    else if (consecutive >= MAX_CONSECUTIVE) stop ??= code;
  }

  /**
   * Resolves as soon as it is known how the record ends; `ended`: when that is recorded and written down, and the record
   * before it, too: this one may have ended without waiting to be sent.
   */
  function start(record: R, before: Promise<void>): Promise<{ ended: Promise<void> }> {
    return new Promise(resolve => {
      let judged: { code: FailureCode | undefined } | undefined;
      const answered = (code: FailureCode | undefined) => {
        // What it ends with may be worse than its answer, if that could not be recorded.
        if (!judged || judged.code !== code) judge(code);
        judged = { code };
        resolve({ ended });
      };
      const mayBeSent = before.then(() => stop === undefined);
      const ended = perform(record, { mayBeSent, answered })
        .then(answered, error => {
          stop ??= 'internal';
          resolve({ ended });
          throw error;
        })
        .finally(() => before);
      // It is awaited by the next record, or at the end.
      ended.catch(() => {});
      mayBeSent.catch(() => {});
    });
  }

  async function work(): Promise<void> {
    let before = Promise.resolve();
    for (;;) {
      await throttle.turn();
      if (interrupted.aborted) stop ??= 'interrupted';
      const record = stop === undefined ? next() : undefined;
      if (record === undefined) return before;
      const { ended } = await start(record, before);
      before = ended;
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return stop;
}
