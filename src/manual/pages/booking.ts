import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

const ORDER = 'waybill schema ship --example > order.json';

const LABEL_AND_BOOKING =
  'a shipment was created without the label that was asked for, or a label was made and not saved; the command that mends it is named';

export const PAGES: Pages = {
  quote: {
    description: 'Compare what carriers would take for packages between two countries, and how long.',
    examples: [
      '# The proposals for two parcels, the cheapest first.',
      'waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --sort price',
      '# The id of the fastest carrier alone, for a script.',
      'waybill quote -q --from TR --to DE --package 1.5kg@30x20x10cm --fastest',
    ],
    output: {
      table: 'a proposal a line, and the chargeable weight',
      quiet: 'the carrier id of each valid proposal',
      json: `the answer of the service (${answerFields('proposal')}), with the proposals that --service, --sort, --cheapest or --fastest leave`,
    },
    asks: ['proposal'],
    exits: {
      not_found:
        'no proposal fits --cheapest, --fastest or --service (without them, none at all is 0); or the service answered 404',
    },
  },
  rates: {
    description: 'List the shipping rates for packages between two countries.',
    examples: [
      '# The rates for two parcels.',
      'waybill rates --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# Company and price alone.',
      "waybill rates --from TR --to DE --package 1kg@30x20x10cm --query 'proposals[].[companyName, price]' -o text",
    ],
    output: {
      table: 'a rate a line',
      quiet: 'the companyId of each rate, which is no carrier id: `waybill quote` gives those',
      json: `the answer of the service: ${answerFields('rates')}`,
    },
    asks: ['rates'],
    exits: { not_found: 'no carrier was found' },
  },
  ship: {
    description: 'Book one international shipment, once.',
    examples: [
      '# An order to start from, booked with the fastest carrier, its label saved.',
      ORDER,
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# The same once more shows the same shipment, and sends nothing.',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
    ],
    output: {
      table: 'the shipment, and its label',
      quiet: 'the shipment id',
      json: `the answer of the service: ${answerFields('createShipment')}; with --label the answer about the label under "label"`,
    },
    asks: ['createShipment', 'proposal', 'createLabels'],
    exits: {
      not_found: 'no carrier fits the bounds, or the service does not know it (404)',
      partial: LABEL_AND_BOOKING,
    },
  },
  'ship-dual': {
    description: 'Book an international shipment and its domestic leg together, once.',
    examples: [
      '# A pair to start from, booked with both labels.',
      'waybill schema ship-dual --example > pair.json',
      'waybill ship-dual -f pair.json --key PAIR-1001 --international EXP --domestic DOM --label --download labels',
    ],
    output: {
      table: 'a leg a line, with its label',
      quiet: 'both shipment ids, the international one first',
      json: `the answer of the service: ${answerFields('createDualShipment')}`,
    },
    asks: ['createDualShipment'],
    exits: { partial: 'one leg or one label was made and the other was not, or a label was not saved' },
  },
  label: {
    description: 'Make the carrier labels of booked shipments, each once, and save them.',
    examples: [
      '# Book, and make the label of what was booked.',
      ORDER,
      'id=$(waybill ship -q -f order.json --key ORDER-1002)',
      'waybill label --international "$id" --download labels',
      '# By the key it is found as well; the label is saved again, and not made again.',
      'waybill label --key ORDER-1002 --download labels',
    ],
    output: {
      table: 'a leg a line: carrier, tracking number, and the file or link of the label',
      quiet: 'the file or link of each label',
      json: `the answer of the service: ${answerFields('createLabels')}`,
    },
    asks: ['createLabels'],
    exits: {
      not_found: 'no shipment was booked with this key, or the service does not know it (404)',
      partial: "one leg's label was made and the other was not, or a label was not saved",
    },
  },
};
