import { Failure } from '../../errors.ts';
import { type Booking, decidingBooking, type Journal } from '../../journal/journal.ts';

/** The booking with that id, or the one that decides about that key. Throws `not_found`, and `usage` if the key is ambiguous. */
export async function findBooking(journal: Journal | undefined, name: string): Promise<Booking> {
  const named = await journal?.byId(name);
  if (named) return named;
  const keyed = (await journal?.list({ key: name })) ?? [];
  const found = decidingBooking(keyed);
  if (found === undefined)
    throw new Failure(
      'not_found',
      `the journal has no booking with the id or key ${JSON.stringify(name)}; \`waybill history list\` lists the bookings`,
    );
  const places = new Set(
    keyed.map(({ address, account, keySpace }) => JSON.stringify([address, account, keySpace])),
  );
  if (places.size > 1)
    throw new Failure(
      'usage',
      `the key ${JSON.stringify(name)} was booked in ${places.size} places. Name one booking by its id: ${keyed.map(({ id, address }) => `${id} (${address})`).join(', ')}`,
    );
  return found;
}
