import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

const BOOKED = [
  'waybill schema ship --example > order.json',
  'id=$(waybill ship -q -f order.json --key ORDER-1003)',
];

export const PAGES: Pages = {
  track: {
    description: 'Read status and tracking of shipments, once or until they are there.',
    examples: [
      '# Book, and see where it is; --key finds it as well.',
      ...BOOKED,
      'waybill track "$id"',
      '# Wait for a milestone, for a minute at most.',
      'waybill track --key ORDER-1003 --until pending_arrival_at_warehouse --max-wait 60',
    ],
    output: {
      table: 'each shipment, with what happened to it in the order of time',
      quiet: 'the newest milestone of each',
      json: `the answer of the service: ${answerFields('getShipment')}; of several shipments a list, in which one that failed is {"id","error"}`,
    },
    asks: ['getShipment', 'getDomesticShipment'],
    exits: {
      not_found: 'the service knows none of them, or no shipment was booked with this key',
      partial: 'some of them cannot be read, or --max-wait is over',
    },
  },
  webhook: {
    description: 'Create, read and list webhook subscriptions.',
    examples: [
      '# Subscribe, and list what was subscribed from here.',
      'waybill webhook create --url https://shop.example.com/hooks/shop --event shipment.status.updated --max-retries 9',
      'waybill webhook list',
    ],
  },
  'webhook create': {
    description: 'Create a webhook subscription, and keep the secret that the service gives once.',
    examples: [
      '# Be told of each status; the secret goes into a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are tried again',
      quiet: 'the subscription id',
      json: `the answer of the service: ${answerFields('createSubscription')}; "data" holds secret and token, masked with --secret-file`,
    },
    asks: ['createSubscription'],
    exits: { storage: 'the journal or the file of the secret cannot be written; it says what was created' },
  },
  'webhook get': {
    description: 'Read a webhook subscription.',
    examples: [
      '# Create one, and read it.',
      'id=$(waybill webhook create -q --url https://shop.example.com/hooks/read --event shipment.status.updated)',
      'waybill webhook get "$id"',
    ],
    output: {
      table: 'the subscription',
      quiet: 'its id',
      json: `the answer of the service: ${answerFields('getSubscription')}; secret and token are not in it`,
    },
    asks: ['getSubscription'],
  },
  'webhook list': {
    description: 'List the subscriptions in the journal, as the service has no list of them.',
    examples: [
      '# Create one, and list what was created from here.',
      'waybill webhook create -q --url https://shop.example.com/hooks/listed --event shipment.status.updated',
      'waybill webhook list',
    ],
    output: {
      table: 'a subscription a line, of every address',
      quiet: 'their ids',
      json: 'a list of id, url, events, at, key, profile, address, booking',
    },
  },
  'webhook listen': {
    description: 'Receive deliveries on this machine, show them, and answer them as you like.',
    examples: [
      '# A receiver, the emulator and a shipment: its first status arrives.',
      'waybill schema ship --example > order.json',
      "waybill emulator --port 0 -- sh -c 'waybill webhook listen --count 1 --max-wait 30 & waybill webhook create -q --url http://127.0.0.1:8788/hook --event shipment.status.updated; waybill ship -q -f order.json; wait'",
    ],
    output: {
      table: 'a delivery a line: when, event, shipment, status, how it was answered',
      quiet: 'the shipment of each delivery',
      json: 'a line for each delivery: at, method, path, headers, body, answered, forwarded, error',
    },
    exits: { partial: 'fewer deliveries than --count came within --max-wait' },
  },
};
