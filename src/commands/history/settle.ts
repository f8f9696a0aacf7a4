// How a person's word about bookings is recorded, and what is said if it cannot be.

import { contentOf } from '../../contract/content.ts';
import { LEGS } from '../../contract/operation.ts';
import { OPERATIONS, type OperationId, operationNamed } from '../../contract/operations.ts';
import { parsePath, setAt } from '../../contract/paths.ts';
import { moneyIn } from '../../contract/read.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import { bodyWithIds } from '../../journal/answer.ts';
import {
  AT_WORK_MINUTES,
  type Booking,
  type Ids,
  isAccepted,
  labelledIds,
  type NewSettlement,
  NOTHING_MADE,
  type SettleObstacle,
  type Settler,
  settlementOf,
} from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import {
  chargedIn,
  isAbove,
  isSameReceiver,
  priceDoubt,
  receiverIn,
  receiverWords,
} from '../../order/answer.ts';
import { PLAIN } from '../../output/look.ts';
import { minuteOf, shortMoment } from '../../output/moment.ts';
import { trackingNumberOf, trackTable } from '../../output/shipment.ts';
import type { Session } from '../../session/session.ts';

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
export const whoSettles = ({ actor, run }: Session, reason: string | undefined): Settler => ({
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
  throw new Failure('usage', `${words.join('. ')}. Nothing was changed`, retryTime(obstacles));
}

/** When they are gone, if time alone is the obstacle. */
export function retryTime(obstacles: readonly SettleObstacle[]): Pick<FailureFacts, 'retryAt'> {
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
      return `booking ${id} was sent at ${minuteOf(booking.at)}, and for ${AT_WORK_MINUTES} minutes a carrier may still be at work on it: before ${minuteOf(obstacle.until)} nobody knows that it was not created. Ask the provider of the service then`;
    case 'state':
      if (wanted === 'accepted') return priceWords(booking);
      return wanted === 'cancelled' ? cancelWords(booking) : stateWords(booking);
  }
}

function cancelWords({ id, operation, state }: Booking): string {
  if (state === 'unknown')
    return `booking ${id} may or may not exist: \`waybill history resolve ${id}\` records what it is, and then it can be cancelled`;
  if (state === 'created' || state === 'partial')
    return `booking ${id} is a ${operation}: only shipments are cancelled, with their labels`;
  return `there is nothing to cancel: booking ${id} is ${state.replace('_', ' ')}`;
}

function priceWords({ id, state, overPrice, settlements, ids }: Booking): string {
  const accepted = settlements.findLast(one => one.state === 'accepted');
  if (accepted && isAccepted({ settlements, ids }))
    return `the price of booking ${id} is accepted already: by ${accepted.by} at ${minuteOf(accepted.at)}`;
  return state === 'created'
    ? `there is nothing to accept: booking ${id} ${overPrice === null ? 'has no --max-price, or no price to compare with it' : 'is not above its --max-price'}`
    : `there is nothing to accept: booking ${id} is ${state}, and only the price of one that was created is accepted`;
}

function stateWords(booking: Booking): string {
  const { id, state } = booking;
  if (state === 'pending')
    return `booking ${id} is being sent: wait for its answer. \`waybill history show ${id}\` shows what became of it`;
  if (state === 'cancelled')
    return `booking ${id} was cancelled by the provider. \`waybill history cancelled ${id} --reopen\` takes that back`;
  const settlement = settlementOf(booking);
  if (settlement === undefined)
    return state === 'unknown'
      ? `booking ${id} is unknown: it was not resolved, so there is nothing to take back`
      : `booking ${id} is ${state}, not unknown: its answer came. \`waybill history show ${id}\` shows it`;
  const what = settlement.state === 'created' ? 'created' : 'not created';
  return `booking ${id} is not unknown any more: ${settlement.by} resolved it as ${what} at ${minuteOf(settlement.at)}. \`waybill history resolve ${id} --reopen\` takes that back`;
}

// A booking is said to exist: the ids that are given must fit it, and the service must know them.

export interface CreatedAs {
  created: string;
  domestic?: string | undefined;
}

/** What a booking is said to have made, and what the service told about it. */
type FoundShipment = Pick<NewSettlement, 'ids' | 'labels' | 'overPrice' | 'charged' | 'evidence'>;

/** How an id of each kind is read, and where the answer that did not come would have what is read. */
const READERS: Readonly<Record<keyof Ids, { reader: OperationId; at: string }>> = {
  shipment: { reader: 'getShipment', at: '' },
  international: { reader: 'getShipment', at: 'international.shipment' },
  domestic: { reader: 'getDomesticShipment', at: 'domestic.shipment' },
  subscription: { reader: 'getSubscription', at: '' },
};

/** What a person says, if nobody asks the service. Throws `usage` if the ids do not fit the booking. */
export function saidToBe(booking: Booking, as: CreatedAs): FoundShipment {
  const ids = idsFor(booking, as);
  if (!isLabel(booking)) return { ...NOTHING_MADE, ids };
  const made = LEGS.flatMap(leg => (ids[leg] ? [[leg, { made: true }] as const] : []));
  return { ...NOTHING_MADE, labels: Object.fromEntries(made) };
}

/**
 * What a person says, with what the service tells about it. `seen` gets each body that was read. Throws `usage` if it goes to somebody
 * else, `not_found`, and what the reads throw.
 */
export async function readAs(
  session: Session,
  booking: Booking,
  as: CreatedAs,
  seen: (body: unknown) => Promise<void>,
): Promise<FoundShipment> {
  const operation = operationNamed(booking.operation);
  const ids = idsFor(booking, as);
  requireAddress(session, booking);
  const labels: FoundShipment['labels'] = {};
  let told: unknown = null;
  for (const [kind, id] of Object.entries(ids) as [keyof Ids, string][]) {
    const found = await contentFor(session, booking, kind, id);
    await seen(found);
    await compareReceiver(booking, id, found);
    told = setAt(told, parsePath(READERS[kind].at) ?? [], found);
    const trackingNumber = trackingNumberOf(found);
    const leg = LEGS.find(one => one === kind);
    if (leg && operation.made.labels[leg] && trackingNumber) labels[leg] = { made: true, trackingNumber };
  }
  const bound = booking.maxPrice === null ? undefined : moneyIn(booking.maxPrice);
  const found = { labels, overPrice: bound ? isAbove(told, bound) : null, charged: chargedIn(told) };
  if (bound && found.overPrice === null)
    await session.printer.warn(`booking ${booking.id}: ${priceDoubt(told, bound)}`, { always: true });
  if (!isLabel(booking))
    return { ...found, ids, evidence: JSON.stringify(bodyWithIds(operation, ids, told)) };
  if (Object.keys(labels).length > 0) return { ...found, ids: {} };
  throw new Failure(
    'not_found',
    `the service knows ${as.created}, but it has no tracking number: its label was not made yet. Ask the provider of the service about it; \`waybill history resolve ${booking.id}\` records the answer`,
  );
}

/** On stderr, so that people see it before they confirm. */
export const showShipment = async ({ printer, host }: Session, body: unknown): Promise<void> =>
  printer.note(printer.json ? JSON.stringify(body) : await trackTable(body, PLAIN, host.now()));

/** Labels have no id of their own. */
const isLabel = ({ operation }: Booking): boolean =>
  Object.keys(operationNamed(operation).made.ids).length === 0;

function requireAddress(session: Session, { id, address, profile }: Booking): void {
  const here = session.scope().address;
  if (here === address) return;
  const name = profile === null ? '' : `: --profile ${profile}`;
  throw new Failure(
    'usage',
    `booking ${id} was sent to ${address}, but this command would ask ${here}. Name the profile or address that it was sent with${name}, or add --unchecked to record it without asking the service`,
  );
}

/** What the service tells about what was booked. */
async function contentFor(
  session: Session,
  { id: booking }: Booking,
  kind: keyof Ids,
  id: string,
): Promise<unknown> {
  const operation = OPERATIONS[READERS[kind].reader];
  const [parameter = ''] = Object.keys(operation.parameters);
  try {
    return contentOf(operation, await session.service.read(operation, { parameters: { [parameter]: id } }))
      .value;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    const { code } = error;
    // The command that was typed is `history resolve`.
    const { operation: _, ...facts } = error.facts;
    const message = error.message.replace(`${operation.command}: `, '');
    if (code === 'not_found')
      throw new Failure(code, `${message}. Booking ${booking} is unchanged`, facts, { cause: error });
    throw new Failure(
      code,
      `${message}. Booking ${booking} is unchanged; add --unchecked to record ${id} without asking the service`,
      facts,
      { cause: error },
    );
  }
}

/** The ids that were given, by what they are ids of. Throws `usage` if they do not fit the booking. */
function idsFor(booking: Booking, { created, domestic }: CreatedAs): Ids {
  const { id, operation: command } = booking;
  const operation = operationNamed(command);
  const kinds = Object.keys(operation.made.ids) as (keyof Ids)[];
  const refuse = (why: string) => new Failure('usage', `booking ${id} is a ${command}: ${why}`);
  if (kinds.includes('domestic')) {
    if (domestic === undefined)
      throw refuse(
        'give both ids, --created INTERNATIONAL_ID --domestic DOMESTIC_ID (in a file shipmentId and domesticShipmentId)',
      );
    if (created === domestic) throw refuse('its legs are two shipments, and both ids are the same');
    return { international: created, domestic };
  }
  if (domestic !== undefined) throw refuse('it has no domestic leg of its own; leave out --domestic');
  const [kind] = kinds;
  if (kind !== undefined) return { [kind]: created };
  // The shipments of the request name the labels.
  const known = labelledIds(booking);
  if (!Object.values(known).includes(created))
    throw refuse(`it labels ${Object.values(known).join(' and ')}; give one of these as --created`);
  return known;
}

/** Throws `usage` if the shipment goes to another receiver. What one of the two does not tell is not compared. */
async function compareReceiver({ id: booking, request }: Booking, id: string, body: unknown): Promise<void> {
  const ours = receiverIn(request);
  const theirs = receiverIn(body);
  if (isSameReceiver(ours, theirs) !== false) return;
  throw new Failure(
    'usage',
    `shipment ${id} goes to ${receiverWords(theirs)}, and booking ${booking} to ${receiverWords(ours)}: it is another order. If ${id} is right, add --unchecked to record it without asking the service. Nothing was changed`,
  );
}
