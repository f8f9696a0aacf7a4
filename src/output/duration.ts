const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in ms for people, in its two largest units: `5 min 10 s`, `1 h 25 min`. */
export function duration(ms: number): string {
  let left = Math.round(ms / 1000);
  const parts = UNITS.map(([unit, seconds]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ');
}
