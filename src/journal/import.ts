// Imports bookings of another machine from its results: each is taken over once, and nothing in this journal is overwritten.
import {
  type Booking,
  INPUT_UNKNOWN,
  isMade,
  type LegShipment,
  mayExist,
  type Scope,
  type Speaker,
  type State,
} from '../booking/booking.ts';
import type { BookingWithLabels, Listing } from '../booking/questions.ts';
import { StoreError } from '../errors.ts';
import { lostWords } from '../say/booked.ts';
import {
  bookingOfShipment,
  foundBy,
  hasKey,
  isOf,
  labelInserted,
  labelQuery,
  optionalKeyIdentity,
} from './claim.ts';
import { type Db, raw, sql } from './database.ts';
import { addFacts } from './facts.ts';
import { listElsewhere } from './lists.ts';
import { IS_LABELLED } from './orders.ts';
import { apply, nameByLabels, shipmentInserted } from './record.ts';
import { settle } from './settle.ts';
import { bookingsInserted, indexed } from './tables.ts';
import { claimNames, givenInserted, givenNames, searchedWords } from './words.ts';

/** A booking as a line of results tells it. */
export interface BookingToImport extends BookingWithLabels {
  /** Its id in the journal of the machine that booked it, if the line names that id. */
  there?: string | undefined;
  /** The journal that booked it could not record the outcome: an import into that journal settles it as the line says. */
  isUnrecorded?: boolean;
  /** Who settles bookings that are unknown in this journal. */
  settler?: Speaker | undefined;
  /** The lists of the other machine that have its order, or the order of its label. */
  lists?: readonly Omit<Listing, 'number'>[];
}

/**
 * `imported`: the booking is in this journal now. `settled`: it was unknown in this journal. `known`: it was imported before, perhaps
 * from a line that said something else. `held`: it was left out, because another booking in this journal holds its key, its shipment or
 * the label of the shipment.
 */
export type ImportResult = { kind: 'imported' | 'settled' | 'known' } | { kind: 'held'; by: string };

export async function importBooking(db: Db, line: BookingToImport): Promise<ImportResult> {
  const { booking, there, isUnrecorded } = line;
  const { id } = booking;
  const state = await stateHere(db, booking, id);
  if (state !== undefined) {
    const isSettled = isOutcome(state, booking) && (await settleAs(db, id, line)).kind === 'settled';
    await takeCharge(db, booking);
    if (!isSettled) return { kind: 'known' };
    await markDone(db, line);
    return { kind: 'settled' };
  }
  const holder = await holderOf(db, line);
  if (holder === undefined && (await insertBooking(db, line))) {
    await markDone(db, line);
    return { kind: 'imported' };
  }
  // Another process may have claimed the key since the journal was asked.
  const by = holder ?? (await holderOf(db, line)) ?? '';
  await takeKey(db, by, booking);
  return by === there && isUnrecorded ? settleAs(db, there, line) : { kind: 'held', by };
}

/**
 * Would an import take over the booking of a line? Not if this journal booked it and only lacks the outcome: the journal knows what was
 * done with the labels, and that the booking was on no list.
 */
export async function isNews(db: Db, line: BookingToImport): Promise<boolean> {
  const { booking, there, isUnrecorded } = line;
  if (isUnrecorded && there !== undefined && (await stateHere(db, booking, there)) !== undefined)
    return false;
  const state = await stateHere(db, booking, booking.id);
  return state === undefined ? (await holderOf(db, line)) === undefined : isOutcome(state, booking);
}

/**
 * The state of a booking in this journal; `undefined`: no booking at the address and account has the id. An imported booking has an id
 * made from its line.
 */
async function stateHere(db: Db, scope: Scope, id: string): Promise<State | undefined> {
  const booking = await db.first<{ state: State }>(
    sql`SELECT state FROM bookings WHERE id = ${id} AND ${isOf(scope)}`,
  );
  return booking?.state;
}

/** Does a line tell the outcome of a booking that was imported as unknown? */
const isOutcome = (state: State, booking: Booking): boolean => state === 'unknown' && isMade(booking);

/** The id of the booking in this journal that holds the label, the shipment or the key of a line. */
async function holderOf(db: Db, imported: BookingToImport): Promise<string | undefined> {
  const { booking, labels } = imported;
  for (const label of labels) {
    const labelled = await db.first<{ booking: string }>(labelQuery(booking, label));
    if (labelled) return labelled.booking;
  }
  for (const shipment of givenNames(booking).made) {
    const owner = await orderWith(db, booking, shipment);
    if (owner !== undefined) return owner;
  }
  if (booking.key === null || !mayExist(booking)) return undefined;
  const keyed = await db.first<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${hasKey(booking, booking)}`,
  );
  return keyed?.id;
}

/** The id of the order at the address and account that has a shipment; never of the sandbox, which may give a shipment twice. */
async function orderWith(db: Db, scope: Scope, shipment: LegShipment): Promise<string | undefined> {
  const owner = await bookingOfShipment(db, scope, shipment);
  return owner?.sandbox ? undefined : owner?.id;
}

/** `false`: the key of the booking is held, and nothing is inserted. */
async function insertBooking(db: Db, imported: BookingToImport): Promise<boolean> {
  const { booking, labels } = imported;
  const { id, key, request, facts } = booking;
  const more = { keyId: optionalKeyIdentity(key), leaseUntil: 0, hasFacts: Number(facts.length > 0) };
  if ((await db.run(bookingsInserted([{ booking, more }]))) === 0) return false;
  await addFacts(db, id, facts);
  const { made, given, names } = givenNames(booking);
  for (const shipment of made)
    if (
      (await db.run(shipmentInserted(booking, shipment))) === 0 &&
      (await orderWith(db, booking, shipment)) !== undefined
    )
      throw new StoreError({ fault: 'shipment-just-recorded', shipment: shipment.shipment });
  for (const name of given) await db.run(givenInserted(name, id));
  await db.run(foundBy(id, searchedWords(request), claimNames(booking) + names));
  for (const label of labels) await db.run(labelInserted(booking, id, label, raw('DO NOTHING')));
  await nameByLabels(db, booking);
  return true;
}

/** Gives the order `id` the key of a line, if the order was imported without a key, from the line of a record that was mended. */
async function takeKey(db: Db, id: string, booking: Booking): Promise<void> {
  const { key, keySpace } = booking;
  if (key === null) return;
  const taken = await db.run(sql`UPDATE bookings SET key = ${key}, key_id = ${optionalKeyIdentity(key)}
    WHERE id = ${id} AND key IS NULL AND key_space = ${keySpace} AND fingerprint = ${INPUT_UNKNOWN}
      AND NOT EXISTS (SELECT 1 FROM bookings WHERE ${hasKey(booking, booking)})`);
  if (taken > 0)
    await db.run(sql`UPDATE found_by SET names = names || ${claimNames({ key, run: null })}
      WHERE number = (SELECT number FROM bookings WHERE id = ${id})`);
}

/**
 * Gives an order the price and time of a line. An order that was imported as unknown, or from the line of its label, may lack its price
 * and have a later time: so a limit of the day would count it wrongly.
 */
async function takeCharge(db: Db, booking: Booking): Promise<void> {
  const { id, ids, at, charged } = booking;
  await db.run(sql`UPDATE bookings
    SET at = CASE WHEN at > ${at} THEN ${at} ELSE at END, charged = COALESCE(charged, ${charged})
    WHERE id = ${id} AND ids = ${JSON.stringify(ids)}`);
}

/**
 * Settles the booking `id` as the results say. It is unknown because this journal could not be written when its answer came, or because
 * it was imported before its outcome was known. The process that sent it has given up by then, even if its lease has not ended.
 */
async function settleAs(db: Db, id: string, imported: BookingToImport): Promise<ImportResult> {
  const { booking, settler } = imported;
  const held = { kind: 'held', by: id } as const;
  if (settler === undefined || !isMade(booking)) return held;
  await apply(db, id, { kind: 'lost', why: lostWords('unrecorded') });
  const { ids, labels, overPrice, charged, answer } = booking;
  const [obstacle] = await settle(db, [
    {
      id,
      kind: 'confirmed',
      ids,
      labels,
      overPrice,
      charged,
      mayBeEarly: true,
      ...settler,
      ...(booking.state === 'partial' && { isPart: true }),
      ...(answer !== null && { evidence: answer }),
    },
  ]);
  if (obstacle === undefined) return { kind: 'settled' };
  return obstacle.kind === 'taken' ? { kind: 'held', by: obstacle.booking.id } : held;
}

/** Records what another machine did with an imported order and its labels, so that this machine does not do it again. */
async function markDone(db: Db, { booking: { id }, labels, lists = [] }: BookingToImport): Promise<void> {
  for (const { leg, shipment, printedAt } of labels)
    if (printedAt)
      await db.run(sql`UPDATE labels SET printed_at = COALESCE(printed_at, ${printedAt})
        WHERE booking = ${id} AND leg = ${leg} AND shipment = ${indexed(shipment)}`);
  // The order of a label may have been imported from another file.
  const labelled = sql`SELECT made.booking FROM labels JOIN made ON ${raw(IS_LABELLED)} WHERE labels.booking = ${id}`;
  const isItsOrder = sql`(id = ${id} OR id IN (${labelled})) AND key_space = 'shipment' AND fingerprint = ${INPUT_UNKNOWN}`;
  for (const listing of lists) await listElsewhere(db, listing, isItsOrder);
}
