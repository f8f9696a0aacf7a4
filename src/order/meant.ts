// What a person may mean by a name that no booking has: orders whose receiver, key, id or tracking number begins with it. They
// are named, and none is taken, because another one may be meant.
import { Failure } from '../errors.ts';
import { type Booking, isAt } from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { minuteOf } from '../output/moment.ts';
import { commandText, operandWords, shown } from '../text.ts';
import { targetFlags } from './command-line.ts';
import type { Sources } from './order.ts';
import { toReceiver } from './words.ts';

/** How many are named; `history list` has the others. */
const MOST_NAMED = 5;

/** How many of the newest are looked at. */
const MOST_READ = 50;

/** The failure of a name that is not known, with the orders that may be meant. `command`: what is done with one, as `track`. */
export async function withMeantOrders(
  failure: Failure,
  sources: Pick<Sources, 'scope' | 'openJournal' | 'globals'>,
  ref: string,
  command: readonly string[],
): Promise<Failure> {
  const journal = await sources.openJournal('look').catch(() => undefined);
  const { search, bookings } = await searched(sources, journal, ref.trim());
  const [first] = bookings;
  if (first === undefined) return failure;
  const flags = targetFlags(sources);
  const list = ['waybill', 'history', 'list', '--search', search, ...flags];
  const take = ['waybill', ...command, ...flags, ...operandWords([nameOf(first)])];
  const isOne = bookings.length === 1;
  const lines = bookings.slice(0, MOST_NAMED).map(orderLine).join('; ');
  const words = [
    `In the journal ${shown(ref)} fits ${isOne ? 'this order' : 'these orders'}: ${lines}${bookings.length > MOST_NAMED ? '; and others' : ''}`,
    `${isOne ? 'If it is meant' : 'For the first of them'}: \`${commandText(take)}\``,
    `\`${commandText(list)}\` lists ${isOne ? 'it' : 'all of them'}`,
  ];
  return new Failure(failure.code, [failure.message, ...words].join('. '), {
    ...failure.facts,
    next: [list],
  });
}

/** What was sought, and the orders of this account that fit. */
async function searched(
  { scope }: Pick<Sources, 'scope'>,
  journal: Journal | undefined,
  ref: string,
): Promise<{ search: string; bookings: Booking[] }> {
  // Shops write `#5001`, and people type `50`.
  for (const search of ref === '' ? [] : [ref, `#${ref}`]) {
    const orders = (await journal?.orders({ search, limit: MOST_READ })) ?? [];
    const bookings = orders.flatMap(({ booking }) =>
      isAt(scope(), booking) && booking.keySpace === 'shipment' ? booking : [],
    );
    if (bookings.length > 0) return { search, bookings };
  }
  return { search: ref, bookings: [] };
}

/** What a person names a booking by in the next command. */
const nameOf = ({ key, ids, id }: Booking): string => key ?? Object.values(ids)[0] ?? id;

const orderLine = (booking: Booking): string =>
  `${shown(nameOf(booking))} ${toReceiver(booking.request)}, ${minuteOf(booking.at)}, ${booking.state}`;

/** Is it rather the number of an order, or a name, than the id of a shipment that a service made? */
export const isOrderNumber = (ref: string): boolean =>
  /^\W*[a-z]*[\W_]*\d+$/i.test(ref) || /\s/.test(ref) || !/\d/.test(ref);
