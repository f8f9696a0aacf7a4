// Bars in a line of text, for a comparison at a glance. They begin at zero: a bar of double length is a double value.
import type { Look } from './look.ts';

type Pen = NonNullable<Look['pen']>;

/** `before`: the space in front of a span. `point`, `last`, `line`: a point of a time line, its last one, what joins them. */
export const GLYPHS = {
  unicode: { bar: '█', before: '·', point: '○', last: '●', line: '│' },
  ascii: { bar: '#', before: '.', point: 'o', last: '*', line: '|' },
} as const;

/** From 0 to `value` on a scale of 0 to `most`, `width` characters long; any value above 0 is visible. */
export function bar(pen: Pen, value: number, most: number, width: number): string {
  if (!(value > 0 && most > 0)) return '';
  return GLYPHS[pen].bar.repeat(Math.max(1, Math.round((Math.min(value, most) / most) * width)));
}

/** The same for a range between two values; a single point is one character. */
export function span(pen: Pen, [from, to]: readonly [number, number], most: number, width: number): string {
  const { bar, before } = GLYPHS[pen];
  const place = (value: number) => Math.round((Math.min(Math.max(value, 0), most) / most) * width);
  const end = Math.max(1, place(Math.max(from, to)));
  const start = Math.min(place(Math.min(from, to)), end - 1);
  return before.repeat(start) + bar.repeat(end - start);
}
