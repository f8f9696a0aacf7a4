// What became of a booking, from what came over the network.

import { type Ids, type Label, NO_RESPONSE, type Refusal, unlabelledLegs } from '../booking/booking.ts';
import { damagedIds, labelIn, labelText, type Moved, recordIn } from '../contract/content.ts';
import type { Leg, Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path, parsePath } from '../contract/paths.ts';
import { LONGEST_ID, read, readId, readText, saysNo } from '../contract/read.ts';
import type { FailureCode } from '../exit-codes.ts';
import { type Json, parseJson } from '../json.ts';
import type { NamedThings } from '../say/booked.ts';
import type { OutcomeReason, SeenId } from '../say/service.ts';
import {
  answerFault,
  codeOfStatus,
  type Exchange,
  errorAnswer,
  isSuccess,
  type NoResponse,
  partMessages,
  responseMessage,
  type ServiceResponse,
} from './response.ts';

/**
 * `created`: all that was requested exists. The other states are failures. `partial`: a part exists. `rejected`: the
 * service said no. `not_sent`: the request never reached the service. `unknown`: nobody knows whether anything exists.
 */
type Result =
  | { state: 'created' }
  | {
      state: 'partial' | 'rejected' | 'not_sent' | 'unknown';
      code: FailureCode;
      /** What the service answered or the network did. */
      why: OutcomeReason;
      refusal?: Omit<Refusal, 'why'> & { why: OutcomeReason };
    };

interface WhatCame {
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
  /** Legs whose label was requested and does not exist. */
  unlabelled: Leg[];
  /** The names of what the service gives only once, and what did not come: `secret`. */
  missing: string[];
}

interface Received {
  httpStatus: number | null;
  /** The body of the response; `null` if there was none. */
  body: unknown;
  /** The body as text, even if it cannot be parsed. */
  answer: string | null;
  /** The content of the body, with every field where the service document shows it. */
  content: unknown;
  /** Ids that are not where the service document shows them. */
  moved: readonly Moved[];
}

/** What became of a booking, as judged from its answer. */
export type Judged = Result & WhatCame & Received;

/** The body of the request, parsed only when it is needed. */
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
      ? { ...empty, state: 'unknown', code: 'outcome_unknown', why: noAnswer(exchange) }
      : { ...empty, state: 'not_sent', code: 'unavailable', why: noAnswer(exchange) };
  const { status: httpStatus, body, text: answer } = exchange;
  const answered = { ...empty, httpStatus, body, answer };
  const why: OutcomeReason = { reason: 'error', answer: errorAnswer(operation, exchange) };
  const code = codeOfStatus(httpStatus);
  const unknown = { ...answered, state: 'unknown', code: 'outcome_unknown' } as const;
  if (code === 'unavailable') return { ...unknown, why };
  if (!isDoubtfulRefusal(operation, exchange)) return { ...answered, state: 'rejected', code, why };
  const record = recordIn(operation, body);
  const ids = record ? idsIn(operation, record.value) : {};
  const damaged = damagedIds(operation, body).map(({ text, found }) => ({ id: text, path: found }));
  const seen = [...namedIn(operation, body), ...damaged];
  // Ids of the record that `seen` lacks, because they stand in a part about an error: a whole record makes them count.
  const unnamed = Object.values(ids).filter(id => !seen.some(named => named.id === id));
  const doubtful = {
    ...unknown,
    content: record?.value ?? null,
    why: { ...why, ids: [...seen, ...unnamed.map(id => ({ id, path: '' }))] },
  };
  const isAll = !UNPROCESSED.includes(httpStatus) || namesNothingBut(Object.values(ids), body);
  return isAll && Object.keys(ids).length > 0 ? { ...doubtful, refusal: { ids, code, why } } : doubtful;
}

const noAnswer = (exchange: NoResponse): OutcomeReason => ({ reason: 'no-answer', fault: exchange.fault });

function readSuccess(
  operation: Operation,
  request: Asked,
  exchange: ServiceResponse,
  content: unknown,
): Result & WhatCame {
  const { body } = exchange;
  const made = madeIn(operation, request, content);
  const { ids, labels, unlabelled, missing } = made;
  const { status } = exchange;
  const partial = (why: OutcomeReason) => ({ ...made, state: 'partial', code: 'partial', why }) as const;
  const unknown = (why: OutcomeReason) =>
    ({ ...made, state: 'unknown', code: 'outcome_unknown', why }) as const;

  const wanted = Object.keys(operation.made.ids).length;
  const found = Object.keys(ids).length;
  const labelled = Object.values(labels).some(label => label.made);
  const isIncomplete = found < wanted || (wanted === 0 && !labelled);
  const fault = answerFault(exchange);
  const others = isIncomplete || fault !== undefined ? strayIds(operation, body, Object.values(ids)) : [];
  if (fault !== undefined) return unknown({ reason: 'unreadable', status, fault, others });

  const damaged = found < wanted ? damagedIds(operation, content) : [];
  if (damaged.length > 0) {
    const texts = damaged.map(({ text, found: path }) => ({ text, path }));
    return unknown({ reason: 'no-id', status, texts, longest: LONGEST_ID, others });
  }

  // The envelope or the content inside may say that the booking failed.
  const refused = saysNo(body) || saysNo(content);
  const legs = legsOf(operation).map(leg => getAt(content, operation.made.labels[leg]?.at ?? ''));
  const said = () => responseMessage(exchange) || partMessages(legs);
  const denied = refused || (wanted === 0 && allRefused(operation, unlabelled, content));
  if (found === 0 && !labelled && others.length === 0 && denied)
    return { ...made, state: 'rejected', code: 'rejected', why: { reason: 'rejected', message: said() } };
  if (found === 0 && (wanted > 0 || !labelled))
    return unknown({ reason: 'nothing-named', status, others, message: said() });
  if (missing.length > 0) return partial({ reason: 'secrets-missing', missing });
  if (found < wanted) return partial({ reason: 'legs-missing', named: Object.keys(ids), others });
  if (unlabelled.length > 0)
    return partial({ reason: 'unlabelled', legs: unlabelled, message: partMessages(legs.filter(saysNo)) });
  const no = refusedParts(operation, content);
  if (refused || no.length > 0) {
    const message = responseMessage(exchange) || partMessages(no.map(part => getAt(content, part)));
    return partial({ reason: 'also-refused', paths: refused ? [] : no, message });
  }
  return { ...made, state: 'created' };
}

/** The paths of those objects around an id that say that they failed. */
const refusedParts = (operation: Operation, content: unknown): string[] =>
  Object.values(operation.made.ids).flatMap(written => {
    const path = parsePath(written) ?? [];
    const around = path.map((_, at) => path.slice(0, at)).filter(part => part.length > 0);
    return around
      .filter(part => saysNo(getAt(content, part)))
      .map(formatPath)
      .slice(0, 1);
  });

/** What was made, as the answer says. */
function madeIn(operation: Operation, request: Asked, content: unknown): WhatCame {
  const ids = idsIn(operation, content);
  const labels: Judged['labels'] = {};
  for (const leg of legsOf(operation)) {
    const label = labelFrom(getAt(content, operation.made.labels[leg]?.at ?? ''));
    if (label !== undefined) labels[leg] = label;
  }
  return {
    ids,
    labels,
    unlabelled: unlabelledLegs(operation, request.value, labels),
    missing: givenOnceMissing(operation, content),
  };
}

function idsIn(operation: Operation, content: unknown): Ids {
  const ids: Ids = {};
  for (const [name, path] of Object.entries(operation.made.ids)) {
    const id = read(readId, getAt(content, path));
    if (id !== undefined) ids[name as keyof Ids] = id;
  }
  return ids;
}

/** The names of what the service gives only once, and what the answer lacks. */
export const givenOnceMissing = ({ made: { givenOnce = [] } }: Operation, content: unknown): string[] =>
  givenOnce
    .filter(path => !read(readText, getAt(content, path))?.trim())
    .map(path => path.replace(/^.*\./, ''));

const legsOf = (operation: Operation) => Object.keys(operation.made.labels) as Leg[];

function labelFrom(value: unknown): Label | undefined {
  if (!isRecord(value)) return undefined;
  const text = labelText(value);
  const number = read(readId, value.trackingNumber);
  return {
    made: !saysNo(value) && (value.success === true || number !== undefined || text !== undefined),
    ...(number !== undefined && { trackingNumber: number }),
    // If the answer has the label in the place of the link, the answer keeps the label, and no copy is stored here.
    ...(text !== undefined && labelIn(text) === undefined && { link: text }),
  };
}

const allRefused = (operation: Operation, requested: readonly Leg[], content: unknown): boolean =>
  requested.length > 0 &&
  requested.every(leg => saysNo(getAt(content, operation.made.labels[leg]?.at ?? '')));

// Ids in an answer that are not where the service document shows what was made. A service may refuse a booking because the
// booking exists, and name its id; or it may make the booking, and give the id in a place that says nothing of the kind.

/** Names of ids: `id`, `ID`, `uuid`, `booking_id`, `BOOKING-ID`, also in the plural. */
const ID = /(?:^|[_-])(?:uu|gu)?ids?$/i;
/** Names of ids in camel case: `bookingId`, `bookingID`, `bookingUuid`; not `paid`. */
const ID_IN_CAPITALS = /[a-z\d](?:I[dD]|U[uU][iI][dD]|G[uU][iI][dD])s?$/;
/** Names that by themselves say that the id is that of a shipment. */
const SHIPMENT = /(?:shipment|consignment)[_-]?(?:(?:uu|gu)?id|number|num|nr|no|code)s?$/i;
const TRACKING =
  /(?:tracking|waybill|awb)[_-]?(?:(?:uu|gu)?id|number|num|nr|no|code)s?$|^(?:awb|waybill|barcode)s?$/i;
/** Names of ids that are those of the exchange, or of a person or company. */
const OTHER =
  /^(request|trace|correlation|span|error|event|message|log|session|account|customer|user|tenant|company|client|carrier|party|package|item)/i;
/** Parts of a shipment, and what answers say beside a shipment: an `id` in such a part is not the id of the shipment. */
const APART =
  /^(sender|receiver|invoice|customs|address|contract|proposal|service|status|detail|warning|meta|link)/i;
const MOST_SEEN = 5;

interface Found extends SeenId {
  isTracking: boolean;
}

/**
 * Ids and tracking numbers that are not where the service document shows them, and may belong to what was made; without those of
 * carriers, parties and requests. `known`: ids that were read. Labels have tracking numbers only: an id is that of a shipment.
 */
function strayIds(operation: Operation, body: unknown, known: readonly string[]): SeenId[] {
  const hasIds = Object.keys(operation.made.ids).length > 0;
  const ofLeg = /(^|\.)(international|domestic)\./;
  return first(body, ({ id, path, isTracking }) =>
    hasIds ? !known.includes(id) : isTracking && !ofLeg.test(path),
  );
}

/** The ids and tracking numbers in a refusal: what they name may exist all the same. A label has only a tracking number. */
const namedIn = (operation: Operation, body: unknown): SeenId[] =>
  first(body, ({ isTracking }) => isTracking || Object.keys(operation.made.ids).length > 0);

/** Statuses after which a booking may be sent again, because it was not processed. */
const UNPROCESSED = [401, 429];

/**
 * Is an answer a refusal that has the record of what may have been made, or a refusal by one of the statuses `UNPROCESSED` that
 * names such a thing? Then nobody knows whether it was made, unless another order has what the answer names.
 */
export const isDoubtfulRefusal = (operation: Operation, response: ServiceResponse): boolean =>
  operation.books &&
  !isSuccess(response.status) &&
  (recordIn(operation, response.body) !== undefined ||
    (UNPROCESSED.includes(response.status) && namedIn(operation, response.body).length > 0));

const namesNothingBut = (ids: readonly string[], body: unknown): boolean =>
  first(body, ({ id, isTracking }) => !isTracking && !ids.includes(id)).length === 0;

/** The things that a body names: a person looks at them before the booking is sent again. `undefined` if it names nothing. */
export function namedThings(operation: Operation, body: unknown): NamedThings | undefined {
  // Labels have no id: the ids in their answer are those of the shipments.
  if (Object.keys(operation.made.ids).length === 0) return undefined;
  const ids = first(body, ({ isTracking }) => !isTracking);
  const named = ids.length > 0 ? ids : first(body, () => true);
  if (named.length === 0) return undefined;
  const isHook = 'subscription' in operation.made.ids;
  return {
    things: ids.length === 0 ? 'tracking-number' : isHook ? 'subscription' : 'shipment',
    ids: named.map(({ id, path }) => ({ id, isDomestic: /domestic/i.test(path) })),
  };
}

/** The first few ids in a body that are wanted, each once. */
function first(body: unknown, isWanted: (found: Found) => boolean): Found[] {
  const byId = new Map<string, Found>();
  for (const found of idsUnder(body, [], false)) {
    if (byId.has(found.id) || !isWanted(found)) continue;
    byId.set(found.id, found);
    if (byId.size === MOST_SEEN) break;
  }
  return [...byId.values()];
}

/** The ids and tracking numbers under a value. `isApart`: only names that by themselves say so are those of a shipment. */
function* idsUnder(value: unknown, path: Path, isApart: boolean): Generator<Found> {
  if (typeof value === 'string') {
    // Some services put JSON text into a field.
    if (/^\s*[{[]/.test(value)) yield* idsUnder(parseJson(value), path, isApart);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) yield* idsUnder(inner, [...path, index], isApart);
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
    if (typeof inner === 'object' || typeof inner === 'string') yield* idsUnder(inner, here, isOther);
  }
}

/** The id that a value is, if it is one. A sentence, as a message about the field, is no id. */
function idOf(value: unknown): string[] {
  const id = read(readId, value);
  return id === undefined || /\s/.test(id) ? [] : [id];
}
