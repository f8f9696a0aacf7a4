import type { Command } from 'commander';
import type { Outcome } from '../booking/outcome.ts';
import type { Leg } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from './act.ts';
import { bookOnce, failureFor, quoted, sameTarget } from './booking.ts';
import {
  type LabelFileOptions,
  labelFileOptions,
  prepareFolder,
  printLabels,
  type Saved,
  saveLabels,
} from './label-files.ts';
import { buildBody, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.createLabels;

const LEGS = ['international', 'domestic'] as const;

const FLAGS = [
  { flag: '--international <id>', path: 'international' },
  { flag: '--domestic <id>', path: 'domestic' },
];

interface LabelOptions extends RequestOptions, LabelFileOptions {}

export function define(command: Command, act: Act): void {
  labelFileOptions(requestOptions(command, operation, FLAGS)).action(act<LabelOptions>(label));
}

async function label(session: Session, options: LabelOptions): Promise<void> {
  const body = await buildBody(session, { operation, options, flags: FLAGS });
  if (options.dryRun) return showDryRun(session, operation, body);
  const folder = prepareFolder(session, options);
  const legs = LEGS.flatMap(leg =>
    textAt(body, [leg]) === undefined ? [] : `${leg} ${textAt(body, [leg])}`,
  );
  const booking = { operation, body };
  const outcome = await bookOnce(session, booking, `label for ${legs.join(' and ')}`);
  const failure = failureFor(session, booking, outcome);
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const files = await keepLabels(session, folder, outcome, leg => textAt(body, [leg]) ?? leg);
  await session.printer.result(outcome.body, labelView(files.saved));
  await finishLabels(session, options, files, failure);
}

interface Files {
  saved: Saved;
  problems: string[];
}

/** Saves the labels of an outcome where a folder is given. */
export const keepLabels = async (
  session: Session,
  folder: string | undefined,
  { labels }: Outcome,
  nameOf: (leg: Leg) => string,
): Promise<Files> =>
  folder === undefined ? { saved: {}, problems: [] } : saveLabels(session, folder, labels, nameOf);

/** After the answer was shown: prints, then tells what failed. Throws `partial`. */
export async function finishLabels(
  session: Session,
  options: LabelFileOptions,
  { saved, problems }: Files,
  failure: Failure | undefined,
): Promise<void> {
  if (failure) throw failure;
  if (problems.length > 0)
    throw new Failure('partial', problems.join('; '), { operation: operation.command });
  if (options.print) await printLabels(session, Object.values(saved));
}

/** The label of a shipment that was just created. Whatever fails, the shipment exists, so that nothing is thrown. */
export async function labelAfter(
  session: Session,
  id: string,
  folder: string | undefined,
): Promise<Files & { body: unknown; failure?: Failure }> {
  const booking = { operation, body: { international: id } };
  const command = `waybill label --international ${quoted(id)}${sameTarget(session)}`;
  try {
    const outcome = await bookOnce(session, booking, undefined);
    const failure = failureFor(session, booking, outcome);
    if (failure) throw failure;
    return { body: outcome.body, ...(await keepLabels(session, folder, outcome, () => id)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failure = new Failure(
      error.code === 'outcome_unknown' ? 'outcome_unknown' : 'partial',
      `the shipment ${id} was created, but not its label. ${error.message}. Do not book the shipment again; to make the label: ${command}`,
      { ...error.facts, operation: 'ship' },
    );
    return { body: undefined, saved: {}, problems: [], failure };
  }
}

const labelView = (saved: Saved): View<unknown> => ({
  essential: body =>
    labelsIn(body).map(({ leg, link, trackingNumber }) => saved[leg] ?? link ?? trackingNumber),
  table: (body, look) =>
    table(look, {
      head: ['leg', 'carrier', 'tracking number', 'label'],
      rows: labelsIn(body).map(({ leg, carrier, trackingNumber, link }) => [
        leg,
        carrier,
        trackingNumber,
        saved[leg] ?? link,
      ]),
    }),
});

interface LegLabel {
  leg: Leg;
  carrier: string | undefined;
  trackingNumber: string | undefined;
  link: string | undefined;
}

/** The labels of an answer of `label`, or of the legs of `ship-dual`. */
export function labelsIn(body: unknown): LegLabel[] {
  return LEGS.flatMap(leg => {
    const found = getAt(body, [leg, 'label']);
    const label = typeof found === 'object' ? found : getAt(body, [leg]);
    if (label === undefined) return [];
    return {
      leg,
      carrier: textAt(label, ['carrier']),
      trackingNumber: textAt(label, ['trackingNumber']),
      link: textAt(label, ['label']) ?? textAt(label, ['labelPdf']),
    };
  });
}
