import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { ratePackage } from '../request/specs.ts';
import type { Act } from './act.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from './parcels.ts';
import { priceWords, proposalsIn } from './proposals.ts';
import { buildRequest, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

const operation = OPERATIONS.rates;

const FLAGS = [
  { flag: '--from <cc>', path: 'data.countryFrom' },
  { flag: '--to <cc>', path: 'data.countryTo' },
  { flag: '--postal-code <code>', path: 'data.postalCode' },
];

export function define(command: Command, act: Act): void {
  singleParcelOptions(parcelOptions(requestOptions(command, operation, FLAGS))).action(
    act<RequestOptions & ParcelOptions>(rates),
  );
}

async function rates(session: Session, options: RequestOptions & ParcelOptions): Promise<void> {
  const extra = parcelsOf(options, parcels => ({ data: { packages: parcels.map(ratePackage) } }));
  const { body } = await buildRequest(session, { operation, options, flags: FLAGS, extra });
  if (options.dryRun) return showDryRun(session, operation, body);
  const answer = await session.read(operation, { body });
  await session.printer.result(answer, view);
}

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
