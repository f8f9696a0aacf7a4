// What a person says about bookings: all of it is recorded, or nothing if something prevents it.
import { type Booking, type Ids, legOfId, type NewSettlement } from '../booking/booking.ts';
import { isStep, stepAfter } from '../booking/machine.ts';
import type { SettleObstacle, SettlingObstacle } from '../booking/questions.ts';
import { Failure } from '../errors.ts';
import { type Db, sql } from './database.ts';
import { DEMO } from './orders.ts';
import { apply, lockedBookings, seenBefore } from './record.ts';

/** Thrown to undo those settlements that were recorded before another one met an obstacle. */
export class Obstructed extends Error {
  readonly obstacle: SettleObstacle;

  constructor(obstacle: SettleObstacle) {
    super(`booking ${obstacle.id} cannot be settled`);
    this.obstacle = obstacle;
  }
}

/** Records all settlements, or gives what prevents some of them. Throws `Obstructed` if an answer has just taken a shipment. */
export async function settle(db: Db, settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  const obstacles = await obstaclesTo(db, settlements);
  if (obstacles.length > 0) return obstacles;
  await refuseMoved(
    db,
    settlements.map(({ id }) => id),
  );
  for (const settlement of settlements) {
    const { id } = settlement;
    const result = await apply(db, id, settlement, settlements);
    if (result === undefined || !isStep(result)) throw new Obstructed(obstacleOf(id, result));
  }
  return [];
}

/** Refuses to settle bookings that were moved into another journal, and are settled there. Bookings of demo stay. Throws `storage`. */
async function refuseMoved(db: Db, ids: readonly string[]): Promise<void> {
  if (db.movedTo === undefined) return;
  const moved = await db.first<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${db.isOneOf('id', ids)} AND NOT (${DEMO}) LIMIT 1`,
  );
  if (moved) throw new Failure('storage', { kind: 'booking-moved', booking: moved.id, to: db.movedTo });
}

/** What prevents settlements; writes nothing. */
export async function obstaclesTo(db: Db, settlements: readonly NewSettlement[]): Promise<SettleObstacle[]> {
  const bookings = await lockEach(db, settlements);
  const obstacles: SettleObstacle[] = [];
  const said = new Set<string>();
  // For each id that an earlier one of the settlements claims: its booking.
  const claimed = new Map<string, Booking>();
  for (const settlement of settlements) {
    const { id } = settlement;
    const booking = bookings.get(id);
    const obstacle =
      booking === undefined || said.has(id)
        ? obstacleOf(id, { kind: 'state', booking })
        : await obstacleToSettlement(db, booking, settlement, { settlements, claimed });
    if (obstacle) obstacles.push(obstacle);
    said.add(id);
    if (booking)
      for (const [name, text] of settledIds(settlement, booking))
        claimed.set(placed(name, text, booking), booking);
  }
  return obstacles;
}

async function obstacleToSettlement(
  db: Db,
  booking: Booking,
  settlement: NewSettlement,
  together: { settlements: readonly NewSettlement[]; claimed: ReadonlyMap<string, Booking> },
): Promise<SettleObstacle | undefined> {
  const seen = await seenBefore(db, booking, settlement, together.settlements);
  const result = stepAfter(booking, settlement, seen);
  if (!isStep(result)) return obstacleOf(booking.id, result);
  if (settlement.kind !== 'confirmed') return undefined;
  for (const [name, text] of settledIds(settlement, booking)) {
    const owner = together.claimed.get(placed(name, text, booking));
    if (owner) return { id: booking.id, kind: 'taken', shipment: text, booking: owner };
  }
  return undefined;
}

/** An obstacle as a person is told of it: problems that only answers have are told as the state of the booking. */
const obstacleOf = (
  id: string,
  problem: { kind: string; booking: Booking | undefined } | undefined,
): SettleObstacle =>
  problem === undefined || problem.kind === 'recorded before' || problem.kind === 'ended twice'
    ? { id, kind: 'state', booking: problem?.booking }
    : ({ id, ...problem } as SettleObstacle & SettlingObstacle);

/** Lets processes settle, or put orders on a list, one after the other. */
export const lockAlone = (db: Db, what: 'settle' | 'put on a list'): Promise<void> =>
  db.lock({ address: '', account: '' }, [what]);

/** The bookings, and those that are said to be one shipment with them, locked until the transaction ends. */
async function lockEach(
  db: Db,
  settlements: readonly NewSettlement[],
): Promise<ReadonlyMap<string, Booking>> {
  // Settled one after the other, two bookings cannot take one shipment.
  await lockAlone(db, 'settle');
  const ids = settlements.flatMap(({ id, sameAs }) => (sameAs === undefined ? [id] : [id, sameAs]));
  const bookings = await lockedBookings(db, db.isOneOf('id', ids));
  return new Map(bookings.map(booking => [booking.id, booking]));
}

/** The ids that are said to be the booking's own: none for a booking of labels, or if another order has the shipment and its ids. */
const settledIds = (settlement: NewSettlement, booking: Booking): [keyof Ids, string][] =>
  booking.operation === 'label' || settlement.sameAs !== undefined
    ? []
    : (Object.entries(settlement.ids) as [keyof Ids, string][]);

const placed = (name: keyof Ids, text: string, booking: Booking): string =>
  JSON.stringify([booking.address, booking.keySpace, legOfId(name), text]);
