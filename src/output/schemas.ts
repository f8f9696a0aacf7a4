// The JSON that waybill itself writes: as schemas that `waybill schema` publishes, and as types for the code that writes it.

import * as z from 'zod/mini';
import { STATES } from '../booking/booking.ts';
import { LEGS } from '../contract/operations.ts';
import { about, anyText } from '../contract/shapes.ts';
import { FAILURES, type FailureCode, RETRY_ADVICE } from '../exit-codes.ts';
import { BOOKING, HISTORY, HISTORY_CSV, RESULTS, type Schemas, type Selection, WAITING } from './columns.ts';
import {
  anything,
  CHOICE,
  exactOptional,
  FIELDS,
  maybe,
  maybeNumber,
  maybeText,
  maybeTime,
  number,
  time,
  yesOrNo,
} from './fields.ts';

/** The schemas of a selection, as the fields of an object. */
const columnSchemas = <C extends Selection>(columns: C): Schemas<C> =>
  Object.fromEntries(Object.entries(columns).map(([name, field]) => [name, FIELDS[field]])) as Schemas<C>;

/** Fields that several outputs share. */
const shared = columnSchemas({ ...BOOKING, ...HISTORY_CSV });

/** The sums of a batch, or of a group of `history summary`. */
const sums = {
  shipments: number('Shipments that were booked'),
  labels: number('Labels that were made'),
  withoutPrice: number('Shipments without a price that is above 0 and has a currency'),
  cost: about('The cost by currency', z.record(z.string(), z.number())),
};

/** A booking, as its line on stderr and `-o record` have it. */
export const RECORD = z.object(columnSchemas(BOOKING));
z.globalRegistry.add(RECORD, { id: 'booking' });

const issue = z.object({
  path: anyText('The field, such as items[0].hsCode; empty for the whole'),
  message: anyText('What is wrong, what was given, and what is allowed'),
  suggestion: exactOptional(anyText('What was probably meant')),
});

const error = z.object({
  code: about('What went wrong', z.enum(Object.keys(FAILURES) as [FailureCode])),
  exitCode: number('The exit code of the command, or of this record or id'),
  message: anyText('For people; its words may change'),
  operation: maybeText('The operation that failed'),
  httpStatus: shared.httpStatus,
  issues: about('Each problem of the input', z.array(issue)),
  booking: maybeText('The id in the journal of the booking that failed'),
  body: anything('The answer of the service as received, or null'),
  created: maybe(
    'Does a shipment of this command (of label: a label) exist, made now or before? null if nobody knows',
    z.boolean(),
  ),
  retry: about(
    'Whether to run the same command again: same (it is safe), later, after-change (of what the message names), never',
    z.enum(RETRY_ADVICE),
  ),
  retryAt: exactOptional(anyText('later: from when on, in UTC')),
  next: about(
    'Commands that help, each as its arguments. None books a shipment, accepts or settles',
    z.array(z.array(z.string())),
  ),
  notice: exactOptional(
    about(
      'What happened, as data: its kind, and what is known beside it. Kinds and data may change',
      z.looseObject({ kind: z.string() }),
    ),
  ),
});
const errorLine = z.object({ error });
export type ErrorLine = z.infer<typeof errorLine>;

const resultLine = z.object({
  ...columnSchemas(RESULTS),
  printed: exactOptional(
    yesOrNo('batch --print: its label was printed. history import takes only true from it'),
  ),
  orderNumber: exactOptional(
    anyText('The number of the order as its shop wrote it, where the key has the prefix of a map before it'),
  ),
  handover: exactOptional(yesOrNo('For history import, if true: it was handed over. No batch writes it')),
  export: exactOptional(yesOrNo('For history import, if true: it was exported. No batch writes it')),
  result: exactOptional(anything('The answer of the service')),
  error: exactOptional(
    z.extend(error, { exitCode: maybeNumber('As that of the line: null if it was not started') }),
  ),
});
/** A line of the results of a batch. */
export type ResultLine = z.infer<typeof resultLine>;

const counts = (description: string) => about(description, z.record(z.string(), z.int()));

const dearOrders = z.array(
  z.object({ key: z.nullable(z.string()), line: z.int(), value: z.number(), currency: z.string() }),
);

const goods = z.object({
  value: about('The value of all goods for customs, by currency', z.record(z.string(), z.number())),
  orders: counts('How many orders that is, by currency'),
  dearest: about('The three orders with the dearest goods in each currency', dearOrders),
  warnings: counts('Orders with a warning, by the field that it is about; order: about all of it'),
  rules: counts('Orders by the rule that fits them; no rule: of those that none fits'),
  leftNumbers: counts('Orders without an IOSS or marketplace number, because it does not hold for them'),
  withoutEconomy: number('Orders that the economy carrier does not take for want of a number'),
  tariffCodes: number('Different HS codes of orders to the EU, each of which costs 3 EUR of duty'),
  tariffParcels: number('In how many orders they are'),
});

const summary = z.object({
  operation: anyText('The operation of the batch'),
  input: anyText('The input as it was named'),
  results: maybeText('The results file'),
  failed: maybeText('The file of --failed, if a record is in it'),
  failedKept: maybeText(
    'Where an earlier file of --failed is now, which had records that are not in this input',
  ),
  sandbox: shared.sandbox,
  dryRun: yesOrNo('Was it a dry run?'),
  records: number('All records of the input'),
  leftOut: number('Orders that the map leaves out; they are no records'),
  sent: number('Of them, those of which this run sent something'),
  toSend: number('Of them, those that reading the input did not end'),
  warned: number('Of those, the ones with a warning'),
  goods: about('What is in those, for a look before it is booked', goods),
  dearestPostage: about('The three orders with the dearest estimate in each currency', dearOrders),
  already: number('Of them, those that an earlier run created'),
  mended: number('Of them, those that were booked from a file of --failed'),
  states: about('How many are in each state of the results', z.record(z.string(), z.int())),
  ...sums,
  before: about('The same of earlier runs', z.object(sums)),
  stopped: maybeText('Why no further record was started: a signal, unknown, or an error code'),
  exitCode: number('The exit code'),
});
/** What a batch prints on stdout. */
export type Summary = z.infer<typeof summary>;

/** What `--plan` writes. */
export const PLAN = z.object({
  plan: about('The version of this shape', z.literal(1)),
  operation: anyText('ship or ship-dual'),
  place: shared.place,
  sandbox: yesOrNo('Is it for the sandbox?'),
  key: maybeText('The key of the order; null: the hash is its key'),
  request: anything('What is sent'),
  carrier: shared.carrier,
  price: anything('Of the proposal, as the service sent it; null of ship-dual'),
  currency: shared.currency,
  service: maybeText('Its --service'),
  maxPrice: maybeText('Its --max-price, such as 20 EUR'),
  maxDays: maybe('Its --max-days', z.number()),
  days: maybe('The most days that it may take by the proposal', z.number()),
  choice: about('Why this carrier', CHOICE),
  expires: time('Until when it is booked, in UTC'),
  input: anyText('The hash of what the user gave'),
  hash: anyText('Of all the rest: SHA-256 of its JSON without blanks, with sorted names'),
});
export type Plan = z.infer<typeof PLAN>;

const leg = z.enum(LEGS);

const label = z.object({
  made: z.boolean(),
  trackingNumber: exactOptional(z.string()),
  link: exactOptional(z.string()),
});

const historyRow = z.object(columnSchemas(HISTORY));
// A schema with a name stands only once in a document, under $defs.
z.globalRegistry.add(historyRow, { id: 'row' });
const historyDetail = z.extend(historyRow, {
  account: anyText('The account of the profile; empty if it has none'),
  sandbox: shared.sandbox,
  maxPrice: maybeText('Its --max-price, such as 20 EUR'),
  choice: shared.choice,
  settledAt: maybeTime('When it was known what became of it, in UTC'),
  why: anyText('Why it is not created; empty otherwise'),
  keyHolder: maybeText('The booking that has its key, if it was booked again'),
  labels: about('What its own answer says about labels', z.partialRecord(leg, label)),
  files: about(
    'The paths of its saved labels',
    z.object({
      international: exactOptional(z.string()),
      domestic: exactOptional(z.string()),
    }),
  ),
  labelledBy: about(
    'The bookings of its labels',
    z.array(z.object({ leg, id: z.string(), state: z.enum(STATES) })),
  ),
  request: anything('What was sent'),
  answer: anything('What the service answered, or null'),
});
/** A booking as `history show` prints it. */
export type HistoryDetail = z.infer<typeof historyDetail>;

const historySummary = z.object({
  group: maybeText('The day, or the word of --by; null if it is not known'),
  subgroup: exactOptional(maybeText('With two words of --by: the second one; null if it is not known')),
  ...sums,
  overPrice: number('Bookings above --max-price whose price is not accepted'),
  unlabelled: number('Shipments without a label'),
  unknown: number('Bookings whose outcome is unknown'),
  cancelled: number('Shipments that the provider cancelled; in no other number'),
  cancelledCost: about('What they cost, by currency', z.record(z.string(), z.number())),
});
z.globalRegistry.add(historySummary, { id: 'group' });
/** One group of `history summary`. */
export type HistorySummary = z.infer<typeof historySummary>;

const handoverRow = z.object({
  key: shared.key,
  receiver: shared.receiver,
  city: maybeText('City of the receiver'),
  country: shared.country,
  carrier: shared.carrier,
  pieces: maybeNumber('How many pieces it has'),
  weightKg: maybe('The weight of all pieces in kilograms', z.number()),
  trackingNumber: shared.trackingNumber,
  shipmentId: shared.shipmentId,
});
/** A row of `history handover`. */
export type HandoverRow = z.infer<typeof handoverRow>;

const paperRow = z.object({
  key: shared.key,
  shipmentId: shared.shipmentId,
  paper: about('A commercial invoice, or a packing slip', z.enum(['invoice', 'slip'])),
  pages: number('How many pages it has'),
  file: anyText('The path of its file'),
});
/** What one check of `doctor` found. */
const doctorFinding = z.object({
  check: about(
    'What was looked at',
    z.enum([
      'node',
      'version',
      'config',
      'state',
      'profile',
      'settings',
      'journal',
      'bookings',
      'credential',
      'service',
      'clock',
      'printer',
      'labels',
      'completion',
    ]),
  ),
  state: about(
    'failed: commands fail for it; warning: it is about money, the journal or a credential; info: all works without it',
    z.enum(['ok', 'info', 'warning', 'failed']),
  ),
  message: anyText('What was found, and what to do about it'),
  next: about('Commands that help, each a list of arguments', z.array(z.array(z.string()))),
});
export type DoctorFinding = z.infer<typeof doctorFinding>;

/** A paper as `papers` prints it. */
export type PaperRow = z.infer<typeof paperRow>;

const exportRow = z.object({
  order: anyText(
    'The number of the order in the shop: as the file of its batch had it, else its key without the keyPrefix of a map',
  ),
  key: anyText('Its key'),
  carrier: shared.carrier,
  trackingNumber: anyText('Its tracking number'),
  trackingLink: maybeText('The page that follows the parcel, if the answer had one'),
  date: anyText('The day on which a courier got it, else on which it was booked'),
  shipmentId: shared.shipmentId,
});
/** A row of `history export`. */
export type ExportRow = z.infer<typeof exportRow>;

const reconcileRow = z.object({
  kind: about(
    'What the invoice says of the order',
    z.enum(['agrees', 'dearer', 'cheaper', 'currency', 'unknown', 'twice', 'cancelled', 'missing']),
  ),
  key: shared.key,
  shipmentId: maybeText('The shipment; if it is unknown what the invoice names'),
  trackingNumber: shared.trackingNumber,
  booked: maybe('What it was booked for', z.number()),
  invoiced: maybe('What all its rows add up to', z.number()),
  currency: maybeText('Of the invoice, or else of the booking'),
  difference: maybe('What is invoiced above what is to be paid', z.number()),
});
/** A row of `history reconcile`. */
export type ReconcileRow = z.infer<typeof reconcileRow>;

const restoration = z.object({
  at: time('When, in UTC'),
  by: anyText('Who'),
  reason: anyText('Why'),
  run: maybeText('In which run'),
  missingSince: maybeTime(
    'The time of the last booking before those that may be missing; null if there was none',
  ),
});

const waiting = z.object({
  why: about(
    'unknown: it may exist, and a person asks the provider; over_price: a person accepts its price; pending: its process is gone, and this command could not record that it is unknown',
    z.enum(['unknown', 'over_price', 'pending']),
  ),
  ...columnSchemas(WAITING),
});

const historyCheck = z.object({
  journal: anyText('Its file, or its address without a password'),
  exists: yesOrNo('Is it there? The first booking makes it'),
  canBook: yesOrNo('Can this user book with it, or only read it?'),
  shared: yesOrNo('Do other machines write to it?'),
  bookings: number('How many bookings it has'),
  unknown: number('Of them, those whose outcome is unknown'),
  bytes: number('Its size'),
  engine: maybeText('Which database keeps it, with its version, as SQLite 3.53.0; null if there is none'),
  missingSince: maybeTime(
    'Since when bookings may be missing, in UTC; null if it was never put back or moved',
  ),
  restorations: about('Each time that it was put back or moved, the oldest first', z.array(restoration)),
  waiting: about(
    'The bookings that wait for a person, the oldest first; those of demo where it is in force, all others elsewhere',
    z.array(waiting),
  ),
});
/** What `history check` prints. */
export type HistoryCheck = z.infer<typeof historyCheck>;

const historyMove = z.object({
  from: anyText('The file of the journal whose bookings move'),
  to: anyText('The address of the shared journal, without a password'),
  bookings: number('How many bookings move; those of demo stay'),
  moved: number('How many of them this command has copied; 0 with --dry-run'),
  there: number('How many of them the shared journal has'),
  places: about(
    'Where they are',
    z.array(
      z.object({
        address: anyText('The address of the service'),
        account: anyText('The account; empty if there is none'),
        bookings: number('How many bookings are there'),
      }),
    ),
  ),
  issues: about(
    'What prevents the move; after one, what others had booked there, and was left out',
    z.array(issue),
  ),
});
/** What `history move` prints. */
export type HistoryMove = z.infer<typeof historyMove>;

/** The kinds of lines in a file of `--log`. */
const EVENTS = [
  'request',
  'sending',
  'retry',
  'wait',
  'claim',
  'outcome',
  'settlement',
  'label',
  'batch-start',
  'batch-end',
  'warning',
  'note',
  'end',
] as const;

const logLine = z.object({
  time: time('When it was written, in UTC'),
  level: about('info, warning (it may be tried again), error', z.enum(['info', 'warning', 'error'])),
  event: about('What happened; sending: a booking is sent next, with this requestId', z.enum(EVENTS)),
  run: maybeText('Which run this is, as --run'),
  actor: anyText('Who runs it, as --actor'),
  process: number('The process on its machine'),
  profile: shared.profile,
  sandbox: maybe('Was it the sandbox?', z.boolean()),
  operation: maybeText('The operation; token is a request for a token'),
  key: maybeText('The key of the booking or order'),
  booking: maybeText('The id of the booking in the journal'),
  attempt: maybeNumber('sending, request, retry: which attempt, from 1'),
  httpStatus: shared.httpStatus,
  durationMs: maybe('request, end: how long it took, in ms', z.number()),
  wait: maybe('retry, wait: how long it waits, in ms', z.number()),
  // Fields of a booking: null in the lines of requests and in that of the command.
  carrier: shared.carrier,
  price: shared.price,
  currency: shared.currency,
  shipmentId: shared.shipmentId,
  // Messages of the service are left out: they may repeat what a customer wrote.
  error: maybeText('What was wrong: the code of an error, or the fault of a connection'),
  requestId: maybeText('sending, request: the header that requestIdHeader of the profile names'),
  state: exactOptional(anyText('outcome, settlement: the state of the booking')),
  labelFile: exactOptional(anyText('label: the path of the file')),
  counts: exactOptional(
    about('batch-start, batch-end: numbers of records', z.record(z.string(), z.number())),
  ),
  command: exactOptional(anyText('end: the command, such as batch ship')),
  exitCode: exactOptional(number('end: the exit code')),
  notice: exactOptional(
    about(
      'warning, note, end: what was said, as data; of its texts only those that no customer and no service wrote',
      z.looseObject({ kind: z.string() }),
    ),
  ),
});
/** A line of `--log`: no bodies, no data of customers, no secrets. */
export type LogLine = z.infer<typeof logLine>;

interface Output {
  description: string;
  schema: z.ZodMiniType;
}

export const OUTPUTS = {
  booking: {
    description:
      'The line on stderr of each booking, with JSON output; and the booking in it, or a list, as -o record prints it.',
    schema: z.union([
      z.object({ booking: RECORD }),
      RECORD,
      z.array(z.union([RECORD, z.object({ id: anyText('As it was named'), error })])),
    ]),
  },
  results: {
    description: 'A line of the results of a batch, as JSON.',
    schema: resultLine,
  },
  summary: { description: 'What a batch prints on stdout, as JSON.', schema: summary },
  history: {
    description:
      'What `history list`, `show`, `accept`, `cancelled` and `resolve REF` print as JSON: one booking, or a list.',
    schema: z.union([historyDetail, historyRow, z.array(historyRow)]),
  },
  'history-summary': {
    description: 'What `history summary` prints as JSON: a list of groups.',
    // With -o jsonl each line is a group.
    schema: z.union([historySummary, z.array(historySummary)]),
  },
  'history-handover': {
    description: 'What `history handover` prints as JSON: a list of orders.',
    schema: z.union([handoverRow, z.array(handoverRow)]),
  },
  'history-export': {
    description: 'What `history export` prints as JSON: a list of orders.',
    schema: z.union([exportRow, z.array(exportRow)]),
  },
  'history-reconcile': {
    description: 'What `history reconcile` prints as JSON: a list of orders.',
    schema: z.union([reconcileRow, z.array(reconcileRow)]),
  },
  'history-check': { description: 'What `history check` prints as JSON.', schema: historyCheck },
  'history-move': { description: 'What `history move` prints as JSON.', schema: historyMove },
  doctor: {
    description: 'What `doctor` prints as JSON: a list of what each check found.',
    // With -o jsonl each line is a finding.
    schema: z.union([doctorFinding, z.array(doctorFinding)]),
  },
  papers: {
    description: 'What `papers` prints as JSON: a list of papers.',
    schema: z.union([paperRow, z.array(paperRow)]),
  },
  plan: { description: 'What --plan writes, and -f books.', schema: PLAN },
  error: {
    description: 'The last line on stderr of a command that fails, with JSON output.',
    schema: errorLine,
  },
  log: { description: 'A line of the file of --log.', schema: logLine },
} as const satisfies Record<string, Output>;

export type OutputName = keyof typeof OUTPUTS;

/** The JSON Schema (2020-12) of an output. A later version may add fields and words: the schema refuses none. */
export function outputSchema(name: OutputName) {
  const { description, schema } = OUTPUTS[name];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    // The number of an output rises when a field is removed or changes its meaning, and not when a field is added.
    $id: `urn:waybill:schema:${name}:1`,
    title: name,
    description,
    ...openSchema(schema),
  };
}

/** A part of an output as JSON Schema, which allows further fields and further words. */
export function openSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return openedSchema(rest) as Record<string, unknown>;
}

/** Opens a schema: objects take further fields, and a list of allowed words becomes a list of examples. */
function openedSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(openedSchema);
  if (typeof part !== 'object' || part === null) return part;
  const { additionalProperties, enum: words, ...rest } = part as Record<string, unknown>;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, openedSchema(value)])),
    ...(words !== undefined && { examples: words }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: openedSchema(additionalProperties),
    }),
  };
}
