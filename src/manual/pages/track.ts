import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  track: {
    description: 'Read status and tracking of shipments, once or until they arrive.',
    examples: [
      '# Book a shipment, and see where it is.',
      'waybill schema ship --example > order.json',
      'id=$(waybill ship -q -f order.json --key ORDER-1003)',
      'waybill track "$id"',
      '# Its key names it too. Wait for a milestone for at most a minute.',
      'waybill track ORDER-1003 --until pending_arrival_at_warehouse --max-wait 60',
    ],
    output: {
      table: 'each shipment with its events, the oldest first',
      quiet: 'the newest milestone of each shipment',
      json: `the answer of the service: ${answerFields('getShipment')}. For several shipments it is a list; a shipment that failed is {"id","error"}`,
    },
    asks: ['getShipment', 'getDomesticShipment'],
    exits: {
      not_found: 'the service knows none of them, or no shipment was booked with this key',
      partial: 'some shipments cannot be read, or --max-wait is over',
    },
  },
};
