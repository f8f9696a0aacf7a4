import { Failure } from '../../errors.ts';
import { type Booking, decidingBooking, type Journal } from '../../journal/journal.ts';

/**
 * The booking with that id; else the one that decides about that key; else the one that made that shipment, or whose label
 * has that tracking number. Throws `not_found`, and `usage` if there is one in each of several places.
 */
export async function findBooking(journal: Journal | undefined, ref: string): Promise<Booking> {
  const named = (await journal?.named(ref)) ?? [];
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
export async function findBookings(
  journal: Journal | undefined,
  refs: readonly string[],
): Promise<Booking[]> {
  const found = new Map<string, Booking>();
  for (const ref of refs) {
    const booking = await findBooking(journal, ref);
    found.set(booking.id, booking);
  }
  return [...found.values()];
}
