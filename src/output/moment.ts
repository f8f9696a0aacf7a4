// Moments and durations for people; a moment in the time zone of this machine.

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const two = (number: number): string => String(number).padStart(2, '0');

/** `22 Nov 09:38`, and in another year than that of `now` `22 Nov 2025`: always twelve columns at most. */
export function shortMoment(ms: number, now: number): string {
  const at = new Date(ms);
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${isThisYear ? timeOf(at) : at.getFullYear()}`;
}

/** With seconds: `22 Nov 09:38:12`, and in another year than that of `now` `22 Nov 2025 09:38:12`. */
export function longMoment(ms: number, now: number): string {
  const at = new Date(ms);
  const year = at.getFullYear();
  const day = `${at.getDate()} ${MONTHS[at.getMonth()]}`;
  return `${day} ${year === new Date(now).getFullYear() ? '' : `${year} `}${timeOf(at)}:${two(at.getSeconds())}`;
}

/** `2026-11-22`: the day, for a group. */
export function dayOf(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** `2026-11-22 09:38`, for a list of which one is picked. */
export const minuteOf = (ms: number): string => `${dayOf(ms)} ${timeOf(new Date(ms))}`;

const timeOf = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`;

/** The name of a unit, its seconds, and how many of it make the next unit. */
const UNITS = [
  ['d', 86_400, Number.POSITIVE_INFINITY],
  ['h', 3600, 24],
  ['min', 60, 60],
  ['s', 1, 60],
] as const;

/** A duration in ms for people, in its two largest units: `5 min 10 s`, `1 h 25 min`. */
export function duration(ms: number): string {
  const whole = Math.round(ms / 1000);
  const counts = UNITS.map(([unit, seconds, most]) => ({ unit, count: Math.floor(whole / seconds) % most }));
  const first = counts.findIndex(({ count }) => count > 0);
  const shown = counts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ unit, count }) => `${count} ${unit}`).join(' ') || '0 s';
}
