import { type Command, InvalidArgumentError } from 'commander';
import type { Job } from '../batch/run/job.ts';
import { type BookedFacts, NO_FACTS } from '../booking/facts.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { flag, optional, strict, text } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import type { View } from '../output/print.ts';
import { validate } from '../request/validate.ts';
import type { Act } from '../session/command.ts';
import { collect, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { newestMilestone, newestStatus, trackingNumberOf, trackTable } from '../views/shipment.ts';
import {
  bodyOrError,
  contentOrError,
  failureOf,
  readAll,
  refuseNoId,
  type Shipment,
  trackedShipments,
  watch,
} from './track/read.ts';

const { getShipment, getDomesticShipment } = OPERATIONS;

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
    .argument('[ref...]', 'shipments, each by its id, its tracking number, or the key of its booking')
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

async function track(session: Session, options: TrackOptions, refs: string[]): Promise<void> {
  const { key: keys = [], domestic, interval, until, maxWait } = options;
  if (refs.length + keys.length === 0)
    throw new Failure(
      'usage',
      'track needs a shipment: its id, its tracking number, or the key of its booking',
    );
  await session.client(getShipment);
  const tracked = await trackedShipments(session, refs, keys, domestic);
  for (const one of tracked) if ('operation' in one) refuseNoId(one.operation, one.id);
  const milestone = until ?? 'delivered';
  const { shipments, isLate } =
    options.watch || until !== undefined || maxWait !== undefined
      ? await watch(session, tracked, { interval, milestone, maxWait })
      : { shipments: await readAll(session, tracked), isLate: false };
  await show(session, shipments, refs.length + keys.length > 1 || tracked.length > 1);
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
    if (only && 'body' in only) await printer.result(only.body, viewOf(shipments));
    return;
  }
  // A table of nothing but errors would repeat stderr.
  if (!printer.json && shipments.every(one => 'failure' in one)) return;
  await printer.result(shipments.map(bodyOrError), viewOf(shipments));
}

const viewOf = (shipments: readonly Shipment[]): View<unknown> => ({
  essential: () => shipments.map(one => newestMilestone(contentOrError(one))),
  table: async (_, look) =>
    (await Promise.all(shipments.map(one => trackTable(contentOrError(one), look)))).join('\n\n'),
});

const READ = { rules: { economyCarriers: [], serviceOnLoopback: false }, allowUnknown: false };

const fields = strict({
  id: optional(text('Shipment id; left out if the key is that of a booking')),
  domestic: optional(flag('Is it a domestic shipment?')),
});

export const job: Job<{ domestic?: boolean }> = {
  operation: getShipment,
  fields,
  requiresKey: false,
  ignoresOthers: true,
  options: command => command.option('--domestic', 'they are domestic shipments'),
  start: async (_, { domestic: allDomestic = false }) => ({
    hasFollowUp: () => false,
    async prepare(_, { key, value }) {
      const issues = await validate({ body: fields, rules: [] }, value, READ);
      if (issues.length > 0)
        throw new Failure('invalid_request', 'track: the record is not valid; nothing was sent', { issues });
      const id = textAt(value, ['id']);
      if (id === undefined && key === undefined)
        throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
          issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
        });
      if (id !== undefined) refuseNoId(getShipment, id);
      const domestic = value.domestic === undefined ? allDomestic : value.domestic === true;
      return { body: new Json({ id, domestic }), isComplete: true, fingerprint: '' };
    },
    async perform(session, { key, body: { value: body } }) {
      const id = textAt(body, ['id']);
      const ids = id === undefined ? [] : [id];
      // The id is left out if the key names it.
      const keys = id === undefined && key !== undefined ? [key] : [];
      const tracked = await trackedShipments(session, ids, keys, getAt(body, ['domestic']) === true);
      const shipments = await readAll(session, tracked);
      const failure = failureOf(shipments);
      if (failure && shipments.length === 1) throw failure;
      const bodies = shipments.map(bodyOrError);
      const contents = shipments.map(contentOrError);
      const facts: BookedFacts = {
        ...NO_FACTS,
        ids: {},
        labels: {},
        carrier: textAt(contents[0], 'carrier.name') ?? null,
      };
      for (const [index, { id: shipment, ...one }] of tracked.entries()) {
        const isDomestic = 'operation' in one && one.operation === getDomesticShipment;
        const leg = isDomestic ? 'domestic' : 'international';
        const trackingNumber = trackingNumberOf(contents[index]);
        facts.ids[leg] = shipment;
        facts.labels[leg] = { made: true, ...(trackingNumber && { trackingNumber }) };
      }
      const result = bodies.length === 1 ? bodies[0] : bodies;
      return { result, facts, tracking: newestStatus(contents[0]), saved: {}, failure };
    },
  }),
};
