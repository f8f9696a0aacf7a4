import { FAILURES, type FailureCode } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Throttle } from './throttle.ts';

export interface WorkerLimits {
  /** Records under way at one time: a crash leaves at most that many unknown. */
  concurrency: number;
  /** So many new unknowns, and no further record is started. */
  maxUnknown: number;
}

/** Why no further record was started. */
export type Stop = { why: 'signal' } | { why: 'unknown' } | { why: 'failure'; code: FailureCode };

/** Failures that have nothing to do with the record: so many in a row, and the service is as good as gone. */
const MAX_CONSECUTIVE = 5;
const SERVICE_CODES: readonly FailureCode[] = ['unauthorized', 'rate_limited', 'unavailable'];

/**
 * Performs record after record, several at a time, until there are none or one of them says that the next would go the
 * same way; those that are under way then are waited for. `perform` gives the failure that a record ended with, and
 * rejects with nothing but a defect.
 */
export async function runWorkers<R>(
  next: () => R | undefined,
  perform: (record: R) => Promise<FailureCode | undefined>,
  { concurrency, maxUnknown }: WorkerLimits,
  pace: Throttle,
  { interrupted }: Pick<Host, 'interrupted'>,
): Promise<Stop | undefined> {
  let stop: Stop | undefined;
  let unknown = 0;
  let apart = 0;

  function judge(code: FailureCode | undefined): void {
    if (code === 'outcome_unknown') unknown += 1;
    apart = code !== undefined && SERVICE_CODES.includes(code) ? apart + 1 : 0;
    if (code === 'storage') stop ??= { why: 'failure', code };
    if (unknown >= maxUnknown) stop ??= { why: 'unknown' };
    if (code !== undefined && apart >= MAX_CONSECUTIVE) stop ??= { why: 'failure', code };
  }

  async function work(): Promise<void> {
    for (;;) {
      await pace.turn();
      if (interrupted.aborted) stop ??= { why: 'signal' };
      const record = stop === undefined ? next() : undefined;
      if (record === undefined) return;
      try {
        judge(await perform(record));
      } catch (error) {
        stop ??= { why: 'failure', code: 'internal' };
        throw error;
      }
    }
  }

  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return stop;
}

/** The exit code of a run: the first of these that applies. */
export function exitCodeFor(
  stop: Stop | undefined,
  {
    signal,
    unknown,
    storage,
    failed,
  }: { signal: number; unknown: boolean; storage: boolean; failed: boolean },
): number {
  if (stop?.why === 'signal') return signal;
  if (unknown) return FAILURES.outcome_unknown.exit;
  if (storage) return FAILURES.storage.exit;
  if (stop?.why === 'failure') return FAILURES[stop.code].exit;
  return failed ? FAILURES.partial.exit : 0;
}
