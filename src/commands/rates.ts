import { OPERATIONS } from '../contract/operations.ts';
import type { RequestCommand } from '../order/build.ts';
import {
  type ParcelOptions,
  type RequestOptions,
  ratePackage,
  SINGLE_PARCEL_FLAGS,
} from '../order/options.ts';
import { offersIn, ratesIn } from '../order/proposals.ts';
import type { View } from '../output/print.ts';
import { offerTable } from './quote.ts';
import { declareRequest } from './request-command.ts';

const operation = OPERATIONS.rates;

export const RATES: RequestCommand<RequestOptions & ParcelOptions> = {
  operation,
  packages: { path: ['data', 'packages'], entry: ratePackage },
  flags: SINGLE_PARCEL_FLAGS,
};

export const command = declareRequest(
  RATES,
  {
    run: async (session, _, request) =>
      session.printer.result(await session.service.read(operation, { body: request.body.value }), view),
  },
  {
    examples: [
      '# The rates for two parcels.',
      'waybill rates --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# Only company and price.',
      "waybill rates --from TR --to DE --package 1kg@30x20x10cm --query 'proposals[].[companyName, price]' -o text",
    ],
    output: {
      table: 'one line for each rate',
      quiet: 'the companyId of each rate. It is not a carrier id; `waybill quote` shows those',
      json: 'the answer of the service',
    },
    exits: { not_found: 'no carrier was found' },
  },
);

const view: View<unknown> = {
  items: offersIn,
  essential: body => ratesIn(body).map(({ id }) => id),
  async table(body, look) {
    const rates = ratesIn(body);
    return rates.length === 0 ? 'No rates.' : offerTable(look, { title: 'company' }, rates);
  },
};
