import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Booked } from './book.ts';
import type { Outcome } from './outcome.ts';

/**
 * The failure that an outcome is, and thereby the exit code of a booking (8 if it is unknown); `undefined` if all that
 * was requested exists.
 */
export function failureOf(
  operation: Operation,
  { id, outcome }: Booked,
  issues: Failure['facts']['issues'],
): Failure | undefined {
  if (outcome.state === 'created') return undefined;
  const { state, why, httpStatus, body, code } = outcome;
  return new Failure(code, `${typedName(operation)}: ${sentence(operation, state, why, id)}`, {
    operation: operation.command,
    booking: id,
    ...(httpStatus !== null && { httpStatus }),
    ...(issues && { issues }),
    body,
  });
}

function sentence(operation: Operation, state: Outcome['state'], why: string, id: string): string {
  switch (state) {
    case 'partial':
      return `only a part was created: ${why}`;
    case 'rejected':
      return `${why}; nothing was created`;
    case 'not_sent':
      return `nothing was sent: ${why}`;
    default:
      return unknown(operation, why, id);
  }
}

/** What may have happened, what to check, and which command to run then. */
function unknown({ made }: Operation, why: string, id: string): string {
  const kinds = Object.keys(made.ids);
  const found = kinds.includes('domestic')
    ? '--created INTERNATIONAL_ID --domestic DOMESTIC_ID'
    : kinds.includes('subscription')
      ? '--created SUBSCRIPTION_ID'
      : '--created SHIPMENT_ID';
  return `the booking was sent, but no conclusive answer came: ${why}. It may exist and cost money, so it is not sent again. It is booking ${id} in the journal. Check with the service whether it exists. If it does, run \`waybill history resolve ${id} ${found}\`. If it does not, run \`waybill history resolve ${id} --not-created\`, and book it again`;
}
