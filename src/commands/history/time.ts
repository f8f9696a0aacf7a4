import { InvalidArgumentError } from 'commander';

/** A point in time: gives ms since 1970, from that of now. */
export type Moment = (now: number) => number;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses `7d`, `12h`, `90` in seconds, or a date. Throws what commander shows. */
export function parseMoment(written: string): Moment {
  const [, number, unit = 's'] = /^(\d+)([smhdw])?$/.exec(written) ?? [];
  if (number !== undefined) return now => now - Number(number) * (UNITS[unit] ?? 0);
  const at = Date.parse(written);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be such as 7d, 12h or 2026-03-02.');
  return () => at;
}
