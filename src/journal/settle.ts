// What a person says about bookings. It is added to the record: answer, status and reason stay as they are.

import {
  AT_WORK_MINUTES,
  type Booking,
  existedAs,
  type Ids,
  isAt,
  isMade,
  isSameShipment,
  type LegShipment,
  labelledBy,
  legOfId,
  type NewSettlement,
  NOTHING_MADE,
  needsAcceptance,
  type Outcome,
  type Settlement,
  type SettleObstacle,
  type SettlingObstacle,
  type State,
  settlementOf,
  shipmentsIn,
  unlabelledBy,
} from '../booking/booking.ts';
import { LEGS } from '../contract/operations.ts';
import { bookingOfLabel, bookingsWhere, claimLabels, lastSent } from './claim.ts';
import { type Db, raw, sql } from './database.ts';
import {
  bookedAgain,
  declaredSame,
  giveBack,
  isShipment,
  locked,
  madeBy,
  nameByLabels,
  outcomeEffect,
  overtake,
  releaseOthers,
  releaseShipment,
  takeAllShipments,
  takeShipments,
  UNHELD,
  writeOutcome,
} from './finish.ts';
import { indexed, wordOf } from './tables.ts';

/** Records all of them, or gives what prevents some of them. */
export async function settle(db: Db, given: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  const bookings = await lockAll(db, given);
  const obstacles = await obstaclesAmong(db, given, bookings);
  if (obstacles.length > 0) return obstacles;
  const taken = await takeSettled(db, given, bookings);
  if (taken) return [taken];
  const at = await timeNow(db);
  for (const one of given) {
    const found = bookings.get(one.id);
    // One before it may have given its key back to it.
    const booking = found && found.overtakenBy !== null ? await locked(db, one.id) : found;
    if (booking) await record(db, booking, one, at);
  }
  return [];
}

/** What is said to be created becomes that of its booking. Gives an obstacle if an answer has just taken one: then nothing is. */
async function takeSettled(
  db: Db,
  given: readonly NewSettlement[],
  bookings: ReadonlyMap<string, Booking>,
): Promise<SettleObstacle | undefined> {
  const before: { id: string; added: readonly LegShipment[] }[] = [];
  for (const { id, state, ids, sameAs } of given) {
    if (state !== 'created' || sameAs !== undefined || bookings.get(id)?.operation === 'label') continue;
    const { added, others } = await takeShipments(db, id, madeBy({ ids }));
    before.push({ id, added });
    if (others === undefined) continue;
    for (const one of before) for (const shipment of one.added) await releaseShipment(db, one.id, shipment);
    return { id, kind: 'taken', shipment: others.shipment.shipment, booking: others.owner };
  }
  return undefined;
}

/** In ms since 1970, by the clock of the journal. */
export async function timeNow(db: Db): Promise<number> {
  return (await db.first<{ now: number }>(sql`SELECT CAST(${db.now} AS float8) AS now`))?.now ?? 0;
}

export async function obstaclesTo(db: Db, given: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  return obstaclesAmong(db, given, await lockAll(db, given));
}

/** Who does that in a journal comes one after the other. */
export const lockAlone = (db: Db, what: 'settle' | 'put on a list'): Promise<void> =>
  db.lock({
    scope: { address: '', account: '' },
    operation: 'ship',
    fingerprint: what,
    orderFingerprint: null,
    labels: [],
  });

/** The bookings, and those that are said to be one shipment with them, which nobody else changes until the transaction ends. */
async function lockAll(db: Db, given: readonly NewSettlement[]): Promise<ReadonlyMap<string, Booking>> {
  // Two of them must not take one shipment.
  await lockAlone(db, 'settle');
  const isGiven = db.isOneOf(
    'id',
    given.flatMap(({ id, sameAs }) => [id, ...(sameAs === undefined ? [] : [sameAs])]),
  );
  const bookings = await bookingsWhere(db, sql`${isGiven} ORDER BY number ${db.forUpdate}`);
  return new Map(bookings.map(booking => [booking.id, booking]));
}

async function obstaclesAmong(
  db: Db,
  given: readonly NewSettlement[],
  bookings: ReadonlyMap<string, Booking>,
): Promise<SettleObstacle[]> {
  const obstacles: SettleObstacle[] = [];
  const taken = new Map<string, Booking>();
  const seen = new Set<string>();
  for (const one of given) {
    const booking = bookings.get(one.id);
    const obstacle = seen.has(one.id)
      ? ({ kind: 'state', booking } as const)
      : await obstacleToSettling(db, one, booking, { taken, given, bookings });
    if (obstacle) obstacles.push({ id: one.id, ...obstacle });
    seen.add(one.id);
    if (booking) for (const [name, id] of idsOf(one, booking)) taken.set(placed(name, id, booking), booking);
  }
  return obstacles;
}

/** The ids that are said to be its own: labels have none, and another order has those of one shipment for two. */
const idsOf = ({ ids, sameAs }: NewSettlement, { operation }: Booking): [keyof Ids, string][] =>
  operation === 'label' || sameAs !== undefined ? [] : (Object.entries(ids) as [keyof Ids, string][]);

const placed = (name: keyof Ids, id: string, { address, keySpace }: Booking): string =>
  JSON.stringify([address, keySpace, legOfId(name), id]);

/** What is settled in one transaction. */
interface Together {
  given: readonly NewSettlement[];
  bookings: ReadonlyMap<string, Booking>;
  /** What those before it are said to have made, as `placed`. */
  taken: ReadonlyMap<string, Booking>;
}

async function obstacleToSettling(
  db: Db,
  settlement: NewSettlement,
  booking: Booking | undefined,
  { taken, given, bookings }: Together,
): Promise<SettlingObstacle | undefined> {
  const { state, mayBeEarly } = settlement;
  if (booking === undefined) return { kind: 'state', booking };
  if (state === 'reopened')
    return (await obstacleToReopening(db, booking)) ?? (await declaredObstacle(db, booking, given));
  if (state === 'accepted') return needsAcceptance(booking) ? undefined : { kind: 'state', booking };
  if (state === 'cancelled') {
    // The provider of the service cancels shipments, with their labels.
    const isHere = isMade(booking) && booking.keySpace === 'shipment' && booking.overtakenBy === null;
    return isHere ? undefined : { kind: 'state', booking };
  }
  if (booking.state !== 'unknown') return { kind: 'state', booking };
  if (state === 'rejected')
    return (await madeLabelOf(db, booking)) ?? (mayBeEarly ? undefined : await early(db, booking));
  if (settlement.sameAs !== undefined)
    return obstacleToSame(settlement, booking, bookings.get(settlement.sameAs));
  for (const [name, id] of idsOf(settlement, booking)) {
    const owner = taken.get(placed(name, id, booking)) ?? (await ownerOf(db, name, id, booking));
    if (owner) return { kind: 'taken', shipment: id, booking: owner };
  }
  const unlabelled = unlabelledBy(booking, settlement);
  return mayBeEarly || unlabelled.length === 0 ? undefined : early(db, booking, unlabelled);
}

/** Is it not the other order any more that has the shipment and its costs? */
function obstacleToSame(
  { ids }: NewSettlement,
  booking: Booking,
  other: Booking | undefined,
): SettlingObstacle | undefined {
  if (other === undefined) return { kind: 'state', booking: undefined };
  const theirs = new Set(madeBy(other).map(wordOf));
  const hasAll = madeBy({ ids }).every(one => theirs.has(wordOf(one)));
  const isOwner = isMade(other) && isAt(booking, other) && hasAll && !isSameShipment(other);
  return isOwner ? undefined : { kind: 'no owner', booking: other };
}

/** Without it the shipment of those orders would be that of nobody, unless they are unknown again, too. */
async function declaredObstacle(
  db: Db,
  booking: Booking,
  given: readonly NewSettlement[],
): Promise<SettlingObstacle | undefined> {
  if (booking.state === 'cancelled') return undefined;
  const isReopened = ({ id }: Booking) => given.some(one => one.id === id && one.state === 'reopened');
  const others = (await declaredSame(db, booking)).filter(one => !isReopened(one));
  return others.length === 0 ? undefined : { kind: 'declared', booking, others };
}

/** A booking of the future counts as sent now: the clock was set back. */
async function early(
  db: Db,
  booking: Booking,
  unlabelled: readonly string[] = [],
): Promise<SettlingObstacle | undefined> {
  const now = await timeNow(db);
  const sentAt = (await lastSent(db, [booking.id])).get(booking.id) ?? booking.at;
  const until = Math.min(sentAt, now) + AT_WORK_MINUTES * 60_000;
  return now < until ? { kind: 'early', booking, unlabelled, sentAt, until } : undefined;
}

/** Another booking of the address, whatever its account, that has this id. */
async function ownerOf(
  db: Db,
  name: keyof Ids,
  other: string,
  { id, address, keySpace }: Booking,
): Promise<Booking | undefined> {
  const leg = legOfId(name);
  const holders =
    leg === undefined
      ? sql`SELECT booking FROM given WHERE name = ${indexed(other)}`
      : sql`SELECT booking FROM made WHERE ${isShipment({ leg, shipment: indexed(other) })}`;
  const found = await bookingsWhere(
    db,
    sql`id IN (${holders}) AND address = ${address} AND key_space = ${keySpace} AND id <> ${id}`,
  );
  // A subscription may have been said to be another booking's, and that was taken back.
  return found.find(({ ids }) => Object.values(ids).includes(other));
}

/** A label that was made proves that the shipment exists which the booking was once said to be. */
async function madeLabelOf(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  if (booking.operation === 'label') return undefined;
  const said = [booking, ...booking.settlements].flatMap(({ ids }) => shipmentsIn(ids));
  for (const one of new Map(said.map(one => [wordOf(one), one])).values()) {
    const label = await bookingOfLabel(db, booking, one);
    if (label === undefined || label.booking.id === booking.id || !label.booking.labels[one.leg]?.made)
      continue;
    if ((await ownerOf(db, one.leg, one.shipment, booking)) === undefined)
      return { kind: 'labelled', shipment: one.shipment, booking: label.booking };
  }
  return undefined;
}

async function obstacleToReopening(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  // It has kept its key and its labels.
  if (booking.state === 'cancelled') return undefined;
  const settlement = settlementOf(booking);
  if (settlement === undefined) return { kind: 'state', booking };
  // It needs labels whose shipments are not known any more; one that was created has them still.
  const isUnnamed = booking.operation === 'label' && labelledBy(booking).length === 0;
  if (isUnnamed && (booking.state === 'rejected' || booking.overtakenBy !== null))
    return { kind: 'pruned', booking };
  // One that was said not to exist is safer if it is unknown.
  const labelled = settlement.state === 'created' ? await madeLabelOf(db, booking) : undefined;
  if (labelled) return labelled;
  // One that was overtaken does not get its key back.
  if (booking.overtakenBy !== null) return undefined;
  await db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const again = await bookedAgain(db, booking);
  return again && { kind: 'booked again', booking: again };
}

async function record(db: Db, booking: Booking, given: NewSettlement, at: number): Promise<void> {
  const { id, labels, overPrice, charged, mayBeEarly: _, isPart, ...said } = given;
  const { code, why, httpStatus, answer, settlements, ...now } = booking;
  const add = (settlement: Settlement) => {
    const all = JSON.stringify([...settlements, settlement]);
    return db.run(sql`UPDATE bookings SET settlements = ${all} WHERE id = ${id}`);
  };
  const state = stateAfter(said.state, booking);
  if (state !== undefined) {
    await db.run(sql`UPDATE bookings SET state = ${state} WHERE id = ${id}`);
    await add({ ...said, at, ids: booking.ids });
  } else if (said.state === 'reopened') {
    const before = { ...NOTHING_MADE, ...settlementOf(booking)?.before };
    // Only a person who accepts it ends that its price is above its bound.
    const found = { ...before, overPrice: now.overPrice || before.overPrice };
    await change(db, booking, {
      state: 'unknown',
      code: 'outcome_unknown',
      why,
      httpStatus,
      answer,
      ...found,
    });
    await add({ ...said, at });
    await hold(db, booking);
  } else {
    const before = { ids: now.ids, labels: now.labels, overPrice: now.overPrice, charged: now.charged };
    const found = { ids: said.ids, labels, overPrice: overPrice ?? now.overPrice, charged };
    const decided = said.state === 'created' ? 'created' : 'rejected';
    const outcome = isPart
      ? ({ state: 'partial', code: 'partial' } as const)
      : ({ state: decided, code } as const);
    await change(db, booking, { ...outcome, why, httpStatus, answer, ...found });
    await add({ ...said, at, before });
    if (decided === 'rejected') await giveBack(db, id, booking.overtakenBy);
  }
}

/** The state after a settlement by which all that it made and holds stays; `undefined` after any other one. */
function stateAfter(said: Settlement['state'], booking: Booking): State | undefined {
  if (said === 'accepted') return booking.state;
  if (said === 'cancelled') return 'cancelled';
  return said === 'reopened' && booking.state === 'cancelled' ? existedAs(booking) : undefined;
}

async function change(db: Db, booking: Booking, outcome: Outcome): Promise<void> {
  const { id, operation, overtakenBy } = booking;
  const { labelled, ...effects } = outcomeEffect(outcome);
  const effect = { ...effects, labelled: await notMadeByOthers(db, booking, labelled) };
  await releaseOthers(db, booking, outcome);
  // One that is reopened gets back what it had, unless another order has it now.
  if (outcome.state === 'unknown' && operation !== 'label') await takeAllShipments(db, id, effect.made);
  // What was said to be its label is not: only a booking of labels keeps those that it claimed.
  const isUnlabelled = outcome.state === 'unknown' && operation !== 'label';
  const released = isUnlabelled ? { released: LEGS } : {};
  await writeOutcome(
    db,
    id,
    outcome,
    { ...effect, ...(overtakenBy === null ? released : UNHELD) },
    raw('true'),
  );
  await nameByLabels(db, booking, outcome.ids);
}

/** Those of the shipments whose label no other booking made: that one knows whether it was printed. */
async function notMadeByOthers(
  db: Db,
  booking: Booking,
  shipments: readonly LegShipment[],
): Promise<LegShipment[]> {
  const own: LegShipment[] = [];
  for (const one of shipments) {
    const label = await bookingOfLabel(db, booking, one);
    const isOthers = label !== undefined && label.booking.id !== booking.id;
    if (!isOthers || label.booking.labels[one.leg]?.made !== true) own.push(one);
  }
  return own;
}

/** A booking that may exist again holds its key and its labels, or is overtaken by what has them now. */
async function hold(db: Db, booking: Booking): Promise<void> {
  if (booking.overtakenBy !== null) {
    const again = await bookedAgain(db, booking);
    await overtake(db, booking.id, again?.id ?? null);
    if (again) return;
  }
  await claimLabels(db, booking, booking.id, labelledBy(booking));
}
