import type { Command } from 'commander';
import { bodyOf } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { ratePackage } from '../request/specs.ts';
import type { Act } from './act.ts';
import { NO_FACTS } from './booked-facts.ts';
import type { Job } from './job.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from './parcels.ts';
import { priceWords, proposalsIn } from './proposals.ts';
import { buildRequest, fieldOptions, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.rates;

type RateOptions = RequestOptions & ParcelOptions;

const FLAGS = [
  { flag: '--from <cc>', path: 'data.countryFrom' },
  { flag: '--to <cc>', path: 'data.countryTo' },
  { flag: '--postal-code <code>', path: 'data.postalCode' },
];

export function define(command: Command, act: Act): void {
  rateOptions(requestOptions(command, operation, FLAGS)).action(act<RateOptions>(rates));
}

const rateOptions = (command: Command): Command => singleParcelOptions(parcelOptions(command));

async function rates(session: Session, options: RateOptions): Promise<void> {
  const body = await planned(session, options);
  if (options.dryRun) return showDryRun(session, operation, body);
  await session.printer.result(await session.read(operation, { body }), view);
}

async function planned(session: Session, options: RateOptions, record?: unknown): Promise<unknown> {
  const extra = parcelsOf(options, parcels => ({ data: { packages: parcels.map(ratePackage) } }));
  const { body } = await buildRequest(session, { operation, options, flags: FLAGS, extra, record });
  return body;
}

export const job: Job<RateOptions> = {
  operation,
  fields: bodyOf(operation),
  packages: { path: 'data.packages', entry: ratePackage },
  keyed: false,
  options: command => rateOptions(fieldOptions(command, operation, FLAGS)),
  prepare: async (session, options, { value }) => ({
    body: await planned(session, options, value),
    fingerprint: '',
  }),
  perform: async (session, _, { body }) => ({
    result: await session.read(operation, { body }),
    facts: NO_FACTS,
    saved: {},
  }),
};

const view: View<unknown> = {
  items: proposalsIn,
  essential: body => proposalsIn(body).map(rate => textAt(rate, ['companyId'])),
  async table(body, look) {
    const list = proposalsIn(body);
    if (list.length === 0) return 'No rates.';
    return table(look, {
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
  },
};
