import type { Command } from 'commander';
import type { Job } from '../batch/run/job.ts';
import { NO_FACTS } from '../booking/facts.ts';
import { compared } from '../carriers/compared.ts';
import { type Proposal, priceWords, proposalsIn } from '../carriers/proposals.ts';
import { bodyOf } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { Answers } from '../forms/interview.ts';
import { withForm } from '../forms/with-form.ts';
import { showDryRun } from '../orders/dry-run.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from '../orders/parcel-flags.ts';
import {
  buildRequest,
  common,
  fieldOptions,
  type RequestOptions,
  type RequestParts,
  requestOptions,
} from '../orders/request.ts';
import { withExtra } from '../orders/spec-flags.ts';
import type { Look } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { ratePackage } from '../request/specs.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

const operation = OPERATIONS.rates;

type RateOptions = RequestOptions & ParcelOptions;

const FLAGS = [
  { flag: '--from <cc>', path: 'data.countryFrom', group: 'Route:' },
  { flag: '--to <cc>', path: 'data.countryTo', group: 'Route:' },
  { flag: '--postal-code <code>', path: 'data.postalCode', group: 'Route:' },
];

export function define(command: Command, act: Act): void {
  rateOptions(requestOptions(command, operation, FLAGS)).action(act<RateOptions>(rates));
}

const rateOptions = (command: Command): Command => singleParcelOptions(parcelOptions(command));

async function rates(session: Session, options: RateOptions): Promise<void> {
  await withForm(
    session,
    options,
    {
      parts: () => partsOf(session, options),
      interview: async () => (await import('../forms/quote.ts')).ratesInterview,
    },
    answers => ratesOnce(session, options, answers),
  );
}

async function ratesOnce(session: Session, options: RateOptions, answers?: Answers): Promise<void> {
  const { body } = await buildRequest(session, await partsOf(session, options, answers));
  if (options.dryRun) return showDryRun(session, operation, body);
  await session.printer.result(await session.read(operation, { body }), view);
}

async function partsOf(session: Session, options: RateOptions, answers?: Answers): Promise<RequestParts> {
  const parts = { operation, options, flags: FLAGS };
  if (answers) return { ...parts, gathered: answers.gathered };
  return withExtra(session, parts, () =>
    parcelsOf(session, options, parcels => ({ data: { packages: parcels.map(ratePackage) } })),
  );
}

export const job: Job<RateOptions> = {
  operation,
  fields: bodyOf(operation),
  packages: { path: 'data.packages', entry: ratePackage },
  requiresKey: false,
  options: command => rateOptions(fieldOptions(command, operation, FLAGS)),
  sharedParts: async (session, options) => common(session, await partsOf(session, options)),
  async prepare(session, options, { value }, parts) {
    const all = parts ?? (await partsOf(session, options));
    const { body } = await buildRequest(session, { ...all, record: value });
    return { body, fingerprint: '' };
  },
  perform: async (session, _, { body }) => ({
    result: await session.read(operation, { body }),
    facts: NO_FACTS,
    saved: {},
  }),
};

const AS_RATES = { title: 'company', id: 'companyId', name: 'companyName' };

const view: View<unknown> = {
  items: proposalsIn,
  essential: body => proposalsIn(body).map(rate => textAt(rate, ['companyId'])),
  async table(body, look) {
    const list = proposalsIn(body);
    if (list.length === 0) return 'No rates.';
    return (await compared(look, { proposals: list, ...AS_RATES })) ?? (await plainTable(look, list));
  },
};

const plainTable = (look: Look, list: readonly Proposal[]): Promise<string> =>
  table(look, {
    head: ['company', 'name', 'service', 'delivery', 'price'],
    align: ['whole', 'left', 'left', 'left', 'right'],
    rows: list.map(rate => [
      String(rate.companyId ?? '-'),
      String(rate.companyName ?? '-'),
      String(rate.serviceType ?? '-'),
      String(rate.deliveryTime ?? '-'),
      priceWords(rate),
    ]),
  });
