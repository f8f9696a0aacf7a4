import type { Host } from '../host.ts';
import { wrapped } from '../text.ts';

/** The part of the host that `src/output` uses. */
export type Streams = Pick<Host, 'env' | 'stdout' | 'stderr'>;

export type Paint = (text: string) => string;

/** How stdout or stderr looks to a person. */
export interface Look extends Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', Paint> {
  /** The width of the terminal; `undefined`: nothing is cut. */
  columns: number | undefined;
  /** The characters that pictures are drawn with; `undefined`: no pictures are drawn. */
  pen?: 'unicode' | 'ascii' | undefined;
}

export const unpainted: Paint = text => text;

/** A look without colours and without a width. */
export const PLAIN: Look = {
  columns: undefined,
  bold: unpainted,
  dim: unpainted,
  red: unpainted,
  yellow: unpainted,
  green: unpainted,
};

/** The look of a stream. `color`: false for `--no-color`; with any other value environment and terminal decide. */
export async function lookOf(host: Streams, stream: 'stdout' | 'stderr', color?: boolean): Promise<Look> {
  const { columns } = host[stream];
  const width = columns !== undefined && columns > 0 ? columns : undefined;
  const pen = width === undefined || !canDraw(host, stream) ? undefined : penOf(host);
  const shape = { columns: width, pen };
  if (!isColored(host, stream, color)) return { ...PLAIN, ...shape };
  const { Chalk } = await import('chalk');
  // The level is given, because chalk would otherwise ask the process, and not the host.
  const { bold, dim, red, yellow, green } = new Chalk({ level: 1 });
  return { ...shape, bold, dim, red, yellow, green };
}

// Windows has no variable such as LC_ALL: there, WT_SESSION says that the terminal shows Unicode.
const penOf = (streams: Streams): Look['pen'] =>
  /utf-?8/i.test(streams.env.LC_ALL || streams.env.LC_CTYPE || streams.env.LANG || '') ||
  isSet(streams.env.WT_SESSION)
    ? 'unicode'
    : 'ascii';

/** Is a stream coloured? `color`: false for `--no-color`. */
export function isColored(host: Streams, stream: 'stdout' | 'stderr', color?: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR } = host.env;
  if (color === false || isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return true;
  return canDraw(host, stream);
}

/** May a line be coloured, or be drawn again? A dumb terminal cannot do that, and a screen reader would read the line each time. */
export const canDraw = (streams: Streams, stream: 'stdout' | 'stderr'): boolean =>
  streams[stream].isTerminal && streams.env.TERM !== 'dumb' && !isSet(streams.env.WAYBILL_ACCESSIBLE);

const isSet = (value: string | undefined): boolean => !['', '0', 'false', undefined].includes(value);

/** Gives the function that counts the columns which a text takes on a terminal. */
export const measure = async (): Promise<(text: string) => number> =>
  (await import('cli-table3/src/utils.js')).default.strlen;

/**
 * A message in lines that fit the terminal, broken at spaces. A command is copied whole, so a long one is left to the terminal to break.
 * Text that has lines of its own, such as an HTTP exchange, stays as it is; so does all text that does not go to a terminal.
 */
export async function paragraph(look: Look, text: string, indent = ''): Promise<string> {
  if (look.columns === undefined || text.includes('\n')) return indent + text;
  // The function that measures text takes time to load, and most messages do not need it.
  const widthOf = /^[ -~]*$/.test(text) ? undefined : await measure();
  const lines = wrapped(text, look.columns - indent.length, widthOf, false);
  return lines.map(line => indent + line).join('\n');
}

type Pen = NonNullable<Look['pen']>;

/** `bar`, `before`: a bar, and the space before it. `point`, `last`, `line`: a point of a time line, its last point, the line between. */
export const GLYPHS = {
  unicode: { bar: '█', before: '·', point: '○', last: '●', line: '│' },
  ascii: { bar: '#', before: '.', point: 'o', last: '*', line: '|' },
} as const;

// Bars in a line of text, for a comparison at a glance. They begin at zero: a bar of double length is a double value.

/** The bar for `value`, on a scale from 0 to `most` that is `width` characters long; any value above 0 is visible. */
export function bar(pen: Pen, value: number, most: number, width: number): string {
  if (!(value > 0 && most > 0)) return '';
  return GLYPHS[pen].bar.repeat(Math.max(1, Math.round((Math.min(value, most) / most) * width)));
}

/** The bar between two values, on a scale from 0 to `most` that is `width` characters long; for a single value one character. */
export function span(pen: Pen, [from, to]: readonly [number, number], most: number, width: number): string {
  const { bar, before } = GLYPHS[pen];
  const place = (value: number) => Math.round((Math.min(Math.max(value, 0), most) / most) * width);
  const end = Math.max(1, place(Math.max(from, to)));
  const start = Math.min(place(Math.min(from, to)), end - 1);
  return before.repeat(start) + bar.repeat(end - start);
}
