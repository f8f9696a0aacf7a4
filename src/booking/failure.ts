import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { readPrice } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { issuesOf } from '../http/service-message.ts';
import { AT_WORK_MINUTES, type Ids } from '../journal/booking.ts';
import { bare, shellWord } from '../text.ts';
import type { Booked } from './book.ts';
import { factsOfBooked } from './facts.ts';
import { namedSentence } from './named-ids.ts';
import type { Outcome } from './outcome.ts';

/**
 * The failure that an outcome is, and thereby the exit code of a booking (8 if it is unknown); `undefined` if all that
 * was requested exists.
 */
export function failureOf(operation: Operation, booked: Booked): Failure | undefined {
  const { id, outcome } = booked;
  if (outcome.state === 'created') return booked.needsAcceptance ? overPrice(operation, booked) : undefined;
  const { state, why, httpStatus, body, code } = outcome;
  const isOvertaken = state === 'unknown' && booked.overtakenBy !== undefined;
  const words = isOvertaken ? overtaken(operation, outcome, id) : sentence(operation, outcome, why, id);
  return new Failure(code, `${typedName(operation)}: ${words}`, {
    operation: operation.command,
    booking: id,
    ...(httpStatus !== null && { httpStatus }),
    issues: issuesOf(body),
    body,
  });
}

/** It exists, and its price must be accepted by a person; how to cancel it is a matter of the service. */
function overPrice(operation: Operation, booked: Booked): Failure {
  const { id, outcome, maxPrice } = booked;
  const { body, ids, httpStatus } = outcome;
  const { price, currency } = factsOfBooked(booked, { value: null });
  const cost = price === null ? '' : ` for ${bare(price)} ${currency || 'an unknown currency'}`;
  const isForeign = maxPrice !== null && !maxPrice.endsWith(` ${currency?.toUpperCase()}`);
  const isComparable = price === null || (!isForeign && readPrice(price, currency) !== undefined);
  const bound = maxPrice === null ? 'its --max-price' : `--max-price ${maxPrice}`;
  const words = isComparable ? `which is above ${bound}` : `which cannot be compared with ${bound}`;
  return new Failure(
    'over_price',
    `${typedName(operation)}: it is booked as ${Object.values(ids).join(' and ')}${cost}, ${words}. It exists, and is booking ${id} in the journal: do not book it again. If a person accepts the price, \`waybill history accept ${id}\` records that; until then this command ends with exit code 11`,
    { operation: operation.command, booking: id, ...(httpStatus !== null && { httpStatus }), body },
  );
}

function sentence(operation: Operation, { state, body, ids }: Outcome, why: string, id: string): string {
  switch (state) {
    case 'partial':
      return `only a part was created: ${why}`;
    case 'rejected':
      return [`${why}; nothing was created`, namedSentence(operation, body) ?? []].flat().join('. ');
    case 'not_sent':
      return `nothing was sent: ${why}`;
    default:
      return unknown(operation, ids, why, id);
  }
}

/** Two bookings of one order: what happened, and which commands settle it. */
function overtaken(operation: Operation, { ids, why }: Outcome & { why: string }, id: string): string {
  const isKnown = Object.keys(ids).length > 0;
  return `this order ${isKnown ? 'was' : 'may have been'} booked twice: ${why}. Cancel one of the two with the service. If this one exists then, run \`waybill history resolve ${id} ${createdOptions(operation, ids)}\`, else \`waybill history resolve ${id}\``;
}

/** What may have happened, what to check, and which command to run then. */
const unknown = (operation: Operation, ids: Ids, why: string, id: string): string =>
  `the booking was sent, but no conclusive answer came: ${why}. It may exist and cost money, so it is not sent again. It is booking ${id} in the journal. ${askProvider(id)}. If it does, run \`waybill history resolve ${id} ${createdOptions(operation, ids)}\`, else \`waybill history resolve ${id}\``;

/** What to ask about a booking that may exist, and when the answer counts. */
export const askProvider = (id: string): string =>
  `Ask the provider of the service whether it exists: \`waybill history show ${id}\` shows what was sent. Wait until ${AT_WORK_MINUTES} minutes after it was sent before you believe that it does not: a carrier may still be at work on it`;

function createdOptions({ made }: Operation, ids: Ids): string {
  const kinds = Object.keys(made.ids) as (keyof Ids)[];
  const word = (kind: keyof Ids) => shellWord(ids[kind] ?? `${kind.toUpperCase()}_ID`);
  if (kinds.includes('domestic')) return `--created ${word('international')} --domestic ${word('domestic')}`;
  return `--created ${word(kinds.includes('subscription') ? 'subscription' : 'shipment')}`;
}
