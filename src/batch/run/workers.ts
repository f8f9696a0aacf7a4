import type { FailureCode } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Throttle } from './throttle.ts';

export interface WorkerLimits {
  /** Records under way at one time: a crash leaves at most that many unknown. */
  concurrency: number;
  /** After so many new unknowns no further record is started. */
  maxUnknown: number;
}

/**
 * Why no further record is started: `interrupted` by a signal, `outcome_unknown` for too many records, else what the
 * last record failed by.
 */
export type Stop = FailureCode;

/** Failures of the service, not of a record: after so many in a row there is no point in going on. */
const MAX_CONSECUTIVE = 5;
const SERVICE_CODES: readonly FailureCode[] = ['unauthorized', 'rate_limited', 'unavailable'];

/**
 * Performs record after record, several at a time, until there are none or a failure says that the next would fail too;
 * then it waits for those under way. `perform` gives the failure of its record, and rejects only for an internal error.
 */
export async function runWorkers<R>(
  next: () => R | undefined,
  perform: (record: R) => Promise<FailureCode | undefined>,
  { concurrency, maxUnknown }: WorkerLimits,
  throttle: Pick<Throttle, 'turn'>,
  { interrupted }: Pick<Host, 'interrupted'>,
): Promise<Stop | undefined> {
  let stop: Stop | undefined;
  let unknown = 0;
  let consecutive = 0;

  function stopAfter(code: FailureCode | undefined): Stop | undefined {
    if (code === 'outcome_unknown') unknown += 1;
    consecutive = code !== undefined && SERVICE_CODES.includes(code) ? consecutive + 1 : 0;
    if (code === 'storage') return code;
    if (unknown >= maxUnknown) return 'outcome_unknown';
    return consecutive >= MAX_CONSECUTIVE ? code : undefined;
  }

  async function work(): Promise<void> {
    for (;;) {
      await throttle.turn();
      if (interrupted.aborted) stop ??= 'interrupted';
      const record = stop === undefined ? next() : undefined;
      if (record === undefined) return;
      try {
        const after = stopAfter(await perform(record));
        // Another worker may have set it in the meantime.
        stop ??= after;
      } catch (error) {
        stop ??= 'internal';
        throw error;
      }
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return stop;
}
