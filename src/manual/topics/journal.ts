import { STATES } from '../../journal/journal.ts';
import type { Row, Section } from '../document.ts';

const SAYS: Readonly<Record<(typeof STATES)[number], string>> = {
  pending:
    'It is being sent. When its process is gone, or an hour is over (a minute without a sign of life, where the journal is shared), it is unknown.',
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
    title: 'One journal for a team and a fleet',
    blocks: [
      'A journal on one disk protects one machine. Two people with the same orders, or a CI job with a new disk at every run, share one in PostgreSQL. A role and a database that it owns are all it needs; the tables are made when it is opened first:',
      {
        lines: [
          'createuser --pwprompt waybill',
          'createdb --owner=waybill waybill',
          'export WAYBILL_JOURNAL=postgres://waybill@db.example.com/waybill',
        ],
      },
      'Or in the profile, for everybody who uses it: `waybill profile set live journal=postgres://waybill@db.example.com/waybill`. The password comes from PGPASSWORD, from PGPASSFILE, or from a program: `waybill profile set live "journalPasswordCommand=pass show waybill-journal"`; in WAYBILL_JOURNAL it may stand in the address. Connections to another machine are encrypted and the server is verified; sslrootcert=FILE in the address names an authority of your own.',
      'Whoever writes the intent of a key first sends it; everybody else waits for the outcome and shows it. Who sends renews a lease of a minute by the clock of the server: an intent that is not renewed is unknown for everybody, and never sent again. Any number of machines may run one batch file at once: they divide the records among themselves, and each is booked once.',
      'Where that journal cannot be reached or written nothing is sent (exit 10). Lost in the middle, no further record is started; what is in flight is waited for and shown, and its outcome is tried to be written for a minute. The profile demo keeps to the journal of this machine.',
    ],
  },
  {
    title: 'Another machine',
    blocks: [
      {
        lines: ['waybill history import orders.results.jsonl', 'waybill history import old-state/journal.db'],
      },
      'What another machine booked is not known here until it is imported: a journal whole, or the results of a batch as far as they tell. Each booking is taken over once; a key that has another booking here is left out and told.',
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
