// Reads shipments, each with the operation that it was booked as: once, or until all have reached a milestone.
import { contentOf } from '../../contract/content.ts';
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { stopIfInterrupted, urlOf } from '../../http/client.ts';
import type { Ids } from '../../journal/journal.ts';
import { bookedShipments, namedShipments } from '../../orders/booked-with-key.ts';
import { failureJson } from '../../output/failure.ts';
import type { Printer } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';
import { hasReached, newestMilestone } from '../../views/shipment.ts';

/** A shipment, and the operation that reads it; or a key, and why it has none. */
type Tracked = { id: string; operation: Operation } | { id: string; failure: Failure };

/** A shipment as the service gave it (`body`) and as it is read, or why it did not. */
export type Shipment = { id: string; body: unknown; content: unknown } | { id: string; failure: Failure };

/**
 * Each shipment once. `domestic`: all `refs` are ids of domestic shipments; else each is what the journal knows by that name,
 * and otherwise the id of a shipment.
 */
export async function trackedShipments(
  session: Session,
  refs: readonly string[],
  keys: readonly string[],
  domestic = false,
): Promise<Tracked[]> {
  const { getShipment, getDomesticShipment } = OPERATIONS;
  const tracked = new Map<string, Tracked>();
  const add = (ids: Ids) => {
    for (const [kind, id] of Object.entries(ids))
      tracked.set(id, { id, operation: kind === 'domestic' ? getDomesticShipment : getShipment });
  };
  const each = async (names: readonly string[], idsOf: (name: string) => Promise<Ids>) => {
    for (const name of names) {
      try {
        add(await idsOf(name));
      } catch (error) {
        if (!isOfOne(error)) throw error;
        tracked.set(name, { id: name, failure: error });
      }
    }
  };
  await each(refs, async ref =>
    domestic ? { domestic: ref } : ((await namedShipments(session, ref))?.ids ?? { shipment: ref }),
  );
  await each(keys, async key => (await bookedShipments(session, key)).ids);
  return [...tracked.values()];
}

/** Does it concern one id or key alone? A signal or an internal error does not. */
const isOfOne = (error: unknown): error is Failure =>
  error instanceof Failure && !['interrupted', 'storage', 'usage'].includes(error.code);

/** Refuses text that cannot be an id, before anything is sent. Throws `invalid_request`. */
export const refuseNoId = (operation: Operation, id: string): unknown =>
  urlOf(new URL('http://localhost'), operation, { shipmentId: id });

export async function readAll(session: Session, tracked: readonly Tracked[]): Promise<Shipment[]> {
  const shipments: Shipment[] = [];
  for (const one of tracked) {
    if ('failure' in one) {
      shipments.push(one);
      continue;
    }
    const { id, operation } = one;
    try {
      const body = await session.read(operation, { parameters: { shipmentId: id } });
      shipments.push({ id, body, content: contentOf(operation, body).value });
    } catch (error) {
      if (!isOfOne(error)) throw error;
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
  return { id: shipment.id, ...failureJson(shipment.failure) };
}

/** What is read in it; of one that failed the same. */
export const contentOrError = (shipment: Shipment): unknown =>
  'body' in shipment ? shipment.content : bodyOrError(shipment);

interface Waiting {
  /** Seconds between two looks. */
  interval: number;
  milestone: string;
  /** Seconds; without it, as long as it takes. */
  maxWait: number | undefined;
}

/** Ends when every shipment has reached the milestone or cannot be read, or when it `isLate`. */
export async function watch(
  session: Session,
  tracked: readonly Tracked[],
  { interval, milestone, maxWait = Number.POSITIVE_INFINITY }: Waiting,
): Promise<{ shipments: Shipment[]; isLate: boolean }> {
  const { host, printer } = session;
  const end = host.now() + maxWait * 1000;
  const shown = new Set<string>();
  const known = new Map<string, Shipment>();
  let waited = tracked;
  for (;;) {
    for (const shipment of await readAll(session, waited)) {
      await printChange(printer, shipment, shown);
      // A service that is away for a while does not replace what was read before.
      if (!known.has(shipment.id) || !isPassing(shipment)) known.set(shipment.id, shipment);
    }
    const shipments = [...known.values()];
    const open = shipments.filter(one => 'body' in one && !hasReached(one.content, milestone));
    waited = tracked.filter(({ id }) => open.some(one => one.id === id));
    if (waited.length === 0) return { shipments, isLate: false };
    const left = end - host.now();
    if (left <= 0) return { shipments, isLate: true };
    await host.sleep(Math.min(interval * 1000, left), host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

const isPassing = (shipment: Shipment): boolean =>
  'failure' in shipment && ['unavailable', 'rate_limited'].includes(shipment.failure.code);

async function printChange(printer: Printer, shipment: Shipment, shown: Set<string>): Promise<void> {
  const news =
    'failure' in shipment ? shipment.failure.message : (newestMilestone(shipment.content) ?? 'no status yet');
  const line = `${shipment.id}: ${news}`;
  if (!shown.has(line)) await printer.note(line);
  shown.add(line);
}
