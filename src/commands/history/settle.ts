// A person's word about bookings: `history accept`, `history cancelled`, and how each such word is recorded and shown.
import {
  AT_WORK_MINUTES,
  type Booking,
  cancellationOf,
  decisionOf,
  isAccepted,
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
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { timeWords } from '../../say/words.ts';
import { declare, operand } from '../../session/command.ts';
import { flag } from '../../session/flags.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { commandText } from '../../text.ts';

export const REFS = 'bookings, each by its id in the journal, its key, a shipment id or a tracking number';

/** The output of a command that records a person's word. */
export const SETTLED = {
  table: 'a sentence for each booking',
  quiet: 'the id of each booking',
  json: 'a row of `waybill schema history`; of several a list',
};

export const accept = declare({
  examples: [
    '# Book with --max-price. If the price is above it (exit 11), accept it.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --carrier fastest --max-price 60EUR --key ORDER-1008 || test $? = 11',
    "waybill history accept ORDER-1008 --reason 'agreed by phone' || test $? = 2",
  ],
  output: SETTLED,
  exits: { usage: 'its price is not above --max-price, or it was booked without --max-price' },
  operands: [operand('<ref...>', REFS)],
  flags: { reason: flag('--reason <text>', 'why; it is kept in the record') },
  run: (session, { reason }, refs) =>
    say(session, refs, {
      command: 'accept',
      kind: 'accepted',
      reason,
      isSaid: booking => isMade(booking) && isAccepted(booking),
      sentence: ({ id }, before) =>
        before
          ? `The price of booking ${id} was accepted before, by ${safe(before.by)} at ${before.at}.`
          : `The price of booking ${id} is accepted.`,
    }),
});

/** The service has no operation for it, so nobody is told. */
export const cancelled = declare({
  examples: [
    '# The provider cancelled a shipment, by phone or on its page. Record that, and take it back.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1009',
    "waybill history cancelled ORDER-1009 --reason 'support, ticket 4712'",
    'waybill history cancelled ORDER-1009 --reopen',
  ],
  output: SETTLED,
  exits: { usage: 'it is no shipment that exists, or --reopen of one that is not cancelled' },
  notes: {
    Notes: `The service has no operation that cancels: the provider does it first, and nobody is told. The booking stays in the record and keeps its key; it leaves the costs, \`track --active\` and the labels.`,
  },
  operands: [operand('<ref...>', REFS)],
  flags: {
    reason: flag('--reason <text>', 'who at the provider said so; it is kept in the record', {
      read: someText,
    }),
    reopen: flag('--reopen', 'it was not cancelled: take that back'),
  },
  async run(session, { reason, reopen }, refs) {
    if (!reopen && reason === undefined)
      throw new Failure('usage', 'give --reason TEXT: who at the provider of the service said so');
    await say(session, refs, {
      command: 'cancelled',
      kind: reopen ? 'reopened' : 'cancelled',
      reason,
      isSaid: booking => !reopen && cancellationOf(booking) !== undefined,
      sentence({ id, key, state }, before) {
        if (reopen) return `Booking ${id} is ${state} again.`;
        if (before) return `Booking ${id} was cancelled before, as ${safe(before.by)} said at ${before.at}.`;
        return `Booking ${id} is cancelled${key === null ? '' : `; its key ${safe(key)} stays taken`}.`;
      },
    });
  },
});

interface Saying {
  command: string;
  kind: 'accepted' | 'reopened' | 'cancelled';
  reason: string | undefined;
  /** Was it said of the booking before? That is no error: a script can run again. */
  isSaid(booking: Booking): boolean;
  /** `before`: who said it, if that was before. */
  sentence(row: HistoryRow, before: { by: string; at: string } | undefined): string;
}

async function say(
  session: Session,
  refs: readonly string[],
  { command, kind, reason, isSaid, sentence }: Saying,
): Promise<void> {
  refuseReserved(session.limits(), 'resolve', `history ${command}`);
  const journal = await journalToSettle(session);
  const bookings = await findBookings(session, journal, refs);
  // The journal takes back how an unknown one was resolved as well, which is another command.
  const other = kind === 'reopened' && bookings.find(booking => booking.state !== 'cancelled');
  if (other)
    throw new Failure(
      'usage',
      `booking ${other.id} is ${other.state}, so there is no cancellation to take back. Nothing was changed`,
    );
  const open = bookings.filter(booking => !isSaid(booking));
  const settlements = open.map(({ id }) => ({ id, kind, ...NOTHING_MADE, ...whoSettles(session, reason) }));
  const recorded = await recordSettlements(session, journal, settlements);
  if (kind === 'cancelled' && open.length > 0)
    await session.printer.note(
      'this is recorded, and nobody was told of it: the provider of the service was not asked',
    );
  await showSettled(
    session,
    bookings.map(one => recorded.find(({ id }) => id === one.id) ?? one),
    row => {
      const isNew = open.some(({ id }) => id === row.id);
      return sentence(
        row,
        isNew ? undefined : row.settlements.findLast(({ state }) => state === SETTLED_AS[kind]),
      );
    },
  );
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

/** Records all of them and gives the bookings as they are then. Throws `usage`: then nothing was changed. */
export async function recordSettlements(
  session: Session,
  journal: Journal,
  settlements: readonly NewSettlement[],
): Promise<Booking[]> {
  if (settlements.length > 0)
    refuseObstacles(session, await journal.settle(settlements), settlements[0]?.kind);
  const bookings: Booking[] = [];
  for (const { id } of settlements) {
    const booking = await journal.byId(id);
    if (booking) bookings.push(booking);
  }
  return bookings;
}

/** JSON has one alone as an object. */
export async function showSettled(
  { printer }: Session,
  bookings: readonly Booking[],
  sentence: (row: HistoryRow, booking: Booking) => string,
): Promise<void> {
  const settled = bookings.map(booking => ({ booking, row: historyRow(booking) }));
  const rows = settled.map(({ row }) => row);
  await printer.result<unknown>(rows.length === 1 ? rows[0] : rows, {
    essential: () => rows.map(({ id }) => id),
    table: () => settled.map(({ row, booking }) => sentence(row, booking)).join('\n'),
  });
}

/** Throws `usage`, with all of them. */
export function refuseObstacles(
  session: Session,
  obstacles: readonly SettleObstacle[],
  wanted?: NewSettlement['kind'],
): void {
  if (obstacles.length === 0) return;
  const words = obstacles.map(obstacle => obstacleWords(session, obstacle, wanted));
  throw new Failure('usage', `${words.join('. ')}. Nothing was changed`, settleableFrom(obstacles));
}

/** When they are gone, if time alone is the obstacle. */
export function settleableFrom(obstacles: readonly SettleObstacle[]): Pick<FailureFacts, 'retryAt'> {
  const times = obstacles.flatMap(one => (one.kind === 'early' ? one.until : []));
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

export function obstacleWords(
  session: Parameters<typeof targetFlags>[0],
  obstacle: SettleObstacle,
  wanted?: NewSettlement['kind'],
): string {
  const typed = typedFor(session);
  const { id, kind, booking } = obstacle;
  if (booking === undefined) return `the journal has no booking ${id}`;
  const other = `${booking.id}${booking.key === null ? '' : ` (key ${JSON.stringify(booking.key)})`}`;
  const show = `${typed('show', booking.id)} shows it`;
  switch (kind) {
    case 'taken':
      return `${obstacle.shipment} is the shipment of booking ${other}, so it is not that of booking ${id}. ${show}`;
    case 'labelled':
      return `booking ${id} exists: booking ${other} made the label of its shipment ${obstacle.shipment}. ${show}`;
    case 'booked again':
      return `booking ${id} was booked again as ${other}, so it cannot be unknown any more. Resolve that one first, if it does not exist: ${show}`;
    case 'answered':
      return `booking ${id} exists as its own answer says (${Object.values(booking.ids).join(' and ')}). If the provider cancelled it, or says that it was never made: ${typed('resolve', id, '--not-created', '--force', '--reason', 'TEXT')}`;
    case 'no owner':
      return `booking ${id} is no shipment of booking ${other}, which ${isSameShipment(booking) ? 'is itself that of another order: name that one' : `is ${booking.state} and has not that shipment`}. ${show}`;
    case 'declared': {
      const same = obstacle.others.map(one => one.id);
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
      if (wanted === 'accepted') return priceWords(booking);
      return wanted === 'cancelled' ? cancelWords(booking, typed) : stateWords(booking, show, typed);
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
