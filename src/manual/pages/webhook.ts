import { answerFields } from '../facts.ts';
import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  webhook: {
    description: 'Create, read, list and try webhook subscriptions.',
    examples: [
      '# Subscribe, and list the subscriptions created here.',
      'waybill webhook create --url https://shop.example.com/hooks/shop --event shipment.status.updated --max-retries 9',
      'waybill webhook list',
    ],
  },
  'webhook create': {
    description: 'Create a webhook subscription, and keep the secret, which the service shows only once.',
    examples: [
      '# Subscribe to each new status, and write the secret into a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are retried',
      quiet: 'the subscription id',
      json: `the answer of the service: ${answerFields('createSubscription')}; "data" has secret and token, masked with --secret-file`,
    },
    asks: ['createSubscription'],
    exits: {
      storage: 'the journal or the secret file cannot be written; the message says what was created',
      partial: 'it was created, but the answer has no secret or no token; the message says what to do',
    },
  },
  'webhook get': {
    description: 'Read a webhook subscription.',
    examples: [
      '# Create a subscription, and read it.',
      'id=$(waybill webhook create -q --url https://shop.example.com/hooks/read --event shipment.status.updated)',
      'waybill webhook get "$id"',
    ],
    output: {
      table: 'the subscription',
      quiet: 'its id',
      json: `the answer of the service: ${answerFields('getSubscription')}, without secret and token`,
    },
    asks: ['getSubscription'],
  },
  'webhook list': {
    description: 'List the subscriptions in the journal. The service has no list of them.',
    examples: [
      '# Create a subscription, and list all that were created here.',
      'waybill webhook create -q --url https://shop.example.com/hooks/listed --event shipment.status.updated',
      'waybill webhook list',
    ],
    output: {
      table: 'one line for each subscription, of all addresses',
      quiet: 'their ids',
      json: 'a list of id, url, events, at, key, profile, address, booking',
    },
  },
  'webhook listen': {
    description: 'Receive deliveries on this machine, and show them.',
    examples: [
      '# Start a receiver and the emulator, book, and receive the first status.',
      'waybill schema ship --example > order.json',
      "waybill emulator --port 0 -- sh -c 'waybill webhook listen --count 1 --max-wait 30 & waybill webhook create -q --url http://127.0.0.1:8788/hook --event shipment.status.updated; waybill ship -q -f order.json; wait'",
    ],
    output: {
      table: 'one line for each delivery: time, path and body',
      quiet: 'the body of each delivery',
      json: 'one line for each delivery: at, method, path, headers, body',
    },
    exits: { partial: 'fewer deliveries than --count came within --max-wait' },
  },
};
