// How a person's word about bookings is recorded, and what is said if it cannot be.
import { Failure, type FailureFacts } from '../errors.ts';
import type { SettleObstacle } from '../journal/booking.ts';
import {
  AT_WORK_MINUTES,
  type Booking,
  isAccepted,
  type NewSettlement,
  type Settler,
  settlementOf,
} from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { shortMoment } from '../output/moment.ts';
import type { Session } from '../session/session.ts';

/** Is a person asked before it is recorded? */
export const isAsked = ({ interactive, globals }: Session): boolean => interactive && !globals.yes;

/** When the newest of them was sent, for the person who is asked whether they may be booked again. */
export function sentWords(bookings: readonly Booking[], now: number): string {
  const at = Math.max(...bookings.map(booking => booking.at));
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  const [subject, object] = bookings.length > 1 ? ['The newest of them', 'them'] : ['It', 'it'];
  if (minutes >= AT_WORK_MINUTES) return `${subject} was sent ${shortMoment(at, now)}`;
  return `${subject} was sent ${minutes} min ago, and a carrier may be at work on ${object} for ${AT_WORK_MINUTES} min`;
}

/** Who says it, why, and from which run. */
export const settlerOf = ({ actor, run }: Session, reason: string | undefined): Settler => ({
  by: actor,
  reason: reason ?? null,
  run,
});

/** Records all of them and gives the bookings as they are then. Throws `usage`: then nothing was changed. */
export async function recordSettlements(
  journal: Journal,
  settlements: readonly NewSettlement[],
): Promise<Booking[]> {
  refuseObstacles(await journal.settle(settlements), settlements[0]?.state);
  const bookings: Booking[] = [];
  for (const { id } of settlements) {
    const booking = await journal.byId(id);
    if (booking) bookings.push(booking);
  }
  return bookings;
}

/** Throws `usage`, with all of them. */
export function refuseObstacles(obstacles: readonly SettleObstacle[], wanted?: NewSettlement['state']): void {
  if (obstacles.length === 0) return;
  const words = obstacles.map(obstacle => obstacleWords(obstacle, wanted));
  throw new Failure('usage', `${words.join('. ')}. Nothing was changed`, retryOf(obstacles));
}

/** When they are gone, if time alone is the obstacle. */
export function retryOf(obstacles: readonly SettleObstacle[]): Pick<FailureFacts, 'retryAt'> {
  const times = obstacles.flatMap(one => (one.kind === 'early' ? one.until : []));
  return times.length === obstacles.length ? { retryAt: new Date(Math.max(...times)).toISOString() } : {};
}

export function obstacleWords(obstacle: SettleObstacle, wanted?: NewSettlement['state']): string {
  const { id, kind, booking } = obstacle;
  if (booking === undefined) return `the journal has no booking ${id}`;
  const other = `${booking.id}${booking.key === null ? '' : ` (key ${JSON.stringify(booking.key)})`}`;
  switch (kind) {
    case 'taken':
      return `${obstacle.shipment} is the shipment of booking ${other}, so it is not that of booking ${id}. \`waybill history show ${booking.id}\` shows it`;
    case 'labelled':
      return `booking ${id} exists: booking ${other} made the label of its shipment ${obstacle.shipment}. \`waybill history show ${booking.id}\` shows that label`;
    case 'booked again':
      return `booking ${id} was booked again as ${other}, so it cannot be unknown any more. If that one does not exist, resolve it first: \`waybill history show ${booking.id}\` shows it`;
    case 'pruned':
      return `it is not known any more which shipments booking ${id} labels: \`waybill history prune\` deleted its request`;
    case 'early':
      return `booking ${id} was sent at ${new Date(booking.at).toISOString()}, and for ${AT_WORK_MINUTES} minutes a carrier may still be at work on it: before ${new Date(obstacle.until).toISOString()} nobody knows that it was not created. Ask the provider of the service then`;
    case 'state':
      return wanted === 'accepted' ? priceWords(booking) : stateWords(booking);
  }
}

function priceWords({ id, state, overPrice, settlements, ids }: Booking): string {
  const accepted = settlements.findLast(one => one.state === 'accepted');
  if (accepted && isAccepted({ settlements, ids }))
    return `the price of booking ${id} is accepted already: by ${accepted.by} at ${new Date(accepted.at).toISOString()}`;
  return state === 'created'
    ? `there is nothing to accept: booking ${id} ${overPrice === null ? 'has no --max-price, or no price to compare with it' : 'is not above its --max-price'}`
    : `there is nothing to accept: booking ${id} is ${state}, and only the price of one that was created is accepted`;
}

function stateWords(booking: Booking): string {
  const { id, state } = booking;
  if (state === 'pending')
    return `booking ${id} is being sent: wait for its answer. \`waybill history show ${id}\` shows what became of it`;
  const settlement = settlementOf(booking);
  if (settlement === undefined)
    return state === 'unknown'
      ? `booking ${id} is unknown: it was not resolved, so there is nothing to take back`
      : `booking ${id} is ${state}, not unknown: its answer came. \`waybill history show ${id}\` shows it`;
  const what = settlement.state === 'created' ? 'created' : 'not created';
  return `booking ${id} is not unknown any more: ${settlement.by} resolved it as ${what} at ${new Date(settlement.at).toISOString()}. \`waybill history resolve ${id} --reopen\` takes that back`;
}
