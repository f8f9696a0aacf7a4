// What an outcome changes, also if a person settled its booking before it came.
import { LEGS, type Leg } from '../contract/operations.ts';
import {
  type Booking,
  type Decision,
  existedAs,
  isMade,
  type LateOutcome,
  labelledBy,
  mayExist,
  type RecordedOutcome,
  type Settlement,
} from './booking.ts';
import { claimLabels, firstBooking, HOLDS_KEY, hasKey, holdingList, inScope, labelQuery } from './claim.ts';
import { bookingFrom, EVERYTHING, OUTCOME, outcomeSet, type Row, stored } from './columns.ts';
import { type Db, raw, type Sql, sql } from './database.ts';
import { indexed, madeNames, outcomeNames } from './words.ts';

/** No further try can record an outcome: its booking is gone, because the journal was emptied or replaced, or has ended. */
export class CannotRecord extends Error {}

/** An outcome may be recorded: none was, or it was not conclusive. */
export const AWAITS_OUTCOME = raw(`state IN ('pending', 'unknown') AND overtaken_by IS NULL`);

/** What an outcome changes beside its booking. */
export interface OutcomeEffect {
  /** What the service gave, as it is looked up. */
  made: readonly string[];
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
export function outcomeEffect(outcome: RecordedOutcome): OutcomeEffect {
  const { ids, labels } = outcome;
  const found = { made: madeNames(outcome), names: outcomeNames(outcome) };
  if (!mayExist(outcome)) return { ...found, ...UNHELD };
  if (outcome.state === 'unknown') return { ...found, released: [], labelled: [] };
  const hasLabel = (leg: Leg) => labels[leg]?.made === true;
  return {
    ...found,
    released: LEGS.filter(leg => !hasLabel(leg)),
    labelled: LEGS.filter(hasLabel).flatMap(leg => {
      const shipment = ids[leg];
      return shipment === undefined ? [] : { leg, shipment: indexed(shipment) };
    }),
  };
}

/** Records an outcome, also if the booking was settled in the meantime. */
export async function recordOutcome(
  db: Db,
  id: string,
  outcome: RecordedOutcome,
  effect = outcomeEffect(outcome),
): Promise<LateOutcome | undefined> {
  const isRecorded = await writeOutcome(db, id, outcome, effect);
  // step: outcome written, not committed
  if (!isRecorded) return recordLate(db, id, outcome);
  if (!mayExist(outcome)) await giveBack(db, id, null);
  else if (hasLabels(outcome)) await db.run(nameShipments(db, id));
  return undefined;
}

/** Changes only a booking that is pending or unknown, unless another condition is given. Returns whether it was changed. */
export async function writeOutcome(
  db: Db,
  id: string,
  outcome: RecordedOutcome,
  { made, released, labelled, names }: OutcomeEffect,
  when = AWAITS_OUTCOME,
): Promise<boolean> {
  const values = OUTCOME.map(key =>
    key === 'settledAt' ? db.now : stored(key, outcome[key as keyof RecordedOutcome]),
  );
  const changed = await db.run(sql`UPDATE bookings SET ${outcomeSet(values)} WHERE id = ${id} AND ${when}`);
  if (changed === 0) return false;
  for (const one of made) await db.run(madeInserted(one, id));
  if (names !== '')
    await db.run(sql`UPDATE found_by SET names = names || ${names}
      WHERE number = (SELECT number FROM bookings WHERE id = ${id})`);
  if (released.length > 0)
    await db.run(sql`DELETE FROM labels WHERE booking = ${id} AND ${db.isOneOf('leg', released)}`);
  if (labelled.length > 0) {
    const scope = await db.first<Booking>(sql`SELECT address, account FROM bookings WHERE id = ${id}`);
    if (scope) await claimLabels(db, scope, id, labelled);
  }
  return true;
}

export const madeInserted = (made: string, id: string): Sql =>
  sql`INSERT INTO made VALUES (${made}, ${id}) ON CONFLICT DO NOTHING`;

export const hasLabels = ({ labels }: RecordedOutcome): boolean => Object.keys(labels).length > 0;

/** The shipments that a booking labels are found by what it is found by, too. */
export const nameShipments = (db: Db, id: string): Sql => {
  const shipments = sql`SELECT shipment FROM labels WHERE labels.booking = ${id}`;
  const makers = sql`SELECT made.booking FROM made WHERE ${db.isIn('made.id', shipments)}`;
  const place = (column: string) => sql`(SELECT ${raw(column)} FROM bookings AS own WHERE own.id = ${id})`;
  const shipped = sql`SELECT bookings.number FROM bookings WHERE ${db.isIn('bookings.id', makers)}
    AND bookings.id <> ${id} AND address = ${place('address')} AND account = ${place('account')}`;
  return sql`UPDATE found_by
    SET names = names
      || COALESCE((SELECT label.names FROM found_by AS label WHERE label.number = ${place('number')}), '')
    WHERE ${db.isIn('found_by.number', shipped)}`;
};

/** A booking whose shipments become known after their labels is found by what those are found by, too. */
export async function nameByLabels(db: Db, id: string, ids: Booking['ids']): Promise<void> {
  const labels = await db.rows<{ booking: string }>(
    sql`SELECT DISTINCT booking FROM labels
      WHERE booking = ${id} OR ${db.isOneOf('shipment', Object.values(ids).map(indexed))}`,
  );
  for (const { booking } of labels) await db.run(nameShipments(db, booking));
}

/**
 * A booking does not exist: its key and its labels are those of the booking that it overtook, so that they are not booked
 * once more. If it overtook several, the newest of them has them. `by`: what overtook it in turn.
 */
export async function giveBack(db: Db, id: string, by: string | null): Promise<void> {
  const found = await db.rows<Row>(
    sql`SELECT ${raw(EVERYTHING)} FROM bookings WHERE overtaken_by = ${id} AND state IN (${raw(holdingList)})
      ORDER BY number DESC ${db.forUpdate}`,
  );
  const [heir, ...others] = found.map(bookingFrom);
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
 * settled as created and the answer made nothing. If its key or its label was booked again, the booking becomes unknown
 * and holds neither, so that a person decides about the two. Gives `undefined` if this outcome was recorded before: its
 * confirmation was lost on the way. Throws if there is no such booking.
 */
async function recordLate(db: Db, id: string, outcome: RecordedOutcome): Promise<LateOutcome | undefined> {
  const booking = await locked(db, id);
  if (booking === undefined) throw new CannotRecord(`it does not have the booking ${id} any more`);
  if (booking.overtakenBy === null && isRecorded(booking, outcome)) return undefined;
  const settlement = booking.settlements.findLast(isDecision);
  if (settlement === undefined)
    throw new CannotRecord(`the booking ${id} ended twice, and nobody has settled it`);
  if (booking.overtakenBy !== null) return { settlement, booking, counts: true };
  if (!counts(outcome, settlement)) return { settlement, booking, counts: false };

  await db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const isDenied = settlement.state === 'rejected';
  const rival = isDenied && mayExist(outcome) ? await bookedAgain(db, booking) : undefined;
  if (rival) await overtake(db, id, rival.id);
  // What was cancelled stays so, unless this is another shipment.
  const isCancelled =
    booking.state === 'cancelled' &&
    isMade(outcome) &&
    JSON.stringify(booking.ids) === JSON.stringify(outcome.ids);
  const recorded: RecordedOutcome = {
    ...outcome,
    ...(isCancelled && { state: 'cancelled' }),
    ...(rival && { state: 'unknown', code: 'outcome_unknown', why: bothExist(booking, outcome, rival) }),
    overPrice: outcome.overPrice ?? booking.overPrice,
  };
  const effect = outcomeEffect(recorded);
  await writeOutcome(db, id, recorded, rival ? { ...effect, ...UNHELD } : effect, raw('true'));
  if (mayExist(outcome) && !rival) await claimLabels(db, booking, id, labelledBy(booking));
  await nameByLabels(db, id, recorded.ids);
  return { settlement, booking: (await locked(db, id)) ?? booking, counts: true };
}

export async function locked(db: Db, id: string): Promise<Booking | undefined> {
  const row = await db.first<Row>(
    sql`SELECT ${raw(EVERYTHING)} FROM bookings WHERE id = ${id} ${db.forUpdate}`,
  );
  return row && bookingFrom(row);
}

export async function keepSettlements(db: Db, id: string, settlements: readonly Settlement[]): Promise<void> {
  await db.run(sql`UPDATE bookings SET settlements = ${JSON.stringify(settlements)} WHERE id = ${id}`);
}

const isRecorded = (booking: Booking, { state, answer, ids }: RecordedOutcome): boolean =>
  (booking.state === 'cancelled' ? existedAs(booking) : booking.state) === state &&
  booking.answer === answer &&
  JSON.stringify(booking.ids) === JSON.stringify(ids);

const isDecision = (one: Settlement): one is Decision => one.state === 'created' || one.state === 'rejected';

/** What a person found exists, even if this answer made nothing. */
const counts = (outcome: RecordedOutcome, settled: Decision): boolean =>
  settled.state === 'rejected' || isMade(outcome);

/**
 * The booking that took the key or the label since, or is of the same input: whatever the clocks say, a later one. Nobody
 * else can end it until the transaction ends, so that its end finds what was recorded here.
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
  const { id, operation, fingerprint } = booking;
  if (booking.key !== null) return await firstBooking(db, sql`${hasKey(booking, booking)} AND id <> ${id}`);
  const labels = labelledBy(booking);
  for (const { shipment } of labels) {
    const found = await db.first<{ booking: string }>(
      sql`SELECT booking FROM (${labelQuery(booking, shipment)}) AS found WHERE booking <> ${id}`,
    );
    if (found) return await firstBooking(db, sql`id = ${found.booking}`);
  }
  if (labels.length > 0) return undefined;
  return await firstBooking(
    db,
    sql`${inScope(booking)} AND operation = ${operation} AND fingerprint = ${fingerprint} AND ${HOLDS_KEY}
      AND key IS NULL AND number > (SELECT number FROM bookings WHERE id = ${id}) ORDER BY number DESC`,
  );
}

function bothExist({ key, at }: Booking, outcome: RecordedOutcome, rival: Booking): string {
  const words = ({ ids }: Pick<Booking, 'ids'>) => Object.values(ids).join(' and ');
  const own = words(outcome)
    ? `it was created as ${words(outcome)}`
    : isMade(outcome)
      ? 'it was created'
      : `it may have been created (${outcome.why})`;
  const again = `${key === null ? 'the same' : 'its key'} was booked again as ${rival.id}${words(rival) && `, which is ${words(rival)}`}`;
  return `it was sent at ${new Date(at).toISOString()} and resolved as not created; ${again}; then its own answer came: ${own}`;
}
