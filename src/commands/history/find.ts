import { Failure } from '../../errors.ts';
import { decidingBooking } from '../../journal/deciding.ts';
import type { Booking, Journal } from '../../journal/journal.ts';
import { labelledBy } from '../../journal/settle.ts';

/**
 * The booking with that id; else the one that decides about that key; else the one that made that shipment, or the order
 * whose label has that tracking number. Throws `not_found`, and `usage` if there is one in each of several places.
 */
export async function findBooking(journal: Journal | undefined, ref: string): Promise<Booking> {
  const found = await findBookingOrLabel(journal, ref);
  const isByTracking = found.operation === 'label' && found.id !== ref && found.key !== ref;
  return (isByTracking && (await labelled(journal, found, ref))) || found;
}

/** The order whose label has that tracking number, if it is in the journal. */
async function labelled(
  journal: Journal | undefined,
  label: Booking,
  tracking: string,
): Promise<Booking | undefined> {
  const all = labelledBy(label);
  const one = all.find(({ leg }) => label.labels[leg]?.trackingNumber === tracking) ?? all[0];
  return one && (await journal?.bookingOf(label, one.shipment))?.booking;
}

/** The same, but a tracking number is the booking of the label. */
async function findBookingOrLabel(journal: Journal | undefined, ref: string): Promise<Booking> {
  const named = (await journal?.named(ref, true)) ?? [];
  const exact = named.find(({ id }) => id === ref);
  if (exact) return exact;
  const all = [
    named.filter(({ key }) => key === ref),
    named.filter(({ ids }) => Object.values(ids).includes(ref)),
    named,
  ].find(({ length }) => length > 0);
  const found = decidingBooking(all ?? []);
  if (found === undefined)
    throw new Failure(
      'not_found',
      `the journal has no booking with the id, key, shipment or tracking number ${JSON.stringify(ref)}; \`waybill history list\` lists the bookings`,
    );
  const places = new Set(
    all?.map(({ address, account, keySpace }) => JSON.stringify([address, account, keySpace])),
  );
  if (places.size > 1)
    throw new Failure(
      'usage',
      `${JSON.stringify(ref)} was booked in ${places.size} places. Name one booking by its id: ${all?.map(({ id, address }) => `${id} (${address})`).join(', ')}`,
    );
  return found;
}

/** The same for several names; two names of one booking give it once. */
export const findBookings = (journal: Journal | undefined, refs: readonly string[]): Promise<Booking[]> =>
  findEach(journal, refs, findBooking);

/** The same for what may be unknown: the label itself, and not its order. */
export const findBookingsOrLabels = (
  journal: Journal | undefined,
  refs: readonly string[],
): Promise<Booking[]> => findEach(journal, refs, findBookingOrLabel);

async function findEach(
  journal: Journal | undefined,
  refs: readonly string[],
  find: typeof findBooking,
): Promise<Booking[]> {
  const found = new Map<string, Booking>();
  for (const ref of refs) {
    const booking = await find(journal, ref);
    found.set(booking.id, booking);
  }
  return [...found.values()];
}
