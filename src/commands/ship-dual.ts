import type { Command } from 'commander';
import type { Outcome } from '../booking/outcome.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from './act.ts';
import {
  type BookingOptions,
  bookedBefore,
  bookingOptions,
  bookNew,
  failureFor,
  orderFor,
} from './booking.ts';
import { labelFileOptions, prepareFolder, requireLabel, type Saved } from './label-files.ts';
import { finishLabels, keepLabels, labelsIn } from './labels.ts';
import { buildRequest, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { SHIPMENT_FLAGS, type ShipmentOptions, shipmentExtra, shipmentOptions } from './shipment.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.createDualShipment;

const FLAGS = [
  ...SHIPMENT_FLAGS,
  { flag: '--international <id>', path: 'carriers.international.id' },
  { flag: '--domestic <id>', path: 'carriers.domestic.id' },
];

export function define(command: Command, act: Act): void {
  bookingOptions(labelFileOptions(shipmentOptions(requestOptions(command, operation, FLAGS))), operation)
    .option('--label', 'make the carrier labels in the same call (needs scope shipment:label)')
    .action(act<ShipmentOptions & BookingOptions>(shipDual));
}

async function shipDual(session: Session, options: ShipmentOptions & BookingOptions): Promise<void> {
  const extra = {
    ...(options.label && { label: true }),
    ...(await shipmentExtra(session, operation, options)),
  };
  const { body, given } = await buildRequest(session, { operation, options, flags: FLAGS, extra });
  const wanted = getAt(body, ['label']) === true;
  requireLabel(options, wanted);
  if (options.dryRun) return showDryRun(session, operation, body);
  const folder = prepareFolder(session, options);
  await session.client(operation);
  const { order, booked: before } = await bookedBefore(
    session,
    orderFor(session, operation, given, options),
    options,
  );
  const carriers = ['carriers.international.id', 'carriers.domestic.id'].map(path => textAt(body, path));
  const summary = `${carriers.join(' and ')}${wanted ? ', with labels' : ''}`;
  const booked = before ?? (await bookNew(session, order, body, summary));
  const { id, outcome } = booked;
  const failure = failureFor(session, order, booked);
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const made = { labels: outcome.labels, bookings: { international: id, domestic: id } };
  const kept = await keepLabels(session, folder, made, leg => options.key ?? outcome.ids[leg] ?? leg);
  await session.printer.result(outcome.body, view(outcome, kept.saved));
  await finishLabels(session, operation, options, { ...kept, failure });
}

const view = ({ ids }: Outcome, saved: Saved): View<unknown> => ({
  essential: () => [ids.international, ids.domestic],
  table: (body, look) =>
    table(look, {
      head: ['leg', 'shipment', 'carrier', 'tracking number', 'label'],
      align: ['left', 'whole', 'left', 'whole', 'whole'],
      rows: labelsIn(body, saved).map(({ leg, trackingNumber, where }) => [
        leg,
        ids[leg],
        textAt(body, [leg, 'shipment', 'carrier', 'name']) ??
          textAt(body, [leg, 'shipment', 'carrier', 'id']),
        trackingNumber,
        where,
      ]),
    }),
});
