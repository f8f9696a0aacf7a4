import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  'ship-dual': {
    description: 'Book an international shipment and its domestic leg together, once.',
    examples: [
      '# Book an example pair with both labels.',
      'waybill schema ship-dual --example > pair.json',
      'waybill ship-dual -f pair.json --key PAIR-1001 --international EXP --domestic DOM --label --download labels',
      '# Book another pair like it, for the same receiver, with another parcel.',
      'waybill ship-dual --like PAIR-1001 --key PAIR-1001-B --package 1.5kg@30x20x10cm',
    ],
    output: {
      table: 'one line for each leg, with its label',
      quiet: 'both shipment ids, the international one first',
      json: `the answer of the service: ${answerFields('createDualShipment')}`,
    },
    asks: ['createDualShipment'],
    exits: {
      not_found: 'the journal has no booking for --like',
      partial: 'only one leg or one label was made, or a label was not saved',
    },
    more: [
      {
        title: 'A pair like another',
        blocks: [
          '--like REF starts from the request of a pair that was booked, also whether it makes labels (--set label=false makes none). The file, flags and --set are stronger; the profile adds nothing. It needs a --key that is not booked. On a terminal the form shows the whole order for review; --yes books without it.',
        ],
      },
    ],
  },
};
