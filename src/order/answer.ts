// An answer held against its order: what it charges, whom it names, and what a person should compare.

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
  // A disputed booking has a failure, which says this too.
  if (late && !isDisputed(booking)) await warn(settledBefore(booking, late), ALWAYS);
  // Only a sandbox may name the shipment of another order. Elsewhere that is a failure.
  if (owner && isMade(booking)) await warn(sameIdWarning(booking, owner), ALWAYS);
  const { content } = answerOf(booking);
  const rival = disputedBy(booking);
  if (sent) {
    if (rival !== undefined && isMade(booking))
      await warn({ kind: 'rival-created', operation: booking.operation, flags, rival }, ALWAYS);
    const doubts = [movedIds, otherReceiver, otherCarriers, otherWeight];
    for (const warning of doubts.flatMap(doubtsIn => doubtsIn(booking, flags))) await warn(warning, ALWAYS);
    if (isMade(booking) && !booking.sandbox && !isUnrecorded) {
      // The order is booked, even if the journal cannot be asked now.
      const same = await journal.withSameNumber(booking).catch(() => undefined);
      if (same) await warn(sameNumberWarning(booking, same, flags), ALWAYS);
    }
    const maxPrice = order.bounds?.maxPrice;
    // The service document shows no price of a pair, so that its answers have none to hold against anything.
    const isPriced = booking.operation !== 'ship-dual' || chargeIn(content).price !== null;
    if (maxPrice && isPriced && isMade(booking) && booking.overPrice === null)
      await warn(priceDoubt(content, maxPrice), ALWAYS);
  }
  // The service charges what its response says. A person may have seen the proposal while another process booked the order.
  const proposedPrice = money(proposed?.price, proposed?.currency);
  const price = isMade(booking) ? priceTold(content) : undefined;
  if (proposedPrice !== undefined && price !== undefined && price !== proposedPrice)
    await warn(
      { kind: 'price-unlike-proposal', proposed: proposedPrice, price },
      // A price within the bound is one that the user agreed to.
      { always: order.bounds?.maxPrice === undefined },
    );
}

/** Another order, in a notice. */
const otherOrder = (booking: Booking) => ({ otherBooking: booking.id, otherKey: booking.key });

/** A sandbox may answer each order alike. */
const sameIdWarning = (booking: Booking, owner: Booking): Notice => ({
  kind: 'sandbox-names-other-shipment',
  operation: booking.operation,
  ids: booking.ids,
  ...otherOrder(owner),
});

/** Two parcels with one tracking number: one of them would go with the label of the other. */
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

/** An answer that came after its booking was settled is not shown as if it were any other. */
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

/** An id that was read in another place than the document names may be something else. */
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

/** A receiver that cannot be compared is not warned of: nobody reads a warning that comes with each order. */
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

/** Where a request names a carrier, and where its answer does. */
const CARRIERS = [
  ['carrier', 'carrier'],
  ...LEGS.map(leg => [`carriers.${leg}`, `${leg}.shipment.carrier`] as const),
] as const;

/** Nobody asked what a carrier with another id charges and needs. */
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

/** A weight that is so many times the ordered one is more than another way to round. */
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
  /** `PERSON_NAMES` in their order. */
  names: readonly (string | undefined)[];
  /** A code, or a name. */
  country: string | undefined;
}

/** The receiver of a request or of an answer. A request has the country in the address, an answer directly under the receiver. */
export const receiverIn = (body: unknown): Receiver => ({
  names: PERSON_NAMES.map(name => textAt(body, ['receiver', name])),
  country: textAt(body, 'receiver.address.country.code') ?? textAt(body, 'receiver.country'),
});

/** What only one of the receivers has is not compared; nor is a country that is none. `undefined`: there was nothing to compare. */
export function isSameReceiver(left: Receiver, right: Receiver): boolean | undefined {
  const wordsOf = (receiver: Receiver) => folded(receiver.names.join(' ')).split(/\s+/).filter(Boolean);
  const [few = [], many = []] = [left, right].map(wordsOf).toSorted((a, b) => a.length - b.length);
  const hasNames = few.length > 0;
  // Each word of a name that is not whole must be in the other name.
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
 * Is the price in the content of an answer above the bound, or not comparable with it? Then a person must look at it. A price
 * of 0 or less is within every bound, and proves nothing, nor does the price of one leg: `null`, as without a price.
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

/** `12.40 EUR`, if the answer says it. */
function priceTold(content: unknown): string | undefined {
  const { price, currency } = chargeIn(content);
  return money(price, currency);
}

/** The price as the journal counts it; `null` if the answer has the price of one leg only, within the bound: then the bound counts. */
export function chargedIn(content: unknown, maxPrice?: Money): string | null {
  const { price, currency, isPart } = chargeIn(content);
  return isPart && maxPrice && isPriceWithin(price, currency, maxPrice)
    ? null
    : countedPrice(price, currency);
}
