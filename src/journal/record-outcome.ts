// What an outcome changes, also if a person settled its booking before it came.

import {
  type Booking,
  type Decision,
  isMade,
  labelledBy,
  mayExist,
  type RecordedOutcome,
  type Settlement,
} from './booking.ts';
import type { Dialect } from './dialect.ts';
import type { LateOutcome } from './journal.ts';
import { bookingFrom, COLUMNS, HOLDS_KEY, holdingList, type Row } from './row.ts';
import {
  claimLabel,
  effectOf,
  firstBooking,
  hasKey,
  inScope,
  labelOf,
  labelsOf,
  nameLabels,
  UNHELD,
} from './rules.ts';
import { firstOf, raw, rowsOf, type Steps, sql } from './sql.ts';

/** No further try can record an outcome: its booking is gone, because the journal was emptied or replaced, or has ended. */
export class CannotRecord extends Error {}

/** Records an outcome, also if the booking was settled in the meantime. */
export function* recordOutcome(
  db: Dialect,
  id: string,
  outcome: RecordedOutcome,
  effect = effectOf(outcome),
): Steps<LateOutcome | undefined> {
  const isRecorded = yield* db.recordOutcome(id, outcome, effect);
  // step: outcome written, not committed
  if (!isRecorded) return yield* recordLate(db, id, outcome);
  if (!mayExist(outcome)) yield* giveBack(db, id, null);
  else if (Object.keys(outcome.labels).length > 0) yield nameLabels(sql`labels.booking = ${id}`);
  return undefined;
}

/**
 * A booking does not exist: its key and its labels are those of the booking that it overtook, so that they are not booked
 * once more. If it overtook several, the newest of them has them. `by`: what overtook it in turn.
 */
export function* giveBack(db: Dialect, id: string, by: string | null): Steps<void> {
  const found = yield* rowsOf<Row>(
    sql`SELECT ${raw(COLUMNS)} FROM bookings WHERE overtaken_by = ${id} AND state IN (${raw(holdingList)})
      ORDER BY number DESC ${db.forUpdate}`,
  );
  const [heir, ...others] = found.map(bookingFrom);
  if (heir === undefined) return;
  yield* overtake(heir.id, by);
  yield sql`UPDATE bookings SET why = why || ${`. Booking ${id} does not exist`} WHERE id = ${heir.id}`;
  for (const other of others) yield* overtake(other.id, by ?? heir.id);
  if (by === null) for (const label of labelledBy(heir)) yield claimLabel(heir, heir.id, label);
}

export function* overtake(id: string, by: string | null): Steps<void> {
  yield sql`UPDATE bookings SET overtaken_by = ${by} WHERE id = ${id}`;
}

/**
 * Records the outcome of a booking that is neither pending nor unknown any more. It counts unless the booking was
 * settled as created and the answer made nothing. If its key or its label was booked again, the booking becomes unknown
 * and holds neither, so that a person decides about the two. Gives `undefined` if this outcome was recorded before: its
 * confirmation was lost on the way. Throws if there is no such booking.
 */
function* recordLate(db: Dialect, id: string, outcome: RecordedOutcome): Steps<LateOutcome | undefined> {
  const booking = yield* locked(db, id);
  if (booking === undefined) throw new CannotRecord(`it does not have the booking ${id} any more`);
  if (booking.overtakenBy === null && isRecorded(booking, outcome)) return undefined;
  const settlement = booking.settlements.findLast(isDecision);
  if (settlement === undefined)
    throw new CannotRecord(`the booking ${id} ended twice, and nobody has settled it`);
  if (booking.overtakenBy !== null) return { settlement, booking, counts: true };
  if (!counts(outcome, settlement)) return { settlement, booking, counts: false };

  yield* db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const isDenied = settlement.state === 'rejected';
  const rival = isDenied && mayExist(outcome) ? yield* bookedAgain(db, booking) : undefined;
  if (rival) yield* overtake(id, rival.id);
  const recorded: RecordedOutcome = {
    ...outcome,
    ...(rival && { state: 'unknown', code: 'outcome_unknown', why: bothExist(booking, outcome, rival) }),
    overPrice: outcome.overPrice ?? booking.overPrice,
  };
  const effect = effectOf(recorded);
  yield* db.recordOutcome(id, recorded, rival ? { ...effect, ...UNHELD } : effect, raw('true'));
  if (mayExist(outcome) && !rival)
    for (const label of labelledBy(booking)) yield claimLabel(booking, id, label);
  yield nameLabels(labelsOf(db, id, recorded.ids));
  return { settlement, booking: (yield* locked(db, id)) ?? booking, counts: true };
}

export function* locked(db: Dialect, id: string): Steps<Booking | undefined> {
  const row = yield* firstOf<Row>(sql`SELECT ${raw(COLUMNS)} FROM bookings WHERE id = ${id} ${db.forUpdate}`);
  return row && bookingFrom(row);
}

export function* keep(id: string, settlements: readonly Settlement[]): Steps<void> {
  yield sql`UPDATE bookings SET settlements = ${JSON.stringify(settlements)} WHERE id = ${id}`;
}

const isRecorded = (booking: Booking, { state, answer, ids }: RecordedOutcome): boolean =>
  booking.state === state && booking.answer === answer && JSON.stringify(booking.ids) === JSON.stringify(ids);

const isDecision = (one: Settlement): one is Decision => one.state === 'created' || one.state === 'rejected';

/** What a person found exists, even if this answer made nothing. */
const counts = (outcome: RecordedOutcome, settled: Decision): boolean =>
  settled.state === 'rejected' || isMade(outcome);

/**
 * The booking that took the key or the label since, or is of the same input: whatever the clocks say, a later one. Nobody
 * else can end it until the transaction ends, so that its end finds what was recorded here.
 */
export function* bookedAgain(db: Dialect, booking: Booking): Steps<Booking | undefined> {
  let rival = yield* rivalOf(db, booking);
  for (let held: string | undefined; rival !== undefined && rival.id !== held; ) {
    held = rival.id;
    yield* locked(db, held);
    // It may have ended while its lock was waited for.
    rival = yield* rivalOf(db, booking);
  }
  return rival;
}

function* rivalOf(db: Dialect, booking: Booking): Steps<Booking | undefined> {
  const { id, operation, fingerprint } = booking;
  if (booking.key !== null) return yield* firstBooking(db, sql`${hasKey(booking, booking)} AND id <> ${id}`);
  const labels = labelledBy(booking);
  for (const { shipment } of labels) {
    const found = yield* firstOf<{ booking: string }>(
      sql`SELECT booking FROM (${labelOf(booking, shipment)}) AS found WHERE booking <> ${id}`,
    );
    if (found) return yield* firstBooking(db, sql`id = ${found.booking}`);
  }
  if (labels.length > 0) return undefined;
  return yield* firstBooking(
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
