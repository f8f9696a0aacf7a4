// The pages of webhooks and of help.
import type { HelpPages } from '../../shell/pages.ts';
import { EXIT_UNKNOWN } from '../page.ts';

export const OTHERS: HelpPages = {
  'webhook create': {
    examples: [
      '# Subscribe to each new status, with the secret in a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are retried',
      quiet: 'the subscription id',
      json: 'the answer of the service; "data" has secret and token, masked with --secret-file',
    },
    exits: {
      storage: 'the journal or the secret file cannot be written; it says what was created',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'it was created, but the answer has no secret or no token',
    },
  },
  'webhook listen': {
    examples: [
      '# Receive the first status of a shipment from the emulator.',
      'waybill schema ship --example > order.json',
      "waybill emulator --port 0 -- sh -c 'waybill webhook listen --count 1 --max-wait 30 & waybill webhook create -q --url http://127.0.0.1:8788/hook --event shipment.status.updated; waybill ship -q -f order.json; wait'",
    ],
    output: {
      table: 'one line for each delivery: time, path and body',
      quiet: 'the body of each delivery',
      json: 'one line for each delivery: at, method, path, headers, body',
    },
    exits: { partial: 'fewer deliveries than --count came within --max-wait' },
    notes: {
      Notes: `It listens on this machine only. \`waybill emulator\` delivers here; that of --profile demo only while a command of it runs. A service elsewhere needs a tunnel of your own.

A delivery is answered with 200 when it has been shown, and with 413 if it is larger than 1 MiB. It is shown as it came, but values that are named like a secret (token, api-key, authorization) are masked. The service document defines no signature, so none is checked.`,
    },
  },
  'webhook get': {
    examples: [
      '# Create a subscription, and read it.',
      'id=$(waybill webhook create -q --url https://shop.example.com/hooks/read --event shipment.status.updated)',
      'waybill webhook get "$id"',
    ],
    output: {
      table: 'the subscription',
      quiet: 'its id',
      json: 'the answer of the service, without secret and token',
    },
  },
  'webhook list': {
    examples: ['# All that were created here.', 'waybill webhook list'],
    output: {
      table: 'one line for each subscription, of all addresses',
      quiet: 'their ids',
      json: 'a list of id, url, events, at, key, profile, address, booking',
    },
  },
  webhook: {
    examples: ['# The subscriptions created here.', 'waybill webhook list'],
  },
  help: {
    examples: [
      '# The help of a command, and of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the help' },
  },
};
