// What becomes of a booking: what its outcome changes, also if a person settled it before.

import {
  type Amended,
  type Booking,
  type Decision,
  existedAs,
  hasOwnKey,
  type Ids,
  isInputKnown,
  isMade,
  type LegShipment,
  labelledBy,
  legOfId,
  mayExist,
  NOTHING_MADE,
  type Outcome,
  type Settlement,
  settlementOf,
} from '../booking/booking.ts';
import { isSameKey } from '../contract/key.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import {
  bookingsWhere,
  claimLabels,
  firstBooking,
  GIVEN_BACK,
  HOLDS_KEY,
  hasKey,
  inScope,
  isGivenBack,
  isOf,
  labelQuery,
} from './claim.ts';
import { type Db, raw, type Sql, sql } from './database.ts';
import { holdingList, indexed, OUTCOME, outcomeSet, stored, wordOf } from './tables.ts';
import { givenNames } from './words.ts';

/** No further try can record an outcome: its booking is gone, because the journal was emptied or replaced, or has ended. */
export class CannotRecord extends Error {}

/** An outcome may be recorded: none was, or it was not conclusive. */
export const AWAITS_OUTCOME = raw(
  `state IN ('pending', 'unknown') AND overtaken_by IS NULL AND request IS NOT NULL`,
);
/** The same of one that was pruned in the meantime. */
const AWAITS_PRUNED = raw(`state IN ('pending', 'unknown') AND overtaken_by IS NULL AND request IS NULL`);

/** What an outcome changes beside its booking. */
export interface OutcomeEffect {
  /** Shipments that the service gave, and the other names, as they are looked up. */
  made: readonly LegShipment[];
  given: readonly string[];
  /** Legs whose shipments may be labelled by another booking again. */
  released: readonly Leg[];
  /** Shipments whose labels exist. */
  labelled: readonly { leg: Leg; shipment: string }[];
  /** Words by which the booking is found, too. */
  names: string;
}

/** The part of an effect for a booking that holds neither its key nor its labels. */
export const UNHELD = { released: LEGS, labelled: [] } as const;

/** A label that was made belongs to its booking; one that was not made may be requested again. */
export function outcomeEffect(outcome: Outcome): OutcomeEffect {
  const { ids, labels } = outcome;
  const found = givenNames(outcome);
  if (!mayExist(outcome)) return { ...found, ...UNHELD };
  if (outcome.state === 'unknown') return { ...found, released: [], labelled: [] };
  const legs = LEGS.filter(leg => labels[leg]?.made === true);
  return {
    ...found,
    released: LEGS.filter(leg => !legs.includes(leg)),
    labelled: legs.flatMap(leg => {
      const shipment = ids[leg];
      return shipment === undefined ? [] : { leg, shipment: indexed(shipment) };
    }),
  };
}

/**
 * Records an outcome, also if the booking was settled in the meantime. Its shipments become those of the booking, unless they
 * belong to another order: then nobody knows what was made.
 */
export async function recordOutcome(db: Db, id: string, answered: Outcome): Promise<Amended | undefined> {
  const judged = (await asRefused(db, id, answered)) ?? answered;
  const taken = await takeAllShipments(db, id, outcomeEffect(judged).made);
  const outcome = taken && !taken.owner.sandbox ? ofAnotherOrder(id, judged, taken) : judged;
  const effect = outcomeEffect(outcome);
  const isRecorded =
    (await writeOutcome(db, id, outcome, effect)) ||
    (await writeOutcome(db, id, withoutPersons(outcome), effect, AWAITS_PRUNED));
  // step: outcome written, not committed
  if (!isRecorded) return recordLate(db, id, outcome, outcome === judged ? undefined : taken?.owner);
  if (!mayExist(outcome)) await giveBack(db, id, null);
  else if (hasLabels(outcome)) await db.run(nameShipments(db, id));
  const booking = taken || judged !== answered ? await locked(db, id) : undefined;
  return booking && { ...(taken && { owner: taken.owner }), booking };
}

/** The outcome of a refusal whose record is that of other orders: nothing was created. `undefined`: nobody knows. */
async function asRefused(db: Db, id: string, { refusal, ...outcome }: Outcome): Promise<Outcome | undefined> {
  const booking = refusal && (await firstBooking(db, sql`id = ${id}`));
  if (booking === undefined || refusal === undefined) return undefined;
  const owners: string[] = [];
  for (const [name, text] of Object.entries(refusal.ids) as [keyof Ids, string][]) {
    const order = await otherOrderOf(db, booking, name, indexed(text));
    if (order === undefined) return undefined;
    const what = name === 'shipment' || name === 'subscription' ? name : `${name} shipment`;
    owners.push(`${what} ${text} in it is that of another order, ${orderName(order)}`);
  }
  const { code, why } = refusal;
  return {
    ...outcome,
    ...NOTHING_MADE,
    state: 'rejected',
    code,
    why: `${why} (${owners.join('; ')})`,
  };
}

/** Another booking of the place that has what the service gave this id to. */
function otherOrderOf(
  db: Db,
  { id, ...scope }: Booking,
  name: keyof Ids,
  text: string,
): Promise<Booking | undefined> {
  const leg = legOfId(name);
  const owner =
    leg === undefined
      ? sql`SELECT booking FROM given WHERE name = ${text}`
      : sql`SELECT booking FROM made WHERE ${isShipment({ leg, shipment: text })} AND ${isOf(scope)}`;
  return firstBooking(
    db,
    sql`${db.isIn('id', owner)} AND ${isOf(scope)} AND id <> ${id} AND state IN (${raw(holdingList)})`,
  );
}

const orderName = ({ key, id }: Booking): string =>
  `${key === null ? '' : `${JSON.stringify(key)}, `}booking ${id}`;

/** What a person had deleted does not come back with a late answer. */
const withoutPersons = (outcome: Outcome): Outcome => ({
  ...outcome,
  answer: null,
  why: '',
  labels: withoutLinks(outcome.labels),
});

/** A link leads to a label, which has an address. */
export const withoutLinks = (labels: Booking['labels']): Booking['labels'] =>
  Object.fromEntries(Object.entries(labels).map(([leg, { link: _, ...label }]) => [leg, label]));

interface TakenShipment {
  shipment: LegShipment;
  owner: Booking;
}

/** Makes shipments those of a booking: all of them, or none if one of them is that of another order, which is given. */
export async function takeAllShipments(
  db: Db,
  id: string,
  shipments: readonly LegShipment[],
): Promise<TakenShipment | undefined> {
  const { others } = await takeShipments(db, id, shipments);
  if (others) for (const one of shipments) await releaseShipment(db, id, one);
  return others;
}

interface Taking {
  /** What the booking has since now. */
  added: readonly LegShipment[];
  /** The first that is that of another order. Those behind it are not taken. */
  others?: TakenShipment;
}

/** Makes shipments those of a booking, up to the first that is that of another one. */
export async function takeShipments(db: Db, id: string, shipments: readonly LegShipment[]): Promise<Taking> {
  const added: LegShipment[] = [];
  for (const shipment of shipments) {
    const owner = await ownerOnceTaken(db, id, shipment);
    if (typeof owner === 'object') return { added, others: { shipment, owner } };
    if (owner === 'added') added.push(shipment);
  }
  return { added };
}

/** How often a shipment is asked for that other processes take and give back in between. */
const MOST_TRIES = 5;

/**
 * Makes a shipment that of a booking, unless it is that of another one, which is given. The key of the table is the lock of an id:
 * who comes second waits, and then sees whose it is.
 */
async function ownerOnceTaken(db: Db, id: string, shipment: LegShipment): Promise<'added' | 'own' | Booking> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    // step: id of an answer taken
    const row = sql`SELECT ${shipment.shipment}, ${shipment.leg}, address, account, id FROM bookings WHERE id = ${id}`;
    if ((await db.run(sql`INSERT INTO made ${row} ON CONFLICT DO NOTHING`)) > 0) return 'added';
    const held = await db.first<{ booking: string | null }>(
      sql`SELECT made.booking FROM bookings AS own LEFT JOIN made ON ${isShipment(shipment)}
          AND made.address = own.address AND made.account = own.account WHERE own.id = ${id}`,
    );
    // A booking that is gone gets none: who records its outcome is told.
    if (held === undefined || held.booking === id) return 'own';
    const owner = held.booking === null ? undefined : await firstBooking(db, sql`id = ${held.booking}`);
    // Without an owner it was given back meanwhile.
    if (owner) return owner;
  }
  throw new Error(`other processes take the shipment ${shipment.shipment} and give it back, again and again`);
}

export const isShipment = ({ leg, shipment }: LegShipment): Sql =>
  sql`shipment = ${shipment} AND leg = ${leg}`;

export const releaseShipment = (db: Db, id: string, shipment: LegShipment): Promise<number> =>
  db.run(sql`DELETE FROM made WHERE ${isShipment(shipment)} AND booking = ${id}`);

/** The outcome of an order that was answered with the shipment of another one. */
function ofAnotherOrder(
  id: string,
  outcome: Outcome,
  { shipment: { leg, shipment }, owner }: TakenShipment,
): Outcome {
  return {
    ...outcome,
    ...NOTHING_MADE,
    state: 'unknown',
    code: 'outcome_unknown',
    why: `the service answered with the ${leg} shipment ${shipment}, which is that of another order (${orderName(owner)}). If both are one shipment, \`waybill history resolve ${id} --same-as ${owner.id}\` says so`,
  };
}

/** Changes only a booking that is pending or unknown, unless another condition is given. Returns whether it was changed. */
export async function writeOutcome(
  db: Db,
  id: string,
  outcome: Outcome,
  { given, released, labelled, names }: OutcomeEffect,
  when = AWAITS_OUTCOME,
): Promise<boolean> {
  const values = OUTCOME.map(key =>
    key === 'settledAt' ? db.now : stored(key, outcome[key as keyof Outcome]),
  );
  const changed = await db.run(sql`UPDATE bookings SET ${outcomeSet(values)} WHERE id = ${id} AND ${when}`);
  if (changed === 0) return false;
  for (const one of given) await db.run(givenInserted(one, id));
  if (names !== '')
    await db.run(sql`UPDATE found_by SET names = names || ${names}
      WHERE number = (SELECT number FROM bookings WHERE id = ${id})`);
  if (released.length > 0) {
    const isReleased = sql`booking = ${id} AND ${db.isOneOf('leg', released)}`;
    await db.run(sql`UPDATE labels SET ${GIVEN_BACK} WHERE ${isReleased} AND ${isGivenBack(db.forUpdate)}`);
    await db.run(sql`DELETE FROM labels WHERE ${isReleased}`);
  }
  if (labelled.length > 0) {
    const scope = await db.first<Booking>(sql`SELECT address, account FROM bookings WHERE id = ${id}`);
    if (scope) await claimLabels(db, scope, id, labelled);
  }
  return true;
}

export const givenInserted = (name: string, id: string): Sql =>
  sql`INSERT INTO given VALUES (${name}, ${id}) ON CONFLICT DO NOTHING`;

export const hasLabels = ({ labels }: Outcome): boolean => Object.keys(labels).length > 0;

/** The shipments that a booking labels are found by what it is found by, too. */
export const nameShipments = (db: Db, id: string): Sql => {
  const makers = sql`SELECT made.booking FROM labels CROSS JOIN made WHERE labels.booking = ${id}
    AND made.shipment = labels.shipment AND made.leg = labels.leg
    AND made.address = labels.address AND made.account = labels.account`;
  const shipped = sql`SELECT bookings.number FROM bookings WHERE ${db.isIn('bookings.id', makers)}
    AND bookings.id <> ${id}`;
  const own = sql`(SELECT number FROM bookings AS own WHERE own.id = ${id})`;
  return sql`UPDATE found_by
    SET names = names || COALESCE((SELECT label.names FROM found_by AS label WHERE label.number = ${own}), '')
    WHERE ${db.isIn('found_by.number', shipped)}`;
};

/** A booking whose shipments become known after their labels is found by what those are found by, too. */
export async function nameByLabels(db: Db, booking: Booking, ids: Booking['ids']): Promise<void> {
  const shipments = givenNames({ ids, labels: {} }).made;
  const own = new Set(shipments.map(wordOf));
  const isOne = db.isOneOf(
    'shipment',
    shipments.map(one => one.shipment),
  );
  const labels = await db.rows<LegShipment & { booking: string }>(
    sql`SELECT leg, shipment, booking FROM labels WHERE booking = ${booking.id} OR (${isOne} AND ${isOf(booking)})`,
  );
  const makers = labels.filter(label => label.booking === booking.id || own.has(wordOf(label)));
  for (const id of new Set(makers.map(label => label.booking))) await db.run(nameShipments(db, id));
}

/**
 * A booking does not exist: its key and its labels are those of the booking that it overtook, so that they are not booked
 * once more. If it overtook several, the newest of them has them. `by`: what overtook it in turn.
 */
export async function giveBack(db: Db, id: string, by: string | null): Promise<void> {
  const [heir, ...others] = await bookingsWhere(
    db,
    sql`overtaken_by = ${id} AND state IN (${raw(holdingList)}) ORDER BY number DESC ${db.forUpdate}`,
  );
  if (heir === undefined) return;
  await overtake(db, heir.id, by);
  await db.run(
    sql`UPDATE bookings SET why = why || ${`. Booking ${id} does not exist`} WHERE id = ${heir.id}`,
  );
  for (const other of others) await overtake(db, other.id, by ?? heir.id);
  if (by === null) await claimLabels(db, heir, heir.id, labelledBy(heir));
}

export async function overtake(db: Db, id: string, by: string | null): Promise<void> {
  await db.run(sql`UPDATE bookings SET overtaken_by = ${by} WHERE id = ${id}`);
}

/**
 * Records the outcome of a booking that is neither pending nor unknown any more. It counts unless the booking was
 * settled as created and the answer made nothing. `owner`: the order whose shipment the answer names; then nobody knows what was
 * made. If its key or its label was booked again, the booking becomes unknown
 * and holds neither, so that a person decides about the two. Gives `undefined` if this outcome was recorded before: its
 * confirmation was lost on the way. Throws if there is no such booking.
 */
async function recordLate(
  db: Db,
  id: string,
  given: Outcome,
  owner: Booking | undefined,
): Promise<Amended | undefined> {
  const booking = await locked(db, id);
  if (booking === undefined) throw new CannotRecord(`it does not have the booking ${id} any more`);
  const outcome = booking.request === null ? withoutPersons(given) : given;
  const isSame = JSON.stringify(booking.ids) === JSON.stringify(outcome.ids);
  const told = booking.state === 'cancelled' ? existedAs(booking) : booking.state;
  if (booking.overtakenBy === null && isSame && told === outcome.state && booking.answer === outcome.answer)
    return undefined;
  const settlement = booking.settlements.findLast(isDecision);
  if (settlement === undefined)
    throw new CannotRecord(`the booking ${id} ended twice, and nobody has settled it`);
  if (booking.overtakenBy !== null) return { booking, late: { settlement, counts: true } };
  const isDenied = settlement.state === 'rejected';
  // The person may have said that the two orders are one shipment.
  const isOthers = owner !== undefined && owner.id !== settlement.sameAs;
  // What a person found exists, even if this answer made nothing.
  if (!isDenied && !isMade(outcome) && !isOthers) return { booking, late: { settlement, counts: false } };

  await db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const rival = isDenied && mayExist(outcome) ? await bookedAgain(db, booking) : undefined;
  if (rival) await overtake(db, id, rival.id);
  // What was cancelled stays so, unless this is another shipment.
  const isCancelled = booking.state === 'cancelled' && isMade(outcome) && isSame;
  const recorded: Outcome = {
    ...outcome,
    ...(isCancelled && { state: 'cancelled' }),
    ...(rival && { state: 'unknown', code: 'outcome_unknown', why: bothExist(booking, outcome, rival) }),
    overPrice: outcome.overPrice ?? booking.overPrice,
  };
  const effect = outcomeEffect(recorded);
  await releaseOthers(db, booking, recorded);
  await writeOutcome(db, id, recorded, rival ? { ...effect, ...UNHELD } : effect, raw('true'));
  if (mayExist(outcome) && !rival) await claimLabels(db, booking, id, labelledBy(booking));
  await nameByLabels(db, booking, recorded.ids);
  // A shipment that it was said to have, and has not, stays that of an order.
  if (!isSame)
    for (const one of await declaredSame(db, booking)) await takeAllShipments(db, one.id, madeBy(one));
  return { booking: (await locked(db, id)) ?? booking, late: { settlement, counts: true } };
}

/** What a booking was said to have made before is free again. Lists that have it do not have what was made instead. */
export async function releaseOthers(
  db: Db,
  { id, ids, settlements }: Booking,
  now: Pick<Outcome, 'ids' | 'state'>,
): Promise<void> {
  const kept = new Set(madeBy(now).map(wordOf));
  const others = (of: Pick<Booking, 'ids'>) => madeBy(of).filter(one => !kept.has(wordOf(one)));
  for (const one of others({ ids })) await releaseShipment(db, id, one);
  // While it was unknown again, it was on its lists still.
  const said = settlements.findLast(({ state }) => state === 'created');
  if (isMade(now) && [{ ids }, ...(said ? [said] : [])].some(one => others(one).length > 0))
    await db.run(sql`DELETE FROM listed WHERE booking = ${id}`);
}

/** Shipments as they are indexed. */
export const madeBy = ({ ids }: Pick<Booking, 'ids'>): LegShipment[] => givenNames({ ids, labels: {} }).made;

export const locked = (db: Db, id: string): Promise<Booking | undefined> =>
  firstBooking(db, sql`id = ${id} ${db.forUpdate}`);

/** The orders of which a person said that they are one shipment with this one. */
export async function declaredSame(db: Db, { id, ...scope }: Booking): Promise<Booking[]> {
  const said = db.contains(raw('settlements'), `"sameAs":${JSON.stringify(id)}`);
  const found = await bookingsWhere(db, sql`${isOf(scope)} AND ${said} ORDER BY number ${db.forUpdate}`);
  return found.filter(one => settlementOf(one)?.sameAs === id);
}

const isDecision = (one: Settlement): one is Decision => one.state === 'created' || one.state === 'rejected';

/**
 * The booking that took the key or the label since, or is a later one of the same input, whatever the clocks say: this booking would
 * have prevented it. Of several it is the first that is pending, which is then not sent any more, or else the newest. It is locked
 * until the transaction ends: its own outcome finds what is recorded here.
 */
export async function bookedAgain(db: Db, booking: Booking): Promise<Booking | undefined> {
  let rival = await rivalOf(db, booking);
  for (let held: string | undefined; rival !== undefined && rival.id !== held; ) {
    held = rival.id;
    await locked(db, held);
    // It may have ended while its lock was waited for.
    rival = await rivalOf(db, booking);
  }
  return rival;
}

async function rivalOf(db: Db, booking: Booking): Promise<Booking | undefined> {
  const { id, key, operation, fingerprint } = booking;
  const keyed =
    key === null ? undefined : await firstBooking(db, sql`${hasKey(booking, booking)} AND id <> ${id}`);
  if (keyed) return keyed;
  const labels = labelledBy(booking);
  for (const label of labels) {
    const found = await db.first<{ booking: string }>(
      // The booking of an earlier label, which got it back, is none.
      sql`SELECT booking FROM (${labelQuery(booking, label)}) AS found WHERE booking <> ${id}
        AND (SELECT number FROM bookings AS taker WHERE taker.id = found.booking)
          > (SELECT number FROM bookings AS own WHERE own.id = ${id})`,
    );
    if (found) return await firstBooking(db, sql`id = ${found.booking}`);
  }
  if (labels.length > 0 || !isInputKnown(booking)) return undefined;
  const later = await bookingsWhere(
    db,
    sql`${inScope(booking)} AND operation = ${operation} AND fingerprint = ${fingerprint} AND ${HOLDS_KEY}
      AND number > (SELECT number FROM bookings WHERE id = ${id}) ORDER BY number`,
  );
  const rivals = later.filter(one => !hasOwnKey(one));
  return rivals.find(({ state }) => state === 'pending') ?? rivals.at(-1);
}

function bothExist({ key, at }: Booking, outcome: Outcome, rival: Booking): string {
  const words = ({ ids }: Pick<Booking, 'ids'>) => Object.values(ids).join(' and ');
  const own = words(outcome)
    ? `it was created as ${words(outcome)}`
    : isMade(outcome)
      ? 'it was created'
      : `it may have been created (${outcome.why})`;
  const again = `${key === null || !isSameKey(key, rival.key) ? 'the same' : 'its key'} was booked again as ${rival.id}${words(rival) && `, which is ${words(rival)}`}`;
  return `it was sent at ${new Date(at).toISOString()} and resolved as not created; ${again}; then its own answer came: ${own}`;
}
