// What an answer says, as the service document shows it, also if the service put it in another place.
import { accepts } from './accepts.ts';
import type { Operation } from './operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath, setAt } from './paths.ts';
import { read, readFilled, readId } from './read.ts';

/** What a service may put around the whole answer. Deeper, or in a list, nothing says whose id it is. */
const ENVELOPES = ['data', 'result', 'shipment'];

/** An id that is not where the service document shows it, as paths in the body. */
export interface Moved {
  /** `id` */
  path: string;
  /** `data.id` */
  found: string;
}

export interface Content {
  /** The answer with everything where the document shows it; other fields stay. The body itself if it has not what is needed. */
  value: unknown;
  /** The envelope: `['data']`; empty without one. */
  within: Path;
  /** Does it have what the operation needs? */
  isFound: boolean;
  moved: readonly Moved[];
}

/**
 * Reads the body of a 2xx answer: what the operation needs is at the document's path, else inside exactly one envelope.
 * Inside, an object that the document shows around an id may be left out, as `international.id` for
 * `international.shipment.id`.
 */
export function contentOf(operation: Operation, body: unknown): Content {
  const here = unfolded(operation, body, []);
  if (here) return here;
  const inside = ENVELOPES.flatMap(name => unfolded(operation, getAt(body, [name]), [name]) ?? []);
  const [only] = inside;
  return only && inside.length === 1 ? only : { value: body, within: [], isFound: false, moved: [] };
}

/** Where the ids of an operation are, or would be inside of an envelope. */
const placesOf = ({ made }: Operation): { path: string; place: Path }[] =>
  Object.values(made.ids).flatMap(path =>
    [[], ...ENVELOPES.map(name => [name])].map(outer => ({
      path,
      place: [...outer, ...(parsePath(path) ?? [])],
    })),
  );

/** Names under which an object may have its own id. */
const OWN_ID = /^(?:shipment[_-]?)?ids?$/i;

/** Further ids: beside those that count, `known`, or where these would be inside of an envelope. */
export function otherIds(
  operation: Operation,
  body: unknown,
  known: readonly string[],
): { id: string; path: string; found: string }[] {
  const others = new Map<string, { id: string; path: string; found: string }>();
  for (const { path, place } of placesOf(operation)) {
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

/** What is in the place of an id, and cannot be one: it is damaged, or too long. */
export const damagedIds = (operation: Operation, body: unknown): { text: string; found: string }[] =>
  placesOf(operation).flatMap(({ place }) => {
    const value = getAt(body, place);
    const text = read(readFilled, value);
    return text === undefined || read(readId, value) !== undefined
      ? []
      : [{ text, found: formatPath(place) }];
  });

/** `within`: where the value is in the body. */
function unfolded(operation: Operation, given: unknown, within: Path): Content | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  let value: unknown = given;
  const leftOut: string[] = [];
  for (const [part, signs] of Object.entries(operation.mayLack)) {
    const path = parsePath(part) ?? [];
    const outer = path.slice(0, -1);
    // An id at the very top may be that of the request.
    if (outer.length === 0 && within.length === 0) continue;
    const [around, inner] = [getAt(value, outer), getAt(value, path)];
    const told = signsIn(around, signs);
    if (told.length === 0 || signsIn(inner, signs).length > 0) continue;
    // What it has without them stays.
    value = setAt(value, path, isRecord(inner) ? { ...Object.fromEntries(told), ...inner } : around);
    leftOut.push(part);
  }
  if (!accepts(operation.needs, value)) return undefined;
  if (within.length === 0 && leftOut.length === 0) return { value, within, isFound: true, moved: [] };
  const moved = Object.values(operation.made.ids).flatMap(path => {
    if (read(readId, getAt(value, path)) === undefined) return [];
    const part = leftOut.find(one => path === `${one}.id`);
    const place = part === undefined ? path : path.replace(/\w+\.id$/, 'id');
    const found = within.length === 0 ? place : `${formatPath(within)}.${place}`;
    return found === path ? [] : { path, found };
  });
  return { value, within, isFound: true, moved };
}

/** The fields of these names that are there, each with its text or number. A link may be longer than an id. */
const signsIn = (value: unknown, signs: readonly string[]): [name: string, value: unknown][] =>
  signs.flatMap(name => {
    const found = getAt(value, [name]);
    return read(readFilled, found) === undefined ? [] : [[name, found]];
  });
