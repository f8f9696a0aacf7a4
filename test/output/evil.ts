// Texts that act on a terminal, and values that have them everywhere.

/** Colours, a title, a cleared screen, reversed text, line separators, a line that looks like our own, and invisible characters. */
export const EVIL =
  '\x1b[31mE\x1b]0;t\x07\x9b2J\u202eV\u2066I\u2028L\u2029\u061c\r\nerror: all is well\t\u0000\u200b\ufeff\ud800';

/** The same in one line, without what no text file holds: for a cell of a CSV. */
export const EVIL_CELL = '\x1b[31mE\x1b]0;t\x07\x9b2J\x7f\u202eV\u2066I\u2028L\u061c';

/** The same value with `evil` after each of its texts, and with `names` after each name in it. */
export function poisoned(value: unknown, evil = EVIL, names = ''): unknown {
  if (typeof value === 'string') return value + evil;
  if (Array.isArray(value)) return value.map(inner => poisoned(inner, evil, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name + names, poisoned(inner, evil, names)]),
  );
}
