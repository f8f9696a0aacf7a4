import { type Command, InvalidArgumentError } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { DELIVERED } from '../contract/words.ts';
import { Failure } from '../errors.ts';
import type { View } from '../output/print.ts';
import type { Act } from '../session/command.ts';
import { collect } from '../session/globals.ts';
import { addPage } from '../session/page.ts';
import type { Session } from '../session/session.ts';
import { type Moment, parseLength, parseMoment } from '../session/time.ts';
import { noteLeftOut } from '../views/left-out.ts';
import { newestMilestone, trackTable } from '../views/shipment.ts';
import { SHIPMENT_COLUMNS, shipmentsCsv, shipmentsTable } from '../views/shipment-list.ts';
import { activeShipments, staleOf } from './track/active.ts';
import {
  bodyOrError,
  contentOrError,
  failureOf,
  readAll,
  refuseNoId,
  type Shipment,
  type Tracked,
  trackedShipments,
} from './track/read.ts';
import { watch } from './track/watch.ts';

export { job } from './track/job.ts';

interface TrackOptions {
  key?: string[];
  active?: boolean;
  since?: Moment;
  /** Seconds, as all lengths of time here. */
  stale?: number;
  domestic?: boolean;
  watch?: boolean;
  interval?: number;
  until?: string;
  maxWait?: number;
}

/** Older bookings are not followed unless a person asks for them: what is never found would be asked for without end. */
const SINCE = '60d';
const INTERVAL = 30;
/** A day of the demo passes in ten seconds. */
const DEMO_INTERVAL = 2;

export function define(command: Command, act: Act): void {
  command
    .argument('[ref...]', 'shipments, each by its id, its tracking number, or the key of its booking')
    .optionsGroup('Shipments:')
    .option('--key <key>', 'a shipment that was booked with this key; repeatable', collect)
    .option('--active', 'every booked shipment that was not yet seen at an end of its journey')
    .option('--since <time>', `--active: booked since then (default: ${SINCE})`, parseMoment)
    .option('--stale <time>', '--active: only with the same milestone for so long, such as 5d', parseLength)
    .option('--domestic', 'they are domestic shipments')
    .optionsGroup('Waiting:')
    .option('--watch', 'ask again until every shipment has reached the milestone')
    .option(
      '--interval <time>',
      `time between two looks, such as 90 or 5m (default: ${INTERVAL}; ${DEMO_INTERVAL} for demo)`,
      parseLength,
    )
    .option('--until <milestone>', 'the milestone to wait for; implies --watch', someText)
    .option('--max-wait <time>', 'give up waiting after this long (exit 9); implies --watch', parseLength)
    .action(act<TrackOptions>(track));
  addPage(command, {
    examples: [
      '# Book a shipment and wait for a milestone. Then see all that are under way.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1004',
      'waybill track ORDER-1004 --until pending_arrival_at_warehouse --max-wait 1m',
      'waybill track --active',
    ],
    output: {
      table:
        'one shipment with its events, the oldest first; several with a line each: where they are, since when, and the days since they were booked',
      quiet: 'the newest milestone; of several shipments the id beside it',
      json: 'the answer of the service. For several shipments, and always with --active, it is a list; a shipment that failed is {"id","error"}',
    },
    asks: ['getShipment', 'getDomesticShipment'],
    exits: {
      not_found: 'the service knows none of them, or no shipment was booked with this key',
      partial: 'some shipments cannot be read, or --max-wait is over',
    },
  });
}

function someText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must name a milestone.');
  return value.trim();
}

async function track(session: Session, options: TrackOptions, refs: string[]): Promise<void> {
  const { key: keys = [], active, stale, until, maxWait } = options;
  const named = refs.length + keys.length;
  const waits = options.watch || until !== undefined || maxWait !== undefined;
  refuseContradictions(options, named, waits);
  const tracked = await meant(session, options, refs);
  for (const one of tracked) refuseNoId(one);
  const milestone = until ?? DELIVERED;
  const interval = options.interval ?? (session.target().from === 'demo' ? DEMO_INTERVAL : INTERVAL);
  const { shipments, isLate } = waits
    ? await watch(session, tracked, { interval, milestone, maxWait })
    : { shipments: await readAll(session, tracked), isLate: false };
  const shown = stale === undefined ? shipments : staleOf(session, shipments, stale);
  await show(session, shown, active || named > 1);
  const failure = failureOf(shipments);
  if (failure) throw failure;
  if (isLate)
    throw new Failure(
      'partial',
      `track: not every shipment reached ${milestone} within ${maxWait} s; stdout has what is known`,
      { operation: 'track' },
    );
}

function refuseContradictions(
  { active, since, stale, domestic, interval }: TrackOptions,
  named: number,
  waits: boolean,
): void {
  const refuse = (why: string) => {
    throw new Failure('usage', `track: ${why}; nothing was sent`);
  };
  if (active && named > 0) refuse('name shipments, or all that are under way with --active, but not both');
  if (active && domestic) refuse('--active knows which shipments are domestic. Leave out --domestic');
  if (!active && (since || stale !== undefined)) refuse('--since and --stale need --active');
  if (interval !== undefined && !waits) refuse('--interval needs --watch, --until or --max-wait');
  if (stale !== undefined && waits)
    refuse('--stale is about one look. Leave out --watch, --until and --max-wait');
}

async function meant(session: Session, options: TrackOptions, refs: readonly string[]): Promise<Tracked[]> {
  const { key: keys = [], active, domestic, since = parseMoment(SINCE) } = options;
  // A service that cannot be reached is refused before the journal is asked.
  await session.client(OPERATIONS.getShipment);
  if (active) return activeShipments(session, since);
  if (refs.length + keys.length > 0) return trackedShipments(session, refs, keys, domestic);
  if (session.interactive) return (await import('./track/pick.ts')).pickActive(session, since);
  throw new Failure(
    'usage',
    'track needs a shipment: its id, its tracking number, or the key of its booking; or --active for all that are under way',
  );
}

/** One shipment: its body, and its time line. A list: an array, in the order of the command, and a line for each. */
async function show(session: Session, shipments: readonly Shipment[], isList = false): Promise<void> {
  const { printer, globals, host } = session;
  const [only] = shipments;
  if (!isList && shipments.length === 1) {
    if (only && !only.failure) await printer.result(only.body, viewOf(shipments, false, host.now()));
    return;
  }
  if (printer.format === 'csv' && !globals.quiet && globals.query === undefined)
    return printer.plain(shipmentsCsv(shipments, host.now()));
  // A table of nothing but errors would repeat stderr.
  if (!printer.json && shipments.length > 0 && shipments.every(one => one.failure)) return;
  await printer.result(shipments.map(bodyOrError), viewOf(shipments, isList, host.now()));
  if (isList && shipments.length > 0) await noteLeftOut(host, printer, SHIPMENT_COLUMNS);
}

const viewOf = (shipments: readonly Shipment[], isList: boolean, now: number): View<unknown> => ({
  essential: () =>
    shipments.map(one => {
      const milestone = newestMilestone(one.content);
      const isAlone = !isList && shipments.length === 1;
      return isAlone || one.failure ? milestone : `${one.id} ${milestone ?? '-'}`;
    }),
  table: async (_, look) =>
    isList
      ? shipmentsTable(shipments, look, now)
      : (await Promise.all(shipments.map(one => trackTable(contentOrError(one), look, now)))).join('\n\n'),
});
