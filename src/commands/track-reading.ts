import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { urlOf } from '../http/client.ts';
import { bookedShipments } from '../orders/booked-with-key.ts';
import type { Session } from '../session/session.ts';

/** What was read of one shipment: the service's body, or why there is none. */
export type Reading = { id: string; body: unknown } | { id: string; failure: Failure };

/** A shipment, and the operation that reads it. */
export interface Tracked {
  id: string;
  operation: Operation;
}

/** Each shipment once, as what it was booked: the journal knows that, where it knows the shipment. */
export async function trackedShipments(
  session: Session,
  { domestic = false }: { domestic?: boolean },
  ids: readonly string[],
  keys: readonly string[],
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

/** Refuses what can be no id before the first is asked for. Throws `invalid_request`. */
export const refuseNoId = (operation: Operation, id: string): unknown =>
  urlOf(new URL('http://localhost'), operation, { shipmentId: id });

export async function readAll(session: Session, shipments: readonly Tracked[]): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const { id, operation } of shipments) {
    try {
      readings.push({ id, body: await session.read(operation, { parameters: { shipmentId: id } }) });
    } catch (error) {
      // A signal, or a fault of ours, is not the fault of one id.
      if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
      readings.push({ id, failure: error });
    }
  }
  return readings;
}

/** All failed alike: that failure. Some failed: `partial`. */
export function failureOf(readings: readonly Reading[]): Failure | undefined {
  const failures = readings.flatMap(reading => ('failure' in reading ? [reading.failure] : []));
  const [first] = failures;
  if (first === undefined || readings.length === 1) return first;
  const alike = failures.length === readings.length && failures.every(one => one.code === first.code);
  const code: FailureCode = alike ? first.code : 'partial';
  const issues = readings.flatMap(reading =>
    'failure' in reading ? [{ path: reading.id, message: reading.failure.message }] : [],
  );
  return new Failure(code, `track: ${failures.length} of ${readings.length} shipments could not be read`, {
    operation: 'track',
    issues,
  });
}

/** One that failed stands in a list as `{id, error}`. */
export const bodyOrError = (reading: Reading): unknown =>
  'body' in reading
    ? reading.body
    : {
        id: reading.id,
        error: {
          code: reading.failure.code,
          message: reading.failure.message,
          httpStatus: reading.failure.facts.httpStatus ?? null,
        },
      };
