// What a person is asked about an order or a booking. First come price, carrier and place, in our own words; then, in quotes, what
// strangers wrote: no key, name or word of a service can be read as another price or another question.

import { type Booking, labelledIds } from '../booking/booking.ts';
import { AT_WORK_MINUTES } from '../booking/standing.ts';
import { LEGS, OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { readPrice } from '../contract/read.ts';
import { duration, money, receiverWords, timeWords } from '../say/words.ts';
import { folded, nameWords, quotedWords } from '../text.ts';
import { type Offer, type Order, type PricedOrder, proposalOf } from './order.ts';

/** A booking in the words that a person knows: `"A-1" to "Jonas Weber" ("Dresden", DE)`. */
export const quotedBooking = (booking: Pick<Booking, 'key' | 'id' | 'request'>): string =>
  [booking.key === null ? booking.id : quotedWords(booking.key), receiverWords(booking.request, true)]
    .filter(Boolean)
    .join(' ');

/** A price such as `12.40 EUR`; a text that is not a price with a currency is quoted. */
export function quotedPrice(offer: Pick<Offer, 'price' | 'currency'>): string | undefined {
  const words = money(offer.price, offer.currency);
  const isPlain = /^[A-Z]{3}$/.test(offer.currency) && readPrice(offer.price, offer.currency) !== undefined;
  return words === undefined || isPlain ? words : quotedWords(words);
}

/** What a question says beside the content of the order. */
interface Asked {
  /** The place to which the order goes, as `targetWords` writes it. */
  place: string;
  price?: Pick<Offer, 'price' | 'currency'> | undefined;
  /** Further facts, in our own words. */
  more?: readonly (string | false)[];
}

/** An order in a question: `12.40 EUR, EXP, profile live, https://api.example; 4.8 kg chargeable; order "A-1" to "Jonas Weber"` */
export function orderQuestion(order: Order | PricedOrder, facts: Asked): string {
  const { place, price = proposalOf(order), more = [] } = facts;
  const { operation, key, isKeyOfPlan, labels = [], thenLabel } = order;
  const { value: body } = order.body;
  if (operation === OPERATIONS.createSubscription)
    return `a subscription, ${place}; to ${quotedWords(textAt(body, ['url']) ?? '')}`;
  if (operation === OPERATIONS.createLabels) {
    const shipments = labels.map(({ leg, shipment }) => `${leg} ${nameWords(shipment)}`);
    return `a label, ${place}; of ${shipments.join(' and ')}`;
  }
  const isPair = operation === OPERATIONS.createDualShipment;
  const carriers = [['carrier', 'id'], ...LEGS.map(leg => ['carriers', leg, 'id'])]
    .flatMap(path => textAt(body, path) ?? [])
    .map(nameWords);
  const named = [key !== undefined && !isKeyOfPlan && `order ${quotedWords(key)}`, receiverWords(body, true)];
  const parts = [
    [(price && quotedPrice(price)) ?? 'the price is not known', carriers.join(' and '), place].join(', '),
    !isPair && `${getAt(body, ['chargeableWeight'])} kg chargeable`,
    isPair && getAt(body, ['label']) === true && 'with labels',
    thenLabel && 'with a label',
    ...more,
    named.filter(Boolean).join(' '),
  ];
  return parts.filter(Boolean).join('; ');
}

/** A booking in a list: `2 Mar 2026 09:00  ORDER-1  shp_1 and shp_2  to Jonas Weber (Dresden, DE)` */
export const bookingWords = ({ at, key, ids, request }: Booking): string =>
  [timeWords(at), key, Object.values(ids).join(' and '), receiverWords(request)].filter(Boolean).join('  ');

/** Does each word of `term` begin a word of `name`, without regard to case and accents? */
export const isMeant = (name: string, term: string): boolean => {
  const words = folded(name).split(/[^\p{Letter}\p{Number}]+/u);
  return folded(term)
    .split(/[^\p{Letter}\p{Number}]+/u)
    .every(typed => words.some(word => word.startsWith(typed)));
};

/** A booking as a question names it. */
export const quotedName = (booking: Booking): string =>
  booking.operation === 'label'
    ? `the label of ${Object.values(labelledIds(booking)).map(nameWords).join(' and ')} (${booking.id})`
    : quotedBooking(booking);

/** When the newest booking was sent, and how long it is too early to say that it does not exist: that could book a second parcel. */
export function sentWords(times: readonly number[], now: number): string {
  const at = Math.max(...times);
  const sent = `${times.length > 1 ? 'The newest of them' : 'It'} was sent ${timeWords(at, now)}`;
  const left = Math.min(at, now) + AT_WORK_MINUTES * 60_000 - now;
  if (left <= 0) return sent;
  return `${sent}, ${Math.floor(Math.max(0, now - at) / 60_000)} min ago. A carrier may be at work on it for ${AT_WORK_MINUTES} min, so a no of the provider counts only in ${duration(left)}`;
}
