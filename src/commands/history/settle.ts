// A person's word about bookings, for `history resolve`, `accept` and `cancelled`: all of it is checked, asked about, recorded and told.
import {
  AT_WORK_MINUTES,
  type Booking,
  decisionOf,
  isMade,
  isSameShipment,
  type NewSettlement,
  NOTHING_MADE,
  SETTLED_AS,
  type SettleObstacle,
} from '../../booking/booking.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { findBookings } from '../../order/find.ts';
import { targetFlags } from '../../order/options.ts';
import { type HistoryRow, historyRow } from '../../output/columns.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { timeWords } from '../../say/words.ts';
import { operand } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { commandText } from '../../text.ts';

/** What the commands that record a person's word take and show. */
export const SETTLED = {
  refs: operand(
    '<ref...>',
    'bookings, each by its id in the journal, its key, a shipment id or a tracking number',
  ),
  output: {
    table: 'a sentence for each booking',
    quiet: 'the id of each booking',
    json: 'a row of `waybill schema history`; of several a list',
  },
};

/** A word that is the same for every booking, and needs no question. */
export interface Word {
  command: string;
  kind: 'accepted' | 'reopened' | 'cancelled';
  reason: string | undefined;
  /** Was it said of the booking before? That is no error: a script can run again. */
  isSaid(booking: Booking): boolean;
  /** Throws `usage` if it cannot be said of the booking, for a reason that the journal does not know. */
  check?(booking: Booking): void;
  /** What is told once if it is new. */
  note?: string | undefined;
  /** `before`: who said it, if that was before. */
  sentence(row: HistoryRow, before: { by: string; at: string } | undefined): string;
}

export async function settle(session: Session, refs: readonly string[], word: Word): Promise<void> {
  const { command, kind, reason } = word;
  refuseReserved(session.limits(), 'resolve', `history ${command}`);
  const journal = await journalToSettle(session);
  const bookings = await findBookings(session, journal, refs);
  for (const booking of bookings) word.check?.(booking);
  const open = bookings.filter(booking => !word.isSaid(booking));
  const recorded = await record(
    session,
    journal,
    open.map(({ id }) => ({ id, kind, ...NOTHING_MADE, ...whoSettles(session, reason) })),
  );
  if (word.note !== undefined && open.length > 0) await session.printer.note(word.note);
  const now = bookings.map(booking => recorded.get(booking.id) ?? booking);
  await showSettled(session, now, row => {
    const before = row.settlements.findLast(({ state }) => state === SETTLED_AS[kind]);
    return word.sentence(row, recorded.has(row.id) ? undefined : before);
  });
}

/** Throws `not_found` if there is none: one that is made here would count as the memory of bookings that it never had. */
export async function journalToSettle(session: Session): Promise<Journal> {
  const journal = await session.openJournal('change');
  if (journal) return journal;
  throw new Failure('not_found', `there is no journal at ${session.journalName()}, and no booking to settle`);
}

/** Who says it, why, and from which run. */
export const whoSettles = ({ actor, run }: Session, reason: string | undefined) => ({
  by: actor,
  reason: reason ?? null,
  run,
});

/** Records all of them, and gives the bookings as they are then, by their ids. Throws `usage`: then nothing was changed. */
export async function record(
  session: Session,
  journal: Journal,
  settlements: readonly NewSettlement[],
): Promise<Map<string, Booking>> {
  const bookings = new Map<string, Booking>();
  if (settlements.length === 0) return bookings;
  refuseObstacles(session, await journal.settle(settlements), settlements[0]?.kind);
  for (const { id } of settlements) {
    const booking = await journal.byId(id);
    if (booking) bookings.set(id, booking);
  }
  return bookings;
}

/** JSON has one alone as an object. */
export async function showSettled(
  { printer }: Session,
  bookings: readonly Booking[],
  sentence: (row: HistoryRow, booking: Booking) => string,
): Promise<void> {
  const rows = bookings.map(historyRow);
  await printer.result<unknown>(rows.length === 1 ? rows[0] : rows, {
    essential: () => rows.map(({ id }) => id),
    table: () => bookings.map(booking => sentence(historyRow(booking), booking)).join('\n'),
  });
}

// What prevents it.

/** Throws `usage`, with all of them. */
export function refuseObstacles(
  session: Session,
  obstacles: readonly SettleObstacle[],
  kind?: NewSettlement['kind'],
): void {
  if (obstacles.length === 0) return;
  const words = obstacles.map(obstacle => obstacleWords(session, obstacle, kind));
  throw new Failure('usage', `${words.join('. ')}. Nothing was changed`, settleableFrom(obstacles));
}

/** When they are gone, if time alone is the obstacle. */
export function settleableFrom(obstacles: readonly SettleObstacle[]): Pick<FailureFacts, 'retryAt'> {
  const times = obstacles.flatMap(obstacle => (obstacle.kind === 'early' ? obstacle.until : []));
  return times.length > 0 && times.length === obstacles.length
    ? { retryAt: new Date(Math.max(...times)).toISOString() }
    : {};
}

type Typed = (...words: string[]) => string;

/** Gives a command of `history` as it is typed to the same journal. */
export const typedFor =
  (session: Parameters<typeof targetFlags>[0]): Typed =>
  (...words) =>
    `\`${commandText(['waybill', 'history', ...words, ...targetFlags(session)])}\``;

/** `kind`: what a person says. */
export function obstacleWords(
  session: Parameters<typeof targetFlags>[0],
  obstacle: SettleObstacle,
  kind?: NewSettlement['kind'],
): string {
  const typed = typedFor(session);
  const { id, booking } = obstacle;
  if (booking === undefined) return `the journal has no booking ${id}`;
  const name = `${booking.id}${booking.key === null ? '' : ` (key ${JSON.stringify(booking.key)})`}`;
  const show = `${typed('show', booking.id)} shows it`;
  switch (obstacle.kind) {
    case 'taken':
      return `${obstacle.shipment} is the shipment of booking ${name}, so it is not that of booking ${id}. ${show}`;
    case 'labelled':
      return `booking ${id} exists: booking ${name} made the label of its shipment ${obstacle.shipment}. ${show}`;
    case 'booked again':
      return `booking ${id} was booked again as ${name}, so it cannot be unknown any more. Resolve that one first, if it does not exist: ${show}`;
    case 'answered':
      return `booking ${id} exists as its own answer says (${Object.values(booking.ids).join(' and ')}). If the provider cancelled it, or says that it was never made: ${typed('resolve', id, '--not-created', '--force', '--reason', 'TEXT')}`;
    case 'no owner':
      return `booking ${id} is no shipment of booking ${name}, which ${isSameShipment(booking) ? 'is itself that of another order: name that one' : `is ${booking.state} and has not that shipment`}. ${show}`;
    case 'declared': {
      const same = obstacle.others.map(order => order.id);
      return `${same.join(', ')} ${same.length === 1 ? 'was' : 'were'} resolved as one shipment with booking ${id}, which has the costs. Take that back with it: ${typed('resolve', ...same, id, '--reopen')}`;
    }
    case 'pruned':
      return `which shipments booking ${id} labels is not known any more, because it was pruned`;
    case 'early': {
      const { unlabelled } = obstacle;
      const what = unlabelled.length === 0 ? 'it' : `the label of ${unlabelled.join(' and ')}`;
      return `booking ${id} was sent at ${timeWords(obstacle.sentAt)}, and a carrier may be at work on ${what} for ${AT_WORK_MINUTES} minutes: ask the provider of the service after ${timeWords(obstacle.until)}`;
    }
    case 'state':
      if (kind === 'accepted') return priceWords(booking);
      return kind === 'cancelled' ? cancelWords(booking, typed) : stateWords(booking, show, typed);
  }
}

function cancelWords(booking: Booking, typed: Typed): string {
  const { id, operation, state } = booking;
  if (state === 'unknown')
    return `booking ${id} may or may not exist: ${typed('resolve', id)} records what it is, and then it can be cancelled`;
  if (isMade(booking))
    return `booking ${id} is a ${operation}: only shipments are cancelled, with their labels`;
  return `there is nothing to cancel: booking ${id} is ${state.replace('_', ' ')}`;
}

function priceWords(booking: Booking): string {
  const { id, state, overPrice } = booking;
  const nothing = `there is nothing to accept: booking ${id}`;
  if (!isMade(booking))
    return `${nothing} is ${state}, and only the price of one that was created is accepted`;
  if (overPrice === null) return `${nothing} has no --max-price, or no price to compare with it`;
  return `${nothing} is not above its --max-price`;
}

function stateWords(booking: Booking, show: string, typed: Typed): string {
  const { id, state } = booking;
  if (state === 'pending') return `booking ${id} is being sent: wait for its answer. ${show}`;
  if (state === 'cancelled')
    return `booking ${id} was cancelled by the provider. ${typed('cancelled', id, '--reopen')} takes that back`;
  const decision = decisionOf(booking);
  if (decision === undefined)
    return state === 'unknown'
      ? `booking ${id} is unknown: it was not resolved, so there is nothing to take back`
      : `booking ${id} is ${state}, not unknown: its answer came. ${show}`;
  const what = decision.kind === 'confirmed' ? 'created' : 'not created';
  return `booking ${id} is not unknown any more: ${decision.by} resolved it as ${what} at ${timeWords(decision.at)}. ${typed('resolve', id, '--reopen')} takes that back`;
}
