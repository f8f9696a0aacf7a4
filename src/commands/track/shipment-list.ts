// Several shipments, each on a line: where it is, since when, and what the journal knows of it.

import type { Leg } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import type { Failure } from '../../errors.ts';
import { type Booking, factsOf, receiverOf } from '../../journal/booking.ts';
import { shortMoment } from '../../output/moment.ts';
import { milestoneSince, newestMilestone, trackingNumberOf } from '../../output/shipment.ts';
import type { ListColumn } from '../../output/table.ts';
import { csvLine, type Scalar, safeCell } from '../../output/text.ts';

/** A shipment, with its booking if it is in the journal. Until it is read it has neither body nor content. */
export interface Shipment {
  id: string;
  leg: Leg;
  booking: Booking | undefined;
  /** As the service gave it. */
  body?: unknown;
  /** The body as the contract reads it. */
  content?: unknown;
  /** Why it could not be read. */
  failure?: Failure | undefined;
}

const DAY_MS = 86_400_000;

/** Since when it has been at its milestone, in ms since 1970; `undefined` if the service does not say it. */
export function atMilestoneSince({ content }: Shipment): number | undefined {
  const time = Date.parse(milestoneSince(content) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** What the journal knows of who gets it; nothing if it was not booked here. */
const recordedReceiver = ({ booking }: Shipment) => booking && receiverOf({ booking, labels: [] });

const receiverIn = (content: unknown): string | undefined =>
  ['firstName', 'lastName'].flatMap(part => textAt(content, `receiver.${part}`) ?? []).join(' ') || undefined;

/** The columns of the CSV: their names are a promise to scripts. */
const FIELDS = {
  key: ({ booking }) => booking?.key,
  shipmentId: ({ id }) => id,
  leg: ({ leg }) => leg,
  receiver: one => recordedReceiver(one)?.name ?? receiverIn(one.content),
  country: one => recordedReceiver(one)?.country ?? textAt(one.content, 'receiver.country'),
  carrier: ({ leg, booking, content }) =>
    (booking &&
      (leg === 'domestic' ? textAt(booking.request, 'carriers.domestic.id') : factsOf(booking).carrier)) ??
    textAt(content, 'carrier.name'),
  trackingNumber: ({ content }) => trackingNumberOf(content),
  milestone: ({ content }) => newestMilestone(content),
  since: ({ content }) => milestoneSince(content),
  bookedAt: ({ booking }) => booking && new Date(booking.at).toISOString(),
  days: ({ booking }, now) => booking && Math.floor((now - booking.at) / DAY_MS),
  error: ({ failure }) => failure?.message,
} satisfies Record<string, (one: Shipment, now: number) => Scalar>;

/** A header, and a line for each. */
export function shipmentsCsv(shipments: readonly Shipment[], now: number): string {
  const lines = shipments.map(one => Object.values(FIELDS).map(field => safeCell(field(one, now))));
  return [Object.keys(FIELDS), ...lines].map(csvLine).join('');
}

export const SHIPMENT_COLUMNS: readonly ListColumn<Shipment>[] = [
  {
    head: 'key or id',
    from: 0,
    cell: ({ id, leg, booking }) => (booking?.key ? legOf(booking.key, leg) : id),
  },
  { head: 'receiver', from: 60, cell: FIELDS.receiver },
  { head: 'to', from: 100, align: 'whole', cell: FIELDS.country },
  { head: 'carrier', from: 120, cell: FIELDS.carrier },
  {
    head: 'milestone',
    from: 0,
    cell: (one, look) =>
      one.failure
        ? { text: one.failure.code.replaceAll('_', ' '), paint: look.red }
        : newestMilestone(one.content),
  },
  {
    head: 'since',
    from: 0,
    align: 'whole',
    cell(one, _, now) {
      const time = atMilestoneSince(one);
      return time === undefined ? milestoneSince(one.content) : shortMoment(time, now);
    },
  },
  { head: 'days', from: 100, align: 'right', cell: (one, _, now) => FIELDS.days(one, now) },
  { head: 'tracking', from: 80, align: 'whole', cell: FIELDS.trackingNumber },
  { head: 'shipment', from: 140, align: 'whole', cell: FIELDS.shipmentId },
];

/** The two legs of a pair have one key. */
const legOf = (key: string, leg: Leg): string => (leg === 'domestic' ? `${key} domestic` : key);

/** `ORDER-1, Anna Beispiel (shp_1)`: what the journal knows of it, and its id. */
export function shipmentWords({ id, leg, booking }: Shipment): string {
  if (booking === undefined) return id;
  const key = booking.key === null ? undefined : legOf(booking.key, leg);
  const words = [key, receiverOf({ booking, labels: [] }).name].filter(Boolean).join(', ');
  return words === '' ? id : `${words} (${id})`;
}
