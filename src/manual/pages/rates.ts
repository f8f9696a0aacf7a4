import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  rates: {
    description: 'List the shipping rates for packages between two countries.',
    examples: [
      '# The rates for two parcels.',
      'waybill rates --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# Only company and price.',
      "waybill rates --from TR --to DE --package 1kg@30x20x10cm --query 'proposals[].[companyName, price]' -o text",
    ],
    output: {
      table: 'one line for each rate',
      quiet: 'the companyId of each rate. It is not a carrier id; `waybill quote` shows those',
      json: `the answer of the service: ${answerFields('rates')}`,
    },
    asks: ['rates'],
    exits: { not_found: 'no carrier was found' },
  },
};
