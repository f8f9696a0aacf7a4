// Which orders a command lists, and how they are read from the journal: in pages, so that memory does not grow with their number.
import type { Booking } from '../booking/booking.ts';
import type { BookedOrder, OrderFilter } from '../booking/questions.ts';
import { interruption } from '../host/signals.ts';
import type { Journal } from '../journal/journal.ts';
import { isDemo } from '../profile/target.ts';
import type { Session } from '../session/session.ts';

/** Selects bookings: those of the demo, if it is in force; else all others, or those of the profile that the command line names. */
export function targetFilter(session: Session): Pick<OrderFilter, 'demo' | 'profile'> {
  const demo = session.target().from === 'demo';
  return {
    demo,
    ...(session.globals.profile !== undefined && !demo && { profile: session.globals.profile }),
  };
}

/**
 * As `targetFilter`, and only bookings of the sandbox if it is in force, else none of them: the sandbox ships nothing, so that its bookings
 * must not reach courier, shop and costs.
 */
export const shippedFilter = (session: Session) => ({
  ...targetFilter(session),
  sandbox: session.target().sandbox,
});

/** Does the filter hold for an order that was found in another way than by the filter? */
export const fitsFilter =
  (filter: Pick<OrderFilter, 'demo' | 'profile' | 'sandbox'>) =>
  ({ booking }: BookedOrder): boolean =>
    (filter.demo === undefined || isDemo(booking.address) === filter.demo) &&
    (filter.profile === undefined || booking.profile === filter.profile) &&
    (filter.sandbox === undefined || booking.sandbox === filter.sandbox);

/** Is an order a shipment of the service and the profile in force? */
export const isShippedHere = (session: Session): ((order: BookedOrder) => boolean) =>
  fitsFilter(shippedFilter(session));

/** How many orders are read at a time. */
const PAGE = 1000;

/** The orders of a filter, in pages. `most`: at most so many orders. */
export const orderPages = (
  session: Session,
  journal: Journal | undefined,
  filter: Omit<OrderFilter, 'limit'>,
  most?: number,
): AsyncGenerator<BookedOrder[]> =>
  pagesOfOrders(session, async page => journal?.orders(page) ?? [], filter, most);

export async function* pagesOfOrders<B extends Pick<Booking, 'id'>>(
  session: Session,
  ordersOf: (filter: OrderFilter) => Promise<BookedOrder<B>[]>,
  filter: Omit<OrderFilter, 'limit'>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<BookedOrder<B>[]> {
  let { before } = filter;
  for (let left = most; left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page = await ordersOf({ ...filter, ...(before !== undefined && { before }), limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.booking.id;
    if (session.host.interrupted.aborted)
      throw interruption(session.host.interrupted, { kind: 'stopped-listing' });
  }
}
