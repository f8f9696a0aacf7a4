import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Act } from './act.ts';
import { bookOnce, failureFor } from './booking.ts';
import { type LabelFileOptions, LEGS, labelFileOptions, prepareFolder, type Saved } from './label-files.ts';
import { finishLabels, keepLabels, labelsIn } from './labels.ts';
import { buildBody, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.createLabels;

const FLAGS = [
  { flag: '--international <id>', path: 'international' },
  { flag: '--domestic <id>', path: 'domestic' },
];

type LabelOptions = RequestOptions & LabelFileOptions;

export function define(command: Command, act: Act): void {
  labelFileOptions(requestOptions(command, operation, FLAGS)).action(act<LabelOptions>(label));
}

async function label(session: Session, options: LabelOptions): Promise<void> {
  const body = await buildBody(session, { operation, options, flags: FLAGS });
  if (options.dryRun) return showDryRun(session, operation, body);
  const folder = prepareFolder(session, options);
  const asked = LEGS.filter(leg => textAt(body, [leg]) !== undefined);
  const summary = asked.map(leg => `${leg} ${textAt(body, [leg])}`).join(' and ');
  const booking = { operation, body };
  const outcome = await bookOnce(session, booking, `label for ${summary}`);
  const failure = failureFor(session, booking, outcome);
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const kept = await keepLabels(session, folder, outcome, leg => textAt(body, [leg]) ?? leg);
  await session.printer.result(outcome.body, view(kept.saved));
  await finishLabels(session, operation, options, { ...kept, failure });
}

const view = (saved: Saved): View<unknown> => ({
  essential: body => labelsIn(body, saved).map(({ where }) => where),
  table: (body, look) =>
    table(look, {
      head: ['leg', 'carrier', 'tracking number', 'label'],
      rows: labelsIn(body, saved).map(({ leg, carrier, trackingNumber, where }) => [
        leg,
        carrier,
        trackingNumber,
        where,
      ]),
    }),
});
