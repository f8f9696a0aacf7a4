// What the service has told of a booking: in its answer, or when a person settled the booking.
import Big from 'big.js';
import { contentOf, type Moved } from '../contract/content.ts';
import { LEGS, type Operation, operationNamed } from '../contract/operations.ts';
import { getAt, parsePath, setAt, textAt } from '../contract/paths.ts';
import { currencyNamed, lacksPrice, read, readId, readPrice } from '../contract/read.ts';
import { parseJson } from '../json.ts';
import { bare } from '../text.ts';
import { type Booking, type Excerpt, type Ids, mayExist, PARTS } from './booking.ts';
import { type CountedBooking, receiverOf } from './questions.ts';
import { decisionOf } from './standing.ts';

export interface Answer {
  /** What the service told, as unchanged text; `null` if it told nothing. */
  text: string | null;
  /** The text as JSON, or the text itself if it is not JSON; without a text, only the ids, in their places in a response. */
  body: unknown;
  /** The content of the body, with every field where the service document shows it. */
  content: unknown;
  /** Ids that are not where the service document shows them. */
  moved: readonly Moved[];
}

// An answer may be long, and several functions read it: each answer is parsed once.
const answers = new WeakMap<CountedBooking, Answer>();

/** The text that the service sent: the answer or, after a person's decision, the evidence for the decision; `null` without one. */
function toldBy(booking: CountedBooking): string | null {
  const decision = decisionOf(booking);
  if (decision === undefined) return booking.answer;
  return (decision.kind === 'confirmed' ? decision.evidence : undefined) ?? null;
}

export function answerOf(booking: CountedBooking): Answer {
  const known = answers.get(booking);
  if (known) return known;
  const text = toldBy(booking);
  const operation = operationNamed(booking.operation);
  const body = text === null ? bodyWithIds(operation, booking.ids) : (parseJson(text) ?? text);
  const { value: content, moved } = contentOf(operation, body);
  const answer = { text, body, content, moved };
  answers.set(booking, answer);
  return answer;
}

/** Remembers an answer that is parsed already, so that `answerOf` gives it. */
export const keepAnswer = (booking: Booking, answer: Answer): void => void answers.set(booking, answer);

/** A body with the ids in their places in a response, for a booking that was pruned, imported from CSV, or settled without the service. */
export const bodyWithIds = (operation: Operation, ids: Ids, bare: unknown = null): unknown =>
  Object.entries(operation.made.ids).reduce((body: unknown, [name, path]) => {
    const id = ids[name as keyof Ids];
    return id === undefined ? body : setAt(body, parsePath(path) ?? [], id);
  }, bare);

/**
 * What a booking cost, as its answer says, or, if the answer was pruned, as the journal counted it. A booking that does not exist cost
 * nothing: its answer may have the price of another order.
 */
export function chargeOf(booking: CountedBooking): Pick<Excerpt, 'price' | 'currency'> {
  if (!mayExist(booking)) return { price: null, currency: null };
  if (booking.excerpt) return booking.excerpt;
  if (toldBy(booking) !== null || booking.charged === null) return chargeIn(answerOf(booking).content);
  const [currency = null, parts] = booking.charged.split(' ');
  return { price: Number(parts) / PARTS, currency };
}

/** The id of the carrier of a booking, from the answer, or else from the request. */
export function carrierOf(booking: CountedBooking): string | null {
  if (booking.excerpt) return booking.excerpt.carrier;
  const { request } = booking;
  const { content } = answerOf(booking);
  const carrier = getAt(content, ['carrier']) ?? getAt(content, 'international.shipment.carrier');
  return (
    read(readId, getAt(carrier, ['id'])) ??
    textAt(request, 'carrier.id') ??
    textAt(request, 'carriers.international.id') ??
    null
  );
}

/** The address of a web page that tracks the parcel. The service document shows no such field, but some services send one. */
export const trackingLinkOf = (booking: CountedBooking): string | null =>
  booking.excerpt ? booking.excerpt.trackingLink : (linkIn(answerOf(booking).content) ?? null);

function linkIn(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  for (const [name, value] of Object.entries(content)) {
    if (typeof value !== 'string') {
      const found = linkIn(value);
      if (found !== undefined) return found;
    } else if (/^tracking_?(url|link)$/i.test(name) && /^https?:\/\//i.test(value)) return value;
  }
  return undefined;
}

/** The excerpt of a booking, which its row in the journal has beside the request and the answer. */
export function excerptOf(booking: CountedBooking): Excerpt {
  const { price, currency } = chargeOf(booking);
  return {
    receiver: receiverOf({ booking, labels: [] }),
    carrier: carrierOf(booking),
    price,
    currency,
    trackingLink: trackingLinkOf(booking),
  };
}

/** The price in the content of an answer; for a pair (an international and a domestic leg), the sum of both legs. */
interface Charge extends Pick<Excerpt, 'price' | 'currency'> {
  /** Does only one leg of a pair have a price? Then the pair costs more than `price`. */
  isPart: boolean;
}

export function chargeIn(content: unknown): Charge {
  const legs = LEGS.map(leg => getAt(content, [leg, 'shipment', 'carrier']));
  const isPair = getAt(content, ['carrier']) === undefined;
  const charges = (isPair ? legs : [getAt(content, ['carrier'])]).map(carrier => ({
    price: getAt(carrier, ['price']) ?? null,
    currency: currencyNamed(textAt(carrier, ['currency'])) ?? null,
  }));
  const priced = charges.filter(({ price }) => !lacksPrice(price));
  const [one = { price: null, currency: null }, other] = priced.length > 0 ? priced : charges;
  if (priced.length < 2 || other === undefined) return { ...one, isPart: isPair && priced.length === 1 };
  const amounts = priced.flatMap(({ price, currency }) => readPrice(price, currency) ?? []);
  const [currency] = one.currency === other.currency ? [one.currency] : [];
  if (currency === undefined || amounts.length < 2)
    return { price: priced.map(chargeWords).join(' + '), currency: null, isPart: false };
  const sum = amounts.reduce((total, amount) => total.plus(amount), new Big(0));
  const areNumbers = priced.every(({ price }) => typeof price === 'number');
  return { price: areNumbers ? sum.toNumber() : sum.toFixed(), currency, isPart: false };
}

const chargeWords = (charge: Omit<Charge, 'isPart'>): string =>
  [bare(charge.price), charge.currency].filter(Boolean).join(' ');
