// A label as bytes, or as the text that an answer has in its place: a link, or the label itself.
import type { Leg } from './operation.ts';
import { getAt, isRecord } from './paths.ts';

/** What a label file is. */
export interface LabelKind {
  /** For messages. */
  words: string;
  ending: string;
}

const KINDS: readonly (LabelKind & { is(head: string): boolean })[] = [
  { words: 'a PDF', ending: 'pdf', is: head => head.includes('%PDF-') },
  { words: 'a PNG image', ending: 'png', is: head => head.startsWith('\x89PNG\r\n\x1a\n') },
  { words: 'a GIF image', ending: 'gif', is: head => /^GIF8[79]a/.test(head) },
  { words: 'a JPEG image', ending: 'jpg', is: head => head.startsWith('\xff\xd8\xff') },
  // A format begins with ^XA; commands that set up the printer may come before it.
  { words: 'ZPL', ending: 'zpl', is: head => /^\s*(?:[\^~]|CT~)[^<]*\^XA|^\s*\^XA/.test(head) },
];

/** How far into a file its kind is looked for, in bytes. */
const HEAD = 1024;

/** All kinds that are saved, for messages: `a PDF, a PNG image, …`. */
export const KIND_WORDS = KINDS.map(({ words }) => words).join(', ');

/** `undefined` if it is none that is known, such as a web page. */
export function kindOf(bytes: Uint8Array): LabelKind | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  return KINDS.find(({ is }) => is(head));
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
  if (kindOf(Buffer.from(text.slice(0, HEAD)))?.ending === 'zpl') return Buffer.from(text);
  if (text.length < SHORTEST_LABEL || !BASE64.test(text.replace(/\s+/g, ''))) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // A relative link may consist of the same letters.
  return text.length > LONGEST_LINK || kindOf(bytes) ? bytes : undefined;
}

/** Is the text a label itself, of a kind that is known? */
export const isLabel = (text: string): boolean => {
  const bytes = labelIn(text);
  return bytes !== undefined && kindOf(bytes) !== undefined;
};

function percentDecoded(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    return data;
  }
}
