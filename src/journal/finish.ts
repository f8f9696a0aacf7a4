// What becomes of a booking: what its outcome changes, also if a person settled it before, and what a person says.
import { LEGS, type Leg } from '../contract/operations.ts';
import {
  type Amended,
  AT_WORK_MINUTES,
  type Booking,
  type Decision,
  existedAs,
  type Ids,
  isMade,
  type LateOutcome,
  type LegShipment,
  labelledBy,
  legOfId,
  mayExist,
  type NewSettlement,
  NOTHING_MADE,
  needsAcceptance,
  type RecordedOutcome,
  type Settlement,
  type SettleObstacle,
  type SettlingObstacle,
  type State,
  settlementOf,
  shipmentsIn,
} from './booking.ts';
import {
  bookingOfLabel,
  bookingsWhere,
  claimLabels,
  firstBooking,
  HOLDS_KEY,
  hasKey,
  inScope,
  labelQuery,
} from './claim.ts';
import { type Db, list, raw, type Sql, sql } from './database.ts';
import { givenNames, holdingList, indexed, OUTCOME, outcomeSet, stored } from './tables.ts';

/** No further try can record an outcome: its booking is gone, because the journal was emptied or replaced, or has ended. */
export class CannotRecord extends Error {}

/** An outcome may be recorded: none was, or it was not conclusive. */
export const AWAITS_OUTCOME = raw(`state IN ('pending', 'unknown') AND overtaken_by IS NULL`);

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
const UNHELD = { released: LEGS, labelled: [] } as const;

/** A label that was made belongs to its booking; one that was not made may be requested again. */
export function outcomeEffect(outcome: RecordedOutcome): OutcomeEffect {
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
export async function recordOutcome(
  db: Db,
  id: string,
  given: RecordedOutcome,
): Promise<Amended | undefined> {
  const taken = await takeShipments(db, id, outcomeEffect(given).made);
  const outcome = taken && !taken.owner.sandbox ? ofAnotherOrder(id, given, taken) : given;
  const isRecorded = await writeOutcome(db, id, outcome, outcomeEffect(outcome));
  // step: outcome written, not committed
  if (!isRecorded) return recordLate(db, id, outcome, outcome === given ? undefined : taken?.owner);
  if (!mayExist(outcome)) await giveBack(db, id, null);
  else if (hasLabels(outcome)) await db.run(nameShipments(db, id));
  const booking = taken && (await locked(db, id));
  return taken && booking && { owner: taken.owner, booking };
}

interface TakenShipment {
  shipment: LegShipment;
  owner: Booking;
}

/**
 * Makes shipments those of a booking, unless one of them is that of another one, which is given: then the booking gets none. The
 * key of the table is the lock of an id: who comes second waits, and then sees whose it is.
 */
async function takeShipments(
  db: Db,
  id: string,
  shipments: readonly LegShipment[],
): Promise<TakenShipment | undefined> {
  for (const shipment of shipments) {
    // step: id of an answer taken
    const own = sql`SELECT ${shipment.shipment}, ${shipment.leg}, address, account, id FROM bookings WHERE id = ${id}`;
    if ((await db.run(sql`INSERT INTO made ${own} ON CONFLICT DO NOTHING`)) > 0) continue;
    const place = (column: string) => sql`(SELECT ${raw(column)} FROM bookings AS own WHERE own.id = ${id})`;
    const owner = await firstBooking(
      db,
      sql`id <> ${id} AND id = (SELECT booking FROM made WHERE ${isShipment(shipment)}
        AND made.address = ${place('address')} AND made.account = ${place('account')})`,
    );
    if (owner === undefined) continue;
    for (const one of shipments) await releaseShipment(db, id, one);
    return { shipment, owner };
  }
  return undefined;
}

const isShipment = ({ leg, shipment }: LegShipment): Sql => sql`shipment = ${shipment} AND leg = ${leg}`;

const releaseShipment = (db: Db, id: string, shipment: LegShipment): Promise<number> =>
  db.run(sql`DELETE FROM made WHERE ${isShipment(shipment)} AND booking = ${id}`);

/** The outcome of an order that was answered with the shipment of another one. */
function ofAnotherOrder(
  id: string,
  outcome: RecordedOutcome,
  { shipment: { leg, shipment }, owner }: TakenShipment,
): RecordedOutcome {
  const order = `${owner.key === null ? '' : `${JSON.stringify(owner.key)}, `}booking ${owner.id}`;
  return {
    ...outcome,
    ...NOTHING_MADE,
    state: 'unknown',
    code: 'outcome_unknown',
    why: `the service answered with the ${leg} shipment ${shipment}, which is that of another order (${order}). If both are one shipment, \`waybill history resolve ${id} --same-as ${owner.id}\` says so`,
  };
}

/** Changes only a booking that is pending or unknown, unless another condition is given. Returns whether it was changed. */
export async function writeOutcome(
  db: Db,
  id: string,
  outcome: RecordedOutcome,
  { given, released, labelled, names }: OutcomeEffect,
  when = AWAITS_OUTCOME,
): Promise<boolean> {
  const values = OUTCOME.map(key =>
    key === 'settledAt' ? db.now : stored(key, outcome[key as keyof RecordedOutcome]),
  );
  const changed = await db.run(sql`UPDATE bookings SET ${outcomeSet(values)} WHERE id = ${id} AND ${when}`);
  if (changed === 0) return false;
  for (const one of given) await db.run(givenInserted(one, id));
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

export const givenInserted = (name: string, id: string): Sql =>
  sql`INSERT INTO given VALUES (${name}, ${id}) ON CONFLICT DO NOTHING`;

export const madeInserted = ({ id, address, account }: Booking, { leg, shipment }: LegShipment): Sql =>
  sql`INSERT INTO made VALUES (${list([shipment, leg, address, account, id])}) ON CONFLICT DO NOTHING`;

export const hasLabels = ({ labels }: RecordedOutcome): boolean => Object.keys(labels).length > 0;

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
  const own = new Set(shipments.map(wordsOf));
  const isOne = db.isOneOf(
    'shipment',
    shipments.map(one => one.shipment),
  );
  const labels = await db.rows<LegShipment & { booking: string }>(
    sql`SELECT leg, shipment, booking FROM labels WHERE booking = ${booking.id} OR (${isOne} AND ${inScope(booking)})`,
  );
  const makers = labels.filter(label => label.booking === booking.id || own.has(wordsOf(label)));
  for (const id of new Set(makers.map(label => label.booking))) await db.run(nameShipments(db, id));
}

/**
 * A booking does not exist: its key and its labels are those of the booking that it overtook, so that they are not booked
 * once more. If it overtook several, the newest of them has them. `by`: what overtook it in turn.
 */
async function giveBack(db: Db, id: string, by: string | null): Promise<void> {
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

async function overtake(db: Db, id: string, by: string | null): Promise<void> {
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
  outcome: RecordedOutcome,
  owner: Booking | undefined,
): Promise<LateOutcome | undefined> {
  const booking = await locked(db, id);
  if (booking === undefined) throw new CannotRecord(`it does not have the booking ${id} any more`);
  const isSame = JSON.stringify(booking.ids) === JSON.stringify(outcome.ids);
  const told = booking.state === 'cancelled' ? existedAs(booking) : booking.state;
  if (booking.overtakenBy === null && isSame && told === outcome.state && booking.answer === outcome.answer)
    return undefined;
  const settlement = booking.settlements.findLast(isDecision);
  if (settlement === undefined)
    throw new CannotRecord(`the booking ${id} ended twice, and nobody has settled it`);
  if (booking.overtakenBy !== null) return { settlement, booking, counts: true };
  const isDenied = settlement.state === 'rejected';
  // The person may have said that the two orders are one shipment.
  const isOthers = owner !== undefined && owner.id !== settlement.sameAs;
  // What a person found exists, even if this answer made nothing.
  if (!isDenied && !isMade(outcome) && !isOthers) return { settlement, booking, counts: false };

  await db.lock({ ...booking, scope: booking, labels: labelledBy(booking) });
  const rival = isDenied && mayExist(outcome) ? await bookedAgain(db, booking) : undefined;
  if (rival) await overtake(db, id, rival.id);
  // What was cancelled stays so, unless this is another shipment.
  const isCancelled = booking.state === 'cancelled' && isMade(outcome) && isSame;
  const recorded: RecordedOutcome = {
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
  return { settlement, booking: (await locked(db, id)) ?? booking, counts: true };
}

/** What a booking was said to have made before is free again. */
async function releaseOthers(db: Db, { id, ids }: Booking, now: Pick<RecordedOutcome, 'ids'>): Promise<void> {
  const kept = new Set(givenNames({ ids: now.ids, labels: {} }).made.map(wordsOf));
  for (const one of givenNames({ ids, labels: {} }).made)
    if (!kept.has(wordsOf(one))) await releaseShipment(db, id, one);
}

const wordsOf = ({ leg, shipment }: LegShipment): string => `${leg} ${shipment}`;

const locked = (db: Db, id: string): Promise<Booking | undefined> =>
  firstBooking(db, sql`id = ${id} ${db.forUpdate}`);

const isDecision = (one: Settlement): one is Decision => one.state === 'created' || one.state === 'rejected';

/**
 * The booking that took the key or the label since, or is of the same input: whatever the clocks say, a later one. Nobody
 * else can end it until the transaction ends, so that its end finds what was recorded here.
 */
async function bookedAgain(db: Db, booking: Booking): Promise<Booking | undefined> {
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
  for (const label of labels) {
    const found = await db.first<{ booking: string }>(
      sql`SELECT booking FROM (${labelQuery(booking, label)}) AS found WHERE booking <> ${id}`,
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

// What a person says about bookings. It is added to the record: answer, status and reason stay as they are.

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
  const before: { id: string; shipments: readonly LegShipment[] }[] = [];
  for (const { id, state, ids, sameAs } of given) {
    if (state !== 'created' || sameAs !== undefined || bookings.get(id)?.operation === 'label') continue;
    const shipments = givenNames({ ids, labels: {} }).made;
    const found = await takeShipments(db, id, shipments);
    if (found) {
      for (const one of before)
        for (const shipment of one.shipments) await releaseShipment(db, one.id, shipment);
      return { id, kind: 'taken', shipment: found.shipment.shipment, booking: found.owner };
    }
    before.push({ id, shipments });
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
export const lockAlone = (db: Db, what: 'settle' | 'hand over'): Promise<void> =>
  db.lock({
    scope: { address: '', account: '' },
    operation: 'ship',
    fingerprint: what,
    orderFingerprint: null,
    labels: [],
  });

/** The bookings, which nobody else changes until the transaction ends. */
async function lockAll(db: Db, given: readonly NewSettlement[]): Promise<ReadonlyMap<string, Booking>> {
  // Two of them must not take one shipment.
  await lockAlone(db, 'settle');
  const isGiven = db.isOneOf(
    'id',
    given.map(({ id }) => id),
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
      : await obstacleToSettling(db, one, booking, taken);
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
  if (state === 'cancelled') {
    // The provider of the service cancels shipments, with their labels.
    const isHere = isMade(booking) && booking.keySpace === 'shipment' && booking.overtakenBy === null;
    return isHere ? undefined : { kind: 'state', booking };
  }
  if (booking.state !== 'unknown') return { kind: 'state', booking };
  if (state === 'rejected')
    return (await madeLabelOf(db, booking)) ?? (mayBeEarly ? undefined : await early(db, booking));
  for (const [name, id] of idsOf(settlement, booking)) {
    const owner = taken.get(placed(name, id, booking)) ?? (await ownerOf(db, name, id, booking));
    if (owner) return { kind: 'taken', shipment: id, booking: owner };
  }
  return undefined;
}

/** A booking of the future counts as sent now: the clock was set back. */
async function early(db: Db, booking: Booking): Promise<SettlingObstacle | undefined> {
  const now = await timeNow(db);
  const until = Math.min(booking.at, now) + AT_WORK_MINUTES * 60_000;
  return now < until ? { kind: 'early', booking, until } : undefined;
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
  for (const one of new Map(said.map(one => [wordsOf(one), one])).values()) {
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

async function change(db: Db, booking: Booking, outcome: RecordedOutcome): Promise<void> {
  const { id, operation, overtakenBy } = booking;
  const effect = outcomeEffect(outcome);
  await releaseOthers(db, booking, outcome);
  // One that is reopened gets back what it had, unless another order has it now.
  if (outcome.state === 'unknown' && operation !== 'label') await takeShipments(db, id, effect.made);
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

/** A booking that may exist again holds its key and its labels, or is overtaken by what has them now. */
async function hold(db: Db, booking: Booking): Promise<void> {
  if (booking.overtakenBy !== null) {
    const again = await bookedAgain(db, booking);
    await overtake(db, booking.id, again?.id ?? null);
    if (again) return;
  }
  await claimLabels(db, booking, booking.id, labelledBy(booking));
}
