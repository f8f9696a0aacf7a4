// The failure that a booking is, and thereby the exit code of its command: what happened, and which command goes on from there.

import { answerOf, chargeOf } from '../booking/answer.ts';
import {
  AT_WORK_MINUTES,
  type Booking,
  bookingCode,
  cancellationOf,
  decisionOf,
  existsAs,
  type Ids,
  isAnsweredLate,
  isDisputed,
  labelledIds,
  needsAcceptance,
  ownerOfShipment,
  unlabelledLegs,
} from '../booking/booking.ts';
import { commandName, LEGS, type Leg, type Operation, operationNamed } from '../contract/operations.ts';
import { readPrice } from '../contract/read.ts';
import { isSecret, secretsIn } from '../contract/subscriptions.ts';
import { type Advice, commandsIn, Failure } from '../errors.ts';
import type { CommandWords } from '../say/sentence.ts';
import { givenOnceMissing, namedSentence } from '../service/outcome.ts';
import { isSuccess, issuesOf } from '../service/response.ts';
import { bare, commandText, shortened } from '../text.ts';

/**
 * The failure of a booking (exit 8 if it is unknown); `undefined` if all that was requested exists. `targetFlags`: the
 * flags that name the same service, for the commands in it.
 */
export function bookingFailure(booking: Booking, targetFlags: readonly string[] = []): Failure | undefined {
  const operation = operationNamed(booking.operation);
  const { body } = answerOf(booking);
  const { id, httpStatus } = booking;
  const isDear = needsAcceptance(booking);
  if (booking.state === 'created' && !isDear) return undefined;
  const [what, ...hints] = isDear
    ? overPrice(booking, targetFlags)
    : [...happened(operation, booking, targetFlags), ...goingOn(operation, booking, targetFlags)];
  return new Failure(
    isDear ? 'over_price' : (bookingCode(booking) ?? 'internal'),
    `${commandName(operation)}: ${what.words}`,
    {
      hint: wordsOf(hints),
      operation: operation.command,
      booking: id,
      ...(httpStatus !== null && { httpStatus }),
      body,
      ...(booking.state !== 'created' && { issues: issuesOf(body) }),
      created: existsAs(booking.state),
      next: commandsIn([what, ...hints]),
    },
  );
}

/** The failure of a booking whose answer the journal could not record: this message is the only record. */
export function unrecordedFailure(
  booking: Booking,
  unrecorded: Failure,
  targetFlags: readonly string[],
): Failure {
  const { id, operation, httpStatus, state } = booking;
  const ids = Object.values(booking.ids).join(' and ');
  // Without what the journal has otherwise, such as a secret that is given once.
  const told = needsAcceptance(booking)
    ? wordsOf(overPrice(booking, targetFlags))
    : state === 'created'
      ? `it was booked${ids && ` as ${ids}`}`
      : wordsOf(happened(operationNamed(operation), booking, targetFlags));
  return new Failure(
    'storage',
    `${commandName({ command: operation })}: ${told}. The journal could not record this: ${unrecorded.message}. Keep this message: the journal shows booking ${id} as unknown, and \`${commandText(['waybill', 'history', 'resolve', id, ...targetFlags])}\` corrects that. If the journal has lost that booking, it would book it again: \`waybill history import FILE\` adds what the results of a batch have`,
    {
      operation,
      booking: id,
      body: answerOf(booking).body,
      ...(httpStatus !== null && { httpStatus }),
      created: existsAs(booking.state),
      retry: 'never',
    },
  );
}

const wordsOf = (advice: readonly Advice[]): string => advice.map(({ words }) => words).join('. ');

/**
 * What to do about a booking above its bound: a person must accept its price; how to cancel it is a matter of the service. A label
 * that it lacks is refused until then, so that no command is named that makes it.
 */
function overPrice(booking: Booking, targetFlags: readonly string[]): [Advice, ...Advice[]] {
  const { id, ids, maxPrice, state, why } = booking;
  const { price, currency } = chargeOf(booking);
  // Of two legs in two currencies it is text that has both.
  const unit = currency || (readPrice(price, null) === undefined ? '' : 'without a currency');
  const cost = price === null ? '' : ` for ${[shortened(bare(price)), unit].filter(Boolean).join(' ')}`;
  const isForeign = maxPrice !== null && !maxPrice.endsWith(` ${currency}`);
  const isComparable = price === null || (!isForeign && readPrice(price, currency) !== undefined);
  const bound = maxPrice === null ? 'its --max-price' : `--max-price ${maxPrice}`;
  const words = isComparable ? `which is above ${bound}` : `which cannot be compared with ${bound}`;
  const accept = ['waybill', 'history', 'accept', id, ...targetFlags];
  const next = showCommand(id, targetFlags);
  const told = {
    words: `it is booked as ${Object.values(ids).join(' and ')}${cost}, ${words}. It exists, and is booking ${id} in the journal: do not book it again. \`${commandText(next)}\` shows it. If a person accepts the price, \`${commandText(accept)}\` records that; until then this command ends with exit code 11`,
    // That a price is accepted is for a person to say, and not for a script that types what it is told.
    next,
  };
  return state === 'partial' ? [told, { words: `Only a part was created: ${why}` }] : [told];
}

function happened(
  operation: Operation,
  booking: Booking,
  targetFlags: readonly string[],
): [Advice, ...Advice[]] {
  const { state, id, ids } = booking;
  const decision = decisionOf(booking);
  const why = decision?.kind === 'denied' ? `${decision.by} resolved it as not created` : booking.why;
  switch (state) {
    case 'cancelled': {
      const { by, reason } = cancellationOf(booking) ?? { by: 'a person', reason: null };
      const next = showCommand(id, targetFlags);
      const what = `the provider of the service cancelled it, as ${by} said${reason === null ? '' : ` (${reason})`}: it was booked${Object.keys(ids).length > 0 ? ` as ${Object.values(ids).join(' and ')}` : ''}, and its key stays taken`;
      const hint = `\`${commandText(next)}\` shows it. Book a replacement with another key`;
      return [{ words: what }, { words: hint, next }];
    }
    case 'partial':
      return [{ words: `only a part was created: ${why}` }];
    case 'rejected': {
      const named = namedSentence(operation, answerOf(booking).body, targetFlags);
      // A label is refused for a shipment that exists.
      const what = Object.keys(operation.made.ids).length === 0 ? 'no label was made' : 'nothing was created';
      return [{ words: `${why}; ${what}${named === undefined ? '' : `. ${named}`}` }];
    }
    case 'not_sent':
      return [{ words: why }];
  }
  const next = showCommand(id, targetFlags);
  const resolve = commandText(['waybill', 'history', 'resolve', id, ...targetFlags]);
  const resolved = `\`${resolve} ${commandText(createdFlags(booking))}\`, else \`${resolve}\``;
  const owner = ownerOfShipment(booking);
  const ending =
    owner === undefined
      ? `If it does, run ${resolved}`
      : `If both are one shipment, \`${resolve} --same-as ${owner}\` says so. If it does not, run \`${resolve}\``;
  // Two bookings of one order.
  if (isDisputed(booking))
    return [
      {
        words: `this order ${Object.keys(ids).length > 0 ? 'was' : 'may have been'} booked twice: ${booking.why}. Cancel one of the two with the service. If this one exists then, run ${resolved}`,
        next,
      },
    ];
  const returned = booking.facts.findLast(fact => fact.kind === 'key returned');
  if (returned && isAnsweredLate(booking))
    return [
      {
        words: `its own answer says that it was created as ${Object.values(ids).join(' and ')}, and booking ${returned.from}, which had its key, does not exist. If this one exists then, run ${resolved}`,
        next,
      },
    ];
  return [
    {
      words: `the booking was sent, but no conclusive answer came: ${why}. It may exist and cost money, so it is not sent again. It is booking ${id} in the journal. ${askProvider(next)}. ${ending}`,
      next,
    },
  ];
}

/** The options of `history resolve` for a booking that exists, with the ids that are known, or their names in capitals. */
export function createdFlags(booking: Booking): string[] {
  const kinds = Object.keys(operationNamed(booking.operation).made.ids) as (keyof Ids)[];
  const [id = 'SHIPMENT_ID', domestic] =
    kinds.length === 0
      ? Object.values(labelledIds(booking))
      : kinds.map(kind => booking.ids[kind] ?? `${kind.toUpperCase()}_ID`);
  return ['--created', id, ...(domestic === undefined ? [] : ['--domestic', domestic])];
}

/** What exists although the booking failed, and the command that completes it: a sentence each. */
function goingOn(operation: Operation, booking: Booking, targetFlags: readonly string[]): Advice[] {
  const { state, ids, labels, request } = booking;
  const kept = keptSecrets(operation, booking, targetFlags);
  if (state !== 'partial') return kept;
  const { body, content } = answerOf(booking);
  const missing = givenOnceMissing(operation, content);
  if (missing.length > 0) {
    const { givenOnce = [] } = operation.made;
    const existing = `The subscription exists: it is ${ids.subscription}, and booking ${booking.id} in the journal`;
    const isElsewhere = secretPlaces(body).length > givenOnce.length - missing.length;
    const words = isElsewhere
      ? existing
      : `${existing}. The service gives secret and token only in that answer: ask the provider of the service for them, or to delete this subscription`;
    return [{ words }, ...kept];
  }
  const shipments = labelledIds(booking);
  // A pair with both legs lacks a label, also after `prune` and `import`, which leave no request.
  const asked = request ?? (ids.international && ids.domestic ? { label: true } : null);
  const toLabel = unlabelledLegs(operation, asked, labels).flatMap((leg): [Leg, string][] => {
    const shipment = ids[leg] ?? shipments[leg];
    return shipment === undefined ? [] : [[leg, shipment]];
  });
  const exists = 'What was made exists: do not book it again';
  if (toLabel.length === 0) return [{ words: exists }, ...kept];
  const next = labelCommand(Object.fromEntries(toLabel), targetFlags);
  return [{ words: `${exists}. To make what is missing: ${commandText(next)}`, next }, ...kept];
}

/** Headers of deliveries were given by the user. */
const secretPlaces = (body: unknown): string[] =>
  secretsIn(body).flatMap(({ path }) => (/(^|\.)headers\./.test(path) ? [] : path));

/** Where secret and token, which are given once, can be seen again, if the answer had one. */
function keptSecrets({ made }: Operation, booking: Booking, targetFlags: readonly string[]): Advice[] {
  const { id, state, httpStatus } = booking;
  const { body } = answerOf(booking);
  if (!made.givenOnce || (state === 'rejected' && !isSuccess(httpStatus ?? 0))) return [];
  const places = secretPlaces(body);
  const isOdd = Array.isArray(body) || (typeof body === 'string' && isSecret(body, body));
  if (!isOdd && places.length === 0) return [];
  const what =
    isOdd && places.length === 0 ? 'may have secret or token in it' : `has ${places.join(' and ')}`;
  const next = [...showCommand(id, targetFlags), '--show-secret'];
  return [{ words: `The answer ${what}, and is in the journal: \`${commandText(next)}\` shows it`, next }];
}

// The next commands to type, of which messages speak.

/** What the journal has of a booking. */
export const showCommand = (id: string, targetFlags: readonly string[]): CommandWords => [
  'waybill',
  'history',
  'show',
  id,
  ...targetFlags,
];

/** What to ask about a booking that may exist, and when the answer counts. `show`: the command that shows it. */
export const askProvider = (show: CommandWords): string =>
  `Ask the provider of the service whether it exists: \`${commandText(show)}\` shows what was sent. Wait until ${AT_WORK_MINUTES} minutes after it was sent before you believe that it does not: a carrier may still be at work on it`;

/** The exact `label` command for shipments, at the same service. */
export const labelCommand = (
  ids: Partial<Record<Leg, string>>,
  targetFlags: readonly string[],
): CommandWords => [
  'waybill',
  'label',
  ...LEGS.flatMap(leg => (ids[leg] === undefined ? [] : [`--${leg}`, ids[leg]])),
  ...targetFlags,
];
