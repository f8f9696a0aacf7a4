import { type Command, InvalidArgumentError } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { View } from '../output/print.ts';
import type { Act } from '../session/command.ts';
import { collect, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { newestMilestone, trackTable } from '../views/shipment.ts';
import {
  bodyOrError,
  failureOf,
  readAll,
  refuseNoId,
  type Shipment,
  trackedShipments,
} from './track/read.ts';
import { watch } from './track/watch.ts';

export { job } from './track/job.ts';

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
  const { key: keys = [], domestic, interval, until, maxWait } = options;
  if (ids.length + keys.length === 0)
    throw new Failure('usage', 'track needs a shipment id, or --key of a shipment that was booked with one');
  await session.client(OPERATIONS.getShipment);
  const tracked = await trackedShipments(session, { ids, keys, domestic });
  for (const { operation, id } of tracked) refuseNoId(operation, id);
  const milestone = until ?? 'delivered';
  const { shipments, isLate } =
    options.watch || until !== undefined || maxWait !== undefined
      ? await watch(session, tracked, { interval, milestone, maxWait })
      : { shipments: await readAll(session, tracked), isLate: false };
  await show(session, shipments, ids.length + keys.length > 1 || tracked.length > 1);
  const failure = failureOf(shipments);
  if (failure) throw failure;
  if (isLate)
    throw new Failure(
      'partial',
      `track: not every shipment reached ${milestone} within ${maxWait} s; stdout has what is known`,
      { operation: 'track' },
    );
}

/** One shipment: its body. Several: a list, in the order of the command. */
async function show({ printer }: Session, shipments: readonly Shipment[], isList: boolean): Promise<void> {
  const [only] = shipments;
  if (!isList) {
    if (only && 'body' in only) await printer.result(only.body, view);
    return;
  }
  // A table of nothing but errors would repeat stderr.
  if (!printer.json && shipments.every(one => 'failure' in one)) return;
  await printer.result(shipments.map(bodyOrError), view);
}

const view: View<unknown> = {
  essential: body => listOf(body).map(one => newestMilestone(one)),
  table: async (body, look) =>
    (await Promise.all(listOf(body).map(one => trackTable(one, look)))).join('\n\n'),
};

const listOf = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);
