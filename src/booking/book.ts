import { contentOf } from '../contract/content.ts';
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Client, stopIfInterrupted } from '../http/client.ts';
import type { Exchange } from '../http/transport.ts';
import {
  type Booking,
  codeOf,
  type Ids,
  type Intent,
  NO_RESPONSE,
  needsAcceptance,
  type RecordedOutcome,
  settlementOf,
} from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { ClaimLost, type LateOutcome, type Obstacle } from '../journal/types.ts';
import { parseJson } from '../json.ts';
import { toldAbout } from './facts.ts';
import { missingIn, type Outcome, readOutcome, unlabelledLegs } from './outcome.ts';

/** How often to look at a booking that another process is sending. */
const LOOK_MS = 100;
/** After so many looks the user is told of the wait: most bookings are sent faster. */
const LOOKS_UNTOLD = 20;

/** A call that creates something and may cost money, and what the journal records before it is sent. */
export interface BookingRequest {
  operation: Operation;
  intent: Intent;
  bound?: PriceBound | undefined;
}

/** The price above which a person must accept a booking. */
export interface PriceBound {
  /** `20 EUR` */
  words: string;
  /** Is the price in the content of an answer above it, or not comparable with it? `null` if there is no price. */
  isAbove(content: unknown): boolean | null;
}

/** A booking and what became of it. */
export interface Booked extends Pick<Booking, 'key' | 'run' | 'actor' | 'maxPrice' | 'overPrice' | 'files'> {
  kind: 'booked';
  id: string;
  outcome: Outcome;
  /** Was it sent by this command? Else it is the recorded answer. */
  sent: boolean;
  /** Must a person accept its price? */
  needsAcceptance: boolean;
  /** The booking that has its key: this one's answer came after it was settled and booked again. */
  overtakenBy?: string;
  /** It was settled before its answer came. */
  late?: LateOutcome;
  /** Why the outcome could not be recorded, if so: the booking will be `unknown` in the journal. */
  unrecorded?: Failure;
}

type WaitContext = Pick<Host, 'sleep' | 'interrupted'> & {
  /** Throw `BookingInProgress` instead of waiting for a booking that another process is sending. */
  noWait?: boolean;
  /** Called when a booking that another process is sending is waited for, if that takes long. */
  noteWait?(booking: Booking): void;
  /** Called when it is known what became of the booking, and just before that is recorded. */
  answered?: ((code: FailureCode | undefined) => void) | undefined;
};

export class BookingInProgress extends Error {
  constructor() {
    super('another process is sending it at this moment');
  }
}

/** What prevents the booking. Waits for a process that is sending it. Writes and sends nothing. */
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
 * Books once. Everything that creates something goes through here. The intent is on disk before the first byte is sent,
 * and the outcome before it is shown. Returns the obstacle, and sends nothing, if there is one, also if the booking was
 * settled and booked again while this process waited to send it. Throws `storage` if the intent cannot be written, and
 * what `Client.call` throws: then nothing was sent.
 */
export async function book(
  request: BookingRequest,
  journal: Journal,
  client: Client,
  host: WaitContext,
): Promise<Booked | Obstacle> {
  // step: key looked up, not claimed
  const claim = await waitWhilePending(
    () => journal.claim(request.intent),
    found => (found.kind === 'claimed' ? undefined : found.booking),
    host,
  );
  return claim.kind === 'claimed' ? send(claim.id, request, journal, client, host) : claim;
}

/** Looks again until the booking that is found is not being sent by another process. */
export async function waitWhilePending<T>(
  look: () => Promise<T>,
  bookingIn: (found: T) => Booking | undefined,
  host: WaitContext,
): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    const found = await look();
    const booking = bookingIn(found);
    if (booking?.state !== 'pending') return found;
    if (host.noWait) throw new BookingInProgress();
    if (looks === LOOKS_UNTOLD) host.noteWait?.(booking);
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

async function send(
  id: string,
  request: BookingRequest,
  journal: Journal,
  client: Client,
  host: WaitContext,
): Promise<Booked | Obstacle> {
  const { operation, intent } = request;
  // step: claim committed
  let exchange: Exchange;
  try {
    exchange = await client.call(operation, {
      text: intent.request.text,
      booking: { id, key: intent.key ?? intent.orderKey ?? null },
      fence: () => journal.fence(id),
    });
  } catch (thrown) {
    await journal.recordOutcome(id, notSent(thrown));
    const obstacle = thrown instanceof ClaimLost ? await findObstacle(request, journal, host) : undefined;
    if (obstacle) return obstacle;
    throw thrown instanceof ClaimLost ? claimLost(operation, id) : thrown;
  }
  const outcome = readOutcome(operation, intent.request, exchange);
  // step: answer complete
  const overPrice = ['rejected', 'not_sent'].includes(outcome.state)
    ? null
    : (request.bound?.isAbove(outcome.content) ?? null);
  const isTooDear = outcome.state === 'created' && overPrice === true;
  host.answered?.(outcome.state !== 'created' ? outcome.code : isTooDear ? 'over_price' : undefined);
  const { key, run, actor, maxPrice } = intent;
  const facts = { ...{ key, run, actor, maxPrice }, overPrice, files: {}, sent: true };
  const booked: Booked = { kind: 'booked', id, outcome, ...facts, needsAcceptance: isTooDear };
  let late: LateOutcome | undefined;
  try {
    late = await journal.recordOutcome(id, recordedOutcomeOf(outcome, overPrice));
    // step: outcome committed
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...booked, unrecorded: error };
  }
  return late ? { ...bookedFrom(operation, late.booking), sent: true, late } : booked;
}

const claimLost = (operation: Operation, id: string): Failure =>
  new Failure(
    'unavailable',
    `${typedName(operation)}: nothing was sent: while this process waited, booking ${id} was resolved or counted as lost. \`waybill history show ${id}\` shows it`,
    { operation: operation.command, booking: id },
  );

const notSent = (error: unknown): RecordedOutcome => ({
  ...NO_RESPONSE,
  state: 'not_sent',
  code: error instanceof Failure ? error.code : 'unavailable',
  why: messageOf(error),
});

const recordedOutcomeOf = (outcome: Outcome, overPrice: boolean | null): RecordedOutcome => {
  const { state, httpStatus, answer, ids, labels } = outcome;
  const { code, why } = outcome.state === 'created' ? { code: null, why: '' } : outcome;
  return { state, code, why, httpStatus, answer, ids, labels, overPrice };
};

/** A booking from the journal. */
export function bookedFrom(operation: Operation, booking: Booking): Booked {
  const { id, state, httpStatus, ids, labels, request, overtakenBy } = booking;
  const settlement = settlementOf(booking);
  const why = settlement ? `${settlement.by} resolved it as not created` : booking.why;
  const answer = toldAbout(booking);
  const { key, run, actor, maxPrice, overPrice, files } = booking;
  const body = answer === null ? bodyWithIds(operation, ids) : (parseJson(answer) ?? answer);
  const unlabelled = unlabelledLegs(operation, { value: request }, labels);
  const { value: content, moved } = contentOf(operation, body);
  const missing = missingIn(operation, content);
  const facts = { httpStatus, answer, body, content, moved, ids, labels, unlabelled, missing };
  return {
    kind: 'booked',
    id,
    ...{ key, run, actor, maxPrice, overPrice, files },
    sent: false,
    needsAcceptance: needsAcceptance(booking),
    ...(overtakenBy !== null && { overtakenBy }),
    outcome:
      state === 'created'
        ? { ...facts, state }
        : {
            ...{ ...facts, why, code: codeOf(booking) ?? 'internal' },
            state: state === 'pending' ? 'unknown' : state,
          },
  };
}

/** The ids where a response would have them: for a booking that was pruned, or imported from CSV, or resolved
 * without asking the service. */
export const bodyWithIds = ({ made }: Operation, ids: Ids, bare: unknown = null): unknown =>
  Object.entries(made.ids).reduce((body: unknown, [name, path]) => {
    const id = ids[name as keyof Ids];
    return id === undefined ? body : setAt(body, parsePath(path) ?? [], id);
  }, bare);
