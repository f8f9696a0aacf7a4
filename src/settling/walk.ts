// A person goes through the unknown bookings, one after the other.
import { OPERATIONS, operationNamed } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { type Booking, labelledBy, NOTHING_MADE } from '../journal/booking.ts';
import type { Journal, Order } from '../journal/journal.ts';
import { shortMoment } from '../output/moment.ts';
import { isRequired, type Question } from '../prompts/question.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { receiverOf } from '../views/booking-row.ts';
import { type CreatedAs, type Found, readAs, saidToBe, showShipment } from './created.ts';
import type { FileOptions } from './file.ts';
import { obstacleWords, sentWords, settlerOf } from './record.ts';

/** How many were settled, and how many are still unknown. */
export interface Walked {
  created: number;
  notCreated: number;
  left: number;
}

/** Throws `interrupted`, with the counts, if the person leaves with Ctrl-C. */
export async function walkThrough(
  session: Session,
  journal: Journal,
  orders: readonly Order[],
  options: FileOptions,
): Promise<Walked> {
  const ends = new Map<string, 'created' | 'rejected'>();
  const walk = { session, journal, options };
  try {
    for (let at = 0; at < orders.length; ) {
      const order = orders[at];
      if (order === undefined) break;
      // After a way back.
      if (ends.has(order.booking.id)) {
        at += 1;
        continue;
      }
      const esc = before(orders, at, ends) === at ? 'leave' : 'back';
      const end = await ask(walk, order, `${at + 1} of ${orders.length}`, esc);
      if (end === 'quit') break;
      if (end === 'created' || end === 'rejected') ends.set(order.booking.id, end);
      at = end === 'back' ? before(orders, at, ends) : at + 1;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'interrupted') throw error;
    const words = `${ends.size} ${ends.size === 1 ? 'booking was' : 'bookings were'} resolved, ${orders.length - ends.size} are left`;
    throw new Failure('interrupted', words, error.facts, { cause: error });
  }
  const created = [...ends.values()].filter(end => end === 'created').length;
  return { created, notCreated: ends.size - created, left: orders.length - ends.size };
}

/** The nearest one before it that was skipped, else itself. */
function before(orders: readonly Order[], at: number, ends: ReadonlyMap<string, unknown>): number {
  const found = orders.slice(0, at).findLastIndex(({ booking }) => !ends.has(booking.id));
  return found < 0 ? at : found;
}

interface Walk {
  session: Session;
  journal: Journal;
  options: FileOptions;
}

type End = 'created' | 'rejected' | 'skip' | 'quit' | 'back';

const CHOICES = [
  { value: 'created', name: 'It exists: I have its id', key: 'c' },
  { value: 'rejected', name: 'It does not exist, and may be booked again', key: 'n' },
  { value: 'skip', name: 'Skip it', key: 's' },
  { value: 'quit', name: 'Quit', key: 'q' },
];

/** Asks until it is settled, skipped or left. */
async function ask(walk: Walk, order: Order, place: string, esc: Question['esc']): Promise<End> {
  const { session } = walk;
  const { booking } = order;
  for (;;) {
    const answer = await session.ask({
      ...{ kind: 'choice', id: 'resolution', choices: CHOICES },
      hint: `\n${knownOf(order, session.host.now())}`,
      message: `${place}: what became of ${nameOf(booking)}?`,
      esc,
    });
    if (answer === undefined) return 'back';
    if (answer !== 'created' && answer !== 'rejected') return answer as End;
    try {
      if (await settled(walk, booking, answer)) return answer;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'interrupted' || error.code === 'storage')
        throw error;
      await session.printer.note(error.message);
    }
  }
}

/** Returns whether it was recorded; not if the person goes back. */
async function settled(walk: Walk, booking: Booking, state: 'created' | 'rejected'): Promise<boolean> {
  const { session, journal, options } = walk;
  const found = state === 'created' ? await foundBy(walk, booking) : await notFound(session, booking);
  if (found === undefined) return false;
  const settler = settlerOf(session, options.reason);
  const settlement = { id: booking.id, state, ...found, ...settler, mayBeEarly: true };
  const [obstacle] = await journal.settle([settlement]);
  if (obstacle) throw new Failure('usage', obstacleWords(obstacle));
  return true;
}

/** `undefined`: it is not what the person meant. */
const notFound = async (session: Session, booking: Booking): Promise<Found | undefined> =>
  (await session.confirm(
    `${sentWords([booking], session.host.now())}. Record that ${nameOf(booking)} was not created, and may be booked again?`,
  ))
    ? NOTHING_MADE
    : undefined;

/** `undefined`: it is not what the person meant. */
async function foundBy({ session, journal, options }: Walk, booking: Booking): Promise<Found | undefined> {
  const as = await idsOf(session, booking);
  if (as === undefined) return undefined;
  const said = saidToBe(booking, as);
  const [obstacle] = await journal.obstaclesTo([
    { id: booking.id, state: 'created', ...said, ...settlerOf(session, options.reason) },
  ]);
  if (obstacle) throw new Failure('usage', obstacleWords(obstacle));
  if (options.unchecked) return said;
  const found = await readAs(session, booking, as, body => showShipment(session, body));
  return (await session.confirm(`Is ${nameOf(booking)} the shipment that is shown above?`))
    ? found
    : undefined;
}

async function idsOf(session: Session, booking: Booking): Promise<CreatedAs | undefined> {
  const { ids } = operationNamed(booking.operation).made;
  const text = (id: string, message: string, value?: string) =>
    session.ask({ kind: 'text', id, message, value, check: isRequired });
  if ('domestic' in ids) {
    const created = await text('created', 'International shipment id', booking.ids.international);
    const domestic = created && (await text('domestic', 'Domestic shipment id', booking.ids.domestic));
    return created && domestic ? { created: created.trim(), domestic: domestic.trim() } : undefined;
  }
  const what = 'subscription' in ids ? 'Subscription id' : 'Shipment id';
  const created = await text('created', what, idsKnown(booking)[0]);
  return created ? { created: created.trim() } : undefined;
}

const nameOf = ({ key, id, operation }: Booking): string => `${operation} ${key ?? id}`;

/** What the booking made, or labels, if anything says so. */
const idsKnown = (booking: Booking): string[] =>
  booking.operation === OPERATIONS.createLabels.command
    ? labelledBy(booking).map(({ shipment }) => shipment)
    : Object.values(booking.ids);

/** What is known about it, and how to look it up. */
function knownOf(order: Order, now: number): string {
  const { booking } = order;
  const { name, city, country } = receiverOf(order);
  const receiver = [name, city, country].filter(Boolean).join(', ');
  const when = shortMoment(booking.at, now);
  const { httpStatus, why } = booking;
  const status = httpStatus === null || why.includes(String(httpStatus)) ? '' : ` (HTTP ${httpStatus})`;
  const run = [booking.actor, booking.run].filter(Boolean).join(' in ');
  return [
    `${booking.key === null ? '' : `Key ${booking.key}, `}booking ${booking.id}`,
    receiver && `To ${receiver}`,
    `Sent ${when}${run && ` by ${run}`}`,
    `${why}${status}`,
    `Look it up: ${lookUp(booking, receiver, when)}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function lookUp(booking: Booking, receiver: string, when: string): string {
  const known = idsKnown(booking);
  if (booking.ids.subscription) return `\`waybill webhook get ${shellWord(booking.ids.subscription)}\``;
  if (known.length === 0)
    return `search the service for ${receiver || 'what was sent'}${receiver && ', sent'} ${when}; \`waybill history show ${booking.id}\` shows all of it`;
  return known
    .map(id => `\`waybill track ${shellWord(id)}${id === booking.ids.domestic ? ' --domestic' : ''}\``)
    .join(' and ');
}
