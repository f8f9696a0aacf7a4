// Looks at shipments again and again, until all have reached a milestone.
import { comparable, SHOWN_MILESTONES } from '../../contract/words.ts';
import { stopIfInterrupted } from '../../http/client.ts';
import { didYouMean } from '../../nearest.ts';
import { canDraw } from '../../output/look.ts';
import { longMoment } from '../../output/moment.ts';
import type { Printer } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';
import { hasReached, newestMilestone, wordsOfShipment } from '../../views/shipment.ts';
import { shipmentWords } from '../../views/shipment-list.ts';
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
  const showLook = lookShown(session);
  let waited = tracked;
  for (let isFirst = true; ; isFirst = false) {
    for (const shipment of await readAll(session, waited)) {
      await printChange(printer, shipment, shown);
      // A service that is away for a while does not replace what was read before.
      if (!known.has(shipment.id) || !isPassing(shipment)) known.set(shipment.id, shipment);
    }
    const shipments = [...known.values()];
    const open = shipments.filter(one => !one.failure && !hasReached(one.content, milestone));
    const ids = new Set(open.map(({ id }) => id));
    waited = tracked.filter(({ id }) => ids.has(id));
    if (waited.length === 0) return { shipments, isLate: false };
    if (isFirst) await warnOfUnseen(printer, milestone, shipments);
    const left = end - host.now();
    if (left <= 0) return { shipments, isLate: true };
    const pause = Math.min(interval * 1000, left);
    await showLook(waited.length, pause);
    await host.sleep(pause, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

const isPassing = ({ failure }: Shipment): boolean =>
  failure !== undefined && ['unavailable', 'rate_limited'].includes(failure.code);

async function printChange(printer: Printer, shipment: Shipment, shown: Set<string>): Promise<void> {
  const news = shipment.failure?.message ?? newestMilestone(shipment.content) ?? 'no status yet';
  const line = `${shipmentWords(shipment)}: ${news}`;
  if (!shown.has(line)) await printer.note(line);
  shown.add(line);
}

/** A milestone with a typing error would be waited for without end. */
async function warnOfUnseen(
  printer: Printer,
  milestone: string,
  shipments: readonly Shipment[],
): Promise<void> {
  const seen = shipments.flatMap(({ content }) => wordsOfShipment(content));
  const words = new Map([...SHOWN_MILESTONES, ...seen].map(word => [comparable(word), word]));
  if (words.has(comparable(milestone))) return;
  await printer.warn(
    `no answer has had the milestone ${JSON.stringify(milestone)} so far${didYouMean(milestone, words.values())}; it is waited for. Known so far: ${[...words.values()].join(', ')}`,
  );
}

/** Where nothing can be drawn, a line after so many ms says that it goes on. */
const LINE_MS = 10 * 60_000;

/** Shows when the last look was and when the next one is: on a terminal always, elsewhere a line every ten minutes. */
function lookShown({ host, printer, globals }: Session) {
  const isDrawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  let shownAt = host.now();
  return async (waiting: number, pause: number): Promise<void> => {
    const now = host.now();
    const at = (ms: number) => longMoment(ms, now);
    const words = `last look ${at(now)}, next look ${at(now + pause)}; ${waiting} under way`;
    if (isDrawn) await printer.progress(words);
    else if (now - shownAt >= LINE_MS) {
      shownAt = now;
      await printer.note(words);
    }
  };
}
