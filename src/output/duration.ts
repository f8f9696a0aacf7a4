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
