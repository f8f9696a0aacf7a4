// An answer held against its order: what it charges, whom it names, and what a person should compare.

import { answerOf, chargeIn } from '../booking/answer.ts';
import {
  type Amended,
  type Booking,
  counted,
  isDisputed,
  isMade,
  type LegShipment,
} from '../booking/booking.ts';
import { otherIds } from '../contract/content.ts';
import { countryFor } from '../contract/country-names.ts';
import { commandName, LEGS, operationNamed } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { hasPrice, isSameWord, type Money, read, readId } from '../contract/read.ts';
import { isWithin } from '../output/money.ts';
import { amountWords, money, partyWords, timeWords } from '../say/words.ts';
import { commandText, folded, operands, operandWords, shownId } from '../text.ts';
import { showCommand } from './failure.ts';
import type { Means, Order, Placed } from './order.ts';

/** Each of them guards money or a parcel: `--quiet` does not hide it. */
const ALWAYS = { always: true };

export async function warnOfAnswer(
  { booking, late, owner, sent, isUnrecorded }: Placed,
  { bounds, proposed }: Order,
  { out: { warn }, targetFlags, journal }: Pick<Means, 'out' | 'targetFlags' | 'journal'>,
): Promise<void> {
  // The failure of a disputed booking says all of it.
  if (late && !isDisputed(booking)) await warn(settledBefore(booking, late), ALWAYS);
  // Elsewhere that is a failure.
  if (owner && isMade(booking)) await warn(sameIdWarning(booking, owner), ALWAYS);
  const { content } = answerOf(booking);
  if (sent) {
    const doubts = [movedIds, otherReceiver, otherCarriers, otherWeight];
    for (const warning of doubts.flatMap(doubtsIn => doubtsIn(booking, targetFlags)))
      await warn(warning, ALWAYS);
    if (isMade(booking) && !booking.sandbox && !isUnrecorded) {
      // It is booked, whatever the journal says now.
      const same = await journal.withSameNumber(booking).catch(() => undefined);
      if (same) await warn(sameNumberWarning(booking, same, targetFlags), ALWAYS);
    }
    const maxPrice = bounds?.maxPrice;
    // The service document shows no price of a pair, so that its answers have none to hold against anything.
    const isPriced = booking.operation !== 'ship-dual' || chargeIn(content).price !== null;
    if (maxPrice && isPriced && isMade(booking) && booking.overPrice === null)
      await warn(priceDoubt(content, maxPrice), ALWAYS);
  }
  // The service charges what its response says. A person may have seen the proposal while another process booked the order.
  const proposedPrice = money(proposed?.price, proposed?.currency);
  const price = isMade(booking) ? priceTold(content) : undefined;
  if (proposedPrice !== undefined && price !== undefined && price !== proposedPrice)
    await warn(`the proposal said ${proposedPrice}, but the shipment was booked for ${price}`, {
      // Within its bound it costs what the user agreed to.
      always: bounds?.maxPrice === undefined,
    });
}

const namesOf = ({ id, key }: Booking): string => (key === null ? id : `${JSON.stringify(key)}, ${id}`);

/** A sandbox may answer each order alike. */
const sameIdWarning = ({ operation, ids }: Booking, owner: Booking): string =>
  `${commandName({ command: operation })}: the sandbox answered with ${operands(Object.values(ids))}, and that is the shipment of another order (${namesOf(owner)}). In production this is exit 8`;

/** One of the two parcels would go with the label of the other. */
const sameNumberWarning = (
  { operation, labels }: Booking,
  { leg, shipment, order }: LegShipment & { order: Booking },
  targetFlags: readonly string[],
): string =>
  `${commandName({ command: operation })}: the label of ${shownId(shipment)} has the tracking number ${shownId(labels[leg]?.trackingNumber ?? '')}, and so has that of another order (${namesOf(order)}). Compare both labels before a parcel leaves: \`${commandText(showCommand(order.id, targetFlags))}\` shows that order`;

/** An answer that came after its booking was settled is not shown as if it were any other. */
function settledBefore(booking: Booking, { decision, counts }: NonNullable<Amended['late']>): string {
  const { by, at, kind, ids } = decision;
  const names = Object.values(ids).join(' and ');
  const settled = kind === 'confirmed' ? `created${names && ` (${names})`}` : 'not created';
  return `booking ${booking.id} was resolved by ${by} at ${timeWords(at)} as ${settled}, and then its answer came. ${counts ? `The answer counts: the booking is ${booking.state}` : 'It names no other shipment, so what was recorded counts'}`;
}

/** What was read in another place may be something else. */
function movedIds(booking: Booking): string[] {
  const operation = operationNamed(booking.operation);
  const name = commandName(operation);
  const { body, content, moved } = answerOf(booking);
  const warnings = moved.map(
    ({ path, found }) =>
      `${name}: the service document shows the id at ${path}, and the answer has it at ${found}: it was read there`,
  );
  if (!isMade(booking)) return warnings;
  for (const { id, path, found } of otherIds(operation, body, Object.values(booking.ids))) {
    const at = moved.find(one => one.path === path)?.found ?? path;
    warnings.push(
      `${name}: the answer has two ids, ${shownId(String(getAt(content, path)))} at ${at} and ${shownId(id)} at ${found}: the first counts. Compare both with what the service shows`,
    );
  }
  return warnings;
}

/** Where an answer may name the receiver of the order. The domestic leg of a pair may end at a warehouse. */
const TO_RECEIVER = [[], ['international', 'shipment']];

/** A receiver that cannot be compared is no other one: nobody reads a warning that comes with each order. */
function otherReceiver(booking: Booking, targetFlags: readonly string[]): string[] {
  if (!isMade(booking)) return [];
  const { request } = booking;
  const { content } = answerOf(booking);
  const theirs = TO_RECEIVER.map(path => getAt(content, path)).find(
    answer => isSameReceiver(receiverIn(request), receiverIn(answer)) === false,
  );
  if (theirs === undefined) return [];
  const track = ['waybill', 'track', ...targetFlags, ...operandWords(Object.values(booking.ids))];
  return [
    `${commandName({ command: booking.operation })}: the answer names another receiver, ${partyWords(getAt(theirs, ['receiver']))}, and the order was for ${partyWords(getAt(request, ['receiver']))}. Compare both before the parcel leaves: \`${commandText(track)}\` shows what the service has`,
  ];
}

/** Where a request names a carrier, and the answer. */
const CARRIERS = [
  ['carrier', 'carrier'],
  ...LEGS.map(leg => [`carriers.${leg}`, `${leg}.shipment.carrier`] as const),
] as const;

/** What a carrier of another id charges and needs was never asked for. */
function otherCarriers(booking: Booking): string[] {
  if (!isMade(booking)) return [];
  const { content } = answerOf(booking);
  return CARRIERS.flatMap(([given, told]) => {
    const [ours, theirs] = [getAt(booking.request, `${given}.id`), getAt(content, `${told}.id`)].map(id =>
      read(readId, id),
    );
    return ours === undefined || theirs === undefined || isSameWord(ours, theirs)
      ? []
      : `${commandName({ command: booking.operation })}: the answer has the carrier ${shownId(theirs)} at ${told}.id, and the order was for ${shownId(ours)}. Ask the provider of the service before the parcel leaves`;
  });
}

/** From here on it is no other way to round. */
const MANY_TIMES = 2;

function otherWeight(booking: Booking): string[] {
  if (!isMade(booking)) return [];
  const [ours, theirs] = [booking.request, answerOf(booking).content].map(body =>
    Number(getAt(body, ['chargeableWeight'])),
  );
  if (!(ours !== undefined && theirs !== undefined && ours > 0 && theirs > MANY_TIMES * ours)) return [];
  return [
    `${commandName({ command: booking.operation })}: the answer is for ${theirs} kg, and the order was for ${ours} kg: the service may charge for that. Ask its provider before the parcel leaves`,
  ];
}

// Whether two receivers are the same, by name and country, without case and marks.

interface Receiver {
  firstName: string | undefined;
  lastName: string | undefined;
  /** A code, or a name. */
  country: string | undefined;
}

/** The receiver of a request, or the one that an answer names: that has no address around the country. */
export const receiverIn = (body: unknown): Receiver => ({
  firstName: textAt(body, 'receiver.firstName'),
  lastName: textAt(body, 'receiver.lastName'),
  country: textAt(body, 'receiver.address.country.code') ?? textAt(body, 'receiver.country'),
});

/**
 * What only one of them has is not compared; nor is a country that is none. `undefined`: there was nothing to compare.
 */
export function isSameReceiver(one: Receiver, other: Receiver): boolean | undefined {
  const wordsOf = ({ firstName = '', lastName = '' }: Receiver) =>
    folded(`${firstName} ${lastName}`).split(/\s+/).filter(Boolean);
  const [few = [], many = []] = [one, other].map(wordsOf).toSorted((a, b) => a.length - b.length);
  const hasNames = few.length > 0;
  // Of a name that is not whole each word must be in the other.
  const areWhole = [one, other].every(({ firstName, lastName }) => firstName && lastName);
  const isSameName = areWhole ? few.join(' ') === many.join(' ') : few.every(word => many.includes(word));
  if (hasNames && !isSameName) return false;
  const [code, otherCode] = [one, other].map(({ country }) => (country ? countryFor(country) : undefined));
  if (code !== undefined && otherCode !== undefined) return code === otherCode;
  return hasNames || undefined;
}

// Prices of what was booked, and the bound above which a person must accept them.

/** The bound as the journal and a plan keep it: `20.5 EUR`. */
export const boundWords = ({ amount, currency }: Money): string => `${amount} ${currency}`;

/**
 * Is the price in the content of an answer above the bound, or not comparable with it? Then a person must look at it. A price
 * of 0 or less is within every bound, and proves nothing, nor does that of one leg: `null`, as without a price.
 */
export function isOverPrice(content: unknown, maxPrice: Money): boolean | null {
  const { price, currency, isPart } = chargeIn(content);
  if (price === null || price === '') return null;
  if (!isWithin(price, currency, maxPrice)) return true;
  return hasPrice({ price, currency }) && !isPart ? false : null;
}

/** Why that cannot be told. */
export function priceDoubt(content: unknown, maxPrice: Money): string {
  const told = priceTold(content);
  const found =
    told === undefined
      ? 'no price at carrier.price'
      : chargeIn(content).isPart
        ? `the price of one leg alone, ${told}`
        : `a price of ${told}, probably because it is missing, at carrier.price`;
  return `the answer has ${found}, so it cannot be compared with --max-price ${amountWords(maxPrice)}`;
}

/** `12.40 EUR`, if the answer says it. */
function priceTold(content: unknown): string | undefined {
  const { price, currency } = chargeIn(content);
  return money(price, currency);
}

/** The price as the journal counts it: what a bound holds, if the answer has a part that is not above it. */
export function chargedIn(content: unknown, maxPrice?: Money): string | null {
  const { price, currency, isPart } = chargeIn(content);
  return isPart && maxPrice && isWithin(price, currency, maxPrice) ? null : counted(price, currency);
}
