// Reads shipments again and again, until all have reached a milestone.
import { stopIfInterrupted } from '../../http/client.ts';
import type { Printer } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';
import { hasReached, newestMilestone } from '../../views/shipment.ts';
import { readAll, type Shipment, type Tracked } from './read.ts';

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
    const open = shipments.filter(one => 'body' in one && !hasReached(one.body, milestone));
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
    'failure' in shipment ? shipment.failure.message : (newestMilestone(shipment.body) ?? 'no status yet');
  const line = `${shipment.id}: ${news}`;
  if (!shown.has(line)) await printer.note(line);
  shown.add(line);
}
