// Asks the service for proposals for the packages and the route of a shipment.
import { OPERATIONS, type OperationCommand } from '../contract/operations.ts';
import { getAt, listAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { refuseIssues, refuseWarnings } from '../orders/issues.ts';
import type { RequestParts } from '../orders/request-command.ts';
import { severalDocuments } from '../request/warnings.ts';
import type { Session } from '../session/session.ts';

const WITHOUT = 'To book without a proposal, give --carrier ID and --chargeable-weight KG';

/** The response of the service. Throws if the proposals cannot be requested, or the service gives none. */
export async function proposalsFor(
  session: Session,
  parts: RequestParts,
  shipment: unknown,
): Promise<unknown> {
  const operation = OPERATIONS.proposal;
  const { command } = parts.operation;
  refuseUnits(command, shipment);
  const body = proposalRequest(shipment);
  for (const warning of severalDocuments(body)) await session.printer.warn(warning);
  refuseWarnings(session, parts.operation, 'nothing was sent');
  refuseIssues(session, { ...parts, operation, unresolved: [] }, body, `nothing was sent. ${WITHOUT}`);
  try {
    return await session.read(operation, { body });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, {
      ...error.facts,
      operation: command,
    });
  }
}

export function proposalRequest(shipment: unknown): { packages: unknown[]; [field: string]: unknown } {
  return {
    originCountry: getAt(shipment, 'sender.address.country.code'),
    destinationCountry: getAt(shipment, 'receiver.address.country.code'),
    postalCode: getAt(shipment, 'receiver.address.zipCode'),
    packageType: getAt(shipment, ['type']),
    packages: listAt(shipment, 'packages').map(entry => ({
      quantity: getAt(entry, ['quantity']),
      weight: getAt(entry, ['weight']),
      dimensions: {
        width: getAt(entry, 'dimensions.width'),
        length: getAt(entry, 'dimensions.length'),
        height: getAt(entry, 'dimensions.height'),
      },
    })),
  };
}

function refuseUnits(command: OperationCommand, shipment: unknown): void {
  const issues = listAt(shipment, 'packages').flatMap((entry, index) => {
    const unit = textAt(entry, 'dimensions.unit');
    return unit?.trim().toLowerCase() === 'cm'
      ? []
      : { path: `packages[${index}].dimensions.unit`, message: `must be cm, not ${JSON.stringify(unit)}` };
  });
  if (issues.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${command}: proposals need dimensions in centimetres; nothing was sent. ${WITHOUT}`,
    { operation: command, issues },
  );
}
