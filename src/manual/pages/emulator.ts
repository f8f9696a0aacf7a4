import { CARRIERS, FAR, MAX_KG, MAX_PIECES, REMOTE_PREFIX, ZONES } from '../../emulator/carriers.ts';
import { CLAIM_MS } from '../../emulator/deliveries.ts';
import { FAULTS } from '../../emulator/faults.ts';
import type { Pages } from '../page.ts';

const carriers = CARRIERS.map(
  ({ id, serviceType, transitDays, maxPieceKg }) =>
    `${id} (${serviceType}, ${transitDays} d, pieces up to ${maxPieceKg} kg)`,
);

const zones = [...ZONES, FAR].map(
  ({ name, percent, countries }) =>
    `${name} ${percent} %${countries.length > 0 ? ` (${countries.join(' ')})` : ''}`,
);

/** What the emulator decides because the service document does not show it. */
const DECISIONS: readonly string[] = [
  'Errors are {"success":false,"error":{"code","message","details":[{"path","message"}]}}.',
  'The token may be in any header, alone or after one word. Every token has a contract.',
  'A token without the scope of an operation gets 401. Unknown paths and methods get 404.',
  'A missing or unknown field and a wrong type get 400. A wrong value, a broken rule and a carrier or country that is not possible get 422 if the operation lists it, else 400. An unknown shipment id in a label request gets 400.',
  `The carriers are ${carriers.join(', ')}. No carrier ships from a country to the same country.`,
  'Prices are in EUR, with a base and an amount for each half kilogram of chargeable weight. A piece counts with its weight or with its volume in cm³ / 5000, whichever is greater; the unit in the request is ignored.',
  `The zone of the receiver's country decides the price of an international leg, as if the sender were in Turkey. Compared with Germany: ${zones.join('; ')}.`,
  `Postal codes that begin with ${REMOTE_PREFIX} are remote and cost more. The maximum weight is ${MAX_KG} kg.`,
  'A single shipment is billed by the chargeable weight in the request.',
  'If a piece is too heavy for a carrier, its proposal is invalid and has a "reason", and rates leave the carrier out.',
  'Both legs of a dual shipment have the same sender and receiver. Only the operation for its leg reads a shipment.',
  'A dual shipment without labels has the same answer without the "label" keys.',
  'Each label call makes new labels with new tracking numbers. A shipment shows the newest one, and "" before it has one.',
  'A label answer has only the legs that were asked for. Label links need no credential.',
  `A label is a PDF with a page of 100 x 150 mm for each piece, all with the same barcode (Code 128, the tracking number). A shipment has at most ${MAX_PIECES} pieces. The request has no reference, so the label shows the shipment id. Letters that Windows-1252 does not have lose their marks (Şahin: Sahin), and what is still not in it is printed as ?.`,
  'Every shipment, also a domestic one, begins as pending_arrival_at_warehouse. It is delivered after its transit time, with or without a label. There are no other statuses.',
  'When a shipment is read, the numbers of its packages are text and its price is a number.',
  'A subscription belongs to no token. Its secret and token are not stored, and deliveries are not signed.',
  'The address of a webhook may be http: if it is on loopback, because the emulator is there too. The service takes https: only.',
  'Both events are sent for the first status and for the arrival, only for production shipments, and at least once: {"id","type","createdAt","data":{"shipmentId","status","milestone"}}.',
  `A delivery without a 2xx answer within 10 s is retried. If a process dies during an attempt, the attempt is repeated after ${CLAIM_MS / 1000} s. Deliveries go only to loopback addresses.`,
  'The limit of 20 subscriptions a minute counts for each token over the last 60 s, in one process, including rejected requests.',
  'A label that a fault prevents is {"success":false,"operation","carrier"}. If all labels fail, the answer has "success":false, but the shipments exist.',
];

export const PAGES: Pages = {
  emulator: {
    description: 'Run the emulator of the service on this machine, alone or around a command.',
    examples: [
      '# Run a command with the emulator: its environment has address and token.',
      'waybill emulator --port 0 -- waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm',
      '# For your own tests: a service that fails at every request.',
      'waybill emulator --port 0 --fault 500:1 --seed 7 -- waybill profile test --retries 0 || test $? = 7',
    ],
    output: {
      table: 'one line with its address when it is ready; with -- COMMAND only the output of COMMAND',
      quiet: 'the address',
      json: 'address, sandbox, token',
    },
    exits: {
      usage: 'wrong command line; 127 if COMMAND cannot be run',
      interrupted: 'COMMAND was stopped; alone, the emulator ends with 0 on SIGINT, SIGTERM and SIGHUP',
      storage: 'the port is taken, or --data cannot be used',
    },
    more: [
      {
        title: 'What it is',
        blocks: [
          'The emulator is not a carrier: it makes no real shipments and costs nothing. It serves every operation of the service document at /, and those with a sandbox also at /sandbox, with data of its own. At /openapi.json it serves what `waybill schema --openapi` prints.',
          'With -- COMMAND it ends with the exit code of COMMAND.',
        ],
      },
      {
        title: 'Faults',
        blocks: [{ rows: [...Object.entries(FAULTS), ['a status', 'is the answer, and nothing is done']] }],
      },
      {
        title: 'What it decides where the service document says nothing',
        blocks: [{ rows: DECISIONS.map(sentence => ['-', sentence] as const) }],
      },
    ],
  },
};
