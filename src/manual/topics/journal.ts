import { STATES } from '../../booking/journal.ts';
import type { Row, Section } from '../document.ts';

const SAYS: Readonly<Record<(typeof STATES)[number], string>> = {
  pending: 'It is being sent. When its process is gone, or an hour is over, it is unknown.',
  created: 'It exists, and its answer is recorded.',
  partial: 'It exists in part: one leg, or a shipment without its label.',
  rejected: 'The service said no. Its key may be used again.',
  not_sent: 'It never reached the service. Its key may be used again.',
  unknown:
    'It was sent, and no conclusive answer came: it may exist. Nothing like it is sent until it is settled.',
};

export const TOPIC: readonly Section[] = [
  {
    title: 'What it is for',
    blocks: [
      'The service has no idempotency key and no list of shipments. So every booking (ship, ship-dual, label, webhook create) is written down here twice: the intent, before the first byte is sent; the outcome, before it is shown. Whatever is killed when, nothing is booked twice by running it again.',
    ],
  },
  {
    title: 'States',
    blocks: [{ rows: STATES.map((state): Row => [state, SAYS[state]]) }],
  },
  {
    title: 'Keys',
    blocks: [
      '--key gives a booking your own name, such as an order number. The same key with the same input shows the recorded answer with its exit code and sends nothing; with other input it is a duplicate (exit 2); while it is unknown it is exit 8. ship and ship-dual share their keys; they belong to the address and the account of the profile.',
      'Without a key, the same input as one that was booked in the last 24 hours, or that is unknown however old, is asked about; where nobody can be asked it is a duplicate. --allow-duplicate goes ahead. A shipment is labelled once, by its id.',
    ],
  },
  {
    title: 'Settling what is unknown',
    blocks: [
      {
        lines: [
          'waybill history list --state unknown',
          'waybill history resolve ORDER-1001 --created SHIPMENT_ID',
          'waybill history resolve ORDER-1001 --not-created',
        ],
      },
      'Look it up with the service first. With --created the shipment is read from there and shown before anything is settled.',
    ],
  },
  {
    title: 'Where it is',
    blocks: [
      'journal.db in the state folder (`waybill help environment`), for you alone. It also keeps labels, and the secrets that the service gives once. `waybill history prune --older-than 365d` drops requests, answers and labels, and keeps keys and ids.',
      'A fresh disk has no memory: with CI set, booking against production with a journal that does not exist yet is exit 10. Keep the state folder from run to run; --new-journal goes ahead with an empty one.',
    ],
  },
];
