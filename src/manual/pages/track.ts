import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  track: {
    description: 'Read status and tracking of shipments, once or until they arrive.',
    examples: [
      '# Book a shipment and wait for a milestone. Then see all that are under way.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1004',
      'waybill track ORDER-1004 --until pending_arrival_at_warehouse --max-wait 1m',
      'waybill track --active',
    ],
    output: {
      table:
        'one shipment with its events, the oldest first; several with a line each: where they are, since when, and the days since they were booked',
      quiet: 'the newest milestone; of several shipments the id beside it',
      json: `the answer of the service: ${answerFields('getShipment')}. For several shipments, and always with --active, it is a list; a shipment that failed is {"id","error"}`,
    },
    asks: ['getShipment', 'getDomesticShipment'],
    exits: {
      not_found: 'the service knows none of them, or no shipment was booked with this key',
      partial: 'some shipments cannot be read, or --max-wait is over',
    },
    more: [
      {
        title: 'What is under way',
        blocks: [
          '--active reads every shipment that was booked here and that no command has seen at an end of its journey: one of the endMilestones of the profile (delivered unless it is set). What has arrived is shown once and not asked for again. --since bounds the time of booking.',
          'CSV of several shipments always has the same columns: key, shipmentId, leg, receiver, country, carrier, trackingNumber, milestone, since, bookedAt, days, error.',
          'On a terminal, `waybill track` alone offers what is under way.',
        ],
      },
    ],
  },
};
