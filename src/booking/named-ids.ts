// Ids in an answer that are not where the service document shows what was made. A service may refuse a booking because it
// exists, and name it; or it may make it, and name it where nothing says that this is its id.
import type { Operation } from '../contract/operations.ts';
import { formatPath, isRecord, type Path } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { parseJson } from '../json.ts';
import { shellWord } from '../text.ts';

/** `id`, `ID`, `uuid`, `booking_id`, `BOOKING-ID`, also of several. */
const ID = /(?:^|[_-])(?:uu|gu)?ids?$/i;
/** `bookingId`, `bookingID`, `bookingUuid`; not `paid`. */
const ID_IN_CAPITALS = /[a-z\d](?:I[dD]|U[uU][iI][dD]|G[uU][iI][dD])s?$/;
/** Names that say of themselves that it is a shipment. */
const SHIPMENT = /(?:shipment|consignment)[_-]?(?:(?:uu|gu)?id|number|num|nr|no|code)s?$/i;
const TRACKING =
  /(?:tracking|waybill|awb)[_-]?(?:(?:uu|gu)?id|number|num|nr|no|code)s?$|^(?:awb|waybill|barcode)s?$/i;
/** An id of the exchange, or of somebody. */
const OTHER =
  /^(request|trace|correlation|span|error|event|message|log|session|account|customer|user|tenant|company|client|carrier|party|package|item)/i;
/** Parts of a shipment, and what is said beside it: an `id` in them is not its own. */
const APART =
  /^(sender|receiver|invoice|customs|address|contract|proposal|service|status|detail|warning|meta|link)/i;
const MOST_SEEN = 5;

/** An id, and where it is in the body. */
export interface SeenId {
  id: string;
  path: string;
}

interface Found extends SeenId {
  isTracking: boolean;
}

/**
 * Ids and tracking numbers that are not where the service document shows them, and may be of what was made; not those of
 * carriers, parties and requests. `known`: ids that were read. Labels have tracking numbers only: ids are of their shipments.
 */
export function strayIds({ made }: Operation, body: unknown, known: readonly string[]): SeenId[] {
  const hasIds = Object.keys(made.ids).length > 0;
  const ofLeg = /(^|\.)(international|domestic)\./;
  return first(body, ({ id, path, isTracking }) =>
    hasIds ? !known.includes(id) : isTracking && !ofLeg.test(path),
  );
}

/** What to look at before the booking is sent again: a sentence; `undefined` if the body names nothing. */
export function namedSentence(operation: Operation, body: unknown): string | undefined {
  // Labels have no id: an answer names the shipments that they were asked for.
  if (Object.keys(operation.made.ids).length === 0) return undefined;
  const ids = first(body, ({ isTracking }) => !isTracking);
  const found = ids.length > 0 ? ids : first(body, () => true);
  if (found.length === 0) return undefined;
  const words = found.map(({ id }) => id).join(' and ');
  const s = found.length > 1 ? 's' : '';
  const it = s ? 'them' : 'it';
  if (ids.length === 0)
    return `The answer names tracking number${s} ${words}: look for ${it} at the service before you book again`;
  const isHook = 'subscription' in operation.made.ids;
  const commands = ids.map(({ id, path }) =>
    isHook
      ? `\`waybill webhook get ${shellWord(id)}\``
      : `\`waybill track ${shellWord(id)}${/domestic/i.test(path) ? ' --domestic' : ''}\``,
  );
  return `The answer names ${isHook ? 'subscription' : 'shipment'}${s} ${words}: look at ${it} with ${commands.join(' and ')} before you book again`;
}

/** The first few that are wanted, each once. */
function first(body: unknown, isWanted: (found: Found) => boolean): Found[] {
  const byId = new Map<string, Found>();
  for (const found of walk(body, [], false)) {
    if (byId.has(found.id) || !isWanted(found)) continue;
    byId.set(found.id, found);
    if (byId.size === MOST_SEEN) break;
  }
  return [...byId.values()];
}

/** `isApart`: of the names in it only those that say so are of a shipment. */
function* walk(value: unknown, path: Path, isApart: boolean): Generator<Found> {
  if (typeof value === 'string') {
    // Some services put JSON into a text.
    if (/^\s*[{[]/.test(value)) yield* walk(parseJson(value), path, isApart);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) yield* walk(inner, [...path, index], isApart);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = [...path, name];
    const isTracking = TRACKING.test(name);
    const isOther = isApart || OTHER.test(name) || APART.test(name);
    if (isTracking || SHIPMENT.test(name) || (!isOther && (ID.test(name) || ID_IN_CAPITALS.test(name)))) {
      const all = Array.isArray(inner) ? inner : [inner];
      for (const id of all.flatMap(idOf)) yield { id, path: formatPath(here), isTracking };
    }
    if (typeof inner === 'object' || typeof inner === 'string') yield* walk(inner, here, isOther);
  }
}

/** A sentence about a field is no id of it. */
function idOf(value: unknown): string[] {
  const id = read(readId, value);
  return id === undefined || /\s/.test(id) ? [] : [id];
}
