// The pages of `waybill history`.
import { FIRST_PAGE } from '../../commands/history/list.ts';
import { HISTORY_CSV } from '../../output/columns.ts';
import type { HelpPages } from '../../shell/pages.ts';

const SETTLED = {
  table: 'a sentence for each booking',
  quiet: 'the id of each booking',
  json: 'a row of `waybill schema history`; of several a list',
};

export const HISTORY: HelpPages = {
  'history backup': {
    examples: [
      '# Book a shipment, and keep a copy of the journal of today.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1007',
      'waybill history backup "$(date +%F).db"',
    ],
    output: {
      table: 'the name and the size of the copy',
      quiet: 'the path of the copy',
      json: '{"file", "bytes"}',
    },
    exits: { usage: 'the file is there already, or the journal is shared: pg_dump copies that' },
    notes: {
      'The copy': `It is marked as a copy, because it lacks what is booked after it was made: in place of a journal nothing is booked or settled with it until \`waybill history check --restored --reason TEXT\`.`,
    },
  },
  'history check': {
    examples: [
      '# Stop a deployment whose journal cannot be used.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1012',
      'waybill history check',
      '# An alarm: exit 9 if something waits for a person, 10 if the journal cannot be used.',
      'waybill history check --strict --json || echo "look at the journal: exit $?"',
      '# Go on with a journal that was put back from a backup, or moved.',
      'waybill history check --restored --reason "the backup of Monday"',
    ],
    output: {
      table:
        'whether it can be used, its size, since when bookings may be missing, and each booking that waits for a person',
      quiet: 'the number of bookings',
      json: 'as `waybill schema history-check` describes it',
    },
    exits: {
      partial: 'with --strict: something waits for a person',
      storage: 'a booking would refuse the journal; with --strict also if there is none',
    },
    notes: {
      'What waits for a person': `Unknown bookings, prices above --max-price that nobody has accepted, and bookings whose process is gone. That bookings may be missing is exit 10 until --restored is said, and then shown and not counted.

In production a place (address and account) is booked in one journal. Where this machine booked it in another one last, that is exit 10; --restored, with the journal that counts, says that the other one is gone.

It only reads, and needs no more rights than that; it never makes a journal, unless with --new-journal.`,
    },
  },
  'history export': {
    examples: [
      '# Book an order with its label, and look at what the shop would import.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier EXP --key 305-1001 --label',
      'waybill history export --for amazon',
      '# Write the file. The next one has none of these orders.',
      'waybill history export --for amazon confirmation.txt',
      '# Write it once more, for a shop that takes other columns.',
      'waybill history export --for csv --columns "Order ID=order,Tracking=trackingNumber,Shipped=date" tracking.csv',
      'waybill history export --for csv --again -o json',
    ],
    output: {
      table: 'the file as the shop imports it, or where it was written',
      quiet: 'the number of each order',
      json: 'a list, as `waybill schema history-export` describes it',
    },
    exits: {
      usage:
        'FILE is there and no such export, two orders of different shops have one number, or it is not clear which one --again means',
      not_found: 'there is no export with that number',
    },
    notes: {
      'What is exported': `Orders with a tracking number that no export of this form had yet; those of the sandbox only where it is in force. FILE or --yes records it; without them it is only shown. stderr names what was left out because it is cancelled, has no tracking number, no key, or no keyPrefix of the map. The number of an order is as the file of its batch had it, else its key, without the keyPrefix of the map. Days are those of this machine: when a courier got the parcel, else when it was booked.

Each export of a form has a number, which stderr has. Without it, --again writes the newest, unless another desk or run recorded that: then both are named. One that was recorded and not written to its end, as by a command that was killed, is written by the same command, under its number; newer orders are on the next one.

The settings amazonCarriers and woocommerceCarriers of the profile say how the shop spells each carrier, such as EXP=DHL,ECO=UPS; for Amazon any other is Other with its id. woocommerceDate is the form of the date.`,
    },
  },
  'history handover': {
    examples: [
      '# Look at what the courier gets. Nothing is recorded.',
      'waybill history handover --carrier EXP',
      '# Write the list to sign. The next list has none of these orders.',
      'waybill history handover --carrier EXP --pdf express.pdf',
      '# Show your last list once more.',
      'waybill history handover --again',
      '# It was too early: take list 1 back, if there is one. The next list has its orders.',
      'waybill history handover --undo 1 || test $? = 4',
    ],
    output: {
      table: 'a row for each order, sums by carrier, and a line to sign',
      quiet: 'the key of each order, or its shipment id',
      json: 'a list, as `waybill schema history-handover` describes it',
    },
    exits: {
      usage:
        '--pdf names a file that is no such list, --leave an order that a list has, or it is not clear which list is meant',
      not_found: '--leave names no order, or there is no list with that number, or none for --undo',
    },
    notes: {
      'What is listed': `Orders whose labels are all made, and that no handover had yet; those of the sandbox only where it is in force. --pdf or --yes records it; without them it is only shown. stderr names what was left out because it is cancelled, has no label, or was kept back (--leave): that is on the next list again.

Each list has a number, which stderr, its paper and "history show" of its orders have. Without a number, --again shows the newest list and --undo takes it back, unless another desk or run recorded it; --undo also not if there was one in the ten minutes before it. --undo takes back the whole list, and asks first on a terminal.

A list that was recorded and not written to its end, as by a command that was killed, is written by the same command, under its number; newer orders are on the next one. --again NUMBER with --pdf or --yes writes it, too.`,
    },
  },
  history: {
    examples: ['# List the bookings, the newest first.', 'waybill history list'],
  },
  'history import': {
    examples: [
      '# Import the results of a batch: another machine does not book them again.',
      'waybill batch template ship > orders.csv',
      'waybill batch ship orders.csv --max-price 60EUR',
      'WAYBILL_STATE_DIR="$PWD/elsewhere" waybill history import orders.results.jsonl --done none',
    ],
    output: {
      table: 'how many bookings were imported, were settled, were known before, and were left out',
      quiet: 'how many were imported or settled',
      json: '{"file", "taken", "settled", "known", "held" (left out), "unknown" (of taken), "unclear" and "unpriced" (lines), "leftOut" (the first 1000: booking, operation, key, state, shipmentIds, heldBy)}',
    },
    exits: {
      usage:
        'the file has no results in JSON lines, or those of another place; or nobody says what was done with its orders',
      partial:
        'some were left out: their key or label has another booking here, or a line does not say enough or has a price that cannot be read',
    },
    notes: {
      'What is imported': `What was created or made in part, is unknown, or was cancelled; a duplicate is unknown here. Results do not say with which input they were booked, so their keys show the recorded answer for any input.

A booking that is unknown here because this journal could not be written when its answer came is settled as its line says, with its labels; so is one that was imported as unknown, if its line now says that it was made. No other booking here is changed.

What is imported has the time of its answer in the results: with its price it counts in the limits of the profile in force (policy.maxPerDay), if that was in the last 24 hours. Without such a time it counts as booked now.

If an import was stopped, run it again: it continues. Once all of a file is imported, a batch here may replace it.`,
      'What was done': `What the other machine printed, handed over or exported must not be done here again. A line may say it: "printed": true, as a batch with --print writes it, "handover": true, "export": true (to all shops). For the rest a terminal asks once; elsewhere --done says it for all orders of the file: \`--done printed,handover,export\`, some of these words, or \`--done none\`. Such an order is on no new list here; "history show" has it.`,
    },
  },
  'history list': {
    examples: [
      '# List the orders since yesterday.',
      'waybill history list --since 1d',
      '# Find an order by how names begin, in any case and without accents.',
      'waybill history list --search "mul munch"',
      '# Find the order of a customer who calls: national or not, with or without blanks.',
      'waybill history list --search "030 555 01 23"',
      '# List the bookings that may or may not exist. Resolve them.',
      'waybill history list --state unknown',
      '# List what was booked today and has no label yet.',
      'waybill history list --unlabelled --since today',
    ],
    output: {
      table: `a line for each order, on a terminal the first ${FIRST_PAGE}; times of this machine. A price above --max-price is marked with !`,
      quiet: 'the id of each booking',
      json: 'a list, as `waybill schema history` describes it; times are UTC',
    },
    notes: {
      'What is listed': `A label that was made is a part of its shipment; one that failed or is unknown has its own row. With --run NAME only what that run booked is listed. Bookings of demo are listed where it is in force, all others elsewhere. CSV always has the columns ${Object.keys(HISTORY_CSV).join(', ')}.`,
    },
  },
  'history move': {
    examples: [
      '# Of a machine that booked with its own journal, and shares one from now on: look first.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1013',
      'waybill history move postgres://waybill@db.example.com/waybill --dry-run || test $? = 10',
    ],
    output: {
      table: 'how many bookings moved, and where they are',
      quiet: 'how many were copied',
      json: 'as `waybill schema history-move` describes it',
    },
    exits: {
      usage: 'something prevents it, and all of that is listed; or ADDRESS has a password',
      not_found: 'this machine has no journal',
      partial: 'others booked the same there while the move ran; the rest is there',
      storage: 'one of the journals cannot be used',
    },
    notes: {
      'What moves': `All bookings of the journal of this machine, with labels, prints, lists and secrets, whatever journal is named for bookings; those of demo stay. It is prevented, and nothing is moved, while something is booked or printed here, where a list was not written to its end, and where a key, a shipment or a label has another booking there.

From the first copied booking on nothing is booked or settled in the journal of this machine, which can still be read. If the move was stopped, run it again: it ends it, each booking once. Another ADDRESS is refused. Then each place that this machine booked here is booked there.

A password comes from PGPASSWORD, PGPASSFILE, or what WAYBILL_JOURNAL or the profile have for the same address.`,
    },
  },
  'history prune': {
    examples: [
      '# Delete addresses after a year. On a terminal it asks before; --yes answers yes.',
      'waybill history prune --older-than 365d',
      '# Delete those of one customer, who asked for it.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1011',
      'waybill history prune ORDER-1011',
    ],
    output: {
      table: 'how many were pruned',
      quiet: 'that number',
      json: '{"pruned": number}',
    },
    exits: {
      usage: 'a REF names two orders, or an order is being sent or labelled',
      partial:
        'it was deleted, and somebody who reads the journal kept its files from being cleaned: run it again',
    },
    notes: {
      'What is deleted': `Requests, answers, labels and the links to them, receivers, the words by which they are found, and reasons; keys and ids stay, so that nothing is booked again. With a REF goes all that the journal has of that order: each attempt under its key, and its labels. An unknown order is only pruned by its name. Files are not touched: stderr says where addresses may still be. Delete those yourself.

Then the files of a local journal are written anew, so that no byte of it is left in them: meanwhile nobody else books, for some seconds for each 100 MB. \`waybill help journal\` says where else addresses may be.`,
    },
  },
  'history reconcile': {
    examples: [
      "# Book, and hold the provider's invoice against it. It is dearer, so the exit code is 9.",
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier EXP --key ORDER-1010',
      "printf 'Reference;Amount;Currency\\nORDER-1010;1999,90;EUR\\n' > invoice.csv",
      'waybill history reconcile invoice.csv || test $? = 9',
      '# Of an invoice without a header: which columns they are, counted from 1.',
      "printf '2026-03-02;ORDER-1010;1999,90\\n' > rows.csv",
      'waybill history reconcile rows.csv --no-header --by 2 --price 3 --currency EUR || test $? = 9',
    ],
    output: {
      table: 'the sums of each kind, then what does not agree, the dearest first',
      quiet: 'the key, or the shipment id, of each order that does not agree',
      json: 'a list, as `waybill schema history-reconcile` describes it, with what agrees',
    },
    exits: { partial: 'something does not agree' },
    notes: {
      'What is compared': `The rows of one shipment in one file are added up; the table says how many there are. An order agrees, is dearer (also without a price), cheaper, in another currency, unknown (not booked here), twice (in two files), cancelled (and invoiced), or missing: booked between the first and the last that match, or --since and --until, with one of their carriers, and in no file; how many were booked after the last is told. A row without an order is unknown, unless its amount is exactly the total of the other rows of its invoice, or of the file, in its currency, and it says so (DHL: the line type I) or says nothing else; a note names it. If it may be of a booking of which nobody knows whether it exists, because it has that key, that receiver, or that country and a day of the month after, the message names the booking and the command that asks the service for the shipment; nothing is settled by that. Bookings of the sandbox count only where it is in force. Currencies are never converted.

The columns are found by their names and told: a shipment id before a tracking number, and that before a reference. A reference is never taken for a shipment id, nor the other way round; of a column of another name any may be meant, and a cell that fits two orders is exit 2.`,
    },
  },
  'history resolve': {
    examples: [
      '# The answer is lost (exit 8). Say that nothing was created, and take it back.',
      'waybill schema ship --example > order.json',
      'waybill emulator --port 0 --fault reset-after:1 -- waybill ship -f order.json --key ORDER-1006 || test $? = 8',
      "waybill history resolve ORDER-1006 --not-created --reason 'support, ticket 4711' --force",
      'waybill history resolve ORDER-1006 --reopen',
    ],
    output: { ...SETTLED, json: `${SETTLED.json}; with --file {"file", "created", "notCreated", "left"}` },
    exits: {
      usage:
        'it is not unknown, another booking has the shipment, the shipment goes to another receiver, --not-created comes too early (or --created without a label that was asked for), or --reopen too late',
      outcome_unknown: 'you were asked, and do not know it yet',
    },
    notes: {
      Notes: `With a REF alone it asks on a terminal whether the booking exists. A wrong --not-created books the order a second time: ask the provider of the service first, and believe a no only 15 minutes after the request was sent. Where nobody is asked, --not-created needs --reason, and until then --force; so does --created where a label that was asked for was not made (one of two, or those of a pair with --label), because it may be requested then. If it reads that from the service, it needs no reason. \`waybill help journal\` has all steps.`,
    },
  },
  'history accept': {
    examples: [
      '# Book with --max-price. If the price is above it (exit 11), accept it.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --carrier fastest --max-price 60EUR --key ORDER-1008 || test $? = 11',
      "waybill history accept ORDER-1008 --reason 'agreed by phone' || test $? = 2",
    ],
    output: SETTLED,
    exits: { usage: 'its price is not above --max-price, or it was booked without --max-price' },
  },
  'history cancelled': {
    examples: [
      '# The provider cancelled a shipment, by phone or on its page. Record that, and take it back.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1009',
      "waybill history cancelled ORDER-1009 --reason 'support, ticket 4712'",
      'waybill history cancelled ORDER-1009 --reopen',
    ],
    output: SETTLED,
    exits: { usage: 'it is no shipment that exists, or --reopen of one that is not cancelled' },
    notes: {
      Notes: `The service has no operation that cancels: the provider does it first, and nobody is told. The booking stays in the record and keeps its key; it leaves the costs, \`track --active\` and the labels.`,
    },
  },
  'history show': {
    examples: [
      '# Book a shipment, and show what happened and what to type next.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1005',
      'waybill history show ORDER-1005',
    ],
    output: {
      table: 'what was booked for whom, what happened when, and the commands to type next',
      quiet: 'its state',
      json: 'as `waybill schema history` describes it; secrets are masked without --show-secret',
    },
  },
  'history summary': {
    examples: [
      '# Show what happened since yesterday, and what is still to be done.',
      'waybill history summary',
      '# Show what the last month cost, by carrier.',
      'waybill history summary --since 30d --by carrier',
      '# Show what each carrier cost in each month, with sums.',
      'waybill history summary --by month,carrier',
    ],
    output: {
      table:
        'what needs a person first: unknown, without a label, above --max-price, without a price; then the groups, sums and the total',
      quiet: 'how many need a person, with all unknown ones',
      json: 'a list, as `waybill schema history-summary` describes it',
    },
    notes: {
      'What is counted': `A pair is two shipments. What is unknown from before --since is shown, and in the number of -q, but in no group. With two words of --by the JSON has the second one as \`subgroup\`. What the provider cancelled is in no other number. Bookings of the sandbox count only where it is in force. Days and months are those of this machine.`,
    },
  },
};
