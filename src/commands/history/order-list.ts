// The list of orders as a table and as CSV.

import type { Leg } from '../../contract/operation.ts';
import { type BookedOrder, needsAcceptance, type Receiver, receiverOf } from '../../journal/booking.ts';
import { HISTORY_CSV, keyOf, type OrderFacts, orderFacts, rowOf, toldOf } from '../../output/columns.ts';
import { csvLine, safeCell } from '../../output/csv.ts';
import { type ListColumn, listTable } from '../../output/list.ts';
import type { Look } from '../../output/look.ts';
import { shortMoment } from '../../output/moment.ts';
import { money } from '../../output/money.ts';
import type { Cell } from '../../output/table.ts';
import type { Scalar } from '../../output/text.ts';

// The columns of the CSV are a promise to scripts.
export const CSV_HEAD = csvLine(Object.keys(HISTORY_CSV));

export const historyCsvRow = (order: BookedOrder): string =>
  csvLine(Object.values(rowOf(HISTORY_CSV, toldOf(order))).map(cell => safeCell(cell as Scalar)));

/** `now`: the times of this year have no year. */
export async function orderTable(orders: readonly BookedOrder[], look: Look, now: number): Promise<string> {
  if (orders.length === 0) return 'No bookings.';
  const shown = orders.map(order => ({ order, facts: orderFacts(order), receiver: receiverOf(order) }));
  return listTable(shown, ORDER_COLUMNS, look, now);
}

/** What the cells of a row need; it is read once. */
interface Shown {
  order: BookedOrder;
  facts: OrderFacts;
  receiver: Receiver;
}

export const ORDER_COLUMNS: readonly ListColumn<Shown>[] = [
  { head: 'key or id', from: 0, cell: nameOf },
  { head: 'receiver', from: 0, cell: ({ receiver }) => receiver.name },
  { head: 'to', from: 100, align: 'whole', cell: ({ receiver }) => receiver.country },
  { head: 'carrier', from: 100, cell: ({ facts }) => facts.carrier },
  { head: 'price', from: 70, align: 'right', cell: priceOf },
  { head: 'state', from: 0, align: 'whole', cell: stateOf },
  { head: 'when', from: 0, align: 'whole', cell: ({ order }, _, now) => shortMoment(order.booking.at, now) },
  {
    head: 'tracking',
    from: 80,
    align: 'whole',
    cell: ({ facts }, { columns }) => trackingOf(facts, columns),
  },
  { head: 'shipment', from: 130, cell: ({ facts }) => legsOf(facts.shipments) },
  { head: 'booking', from: Number.POSITIVE_INFINITY, cell: ({ order }) => order.booking.id },
];

/** The longest number that leaves room for the rest where it is narrow. */
const LONGEST_NUMBER = 24;

/** A number is what a person types elsewhere: whole. Where it is narrow, of a pair that of the longer way. */
function trackingOf({ tracking }: OrderFacts, columns = Number.POSITIVE_INFINITY): string {
  if (columns >= 130) return legsOf(tracking);
  const number = tracking.international ?? tracking.domestic ?? '';
  return number.length <= LONGEST_NUMBER ? number : `${number.slice(0, LONGEST_NUMBER - 1)}…`;
}

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
