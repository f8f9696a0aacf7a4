import { LEGS, type Leg } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Order } from '../journal/booking.ts';
import { type Booking, exitCodeOf, labelledIds } from '../journal/booking.ts';
import { type Facts, factsOf } from '../order/answer.ts';
import type { HistoryRow } from '../schemas.ts';

/** Who gets an order; `null` where the journal does not know it, as of a pruned one. */
export interface Receiver {
  name: string | null;
  city: string | null;
  country: string | null;
}

/** A booking as `history` shows it. What was not recorded is `null`. */
export const historyRow = (booking: Booking): HistoryRow => orderRow({ booking, labels: [] });

/** The same for an order, with the labels that other bookings made of it. */
export const orderRow = (order: Order): HistoryRow => rowOf(order, orderFacts(order));

export function rowOf(order: Order, facts: OrderFacts): HistoryRow {
  const { booking } = order;
  const { id, operation, state, at, profile, address, holder } = booking;
  const { shipments, tracking, carrier, price, currency, labelFile } = facts;
  return {
    id,
    operation,
    key: keyOf(order),
    state,
    at: new Date(at).toISOString(),
    profile,
    address,
    receiver: receiverOf(order),
    shipmentIds: LEGS.flatMap(leg => shipments[leg] ?? []),
    trackingNumbers: LEGS.flatMap(leg => tracking[leg] ?? []),
    carrier,
    price,
    currency,
    overPrice: booking.overPrice,
    labelFile,
    exitCode: exitCodeOf(booking),
    httpStatus: booking.httpStatus,
    reason: booking.why === '' ? null : booking.why,
    run: booking.run,
    actor: booking.actor,
    bookedBy: { user: holder.user ?? null, host: holder.host || null, version: holder.version ?? null },
    settlements: shownSettlements(booking),
  };
}

/** What persons said about a booking, as scripts read it; oldest first. */
export const shownSettlements = ({ settlements }: Booking) =>
  settlements.map(({ at, before: _, evidence: __, ...one }) => ({ at: new Date(at).toISOString(), ...one }));

/** A label has that of its order, by which a person knows it. */
export const keyOf = ({ booking, labelOf }: Order): string | null => booking.key ?? labelOf?.key ?? null;

type ByLeg = Partial<Record<Leg, string>>;

export interface OrderFacts extends Pick<Facts, 'carrier' | 'price' | 'currency'> {
  /** What was booked; of a booking of labels what it labels. */
  shipments: ByLeg;
  tracking: ByLeg;
  /** The legs whose labels exist. */
  labelled: readonly Leg[];
  labelFile: string | null;
}

export function orderFacts({ booking, labels, labelOf }: Order): OrderFacts {
  const { ids, carrier, price, currency } = factsOf(booking);
  const shipments: ByLeg = {};
  const tracking: ByLeg = {};
  const labelled: Leg[] = [];
  const labelledHere = labelledIds(booking);
  const makers = [booking, ...labels.map(label => label.booking)];
  for (const leg of LEGS) {
    const shipment = ids[leg] ?? (leg === 'international' ? ids.shipment : undefined) ?? labelledHere[leg];
    const label = makers.map(maker => maker.labels[leg]).find(one => one?.made);
    if (shipment !== undefined) shipments[leg] = shipment;
    if (label?.trackingNumber !== undefined) tracking[leg] = label.trackingNumber;
    if (label) labelled.push(leg);
  }
  const files = makers.map(maker => maker.files);
  return {
    ...{ shipments, tracking, labelled, price, currency },
    carrier: carrier ?? (labelOf ? factsOf(labelOf).carrier : null),
    labelFile: LEGS.flatMap(leg => files.flatMap(one => one[leg] ?? []))[0] ?? null,
  };
}

export function receiverOf({ booking, labelOf }: Order): Receiver {
  const receiver = getAt(booking.request, ['receiver']) ?? getAt(labelOf?.request, ['receiver']);
  const person = ['firstName', 'lastName'].flatMap(name => textAt(receiver, name)?.trim() || []).join(' ');
  return {
    name: person || (textAt(receiver, 'companyName') ?? null),
    city: textAt(receiver, 'address.city') ?? null,
    country: textAt(receiver, 'address.country.code') ?? null,
  };
}
