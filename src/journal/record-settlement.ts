// What a person says about bookings. It is added to the record: answer, status and reason stay as they are.
import { LEGS } from '../contract/operation.ts';
import {
  type Booking,
  labelledBy,
  type NewSettlement,
  NOTHING_MADE,
  type RecordedOutcome,
  type Settlement,
} from './booking.ts';
import type { Dialect } from './dialect.ts';
import { indexed } from './indexed.ts';
import type { SettleObstacle } from './journal.ts';
import { bookedAgain, giveBack, keep, locked, overtake } from './record-outcome.ts';
import { bookingFrom, COLUMNS, type Row } from './row.ts';
import {
  bookingOfLabel,
  bookingsWhere,
  claimLabel,
  effectOf,
  labelsOf,
  nameLabels,
  UNHELD,
} from './rules.ts';
import { AT_WORK_MINUTES, needsAcceptance, settlementOf } from './settlement.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from './sql.ts';

/** Records all of them, or gives what prevents some of them. */
export function* settle(db: Dialect, given: readonly NewSettlement[]): Steps<SettleObstacle[]> {
  const bookings = yield* lockAll(db, given);
  const obstacles = yield* obstaclesAmong(db, given, bookings);
  if (obstacles.length > 0) return obstacles;
  const at = yield* timeNow(db);
  for (const one of given) {
    const found = bookings.get(one.id);
    // One before it may have given its key back to it.
    const booking = found && found.overtakenBy !== null ? yield* locked(db, one.id) : found;
    if (booking) yield* record(db, booking, one, at);
  }
  return [];
}

/** In ms since 1970, by the clock of the journal. */
function* timeNow(db: Dialect): Steps<number> {
  return (yield* firstOf<{ now: number }>(sql`SELECT CAST(${db.now()} AS float8) AS now`))?.now ?? 0;
}

export function* obstaclesTo(db: Dialect, given: readonly NewSettlement[]): Steps<SettleObstacle[]> {
  return yield* obstaclesAmong(db, given, yield* lockAll(db, given));
}

/** The bookings, which nobody else changes until the transaction ends. */
function* lockAll(db: Dialect, given: readonly NewSettlement[]): Steps<ReadonlyMap<string, Booking>> {
  // One after the other: two of them must not take one shipment.
  yield* db.lock({ scope: NOWHERE, operation: 'ship', fingerprint: 'settle', labels: [] });
  const ids = given.map(({ id }) => id);
  const rows = yield* rowsOf<Row>(
    sql`SELECT ${raw(COLUMNS)} FROM bookings WHERE ${db.isOneOf('id', ids)} ORDER BY number ${db.forUpdate}`,
  );
  return new Map(rows.map(row => [row.id, bookingFrom(row)]));
}

function* obstaclesAmong(
  db: Dialect,
  given: readonly NewSettlement[],
  bookings: ReadonlyMap<string, Booking>,
): Steps<SettleObstacle[]> {
  const obstacles: SettleObstacle[] = [];
  const taken = new Map<string, Booking>();
  const seen = new Set<string>();
  for (const one of given) {
    const booking = bookings.get(one.id);
    const obstacle = seen.has(one.id)
      ? ({ kind: 'state', booking } as const)
      : yield* obstacleToSettling(db, one, booking, taken);
    if (obstacle) obstacles.push({ id: one.id, ...obstacle });
    seen.add(one.id);
    if (booking) for (const id of shipmentsOf(one, booking)) taken.set(placed(id, booking), booking);
  }
  return obstacles;
}

const NOWHERE = { address: '', account: '' };

/** Labels have no id of their own. */
const shipmentsOf = ({ ids }: NewSettlement, { operation }: Booking): string[] =>
  operation === 'label' ? [] : Object.values(ids);

const placed = (shipment: string, { address, keySpace }: Booking): string =>
  JSON.stringify([address, keySpace, shipment]);

type SettlingObstacle = SettleObstacle extends infer One
  ? One extends unknown
    ? Omit<One, 'id'>
    : never
  : never;

function* obstacleToSettling(
  db: Dialect,
  settlement: NewSettlement,
  booking: Booking | undefined,
  taken: ReadonlyMap<string, Booking>,
): Steps<SettlingObstacle | undefined> {
  const { state, mayBeEarly } = settlement;
  if (booking === undefined) return { kind: 'state', booking };
  if (state === 'reopened') return yield* obstacleToReopening(db, booking);
  if (state === 'accepted') return needsAcceptance(booking) ? undefined : { kind: 'state', booking };
  if (booking.state !== 'unknown') return { kind: 'state', booking };
  if (state === 'rejected')
    return (yield* madeLabelOf(db, booking)) ?? (mayBeEarly ? undefined : yield* early(db, booking));
  for (const shipment of shipmentsOf(settlement, booking)) {
    const owner = taken.get(placed(shipment, booking)) ?? (yield* ownerOf(db, shipment, booking));
    if (owner) return { kind: 'taken', shipment, booking: owner };
  }
  return undefined;
}

/** One that was booked in the future counts as sent now: the clock was set back. */
function* early(db: Dialect, booking: Booking): Steps<SettlingObstacle | undefined> {
  const now = yield* timeNow(db);
  const until = Math.min(booking.at, now) + AT_WORK_MINUTES * 60_000;
  return now < until ? { kind: 'early', booking, until } : undefined;
}

/** Another booking of the address, whatever its account, that has this id. */
function* ownerOf(
  db: Dialect,
  shipment: string,
  { id, address, keySpace }: Booking,
): Steps<Booking | undefined> {
  const found = yield* bookingsWhere(
    db,
    sql`id IN (SELECT booking FROM made WHERE made.id = ${indexed(shipment)}) AND address = ${address}
      AND key_space = ${keySpace} AND id <> ${id}`,
  );
  // It may have had the id, and was reopened.
  return found.find(({ ids }) => Object.values(ids).includes(shipment));
}

/** A label that was made proves that the shipment exists which the booking was once said to be. */
function* madeLabelOf(db: Dialect, booking: Booking): Steps<SettlingObstacle | undefined> {
  if (booking.operation === 'label') return undefined;
  const said = [booking, ...booking.settlements].flatMap(({ ids }) => Object.values(ids));
  for (const shipment of new Set(said)) {
    const label = yield* bookingOfLabel(db, booking, shipment);
    if (label === undefined || label.booking.id === booking.id || !label.booking.labels[label.leg]?.made)
      continue;
    if ((yield* ownerOf(db, shipment, booking)) === undefined)
      return { kind: 'labelled', shipment, booking: label.booking };
  }
  return undefined;
}

function* obstacleToReopening(db: Dialect, booking: Booking): Steps<SettlingObstacle | undefined> {
  const settlement = settlementOf(booking);
  if (settlement === undefined) return { kind: 'state', booking };
  if (isUnnamed(booking)) return { kind: 'pruned', booking };
  // One that was said not to exist is safer if it is unknown.
  const labelled = settlement.state === 'created' ? yield* madeLabelOf(db, booking) : undefined;
  if (labelled) return labelled;
  // One that was overtaken does not get its key back.
  if (booking.overtakenBy !== null) return undefined;
  yield* db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const again = yield* bookedAgain(db, booking);
  return again && { kind: 'booked again', booking: again };
}

/** Does it need labels whose shipments are not known any more? One that was created has them still. */
const isUnnamed = (booking: Booking): boolean =>
  booking.operation === 'label' &&
  labelledBy(booking).length === 0 &&
  (booking.state === 'rejected' || booking.overtakenBy !== null);

function* record(db: Dialect, booking: Booking, given: NewSettlement, at: number): Steps<void> {
  const { id, labels, overPrice, mayBeEarly: _, ...said } = given;
  const { code, why, httpStatus, answer, settlements } = booking;
  const add = (settlement: Settlement) => keep(id, [...settlements, settlement]);
  if (said.state === 'accepted') return yield* add({ ...said, at, ids: booking.ids });
  if (said.state === 'reopened') {
    const before = { ...NOTHING_MADE, ...settlementOf(booking)?.before };
    yield* change(db, booking, {
      ...{ state: 'unknown', code: 'outcome_unknown', why, httpStatus, answer },
      ...before,
      // Only a person who accepts it ends that its price is above its bound.
      overPrice: booking.overPrice || before.overPrice,
    });
    yield* add({ ...said, at });
    return yield* hold(db, booking);
  }
  const before = { ids: booking.ids, labels: booking.labels, overPrice: booking.overPrice };
  yield* change(db, booking, {
    ...{ state: said.state, code, why, httpStatus, answer },
    ...{ ids: said.ids, labels, overPrice: overPrice ?? before.overPrice },
  });
  yield* add({ ...said, at, before });
  if (said.state === 'rejected') yield* giveBack(db, id, booking.overtakenBy);
}

function* change(
  db: Dialect,
  { id, operation, overtakenBy }: Booking,
  outcome: RecordedOutcome,
): Steps<void> {
  const effect = effectOf(outcome);
  // What was said to be its label is not: only a booking of labels keeps those that it claimed.
  const isUnlabelled = outcome.state === 'unknown' && operation !== 'label';
  const released = isUnlabelled ? { released: LEGS } : {};
  const held = overtakenBy === null ? { ...effect, ...released } : { ...effect, ...UNHELD };
  yield* db.recordOutcome(id, outcome, held, raw('true'));
  yield nameLabels(labelsOf(db, id, outcome.ids));
}

/** One that may exist again holds its key and its labels, or is overtaken by what has them now. */
function* hold(db: Dialect, booking: Booking): Steps<void> {
  if (booking.overtakenBy !== null) {
    const again = yield* bookedAgain(db, booking);
    yield* overtake(booking.id, again?.id ?? null);
    if (again) return;
  }
  for (const label of labelledBy(booking)) yield claimLabel(booking, booking.id, label);
}

/** Drops what the service told and what a person wrote. */
export function* pruneSettlements(old: Sql): Steps<void> {
  const rows = yield* rowsOf<{ id: string; settlements: string }>(
    sql`SELECT id, settlements FROM bookings WHERE ${old} AND settlements <> '[]'`,
  );
  for (const { id, settlements } of rows) {
    const kept = (JSON.parse(settlements) as Settlement[]).map(({ evidence: _, ...one }) => ({
      ...one,
      reason: null,
    }));
    yield sql`UPDATE bookings SET settlements = ${JSON.stringify(kept)} WHERE id = ${id}`;
  }
}
