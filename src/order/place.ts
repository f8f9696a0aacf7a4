// The only way to book. A command, a record of a batch and a label after a shipment are orders that are placed here; they
// differ in their caller only. Why nothing is booked twice:
// - Before anything is asked or sent, the journal is searched for the order: by its key, or without a key by the same input
//   within the last day. If the order is found, the recorded answer is the result.
// - The claim is on disk before the first byte is sent, and an index of the journal gives the claim to one process only.
// - When the first byte is sent, the journal is asked again: an order that was settled or lost in the meantime is not sent.
// - The answer is on disk before it is shown. If it is not conclusive, the outcome is unknown, and nothing is sent again by itself.

import { excerptOf, keepAnswer } from '../booking/answer.ts';
import {
  type Booking,
  countedPrice,
  hasSameInput,
  type Intent,
  isInputKnown,
  isMade,
  NO_RESPONSE,
  type Outcome,
  unlabelledLegs,
} from '../booking/booking.ts';
import { type Amended, ClaimLost, type Obstacle } from '../booking/questions.ts';
import { needsAcceptance } from '../booking/standing.ts';
import { mangledKeyFault } from '../contract/key.ts';
import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { leavesOf } from '../output/text.ts';
import type { Limits } from '../profile/settings.ts';
import { type FieldChange, sameContentWords } from '../say/booked.ts';
import type { Notice } from '../say/notices.ts';
import { personWords } from '../say/person.ts';
import { type OutcomeReason, outcomeReasonText } from '../say/service.ts';
import { partyWords } from '../say/words.ts';
import { readOutcome } from '../service/outcome.ts';
import type { Exchange } from '../service/response.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import { boundWords, chargedIn, isOverPrice, warnOfAnswer } from './answer.ts';
import { orderFingerprint } from './build.ts';
import { fillIn } from './carrier.ts';
import { refuseWarnings } from './check.ts';
import { bookingOrigin, type Desk } from './desk.ts';
import { bookedBefore, bookingFailure, heldFailure, timedFailure, unrecordedFailure } from './failure.ts';
import { dayIsOver, expectedPrice, hasPriceLimit, refuseBeyond, refuseUnnamed } from './limits.ts';
import { checkKey, targetFlags } from './options.ts';
import type { Order, Placed, PricedOrder } from './order.ts';

/**
 * Places an order. A failure with something to show is in the result. Throws `duplicate`, `usage`, what the caller throws, `storage` if the
 * claim cannot be written, and why the order cannot be sent: then nothing was sent. Throws `LabelHeld` if another process labels a shipment
 * of the order.
 */
export async function place(order: Order, desk: Desk): Promise<Placed> {
  let last: Order | PricedOrder = order;
  let next: Placing<PricedOrder> = await prepare(order, desk, true);
  while ('order' in next) {
    last = next.order;
    next = await claimAndSend(next.order, desk);
  }
  const { placed } = next;
  const shipments = (order.labels ?? []).map(({ shipment }) => shipment);
  desk.caller.placed(placed, { shipments, key: order.orderKey ?? null });
  await warnOfAnswer(placed, last, desk);
  return placed;
}

/** What became of an order: it is placed, or it goes on to the next step. */
type Placing<O extends Order> = { placed: Placed } | { order: O };

/** Claims an order; sends it if the claim succeeds. */
async function claimAndSend(order: PricedOrder, desk: Desk): Promise<Placing<PricedOrder>> {
  const { journal, caller, printer } = desk;
  // A person may have lowered a limit since the order was agreed to.
  const limits = desk.limits();
  await refuseBeyond(order, limits, desk);
  const intent = intentOf(order, limits, desk);
  const stop = caller.stopped(false);
  if (stop) throw stop;
  const claim = await caller.wait(
    () => journal.claim(intent),
    claimed => (claimed.kind === 'claimed' ? undefined : claimed.booking),
    // An order of labels waits: its shipment is booked already.
    order.labels !== undefined,
  );
  if (claim.kind === 'limit') throw dayIsOver(order.operation, claim, desk);
  // Another process may have booked the order first. The person has said yes by now, and is not asked again.
  if (claim.kind !== 'claimed') return answerTo(claim, order, desk);
  // A twin is the same order under another key, booked since the key was looked up.
  const { twin } = claim;
  if (twin && twin.id !== order.toldTwin)
    await printer.warn(otherKeyNotice(twin, targetFlags(desk), true), { always: true });
  return send(claim.booking, order, desk);
}

/**
 * Brings an order up to its claim. The result is what the journal knows of the order; or else the order, completed and agreed to. Throws as
 * `place` does; sends nothing but the request for proposals. `isBooked`: will the order be booked after this?
 */
export async function prepare(order: Order, desk: Desk, isBooked: boolean): Promise<Placing<PricedOrder>> {
  const { journal, caller, printer } = desk;
  const { operation } = order;
  const limits = desk.limits();
  // When a batch is read, the keys of all its records are looked up, and warnings are refused: not again here.
  const isOfBatch = order.record !== undefined;
  const isNewKey = order.key !== undefined && !isOfBatch;
  refuseUnnamed(order, limits);
  const isLimited = hasPriceLimit(limits, operation);
  // An answer that is recorded is shown before anything is asked or refused. If there is nothing to ask or refuse, the claim itself finds
  // the obstacle.
  const isLookedUp =
    isNewKey ||
    isLimited ||
    order.needsProposal ||
    order.held !== undefined ||
    caller.mustAgree ||
    printer.warnings.length > 0;
  const obstacle = isLookedUp ? await findObstacle(order, desk) : undefined;
  const met = obstacle ? await answerTo(obstacle, order, desk) : { order };
  if ('placed' in met) return met;
  if (order.held) throw heldFailure(order, order.held);
  const toldTwin = isNewKey ? await checkNewKey(met.order, desk, isBooked) : undefined;
  // The warnings of an operation without keys were refused when its request was built.
  if (operation.keySpace !== null && !isOfBatch) refuseWarnings(printer, operation);
  await caller.requireReady(operation);
  const isAsked = order.needsProposal || (isLimited && operation === OPERATIONS.createShipment);
  const priced: PricedOrder = {
    ...(isAsked ? await fillIn(met.order, desk) : { ...met.order, proposed: undefined }),
    toldTwin,
  };
  // The claim decides about the limit of the day, as it is at that moment. This check only saves a person a useless question.
  const room = caller.mustAgree ? { journal, intent: intentOf(priced, limits, desk) } : undefined;
  await refuseBeyond(priced, limits, desk, room);
  if (!order.isAgreed) await caller.agrees(priced);
  return { order: priced };
}

/** The booking that stands in the way of an order. Waits while another process sends that booking. Writes and sends nothing. */
export const findObstacle = (order: Order, desk: Desk): Promise<Obstacle | undefined> => {
  const intent = intentOf(order, desk.limits(), desk);
  return desk.caller.wait(
    () => desk.journal.obstacle(intent),
    obstacle => obstacle?.booking,
    order.labels !== undefined,
  );
};

/** What the journal records before the order is sent. */
export function intentOf(order: Order | PricedOrder, limits: Limits, session: Session): Intent {
  const { operation, key, fingerprint, body, bounds, labels = [], record } = order;
  const price = expectedPrice(order);
  checkKey(key);
  return {
    ...bookingOrigin(session),
    operation: operation.command,
    keySpace: operation.keySpace ?? operation.command,
    key: key ?? null,
    orderNumber: record?.orderNumber ?? null,
    orderKey: order.orderKey,
    fingerprint,
    orderFingerprint: order.orderFingerprint ?? orderFingerprint(operation, body.value),
    source: record?.source ?? null,
    recordName: record?.name ?? null,
    request: body,
    maxPrice: bounds?.maxPrice ? boundWords(bounds.maxPrice) : null,
    rule: order.rule ?? null,
    choice: ('choice' in order && order.choice) || null,
    // As a number, because a text with three decimals is unclear.
    expected: price ? countedPrice(Number(price.amount), price.currency) : null,
    perDay: hasPriceLimit(limits, operation) ? limits.perDay : [],
    labels,
    allowDuplicate: order.allowDuplicate ?? false,
    refusesSameOrder: session.refusesSameOrder(),
    tellsSameOrder: isNamed(order) && record === undefined,
  };
}

/** Has the order a key of its own, and no permission to be a duplicate? Then the user is told of the same order under another key. */
const isNamed = (order: Order): boolean =>
  order.key !== undefined && !order.isKeyOfPlan && !order.allowDuplicate;

/** Another process is sending the booking at this moment, and this process does not wait for it. */
export class BookingInProgress extends Error {
  constructor() {
    super('another process is sending it at this moment');
  }
}

/** Another process is labelling a shipment of the order, or has labelled it since the journal was asked. */
export class LabelHeld extends Error {}

/**
 * What an obstacle means for an order: the recorded answer; or, if a person wants the same once more, another order. Throws `duplicate`.
 */
export async function answerTo<O extends Order>(
  obstacle: Obstacle,
  order: O,
  desk: Desk,
): Promise<Placing<O>> {
  const { kind, booking } = obstacle;
  const { service, caller, printer } = desk;
  const { operation, key } = order;
  const flags = targetFlags(desk);
  if (order.labels?.length) throw new LabelHeld();
  const before = { ...bookedBefore(booking), flags };
  const facts = { operation: operation.command, ...before };
  const refuse = (notice: Notice) =>
    new Failure('duplicate', notice, { operation: operation.command, booking: booking.id });
  if (kind === 'twin' && key !== undefined && !order.isKeyOfPlan) {
    const because =
      desk.refusesSameOrder() === 'while unknown'
        ? 'unknown'
        : desk.limits().refused.has('allowDuplicate')
          ? 'at-terminal'
          : 'strict';
    throw refuse({ kind: 'same-order-booked', ...facts, because });
  }
  if (kind === 'twin') {
    const isWanted = await caller.wantsAnother(sameContentWords(before));
    if (isWanted) return { order: { ...order, allowDuplicate: true } };
    const takesKey = !order.isKeyOfPlan && order.record === undefined && desk.refusesSameOrder() === false;
    throw refuse({ kind: 'same-content-booked', ...facts, isDeclined: isWanted === false, takesKey });
  }
  if (!hasSameInput(booking, operation.command, order))
    throw refuse({
      kind: 'key-has-other-order',
      ...facts,
      typed: key ?? '',
      receiver: partyWords(getAt(booking.request, ['receiver'])),
      differences: changesOf(booking, order.body.value)?.map(({ path }) => path),
    });
  if (booking.state === 'cancelled') throw bookingFailure(booking, flags);
  // `--label` was added to the plan of a pair that was booked without labels: the input is that of the plan all the same.
  const isWithout = booking.request !== null && unlabelledLegs(operation, booking.request, {}).length === 0;
  if (isWithout && isMade(booking) && unlabelledLegs(operation, order.body.value, booking.labels).length > 0)
    throw refuse({ kind: 'booked-without-labels', ...facts, ids: booking.ids });
  // A person may have said that the pair was created, while nothing is known of its labels.
  const lacking =
    booking.state === 'created' && !needsAcceptance(booking)
      ? unlabelledLegs(operation, booking.request, booking.labels)
      : [];
  await printer.note({
    kind: 'recorded-answer',
    ...before,
    isImported: !isInputKnown(booking),
    unlabelled: Object.fromEntries(lacking.map(leg => [leg, booking.ids[leg]])),
  });
  // A batch tells at its end where its answers come from.
  if (order.record === undefined) await service.noteOrigin();
  return { placed: { booking, sent: false, failure: await timedFailure(booking, desk) } };
}

/**
 * Sends what was claimed, and records the answer: nothing else calls an operation that books. What prevents the sending is recorded and
 * thrown; but if the claim was lost, the booking that has the order now is the result.
 */
async function send(claimed: Booking, order: PricedOrder, desk: Desk): Promise<Placing<PricedOrder>> {
  const { journal, service, caller } = desk;
  const { operation, body, bounds } = order;
  const { id } = claimed;
  // step: claim committed
  let isBegun = false;
  const mayBegin = () => isBegun || caller.stopped(true) === undefined;
  let exchange: Exchange;
  try {
    exchange = await service.call(operation, {
      text: body.text,
      booking: { id, key: claimed.key ?? order.orderKey ?? null },
      async fence() {
        if (!mayBegin()) throw caller.stopped(true);
        const isOurs = await journal.fence(id);
        return () => {
          isBegun = mayBegin();
          return isBegun && isOurs();
        };
      },
    });
  } catch (thrown) {
    await journal.recordOutcome(id, notSent(thrown));
    if (thrown instanceof ClaimLost) return afterLostClaim(id, order, desk);
    throw thrown;
  }
  const outcome = readOutcome(operation, body, exchange);
  // step: answer complete
  const { state, httpStatus, answer, ids, labels, content, moved } = outcome;
  const failed = outcome.state === 'created' ? undefined : outcome;
  const { code = null, refusal } = failed ?? {};
  const why = failed ? outcomeReasonWords(failed.why) : '';
  const maxPrice = bounds?.maxPrice;
  const mayCost = isMade(outcome) || state === 'unknown';
  const overPrice = maxPrice && mayCost ? isOverPrice(content, maxPrice) : null;
  const charged = mayCost ? chargedIn(content, maxPrice) : null;
  const recorded = { state, code, why, httpStatus, answer, ids, labels, overPrice, charged };
  const booking: Booking = { ...claimed, ...recorded };
  keepAnswer(booking, { text: answer, body: outcome.body, content, moved });
  let amended: Amended | undefined;
  try {
    amended = await journal.recordOutcome(id, {
      ...recorded,
      refusal: refusal && { ...refusal, why: outcomeReasonWords(refusal.why) },
      excerpt: excerptOf(booking),
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failure = unrecordedFailure(booking, error, targetFlags(desk));
    return { placed: { booking, sent: true, isUnrecorded: true, failure } };
  }
  // step: outcome committed
  const now = amended?.booking ?? booking;
  const failure = await timedFailure(now, desk);
  // Only a rejected order gets the advice to try again: any other order may exist.
  const advised = now.state === 'rejected' ? failure?.with(service.advice(operation, exchange)) : failure;
  return { placed: { ...amended, booking: now, sent: true, failure: advised } };
}

/** A reason, as the text that the journal keeps. */
const outcomeReasonWords = (reason: OutcomeReason): string => personWords(outcomeReasonText(reason));

/**
 * A claim was lost: while this process waited, a person settled it, or it counted as abandoned. The result is the booking that has the
 * order now. If there is none, a person said that the order does not exist: this process throws `unavailable`, and sends nothing.
 */
async function afterLostClaim(id: string, order: PricedOrder, desk: Desk): Promise<Placing<PricedOrder>> {
  const { operation } = order;
  const obstacle = await findObstacle(order, desk);
  if (obstacle) return answerTo(obstacle, order, desk);
  throw new Failure(
    'unavailable',
    {
      kind: 'settled-while-waiting',
      operation: operation.command,
      booking: id,
      flags: targetFlags(desk),
    },
    { operation: operation.command, booking: id },
  );
}

const notSent = (error: unknown): Outcome => ({
  ...NO_RESPONSE,
  state: 'not_sent',
  code: error instanceof Failure ? error.code : 'unavailable',
  why: messageOf(error),
});

/** The booking that has a key, looked up before the order is built. */
export const bookingOfKey = (operation: Operation, key: string, desk: Desk): Promise<Obstacle | undefined> =>
  findObstacle(onlyKey(operation, key), desk);

/** Refuses a key that is booked or damaged, before a person fills in a form for it. Throws `duplicate`, `usage`. */
export async function refuseBookedKey(operation: Operation, key: string, desk: Desk): Promise<void> {
  const obstacle = await bookingOfKey(operation, key, desk);
  if (obstacle) await answerTo(obstacle, onlyKey(operation, key), desk);
  else refuseMangled({ operation, key });
}

const onlyKey = (operation: Operation, key: string): Order => ({
  operation,
  key,
  fingerprint: '',
  body: new Json(null),
});

// Keys that nobody has booked, and orders that were booked under another key.

/**
 * Checks a key that nobody has booked. Throws `usage` if the key is damaged; warns if its order was booked under another key, and gives the
 * id of that booking. `isBooked`: will the order be booked after this?
 */
export async function checkNewKey(order: Order, desk: Desk, isBooked: boolean): Promise<string | undefined> {
  refuseMangled(order);
  if (!isNamed(order)) return undefined;
  const twin = await twinUnderOtherKey(order, desk);
  if (twin) await desk.printer.warn(otherKeyNotice(twin, targetFlags(desk), isBooked), { always: true });
  return twin?.id;
}

/** A booking of the same order under another key, if that is of the last day or may exist. */
export async function twinUnderOtherKey(order: Order, desk: Desk): Promise<Booking | undefined> {
  const intent = intentOf(order, desk.limits(), desk);
  return (await desk.journal.twins(desk.scope(), [intent])).get(intent);
}

/** The fields that a proposal fills in. */
const OF_PROPOSAL: readonly string[] = ['carrier.id', 'chargeableWeight'];

/**
 * The fields in which an order differs from the booking with the same key. Empty if the difference is not in a field; `undefined` if the
 * journal has no request any more.
 */
export function changesOf(booking: Pick<Booking, 'request'>, body: unknown): FieldChange[] | undefined {
  if (!isRecord(booking.request) || !isRecord(body)) return undefined;
  const [before, now] = [leavesOf(booking.request), leavesOf(body)];
  return [...new Set([...now.keys(), ...before.keys()])]
    .filter(path => before.get(path) !== now.get(path) && !OF_PROPOSAL.includes(path))
    .map(path => ({ path, before: before.get(path), now: now.get(path) }));
}

export function refuseMangled(order: Pick<Order, 'operation' | 'key'>): void {
  const { key } = order;
  const fault = key === undefined ? undefined : mangledKeyFault(key);
  if (key === undefined || fault === undefined) return;
  const { command } = order.operation;
  throw new Failure(
    'usage',
    { kind: 'key-mangled', operation: command, key, rule: fault },
    { operation: command },
  );
}

/** The notice of the same order under another key, its `twin`. `isBooked`: `false` if the order would only be booked, as in a dry run. */
export const otherKeyNotice = (twin: Booking, flags: readonly string[], isBooked: boolean): Notice => ({
  kind: 'same-order-other-key',
  ...bookedBefore(twin),
  flags,
  isBooked,
});
