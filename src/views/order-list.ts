// The list of orders as a table and as CSV.
import type { Leg } from '../contract/operation.ts';
import type { Order } from '../journal/booking.ts';
import { needsAcceptance, settlementOf } from '../journal/booking.ts';
import { csvLine, safeCell } from '../output/csv.ts';
import type { Look } from '../output/look.ts';
import { shortMoment } from '../output/moment.ts';
import { money } from '../output/money.ts';
import type { Cell } from '../output/table.ts';
import type { Scalar } from '../output/text.ts';
import { keyOf, type OrderFacts, orderFacts, type Receiver, receiverOf, rowOf } from './booking-row.ts';
import { type Column, listTable } from './list.ts';

/** The columns of the CSV: a promise to scripts. `history resolve --file` reads `id`, `shipmentId` and `resolution`. */
const CSV_COLUMNS =
  'key,state,at,receiver,country,carrier,price,currency,overPrice,shipmentId,trackingNumber,domesticShipmentId,domesticTrackingNumber,labelFile,reason,httpStatus,run,actor,profile,operation,id,resolution';

export const CSV_HEAD = `${CSV_COLUMNS}\r\n`;

/** What a settlement says, in the word of `history resolve --file`. */
const RESOLUTIONS: Readonly<Record<string, string>> = { created: 'created', rejected: 'not-created' };

export function csvRow(order: Order): string {
  const facts = orderFacts(order);
  const { shipments, tracking } = facts;
  const { receiver, settlements: _, ...row } = rowOf(order, facts);
  // What is unknown again has none: given back as it is, the file must not say what was wrong before.
  const settled = settlementOf(order.booking);
  const cells: Record<string, unknown> = {
    ...row,
    receiver: receiver.name,
    country: receiver.country,
    shipmentId: shipments.international,
    trackingNumber: tracking.international,
    domesticShipmentId: shipments.domestic,
    domesticTrackingNumber: tracking.domestic,
    resolution: settled && RESOLUTIONS[settled.state],
  };
  return csvLine(CSV_COLUMNS.split(',').map(name => safeCell(cells[name] as Scalar)));
}

/** `now`: the times of this year have no year. */
export async function orderTable(orders: readonly Order[], look: Look, now: number): Promise<string> {
  if (orders.length === 0) return 'No bookings.';
  const shown = orders.map(order => ({ order, facts: orderFacts(order), receiver: receiverOf(order) }));
  return listTable(shown, ORDER_COLUMNS, look, now);
}

/** What the cells of a row need; it is read once. */
interface Shown {
  order: Order;
  facts: OrderFacts;
  receiver: Receiver;
}

export const ORDER_COLUMNS: readonly Column<Shown>[] = [
  { head: 'key or id', from: 0, cell: nameOf },
  { head: 'receiver', from: 0, cell: ({ receiver }) => receiver.name },
  { head: 'to', from: 70, align: 'whole', cell: ({ receiver }) => receiver.country },
  { head: 'carrier', from: 70, cell: ({ facts }) => facts.carrier },
  { head: 'price', from: 70, align: 'right', cell: priceOf },
  { head: 'state', from: 0, align: 'whole', cell: stateOf },
  { head: 'when', from: 0, align: 'whole', cell: ({ order }, _, now) => shortMoment(order.booking.at, now) },
  { head: 'tracking', from: 110, cell: ({ facts }) => legsOf(facts.tracking) },
  { head: 'shipment', from: 130, cell: ({ facts }) => legsOf(facts.shipments) },
  { head: 'booking', from: Number.POSITIVE_INFINITY, cell: ({ order }) => order.booking.id },
];

const legsOf = (byLeg: Partial<Record<Leg, string>>): string => Object.values(byLeg).join(' ');

/** By what a person names it in the next command. */
function nameOf({ order, facts }: Shown): Cell {
  return keyOf(order) ?? facts.shipments.international ?? order.booking.id;
}

function priceOf({ order: { booking }, facts: { price, currency } }: Shown, look: Look): Cell {
  const text = money(price, currency);
  return needsAcceptance(booking) ? { text: `${text ?? ''} !`, paint: look.red } : text;
}

/** Bookings that are no shipments say what they are. */
const KINDS: Readonly<Record<string, string>> = { label: 'label ', 'webhook-create': 'webhook ' };

function stateOf({ order: { booking } }: Shown, look: Look): Cell {
  const text = `${KINDS[booking.operation] ?? ''}${needsAcceptance(booking) ? 'over price' : booking.state}`;
  if (booking.state === 'unknown' || needsAcceptance(booking)) return { text, paint: look.red };
  return booking.state === 'created' ? text : { text, paint: look.yellow };
}
