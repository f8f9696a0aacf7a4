import type { Command } from 'commander';
import { requestJob } from '../batch/run/job.ts';
import { NO_FACTS } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import { LEGS, type Leg } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { defineRequest } from '../forms/request-command.ts';
import { finishLabels, printLabels } from '../labels/finish.ts';
import { type LabelFileOptions, labelFileOptions } from '../labels/flags.ts';
import { type LabelRequest, type MadeLabels, makeLabels } from '../labels/make.ts';
import {
  type LabelFiles,
  type LabelPaths,
  prepareFolder,
  type SavedLabels,
  saveLabels,
} from '../labels/save.ts';
import { bookedShipments } from '../orders/booked-with-key.ts';
import type { BookingOptions, RequestOptions } from '../orders/flags.ts';
import { buildRequest } from '../orders/request.ts';
import type { RequestCommand } from '../orders/request-command.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { labelsIn } from '../views/labels.ts';

const operation = OPERATIONS.createLabels;

const LABEL: RequestCommand<RequestOptions & LabelFileOptions & BookingOptions> = {
  operation,
  flags: [
    { flag: '--international <id>', path: 'international', group: 'Shipments:' },
    { flag: '--domestic <id>', path: 'domestic', group: 'Shipments:' },
  ],
  oneOf: '--international, --domestic or --key',
  options: labelFileOptions,
  fromOptions: (session, { key }) => (key === undefined ? undefined : shipmentsOf(session, key)),
};

export function define(command: Command, act: Act): void {
  defineRequest(command, act, LABEL, {
    interview: async () => (await import('../forms/label.ts')).labelInterview,
    async run(session, options, { body }) {
      const { key, allowDuplicate, newJournal } = options;
      const files = prepareFolder(session, options);
      // A service that cannot be reached is refused before the journal is asked.
      await session.client(operation);
      const made = await labelled(session, body, { allowDuplicate, newJournal }, { files, key });
      await session.printer.result(made.body, view(made.saved));
      await finishLabels(session, operation, made);
    },
  })
    .optionsGroup('Shipments:')
    .option('--key <key>', 'of a shipment that was booked with this key');
}

/** Makes the missing labels, and saves all. `key`: the name of the files. Throws if there is none. */
async function labelled(
  session: Session,
  body: unknown,
  identity: LabelRequest['identity'],
  { files, key }: { files: LabelFiles | undefined; key: string | undefined },
): Promise<MadeLabels & SavedLabels> {
  const shipments = LEGS.flatMap(leg => {
    const shipment = textAt(body, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });
  const summary = `label for ${shipments.map(({ leg, shipment }) => `${leg} ${shipment}`).join(' and ')}`;
  const { international: _, domestic: __, ...unknown } = body as Record<string, unknown>;
  const made = await makeLabels(session, { shipments, identity, summary, unknown });
  const idOf = (leg: Leg) => shipments.find(one => one.leg === leg)?.shipment ?? leg;
  return { ...(await saveLabels(session, files, made, leg => key ?? idOf(leg))), ...made };
}

export const job = requestJob(LABEL, {
  requiresKey: false,
  start: (parts, { download, print, international, domestic, allowDuplicate, newJournal }) => ({
    hasFollowUp: download !== undefined || print === true,
    async prepare(session, { key, value }) {
      // A key names the shipment if nothing else does. It is looked up when it is the record's turn.
      const ids = [international, domestic, ...LEGS.map(leg => value[leg])];
      if (key !== undefined && ids.every(id => id === undefined)) return { body: null, fingerprint: '' };
      const { body } = await buildRequest(session, { ...parts, record: value });
      return { body, fingerprint: fingerprint(body) };
    },
    async perform(session, { key, body: prepared, source }, files) {
      const body =
        prepared ??
        (await buildRequest(session, { ...parts, record: await shipmentsOf(session, key ?? '') })).body;
      const made = await labelled(session, body, { source, allowDuplicate, newJournal }, { files, key });
      const ids = Object.fromEntries(
        LEGS.flatMap(leg => {
          const id = textAt(body, [leg]);
          return id ? [[leg, id]] : [];
        }),
      );
      return {
        result: made.body,
        facts: { ...NO_FACTS, ids, labels: made.labels },
        saved: made.saved,
        failure: await printLabels(session, operation, made),
      };
    },
  }),
});

/** The shipments that were booked with a key, in the form of a label request. */
async function shipmentsOf(session: Session, key: string): Promise<Partial<Record<Leg, string>>> {
  const { shipment, international = shipment, domestic } = (await bookedShipments(session, key)).ids;
  return {
    ...(international !== undefined && { international }),
    ...(domestic !== undefined && { domestic }),
  };
}

const view = (saved: LabelPaths): View<unknown> => ({
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
