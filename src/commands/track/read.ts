// Reads shipments, each with the operation that it was booked as.
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
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

/**
 * Each shipment once. `domestic`: all `ids` are; else the journal may know that an id is a domestic shipment. Throws
 * `not_found` for a key.
 */
export async function trackedShipments(
  session: Session,
  ids: readonly string[],
  keys: readonly string[],
  domestic = false,
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
  const failed = shipments.filter(one => 'failure' in one);
  const first = failed[0]?.failure;
  if (first === undefined || shipments.length === 1) return first;
  const isAlike = failed.length === shipments.length && failed.every(one => one.failure.code === first.code);
  const issues = failed.map(({ id, failure }) => ({ path: id, message: failure.message }));
  return new Failure(
    isAlike ? first.code : 'partial',
    `track: ${failed.length} of ${shipments.length} shipments could not be read`,
    { operation: 'track', issues },
  );
}

/** In a list, a shipment that failed is `{id, error}`. */
export function bodyOrError(shipment: Shipment): unknown {
  if ('body' in shipment) return shipment.body;
  const { code, message, facts } = shipment.failure;
  return { id: shipment.id, error: { code, message, httpStatus: facts.httpStatus ?? null } };
}
