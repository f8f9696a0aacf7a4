// Ids in an answer that are not where the service document shows what was made. A service may refuse a booking because it
// exists, and name it; or it may make it, and name it where nothing says that this is its id.
import type { Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { shellWord } from '../text.ts';

/** Where services put what they speak of; the service document does not say. */
const PLACES = ['data', 'result', 'shipment', 'error'];
const NAME = /^id$|[a-z]Id$|_id$/;
/** An id of the exchange, or of somebody. */
const OTHER =
  /^(request|trace|correlation|span|error|event|message|log|session|account|customer|user|tenant|company|client|carrier|party|package|item)/i;
/** Parts of a shipment, and what is said beside it: ids in them are not its own. */
const APART =
  /^(sender|receiver|invoice|customs|address|contract|proposal|service|status|detail|warning|meta|link)/i;
const TRACKING = /^tracking_?number$/i;
const LONGEST = 100;
const DEEPEST = 5;
const MOST_SEEN = 5;

/** An id, and where it is in the body. */
export interface SeenId {
  id: string;
  path: string;
}

/**
 * Ids and tracking numbers that are not where the service document shows them, and may be of what was made; not those of
 * carriers, parties and requests. `known`: ids that were read. Labels have tracking numbers only: ids are of their shipments.
 */
export function strayIds({ made }: Operation, body: unknown, known: readonly string[]): SeenId[] {
  const hasIds = Object.keys(made.ids).length > 0;
  const ofLeg = /(^|\.)(international|domestic)\./;
  return [...walk(body, [])]
    .filter(({ id, path }) =>
      hasIds ? !known.includes(id) : TRACKING.test(path.replace(/^.*\./, '')) && !ofLeg.test(path),
    )
    .slice(0, MOST_SEEN);
}

function* walk(value: unknown, path: Path): Generator<SeenId> {
  if (path.length > DEEPEST) return;
  if (Array.isArray(value)) {
    for (const [index, inner] of value.slice(0, MOST_SEEN).entries()) yield* walk(inner, [...path, index]);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (OTHER.test(name) || APART.test(name)) continue;
    const here = [...path, name];
    if (NAME.test(name) || TRACKING.test(name))
      for (const [, id] of named(name, inner)) yield { id, path: formatPath(here) };
    else yield* walk(inner, here);
  }
}

/** What to look at before the booking is sent again: a sentence; `undefined` if the body names nothing. */
export function namedSentence(operation: Operation, body: unknown): string | undefined {
  // Labels have no id: an answer names the shipments that they were asked for.
  const found = Object.keys(operation.made.ids).length === 0 ? [] : idsIn(operation, body);
  if (found.length === 0) return undefined;
  const isHook = 'subscription' in operation.made.ids;
  const what = `${isHook ? 'subscription' : 'shipment'}${found.length > 1 ? 's' : ''}`;
  const commands = found.map(([kind, id]) =>
    isHook
      ? `\`waybill webhook get ${shellWord(id)}\``
      : `\`waybill track ${shellWord(id)}${/domestic/i.test(kind) ? ' --domestic' : ''}\``,
  );
  const ids = found.map(([, id]) => id).join(' and ');
  return `The answer names ${what} ${ids}: look at ${found.length > 1 ? 'them' : 'it'} with ${commands.join(' and ')} before you book again`;
}

type Named = [kind: string, id: string];

/** At the places of the service document, else beside the message, else inside of exactly one other place. */
function idsIn({ made }: Operation, body: unknown): Named[] {
  const listed = Object.entries(made.ids).flatMap(([kind, path]) => named(kind, getAt(body, path)));
  if (listed.length > 0) return listed;
  const beside = fieldsOf(body);
  if (beside.length > 0) return beside;
  const inside = PLACES.map(place => fieldsOf(getAt(body, [place]))).filter(found => found.length > 0);
  return inside.length === 1 ? (inside[0] ?? []) : [];
}

const fieldsOf = (value: unknown): Named[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, inner]) =>
        NAME.test(name) && !OTHER.test(name) ? named(name, inner) : [],
      )
    : [];

function named(kind: string, value: unknown): Named[] {
  const id = read(readId, value);
  return id === undefined || id.length > LONGEST ? [] : [[kind, id]];
}
