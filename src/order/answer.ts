// Compares an answer with its order: what the answer charges, whom it names, and what a person should check.

import { answerOf, chargeIn } from '../booking/answer.ts';
import { type Booking, countedPrice, isMade, type LegShipment } from '../booking/booking.ts';
import type { Amended } from '../booking/questions.ts';
import { disputedBy, isDisputed } from '../booking/standing.ts';
import { otherIds } from '../contract/content.ts';
import { countryFor } from '../contract/country-names.ts';
import { LEGS, operationNamed } from '../contract/operations.ts';
import { PERSON_NAMES } from '../contract/parties.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { hasPrice, isSameWord, type Money, read, readId } from '../contract/read.ts';
import { isPriceWithin } from '../output/money.ts';
import type { Notice } from '../say/notices.ts';
import { money, partyWords } from '../say/words.ts';
import { folded } from '../text.ts';
import type { Desk } from './desk.ts';
import { targetFlags } from './options.ts';
import { type Order, type Placed, type PricedOrder, proposalOf } from './order.ts';

/** These warnings guard money or a parcel: `--quiet` does not hide them. */
const ALWAYS = { always: true };

export async function warnOfAnswer(placed: Placed, order: Order | PricedOrder, desk: Desk): Promise<void> {
  const { booking, late, owner, sent, isUnrecorded } = placed;
  const { printer, globals, journal } = desk;
  const { warn } = printer;
  const proposed = proposalOf(order);
  const flags = targetFlags({ globals });
  // The failure of a disputed booking says this, too.
  if (late && !isDisputed(booking)) await warn(settledBefore(booking, late), ALWAYS);
  // Only a sandbox may name the shipment of another order. Elsewhere such an answer is a failure.
  if (owner && isMade(booking)) await warn(sameIdWarning(booking, owner), ALWAYS);
  const { content } = answerOf(booking);
  const rival = disputedBy(booking);
  if (sent) {
    if (rival !== undefined && isMade(booking))
      await warn({ kind: 'rival-created', operation: booking.operation, flags, rival }, ALWAYS);
    const doubts = [movedIds, otherReceiver, otherCarriers, otherWeight];
    for (const warning of doubts.flatMap(doubtsIn => doubtsIn(booking, flags))) await warn(warning, ALWAYS);
    if (isMade(booking) && !booking.sandbox && !isUnrecorded) {
      // The order is booked, even if the journal cannot be asked now: then this warning is left out.
      const same = await journal.withSameNumber(booking).catch(() => undefined);
      if (same) await warn(sameNumberWarning(booking, same, flags), ALWAYS);
    }
    const maxPrice = order.bounds?.maxPrice;
    // The service document shows no price of a pair: an answer to a pair without a price is not doubtful.
    const isPriced = booking.operation !== 'ship-dual' || chargeIn(content).price !== null;
    if (maxPrice && isPriced && isMade(booking) && booking.overPrice === null)
      await warn(priceDoubt(content, maxPrice), ALWAYS);
  }
  // The service charges the price in its response. It may not be that of the proposal: another process may have booked the order meanwhile.
  const proposedPrice = money(proposed?.price, proposed?.currency);
  const price = isMade(booking) ? priceTold(content) : undefined;
  if (proposedPrice !== undefined && price !== undefined && price !== proposedPrice)
    await warn(
      { kind: 'price-unlike-proposal', proposed: proposedPrice, price },
      // The user agreed to any price within the bound.
      { always: order.bounds?.maxPrice === undefined },
    );
}

/** The names of another order, as a notice has them. */
const otherOrder = (booking: Booking) => ({ otherBooking: booking.id, otherKey: booking.key });

/** Warns that a sandbox named the shipment of another order: it may answer each order alike. */
const sameIdWarning = (booking: Booking, owner: Booking): Notice => ({
  kind: 'sandbox-names-other-shipment',
  operation: booking.operation,
  ids: booking.ids,
  ...otherOrder(owner),
});

/** Warns of two parcels with one tracking number: one of them would go with the label of the other. */
const sameNumberWarning = (
  booking: Booking,
  shipment: LegShipment & { order: Booking },
  flags: readonly string[],
): Notice => ({
  kind: 'same-tracking-number',
  operation: booking.operation,
  shipment: shipment.shipment,
  trackingNumber: booking.labels[shipment.leg]?.trackingNumber ?? '',
  ...otherOrder(shipment.order),
  flags,
});

/** Warns of an answer that came after its booking was settled. */
const settledBefore = (booking: Booking, late: NonNullable<Amended['late']>): Notice => ({
  kind: 'answered-after-settlement',
  booking: booking.id,
  state: booking.state,
  by: late.decision.by,
  at: new Date(late.decision.at).toISOString(),
  isCreated: late.decision.kind === 'confirmed',
  ids: late.decision.ids,
  counts: late.counts,
});

/** Warns of ids that stand elsewhere than the document says: each may be the id of something else. */
function movedIds(booking: Booking): Notice[] {
  const operation = operationNamed(booking.operation);
  const { body, content, moved } = answerOf(booking);
  const facts = { operation: booking.operation };
  const warnings: Notice[] = moved.map(({ path, found }) => ({
    kind: 'id-elsewhere',
    ...facts,
    path,
    found,
  }));
  if (!isMade(booking)) return warnings;
  for (const { id, path, found } of otherIds(operation, body, Object.values(booking.ids))) {
    const at = moved.find(id => id.path === path)?.found ?? path;
    warnings.push({
      kind: 'two-ids',
      ...facts,
      first: { id: String(getAt(content, path)), path: at },
      second: { id, path: found },
    });
  }
  return warnings;
}

/** Where an answer may name the receiver of the order. The domestic leg of a pair may end at a warehouse. */
const TO_RECEIVER = [[], ['international', 'shipment']];

/** Warns of another receiver. Receivers that cannot be compared cause no warning: nobody reads a warning that comes with each order. */
function otherReceiver(booking: Booking, flags: readonly string[]): Notice[] {
  if (!isMade(booking)) return [];
  const { request } = booking;
  const { content } = answerOf(booking);
  const theirs = TO_RECEIVER.map(path => getAt(content, path)).find(
    answer => isSameReceiver(receiverIn(request), receiverIn(answer)) === false,
  );
  if (theirs === undefined) return [];
  return [
    {
      kind: 'other-receiver',
      operation: booking.operation,
      receiver: partyWords(getAt(theirs, ['receiver'])),
      ordered: partyWords(getAt(request, ['receiver'])),
      ids: booking.ids,
      flags,
    },
  ];
}

/** The paths of the carriers, in a request and in its answer. */
const CARRIERS = [
  ['carrier', 'carrier'],
  ...LEGS.map(leg => [`carriers.${leg}`, `${leg}.shipment.carrier`] as const),
] as const;

/** Warns of another carrier than the ordered one: nobody asked what that carrier charges and needs. */
function otherCarriers(booking: Booking): Notice[] {
  if (!isMade(booking)) return [];
  const { content } = answerOf(booking);
  return CARRIERS.flatMap(([requestPath, answerPath]): Notice[] => {
    const [ours, theirs] = [
      getAt(booking.request, `${requestPath}.id`),
      getAt(content, `${answerPath}.id`),
    ].map(id => read(readId, id));
    return ours === undefined || theirs === undefined || isSameWord(ours, theirs)
      ? []
      : [
          {
            kind: 'other-carrier',
            operation: booking.operation,
            carrier: theirs,
            ordered: ours,
            path: `${answerPath}.id`,
          },
        ];
  });
}

/** Rounding alone does not make the weight in an answer more than so many times the ordered weight. */
const MANY_TIMES = 2;

function otherWeight(booking: Booking): Notice[] {
  if (!isMade(booking)) return [];
  const [ours, theirs] = [booking.request, answerOf(booking).content].map(body =>
    Number(getAt(body, ['chargeableWeight'])),
  );
  if (!(ours !== undefined && theirs !== undefined && ours > 0 && theirs > MANY_TIMES * ours)) return [];
  return [{ kind: 'other-weight-answered', operation: booking.operation, weight: theirs, ordered: ours }];
}

// Whether two receivers are the same, by name and country, without case and marks.

interface Receiver {
  /** The values of `PERSON_NAMES`, in their order. */
  names: readonly (string | undefined)[];
  /** The code of a country, or its name. */
  country: string | undefined;
}

/** The receiver of a request or of an answer. A request has the country in the address, an answer directly under the receiver. */
export const receiverIn = (body: unknown): Receiver => ({
  names: PERSON_NAMES.map(name => textAt(body, ['receiver', name])),
  country: textAt(body, 'receiver.address.country.code') ?? textAt(body, 'receiver.country'),
});

/** Compares what both receivers have. Text that names no country is not compared. `undefined`: there was nothing to compare. */
export function isSameReceiver(left: Receiver, right: Receiver): boolean | undefined {
  const wordsOf = (receiver: Receiver) => folded(receiver.names.join(' ')).split(/\s+/).filter(Boolean);
  const [few = [], many = []] = [left, right].map(wordsOf).toSorted((a, b) => a.length - b.length);
  const hasNames = few.length > 0;
  // If a receiver lacks a part of the name, each word of the shorter name must be in the other name.
  const areWhole = [left, right].every(({ names }) => names.every(Boolean));
  const isSameName = areWhole ? few.join(' ') === many.join(' ') : few.every(word => many.includes(word));
  if (hasNames && !isSameName) return false;
  const [code, otherCode] = [left, right].map(({ country }) => (country ? countryFor(country) : undefined));
  if (code !== undefined && otherCode !== undefined) return code === otherCode;
  return hasNames || undefined;
}

// Prices of what was booked, and the bound above which a person must accept them.

/** The bound as the journal and a plan keep it: `20.5 EUR`. */
export const boundWords = (price: Money): string => `${price.amount} ${price.currency}`;

/**
 * Is the price in an answer above the bound, or not comparable with the bound, so that a person must look at it? `null` if the answer
 * proves nothing: it has no price, a price of 0 or less, or only the price of one leg, within the bound.
 */
export function isOverPrice(content: unknown, maxPrice: Money): boolean | null {
  const { price, currency, isPart } = chargeIn(content);
  if (price === null || price === '') return null;
  if (!isPriceWithin(price, currency, maxPrice)) return true;
  return hasPrice({ price, currency }) && !isPart ? false : null;
}

/** Why nobody can tell whether the price is above the bound. */
export const priceDoubt = (content: unknown, maxPrice: Money) => ({
  kind: 'price-not-comparable' as const,
  price: priceTold(content),
  isPart: chargeIn(content).isPart,
  maxPrice,
});

/** The price in an answer, such as `12.40 EUR`, if there is one. */
function priceTold(content: unknown): string | undefined {
  const { price, currency } = chargeIn(content);
  return money(price, currency);
}

/** The price as the journal counts it. `null` if the answer has only the price of one leg, within the bound: then the bound counts. */
export function chargedIn(content: unknown, maxPrice?: Money): string | null {
  const { price, currency, isPart } = chargeIn(content);
  return isPart && maxPrice && isPriceWithin(price, currency, maxPrice)
    ? null
    : countedPrice(price, currency);
}
