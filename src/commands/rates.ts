import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import type { RequestCommand } from '../order/build.ts';
import { offersIn, ratesIn } from '../order/carrier.ts';
import {
  type ParcelOptions,
  type RequestOptions,
  ratePackage,
  singleParcelOptions,
} from '../order/options.ts';
import type { View } from '../output/print.ts';
import type { Act } from '../session/command.ts';
import { offerTable } from './quote.ts';
import { defineRequest } from './request.ts';

const operation = OPERATIONS.rates;

export const RATES: RequestCommand<RequestOptions & ParcelOptions> = {
  operation,
  packages: { path: ['data', 'packages'], entry: ratePackage },
  options: singleParcelOptions,
};

export function define(command: Command, act: Act): void {
  defineRequest(command, act, RATES, {
    loadForm: async () => (await import('../forms/quote.ts')).ratesForm,
    run: async (session, _, { body }) =>
      session.printer.result(await session.service.read(operation, { body: body.value }), view),
  });
}

const view: View<unknown> = {
  items: offersIn,
  essential: body => ratesIn(body).map(({ id }) => id),
  async table(body, look) {
    const rates = ratesIn(body);
    return rates.length === 0 ? 'No rates.' : offerTable(look, { title: 'company' }, rates);
  },
};
