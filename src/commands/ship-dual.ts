import type { Command } from 'commander';
import { requestJob } from '../batch/run/job.ts';
import { bookedFacts } from '../booking/facts.ts';
import type { Outcome } from '../booking/outcome.ts';
import { LEGS } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { defineRequest } from '../forms/request-command.ts';
import { finishLabels, printLabels } from '../labels/finish.ts';
import { type LabelFileOptions, labelFileOptions, requireLabel } from '../labels/flags.ts';
import {
  type LabelFiles,
  type LabelPaths,
  prepareFolder,
  type SavedLabels,
  saveLabels,
} from '../labels/save.ts';
import { bookOnce, type Identity } from '../orders/book-once.ts';
import type { BookingOptions } from '../orders/flags.ts';
import type { RequestCommand } from '../orders/request-command.ts';
import {
  SHIPMENT_FLAGS,
  SHIPMENT_PACKAGES,
  type ShipmentOptions,
  shipmentFields,
  shipmentOptions,
} from '../orders/shipment-flags.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { labelsIn } from '../views/labels.ts';

type DualOptions = ShipmentOptions & LabelFileOptions & BookingOptions;

const operation = OPERATIONS.createDualShipment;

const SHIP_DUAL: RequestCommand<DualOptions> = {
  operation,
  flags: [
    ...SHIPMENT_FLAGS,
    { flag: '--international <id>', path: 'carriers.international.id', group: 'Carrier:' },
    { flag: '--domestic <id>', path: 'carriers.domestic.id', group: 'Carrier:' },
  ],
  packages: SHIPMENT_PACKAGES,
  options: command =>
    labelFileOptions(shipmentOptions(command)).option(
      '--label',
      'make the carrier labels in the same call (needs scope shipment:label)',
    ),
  fromOptions: async (session, options) => ({
    ...(options.label && { label: true }),
    ...(await shipmentFields(session, operation, options)),
  }),
  check(options, body) {
    // A file may ask for labels, too.
    if (body !== undefined) requireLabel(options, hasLabel(body));
  },
  warnings: pickWarnings,
};

/** `ship` would choose among proposals; here the word is sent as the id of a carrier. */
function pickWarnings(body: unknown): string[] {
  const words = LEGS.map(leg => textAt(body, ['carriers', leg, 'id'])).filter(id =>
    /^(cheapest|fastest)$/i.test(id ?? ''),
  );
  return [...new Set(words)].map(
    word => `ship-dual takes carrier ids; ${JSON.stringify(word)} is sent as one`,
  );
}

const hasLabel = (body: unknown): boolean => getAt(body, ['label']) === true;

export function define(command: Command, act: Act): void {
  defineRequest(command, act, SHIP_DUAL, {
    loadForm: async () => (await import('../forms/ship.ts')).dualForm,
    async run(session, options, { body, identity }) {
      const files = prepareFolder(session, options);
      await session.client(operation);
      const { outcome, labels } = await shipped(session, body, identity, files);
      await session.printer.result(outcome.body, view(outcome, labels.saved));
      await finishLabels(session, operation, labels);
    },
  });
}

/** Books the pair, and saves its labels. Throws if nothing was made. */
async function shipped(
  session: Session,
  body: unknown,
  identity: Identity,
  files: LabelFiles | undefined,
): Promise<{ outcome: Outcome; labels: SavedLabels }> {
  const { booked, failure } = await bookOnce(session, operation, identity, async () => {
    const carriers = LEGS.map(leg => textAt(body, ['carriers', leg, 'id']));
    return { body, summary: `${carriers.join(' and ')}${hasLabel(body) ? ', with labels' : ''}` };
  });
  const { id, outcome } = booked;
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const made = { labels: outcome.labels, bookings: { international: id, domestic: id } };
  const saved = await saveLabels(session, files, made, leg => identity.key ?? outcome.ids[leg] ?? leg);
  return { outcome, labels: { ...saved, failure } };
}

export const job = requestJob(SHIP_DUAL, {
  requiresKey: true,
  start: (_, { download, print }) => ({
    // The labels come with the booking; they may still have to be saved.
    hasFollowUp: download !== undefined || print === true,
    async perform(session, { body, identity }, files) {
      const { outcome, labels } = await shipped(session, body, identity, files);
      return {
        result: outcome.body,
        facts: bookedFacts(outcome, outcome.body, body),
        saved: labels.saved,
        failure: await printLabels(session, operation, labels),
      };
    },
  }),
});

const view = ({ ids }: Outcome, saved: LabelPaths): View<unknown> => ({
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
