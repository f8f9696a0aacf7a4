import type { Pages } from '../page.ts';

const ROW =
  'id, operation, key, state, at, profile, address, shipmentIds, trackingNumbers, carrier, price, currency, labelFile, exitCode, bookedBy';
const NOT_THERE = { not_found: 'the journal has no such booking' } as const;
const booked = (key: string) => [
  'waybill schema ship --example > order.json',
  `waybill ship -q -f order.json --key ${key}`,
];

export const PAGES: Pages = {
  history: {
    description: 'Read and settle the record of every booking.',
    examples: ['# What was booked, the newest first.', 'waybill history list'],
  },
  'history list': {
    description: 'List the bookings in the journal, the newest first.',
    examples: [
      '# Book, and list what was booked since yesterday.',
      ...booked('ORDER-1004'),
      'waybill history list --since 1d',
      '# What may or may not exist, and wants to be settled.',
      'waybill history list --state unknown',
    ],
    output: {
      table: 'a booking a line, on a terminal the first 100; who booked it where that was more than one',
      quiet: 'the id of each booking',
      json: `a list of ${ROW} (user, host and version of waybill)`,
    },
    exits: { not_found: 'the journal has no booking with the id that --before names' },
  },
  'history show': {
    description: 'Show all that is known of a booking.',
    examples: [
      '# Book, and show the booking with its request and answer.',
      ...booked('ORDER-1005'),
      'waybill history show ORDER-1005',
    ],
    output: {
      table: 'the booking, with request and answer',
      quiet: 'its state',
      json: `${ROW}, account, sandbox, settledAt, why, httpStatus, labels, files, bookedBy, request, answer; a secret is masked without --show-secret`,
    },
    exits: NOT_THERE,
  },
  'history resolve': {
    description: 'Settle a booking whose outcome is unknown, after you looked it up with the service.',
    examples: [
      '# A booking whose answer is lost on the way ends with 8; it is settled by hand.',
      'waybill schema ship --example > order.json',
      'waybill emulator --port 0 --fault reset-after:1 -- waybill ship -f order.json --key ORDER-1006 || test $? = 8',
      'waybill history list --state unknown',
      'waybill history resolve ORDER-1006 --not-created',
    ],
    output: {
      table: 'what it is settled as; with --created what the service says of it goes to stderr first',
      quiet: 'the id of the booking',
      json: ROW,
    },
    asks: ['getShipment', 'getDomesticShipment', 'getSubscription'],
    exits: { not_found: 'the journal has no such booking, or the service has no such shipment' },
  },
  'history import': {
    description: 'Take over what another machine booked: its journal, or the results file of a batch.',
    examples: [
      '# Import the results of a batch, so that another machine does not book them again.',
      'waybill batch template ship > orders.csv',
      'waybill batch ship orders.csv --max-price 60EUR',
      'WAYBILL_STATE_DIR=elsewhere waybill history import orders.results.jsonl',
    ],
    output: {
      table: 'how many bookings were taken over, were known before, and were left out',
      quiet: 'how many were taken over',
      json: '{"file", "kind" (journal or results), "taken", "known", "held", "unknown", "unclear" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
    },
    exits: {
      usage:
        'the file is neither a journal nor results, is of a newer version, or is of the sandbox where production is meant',
      unauthorized: 'there is no address that the bookings of results could be for',
      partial:
        'some were left out, as their key or label has another booking here, or a line does not say enough',
    },
    more: [
      {
        title: 'What is taken over',
        blocks: [
          'Of a journal everything: bookings with their ids, keys and answers, label files and secrets. What is being sent there is unknown here. The file is read, and never changed.',
          'Of results what was created, made in part, or is unknown. They do not say where they were booked, nor with which input: the bookings count for the address and account of this command, and their keys show the recorded answer whatever is given with them. A key that is a duplicate there is unknown here.',
          'Nothing that is here is written over. An import that was stopped goes on where it is run again.',
        ],
      },
    ],
  },
  'history prune': {
    description:
      'Drop requests, answers and labels of old bookings; keys and ids stay, so that nothing is booked again.',
    examples: ['# Forget addresses after a year.', 'waybill history prune --older-than 365d'],
    output: { table: 'how many were pruned', quiet: 'that number', json: '{"pruned": number}' },
  },
};
