// What a person says about bookings. It is added to the record: answer, status and reason stay as they are.
import { LEGS } from '../contract/operations.ts';
import {
  AT_WORK_MINUTES,
  type Booking,
  existedAs,
  type Handover,
  isMade,
  labelledBy,
  type NewSettlement,
  NOTHING_MADE,
  needsAcceptance,
  type RecordedOutcome,
  type Settlement,
  type SettleObstacle,
  type State,
  settlementOf,
} from './booking.ts';
import { bookingOfLabel, bookingsWhere, claimLabels } from './claim.ts';
import { bookingFrom, EVERYTHING, jsonIn, type Row } from './columns.ts';
import { type Db, raw, sql } from './database.ts';
import {
  bookedAgain,
  giveBack,
  keepSettlements,
  locked,
  nameByLabels,
  outcomeEffect,
  overtake,
  UNHELD,
  writeOutcome,
} from './finish.ts';
import { indexed } from './words.ts';

/** Records all of them, or gives what prevents some of them. */
export async function settle(db: Db, given: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  const bookings = await lockAll(db, given);
  const obstacles = await obstaclesAmong(db, given, bookings);
  if (obstacles.length > 0) return obstacles;
  const at = await timeNow(db);
  for (const one of given) {
    const found = bookings.get(one.id);
    // One before it may have given its key back to it.
    const booking = found && found.overtakenBy !== null ? await locked(db, one.id) : found;
    if (booking) await record(db, booking, one, at);
  }
  return [];
}

/** In ms since 1970, by the clock of the journal. */
async function timeNow(db: Db): Promise<number> {
  return (await db.first<{ now: number }>(sql`SELECT CAST(${db.now} AS float8) AS now`))?.now ?? 0;
}

export async function obstaclesTo(db: Db, given: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  return await obstaclesAmong(db, given, await lockAll(db, given));
}

/** The bookings, which nobody else changes until the transaction ends. */
async function lockAll(db: Db, given: readonly NewSettlement[]): Promise<ReadonlyMap<string, Booking>> {
  // One after the other: two of them must not take one shipment.
  await db.lock({ scope: NOWHERE, operation: 'ship', fingerprint: 'settle', labels: [] });
  const ids = given.map(({ id }) => id);
  const rows = await db.rows<Row>(
    sql`SELECT ${raw(EVERYTHING)} FROM bookings WHERE ${db.isOneOf('id', ids)} ORDER BY number ${db.forUpdate}`,
  );
  return new Map(rows.map(row => [row.id, bookingFrom(row)]));
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
      : await obstacleToSettling(db, one, booking, taken);
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

async function obstacleToSettling(
  db: Db,
  settlement: NewSettlement,
  booking: Booking | undefined,
  taken: ReadonlyMap<string, Booking>,
): Promise<SettlingObstacle | undefined> {
  const { state, mayBeEarly } = settlement;
  if (booking === undefined) return { kind: 'state', booking };
  if (state === 'reopened') return await obstacleToReopening(db, booking);
  if (state === 'accepted') return needsAcceptance(booking) ? undefined : { kind: 'state', booking };
  if (state === 'cancelled') return mayBeCancelled(booking) ? undefined : { kind: 'state', booking };
  if (booking.state !== 'unknown') return { kind: 'state', booking };
  if (state === 'rejected')
    return (await madeLabelOf(db, booking)) ?? (mayBeEarly ? undefined : await early(db, booking));
  for (const shipment of shipmentsOf(settlement, booking)) {
    const owner = taken.get(placed(shipment, booking)) ?? (await ownerOf(db, shipment, booking));
    if (owner) return { kind: 'taken', shipment, booking: owner };
  }
  return undefined;
}

/** The provider of the service cancels shipments, with their labels. */
const mayBeCancelled = (booking: Booking): boolean =>
  isMade(booking) && booking.keySpace === 'shipment' && booking.overtakenBy === null;

/** A booking of the future counts as sent now: the clock was set back. */
async function early(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  const now = await timeNow(db);
  const until = Math.min(booking.at, now) + AT_WORK_MINUTES * 60_000;
  return now < until ? { kind: 'early', booking, until } : undefined;
}

/** Another booking of the address, whatever its account, that has this id. */
async function ownerOf(
  db: Db,
  shipment: string,
  { id, address, keySpace }: Booking,
): Promise<Booking | undefined> {
  const found = await bookingsWhere(
    db,
    sql`id IN (SELECT booking FROM made WHERE made.id = ${indexed(shipment)}) AND address = ${address}
      AND key_space = ${keySpace} AND id <> ${id}`,
  );
  // It may have had the id, and was reopened.
  return found.find(({ ids }) => Object.values(ids).includes(shipment));
}

/** A label that was made proves that the shipment exists which the booking was once said to be. */
async function madeLabelOf(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  if (booking.operation === 'label') return undefined;
  const said = [booking, ...booking.settlements].flatMap(({ ids }) => Object.values(ids));
  for (const shipment of new Set(said)) {
    const label = await bookingOfLabel(db, booking, shipment);
    if (label === undefined || label.booking.id === booking.id || !label.booking.labels[label.leg]?.made)
      continue;
    if ((await ownerOf(db, shipment, booking)) === undefined)
      return { kind: 'labelled', shipment, booking: label.booking };
  }
  return undefined;
}

async function obstacleToReopening(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  // It has kept its key and its labels.
  if (booking.state === 'cancelled') return undefined;
  const settlement = settlementOf(booking);
  if (settlement === undefined) return { kind: 'state', booking };
  if (isUnnamed(booking)) return { kind: 'pruned', booking };
  // One that was said not to exist is safer if it is unknown.
  const labelled = settlement.state === 'created' ? await madeLabelOf(db, booking) : undefined;
  if (labelled) return labelled;
  // One that was overtaken does not get its key back.
  if (booking.overtakenBy !== null) return undefined;
  await db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const again = await bookedAgain(db, booking);
  return again && { kind: 'booked again', booking: again };
}

/** Does it need labels whose shipments are not known any more? One that was created has them still. */
const isUnnamed = (booking: Booking): boolean =>
  booking.operation === 'label' &&
  labelledBy(booking).length === 0 &&
  (booking.state === 'rejected' || booking.overtakenBy !== null);

async function record(db: Db, booking: Booking, given: NewSettlement, at: number): Promise<void> {
  const { id, labels, overPrice, charged, mayBeEarly: _, ...said } = given;
  const { code, why, httpStatus, answer, settlements } = booking;
  const add = (settlement: Settlement) => keepSettlements(db, id, [...settlements, settlement]);
  if (said.state === 'accepted') return await add({ ...said, at, ids: booking.ids });
  if (said.state === 'cancelled') {
    await changeState(db, id, 'cancelled');
    return await add({ ...said, at, ids: booking.ids });
  }
  if (said.state === 'reopened' && booking.state === 'cancelled') {
    await changeState(db, id, existedAs(booking));
    return await add({ ...said, at, ids: booking.ids });
  }
  if (said.state === 'reopened') {
    const before = { ...NOTHING_MADE, ...settlementOf(booking)?.before };
    await change(db, booking, {
      state: 'unknown',
      code: 'outcome_unknown',
      why,
      httpStatus,
      answer,
      ...before,
      // Only a person who accepts it ends that its price is above its bound.
      overPrice: booking.overPrice || before.overPrice,
    });
    await add({ ...said, at });
    return await hold(db, booking);
  }
  const before = {
    ids: booking.ids,
    labels: booking.labels,
    overPrice: booking.overPrice,
    charged: booking.charged,
  };
  await change(db, booking, {
    state: said.state,
    code,
    why,
    httpStatus,
    answer,
    ids: said.ids,
    labels,
    overPrice: overPrice ?? before.overPrice,
    charged,
  });
  await add({ ...said, at, before });
  if (said.state === 'rejected') await giveBack(db, id, booking.overtakenBy);
}

/** What it made, and what it holds, stays. */
async function changeState(db: Db, id: string, state: State): Promise<void> {
  await db.run(sql`UPDATE bookings SET state = ${state} WHERE id = ${id}`);
}

async function change(
  db: Db,
  { id, operation, overtakenBy }: Booking,
  outcome: RecordedOutcome,
): Promise<void> {
  const effect = outcomeEffect(outcome);
  // What was said to be its label is not: only a booking of labels keeps those that it claimed.
  const isUnlabelled = outcome.state === 'unknown' && operation !== 'label';
  const released = isUnlabelled ? { released: LEGS } : {};
  const held = overtakenBy === null ? { ...effect, ...released } : { ...effect, ...UNHELD };
  await writeOutcome(db, id, outcome, held, raw('true'));
  await nameByLabels(db, id, outcome.ids);
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

/**
 * Records that a courier got the parcels of these bookings. Gives `false`, and records nothing, if another handover had one of
 * them in the meantime.
 */
export async function handOver(
  db: Db,
  { by, run }: Pick<Handover, 'by' | 'run'>,
  bookings: readonly string[],
): Promise<boolean> {
  // Each handover has a number of its own.
  await db.lock({ scope: NOWHERE, operation: 'ship', fingerprint: 'hand over', labels: [] });
  const isListed = db.isOneOf('id', bookings);
  if (await db.first(sql`SELECT id FROM bookings WHERE ${isListed} AND handover IS NOT NULL LIMIT 1`))
    return false;
  const newest = await db.first<{ handover: string | null }>(
    sql`SELECT MAX(handover) AS handover FROM bookings WHERE handover IS NOT NULL`,
  );
  const last = newest?.handover ? Number(jsonIn<Handover>('', 'handover', newest.handover).number) : 0;
  // The number comes first, so that the newest one is the last of them as text.
  const handover: Handover = {
    number: String(last + 1).padStart(9, '0'),
    at: await timeNow(db),
    by,
    run,
  };
  await db.run(sql`UPDATE bookings SET handover = ${JSON.stringify(handover)} WHERE ${isListed}`);
  return true;
}
