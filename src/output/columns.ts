// The columns of a booking, each with its schema and how it is read. The line on stderr, `-o record`, the rows of the
// history and their CSV, the lines of results and their CSV, and the schemas of all of them are selections of them, so that
// a field is added in one place.
import * as z from 'zod/mini';
import { LEGS } from '../contract/operations.ts';
import { about, anyText } from '../contract/shapes.ts';
import { type BookedOrder, type Booking, receiverOf, STATES, settlementOf } from '../journal/booking.ts';
import { type ByLeg, RECORD_STATES, type Told, type ToldOrder, type ToldRecord, toldOrder } from './told.ts';

// Each call makes a schema of its own: a schema that is described twice has the later description in both places.
export const exactOptional = z.exactOptional;
export const number = (description: string) => about(description, z.int());
export const time = (description: string) => about(description, z.iso.datetime());
export const texts = (description: string) => about(description, z.array(z.string()));
export const yesOrNo = (description: string) => about(description, z.boolean());
export const anything = (description: string) => about(description, z.unknown());
/** `null` if it is not known. */
export const maybe = <T extends z.ZodMiniType>(description: string, schema: T) =>
  about(description, z.nullable(schema));
export const maybeText = (description: string) => maybe(description, z.string());
export const maybeNumber = (description: string) => maybe(description, z.int());
export const maybeTime = (description: string) => maybe(description, z.iso.datetime());

const inOrder = (all: ByLeg): string[] => LEGS.flatMap(leg => all[leg] ?? []);

/** A column that is read from `S`. `undefined`: what it is read from has none. */
interface Column<T extends z.ZodMiniType, S> {
  schema: T;
  of(this: void, told: S): z.infer<T> | undefined;
}
const column = <T extends z.ZodMiniType, S>(
  schema: T,
  of: (told: S) => z.infer<T> | undefined,
): Column<T, S> => ({ schema, of });

/** Columns that are fields of one part of what is told. */
const fieldsOf = <C extends Record<string, z.ZodMiniType>, S>(
  part: (told: S) => { [N in keyof C]?: unknown } | undefined,
  schemas: C,
) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, column(schema, (told: S) => part(told)?.[name])]),
  ) as { [N in keyof C]: Column<C[N], S> };

/** What a settlement says, in the word of `history resolve --file`. */
const RESOLUTIONS: Readonly<Record<string, string>> = { created: 'created', rejected: 'not-created' };

const COLUMNS = {
  ...fieldsOf((told: Told) => told, {
    operation: anyText('ship, ship-dual, label or webhook-create; in results also track, quote, rates'),
    place: anyText('The address of the service, then " account " and the account if there is one; or demo'),
    sandbox: yesOrNo('Was it the sandbox?'),
    key: maybeText("The caller's own name for it; of a label that of its shipment"),
    exitCode: maybeNumber(
      'The exit code of the booking or record; null while it is being sent, and if it was not started',
    ),
    sent: yesOrNo('Was it sent in this run? Else its recorded answer is shown again'),
    run: maybeText('Which run booked it, as --run'),
    actor: maybeText('Who booked it, as --actor'),
  }),
  ...fieldsOf(({ facts }: Told) => facts, {
    carrier: maybeText('The id of its carrier'),
    price: anything('As the service sent it: a number, or text'),
    currency: maybeText('Of the price'),
    overPrice: maybe(
      'Is its price above --max-price, or not comparable? null without --max-price or a price',
      z.boolean(),
    ),
  }),
  shipmentId: column(
    maybeText('The shipment; of a pair the international one'),
    ({ facts }: Told) => facts.shipments.international ?? null,
  ),
  domesticShipmentId: column(
    maybeText('Of a pair: the domestic shipment'),
    ({ facts }: Told) => facts.shipments.domestic ?? null,
  ),
  trackingNumber: column(
    maybeText('Of its label'),
    ({ facts }: Told) => facts.tracking.international ?? null,
  ),
  domesticTrackingNumber: column(
    maybeText('Of the domestic label'),
    ({ facts }: Told) => facts.tracking.domestic ?? null,
  ),
  labelFile: column(
    maybeText('The path of the saved label'),
    ({ facts }: Told) => inOrder(facts.files)[0] ?? null,
  ),
  shipmentIds: column(
    texts('Its shipments, the international one first, or those that it labels'),
    ({ facts }: Told) => inOrder(facts.shipments),
  ),
  trackingNumbers: column(texts('Those of its labels, in the same order'), ({ facts }: Told) =>
    inOrder(facts.tracking),
  ),
  labelFiles: column(texts('The paths of the saved labels'), ({ facts }: Told) => inOrder(facts.files)),

  // Of the history.
  ...fieldsOf(({ order }: ToldOrder) => order.booking, {
    id: anyText('Its id in the journal'),
    state: about('What became of the booking', z.enum(STATES)),
    profile: maybeText('The profile that it was booked with'),
    address: anyText('The address of the service; demo is the emulator'),
    httpStatus: maybeNumber('The status of the answer'),
  }),
  at: column(time('When it was booked, in UTC'), ({ order }: ToldOrder) =>
    new Date(order.booking.at).toISOString(),
  ),
  receiver: column(
    about(
      'Who gets it',
      z.object({
        name: maybeText('Name'),
        city: maybeText('City'),
        country: maybeText('Code of the country'),
      }),
    ),
    ({ order }: ToldOrder) => receiverOf(order),
  ),
  receiverName: column(maybeText('Who gets it'), ({ order }: ToldOrder) => receiverOf(order).name),
  country: column(
    maybeText('Code of the country of the receiver'),
    ({ order }: ToldOrder) => receiverOf(order).country,
  ),
  reason: column(maybeText('Why it is not created'), ({ order }: ToldOrder) => order.booking.why || null),
  bookedBy: column(
    about(
      'The process that booked',
      z.object({
        user: exactOptional(maybeText('Its user')),
        host: maybeText('Its machine'),
        version: exactOptional(maybeText('Its version of waybill')),
        process: exactOptional(number('show: its number')),
        start: exactOptional(anyText('show: when it began, by its system')),
        space: exactOptional(anyText('show: where its number means something')),
      }),
    ),
    ({ order }: ToldOrder) => {
      const { user = null, host, version = null } = order.booking.holder;
      return { user, host: host || null, version };
    },
  ),
  settlements: column(
    about(
      'What persons said about it, oldest first',
      z.array(
        z.object({
          at: time('When, in UTC'),
          by: anyText('Who'),
          reason: maybeText('Why'),
          run: maybeText('In which run'),
          state: about('What was said', z.enum(['created', 'rejected', 'reopened', 'accepted', 'cancelled'])),
          ids: about('The ids that the booking has by it', z.record(z.string(), z.string())),
          sameAs: exactOptional(anyText('The booking whose shipment it is, too')),
          evidence: exactOptional(anything('show: what the service told then, or null')),
        }),
      ),
    ),
    ({ order }: ToldOrder) =>
      order.booking.settlements.map(({ at, before: _, evidence: __, ...one }) => ({
        at: new Date(at).toISOString(),
        ...one,
      })),
  ),
  // What is unknown again has none: given back as it is, the file must not say what was wrong before.
  resolution: column(
    maybeText('What a person said that it is'),
    ({ order }: ToldOrder) => RESOLUTIONS[settlementOf(order.booking)?.state ?? ''] ?? null,
  ),

  // Of the results of a batch.
  ...fieldsOf((told: ToldRecord) => told, {
    line: number('Its line in the input, from 1'),
    mended: yesOrNo('Was it booked from a file of --failed?'),
  }),
  recordState: column(
    about(
      'What became of it: as a booking, or invalid, duplicate, estimated, done, failed',
      z.enum(RECORD_STATES),
    ),
    (told: ToldRecord) => told.state,
  ),
  ...fieldsOf(({ tracking }: ToldRecord) => tracking, {
    status: exactOptional(maybeText('track: its status')),
    milestone: exactOptional(maybeText('track: its newest milestone')),
    statusAt: exactOptional(maybeText('track: since when, as the service sent it')),
  }),
};

type ColumnName = keyof typeof COLUMNS;

const selected = <N extends ColumnName>(names: readonly N[]): Pick<typeof COLUMNS, N> =>
  Object.fromEntries(names.map(name => [name, COLUMNS[name]])) as Pick<typeof COLUMNS, N>;

/** The line on stderr, and `-o record`. */
export const BOOKING = selected([
  'id',
  'operation',
  'place',
  'sandbox',
  'key',
  'state',
  'exitCode',
  'sent',
  'carrier',
  'price',
  'currency',
  'overPrice',
  'shipmentIds',
  'trackingNumbers',
  'labelFiles',
  'run',
  'actor',
]);

/** A row of the history. */
export const HISTORY = selected([
  'id',
  'operation',
  'key',
  'state',
  'at',
  'profile',
  'address',
  'receiver',
  'shipmentIds',
  'trackingNumbers',
  'carrier',
  'price',
  'currency',
  'overPrice',
  'labelFile',
  'exitCode',
  'httpStatus',
  'reason',
  'run',
  'actor',
  'bookedBy',
  'settlements',
]);

/** The columns of `history list` as CSV. `history resolve --file` reads `id`, `shipmentId`, `reason` and `resolution`. */
export const HISTORY_CSV = {
  ...selected(['key', 'state', 'at']),
  receiver: COLUMNS.receiverName,
  ...selected([
    'country',
    'carrier',
    'price',
    'currency',
    'overPrice',
    'shipmentId',
    'trackingNumber',
    'domesticShipmentId',
    'domesticTrackingNumber',
    'labelFile',
    'reason',
    'httpStatus',
    'run',
    'actor',
    'profile',
    'operation',
    'id',
    'resolution',
  ]),
};

/** What a line of the log says of a booking. */
export const LOG = selected([
  'profile',
  'sandbox',
  'operation',
  'key',
  'carrier',
  'price',
  'currency',
  'shipmentId',
]);

/** What `history check` says of a booking that waits for a person: nothing of its receiver, because alarms are mailed. */
export const WAITING = selected([
  'id',
  'operation',
  'key',
  'state',
  'at',
  'profile',
  'address',
  'sandbox',
  'shipmentIds',
  'carrier',
  'price',
  'currency',
  'run',
  'actor',
]);

/** Columns of a shipment that was read: results of other operations have none. */
export const TRACKING = ['status', 'milestone', 'statusAt'] as const;

/** A line of the results of a batch. */
export const RESULTS = {
  ...selected(['operation', 'place', 'key', 'line']),
  state: COLUMNS.recordState,
  ...selected([
    'exitCode',
    'sent',
    'sandbox',
    'shipmentId',
    'domesticShipmentId',
    'trackingNumber',
    'domesticTrackingNumber',
    'carrier',
    'price',
    'currency',
    'overPrice',
    'mended',
    ...TRACKING,
    'labelFile',
    'run',
    'actor',
  ]),
};

type Schemas<C extends Record<string, { schema: z.ZodMiniType }>> = { [N in keyof C]: C[N]['schema'] };
type Row<C extends Record<string, { schema: z.ZodMiniType }>> = z.infer<z.ZodMiniObject<Schemas<C>>>;

/** The schemas of a selection, as the fields of an object. */
export const columnSchemas = <C extends Record<string, { schema: z.ZodMiniType }>>(columns: C): Schemas<C> =>
  Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])) as Schemas<C>;

/** What a selection shows. A column that does not apply is not in it. Every record of a batch has such a row. */
export function columnRow<S, C extends Record<string, Column<z.ZodMiniType, S>>>(
  columns: C,
  told: S,
): Row<C> {
  const row: Record<string, unknown> = {};
  for (const name in columns) {
    const value = columns[name]?.of(told);
    if (value !== undefined) row[name] = value;
  }
  return row as Row<C>;
}

export type BookingLine = Row<typeof BOOKING>;
export type HistoryRow = Row<typeof HISTORY>;

/** What a selection shows of a booking alone, without the labels that others made. `sent`: by this command. */
export const bookingRow = <C extends Record<string, Column<z.ZodMiniType, ToldOrder>>>(
  columns: C,
  booking: Booking,
  sent = false,
): Row<C> => columnRow(columns, toldOrder({ booking, labels: [] }, sent));

/** A booking as `history` shows it. What was not recorded is `null`. */
export const historyRow = (booking: Booking): HistoryRow => bookingRow(HISTORY, booking);

/** An order as `history` shows it, with the labels that other bookings made of it. */
export const orderRow = (order: BookedOrder): HistoryRow => columnRow(HISTORY, toldOrder(order));
