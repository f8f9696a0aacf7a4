// What is known of a booking from what the service told: its answer, or what it told when a person settled the booking.
import { contentOf, type Moved } from '../contract/content.ts';
import { type Operation, operationNamed } from '../contract/operations.ts';
import { getAt, parsePath, setAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { parseJson } from '../json.ts';
import { type Booking, type Ids, settlementOf } from './booking.ts';

export interface Answer {
  /** As it came; `null` if nothing did. */
  text: string | null;
  /** Parsed; without an answer the ids, where one would have them; text that is no JSON is itself. */
  body: unknown;
  /** The body as the contract reads it. */
  content: unknown;
  /** Ids that were found in another place. */
  moved: readonly Moved[];
}

// An answer may be long, and several read it: it is parsed once.
const answers = new WeakMap<Booking, Answer>();

export function answerOf(booking: Booking): Answer {
  const known = answers.get(booking);
  if (known) return known;
  const settlement = settlementOf(booking);
  const text = settlement ? (settlement.evidence ?? null) : booking.answer;
  const operation = operationNamed(booking.operation);
  const body = text === null ? bodyWithIds(operation, booking.ids) : (parseJson(text) ?? text);
  const { value: content, moved } = contentOf(operation, body);
  const answer = { text, body, content, moved };
  answers.set(booking, answer);
  return answer;
}

/** The answer of a booking is known already. */
export const keepAnswer = (booking: Booking, answer: Answer): void => void answers.set(booking, answer);

/** The ids where a response would have them: for a booking that was pruned, or imported from CSV, or resolved
 * without asking the service. */
export const bodyWithIds = ({ made }: Operation, ids: Ids, bare: unknown = null): unknown =>
  Object.entries(made.ids).reduce((body: unknown, [name, path]) => {
    const id = ids[name as keyof Ids];
    return id === undefined ? body : setAt(body, parsePath(path) ?? [], id);
  }, bare);

/** What scripts read about a booking; the names are a promise. */
export interface Facts {
  ids: Ids;
  labels: Booking['labels'];
  carrier: string | null;
  /** As the service sent it. */
  price: unknown;
  currency: string | null;
  overPrice: boolean | null;
}

export const NO_FACTS: Facts = {
  ids: {},
  labels: {},
  carrier: null,
  price: null,
  currency: null,
  overPrice: null,
};

/** The price is in the answer; the carrier is in the answer or the request. */
export function factsOf(booking: Booking): Facts {
  const { ids, labels, overPrice, request } = booking;
  const { content } = answerOf(booking);
  const carrier = getAt(content, ['carrier']) ?? getAt(content, 'international.shipment.carrier');
  return {
    ids,
    labels,
    carrier:
      read(readId, getAt(carrier, ['id'])) ??
      textAt(request, 'carrier.id') ??
      textAt(request, 'carriers.international.id') ??
      null,
    price: getAt(carrier, ['price']) ?? null,
    currency: textAt(carrier, ['currency']) ?? null,
    overPrice,
  };
}

/** What a proposal would cost. */
export const proposedFacts = (proposal: unknown): Facts => ({
  ...NO_FACTS,
  carrier: read(readId, getAt(proposal, ['id'])) ?? null,
  price: getAt(proposal, ['price']) ?? null,
  currency: textAt(proposal, ['currency']) ?? null,
});
