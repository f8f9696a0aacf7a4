// Which booking a REF names, and which shipments; and which orders may be meant by a name that no booking has.

import { isSameKey } from '../contract/key.ts';
import type { Leg } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import {
  type Booking,
  decidingBooking,
  type Ids,
  isAt,
  labelledBy,
  labelledIds,
} from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { minuteOf } from '../output/moment.ts';
import { commandText, operandWords, shellWord, shown } from '../text.ts';
import { toReceiver } from './answer.ts';
import { askProvider, showCommand } from './failure.ts';
import { checkKey, targetFlags } from './options.ts';
import type { Sources } from './order.ts';

type Place = Pick<Sources, 'scope'>;

/**
 * The booking with that id; else the one that decides about that key; else the one that made that shipment, or the order
 * whose label has that tracking number. Of several places the one in force has it. Throws `not_found`, and `usage` if there
 * is one in each of several other places.
 */
export async function findBooking(place: Place, journal: Journal | undefined, ref: string): Promise<Booking> {
  const found = await findIn(journal, ref, [isHere(place), mayBeMeant]);
  if (found.operation !== 'label' || found.id === ref || isSameKey(found.key, ref)) return found;
  // By a tracking number the order is meant, and not its label.
  const all = labelledBy(found);
  const one = all.find(({ leg }) => found.labels[leg]?.trackingNumber === ref) ?? all[0];
  return (one && (await journal?.bookingOf(found, one.shipment))?.booking) ?? found;
}

/** A booking that may be unknown: a label itself, and not its order; and first what may exist, wherever it is. */
export const findBookingOrLabel: typeof findBooking = (place, journal, ref) =>
  findIn(journal, ref, [mayBeMeant, isHere(place)]);

/** The bookings of several names; two names of one booking give it once. */
export async function findBookings(
  place: Place,
  journal: Journal | undefined,
  refs: readonly string[],
  find = findBooking,
): Promise<Booking[]> {
  const found = new Map<string, Booking>();
  for (const ref of refs) {
    const booking = await find(place, journal, ref);
    found.set(booking.id, booking);
  }
  return [...found.values()];
}

type Preference = (booking: Booking) => boolean;

/** At the address and account in force? */
const isHere =
  ({ scope }: Place): Preference =>
  booking =>
    isAt(scope(), booking);

/** What never was cannot be meant, but for what a person said never was. */
const mayBeMeant: Preference = ({ state, settlements }) =>
  settlements.length > 0 || !['not_sent', 'rejected'].includes(state);

/** The booking of a REF; of a tracking number it is that of the label. Of several places those that are preferred count. */
async function findIn(
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
  const places = new Set(
    all.map(({ address, account, keySpace }) => JSON.stringify([address, account, keySpace])),
  );
  if (places.size > 1)
    throw new Failure(
      'usage',
      `${JSON.stringify(ref)} was booked in ${places.size} places. Name one booking by its id: ${all.map(({ id, operation, state, address }) => `${id} (${operation} at ${address}, ${state})`).join(', ')}`,
    );
  return found;
}

// Which shipments a REF or a key names.

/** The shipments of a booking, in the form of a label request. */
export const labelBody = ({
  shipment,
  international = shipment,
  domestic,
}: Ids): Partial<Record<Leg, string>> => ({
  ...(international !== undefined && { international }),
  ...(domestic !== undefined && { domestic }),
});

/** Shipments that the journal knows by a name, and the booking that made them; none if it has only their labels. */
interface NamedShipments {
  ids: Ids;
  booking: Booking | undefined;
}

/**
 * The shipments that a REF names here: those of a key or of a booking's id, one by its id, or one by the tracking number of
 * its label. `undefined` if the journal does not know it. Throws as `bookedShipments` does.
 */
export async function namedShipments(sources: Sources, ref: string): Promise<NamedShipments | undefined> {
  const journal = await sources.openJournal('look');
  const scope = sources.scope();
  const named = ((await journal?.named(ref)) ?? []).filter(booking => isAt(scope, booking));
  // What a booking of labels labels is another booking.
  const withBooking = async (ids: Ids) => {
    const [one = ''] = Object.values(ids);
    return { ids, booking: (await journal?.bookingOf(scope, one))?.booking };
  };
  const withId = named.find(({ id }) => id === ref);
  if (withId) return withBooking(shipmentsIn(withId));
  const withKey = (wanted: string) =>
    named.find(({ key, keySpace }) => isSameKey(key, wanted) && keySpace === 'shipment')?.key;
  const key =
    withKey(ref) ?? (named.some(({ ids }) => Object.values(ids).includes(ref)) ? null : withKey(`#${ref}`));
  if (key) {
    const booking = await bookedShipments(sources, key);
    return { ids: booking.ids, booking };
  }
  for (const booking of named) {
    const ids = shipmentsIn(booking);
    const kinds = Object.keys(ids) as (keyof Ids)[];
    const kind =
      kinds.find(one => ids[one] === ref) ??
      kinds.find(one => booking.labels[one === 'domestic' ? one : 'international']?.trackingNumber === ref);
    if (kind !== undefined) return withBooking({ [kind]: ids[kind] });
  }
  return undefined;
}

/** The shipments of a name that must be known, because their legs are needed. Throws `not_found`, too. */
export async function knownShipments(sources: Sources, ref: string): Promise<NamedShipments> {
  const found = await namedShipments(sources, ref);
  if (found) return found;
  const word = shellWord(ref);
  const unknown = `no booking here has ${shown(ref)} as its key, its id, a shipment or a tracking number`;
  if (/\.(csv|tsv|jsonl?)$/i.test(ref))
    throw new Failure(
      'not_found',
      `${unknown}. \`waybill batch label ${word}\` labels the shipments of a file`,
    );
  const leg = isOrderNumber(ref)
    ? 'A shipment that was booked elsewhere is named by the id that the service gave it: `waybill label --international SHIPMENT_ID`'
    : `If it is a shipment that was booked elsewhere, name its leg: \`waybill label --international ${word}\`, or \`--domestic ${word}\``;
  throw await withMeantOrders(new Failure('not_found', `${unknown}. ${leg}`), sources, ref, ['label']);
}

/** The shipments that a booking made, or that a booking of labels labels. */
function shipmentsIn(booking: Booking): Ids {
  const { subscription: _, ...made } = booking.ids;
  return Object.keys(made).length > 0 ? made : labelledIds(booking);
}

/** The booking of the shipments that have a key here. Throws `usage`, `not_found`; `outcome_unknown` if they may exist. */
export async function bookedShipments(sources: Sources, key: string): Promise<Booking> {
  checkKey(key);
  const journal = await sources.openJournal('look');
  const scope = sources.scope();
  const mine = ((await journal?.list({ key })) ?? []).filter(
    booking => isAt(scope, booking) && booking.keySpace === 'shipment',
  );
  const found = decidingBooking(mine);
  if (found && Object.keys(found.ids).length > 0) return found;
  if (found?.state === 'unknown') {
    const show = showCommand(found.id, targetFlags(sources));
    throw new Failure(
      'outcome_unknown',
      `the booking ${found.id} with the key ${JSON.stringify(key)} may or may not exist. ${askProvider(show)}. \`waybill history resolve ${found.id}\` records the answer`,
      { booking: found.id, next: [show] },
    );
  }
  const book = commandText(['waybill', 'ship', '--key', key, ...targetFlags(sources)]);
  const look = ['waybill', 'history', 'list', '--key', key];
  throw new Failure(
    'not_found',
    `no shipment was booked with the key ${JSON.stringify(key)} at ${scope.address}: book it first, with \`${book}\`, or look at all addresses: \`${commandText(look)}\``,
    { next: [look] },
  );
}

// What a person may mean by a name that no booking has: orders whose receiver, key, id or tracking number begins with it. They
// are named, and none is taken, because another one may be meant.

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
  const name = ref.trim();
  // Shops write `#5001`, and people type `50`.
  for (const search of name === '' ? [] : [name, `#${name}`]) {
    const orders = (await journal?.orders({ search, limit: MOST_READ })) ?? [];
    const bookings = orders.flatMap(({ booking }) =>
      isAt(sources.scope(), booking) && booking.keySpace === 'shipment' ? booking : [],
    );
    const [first] = bookings;
    if (first === undefined) continue;
    const flags = targetFlags(sources);
    const list = ['waybill', 'history', 'list', '--search', search, ...flags];
    const take = ['waybill', ...command, ...flags, ...operandWords([nameOf(first)])];
    const lines = bookings
      .slice(0, MOST_NAMED)
      .map(one => `${shown(nameOf(one))} ${toReceiver(one.request)}, ${minuteOf(one.at)}, ${one.state}`);
    if (bookings.length > MOST_NAMED) lines.push('and others');
    const [these, them, any] =
      bookings.length === 1
        ? ['this order', 'it', 'If it is meant']
        : ['these orders', 'all of them', 'For the first of them'];
    return new Failure(
      failure.code,
      `${failure.message}. In the journal ${shown(ref)} fits ${these}: ${lines.join('; ')}. ${any}: \`${commandText(take)}\`. \`${commandText(list)}\` lists ${them}`,
      { ...failure.facts, next: [list] },
    );
  }
  return failure;
}

/** What a person names a booking by in the next command. */
const nameOf = ({ key, ids, id }: Booking): string => key ?? Object.values(ids)[0] ?? id;

/** Is it rather the number of an order, or a name, than the id of a shipment that a service made? */
export const isOrderNumber = (ref: string): boolean =>
  /^\W*[a-z]*[\W_]*\d+$/i.test(ref) || /\s/.test(ref) || !/\d/.test(ref);
