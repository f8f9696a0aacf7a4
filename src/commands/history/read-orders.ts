import { interruption } from '../../host/signals.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Order, OrderFilter } from '../../journal/types.ts';
import type { Session } from '../../session/session.ts';

/** Bookings of `demo` where it is in force, others elsewhere; those of a profile if it is named on the command line. */
export function placeIn({ globals, target }: Session): Pick<OrderFilter, 'demo' | 'profile'> {
  const demo = target().from === 'demo';
  return { demo, ...(globals.profile !== undefined && !demo && { profile: globals.profile }) };
}

/** How many are read at a time: memory does not grow with the journal. */
const PAGE = 1000;

export async function* pagesOf(
  session: Session,
  journal: Journal | undefined,
  filter: Omit<OrderFilter, 'limit'>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Order[]> {
  const { host } = session;
  let { before } = filter;
  for (let left = most; journal !== undefined && left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page = await journal.orders({ ...filter, ...(before !== undefined && { before }), limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.booking.id;
    if (host.interrupted.aborted)
      throw interruption(host.interrupted, 'there are more bookings than were shown');
  }
}
