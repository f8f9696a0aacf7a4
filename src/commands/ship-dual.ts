import type { Command } from 'commander';
import type { Job } from '../batch/run/job.ts';
import { bookedFacts } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import type { Outcome } from '../booking/outcome.ts';
import { bodyOf, LEGS } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Answers } from '../forms/interview.ts';
import { withForm } from '../forms/with-form.ts';
import { finishLabels, keepLabels, labelsIn, printedLabels } from '../labels/make.ts';
import { labelFileOptions, prepareFolder, requireLabel, type Saved } from '../labels/save.ts';
import {
  type BookingOptions,
  bookedBefore,
  bookingOptions,
  bookNew,
  failureFor,
  orderFor,
  refuseTakenKey,
} from '../orders/book-once.ts';
import { showDryRun } from '../orders/dry-run.ts';
import { buildRequest, common, fieldOptions, type RequestParts, requestOptions } from '../orders/request.ts';
import {
  SHIPMENT_FLAGS,
  type ShipmentOptions,
  shipmentExtra,
  shipmentOptions,
} from '../orders/shipment-flags.ts';
import { withExtra } from '../orders/spec-flags.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { shipmentPackage } from '../request/specs.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const operation = OPERATIONS.createDualShipment;

type DualOptions = ShipmentOptions & BookingOptions;

const FLAGS = [
  ...SHIPMENT_FLAGS,
  { flag: '--international <id>', path: 'carriers.international.id', group: 'Carrier:' },
  { flag: '--domestic <id>', path: 'carriers.domestic.id', group: 'Carrier:' },
];

const PARTS = { operation, flags: FLAGS, doubtsIn: wishes };

/** What `ship` takes for a wish would be sent as the id of a carrier. */
function wishes(body: unknown): string[] {
  const words = LEGS.map(leg => textAt(body, ['carriers', leg, 'id'])).filter(id =>
    /^(cheapest|fastest)$/i.test(id ?? ''),
  );
  return [...new Set(words)].map(
    word => `ship-dual takes carrier ids; ${JSON.stringify(word)} is sent as one`,
  );
}

export function define(command: Command, act: Act): void {
  bookingOptions(dualOptions(requestOptions(command, operation, FLAGS)), operation).action(
    act<DualOptions>(shipDual),
  );
}

const dualOptions = (command: Command): Command =>
  labelFileOptions(shipmentOptions(command)).option(
    '--label',
    'make the carrier labels in the same call (needs scope shipment:label)',
  );

async function shipDual(session: Session, options: DualOptions): Promise<void> {
  await withForm(
    session,
    options,
    {
      parts: () => partsOf(session, options),
      interview: async () => (await import('../forms/ship.ts')).dualInterview,
      before: () => refuseTakenKey(session, operation, options),
    },
    answers => dualOnce(session, options, answers),
  );
}

async function dualOnce(session: Session, options: DualOptions, answers?: Answers): Promise<void> {
  const plan = await planned(session, options, { answers });
  if (options.dryRun) return showDryRun(session, operation, plan.body);
  const folder = prepareFolder(session, options);
  await session.client(operation);
  const { outcome, kept } = await shipped(session, options, plan, folder);
  await session.printer.result(outcome.body, view(outcome, kept.saved));
  await finishLabels(session, operation, options, kept);
}

interface Plan {
  body: unknown;
  /** Of what the user gave. */
  fingerprint: string;
}

async function planned(
  session: Session,
  options: DualOptions,
  {
    record,
    answers,
    parts,
  }: { record?: unknown; answers?: Answers | undefined; parts?: RequestParts | undefined },
): Promise<Plan> {
  const all = parts ?? (await partsOf(session, options, answers));
  const { body, given } = await buildRequest(session, { ...all, record });
  requireLabel(options, wantsLabel(body));
  return { body, fingerprint: fingerprint(given) };
}

async function partsOf(session: Session, options: DualOptions, answers?: Answers): Promise<RequestParts> {
  if (answers) return { ...PARTS, options, gathered: answers.gathered };
  return withExtra(session, { ...PARTS, options }, async () => ({
    ...(options.label && { label: true }),
    ...(await shipmentExtra(session, operation, options)),
  }));
}

const wantsLabel = (body: unknown): boolean => getAt(body, ['label']) === true;

/** Books the pair, and keeps its labels. Throws where nothing was made. */
async function shipped(
  session: Session,
  options: DualOptions,
  { body, fingerprint: mark }: Plan,
  folder: string | undefined,
) {
  const { order, booked: before } = await bookedBefore(
    session,
    orderFor(session, operation, mark, options),
    options,
  );
  const carriers = ['carriers.international.id', 'carriers.domestic.id'].map(path => textAt(body, path));
  const summary = `${carriers.join(' and ')}${wantsLabel(body) ? ', with labels' : ''}`;
  const booked = before ?? (await bookNew(session, order, body, summary));
  const { id, outcome } = booked;
  const failure = failureFor(session, order, booked);
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const made = { labels: outcome.labels, bookings: { international: id, domestic: id } };
  const kept = await keepLabels(session, folder, made, leg => options.key ?? outcome.ids[leg] ?? leg);
  return { outcome, kept: { ...kept, failure } };
}

export const job: Job<DualOptions> = {
  operation,
  fields: bodyOf(operation),
  packages: { path: 'packages', entry: shipmentPackage },
  requiresKey: true,
  options: command => dualOptions(fieldOptions(command, operation, FLAGS)),
  // The label comes with the booking itself; what may be left is to save it.
  hasFollowUp: ({ download, print }) => download !== undefined || print === true,
  sharedParts: async (session, options) => common(session, await partsOf(session, options)),
  prepare: (session, options, { value }, parts) => planned(session, options, { record: value, parts }),
  async perform(session, options, { key, body, fingerprint: mark, source }, folder) {
    const mine = { ...options, ...(key !== undefined && { key }), source };
    const { outcome, kept } = await shipped(session, mine, { body, fingerprint: mark }, folder);
    return {
      result: outcome.body,
      facts: bookedFacts(outcome, outcome.body, body),
      saved: kept.saved,
      failure: await printedLabels(session, operation, options, kept),
    };
  },
};

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
