// What is known of a booking from what the service told: its answer, or what it told when a person settled the booking.
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
const answers = new WeakMap<CountedBooking, Answer>();

/** What the service told, as text; `null` if nothing is there. */
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

/** The answer of a booking is known already. */
export const keepAnswer = (booking: Booking, answer: Answer): void => void answers.set(booking, answer);

/** The ids where a response would have them: for a booking that was pruned, or imported from CSV, or resolved
 * without asking the service. */
export const bodyWithIds = (operation: Operation, ids: Ids, bare: unknown = null): unknown =>
  Object.entries(operation.made.ids).reduce((body: unknown, [name, path]) => {
    const id = ids[name as keyof Ids];
    return id === undefined ? body : setAt(body, parsePath(path) ?? [], id);
  }, bare);

/**
 * What a booking cost: by its answer, or by what the journal counted of an answer that was pruned. Of a refusal nothing counts: its
 * answer may have the price of another order.
 */
export function chargeOf(booking: CountedBooking): Pick<Excerpt, 'price' | 'currency'> {
  if (!mayExist(booking)) return { price: null, currency: null };
  if (booking.excerpt) return booking.excerpt;
  if (toldBy(booking) !== null || booking.charged === null) return chargeIn(answerOf(booking).content);
  const [currency = null, parts] = booking.charged.split(' ');
  return { price: Number(parts) / PARTS, currency };
}

/** The id of its carrier: the answer has it, or else the request. */
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

/** The address of a page that follows the parcel. The service document has none, and services add one. */
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

/** What its row has beside request and answer. */
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

/** What the content of an answer charges; of a pair the sum of its legs. */
interface Charge extends Pick<Excerpt, 'price' | 'currency'> {
  /** Of a pair one leg alone has a price: it costs more than that. */
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
