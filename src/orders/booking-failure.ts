// The failure of a booking that did not make everything, with the command that goes on from there.

import type { Booked, BookingRequest } from '../booking/book.ts';
import { failureOf } from '../booking/failure.ts';
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { isSecret, secretsIn } from '../contract/subscriptions.ts';
import { Failure } from '../errors.ts';
import { isSuccess } from '../http/failure.ts';
import type { Session } from '../session/session.ts';
import { labelCommand } from './same-command.ts';

export function bookingFailure(
  session: Session,
  request: BookingRequest,
  booked: Booked,
): Failure | undefined {
  const { outcome, unrecorded } = booked;
  const failure = failureOf(request.operation, booked);
  if (unrecorded) return unrecordedFailure(request.operation, booked, unrecorded, failure);
  const kept = keptSecrets(request.operation, booked);
  if (failure === undefined) return undefined;
  const goingOn = (words: string) => new Failure(failure.code, `${failure.message}. ${words}`, failure.facts);
  if (outcome.state !== 'partial') return kept ? goingOn(kept) : failure;
  const { ids, unlabelled, missing } = outcome;
  if (missing.length > 0) {
    const { givenOnce = [] } = request.operation.made;
    const isElsewhere = secretPlaces(outcome.body).length > givenOnce.length - missing.length;
    return goingOn([isElsewhere ? existing(booked) : withoutSecret(booked), kept ?? []].flat().join('. '));
  }
  const shipments = Object.fromEntries(request.intent.labels.map(({ leg, shipment }) => [leg, shipment]));
  const toLabel = unlabelled
    .map(leg => [leg, ids[leg] ?? shipments[leg]])
    .filter(([, id]) => id !== undefined);
  const command = labelCommand(session, Object.fromEntries(toLabel));
  const next = toLabel.length === 0 ? '' : `. To make what is missing: ${command}`;
  return goingOn(`What was made exists: do not book it again${next}${kept ? `. ${kept}` : ''}`);
}

const existing = ({ id, outcome: { ids } }: Booked): string =>
  `The subscription exists: it is ${ids.subscription}, and booking ${id} in the journal`;

/** Headers of deliveries were given by the user. */
const secretPlaces = (body: unknown): string[] =>
  secretsIn(body).flatMap(({ path }) => (/(^|\.)headers\./.test(path) ? [] : path));

/** Where what is given once can be seen again, if any of it came. */
function keptSecrets({ made }: Operation, { id, outcome }: Booked): string | undefined {
  const { body, state, httpStatus } = outcome;
  if (!made.givenOnce || (state === 'rejected' && !isSuccess(httpStatus ?? 0))) return undefined;
  const places = secretPlaces(body);
  const isOdd = Array.isArray(body) || (typeof body === 'string' && isSecret(body, body));
  if (!isOdd && places.length === 0) return undefined;
  const what =
    isOdd && places.length === 0 ? 'may have secret or token in it' : `has ${places.join(' and ')}`;
  return `The answer ${what}, and is in the journal: \`waybill history show ${id} --show-secret\` shows it`;
}

/** The service document has no operation that gives them again, and none that deletes a subscription. */
const withoutSecret = (booked: Booked): string =>
  `${existing(booked)}. The service gives secret and token only in that answer, so they cannot be read again: ask the provider of the service for them, or to delete this subscription. While it exists, each event is delivered twice to another one of the same address`;

/** The service has answered, but the journal could not record it: this message is the only record. */
function unrecordedFailure(
  operation: Operation,
  { id, outcome }: Booked,
  unrecorded: Failure,
  failure: Failure | undefined,
): Failure {
  const ids = Object.values(outcome.ids).join(' and ');
  return new Failure(
    'storage',
    `${typedName(operation)}: ${failure ? failure.message : `it was booked${ids && ` as ${ids}`}`}. The journal could not record this: ${unrecorded.message}. Keep this message: the journal shows booking ${id} as unknown, and \`waybill history resolve ${id}\` corrects that`,
    {
      operation: operation.command,
      booking: id,
      body: outcome.body,
      ...(outcome.httpStatus !== null && { httpStatus: outcome.httpStatus }),
    },
  );
}
