// A label as bytes, or as the text that an answer has in its place: a link, or the label itself.
import type { Leg } from './operation.ts';
import { getAt, isRecord } from './paths.ts';

/** What a label file is. */
interface LabelKind {
  /** For messages. */
  words: string;
  ending: string;
  /** What is at the end of a whole file, for messages. */
  mark: string;
  is(head: string): boolean;
  /** Does a file end that has these last bytes, with no blanks behind them? */
  isEnd(tail: string): boolean;
}

const KINDS: readonly LabelKind[] = [
  {
    words: 'a PDF',
    ending: 'pdf',
    mark: '%%EOF',
    is: head => head.includes('%PDF-'),
    // Some services write a little more behind it.
    isEnd: tail => tail.includes('%%EOF'),
  },
  {
    words: 'a PNG image',
    ending: 'png',
    mark: 'IEND',
    is: head => head.startsWith('\x89PNG\r\n\x1a\n'),
    isEnd: tail => tail.includes('IEND'),
  },
  {
    words: 'a GIF image',
    ending: 'gif',
    mark: 'the byte 3B',
    is: head => /^GIF8[79]a/.test(head),
    // Every block before it ends with a zero. The byte alone may be any byte of the picture.
    isEnd: tail => tail.endsWith('\0;'),
  },
  {
    words: 'a JPEG image',
    ending: 'jpg',
    mark: 'the bytes FF D9',
    is: head => head.startsWith('\xff\xd8\xff'),
    isEnd: tail => tail.includes('\xff\xd9'),
  },
  {
    words: 'ZPL',
    ending: 'zpl',
    mark: '^XZ',
    // A format begins with ^XA; commands that set up the printer may come before it.
    is: head => /^\s*(?:[\^~]|CT~)[^<]*\^XA|^\s*\^XA/.test(head),
    // There may be several formats.
    isEnd: tail => tail.lastIndexOf('^XZ') > tail.lastIndexOf('^XA'),
  },
];

/** How far into a file its kind is looked for, and from its end the mark, in bytes: as PDF readers do. */
const NEAR = 1024;

/** All kinds that are saved, for messages: `a PDF, a PNG image, …`. */
export const KIND_WORDS = KINDS.map(({ words }) => words).join(', ');

/** `undefined` if it is none that is known, such as a web page. */
export function fileKindOf(bytes: Uint8Array): LabelKind | undefined {
  const head = Buffer.from(bytes.subarray(0, NEAR)).toString('latin1');
  return KINDS.find(({ is }) => is(head));
}

const SPACE = 0x20;

/** Does a file of this kind lack its end? A printer may print a part of it, without the barcode. */
export function isCutOff(bytes: Uint8Array, { isEnd }: LabelKind): boolean {
  const last = bytes.findLastIndex(byte => byte > SPACE);
  const tail = bytes.subarray(Math.max(0, last + 1 - NEAR), last + 1);
  return !isEnd(Buffer.from(tail).toString('latin1'));
}

/** What an answer tells of the label of a leg, that of `label` or of `ship-dual`; `undefined` if it tells nothing. */
export function labelTold(body: unknown, leg: Leg): unknown {
  const told = getAt(body, [leg]);
  const label = getAt(told, ['label']);
  // Beside a shipment it is the whole label, else only its link.
  return isRecord(label) && getAt(told, ['shipment']) !== undefined ? label : told;
}

/** The text in place of a label, in what is told of it: the service document has two names for it. */
export function labelText(told: unknown): string | undefined {
  const found = isRecord(told) ? [told.labelPdf, told.label] : [];
  return found.find((one): one is string => typeof one === 'string' && one !== '');
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** In characters: no link is longer, and no label shorter. */
const LONGEST_LINK = 2048;
const SHORTEST_LABEL = 60;

/** The label that a text is, as a `data:` URL, in base64 or as plain ZPL; `undefined` if the text is a link. */
export function labelIn(text: string): Buffer | undefined {
  const [, parameters, data = ''] = /^data:([^,]*),(.*)$/is.exec(text) ?? [];
  if (parameters !== undefined)
    return /;\s*base64\s*$/i.test(parameters)
      ? Buffer.from(percentDecoded(data), 'base64')
      : Buffer.from(percentDecoded(data));
  if (fileKindOf(Buffer.from(text.slice(0, NEAR)))?.ending === 'zpl') return Buffer.from(text);
  if (text.length < SHORTEST_LABEL || !BASE64.test(text.replace(/\s+/g, ''))) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // A relative link may consist of the same letters.
  return text.length > LONGEST_LINK || fileKindOf(bytes) ? bytes : undefined;
}

/** Is the text a label itself, of a kind that is known? */
export const isLabel = (text: string): boolean => {
  const bytes = labelIn(text);
  return bytes !== undefined && fileKindOf(bytes) !== undefined;
};

function percentDecoded(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    return data;
  }
}
