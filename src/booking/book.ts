import type { Operation } from '../contract/operations.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Client, stopIfInterrupted } from '../http/client.ts';
import type { Exchange } from '../http/transport.ts';
import type { Booking, Ids, Intent, Journal, Obstacle, RecordedOutcome } from '../journal/journal.ts';
import { parseJson } from '../json.ts';
import { type Outcome, readOutcome, unlabelledLegs } from './outcome.ts';

/** How often a booking that another process is sending is looked at. */
const LOOK_MS = 100;

/** A call that creates something and may cost money, and what is written down of it before it is sent. */
export interface BookingRequest {
  operation: Operation;
  intent: Intent;
}

/** What became of it. */
export interface Booked {
  kind: 'booked';
  /** The journal's name for it. */
  id: string;
  outcome: Outcome;
  /** Why the outcome is not in the journal, where it could not be written: the booking will be `unknown` there. */
  unrecorded?: Failure;
}

/** `noWait`: it does not wait for a booking that somebody else is sending, but throws `BookingInProgress`. */
type WaitContext = Pick<Host, 'sleep' | 'interrupted'> & { noWait?: boolean };

/** Somebody else is sending it at this moment. */
export class BookingInProgress extends Error {}

/** What stands against the order, after whoever is sending it at this moment has ended. Writes nothing, sends nothing. */
export const findObstacle = (
  { intent }: BookingRequest,
  journal: Journal,
  host: WaitContext,
): Promise<Obstacle | undefined> =>
  waitWhilePending(
    () => journal.obstacle(intent),
    obstacle => obstacle?.booking,
    host,
  );

/**
 * Books once: the one place through which everything goes that creates something. The intent is on disk before the
 * first byte is sent, and the outcome before it is shown. Gives the obstacle, and sends nothing, where the order was
 * booked already. Throws `storage` where the intent cannot be written, and what `Client.call` throws: nothing was sent.
 */
export async function book(
  order: BookingRequest,
  journal: Journal,
  client: Client,
  host: WaitContext,
): Promise<Booked | Obstacle> {
  const claim = await waitWhilePending(
    () => journal.claim(order.intent),
    found => (found.kind === 'claimed' ? undefined : found.booking),
    host,
  );
  return claim.kind === 'claimed' ? send(claim.id, order, journal, client) : claim;
}

/** Asks again until the answer is not about a booking that somebody is sending. */
export async function waitWhilePending<T>(
  ask: () => Promise<T>,
  bookingIn: (answer: T) => Booking | undefined,
  host: WaitContext,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (bookingIn(answer)?.state !== 'pending') return answer;
    if (host.noWait) throw new BookingInProgress();
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

async function send(
  id: string,
  { operation, intent }: BookingRequest,
  journal: Journal,
  client: Client,
): Promise<Booked> {
  let exchange: Exchange;
  try {
    exchange = await client.call(operation, { body: intent.request });
  } catch (error) {
    await journal.recordOutcome(id, notSent(error));
    throw error;
  }
  const outcome = readOutcome(operation, intent.request, exchange);
  try {
    await journal.recordOutcome(id, recordedOutcomeOf(outcome));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'booked', id, outcome, unrecorded: error };
  }
  return { kind: 'booked', id, outcome };
}

const notSent = (error: unknown): RecordedOutcome => ({
  state: 'not_sent',
  code: error instanceof Failure ? error.code : 'unavailable',
  why: messageOf(error),
  httpStatus: null,
  answer: null,
  ids: {},
  labels: {},
});

const recordedOutcomeOf = (outcome: Outcome): RecordedOutcome => {
  const { state, httpStatus, answer, ids, labels } = outcome;
  const { code, why } = outcome.state === 'created' ? { code: null, why: '' } : outcome;
  return { state, code, why, httpStatus, answer, ids, labels };
};

/** A booking as it was recorded. */
export function bookedFrom(operation: Operation, booking: Booking): Booked {
  const { id, state, code, why, httpStatus, answer, ids, labels, request } = booking;
  const body = answer === null ? bareBody(operation, ids) : (parseJson(answer) ?? answer);
  const unlabelled = unlabelledLegs(operation, request, labels);
  const facts = { httpStatus, answer, body, ids, labels, unlabelled };
  return {
    kind: 'booked',
    id,
    outcome:
      state === 'created'
        ? { ...facts, state }
        : { ...facts, state: state === 'pending' ? 'unknown' : state, code: code ?? 'internal', why },
  };
}

/** The ids where an answer would have them: for a booking that was settled by hand, or pruned. */
const bareBody = ({ made }: Operation, ids: Ids): unknown =>
  Object.entries(made.ids).reduce((body: unknown, [name, path]) => {
    const id = ids[name as keyof Ids];
    return id === undefined ? body : setAt(body, parsePath(path) ?? [], id);
  }, null);
