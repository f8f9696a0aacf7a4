// Which booking a REF names, and which shipments; and which orders a person may mean by a name that no booking has.

import {
  type Booking,
  decidingBooking,
  type Ids,
  isAt,
  type Label,
  labelledBy,
  labelledIds,
  legOfId,
  scopeText,
  shipmentsIn,
} from '../booking/booking.ts';
import { decisionOf } from '../booking/standing.ts';
import { isSameKey } from '../contract/key.ts';
import type { Leg } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { trackingName } from '../journal/words.ts';
import { listCommand } from '../say/names.ts';
import { bookingName, receiverWords, stateWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { bookedBefore, doubtFacts } from './failure.ts';
import { checkKey, targetFlags } from './options.ts';

type InForce = Pick<Session, 'scope'>;

/**
 * What a REF must name. `order`: an order, or the label of one. `shipment`: an order that ships something; a webhook with the same name
 * does not count. `booking`: a booking that may be unknown: a label is meant itself, and not its order. `unknown`: as `booking`, or the
 * unknown label of a shipment that is known.
 */
export type RefKind = 'order' | 'shipment' | 'booking' | 'unknown';

/**
 * The booking that a REF names: by id or key, by the id of a shipment, or by the tracking number of its label. If several places know the
 * name, the place in force counts. Throws `not_found`, and `usage` if the REF names two orders.
 */
export async function findBooking(
  inForce: InForce,
  journal: Journal | undefined,
  ref: string,
  kind: RefKind = 'order',
): Promise<Booking> {
  const here = isHere(inForce);
  if (kind === 'order') return (await findIn(journal, ref, [here, mayBeMeant])).order;
  if (kind === 'shipment') return (await findIn(journal, ref, [isOfShipment, here, mayBeMeant])).order;
  // A booking that may exist comes first, at whatever place it is.
  const { booking } = await findIn(journal, ref, [mayBeMeant, here]);
  return (kind === 'unknown' && (await unknownLabelOf(journal, booking))) || booking;
}

/** The bookings of several names, each once. */
export async function findBookings(
  inForce: InForce,
  journal: Journal | undefined,
  refs: readonly string[],
  kind?: RefKind,
): Promise<Booking[]> {
  const bookings = new Map<string, Booking>();
  for (const ref of refs) {
    const booking = await findBooking(inForce, journal, ref, kind);
    bookings.set(booking.id, booking);
  }
  return [...bookings.values()];
}

/**
 * As `findBooking`; the failure of an unknown name lists the orders that may be meant. `action`: the command to use on an order, as
 * `papers`.
 */
export async function findOrSuggest(
  session: Pick<Session, 'scope' | 'openJournal' | 'globals'>,
  ref: string,
  action: readonly string[],
  kind?: RefKind,
): Promise<Booking> {
  try {
    return await findBooking(session, await session.openJournal('look'), ref, kind);
  } catch (error) {
    const isUnknown = error instanceof Failure && error.code === 'not_found';
    throw isUnknown ? await withMeantOrders(error, session, ref, action) : error;
  }
}

/** The unknown label of a known shipment: a person who names the shipment means the label, because only the label is unknown. */
async function unknownLabelOf(journal: Journal | undefined, booking: Booking): Promise<Booking | undefined> {
  if (booking.state === 'unknown') return undefined;
  for (const shipment of shipmentsIn(booking.ids)) {
    const label = await journal?.bookingOfLabel(booking, shipment);
    if (label?.booking.state === 'unknown') return label.booking;
  }
  return undefined;
}

type Preference = (booking: Booking) => boolean;

/** Was a booking sent to the address and account in force? */
const isHere =
  (session: InForce): Preference =>
  booking =>
    isAt(session.scope(), booking);

const isOfShipment: Preference = booking => booking.operation !== 'webhook-create';

/** May a person mean this booking? Not if it never existed, unless a person said so. */
const mayBeMeant: Preference = booking =>
  booking.facts.length > 0 || !['not_sent', 'rejected'].includes(booking.state);

/** A booking that a REF names, and its order: for a booking of labels, the order is another booking. */
interface Meant {
  booking: Booking;
  order: Booking;
}

/** What a REF names. If several bookings have that name, the preferred ones count. */
async function findIn(
  journal: Journal | undefined,
  ref: string,
  preferences: readonly Preference[],
): Promise<Meant> {
  const named = (await journal?.named(ref)) ?? [];
  const exact = named.find(({ id }) => id === ref);
  if (exact) return { booking: exact, order: exact };
  const preferred = preferences.reduce(
    (left, isPreferred) => {
      const better = left.filter(isPreferred);
      return better.length > 0 ? better : left;
    },
    withoutAliases(named, ref),
  );
  const meant = await onlyOrder(journal, preferred, ref);
  if (meant) return meant;
  throw new Failure('not_found', { kind: 'booking-not-found', ref });
}

/** The only order of these bookings, which all have the name `ref`. Throws `usage` if there are several orders. */
async function onlyOrder(
  journal: Journal | undefined,
  named: readonly Booking[],
  ref: string,
): Promise<Meant | undefined> {
  const meant = new Map<string, Meant>();
  for (const booking of deciding(named, ref)) {
    const order = (await orderLabelledBy(journal, booking, ref)) ?? booking;
    if (!meant.has(order.id)) meant.set(order.id, { booking, order });
  }
  const [first, ...others] = meant.values();
  if (others.length === 0) return first;
  const bookings = [...meant.values()].map(({ booking }) => {
    const { id, key, operation, state } = booking;
    return { booking: id, key, operation, state, place: scopeText(booking) };
  });
  throw new Failure('usage', { kind: 'ref-names-several', ref, bookings });
}

const isUnderKey = (booking: Booking, ref: string): boolean =>
  isSameKey(booking.key, ref) || isSameKey(booking.key, `#${ref}`);

/** Shops write `#5001`: a person may type `5001` if no booking has exactly that key. */
function withoutAliases(named: readonly Booking[], ref: string): readonly Booking[] {
  const ownKeys = named.filter(({ key }) => !isSameKey(key, `#${ref}`));
  return ownKeys.length > 0 ? ownKeys : named;
}

/** Leaves out, of several attempts with one key, all but the one that decides about the key. */
function deciding(named: readonly Booking[], ref: string): Booking[] {
  const attempts = new Map<string, Booking[]>();
  for (const booking of named.filter(booking => isUnderKey(booking, ref))) {
    const keySpace = JSON.stringify([booking.address, booking.account, booking.keySpace]);
    attempts.set(keySpace, [...(attempts.get(keySpace) ?? []), booking]);
  }
  return [
    ...[...attempts.values()].flatMap(bookings => decidingBooking(bookings) ?? []),
    ...named.filter(booking => !isUnderKey(booking, ref)),
  ];
}

/** Is `ref` the tracking number of the label? */
const isTracked = (label: Label | undefined, ref: string): boolean =>
  label?.trackingNumber !== undefined && trackingName(label.trackingNumber) === trackingName(ref);

/** The order whose label a booking of labels made. `ref`: may be the tracking number of one of its labels. */
async function orderLabelledBy(
  journal: Journal | undefined,
  booking: Booking,
  ref: string,
): Promise<Booking | undefined> {
  const asked = labelledBy(booking);
  // A pruned booking has no request any more.
  const isGone = asked.length === 0 && booking.operation === 'label';
  const shipments = isGone ? ((await journal?.labelledShipments(booking.id)) ?? []) : asked;
  const shipment = shipments.find(({ leg }) => isTracked(booking.labels[leg], ref)) ?? shipments[0];
  return shipment && journal?.bookingOf(booking, shipment);
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

/** Shipments that the journal knows by a name, and the booking that made them; no booking if the journal has only their labels. */
interface NamedShipments {
  ids: Ids;
  booking: Booking | undefined;
}

/**
 * The shipments that a REF names here: all shipments of a key or of a booking's id, one by its own id, or one by the tracking number of its
 * label. `leg`: an id or a number means only this leg. `undefined` if the journal does not know the REF. Throws as `bookedShipments` does,
 * and `usage` if the REF names two orders. A number that is a key elsewhere throws nothing, because it may be the id of a shipment here.
 */
export async function namedShipments(
  session: Session,
  ref: string,
  leg?: Leg,
): Promise<NamedShipments | undefined> {
  const journal = await session.openJournal('look');
  const everywhere = (await journal?.named(ref)) ?? [];
  const named = everywhere.filter(isHere(session));
  const exact = named.find(({ id }) => id === ref);
  // A key of another kind of booking, such as a webhook, names no shipment.
  const hasKey = (booking: Booking) => booking.keySpace === 'shipment' && isUnderKey(booking, ref);
  const isMeant = (booking: Booking) => hasKey(booking) || idsNamed(booking, ref, leg) !== undefined;
  const candidates = exact ? [exact] : withoutAliases(named.filter(isMeant), ref);
  const meant = await onlyOrder(journal, candidates, ref);
  if (meant === undefined) {
    if (/\D/.test(ref)) refuseElsewhere(session, ref, everywhere);
    return undefined;
  }
  const { booking, order } = meant;
  const keyed =
    !exact && hasKey(booking) ? await withShipments(session, booking.key ?? ref, booking) : undefined;
  const ids = exact ? madeOrLabelled(exact) : (keyed?.ids ?? idsNamed(booking, ref, leg) ?? {});
  // The journal may know a label, and not its shipment.
  return { ids, booking: order.operation === 'label' ? undefined : order };
}

/** Of a booking, the shipments with the id `ref`; or else the first shipment whose label has the tracking number `ref`. */
function idsNamed(booking: Booking, ref: string, leg: Leg | undefined): Ids | undefined {
  const allIds = madeOrLabelled(booking);
  const kinds = (Object.keys(allIds) as (keyof Ids)[]).filter(
    kind => leg === undefined || legOfId(kind) === leg,
  );
  const byId = kinds.filter(kind => allIds[kind] === ref);
  const tracked = kinds.filter(kind => isTracked(booking.labels[legOfId(kind) ?? 'international'], ref));
  const meant = byId.length > 0 ? byId : tracked.slice(0, 1);
  return meant.length === 0 ? undefined : Object.fromEntries(meant.map(kind => [kind, allIds[kind]]));
}

/**
 * The shipments that a REF names, for a caller who needs their legs. Throws as `namedShipments` does, and `not_found` if nothing is known.
 */
export async function knownShipments(session: Session, ref: string): Promise<NamedShipments> {
  const named = await namedShipments(session, ref);
  if (named) return named;
  const journal = await session.openJournal('look');
  refuseElsewhere(session, ref, (await journal?.named(ref)) ?? []);
  const failure = new Failure('not_found', {
    kind: 'shipment-unknown',
    ref,
    flags: targetFlags(session),
    isFile: /\.(csv|tsv|jsonl?)$/i.test(ref),
    isOrderNumber: isOrderNumber(ref),
  });
  throw await withMeantOrders(failure, session, ref, ['label']);
}

/** The shipments that a booking made, or those whose labels a booking of labels made. */
function madeOrLabelled(booking: Booking): Ids {
  const { subscription: _, ...made } = booking.ids;
  return Object.keys(made).length > 0 ? made : labelledIds(booking);
}

/** The booking here that made the shipments of a key. Throws `usage`, `not_found`; `outcome_unknown` if the shipments may exist. */
export async function bookedShipments(session: Session, key: string): Promise<Booking> {
  checkKey(key);
  const journal = await session.openJournal('look');
  const everywhere = ((await journal?.list({ key })) ?? []).filter(({ keySpace }) => keySpace === 'shipment');
  const attempts = everywhere.filter(isHere(session));
  if (attempts.length === 0) refuseElsewhere(session, key, everywhere);
  return withShipments(session, key, decidingBooking(attempts));
}

/** Throws `not_found`, which names the other place, if the booking with the key or id `ref` was sent to another place. */
function refuseElsewhere(session: Session, ref: string, named: readonly Booking[]): void {
  const sent = decidingBooking(
    named.filter(
      booking =>
        !isHere(session)(booking) &&
        mayBeMeant(booking) &&
        (booking.id === ref || (booking.keySpace === 'shipment' && isSameKey(booking.key, ref))),
    ),
  );
  if (sent === undefined) return;
  const place = scopeText(sent);
  const facts = { ref, booking: sent.id, place, here: scopeText(session.scope()) };
  throw new Failure('not_found', { kind: 'sent-elsewhere', ...facts, flags: targetFlags(session) });
}

/** The booking that decides about a key, if it made shipments. Throws as `bookedShipments` does. */
async function withShipments(session: Session, key: string, booking: Booking | undefined): Promise<Booking> {
  if (booking && Object.keys(booking.ids).length > 0) return booking;
  const flags = targetFlags(session);
  if (booking?.state === 'unknown') {
    const facts = { ...(await doubtFacts(booking, await session.openJournal('look'))), booking: booking.id };
    throw new Failure(
      'outcome_unknown',
      { kind: 'booking-of-key-unknown', ...facts, key, flags },
      { booking: booking.id },
    );
  }
  const attempt = booking && { ...bookedBefore(booking), isDenied: decisionOf(booking)?.kind === 'denied' };
  const { address } = session.scope();
  throw new Failure('not_found', {
    kind: 'key-without-shipment',
    key,
    address,
    flags,
    ...(attempt && { attempt }),
  });
}

// What a person may mean by a name that no booking has: orders whose receiver, key, id or tracking number begins with it. They are only
// listed, because the person may mean another order.

/** At most so many orders are named; `history list` shows the others. */
const MOST_NAMED = 5;

/** At most so many of the newest orders are read. */
const MOST_READ = 50;

/** Adds to the failure of an unknown name the orders that may be meant. `action`: the command to use on an order, as `track`. */
export async function withMeantOrders(
  failure: Failure,
  session: Pick<Session, 'scope' | 'openJournal' | 'globals'>,
  ref: string,
  action: readonly string[],
): Promise<Failure> {
  const journal = await session.openJournal('look').catch(() => undefined);
  const name = ref.trim();
  // Shops write `#5001`: a person may type the beginning of the key as `50`.
  for (const search of name === '' ? [] : [name, `#${name}`]) {
    const orders = (await journal?.orders({ search, limit: MOST_READ })) ?? [];
    const bookings = orders.flatMap(({ booking }) =>
      isAt(session.scope(), booking) && booking.keySpace === 'shipment' ? booking : [],
    );
    if (bookings.length === 0) continue;
    const meant = {
      ref,
      search,
      action,
      flags: targetFlags(session),
      orders: bookings.slice(0, MOST_NAMED).map(booking => ({
        name: bookingName(booking),
        receiver: receiverWords(booking.request),
        at: new Date(booking.at).toISOString(),
        state: stateWords(booking),
      })),
      isMore: bookings.length > MOST_NAMED,
    };
    return failure.with({ hint: { kind: 'orders-meant', ...meant }, next: [listCommand(meant)] });
  }
  return failure;
}

/** Does a text look like the number of an order, or a name, rather than like the id of a shipment? */
export const isOrderNumber = (ref: string): boolean =>
  /^\W*[a-z]*[\W_]*\d+$/i.test(ref) || /\s/.test(ref) || !/\d/.test(ref);
