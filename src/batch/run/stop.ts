// When a run stops before its last record, and why.
import type { FailureCode } from '../../errors.ts';
import { failuresInARow } from '../../service/response.ts';

/**
 * Why no further record is started: `interrupted` by a signal, `outcome_unknown` or `over_price` for too many records, else what
 * the last record failed by.
 */
export type Stop = FailureCode;

interface Limits {
  /** After so many new unknowns no further record is started. */
  maxUnknown: number;
  /** After so many new bookings above their bound, too. */
  maxOverpriced?: number;
}

/** Is told how each record failed, and says whether a further one may be started. */
export function stopRule({ maxUnknown, maxOverpriced = Number.POSITIVE_INFINITY }: Limits) {
  let unknown = 0;
  let overpriced = 0;
  const isService = failuresInARow();
  return (code: FailureCode | undefined): Stop | undefined => {
    if (code === 'outcome_unknown') unknown += 1;
    if (code === 'over_price') overpriced += 1;
    const isFailing = isService(code);
    if (code === 'storage' || code === 'over_budget') return code;
    if (unknown >= maxUnknown) return 'outcome_unknown';
    if (overpriced >= maxOverpriced) return 'over_price';
    return isFailing ? code : undefined;
  };
}

/** Why no further record was started, as a clause. */
export function stopReason(stop: Stop): string {
  if (stop === 'interrupted') return 'the run was stopped';
  if (stop === 'outcome_unknown') return 'too many records are unknown';
  if (stop === 'over_price') return 'as many as --max-overpriced allows were booked above --max-price';
  if (stop === 'over_budget') return 'the limit of the day has no room for a further one';
  if (stop === 'storage') return 'the journal or a file could not be read or written';
  return `the service failed for several records in a row (${stop})`;
}
