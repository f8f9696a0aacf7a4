// Reads shipments, each with the operation that it was booked as.
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure, type FailureCode } from '../../errors.ts';
import { urlOf } from '../../http/client.ts';
import { bookedShipments } from '../../orders/booked-with-key.ts';
import type { Session } from '../../session/session.ts';

/** A shipment, and the operation that reads it. */
export interface Tracked {
  id: string;
  operation: Operation;
}

/** A shipment as the service gave it, or why it did not. */
export type Shipment = { id: string; body: unknown } | { id: string; failure: Failure };

interface Wanted {
  ids: readonly string[];
  keys: readonly string[];
  /** All of them are domestic. */
  domestic?: boolean | undefined;
}

/** Each shipment once. The journal may know that an id is a domestic shipment. Throws `not_found` for a key. */
export async function trackedShipments(
  session: Session,
  { ids, keys, domestic = false }: Wanted,
): Promise<Tracked[]> {
  const { getShipment, getDomesticShipment } = OPERATIONS;
  const tracked = new Map<string, Operation>();
  const journal = domestic ? undefined : await session.journalIfThere();
  for (const id of ids) {
    const known = await journal?.bookingOf(session.scope(), id);
    tracked.set(id, domestic || known?.kind === 'domestic' ? getDomesticShipment : getShipment);
  }
  for (const key of keys)
    for (const [kind, id] of Object.entries((await bookedShipments(session, key)).ids))
      tracked.set(id, kind === 'domestic' ? getDomesticShipment : getShipment);
  return [...tracked].map(([id, operation]) => ({ id, operation }));
}

/** Refuses text that cannot be an id, before anything is sent. Throws `invalid_request`. */
export const refuseNoId = (operation: Operation, id: string): unknown =>
  urlOf(new URL('http://localhost'), operation, { shipmentId: id });

export async function readAll(session: Session, tracked: readonly Tracked[]): Promise<Shipment[]> {
  const shipments: Shipment[] = [];
  for (const { id, operation } of tracked) {
    try {
      shipments.push({ id, body: await session.read(operation, { parameters: { shipmentId: id } }) });
    } catch (error) {
      // A signal or an internal error does not concern one id alone.
      if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
      shipments.push({ id, failure: error });
    }
  }
  return shipments;
}

/** If all failed alike, that failure; if some failed, `partial`. */
export function failureOf(shipments: readonly Shipment[]): Failure | undefined {
  const failures = shipments.flatMap(one => ('failure' in one ? [one.failure] : []));
  const [first] = failures;
  if (first === undefined || shipments.length === 1) return first;
  const isAlike = failures.length === shipments.length && failures.every(one => one.code === first.code);
  const code: FailureCode = isAlike ? first.code : 'partial';
  const issues = shipments.flatMap(one =>
    'failure' in one ? [{ path: one.id, message: one.failure.message }] : [],
  );
  return new Failure(code, `track: ${failures.length} of ${shipments.length} shipments could not be read`, {
    operation: 'track',
    issues,
  });
}

/** In a list, a shipment that failed is `{id, error}`. */
export const bodyOrError = (shipment: Shipment): unknown =>
  'body' in shipment
    ? shipment.body
    : {
        id: shipment.id,
        error: {
          code: shipment.failure.code,
          message: shipment.failure.message,
          httpStatus: shipment.failure.facts.httpStatus ?? null,
        },
      };
