import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  ship: {
    description: 'Book one international shipment, once.',
    examples: [
      '# Book an example order with the fastest carrier, and save its label.',
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# The same command again shows the same shipment, and sends nothing.',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
    ],
    output: {
      table: 'the shipment and its label',
      quiet: 'the shipment id',
      json: `the answer of the service: ${answerFields('createShipment')}; with --label the label is under "label"`,
    },
    asks: ['createShipment', 'proposal', 'createLabels'],
    exits: {
      not_found: 'no carrier matches, or the service does not know it (404)',
      partial:
        'the shipment was created but its label was not made, or the label was not saved; the message names the command that completes it',
      over_price:
        'the shipment was created, but for more than --max-price or in another currency; so again on each rerun until `waybill history accept`',
    },
  },
};
