// Reads shipments, several at a time, each with the operation that it was booked as.
import { runWorkers } from '../../batch/run/workers.ts';
import { contentOf } from '../../contract/content.ts';
import type { Leg } from '../../contract/operation.ts';
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure, isOfOne } from '../../errors.ts';
import { stopIfInterrupted, urlOf } from '../../http/client.ts';
import type { Booking, Ids } from '../../journal/booking.ts';
import { bookedShipments, namedShipments } from '../../orders/find-shipments.ts';
import { failureJson } from '../../output/diagnostics.ts';
import type { Session } from '../../session/session.ts';
import type { ListedShipment } from '../../views/shipment-list.ts';
import { rememberEnds } from './remember.ts';

/** A shipment to read, with its booking if the journal has it; or a key, and why it has none. */
export interface Tracked {
  id: string;
  leg: Leg;
  booking: Booking | undefined;
  failure?: Failure;
}

/** A shipment as the service gave it (`body`) and as it is read, or why it did not. */
export interface Shipment extends ListedShipment {
  body: unknown;
}

/** The shipments of a booking, or of a name that is in no journal. */
export const trackedIds = (ids: Ids, booking: Booking | undefined): Tracked[] =>
  Object.entries(ids).map(([kind, id]) => ({
    id,
    booking,
    leg: kind === 'domestic' ? 'domestic' : 'international',
  }));

/**
 * Each shipment once. What the journal does not know by one of `refs` is the id of a shipment. `domestic`: of a domestic one,
 * and of a pair the domestic one is meant.
 */
export async function trackedShipments(
  session: Session,
  refs: readonly string[],
  keys: readonly string[],
  domestic = false,
): Promise<Tracked[]> {
  const tracked = new Map<string, Tracked>();
  const each = async (names: readonly string[], of: (name: string) => Promise<Tracked[]>) => {
    for (const name of names) {
      const found = await of(name).catch((error: unknown): Tracked[] => {
        if (!(error instanceof Failure && isOfOne(error))) throw error;
        return [{ id: name, leg: 'international', booking: undefined, failure: error }];
      });
      const meant = domestic ? found.filter(({ leg }) => leg === 'domestic') : found;
      for (const one of meant.length > 0 ? meant : found) tracked.set(one.id, one);
    }
  };
  await each(refs, async ref => {
    const named = await namedShipments(session, ref);
    const isOther = domestic && named?.ids.domestic === undefined;
    if (named && !isOther) return trackedIds(named.ids, named.booking);
    return trackedIds(domestic ? { domestic: ref } : { shipment: ref }, undefined);
  });
  await each(keys, async key => {
    const booking = await bookedShipments(session, key);
    return trackedIds(booking.ids, booking);
  });
  return [...tracked.values()];
}

const operationOf = ({ leg }: Pick<Tracked, 'leg'>): Operation =>
  leg === 'domestic' ? OPERATIONS.getDomesticShipment : OPERATIONS.getShipment;

/** Refuses text that cannot be an id, before anything is sent. Throws `invalid_request`. */
export const refuseNoId = ({ id, leg, failure }: Omit<Tracked, 'booking'>): unknown =>
  failure ?? urlOf(new URL('http://localhost'), operationOf({ leg }), { shipmentId: id });

/** Reads at a time. */
const AT_ONCE = 6;

/**
 * Reads all of them, and records which have ended. If the service refuses or fails several in a row, the rest is not asked
 * for and fails alike.
 */
export async function readAll(session: Session, tracked: readonly Tracked[]): Promise<Shipment[]> {
  const { host } = session;
  const read = new Map<Tracked, Shipment>();
  const queue = tracked.values();
  let last: Failure | undefined;
  await runWorkers(
    () => queue.next().value,
    async one => {
      const shipment = await readOne(session, one);
      read.set(one, shipment);
      last = shipment.failure ?? last;
      return shipment.failure?.code;
    },
    { concurrency: Math.min(AT_ONCE, tracked.length), maxUnknown: Number.POSITIVE_INFINITY },
    { turn: async () => {} },
    host,
  );
  const shipments = tracked.map(
    (one): Shipment => read.get(one) ?? { ...one, ...NOTHING_READ, failure: notAsked(last) },
  );
  await rememberEnds(session, shipments);
  stopIfInterrupted(host);
  return shipments;
}

const NOTHING_READ = { body: undefined, content: undefined };

function notAsked(last: Failure | undefined): Failure {
  const { code, message } = last ?? new Failure('internal', 'nothing was read');
  return new Failure(
    code,
    `it was not read, because several shipments in a row failed. The last one: ${message}`,
    {
      operation: 'track',
    },
  );
}

async function readOne(session: Session, one: Tracked): Promise<Shipment> {
  if (one.failure) return { ...one, ...NOTHING_READ, failure: one.failure };
  const operation = operationOf(one);
  try {
    const body = await session.read(operation, { parameters: { shipmentId: one.id } });
    return { ...one, body, content: contentOf(operation, body).value, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure && isOfOne(error))) throw error;
    return { ...one, ...NOTHING_READ, failure: error };
  }
}

/** If all failed alike, that failure; if some failed, `partial`. */
export function failureOf(shipments: readonly Shipment[]): Failure | undefined {
  const failed = shipments.flatMap(({ id, failure }) => (failure ? { id, failure } : []));
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
export const bodyOrError = ({ id, failure, body }: Shipment): unknown =>
  failure ? { id, ...failureJson(failure) } : body;

/** What is read in it; of one that failed the same. */
export const contentOrError = (shipment: Shipment): unknown =>
  shipment.failure ? bodyOrError(shipment) : shipment.content;
