import type { Host } from '../host.ts';

/** All of the host that this room touches. */
export type Streams = Pick<Host, 'env' | 'stdout' | 'stderr'>;

export type Paint = (text: string) => string;

/** How one of the two streams looks to a person. */
export interface Look extends Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', Paint> {
  /** The width of the terminal; undefined if nothing is cut. */
  columns: number | undefined;
  /** The characters of pictures; undefined if none are drawn. */
  pen?: 'unicode' | 'ascii' | undefined;
}

const plain: Paint = text => text;

/** Without colours and without a width. */
export const PLAIN: Look = {
  columns: undefined,
  bold: plain,
  dim: plain,
  red: plain,
  yellow: plain,
  green: plain,
};

/** With the codes of a terminal that begin and end it. */
const painted =
  (begin: number, end: number): Paint =>
  text =>
    text === '' ? '' : `\x1b[${begin}m${text}\x1b[${end}m`;

const COLORED: Look = {
  columns: undefined,
  bold: painted(1, 22),
  dim: painted(2, 22),
  red: painted(31, 39),
  yellow: painted(33, 39),
  green: painted(32, 39),
};

/** The look of a stream. `color: false` is `--no-color`; any other value leaves it to environment and terminal. */
export function lookOf(host: Streams, stream: 'stdout' | 'stderr', color?: boolean): Look {
  const { columns } = host[stream];
  const width = columns !== undefined && columns > 0 ? columns : undefined;
  const pen = width === undefined || !canDraw(host, stream) ? undefined : penOf(host);
  return { ...(isColored(host, stream, color) ? COLORED : PLAIN), columns: width, pen };
}

// Windows has no locale of this kind; its present terminal shows Unicode.
const penOf = ({ env }: Streams): Look['pen'] =>
  /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '') || isSet(env.WT_SESSION) ? 'unicode' : 'ascii';

function isColored(host: Streams, stream: 'stdout' | 'stderr', color: boolean | undefined): boolean {
  const { NO_COLOR, FORCE_COLOR } = host.env;
  if (color === false || isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return true;
  return canDraw(host, stream);
}

/** May a line be coloured, or drawn again? Dumb terminals cannot, and screen readers would read it aloud each time. */
export const canDraw = ({ env, ...streams }: Streams, stream: 'stdout' | 'stderr'): boolean =>
  streams[stream].isTerminal && env.TERM !== 'dumb' && !isSet(env.WAYBILL_ACCESSIBLE);

const isSet = (value: string | undefined): boolean => !['', '0', 'false', undefined].includes(value);
