// What became of a booking, from what came over the network.

import { type Ids, type Label, NO_RESPONSE, type Refusal, unlabelledLegs } from '../booking/booking.ts';
import { damagedIds, labelIn, labelText, type Moved, recordIn } from '../contract/content.ts';
import type { Leg, Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath } from '../contract/paths.ts';
import { LONGEST_ID, read, readId, readText, saysNo } from '../contract/read.ts';
import type { FailureCode } from '../exit-codes.ts';
import { type Json, parseJson } from '../json.ts';
import { answerFaultWords, errorAnswerWords } from '../say/service.ts';
import { commandText, operandWords, shown, shownId } from '../text.ts';
import {
  answerFault,
  codeOfStatus,
  type Exchange,
  errorAnswer,
  isSuccess,
  partMessages,
  refusalOf,
  responseMessage,
  type ServiceResponse,
} from './response.ts';

/**
 * `created`: all that was requested exists. The others are failures. `partial`: some of it exists. `rejected`: the
 * service said no. `not_sent`: the request never reached the service. `unknown`: it may exist.
 */
type Result =
  | { state: 'created' }
  | {
      state: 'partial' | 'rejected' | 'not_sent' | 'unknown';
      code: FailureCode;
      /** What the service answered or the network did, for people. */
      why: string;
      refusal?: Refusal;
    };

interface WhatCame {
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
  /** Legs whose label was requested and does not exist. */
  unlabelled: Leg[];
  /** What is given once and did not come: `secret`. */
  missing: string[];
}

interface Received {
  httpStatus: number | null;
  /** The body of the response; `null` if there was none. */
  body: unknown;
  /** The body as text, even if it cannot be parsed. */
  answer: string | null;
  /** The body as it is read: what the service document shows is where it shows it. */
  content: unknown;
  /** Ids that were found in another place. */
  moved: readonly Moved[];
}

/** What became of a booking, as its answer is judged. */
export type Judged = Result & WhatCame & Received;

/** The body that was sent, parsed only if it matters. */
export type Asked = Pick<Json, 'value'>;

/**
 * Decides what became of a booking, from what came over the network: the only place that judges an answer (service document §4, §7).
 * `outcome_unknown` is exit code 8: the request was sent, and no conclusive response came.
 */
export function readOutcome(operation: Operation, request: Asked, exchange: Exchange): Judged {
  if (exchange.kind === 'answer' && isSuccess(exchange.status)) {
    const { status: httpStatus, body, text: answer } = exchange;
    const { value: content, moved } = exchange.contentFor(operation);
    const judged = readSuccess(operation, request, exchange, content);
    return { ...judged, httpStatus, body, answer, content, moved };
  }
  const empty = { ...NO_RESPONSE, body: null, content: null, moved: [], unlabelled: [], missing: [] };
  if (exchange.kind === 'none')
    return exchange.sent
      ? { ...empty, state: 'unknown', code: 'outcome_unknown', why: exchange.fault }
      : { ...empty, state: 'not_sent', code: 'unavailable', why: exchange.fault };
  const { status: httpStatus, body, text: answer } = exchange;
  const answered = { ...empty, httpStatus, body, answer };
  const why = `the service answered ${errorAnswerWords(errorAnswer(operation, exchange))}`;
  const code = codeOfStatus(httpStatus);
  const unknown = { ...answered, state: 'unknown', code: 'outcome_unknown' } as const;
  if (code === 'unavailable') return { ...unknown, why };
  if (!isDoubtfulRefusal(operation, exchange)) return { ...answered, state: 'rejected', code, why };
  const record = recordIn(operation, body);
  const ids = record ? idsIn(operation, record.value) : {};
  const damaged = damagedIds(operation, body).map(({ text, found }) => ({ id: text, path: found }));
  const seen = [...namedIn(operation, body), ...damaged];
  // What is said of an error is no name of a shipment, unless its whole record stands there.
  const unnamed = Object.values(ids).filter(id => !seen.some(named => named.id === id));
  const words = seenWords([...seen, ...unnamed.map(id => ({ id, path: '' }))]);
  const doubtful = {
    ...unknown,
    content: record?.value ?? null,
    why: words === '' ? why : `${why} (ids in it: ${words})`,
  };
  const isAll = !UNPROCESSED.includes(httpStatus) || namesNothingBut(Object.values(ids), body);
  return isAll && Object.keys(ids).length > 0 ? { ...doubtful, refusal: { ids, code, why } } : doubtful;
}

function readSuccess(
  operation: Operation,
  request: Asked,
  exchange: ServiceResponse,
  content: unknown,
): Result & WhatCame {
  const { body } = exchange;
  const made = madeIn(operation, request, content);
  const { ids, labels, unlabelled, missing } = made;
  const partial = (why: string) => ({ ...made, state: 'partial', code: 'partial', why }) as const;
  const unknown = (problem: string) => {
    const why = `the service answered ${exchange.status}${problem}`;
    return { ...made, state: 'unknown', code: 'outcome_unknown', why } as const;
  };

  const wanted = Object.keys(operation.made.ids).length;
  const found = Object.keys(ids).length;
  const labelled = Object.values(labels).some(label => label.made);
  const isIncomplete = found < wanted || (wanted === 0 && !labelled);
  const fault = answerFault(exchange);
  const stray = isIncomplete || fault !== undefined ? strayIds(operation, body, Object.values(ids)) : [];
  const others = seenWords(stray);
  const also = others && ` (ids in other places: ${others})`;
  if (fault !== undefined)
    return unknown(`, but the answer cannot be read: ${answerFaultWords(fault)}${also}`);

  const damaged = found < wanted ? damagedIds(operation, content) : [];
  if (damaged.length > 0) {
    const seen = damaged
      .map(one => `${shown(one.text)} of ${one.text.length} characters at ${one.found}`)
      .join(', ');
    return unknown(
      ` with what cannot be an id: ${seen} (an id is whole text in one line, of at most ${LONGEST_ID} characters)${also}`,
    );
  }

  // Either may say it: the envelope, or what is in it.
  const refused = saysNo(body) || saysNo(content);
  const legs = legsOf(operation).map(leg => getAt(content, operation.made.labels[leg]?.at ?? ''));
  const denied = refused || (wanted === 0 && allRefused(operation, unlabelled, content));
  if (found === 0 && !labelled && stray.length === 0 && denied)
    return { ...made, state: 'rejected', code: 'rejected', why: refusalOf(exchange, legs) };
  if (found === 0 && (wanted > 0 || !labelled)) {
    const words = responseMessage(exchange) || partMessages(legs);
    return unknown(` without saying what it made${also}${words && `. It says: ${words}`}`);
  }
  if (missing.length > 0) return partial(`the answer has no ${missing.join(' and no ')}`);
  if (found < wanted)
    return partial(`the answer names only the ${Object.keys(ids).join(' and ')} shipment${also}`);
  if (unlabelled.length > 0) {
    const words = partMessages(legs.filter(saysNo));
    return partial(`no label for the ${unlabelled.join(' and ')} leg${words && `: ${words}`}`);
  }
  const no = refusedParts(operation, content);
  if (refused || no.length > 0) {
    const words = responseMessage(exchange) || partMessages(no.map(part => getAt(content, part)));
    const of = refused ? '' : ` at ${no.join(' and ')}`;
    return partial(`the answer also says success: false${of}${words && `: ${words}`}`);
  }
  return { ...made, state: 'created' };
}

/** Paths of the objects around an id that say that they failed. */
const refusedParts = ({ made }: Operation, content: unknown): string[] =>
  Object.values(made.ids).flatMap(written => {
    const path = parsePath(written) ?? [];
    const around = path.map((_, at) => path.slice(0, at)).filter(part => part.length > 0);
    return around
      .filter(part => saysNo(getAt(content, part)))
      .map(formatPath)
      .slice(0, 1);
  });

/** What an answer says that it made. */
function madeIn(operation: Operation, request: Asked, content: unknown): WhatCame {
  const ids = idsIn(operation, content);
  const labels: Judged['labels'] = {};
  for (const leg of legsOf(operation)) {
    const label = readLabel(getAt(content, operation.made.labels[leg]?.at ?? ''));
    if (label !== undefined) labels[leg] = label;
  }
  return {
    ids,
    labels,
    unlabelled: unlabelledLegs(operation, request.value, labels),
    missing: givenOnceMissing(operation, content),
  };
}

function idsIn({ made }: Operation, content: unknown): Ids {
  const ids: Ids = {};
  for (const [name, path] of Object.entries(made.ids)) {
    const id = read(readId, getAt(content, path));
    if (id !== undefined) ids[name as keyof Ids] = id;
  }
  return ids;
}

/** The names of what is given once and is not in the answer. */
export const givenOnceMissing = ({ made: { givenOnce = [] } }: Operation, content: unknown): string[] =>
  givenOnce
    .filter(path => !read(readText, getAt(content, path))?.trim())
    .map(path => path.replace(/^.*\./, ''));

const legsOf = (operation: Operation) => Object.keys(operation.made.labels) as Leg[];

function readLabel(value: unknown): Label | undefined {
  if (!isRecord(value)) return undefined;
  const text = labelText(value);
  const number = read(readId, value.trackingNumber);
  return {
    made: !saysNo(value) && (value.success === true || number !== undefined || text !== undefined),
    ...(number !== undefined && { trackingNumber: number }),
    // A label in the place of its link is kept with the answer, and not a second time.
    ...(text !== undefined && labelIn(text) === undefined && { link: text }),
  };
}

const allRefused = (operation: Operation, requested: readonly Leg[], content: unknown): boolean =>
  requested.length > 0 &&
  requested.every(leg => saysNo(getAt(content, operation.made.labels[leg]?.at ?? '')));

// Ids in an answer that are not where the service document shows what was made. A service may refuse a booking because it
// exists, and name it; or it may make it, and name it where nothing says that this is its id.

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
interface SeenId {
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
function strayIds({ made }: Operation, body: unknown, known: readonly string[]): SeenId[] {
  const hasIds = Object.keys(made.ids).length > 0;
  const ofLeg = /(^|\.)(international|domestic)\./;
  return first(body, ({ id, path, isTracking }) =>
    hasIds ? !known.includes(id) : isTracking && !ofLeg.test(path),
  );
}

const seenWords = (seen: readonly SeenId[]): string =>
  seen.map(({ id, path }) => `${shownId(id)}${path && ` at ${path}`}`).join(', ');

/** What a refusal names that may have been made all the same. A label has no id, only a tracking number. */
const namedIn = ({ made }: Operation, body: unknown): SeenId[] =>
  first(body, ({ isTracking }) => isTracking || Object.keys(made.ids).length > 0);

/** Statuses after which a booking may be sent again, because it was not processed. */
const UNPROCESSED = [401, 429];

/**
 * Does an answer refuse a booking, and have the record of what it may have made, or only name it where it says that the booking
 * was not processed? Nobody knows then, unless another order has what it names.
 */
export const isDoubtfulRefusal = (operation: Operation, { status, body }: ServiceResponse): boolean =>
  operation.books &&
  !isSuccess(status) &&
  (recordIn(operation, body) !== undefined ||
    (UNPROCESSED.includes(status) && namedIn(operation, body).length > 0));

const namesNothingBut = (ids: readonly string[], body: unknown): boolean =>
  first(body, ({ id, isTracking }) => !isTracking && !ids.includes(id)).length === 0;

/**
 * What to look at before the booking is sent again: a sentence; `undefined` if the body names nothing. `targetFlags`: elsewhere
 * nothing has that id.
 */
export function namedSentence(
  operation: Operation,
  body: unknown,
  targetFlags: readonly string[],
): string | undefined {
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
  const commands = ids.map(({ id, path }) => {
    const leg = /domestic/i.test(path) ? ['--domestic'] : [];
    const words = isHook ? ['webhook', 'get'] : ['track', ...leg];
    return `\`${commandText(['waybill', ...words, ...targetFlags, ...operandWords([id])])}\``;
  });
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
