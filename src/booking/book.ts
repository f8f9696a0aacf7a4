import type { Operation } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { type Outcome, readOutcome } from './outcome.ts';

/** A call that creates something and may cost money. */
export interface Booking {
  operation: Operation;
  body: unknown;
}

/**
 * Books once. The one place through which everything goes that creates something: what is known of it is known
 * here, before it is sent and before it is shown. Throws what `Client.call` throws; nothing was created then.
 */
export async function book({ operation, body }: Booking, client: Client): Promise<Outcome> {
  return readOutcome(operation, body, await client.call(operation, { body }));
}

/** The failure that an outcome is; `undefined` for one that made all that was asked for. */
export function failureOf(
  { operation }: Booking,
  outcome: Outcome,
  issues: Failure['facts']['issues'],
): Failure | undefined {
  const { state, why, httpStatus, body } = outcome;
  if (state === 'created') return undefined;
  const { command } = operation;
  const facts = {
    operation: command,
    ...(httpStatus !== null && { httpStatus }),
    ...(issues && { issues }),
    body,
  };
  const sentences: Record<Exclude<Outcome['state'], 'created'>, string> = {
    partial: `${command}: some of it was made: ${why}`,
    rejected: `${command}: ${why}; nothing was created`,
    not_sent: `${command}: nothing was sent: ${why}`,
    unknown: `${command}: the request was sent, but whether it was booked is unknown: ${why}. It may exist and cost money: look it up with the service before you book it again`,
  };
  return new Failure(outcome.code, sentences[state], facts);
}
