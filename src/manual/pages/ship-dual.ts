import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  'ship-dual': {
    description: 'Book an international shipment and its domestic leg together, once.',
    examples: [
      '# Book an example pair with both labels.',
      'waybill schema ship-dual --example > pair.json',
      'waybill ship-dual -f pair.json --key PAIR-1001 --international EXP --domestic DOM --label --download labels',
    ],
    output: {
      table: 'one line for each leg, with its label',
      quiet: 'both shipment ids, the international one first',
      json: `the answer of the service: ${answerFields('createDualShipment')}`,
    },
    asks: ['createDualShipment'],
    exits: { partial: 'only one leg or one label was made, or a label was not saved' },
  },
};
