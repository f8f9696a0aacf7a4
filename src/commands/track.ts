import { type Command, InvalidArgumentError } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { stopIfInterrupted } from '../http/client.ts';
import type { Printer, View } from '../output/print.ts';
import type { Act } from '../session/command.ts';
import { collect, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { hasReached, newestMilestone, trackTable } from '../views/shipment.ts';
import {
  bodyOrError,
  failureOf,
  type Reading,
  readAll,
  refuseNoId,
  type Tracked,
  trackedShipments,
} from './track-reading.ts';

export { job } from './track-job.ts';

interface TrackOptions {
  key?: string[];
  domestic?: boolean;
  watch?: boolean;
  /** Seconds. */
  interval: number;
  until?: string;
  /** Seconds. */
  maxWait?: number;
}

export function define(command: Command, act: Act): void {
  command
    .argument('[id...]', 'shipment ids')
    .optionsGroup('Shipments:')
    .option('--key <key>', 'a shipment that was booked with this key; repeatable', collect)
    .option('--domestic', 'they are domestic shipments')
    .optionsGroup('Waiting:')
    .option('--watch', 'ask again until every shipment has reached the milestone')
    .option('--interval <seconds>', 'time between two looks', positive, 30)
    .option('--until <milestone>', 'the milestone to wait for; implies --watch', someText)
    .option('--max-wait <seconds>', 'give up waiting after this long (exit 9); implies --watch', positive)
    .action(act<TrackOptions>(track));
}

function someText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must name a milestone.');
  return value.trim();
}

async function track(session: Session, options: TrackOptions, ids: string[]): Promise<void> {
  const { key: keys = [] } = options;
  if (ids.length + keys.length === 0)
    throw new Failure('usage', 'track needs a shipment id, or --key of a shipment that was booked with one');
  await session.client(OPERATIONS.getShipment);
  const tracked = await trackedShipments(session, options, ids, keys);
  for (const { operation, id } of tracked) refuseNoId(operation, id);
  const { until = 'delivered', maxWait } = options;
  const { readings, late } =
    options.watch || options.until !== undefined || maxWait !== undefined
      ? await watch(session, tracked, { ...options, until })
      : { readings: await readAll(session, tracked), late: false };
  await show(session, readings, ids.length + keys.length > 1 || tracked.length > 1);
  const failure = failureOf(readings);
  if (failure) throw failure;
  if (late)
    throw new Failure(
      'partial',
      `track: not every shipment reached ${until} within ${maxWait} s; what is known of them is on stdout`,
      { operation: 'track' },
    );
}

/**
 * Looks again and again, telling what is new, until every shipment has reached the milestone or cannot be read. A
 * service that is away for a while ends no watch of a shipment that was read before.
 */
async function watch(
  session: Session,
  shipments: readonly Tracked[],
  { interval, until, maxWait = Number.POSITIVE_INFINITY }: TrackOptions & { until: string },
): Promise<{ readings: Reading[]; late: boolean }> {
  const { host, printer } = session;
  const end = host.now() + maxWait * 1000;
  const told = new Set<string>();
  const known = new Map<string, Reading>();
  let waited = shipments;
  for (;;) {
    for (const reading of await readAll(session, waited)) {
      await tellNews(printer, reading, told);
      if (!known.has(reading.id) || !isPassing(reading)) known.set(reading.id, reading);
    }
    const readings = [...known.values()];
    const open = readings.filter(reading => 'body' in reading && !hasReached(reading.body, until));
    waited = shipments.filter(({ id }) => open.some(reading => reading.id === id));
    if (waited.length === 0) return { readings, late: false };
    const left = end - host.now();
    if (left <= 0) return { readings, late: true };
    await host.sleep(Math.min(interval * 1000, left), host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

const isPassing = (reading: Reading): boolean =>
  'failure' in reading && ['unavailable', 'rate_limited'].includes(reading.failure.code);

async function tellNews(printer: Printer, reading: Reading, told: Set<string>): Promise<void> {
  const news =
    'failure' in reading ? reading.failure.message : (newestMilestone(reading.body) ?? 'no status yet');
  const line = `${reading.id}: ${news}`;
  if (!told.has(line)) await printer.note(line);
  told.add(line);
}

/** One shipment: its body. Several: a list, in the order asked for; one that failed stands in it as `{id, error}`. */
async function show({ printer }: Session, readings: readonly Reading[], several: boolean): Promise<void> {
  const [only] = readings;
  if (!several) {
    if (only && 'body' in only) await printer.result(only.body, view);
    return;
  }
  // A table of nothing but errors would only say again what stderr says.
  if (!printer.json && readings.every(reading => 'failure' in reading)) return;
  await printer.result(readings.map(bodyOrError), view);
}

const view: View<unknown> = {
  essential: body => listOf(body).map(one => newestMilestone(one)),
  table: async (body, look) =>
    (await Promise.all(listOf(body).map(one => trackTable(one, look)))).join('\n\n'),
};

const listOf = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);
