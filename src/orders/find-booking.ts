import { isSameKey } from '../contract/key.ts';
import { Failure } from '../errors.ts';
import { type Booking, decidingBooking, isAt, labelledBy } from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import type { Session } from '../session/session.ts';

type Place = Pick<Session, 'scope' | 'host' | 'printer'>;

/**
 * The booking with that id; else the one that decides about that key; else the one that made that shipment, or the order
 * whose label has that tracking number. Of several places the one in force has it. Throws `not_found`, and `usage` if there
 * is one in each of several other places.
 */
export async function findBooking(place: Place, journal: Journal | undefined, ref: string): Promise<Booking> {
  const found = await findIn(place, journal, ref, [isHere(place), mayBeMeant]);
  const isByTracking = found.operation === 'label' && found.id !== ref && !isSameKey(found.key, ref);
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

type Preference = (booking: Booking) => boolean;

/** At the address and account in force? */
const isHere =
  ({ scope }: Pick<Place, 'scope'>): Preference =>
  booking =>
    isAt(scope(), booking);

/** What never was cannot be meant, but for what a person said never was. */
const mayBeMeant: Preference = ({ state, settlements }) =>
  settlements.length > 0 || !['not_sent', 'rejected'].includes(state);

const placeOf = ({ address, account, keySpace }: Booking): string =>
  JSON.stringify([address, account, keySpace]);

/** The same, but a tracking number is the booking of the label. Of several places those that are preferred count. */
async function findIn(
  _place: Place,
  journal: Journal | undefined,
  ref: string,
  preferences: readonly Preference[],
): Promise<Booking> {
  const named = (await journal?.named(ref)) ?? [];
  const exact = named.find(({ id }) => id === ref);
  if (exact) return exact;
  const everywhere = [
    named.filter(({ key }) => isSameKey(key, ref)),
    named.filter(({ ids }) => Object.values(ids).includes(ref)),
    named.filter(({ key }) => isSameKey(key, `#${ref}`)),
    named,
  ].find(({ length }) => length > 0);
  const all = preferences.reduce((left, isPreferred) => {
    const preferred = left.filter(isPreferred);
    return preferred.length > 0 ? preferred : left;
  }, everywhere ?? []);
  const found = decidingBooking(all);
  if (found === undefined)
    throw new Failure(
      'not_found',
      `the journal has no booking with the id, key, shipment or tracking number ${JSON.stringify(ref)}; \`waybill history list\` lists the bookings`,
    );
  const places = new Set(all.map(placeOf));
  if (places.size > 1)
    throw new Failure(
      'usage',
      `${JSON.stringify(ref)} was booked in ${places.size} places. Name one booking by its id: ${all.map(({ id, operation, state, address }) => `${id} (${operation} at ${address}, ${state})`).join(', ')}`,
    );
  return found;
}

/** The same for several names; two names of one booking give it once. */
export const findBookings = (
  place: Place,
  journal: Journal | undefined,
  refs: readonly string[],
): Promise<Booking[]> => findEach(refs, ref => findBooking(place, journal, ref));

/** The same for what may be unknown: the label itself, and not its order; and first what may exist, wherever it is. */
export const findBookingsOrLabels = (
  place: Place,
  journal: Journal | undefined,
  refs: readonly string[],
): Promise<Booking[]> => findEach(refs, ref => findIn(place, journal, ref, [mayBeMeant, isHere(place)]));

async function findEach(
  refs: readonly string[],
  find: (ref: string) => Promise<Booking>,
): Promise<Booking[]> {
  const found = new Map<string, Booking>();
  for (const ref of refs) {
    const booking = await find(ref);
    found.set(booking.id, booking);
  }
  return [...found.values()];
}
