import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  ship: {
    description: 'Book one international shipment, once.',
    examples: [
      '# Book an example order and its label. The same command again sends nothing.',
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# Book another order like it, with another parcel.',
      'waybill ship --like ORDER-1001 --key ORDER-1001-B --package 1.5kg@30x20x10cm',
    ],
    output: {
      table: 'the shipment and its label',
      quiet: 'the shipment id',
      json: `the answer of the service: ${answerFields('createShipment')}; with --label the label is under "label"`,
    },
    asks: ['createShipment', 'proposal', 'createLabels'],
    exits: {
      not_found:
        'no carrier matches, the service does not know it (404), or the journal has no booking for --like',
      partial:
        'the shipment was created but its label was not made, or the label was not saved; the message names the command that completes it',
      over_price:
        'the shipment was created, but for more than --max-price or in another currency; so again on each rerun until `waybill history accept`',
    },
    more: [
      {
        title: 'An order like another',
        blocks: [
          '--like REF starts from the request that was booked: the parties, the goods, the packages and the carrier. The file, flags and --set are stronger. The profile adds nothing, because its defaults may have changed since. The chargeable weight is taken from a proposal again. Options that are not part of the request, such as --label and --max-price, are not repeated.',
          'The order needs a --key that is not booked, so that a repeat of the command is not another order. On a terminal the form shows the whole order for review; --yes books without it. An order that is being sent, that was pruned, or that was booked by another command is refused.',
        ],
      },
    ],
  },
};
