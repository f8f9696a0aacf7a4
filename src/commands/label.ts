import type { Command } from 'commander';
import type { Job } from '../batch/run/job.ts';
import { NO_FACTS } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import { bodyOf, LEGS, type Leg } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { Answers } from '../forms/interview.ts';
import { withForm } from '../forms/with-form.ts';
import { finishLabels, keepLabels, labelsIn, makeLabels, printedLabels } from '../labels/make.ts';
import { labelFileOptions, prepareFolder, type Saved } from '../labels/save.ts';
import { type BookingOptions, bookingOptions } from '../orders/book-once.ts';
import { bookedShipments } from '../orders/booked-with-key.ts';
import { showDryRun } from '../orders/dry-run.ts';
import {
  buildRequest,
  fieldOptions,
  type RequestOptions,
  type RequestParts,
  requestOptions,
} from '../orders/request.ts';
import type { LabelFileOptions } from '../orders/shipment-flags.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const operation = OPERATIONS.createLabels;

const FLAGS = [
  { flag: '--international <id>', path: 'international', group: 'Shipments:' },
  { flag: '--domestic <id>', path: 'domestic', group: 'Shipments:' },
];

const PARTS = { operation, flags: FLAGS, oneOf: '--international, --domestic or --key' };

type LabelOptions = RequestOptions & LabelFileOptions & BookingOptions;

export function define(command: Command, act: Act): void {
  bookingOptions(labelFileOptions(requestOptions(command, operation, FLAGS)), operation)
    .optionsGroup('Shipments:')
    .option('--key <key>', 'of a shipment that was booked with this key')
    .action(act<LabelOptions>(label));
}

async function label(session: Session, options: LabelOptions): Promise<void> {
  await withForm(
    session,
    options,
    {
      parts: () => partsOf(session, options),
      interview: async () => (await import('../forms/label.ts')).labelInterview,
    },
    answers => labelOnce(session, options, answers),
  );
}

async function labelOnce(session: Session, options: LabelOptions, answers?: Answers): Promise<void> {
  const body = await planned(session, options, { answers });
  if (options.dryRun) return showDryRun(session, operation, body);
  const folder = prepareFolder(session, options);
  // What has no way to the service is refused before the journal is asked.
  await session.client(operation);
  const made = await labelled(session, options, body, folder);
  await session.printer.result(made.body, view(made.saved));
  await finishLabels(session, operation, options, made);
}

async function planned(
  session: Session,
  options: LabelOptions,
  more: { record?: unknown; answers?: Answers | undefined } = {},
): Promise<unknown> {
  const parts = await partsOf(session, options, more.answers);
  return (await buildRequest(session, { ...parts, record: more.record })).body;
}

async function partsOf(session: Session, options: LabelOptions, answers?: Answers): Promise<RequestParts> {
  if (answers) return { ...PARTS, options, gathered: answers.gathered };
  const extra = options.key === undefined ? {} : await shipmentsOf(session, options.key);
  return { ...PARTS, options, extra };
}

/** Makes the labels that are not there yet, and keeps them. Throws where there is none. */
async function labelled(session: Session, options: LabelOptions, body: unknown, folder: string | undefined) {
  const shipments = LEGS.flatMap(leg => {
    const shipment = textAt(body, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });
  const summary = `label for ${shipments.map(({ leg, shipment }) => `${leg} ${shipment}`).join(' and ')}`;
  const { international: _, domestic: __, ...unknown } = body as Record<string, unknown>;
  const made = await makeLabels(session, { shipments, options, summary, unknown });
  const idOf = (leg: Leg) => shipments.find(one => one.leg === leg)?.shipment ?? leg;
  const kept = await keepLabels(session, folder, made, leg => options.key ?? idOf(leg));
  return { ...made, ...kept, failure: made.failure };
}

export const job: Job<LabelOptions> = {
  operation,
  fields: bodyOf(operation),
  requiresKey: false,
  options: command => labelFileOptions(fieldOptions(command, operation, FLAGS)),
  hasFollowUp: ({ download, print }) => download !== undefined || print === true,
  async prepare(session, options, { key, value }) {
    // A key names the shipment where nothing else does; which one that is, is asked when its turn comes.
    const named = [options.international, options.domestic, ...LEGS.map(leg => value[leg])];
    if (key !== undefined && named.every(id => id === undefined)) return { body: null, fingerprint: '' };
    const body = await planned(session, options, { record: value });
    return { body, fingerprint: fingerprint(body) };
  },
  async perform(session, options, { key, body: told, source }, folder) {
    const mine = { ...options, ...(key !== undefined && { key }), source };
    const body = told ?? (await planned(session, mine));
    const made = await labelled(session, mine, body, folder);
    const { international, domestic } = body as Partial<Record<Leg, string>>;
    const ids = { ...(international && { international }), ...(domestic && { domestic }) };
    return {
      result: made.body,
      facts: { ...NO_FACTS, ids, labels: made.labels },
      saved: made.saved,
      failure: await printedLabels(session, operation, options, made),
    };
  },
};

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
