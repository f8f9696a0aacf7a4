// Orders as a table, with the columns that a person looks for in a list.
import type { Receiver } from '../booking/booking.ts';
import { type BookedOrder, receiverOf } from '../booking/questions.ts';
import { needsAcceptance } from '../booking/standing.ts';
import { money, nameAndPlace, orderName, stateWords, timeWords } from '../say/words.ts';
import type { Look } from './look.ts';
import { type Cell, type ListColumn, listTable } from './table.ts';
import { orderFacts, type ShownFacts } from './told.ts';

export async function orderTable(orders: readonly BookedOrder[], look: Look, now: number): Promise<string> {
  const shown = orders.map(order => ({ order, facts: orderFacts(order), receiver: receiverOf(order) }));
  return listTable(shown, ORDER_COLUMNS, look, now);
}

/** What the cells of a row need, read once for each order. */
interface Shown {
  order: BookedOrder;
  facts: ShownFacts;
  receiver: Receiver;
}

/** The least width of a terminal with a column for the place of the receiver. */
const WIDE = 100;

export const ORDER_COLUMNS: readonly ListColumn<Shown>[] = [
  {
    head: 'key or id',
    from: 0,
    // The name that a person types in the next command.
    cell: shown => orderName(shown.order),
  },
  { head: 'receiver', from: 0, cell: receiverCell },
  {
    head: 'to',
    from: WIDE,
    cell: shown => [shown.receiver.country, shown.receiver.city].filter(Boolean).join(' '),
  },
  { head: 'carrier', from: WIDE, cell: shown => shown.facts.carrier },
  { head: 'price', from: 70, align: 'right', cell: priceCell },
  { head: 'state', from: 0, align: 'whole', cell: stateCell },
  { head: 'when', from: 0, align: 'whole', cell: (shown, _, now) => timeWords(shown.order.booking.at, now) },
  {
    head: 'tracking',
    from: 80,
    align: 'whole',
    cell: (shown, look) => trackingCell(shown.facts, look.columns),
  },
  { head: 'shipment', from: 130, cell: shown => Object.values(shown.facts.shipments).join(' ') },
  { head: 'booking', from: Number.POSITIVE_INFINITY, cell: shown => shown.order.booking.id },
];

/**
 * The receiver by name. The city tells two customers with the same name apart: on a narrow terminal, which has no column for it, it stands
 * behind the name, and is cut first.
 */
function receiverCell(shown: Shown, look: Look): Cell {
  const { name, city } = shown.receiver;
  return (look.columns ?? WIDE) < WIDE ? nameAndPlace(name, city) : name;
}

/** The longest tracking number that leaves room for other columns on a narrow terminal. */
const LONGEST_NUMBER = 24;

/** A tracking number is shown whole, because people copy it. On a narrow terminal a pair has only its international number. */
function trackingCell(facts: ShownFacts, columns = Number.POSITIVE_INFINITY): string {
  if (columns >= 130) return Object.values(facts.tracking).join(' ');
  const number = facts.tracking.international ?? facts.tracking.domestic ?? '';
  return number.length <= LONGEST_NUMBER ? number : `${number.slice(0, LONGEST_NUMBER - 1)}…`;
}

function priceCell(shown: Shown, look: Look): Cell {
  const text = money(shown.facts.price, shown.facts.currency);
  return needsAcceptance(shown.order.booking) ? { text: `${text ?? ''} !`, paint: look.red } : text;
}

/** The word in front of the state of a booking that is no shipment. */
const KINDS: Readonly<Record<string, string>> = { label: 'label ', 'webhook-create': 'webhook ' };

function stateCell(shown: Shown, look: Look): Cell {
  const { booking } = shown.order;
  const isDear = needsAcceptance(booking);
  const text = `${KINDS[booking.operation] ?? ''}${isDear ? 'over price' : stateWords(booking)}`;
  if (isDear || booking.state === 'unknown') return { text, paint: look.red };
  return booking.state === 'created' ? text : { text, paint: look.yellow };
}
