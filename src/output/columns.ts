// The columns of a booking, each with how its value is read; `fields.ts` says what it holds. The line on stderr, `-o record`, the history,
// the results of batches (both also as CSV) and their schemas are selections of these columns, so that a field is added in one place.
import type * as z from 'zod/mini';
import { type Booking, choiceOf, SETTLED_AS, settlementsOf } from '../booking/booking.ts';
import { type BookedOrder, type ListedBooking, receiverOf } from '../booking/questions.ts';
import { decisionOf } from '../booking/standing.ts';
import { LEGS } from '../contract/operations.ts';
import type { FIELDS } from './fields.ts';
import type { Scalar } from './text.ts';
import { type ByLeg, type Told, type ToldOrder, type ToldRecord, toldOrder } from './told.ts';

type Fields = typeof FIELDS;
type Field = keyof Fields;

/** How columns are read from `S`. A value `undefined`: the column does not apply to this `S`. */
type Columns<S> = { [N in Field]?: (source: S) => z.infer<Fields[N]> | undefined };

/** Columns that are read from the fields with the same names in one part of `S`. */
const partColumns = <N extends Field, S>(
  part: (source: S) => { [M in NoInfer<N>]?: unknown } | undefined,
  names: readonly N[],
) =>
  Object.fromEntries(names.map(name => [name, (source: S) => part(source)?.[name]])) as {
    [M in N]: (source: S) => z.infer<Fields[M]> | undefined;
  };

const inOrder = (byLeg: ByLeg): string[] => LEGS.flatMap(leg => byLeg[leg] ?? []);

/** What a person said of a booking, in the word that `history resolve --file` reads. */
const RESOLUTIONS: Readonly<Record<string, string>> = { confirmed: 'created', denied: 'not-created' };

const COLUMNS = {
  ...partColumns(
    (source: Told) => source,
    ['operation', 'place', 'sandbox', 'key', 'exitCode', 'sent', 'run', 'actor'],
  ),
  ...partColumns(({ facts }: Told) => facts, ['carrier', 'price', 'currency', 'overPrice']),
  ...({
    shipmentId: source => source.facts.shipments.international ?? null,
    domesticShipmentId: source => source.facts.shipments.domestic ?? null,
    trackingNumber: source => source.facts.tracking.international ?? null,
    domesticTrackingNumber: source => source.facts.tracking.domestic ?? null,
    labelFile: source => inOrder(source.facts.files)[0] ?? null,
    shipmentIds: source => inOrder(source.facts.shipments),
    trackingNumbers: source => inOrder(source.facts.tracking),
    labelFiles: source => inOrder(source.facts.files),
  } satisfies Columns<Told>),

  // Columns of the history.
  ...partColumns(
    ({ order }: ToldOrder<ListedBooking>) => order.booking,
    ['id', 'state', 'profile', 'address', 'httpStatus'],
  ),
  ...({
    at: source => new Date(source.order.booking.at).toISOString(),
    receiver: source => receiverOf(source.order),
    receiverName: source => receiverOf(source.order).name,
    country: source => receiverOf(source.order).country,
    reason: source => source.order.booking.why || null,
    settlements: source =>
      settlementsOf(source.order.booking).map(fact => ({
        at: new Date(fact.at).toISOString(),
        state: SETTLED_AS[fact.kind],
        by: fact.by,
        reason: fact.reason,
        run: fact.run,
        ids: fact.ids,
        ...(fact.kind === 'confirmed' && fact.sameAs !== undefined && { sameAs: fact.sameAs }),
      })),
    resolution: source => RESOLUTIONS[decisionOf(source.order.booking)?.kind ?? ''] ?? null,
  } satisfies Columns<ToldOrder<ListedBooking>>),
  ...({
    choice: source => choiceOf(source.order.booking),
    bookedBy: source => {
      const { user = null, host, version = null } = source.order.booking.holder;
      return { user, host: host || null, version };
    },
  } satisfies Columns<ToldOrder>),

  // Columns of the results of a batch.
  ...partColumns((record: ToldRecord) => record, ['line', 'mended', 'journal', 'recorded']),
  ...({ recordState: record => record.state } satisfies Columns<ToldRecord>),
  ...partColumns(({ tracking }: ToldRecord) => tracking, ['status', 'milestone', 'statusAt']),
} satisfies Record<Field, unknown>;

/** The columns that can be read from `S`. */
type ColumnOf<S> = {
  [N in Field]: (typeof COLUMNS)[N] extends (source: S) => unknown ? N : never;
}[Field];

/** The names that an output shows, each with the column that has its value. */
export type Selection<N extends Field = Field> = Readonly<Record<string, N>>;

const selectionOf = <N extends Field>(names: readonly N[]): { readonly [M in N]: M } =>
  Object.fromEntries(names.map(name => [name, name])) as { [M in N]: M };

/** The columns of the line on stderr, and of `-o record`. */
export const BOOKING = selectionOf([
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
  'choice',
  'shipmentIds',
  'trackingNumbers',
  'labelFiles',
  'run',
  'actor',
]);

/** The columns of a row of the history. */
export const HISTORY = selectionOf([
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
  ...selectionOf(['key', 'state', 'at']),
  receiver: 'receiverName',
  ...selectionOf([
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
} as const;

/** The columns of a booking in a line of the log. */
export const LOG = selectionOf([
  'profile',
  'sandbox',
  'operation',
  'key',
  'carrier',
  'price',
  'currency',
  'shipmentId',
]);

/** The columns of a booking that waits for a person, in `history check`: nothing of its receiver, because alarms are mailed. */
export const WAITING = selectionOf([
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

/** Columns of a shipment that was read; other results have none of them. */
export const TRACKING = ['status', 'milestone', 'statusAt'] as const;

/** The columns of a line in the results of a batch. */
export const RESULTS = {
  ...selectionOf(['operation', 'place', 'key', 'line']),
  state: 'recordState',
  ...selectionOf([
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
    'journal',
    'recorded',
  ]),
} as const;

/** The schemas of a selection, by the names that it shows. */
export type Schemas<C extends Selection> = { [N in keyof C]: Fields[C[N]] };
type Row<C extends Selection> = z.infer<z.ZodMiniObject<Schemas<C>>>;

/** A row of a selection: its names with their values, without columns that do not apply. Every record of a batch has such a row. */
export function columnRow<S extends Told, C extends Selection<ColumnOf<S>>>(columns: C, source: S): Row<C> {
  const row: Record<string, unknown> = {};
  for (const [name, column] of Object.entries<Field>(columns)) {
    const value = (COLUMNS[column] as (source: S) => unknown)(source);
    if (value !== undefined) row[name] = value;
  }
  return row as Row<C>;
}

/** The cell of a column of `HISTORY_CSV`. */
export const historyCell = (name: string, order: ToldOrder<ListedBooking>): Scalar =>
  COLUMNS[HISTORY_CSV[name as keyof typeof HISTORY_CSV]](order) as Scalar;

export type BookingLine = Row<typeof BOOKING>;
export type HistoryRow = Row<typeof HISTORY>;

/** A row for a booking alone, without labels that other bookings made. `sent`: did this command send the booking? */
export const bookingRow = <C extends Selection<ColumnOf<ToldOrder>>>(
  columns: C,
  booking: Booking,
  sent = false,
): Row<C> => columnRow(columns, toldOrder({ booking, labels: [] }, sent));

/** A booking as `history` shows it. What was not recorded is `null`. */
export const historyRow = (booking: Booking): HistoryRow => bookingRow(HISTORY, booking);

/** An order as `history` shows it, with the labels that other bookings made of it. */
export const orderRow = (order: BookedOrder): HistoryRow => columnRow(HISTORY, toldOrder(order));
