// `label` without a shipment, on a terminal: several of those that are booked and have no label yet.
import { messageOf } from '../errors.ts';
import { type Booking, isAt } from '../journal/booking.ts';
import { labelBody } from '../order/find.ts';
import type { Session } from '../session/session.ts';
import { bookingWords } from './words.ts';

/** How many orders are looked at, and how many are listed. */
const READ = 200;
const LISTED = 20;
const [MAKE, ALL, OTHER] = ['make', 'all', 'other'];

/** The bookings whose labels are wanted; `undefined`: another shipment, which the form asks for, or there is none. */
export async function pickUnlabelled(session: Session): Promise<{ ref: string }[] | undefined> {
  const bookings = await unlabelled(session);
  if (bookings.length === 0) return undefined;
  const picked = new Set<string>();
  for (;;) {
    const answer = await session.ask({
      kind: 'choice',
      id: 'labels',
      message: 'Which shipments? Pick one after the other',
      choices: [
        ...(picked.size > 0 ? [{ value: MAKE, name: labelsWords(picked.size) }] : []),
        ...(picked.size < bookings.length ? [{ value: ALL, name: `All ${bookings.length} of these` }] : []),
        ...bookings.map(booking => ({
          value: booking.id,
          name: `[${picked.has(booking.id) ? 'x' : ' '}] ${bookingWords(booking)}`,
        })),
        { value: OTHER, name: 'Another one, by its id' },
      ],
      esc: picked.size > 0 ? 'back' : 'leave',
    });
    if (answer === MAKE) return bookings.flatMap(({ id }) => (picked.has(id) ? { ref: id } : []));
    if (answer === OTHER) return undefined;
    if (answer === ALL) for (const { id } of bookings) picked.add(id);
    // Back takes the last pick back.
    else if (answer === undefined) picked.delete([...picked].at(-1) ?? '');
    else if (!picked.delete(answer)) picked.add(answer);
  }
}

const labelsWords = (count: number): string =>
  count === 1 ? 'Make the label of this one' : `Make the labels of these ${count}`;

/** Where the labels go, if the command does not say it: one PDF. `refuse`: throws if it cannot be that file. */
export async function askForMerge(
  { ask }: Session,
  refuse: (name: string) => unknown,
): Promise<string | undefined> {
  const answer = await ask({
    kind: 'text',
    id: 'merge',
    message: 'Save them as one PDF',
    defaultAnswer: 'labels.pdf',
    check(name) {
      try {
        refuse(name.trim());
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  });
  return answer?.trim();
}

/** The newest of this account that were shipped and not labelled, newest first. */
async function unlabelled(session: Session): Promise<Booking[]> {
  const journal = await session.openJournal('look');
  const orders = (await journal?.orders({ states: ['created', 'partial'], limit: READ })) ?? [];
  return orders
    .filter(({ booking, labels }) => labels.length === 0 && Object.keys(labelBody(booking.ids)).length > 0)
    .map(({ booking }) => booking)
    .filter(booking => isAt(session.scope(), booking))
    .slice(0, LISTED);
}
