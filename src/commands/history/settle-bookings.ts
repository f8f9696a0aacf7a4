// A person's word about bookings, for `history resolve`, `accept` and `cancelled`: all of it is checked, asked about, recorded and told.
import { type Booking, type NewSettlement, NOTHING_MADE, SETTLED_AS } from '../../booking/booking.ts';
import type { SettleObstacle } from '../../booking/questions.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { findBookings } from '../../order/find.ts';
import { typedFor } from '../../order/place-flags.ts';
import { type HistoryRow, historyRow } from '../../output/columns.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { obstacleWords } from '../../say/obstacles.ts';
import { operand } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

/** The operand and the output of the commands that record a person's word. */
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

/** A statement that a person makes about all bookings of a command alike; no question is asked. */
export interface Word {
  command: string;
  kind: 'accepted' | 'reopened' | 'cancelled';
  reason: string | undefined;
  /** Was the same stated of the booking before? That is no error: a script can run again. */
  isSaid(booking: Booking): boolean;
  /** Throws `usage` if the statement does not fit the booking in a way that the journal itself does not refuse. */
  check?(booking: Booking): void;
  /** A note that is shown once, if the statement is new for any booking. */
  note?: string | undefined;
  /** The sentence about one booking. `before`: who made the same statement earlier, if somebody did. */
  sentence(row: HistoryRow, before: { by: string; at: string } | undefined): string;
}

export async function settleAlike(session: Session, refs: readonly string[], word: Word): Promise<void> {
  const { command, kind, reason } = word;
  refuseReserved(session.limits(), 'resolve', `history ${command}`);
  const journal = await journalToSettle(session);
  const bookings = await findBookings(session, journal, refs);
  for (const booking of bookings) word.check?.(booking);
  const open = bookings.filter(booking => !word.isSaid(booking));
  const recorded = await recordSettlements(
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

/** Throws `not_found` if there is no journal: a new one would be empty, but count as the memory of every booking. */
export async function journalToSettle(session: Session): Promise<Journal> {
  const journal = await session.openJournal('change');
  if (journal) return journal;
  throw new Failure('not_found', `there is no journal at ${session.journalName()}, and no booking to settle`);
}

/** Who settles a booking, why, and in which run. */
export const whoSettles = (session: Session, reason: string | undefined) => ({
  by: session.actor,
  reason: reason ?? null,
  run: session.run,
});

/** Records all settlements; gives the changed bookings by their ids. Throws `usage` if one is refused: then nothing was changed. */
export async function recordSettlements(
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

/** Shows the bookings that were settled; in JSON a single one is an object. */
export async function showSettled(
  session: Session,
  bookings: readonly Booking[],
  sentence: (row: HistoryRow, booking: Booking) => string,
): Promise<void> {
  const rows = bookings.map(historyRow);
  await session.printer.result<unknown>(rows.length === 1 ? rows[0] : rows, {
    essential: () => rows.map(({ id }) => id),
    table: () => bookings.map(booking => sentence(historyRow(booking), booking)).join('\n'),
  });
}

// What prevents a settlement.

/** Throws `usage`, which names all obstacles. */
export function refuseObstacles(
  session: Session,
  obstacles: readonly SettleObstacle[],
  kind?: NewSettlement['kind'],
): void {
  if (obstacles.length === 0) return;
  const words = obstacles.map(obstacle => obstacleWords(obstacle, typedFor(session), kind));
  throw new Failure('usage', `${words.join('. ')}. Nothing was changed`, settleableFrom(obstacles));
}

/** From when on the bookings can be settled, if each obstacle ends by itself at a known time. */
export function settleableFrom(obstacles: readonly SettleObstacle[]): Pick<FailureFacts, 'retryAt'> {
  const times = obstacles.flatMap(obstacle => (obstacle.kind === 'early' ? obstacle.until : []));
  return times.length > 0 && times.length === obstacles.length
    ? { retryAt: new Date(Math.max(...times)).toISOString() }
    : {};
}
