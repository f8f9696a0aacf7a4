import { InvalidArgumentError } from 'commander';
import { numberOf } from '../text.ts';

/** A point in time: gives ms since 1970, from that of now. */
export type Moment = (now: number) => number;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A thousand years: longer times are no dates. */
const LONGEST_MS = 1000 * 365 * 86_400_000;

/** `7d`, `12h`, or `90` in seconds, as ms; `undefined`: it is none. */
function lengthOf(written: string): number | undefined {
  const [, digits = '', unit = 's'] = /^(\S*?)([smhdw])?$/.exec(written.trim()) ?? [];
  const number = numberOf(digits);
  return number === undefined || number < 0 ? undefined : number * (UNITS[unit] ?? 0);
}

/** Parses a length of time that is not 0; gives seconds. Throws what commander shows. */
export function parseLength(written: string): number {
  const ms = lengthOf(written) ?? 0;
  if (ms <= 0 || ms > LONGEST_MS)
    throw new InvalidArgumentError('It must be a length of time above 0, such as 90, 90s, 5m, 2h or 7d.');
  return ms / 1000;
}

/** `Date.parse` takes 30 February for 2 March. */
function isOfCalendar(written: string): boolean {
  const [, year, month, day] = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})/.exec(written)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return true;
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Parses a length of time before now, or a date; 2026 is a year, not seconds. Throws what commander shows. */
export function parseMoment(written: string): Moment {
  const ms = /^\s*(19|20)\d\d(\d{4})?\s*$/.test(written) ? undefined : lengthOf(written);
  if (ms !== undefined) return now => now - ms;
  // Otherwise it would take `last 7` for a day of 2001.
  const at = /^\s*\d{4}-/.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at) || !isOfCalendar(written))
    throw new InvalidArgumentError(
      'It must be a length of time such as 7d or 12h, or a date such as 2026-03-02.',
    );
  return () => at;
}
