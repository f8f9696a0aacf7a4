// Several shipments, each on a line: where it is, since when, and what the journal knows of it.
import { factsOf } from '../booking/facts.ts';
import type { Leg } from '../contract/operation.ts';
import { textAt } from '../contract/paths.ts';
import type { Failure } from '../errors.ts';
import type { Booking } from '../journal/booking.ts';
import { csvLine, safeCell } from '../output/csv.ts';
import type { Look } from '../output/look.ts';
import { shortMoment } from '../output/moment.ts';
import { type Align, type Cell, table } from '../output/table.ts';
import { receiverOf } from './booking-row.ts';
import { milestoneSince, newestMilestone, trackingNumberOf } from './shipment.ts';

/** A shipment, its booking if it is in the journal, and its content or why it could not be read. */
export interface ListedShipment {
  id: string;
  leg: Leg;
  booking: Booking | undefined;
  content: unknown;
  failure: Failure | undefined;
}

const DAY_MS = 86_400_000;

/** Since when it has been at its milestone, in ms since 1970; `undefined` if the service does not say it. */
export function sinceOf({ content }: Pick<ListedShipment, 'content'>): number | undefined {
  const time = Date.parse(milestoneSince(content) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** The names are those of the CSV's columns, a promise to scripts. */
function rowOf({ id, leg, booking, content, failure }: ListedShipment, now: number) {
  const { name, country } = booking ? receiverOf({ booking, labels: [] }) : { name: null, country: null };
  const names = ['firstName', 'lastName'].flatMap(part => textAt(content, `receiver.${part}`) ?? []);
  return {
    key: booking?.key ?? null,
    shipmentId: id,
    leg,
    receiver: name ?? (names.join(' ') || null),
    country: country ?? textAt(content, 'receiver.country') ?? null,
    carrier: carrierOf(leg, booking) ?? textAt(content, 'carrier.name') ?? null,
    trackingNumber: trackingNumberOf(content) ?? null,
    milestone: newestMilestone(content) ?? null,
    since: milestoneSince(content) ?? null,
    bookedAt: booking ? new Date(booking.at).toISOString() : null,
    days: booking ? Math.floor((now - booking.at) / DAY_MS) : null,
    error: failure?.message ?? null,
  };
}

const carrierOf = (leg: Leg, booking: Booking | undefined): string | null | undefined =>
  booking &&
  (leg === 'domestic' ? textAt(booking.request, 'carriers.domestic.id') : factsOf(booking).carrier);

type Row = ReturnType<typeof rowOf>;

const CSV_COLUMNS = [
  ...(['key', 'shipmentId', 'leg', 'receiver', 'country', 'carrier', 'trackingNumber'] as const),
  ...(['milestone', 'since', 'bookedAt', 'days', 'error'] as const),
] satisfies (keyof Row)[];

/** A header, and a line for each. */
export const shipmentsCsv = (shipments: readonly ListedShipment[], now: number): string =>
  [
    csvLine(CSV_COLUMNS),
    ...shipments.map(one => {
      const row = rowOf(one, now);
      return csvLine(CSV_COLUMNS.map(name => safeCell(row[name])));
    }),
  ].join('');

interface Column {
  head: string;
  /** The width of a terminal from which on it is shown. */
  from: number;
  align?: Align;
  cell(row: Row, shipment: ListedShipment, look: Look, now: number): Cell;
}

export const SHIPMENT_COLUMNS: readonly Column[] = [
  { head: 'key or id', from: 0, cell: nameCell },
  { head: 'receiver', from: 60, cell: ({ receiver }) => receiver },
  { head: 'to', from: 60, align: 'whole', cell: ({ country }) => country },
  { head: 'carrier', from: 80, cell: ({ carrier }) => carrier },
  { head: 'milestone', from: 0, cell: milestoneCell },
  { head: 'since', from: 0, align: 'whole', cell: sinceCell },
  { head: 'days', from: 0, align: 'right', cell: ({ days }) => days },
  { head: 'tracking', from: 120, align: 'whole', cell: ({ trackingNumber }) => trackingNumber },
  { head: 'shipment', from: 140, align: 'whole', cell: ({ shipmentId }) => shipmentId },
];

function nameCell({ key, shipmentId, leg }: Row): Cell {
  return key === null ? shipmentId : legOf(key, leg);
}

/** The two legs of a pair have one key. */
const legOf = (key: string, leg: Leg): string => (leg === 'domestic' ? `${key} domestic` : key);

/** `ORDER-1, Anna Beispiel (shp_1)`: what the journal knows of it, and its id. */
export function shipmentWords({ id, leg, booking }: Pick<ListedShipment, 'id' | 'leg' | 'booking'>): string {
  if (booking === undefined) return id;
  const key = booking.key === null ? undefined : legOf(booking.key, leg);
  const words = [key, receiverOf({ booking, labels: [] }).name].filter(Boolean).join(', ');
  return words === '' ? id : `${words} (${id})`;
}

function milestoneCell({ milestone }: Row, { failure }: ListedShipment, look: Look): Cell {
  return failure ? { text: failure.code.replaceAll('_', ' '), paint: look.red } : milestone;
}

function sinceCell({ since }: Row, shipment: ListedShipment, _: Look, now: number): Cell {
  const time = sinceOf(shipment);
  return time === undefined ? since : shortMoment(time, now);
}

/** `now`: the times of this year have no year. */
export async function shipmentsTable(
  shipments: readonly ListedShipment[],
  look: Look,
  now: number,
): Promise<string> {
  if (shipments.length === 0) return 'No such shipment is under way.';
  const width = look.columns ?? Number.POSITIVE_INFINITY;
  const columns = SHIPMENT_COLUMNS.filter(({ from }) => from <= width);
  return table(look, {
    head: columns.map(({ head }) => head),
    align: columns.map(({ align = 'left' }) => align),
    rows: shipments.map(one => {
      const row = rowOf(one, now);
      return columns.map(({ cell }) => cell(row, one, look, now));
    }),
  });
}
