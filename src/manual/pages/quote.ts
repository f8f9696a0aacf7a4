import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  quote: {
    description: 'Compare what carriers charge for packages between two countries, and how long they take.',
    examples: [
      '# Proposals for two parcels, the cheapest first.',
      'waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --sort price',
      '# For a script: only the id of the fastest carrier.',
      'waybill quote -q --from TR --to DE --package 1.5kg@30x20x10cm --fastest',
    ],
    output: {
      table:
        'one line for each proposal, why it is not valid if the service says so, and the chargeable weight',
      quiet: 'the carrier id of each valid proposal',
      json: `the answer of the service (${answerFields('proposal')}), with the proposals that --service, --sort, --cheapest or --fastest select`,
    },
    asks: ['proposal'],
    exits: {
      not_found:
        'no proposal matches --cheapest, --fastest or --service (without them, no proposals at all is 0), or the service answered 404',
    },
  },
};
