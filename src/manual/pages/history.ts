import type { Pages } from '../page.ts';

const ROW =
  'id, operation, key, state, at, profile, address, receiver (name, city, country), shipmentIds, trackingNumbers, carrier, price, currency, overPrice, labelFile, exitCode, httpStatus, reason, run, actor, bookedBy, settlements';
const NOT_THERE = { not_found: 'the journal has no such booking' } as const;
const booked = (key: string) => [
  'waybill schema ship --example > order.json',
  `waybill ship -q -f order.json --key ${key}`,
];

export const PAGES: Pages = {
  history: {
    description: 'Show every booking, and resolve those whose outcome is unknown.',
    examples: ['# List the bookings, the newest first.', 'waybill history list'],
  },
  'history list': {
    description:
      'List the orders in the journal, the newest first. A label that was made is a part of its shipment; a label that failed or is unknown has its own row.',
    examples: [
      '# List the orders since yesterday.',
      'waybill history list --since 1d',
      '# Find an order by how names begin, in any case and without accents.',
      'waybill history list --search "mul munch"',
      '# List the bookings that may or may not exist. Resolve them.',
      'waybill history list --state unknown',
    ],
    output: {
      table:
        'a line for each order, on a terminal the first 100; times of this machine. A price above --max-price is marked with !',
      quiet: 'the id of each booking',
      json: `a list of ${ROW} (user, host and version of waybill); times are UTC`,
    },
    exits: { not_found: 'the journal has no booking with the id of --before' },
    more: [
      {
        title: 'What is listed',
        blocks: [
          'Bookings of the profile demo where it is in force, all others elsewhere. --profile and --run on the command line list those of that profile and run.',
          '--search takes several words; each must be the beginning of a word of the receiver (name, company, city), of the key, of a shipment id or of a tracking number. The first search of a long journal prepares it, which can take a while.',
          'CSV always has the same columns: key, state, at, receiver, country, carrier, price, currency, overPrice, shipmentId, trackingNumber, domesticShipmentId, domesticTrackingNumber, labelFile, reason, httpStatus, run, actor, profile, operation, id, resolution.',
        ],
      },
    ],
  },
  'history show': {
    description: 'Show everything that is known about a booking.',
    examples: [
      '# Book a shipment, and show what happened and what to type next.',
      ...booked('ORDER-1005'),
      'waybill history show ORDER-1005',
    ],
    output: {
      table: 'what was booked for whom, what happened when, and the commands to type next',
      quiet: 'its state',
      json: `${ROW}, account, sandbox, maxPrice, settledAt, why, overtakenBy, labels, labelledBy, files, request, answer; secrets are masked without --show-secret`,
    },
    exits: NOT_THERE,
  },
  'history resolve': {
    description: 'Resolve bookings whose outcome is unknown, after you looked them up at the service.',
    examples: [
      '# The answer is lost (exit 8). Say that nothing was created, and take it back.',
      'waybill schema ship --example > order.json',
      'waybill emulator --port 0 --fault reset-after:1 -- waybill ship -f order.json --key ORDER-1006 || test $? = 8',
      "waybill history resolve ORDER-1006 --not-created --reason 'support, ticket 4711' --force",
      'waybill history resolve ORDER-1006 --reopen',
    ],
    output: {
      table: 'the new state of each booking; with --created, stderr shows the shipment first',
      quiet: 'the id of each booking',
      json: `${ROW}; a list if several are resolved; with --file {"file", "created", "notCreated", "left"}`,
    },
    asks: ['getShipment', 'getDomesticShipment', 'getSubscription'],
    exits: {
      usage:
        'it is not unknown, another booking has the shipment, the shipment goes to another receiver, --not-created comes too early, or --reopen too late',
      not_found: 'the journal has no such booking, or the service has no such shipment',
    },
    more: [
      {
        title: 'Many at once',
        blocks: [
          '`waybill history list --state unknown -o csv > unknown.csv` writes all of them with what is known. Fill in the column resolution: created (and shipmentId, of a pair domesticShipmentId too) or not-created. Leave it empty for those that you do not know yet. `waybill history resolve --file unknown.csv` takes it back, with any delimiter that a spreadsheet writes. The column reason holds why the booking is unknown; what you write in its place is the reason of that row.',
          'The rows are matched by id. All of them are checked, with the service too, before anything is written; all problems are shown at once, by line.',
        ],
      },
      {
        title: 'When a no is too early',
        blocks: [
          'A wrong --not-created books the order a second time, and a carrier may still be at work on a request that was not answered. On a terminal you are told how long ago it was sent. Without one, and with --yes, --not-created needs a reason and is refused until 15 minutes after the request was sent, by the clock of the journal (exit 2; with --json the error has "retry":"later" and "retryAt"). --force records it at once, for what is known not to exist.',
        ],
      },
      {
        title: 'What is recorded',
        blocks: [
          'What you say is added to the record, with who you are, the time, the run and --reason. What the service answered, the status and the reason stay as they were: `waybill history show` shows all of it.',
          '--created reads the shipment, and takes carrier, price and status from it. A shipment of another booking is refused, always. So is one whose receiver has another name or country. If the service cannot be asked, add --unchecked.',
          '--reopen takes back what was said: the booking is unknown again. It is refused if the key was booked again in the meantime, or if the answer of the booking came.',
        ],
      },
    ],
  },
  'history summary': {
    description: 'Show what was booked, in numbers, and what of it needs a person, with the command to type.',
    examples: [
      '# Show what happened since yesterday, and what is still to be done.',
      'waybill history summary',
      '# Show what the last month cost, by carrier.',
      'waybill history summary --since 30d --by carrier',
    ],
    output: {
      table:
        'what needs a person first: unknown, without a label, above --max-price, without a price; then the groups',
      quiet: 'how many need a person, with all unknown ones',
      json: 'a list of group, shipments, labels, cost (by currency), withoutPrice, overPrice (above --max-price, and not accepted), unlabelled, unknown',
    },
    more: [
      {
        title: 'What is counted',
        blocks: [
          'A pair is two shipments. A shipment whose label is unknown is not unlabelled. What is unknown from before --since is shown and is in the number of -q, but in no group. Days are those of this machine. A group that is not known is null.',
        ],
      },
    ],
  },
  'history accept': {
    description:
      'Record that a person accepts a price above --max-price. Then the booking does not end with 11 any more.',
    examples: [
      '# Book with --max-price. If the price is above it (exit 11), accept it.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier fastest --max-price 60EUR --key ORDER-1008 || test $? = 11',
      "waybill history accept ORDER-1008 --reason 'agreed by phone' || test $? = 2",
    ],
    output: {
      table: 'the bookings whose price is accepted',
      quiet: 'the id of each booking',
      json: `${ROW}; a list if several are accepted`,
    },
    exits: {
      usage: 'its price is not above --max-price, or it was booked without --max-price',
      ...NOT_THERE,
    },
    more: [
      {
        title: 'What is recorded',
        blocks: [
          'That the price is accepted, by whom, when, in which run, and --reason. What is accepted already stays as it is, and is not an error. It holds for the shipment that the booking has then. Nothing else ends exit 11, also not --reopen.',
        ],
      },
    ],
  },
  'history import': {
    description: 'Import the bookings of another machine: its journal, or the results file of a batch.',
    examples: [
      '# Import the results of a batch: another machine does not book them again.',
      'waybill batch template ship > orders.csv',
      'waybill batch ship orders.csv --max-price 60EUR',
      'WAYBILL_STATE_DIR="$PWD/elsewhere" waybill history import orders.results.jsonl',
    ],
    output: {
      table: 'how many bookings were imported, were known before, and were left out',
      quiet: 'how many were imported',
      json: '{"file", "kind" (journal or results), "taken", "known", "held", "unknown", "unclear" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
    },
    exits: {
      usage:
        'the file is neither a journal nor results in JSON lines, is of a newer version, or has results of another place than that of this command',
      partial:
        'some bookings were left out: their key or label has another booking here, or a line does not say enough',
    },
    more: [
      {
        title: 'What is imported',
        blocks: [
          'From a journal everything: bookings with their ids, keys and answers, label files and secrets. A booking that is being sent there is unknown here. The file is only read, never changed.',
          'From results every booking that was created, made in part, or is unknown. Each line names its operation and its place, the address and account where it was booked: the file is imported only if that is the place of this command. Results do not say with which input they were booked, so their keys show the recorded answer for any input. Results in CSV are not imported. A duplicate in the results is unknown here.',
          'Nothing in the journal here is overwritten. If an import was stopped, run it again: it continues.',
        ],
      },
    ],
  },
  'history check': {
    description:
      'Open the journal as a booking does, and say whether it can be used: before the first booking of a machine.',
    examples: [
      '# Stop a deployment whose journal cannot be used.',
      'waybill history check',
      '# Go on with a journal that was put back from a backup, or moved.',
      'waybill history check --restored --reason "the backup of Monday"',
    ],
    output: {
      table:
        'how many bookings it has, how many are unknown, and its size; if it was put back, after which time bookings may be missing',
      quiet: 'the number of bookings',
      json: '{"journal": its file or address, "shared": boolean, "bookings": number, "unknown": number, "bytes": number, "missingSince": time or null, "restorations": [{"at", "by", "reason", "run", "missingSince"}]}',
    },
    more: [
      {
        title: 'A journal that was put back or moved',
        blocks: [
          'Bookings that were made after the backup are not in it, and their keys would be booked again. So nothing is booked with it (exit 10) until a person says with --restored that this is known. It is recorded in the journal, and holds for all machines that share it. "missingSince" is the time of the last booking before those that may be missing: compare what the service shows since then, or import the results of your batches.',
          'A journal that is gone with all of its bookings was not put back: --new-journal starts a new one.',
        ],
      },
    ],
  },
  'history backup': {
    description: 'Copy the journal into a new file, while others write to it.',
    examples: [
      '# Book a shipment, and keep a copy of the journal of today.',
      ...booked('ORDER-1007'),
      'waybill history backup "$(date +%F).db"',
    ],
    output: {
      table: 'the name and the size of the copy',
      quiet: 'the path of the copy',
      json: '{"file", "bytes"}',
    },
    exits: {
      usage: 'the file is there already, or the journal is shared',
      not_found: 'there is no journal yet',
    },
    more: [
      {
        title: 'To use a copy',
        blocks: [
          'The copy is a journal: `waybill history import FILE` takes over what is missing here. In place of a lost journal it is older than that one, so bookings that were made after it are not known: a booking is exit 10 until `waybill history check --restored --reason TEXT` records that this is known. Remove journal.db-wal and journal.db-shm of the lost one first.',
          'A shared journal is copied by the programs of PostgreSQL: pg_dump.',
        ],
      },
    ],
  },
  'history prune': {
    description:
      'Delete requests, answers and labels of old bookings. Keys and ids stay, so that nothing is booked again. On a terminal it asks before it deletes; --yes answers yes.',
    examples: ['# Delete addresses after a year.', 'waybill history prune --older-than 365d'],
    output: { table: 'how many were pruned', quiet: 'that number', json: '{"pruned": number}' },
  },
};
