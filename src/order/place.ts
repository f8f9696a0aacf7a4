// The only way to book. A command, a record of a batch and a label after a shipment are orders that are placed here; they
// differ in their caller only. Why nothing is booked twice:
// - What the journal knows of the order is looked at before anything is asked or sent: its key, or without a key the same
//   input of the last day. Then the recorded answer is the result.
// - The claim is on disk before the first byte, and an index of the journal lets one process have it.
// - In the moment of the first byte the journal is asked again: what was settled or lost in the meantime is not sent.
// - What came is on disk before it is shown. What is not conclusive is unknown, and is never sent again by itself.
import { type Outcome, readOutcome } from '../booking/outcome.ts';
import type { Bounds } from '../carriers/choose.ts';
import { isSameKey, keyFault, mangledKeyFault } from '../contract/key.ts';
import { type RuleContext, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Exchange } from '../http/transport.ts';
import {
  type Booking,
  hasSameInput,
  type Intent,
  isInputKnown,
  isMade,
  NO_RESPONSE,
  type RecordedOutcome,
} from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { type Claim, ClaimLost, type LateOutcome, type Obstacle } from '../journal/types.ts';
import type { Json } from '../json.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { shown } from '../text.ts';
import { keepAnswer } from './answer.ts';
import { warnOfAnswer } from './answer-warnings.ts';
import { fillIn } from './carrier.ts';
import { refuseWarnings } from './check.ts';
import { failureOf, unrecordedFailure } from './failure.ts';
import { boundWords, isAbove } from './price.ts';
import { receiverIn, receiverWords } from './words.ts';

/** What is to be booked, complete or not: plain data. */
export interface Order {
  operation: Operation;
  /** As it was given; a key is booked once. */
  key?: string | undefined;
  /** Of what the user gave: two orders with the same one are the same order. */
  fingerprint: string;
  /** What is sent, or what a proposal completes. */
  body: Json;
  /** Has a proposal to fill in something, or to keep a bound? */
  needsProposal?: boolean | undefined;
  /** What a proposal must keep. `maxPrice` holds for the price of the answer, too. */
  bounds?: Bounds | undefined;
  /** The answer with the proposals that a person has just seen. */
  proposals?: unknown;
  /** In words, the price of the proposal that completed it. */
  proposed?: string | undefined;
  /** Shipments that it labels, and the key of their order, for those who watch. */
  labels?: Intent['labels'];
  orderKey?: string | null | undefined;
  /** A label of it is placed after it. */
  thenLabel?: boolean | undefined;
  /** Fields that the service document does not name are sent. */
  allowUnknown?: boolean | undefined;
  allowDuplicate?: boolean | undefined;
  /** A person said yes to it, or to what it is a part of. */
  isAgreed?: boolean | undefined;
  /** Of a batch: a hash of the record and of what holds for it, and the name that the record came with. */
  record?: { source: string; name?: string | undefined } | undefined;
}

/** An order that was placed. */
export interface Placed {
  booking: Booking;
  /** Was it sent now? Else it is the recorded answer. */
  sent: boolean;
  /** It was settled before its answer came. */
  late?: LateOutcome;
  /** Why not all of it exists, or must be accepted; it is the exit code. */
  failure?: Failure | undefined;
  /** The journal could not record what came: the failure is the only record. */
  isUnrecorded?: boolean;
}

/** Who decides: a person at a terminal, a script, a batch. */
export interface Caller {
  /** Throws if the service cannot be called, or nobody can say yes to a booking that needs it. */
  ready(operation: Operation): Promise<void>;
  /** Does a booking need a yes? */
  readonly mustAgree: boolean;
  /** "Book this?" Throws `interrupted` if the answer is another. */
  agrees(order: Order): Promise<void>;
  /** The same input was booked before: another one? `undefined` if nobody can be asked. */
  wantsAnother(what: string): Promise<boolean | undefined>;
  /**
   * Looks again until the booking that is found is not being sent by another process. Throws `interrupted`; a batch, which
   * has other records to send, throws `BookingInProgress`, unless it must wait.
   */
  wait<T>(
    look: () => Promise<T>,
    bookingIn: (found: T) => Booking | undefined,
    mustWait?: boolean,
  ): Promise<T>;
  /** Is told of each booking that was sent or whose recorded answer is shown, for programs. `labelled`: shipments. */
  placed(placed: Placed, labelled: readonly string[]): void;
  /** Are told what became of the label of a booking. */
  labelSaved(booking: string, path: string): void;
  labelNotSaved(booking: string | null, error: FailureCode): void;
  /** Is told by which code the order fails, if it does, as soon as that is known, and just before it is recorded. */
  answered?(code: FailureCode | undefined): void;
}

/** What placing needs. */
export interface Means {
  journal: Journal;
  service: {
    /** Sends a booking. Throws what keeps it from being sent. */
    send(operation: Operation, input: BookingInput): Promise<Exchange>;
    read(operation: Operation, input: { body: unknown }): Promise<unknown>;
    /** The bytes behind a link to a label. */
    download(link: string): Promise<Uint8Array>;
  };
  host: Pick<Host, 'random' | 'run' | 'interrupted'>;
  out: Pick<Diagnostics, 'note' | 'warn' | 'warnings'>;
  /** Whose booking it is, and where. */
  origin: Pick<Intent, 'scope' | 'profile' | 'sandbox' | 'run' | 'actor'>;
  /** The flags that name the same service, for commands in messages. */
  targetFlags: readonly string[];
  rules: RuleContext;
  /** The program that prints a file, with its arguments. */
  printCommand: string;
  caller: Caller;
}

interface BookingInput {
  text: string;
  booking: { id: string; key: string | null };
  fence(): Promise<() => boolean>;
}

/**
 * Places an order. Its failure is in the result if there is something to show. Throws `duplicate`, `usage`, what the caller
 * throws, `storage` if the claim cannot be written, and what keeps it from being sent: then nothing was sent. Throws
 * `LabelHeld` if another process labels one of its shipments.
 */
export async function place(order: Order, means: Means): Promise<Placed> {
  const { journal, caller, out } = means;
  const { operation } = order;
  // What takes no key was refused when it was built, and so is a record of a batch.
  const refuseDoubtful = () => {
    if (operation.keySpace !== null && order.record === undefined)
      refuseWarnings(out, operation, 'nothing was sent');
  };
  // With a key, the answer that was recorded before is shown, and an order that may exist is exit 8, also with --strict.
  if (order.key === undefined) refuseDoubtful();
  // A batch has looked at the keys of all its records. If nobody is asked first either, the claim itself tells the obstacle.
  const isNewKey = order.key !== undefined && order.record === undefined;
  const isLookedUp = isNewKey || order.needsProposal || caller.mustAgree || out.warnings.length > 0;
  let held = isLookedUp ? await obstacleTo(order, means) : undefined;
  let isReady = false;
  for (;;) {
    if (held) {
      const met = await meet(held, order, means);
      if ('booking' in met) return ended(met, order, means);
      order = met;
    }
    // A person is asked once, even if another process is faster in the meantime.
    if (!isReady) {
      if (isNewKey) await checkNewKey(order, means);
      refuseDoubtful();
      order = await complete(order, means);
      isReady = true;
    }
    // step: key looked up, not claimed
    const intent = intentOf(order, means);
    const claim = await caller.wait(() => journal.claim(intent), bookingWhenHeld);
    if (claim.kind !== 'claimed') held = claim;
    else {
      const sent = await send(claim.booking, order, means);
      if ('sent' in sent) return ended(sent, order, means);
      held = sent;
    }
  }
}

/** What prevents the order. Waits for a process that is sending it. Writes and sends nothing. */
export const obstacleTo = (order: Order, means: Means): Promise<Obstacle | undefined> => {
  const intent = intentOf(order, means);
  return means.caller.wait(
    () => means.journal.obstacle(intent),
    obstacle => obstacle?.booking,
  );
};

const bookingWhenHeld = (claim: Claim) => (claim.kind === 'claimed' ? undefined : claim.booking);

/** What the journal records before the order is sent. */
function intentOf({ operation, key, fingerprint, body, ...order }: Order, { origin }: Means): Intent {
  checkKey(key);
  const { bounds, labels = [], record, allowDuplicate = false, orderKey } = order;
  return {
    ...origin,
    operation: operation.command,
    keySpace: operation.keySpace ?? operation.command,
    key: key ?? null,
    orderKey,
    fingerprint,
    source: record?.source ?? null,
    recordName: record?.name ?? null,
    request: body,
    maxPrice: bounds?.maxPrice ? boundWords(bounds.maxPrice) : null,
    labels,
    allowDuplicate,
  };
}

/** Fills in what a proposal has, and asks for the yes. */
async function complete(order: Order, means: Means): Promise<Order> {
  await means.caller.ready(order.operation);
  const whole = order.needsProposal ? await fillIn(order, means) : order;
  if (!order.isAgreed) await means.caller.agrees(whole);
  return whole;
}

/** A key that nobody has booked may be damaged, or name an order that was booked under another key. Throws `usage`. */
async function checkNewKey(order: Order, { journal, origin, out }: Means): Promise<void> {
  const { operation, key, fingerprint, allowDuplicate } = order;
  refuseMangled(order);
  if (allowDuplicate) return;
  const twin = (await journal.twins(origin.scope, operation.command, [fingerprint])).get(fingerprint);
  // With the same key, another process was faster since the key was looked up.
  if (twin && !isSameKey(twin.key, key)) await out.warn(otherKeyWarning(twin));
}

export function refuseMangled({ operation, key }: Pick<Order, 'operation' | 'key'>): void {
  const fault = key === undefined ? undefined : mangledKeyFault(key);
  if (fault !== undefined)
    throw new Failure('usage', `${typedName(operation)}: --key ${shown(key)} ${fault}; nothing was sent`, {
      operation: operation.command,
    });
}

/** Refuses what can be no key. Throws `usage`. */
export function checkKey(key: string | undefined): void {
  if (key?.trim() === '')
    throw new Failure('usage', '--key is empty; give it a name of your own, such as an order number');
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) throw new Failure('usage', `--key ${shown(key ?? '')} ${fault}; nothing was sent`);
}

/** `twin`: a booking with the input of an order that has another key. */
export const otherKeyWarning = ({ id, key, state, at }: Booking): string =>
  `an order with the same content was booked at ${new Date(at).toISOString()} ${key === null ? 'without a key' : `with the key ${JSON.stringify(key)}`} (${id}, ${state}): this key is another one, so it is booked once more. \`waybill history show ${id}\` shows that order`;

/** Another process is sending the booking at this moment, and nobody waits for it. */
export class BookingInProgress extends Error {
  constructor() {
    super('another process is sending it at this moment');
  }
}

/** Another process labels a shipment of the order, or has labelled it since it was looked up. */
export class LabelHeld extends Error {}

/** What an obstacle means: the recorded answer; or, if a person wants the same once more, another order. Throws `duplicate`. */
export async function meet(
  { kind, booking }: Obstacle,
  order: Order,
  { caller, out, targetFlags }: Means,
): Promise<Placed | Order> {
  const { operation, key } = order;
  if (order.labels?.length) throw new LabelHeld();
  const when = new Date(booking.at).toISOString();
  const refuse = (message: string) =>
    new Failure('duplicate', `${typedName(operation)}: ${message}`, {
      operation: operation.command,
      booking: booking.id,
    });
  if (kind === 'twin') {
    const what = `an order with the same content was booked at ${when} (${booking.id}, ${booking.state})`;
    const isWanted = await caller.wantsAnother(what);
    if (isWanted) return { ...order, allowDuplicate: true };
    throw refuse(
      isWanted === false
        ? `${what}; nothing was sent`
        : `${what}; nothing was sent. \`waybill history show ${booking.id}\` shows it. Without a key, the same content counts as the same order for 24 hours, and while it is unknown`,
    );
  }
  if (!hasSameInput(booking, operation.command, order)) {
    const words = receiverWords(receiverIn(booking.request));
    // Keys may be one without being written alike.
    const spelled =
      booking.key === null || booking.key === key
        ? ''
        : `. It was booked as ${JSON.stringify(booking.key)}, and keys that look the same are one key`;
    throw refuse(
      `the key ${JSON.stringify(key)} was booked with other input at ${when}${words && ` for ${words}`} (${booking.id}, ${booking.state})${spelled}; nothing was sent. \`waybill history show ${booking.id}\` shows it. A key names one order`,
    );
  }
  await out.note(
    isInputKnown(booking)
      ? `booked before, at ${when}, as ${booking.id}: this is the recorded answer; nothing was sent`
      : `booked before, on another machine, as ${booking.id} here: this is the recorded answer; nothing was sent. The booking was imported from a results file, which does not hold the input, so the input cannot be compared`,
  );
  return { booking, sent: false, failure: failureOf(booking, targetFlags) };
}

/** Sends what was claimed, and records its outcome. Gives the obstacle if the order was booked in the meantime. */
async function send(claimed: Booking, order: Order, means: Means): Promise<Placed | Obstacle> {
  const { journal, service, caller, targetFlags } = means;
  const { operation, body, bounds } = order;
  const { id } = claimed;
  // step: claim committed
  let exchange: Exchange;
  try {
    exchange = await service.send(operation, {
      text: body.text,
      booking: { id, key: claimed.key ?? order.orderKey ?? null },
      fence: () => journal.fence(id),
    });
  } catch (thrown) {
    await journal.recordOutcome(id, notSent(thrown));
    if (!(thrown instanceof ClaimLost)) throw thrown;
    const obstacle = await obstacleTo(order, means);
    if (obstacle) return obstacle;
    throw new Failure(
      'unavailable',
      `${typedName(operation)}: nothing was sent: while this process waited, booking ${id} was resolved or counted as lost. \`waybill history show ${id}\` shows it`,
      { operation: operation.command, booking: id },
    );
  }
  const outcome = readOutcome(operation, body, exchange);
  // step: answer complete
  const recorded = recordedOf(outcome, bounds);
  const booking: Booking = { ...claimed, ...recorded };
  const { answer: text, body: received, content, moved } = outcome;
  keepAnswer(booking, { text, body: received, content, moved });
  const failure = failureOf(booking, targetFlags);
  caller.answered?.(failure?.code);
  try {
    const late = await journal.recordOutcome(id, recorded);
    // step: outcome committed
    if (late === undefined) return { booking, sent: true, failure };
    return { booking: late.booking, sent: true, late, failure: failureOf(late.booking, targetFlags) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { booking, sent: true, isUnrecorded: true, failure: unrecordedFailure(booking, error) };
  }
}

function recordedOf(outcome: Outcome, bounds: Bounds | undefined): RecordedOutcome {
  const { state, httpStatus, answer, ids, labels, content } = outcome;
  const { code, why } = outcome.state === 'created' ? { code: null, why: '' } : outcome;
  const maxPrice = bounds?.maxPrice;
  const mayCost = isMade(outcome) || state === 'unknown';
  const overPrice = maxPrice && mayCost ? isAbove(content, maxPrice) : null;
  return { state, code, why, httpStatus, answer, ids, labels, overPrice };
}

const notSent = (error: unknown): RecordedOutcome => ({
  ...NO_RESPONSE,
  state: 'not_sent',
  code: error instanceof Failure ? error.code : 'unavailable',
  why: messageOf(error),
});

/** Says what a person should know of the answer, and tells programs. */
async function ended(placed: Placed, order: Order, means: Means): Promise<Placed> {
  means.caller.placed(
    placed,
    (order.labels ?? []).map(({ shipment }) => shipment),
  );
  if (placed.sent) await warnOfAnswer(placed, order, means.out);
  return placed;
}
