import type { Command } from 'commander';
import { LEGS, type Leg } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from './act.ts';
import { type BookingOptions, bookingOptions } from './booking.ts';
import { bookedShipments } from './keys.ts';
import { type LabelFileOptions, labelFileOptions, prepareFolder, type Saved } from './label-files.ts';
import { finishLabels, keepLabels, labelsIn, makeLabels } from './labels.ts';
import { buildRequest, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.createLabels;

const FLAGS = [
  { flag: '--international <id>', path: 'international' },
  { flag: '--domestic <id>', path: 'domestic' },
];

type LabelOptions = RequestOptions & LabelFileOptions & BookingOptions;

export function define(command: Command, act: Act): void {
  bookingOptions(labelFileOptions(requestOptions(command, operation, FLAGS)), operation)
    .option('--key <key>', 'of a shipment that was booked with this key')
    .action(act<LabelOptions>(label));
}

async function label(session: Session, options: LabelOptions): Promise<void> {
  const extra = options.key === undefined ? {} : await shipmentsOf(session, options.key);
  const { body } = await buildRequest(session, { operation, options, flags: FLAGS, extra });
  if (options.dryRun) return showDryRun(session, operation, body);
  const folder = prepareFolder(session, options);
  const shipments = LEGS.flatMap(leg => {
    const shipment = textAt(body, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });
  const summary = `label for ${shipments.map(({ leg, shipment }) => `${leg} ${shipment}`).join(' and ')}`;
  // What has no way to the service is refused before the journal is asked.
  await session.client(operation);
  const made = await makeLabels(session, { shipments, options, summary });
  const idOf = (leg: string) => shipments.find(one => one.leg === leg)?.shipment ?? leg;
  const kept = await keepLabels(session, folder, made, leg => options.key ?? idOf(leg));
  await session.printer.result(made.body, view(kept.saved));
  await finishLabels(session, operation, options, { ...kept, failure: made.failure });
}

/** The shipments that were booked with a key, as the body of a label request names them. */
async function shipmentsOf(session: Session, key: string): Promise<Partial<Record<Leg, string>>> {
  const { shipment, international, domestic } = (await bookedShipments(session, key)).ids;
  const first = international ?? shipment;
  return {
    ...(first !== undefined && { international: first }),
    ...(domestic !== undefined && { domestic }),
  };
}

const view = (saved: Saved): View<unknown> => ({
  essential: body => labelsIn(body, saved).map(({ where }) => where),
  table: (body, look) =>
    table(look, {
      head: ['leg', 'carrier', 'tracking number', 'label'],
      align: ['left', 'left', 'whole', 'whole'],
      rows: labelsIn(body, saved).map(({ leg, carrier, trackingNumber, where }) => [
        leg,
        carrier,
        trackingNumber,
        where,
      ]),
    }),
});
