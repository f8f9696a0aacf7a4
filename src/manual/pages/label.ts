import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  label: {
    description: 'Make the carrier labels of booked shipments, each label once, and save them.',
    examples: [
      '# Book a shipment, and make its label.',
      'waybill schema ship --example > order.json',
      'id=$(waybill ship -q -f order.json --key ORDER-1002)',
      'waybill label "$id" --download labels',
      '# Its key names it too. The label is saved again, but not made again.',
      'waybill label ORDER-1002 --download labels',
    ],
    more: [
      {
        title: 'Files',
        blocks: [
          'The label is saved from its link, or from the answer if that has the label itself (base64 or a data: URL). A relative link begins at the address of the service. The credential goes only to the service itself, and only if it answers 401 or 403 without it. At most three redirects are followed.',
          'A PNG, GIF, JPEG or ZPL is saved under its own ending, with a warning. Anything else that is no PDF is refused.',
        ],
      },
    ],
    output: {
      table: 'one line for each leg: carrier, tracking number, and the file or link of the label',
      quiet:
        'the file or link of each label; nothing for one that the answer has itself and that is not saved',
      json: `the answer of the service: ${answerFields('createLabels')}`,
    },
    asks: ['createLabels'],
    exits: {
      not_found: 'no shipment was booked with this key, or the service does not know it (404)',
      partial: 'the label of only one leg was made, or a label was not saved',
    },
  },
};
