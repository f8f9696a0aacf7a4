import type { Leg, Operation } from './operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath, setAt } from './paths.ts';
import { read, readFilled, readId } from './read.ts';
import type { Schema } from './shapes.ts';

// What an answer says, as the service document shows it, also if the service put it in another place.

/** Fields that a service may put around the whole answer. Deeper, or in a list, an id may be that of anything. */
const ENVELOPES = ['data', 'result', 'shipment'];

/** An id that is not where the service document shows this id, with both places as paths in the body. */
export interface Moved {
  /** Where the service document shows the id: `id`. */
  path: string;
  /** Where the body has the id: `data.id`. */
  found: string;
}

export interface Content {
  /** The answer with everything where the document shows it; other fields stay. If the body lacks what is needed, the body itself. */
  value: unknown;
  /** The envelope: `['data']`; empty without one. */
  within: Path;
  /** Does the body have what the operation needs? */
  isFound: boolean;
  moved: readonly Moved[];
}

/**
 * Reads the body of a 2xx answer: what the operation needs is at the document's path, else inside exactly one envelope.
 * Inside, an object that the document shows around an id may be left out, as `international.id` for
 * `international.shipment.id`.
 */
export function contentOf(operation: Operation, body: unknown, needs = operation.needs): Content {
  const here = unfolded(operation, needs, body, []);
  if (here) return here;
  const inside = ENVELOPES.flatMap(name => unfolded(operation, needs, getAt(body, [name]), [name]) ?? []);
  const [only] = inside;
  return only && inside.length === 1 ? only : { value: body, within: [], isFound: false, moved: [] };
}

/**
 * The whole record in a refusal: where the body of a 2xx would have it, a subscription also without its envelope; else in any
 * other place. The body itself if there are several records: nobody knows which of them counts.
 */
export function recordIn(operation: Operation, body: unknown): Content | undefined {
  const { record, recordDeeper } = operation;
  if (record === undefined) return undefined;
  const inPlace = [body, { data: body }]
    .map(around => contentOf(operation, around, record))
    .find(({ isFound }) => isFound);
  if (inPlace || recordDeeper === undefined) return inPlace;
  const deeper = [...nestedObjects(body)].filter(part => recordDeeper.safeParse(part).success);
  if (deeper.length === 0) return undefined;
  return { value: deeper.length === 1 ? deeper[0] : body, within: [], isFound: true, moved: [] };
}

/** All objects in an answer. */
function* nestedObjects(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const inner of Object.values(value)) yield* nestedObjects(inner);
}

/** The places in a body where the ids of an operation are, or would be inside of an envelope. */
const idPlaces = (operation: Operation): { path: string; place: Path }[] =>
  Object.values(operation.made.ids).flatMap(path =>
    [[], ...ENVELOPES.map(name => [name])].map(outer => ({
      path,
      place: [...outer, ...(parsePath(path) ?? [])],
    })),
  );

/** The names of a field in which an object may have its own id. */
const OWN_ID = /^(?:shipment[_-]?)?ids?$/i;

/** Ids beside the ids that count (`known`), or beside the places where an envelope would have these. */
export function otherIds(
  operation: Operation,
  body: unknown,
  known: readonly string[],
): { id: string; path: string; found: string }[] {
  const others = new Map<string, { id: string; path: string; found: string }>();
  for (const { path, place } of idPlaces(operation)) {
    const outer = place.slice(0, -1);
    const around = getAt(body, outer);
    for (const [name, value] of isRecord(around) ? Object.entries(around) : [])
      for (const one of OWN_ID.test(name) ? [value].flat() : []) {
        const id = read(readFilled, one);
        if (id !== undefined && !known.includes(id) && !others.has(id))
          others.set(id, { id, path, found: formatPath([...outer, name]) });
      }
  }
  return [...others.values()];
}

/** Texts in the place of an id that cannot be an id: they are damaged, or too long. */
export const damagedIds = (operation: Operation, body: unknown): { text: string; found: string }[] =>
  idPlaces(operation).flatMap(({ place }) => {
    const value = getAt(body, place);
    const text = read(readFilled, value);
    return text === undefined || read(readId, value) !== undefined
      ? []
      : [{ text, found: formatPath(place) }];
  });

/** Reads a body, or what is in an envelope, and fills in what `mayLack` allows to leave out. `within`: the path of the envelope. */
function unfolded(operation: Operation, needs: Schema, body: unknown, within: Path): Content | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  let value: unknown = body;
  const leftOut: string[] = [];
  for (const [part, signs] of Object.entries(operation.mayLack)) {
    const path = parsePath(part) ?? [];
    const outer = path.slice(0, -1);
    // An id at the very top may be that of the request.
    if (outer.length === 0 && within.length === 0) continue;
    const [around, inner] = [getAt(value, outer), getAt(value, path)];
    const told = signsIn(around, signs);
    if (told.length === 0 || signsIn(inner, signs).length > 0) continue;
    // An inner object without these signs keeps its other fields.
    value = setAt(value, path, isRecord(inner) ? { ...Object.fromEntries(told), ...inner } : around);
    leftOut.push(part);
  }
  if (!needs.safeParse(value).success) return undefined;
  if (within.length === 0 && leftOut.length === 0) return { value, within, isFound: true, moved: [] };
  const moved = Object.values(operation.made.ids).flatMap(path => {
    if (read(readId, getAt(value, path)) === undefined) return [];
    const part = leftOut.find(name => path === `${name}.id`);
    const place = part === undefined ? path : path.replace(/\w+\.id$/, 'id');
    const found = within.length === 0 ? place : `${formatPath(within)}.${place}`;
    return found === path ? [] : { path, found };
  });
  return { value, within, isFound: true, moved };
}

/** The fields with these names that are filled, each with its text or number. A link may be longer than an id: no length is checked. */
const signsIn = (value: unknown, signs: readonly string[]): [name: string, value: unknown][] =>
  signs.flatMap(name => {
    const found = getAt(value, [name]);
    return read(readFilled, found) === undefined ? [] : [[name, found]];
  });

// A label as bytes, or as the text that an answer has in its place: a link, or the label itself.

/** A kind of label file, such as PDF. */
export interface LabelKind {
  /** The name of the kind, for messages. */
  words: string;
  ending: string;
  /** The mark at the end of a whole file, for messages. */
  mark: string;
  is(head: string): boolean;
  /** Do these last bytes, which have no blanks behind them, end a whole file? */
  isEnd(tail: string): boolean;
}

const KINDS: readonly LabelKind[] = [
  {
    words: 'a PDF',
    ending: 'pdf',
    mark: '%%EOF',
    is: head => head.includes('%PDF-'),
    // Some services write a little more behind the mark.
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
    // The block before the `;` ends with a zero byte. A `;` alone may be any byte of the picture.
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
    // A ZPL format begins with ^XA; commands that set up the printer may come before.
    is: head => /^\s*(?:[\^~]|CT~)[^<]*\^XA|^\s*\^XA/.test(head),
    // A file may have several formats: the last one must have its end.
    isEnd: tail => tail.lastIndexOf('^XZ') > tail.lastIndexOf('^XA'),
  },
];

/** In bytes, as in PDF readers: how much of the beginning is searched for the kind of a file, and how much of the end for the mark. */
const NEAR = 1024;

/** All kinds that are saved, for messages: `a PDF, a PNG image, …`. */
export const KIND_WORDS = KINDS.map(({ words }) => words).join(', ');

/** The kind of a label file; `undefined` if the kind is not known, as for a web page. */
export function fileKindOf(bytes: Uint8Array): LabelKind | undefined {
  const head = Buffer.from(bytes.subarray(0, NEAR)).toString('latin1');
  return KINDS.find(({ is }) => is(head));
}

const SPACE = 0x20;

/** Does a file of this kind lack its end? A printer may print a part of it, without the barcode. */
export function isCutOff(bytes: Uint8Array, kind: LabelKind): boolean {
  const last = bytes.findLastIndex(byte => byte > SPACE);
  const tail = bytes.subarray(Math.max(0, last + 1 - NEAR), last + 1);
  return !kind.isEnd(Buffer.from(tail).toString('latin1'));
}

/** What an answer of `label` or `ship-dual` tells of the label of a leg; `undefined` if it tells nothing. */
export function labelTold(body: unknown, leg: Leg): unknown {
  const told = getAt(body, [leg]);
  const label = getAt(told, ['label']);
  // In an answer of `ship-dual` the label stands beside the shipment; in an answer of `label` the leg itself is the label.
  return isRecord(label) && getAt(told, ['shipment']) !== undefined ? label : told;
}

/** The text that stands for a label: the service document has two names for this field. */
export function labelText(label: unknown): string | undefined {
  const found = isRecord(label) ? [label.labelPdf, label.label] : [];
  return found.find((text): text is string => typeof text === 'string' && text !== '');
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** In characters: the longest link, and the shortest label. */
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
  // A relative link may consist of the letters of base64 alone.
  return text.length > LONGEST_LINK || fileKindOf(bytes) ? bytes : undefined;
}

/** Is the text itself a label, of a known kind? */
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
