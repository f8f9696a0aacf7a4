// The failure that follows from the state of a booking, and with it the exit code of the command.

import { answerOf, chargeOf } from '../booking/answer.ts';
import {
  type Booking,
  existsAs,
  hasOwnKey,
  type Ids,
  labelledIds,
  unlabelledLegs,
} from '../booking/booking.ts';
import {
  bookingCode,
  cancellationOf,
  decisionOf,
  disputedBy,
  isAnsweredLate,
  isDisputed,
  needsAcceptance,
  noCountsFrom,
  ownerOfShipment,
} from '../booking/standing.ts';
import { type Leg, type Operation, operationNamed } from '../contract/operations.ts';
import { isSecret, secretsIn } from '../contract/subscriptions.ts';
import { Failure } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { BookedBefore, OutcomeNotice } from '../say/booked.ts';
import type { Held } from '../say/rules.ts';
import { givenOnceMissing, namedThings } from '../service/outcome.ts';
import { isSuccess, issuesOf } from '../service/response.ts';
import type { Desk } from './desk.ts';
import { targetFlags } from './options.ts';

/**
 * The failure of a booking (exit 8 if nobody knows whether it exists); `undefined` if all that was requested exists. `flags`: the flags
 * that name the same service, for the commands in the failure. `sentAt`: when the booking was sent last, if that is known.
 */
export function bookingFailure(
  booking: Booking,
  flags: readonly string[] = [],
  sentAt?: number,
): Failure | undefined {
  const { id, httpStatus, state } = booking;
  const isDear = needsAcceptance(booking);
  if (state === 'created' && !isDear) return undefined;
  const operation = operationNamed(booking.operation);
  const { body } = answerOf(booking);
  return new Failure(
    isDear ? 'over_price' : (bookingCode(booking) ?? 'internal'),
    isDear
      ? priceAboveBound(booking, flags)
      : {
          ...happened(operation, booking, flags, sentAt),
          secretPaths: keptSecrets(operation, booking),
        },
    {
      operation: operation.command,
      booking: id,
      ...(httpStatus !== null && { httpStatus }),
      body,
      ...(state !== 'created' && { issues: issuesOf(body) }),
      created: existsAs(state),
    },
  );
}

/** The failure of a booking; for an unknown one with the time from which a no of the provider counts. */
export const timedFailure = async (booking: Booking, desk: Desk): Promise<Failure | undefined> =>
  bookingFailure(
    booking,
    targetFlags(desk),
    booking.state === 'unknown' ? await sentAtOf(booking, desk.journal) : undefined,
  );

/** When a booking was sent last; `undefined` if the journal cannot say it: this must not hide what became of the booking. */
const sentAtOf = async (booking: Booking, journal: Pick<Journal, 'lastSent'>): Promise<number | undefined> =>
  (await journal.lastSent([booking.id]).catch(() => undefined))?.get(booking.id);

/** What a notice tells of a booking that may exist. */
export const doubtFacts = async (booking: Booking, journal: Pick<Journal, 'lastSent'> | undefined) =>
  doubtful(booking, journal && (await sentAtOf(booking, journal)));

const doubtful = (booking: Booking, sentAt: number | undefined) => ({
  name: keyAsName(booking),
  noCountsFrom: sentAt === undefined ? undefined : new Date(noCountsFrom(sentAt)).toISOString(),
});

/** The key of a booking, if a person can type it in the place of the id: a key without letters may be the id of a shipment, too. */
const keyAsName = (booking: Booking): string | undefined =>
  booking.key !== null &&
  hasOwnKey(booking) &&
  booking.keyHolder === null &&
  /^(?!-).*\p{L}/su.test(booking.key)
    ? booking.key
    : undefined;

/** The failure of a booking whose answer the journal could not record: this message is the only record. */
export function unrecordedFailure(booking: Booking, unrecorded: Failure, flags: readonly string[]): Failure {
  const { id, operation, httpStatus, state } = booking;
  return new Failure(
    'storage',
    { kind: 'outcome-unrecorded', outcome: outcomeAlone(booking, flags), why: unrecorded.message },
    {
      operation,
      booking: id,
      body: answerOf(booking).body,
      ...(httpStatus !== null && { httpStatus }),
      created: existsAs(state),
      retry: 'never',
    },
  );
}

/** The outcome of a booking that is not in the journal, without a secret that is given once and could be read only there. */
function outcomeAlone(booking: Booking, flags: readonly string[]): OutcomeNotice {
  const facts = factsOf(booking, flags);
  if (needsAcceptance(booking)) return priceAboveBound(booking, flags);
  if (booking.state === 'created') return { kind: 'booking-created', ...facts };
  if (booking.state === 'partial') return { kind: 'booked-in-part', ...facts, why: booking.why };
  return happened(operationNamed(booking.operation), booking, flags);
}

/** What each notice of a booking has. */
const factsOf = (booking: Booking, flags: readonly string[]) => ({
  operation: booking.operation,
  booking: booking.id,
  ids: booking.ids,
  flags,
});

/**
 * The notice of a price that a person must accept; how to cancel the booking depends on the service. Until then a missing label is refused:
 * no command that would make it is named.
 */
function priceAboveBound(booking: Booking, flags: readonly string[]): OutcomeNotice {
  const { maxPrice, state, why } = booking;
  const { price, currency } = chargeOf(booking);
  const facts = { ...factsOf(booking, flags), price, currency, maxPrice };
  return { kind: 'price-above-bound', ...facts, ...(state === 'partial' && { incomplete: why }) };
}

function happened(
  operation: Operation,
  booking: Booking,
  flags: readonly string[],
  sentAt?: number,
): OutcomeNotice {
  const { why } = booking;
  const facts = factsOf(booking, flags);
  switch (booking.state) {
    case 'cancelled': {
      const { by, reason } = cancellationOf(booking) ?? { by: 'a person', reason: null };
      return { kind: 'booking-cancelled', ...facts, by, reason, rival: disputedBy(booking) };
    }
    case 'partial':
      return { ...facts, why, ...lackingParts(operation, booking) };
    case 'rejected': {
      const decision = decisionOf(booking);
      return {
        kind: 'booking-rejected',
        ...facts,
        of: Object.keys(operation.made.ids).length === 0 ? 'label' : 'booking',
        named: namedThings(operation, answerOf(booking).body),
        ...(decision?.kind === 'denied' ? { deniedBy: decision.by } : { why }),
      };
    }
    case 'not_sent':
      return { kind: 'booking-not-sent', ...facts, why };
  }
  const unsettled = { ...facts, ...doubtful(booking, sentAt), idsIfCreated: idsIfCreated(booking) };
  // There are two bookings for one order.
  if (isDisputed(booking)) return { kind: 'booked-twice', ...unsettled, why };
  const returned = booking.facts.findLast(fact => fact.kind === 'key returned');
  if (returned && isAnsweredLate(booking))
    return { kind: 'created-after-all', ...unsettled, other: returned.from };
  return { kind: 'outcome-unknown', ...unsettled, why, owner: ownerOfShipment(booking) };
}

/** A booking as a notice names it. */
export const bookedBefore = (booking: Booking): BookedBefore => ({
  booking: booking.id,
  key: booking.key,
  state: booking.state,
  at: new Date(booking.at).toISOString(),
});

/**
 * The ids of a booking, if it exists; for a pair, the second is that of the domestic leg. In the place of an unknown id stands a name in
 * capitals.
 */
export function idsIfCreated(booking: Booking): string[] {
  const kinds = Object.keys(operationNamed(booking.operation).made.ids) as (keyof Ids)[];
  const ids =
    kinds.length === 0
      ? Object.values(labelledIds(booking))
      : kinds.map(kind => booking.ids[kind] ?? standIn(kind));
  return ids.length === 0 ? [standIn('shipment')] : ids.slice(0, 2);
}

/** The word in a command that stands for an id which is not known. */
const standIn = (kind: keyof Ids): string => `${kind.toUpperCase()}_ID`;

/** Throws `usage` if the id is a word that stands for an id: the command was typed as it was printed. */
export function refuseStandIn(id: string | undefined): void {
  const kinds: readonly (keyof Ids)[] = ['shipment', 'international', 'domestic', 'subscription'];
  if (kinds.some(kind => standIn(kind) === id))
    throw new Failure('usage', `replace ${id} with the id from the provider. Nothing was changed`);
}

/** What a booking that was created in part lacks. */
function lackingParts(operation: Operation, booking: Booking) {
  const { ids, labels, request } = booking;
  const { body, content } = answerOf(booking);
  const missing = givenOnceMissing(operation, content);
  if (missing.length > 0) {
    const { givenOnce = [] } = operation.made;
    const isElsewhere = secretPlaces(body).length > givenOnce.length - missing.length;
    return { kind: 'subscription-without-secret' as const, isElsewhere };
  }
  const shipments = labelledIds(booking);
  // A pair with both legs lacks nothing but a label. Its request may be gone, after `prune` or `import`.
  const asked = request ?? (ids.international && ids.domestic ? { label: true } : null);
  const toLabel = unlabelledLegs(operation, asked, labels).flatMap((leg): [Leg, string][] => {
    const shipment = ids[leg] ?? shipments[leg];
    return shipment === undefined ? [] : [[leg, shipment]];
  });
  return { kind: 'booked-in-part' as const, unlabelled: Object.fromEntries(toLabel) };
}

/** Where an answer has secrets, without the headers of deliveries, which the user gave. */
const secretPlaces = (body: unknown): string[] =>
  secretsIn(body).flatMap(({ path }) => (/(^|\.)headers\./.test(path) ? [] : path));

/** Where in the answer the secret and the token, which are given once, can be seen again; `undefined` if it has none. */
function keptSecrets(operation: Operation, booking: Booking): string[] | undefined {
  const { state, httpStatus } = booking;
  const { body } = answerOf(booking);
  if (!operation.made.givenOnce || (state === 'rejected' && !isSuccess(httpStatus ?? 0))) return undefined;
  const places = secretPlaces(body);
  const isOdd = Array.isArray(body) || (typeof body === 'string' && isSecret(body, body));
  return isOdd || places.length > 0 ? places : undefined;
}

/** The failure of an order that a rule keeps back. */
export const heldFailure = (
  order: { operation: Operation; key?: string | undefined },
  reason: Held,
): Failure =>
  new Failure(
    'held',
    { kind: 'order-held', operation: order.operation.command, key: order.key, ...reason },
    { operation: order.operation.command, created: false },
  );
