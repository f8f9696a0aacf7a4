// Makes labels, each of them once.

import { answerOf } from '../booking/answer.ts';
import {
  type Booking,
  type Intent,
  isMade,
  type LegShipment,
  labelledIds,
  shipmentsIn,
} from '../booking/booking.ts';
import { needsAcceptance } from '../booking/standing.ts';
import { LEGS, type Leg, OPERATIONS, operationNamed } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import { Failure, type FailureFacts, innerOf } from '../errors.ts';
import { FAILURES, type FailureCode } from '../exit-codes.ts';
import { Json } from '../json.ts';
import { fingerprint } from '../order/build.ts';
import type { Desk } from '../order/desk.ts';
import { bookingFailure, timedFailure } from '../order/failure.ts';
import { targetFlags } from '../order/options.ts';
import type { Order, Placed } from '../order/order.ts';
import { LabelHeld, place } from '../order/place.ts';
import { labelCommand } from '../say/booked.ts';
import { operandWords } from '../text.ts';
import { type LabelOutput, type LegLabels, type SavedLabels, saveLabels } from './save.ts';

/** The labels to make. A request for labels has no key of its own: its shipments have keys. */
export interface LabelRequest extends Pick<Order, 'allowDuplicate' | 'isAgreed' | 'record'> {
  shipments: Intent['labels'];
  /** Fields that the service document does not name, and that the user wants to send. */
  unknown?: Record<string, unknown>;
}

export interface MadeLabels extends LegLabels {
  /** The legs whose labels were made now. */
  fresh: readonly Leg[];
  /** Labels that were made before, and are shown again. */
  earlier: readonly EarlierLabel[];
  /** What the command prints: the answer of the service; for labels that were made at several times, a body in the form of an answer. */
  body: unknown;
}

interface EarlierLabel {
  shipment: string;
  /** The booking that made the label. */
  booking: Booking;
}

/** Labels that the journal knows are shown again; the others are requested. Throws if none was made. */
export async function makeLabels(request: LabelRequest, desk: Desk): Promise<MadeLabels> {
  const { shipments, unknown, ...more } = request;
  const ids = Object.fromEntries(shipments.map(({ leg, shipment }) => [leg, shipment]));
  for (;;) {
    const keys = await refuseCancelled(shipments, desk);
    const known = request.allowDuplicate
      ? NONE_KNOWN
      : await recordedLabels(shipments, keys, desk, { onUnknown: failure => tellUnsent(failure, desk) });
    const missing = shipments.filter(({ leg }) => known.labels[leg] === undefined);
    if (missing.length === 0) return { ...known, fresh: [], ids, body: known.content };
    await refuseUnaccepted(missing, desk);
    const body = {
      ...unknown,
      ...Object.fromEntries(missing.map(({ leg, shipment }) => [leg, shipment])),
    };
    const order: Order = {
      ...more,
      operation: OPERATIONS.createLabels,
      fingerprint: fingerprint(body),
      body: new Json(body),
      labels: missing,
      orderKey: missing[0] && keys.get(missing[0].leg),
    };
    const placed = await place(order, desk).catch((error: unknown) => {
      // Another process makes one of these labels: the journal is asked again.
      if (error instanceof LabelHeld) return undefined;
      throw error;
    });
    if (placed === undefined) continue;
    const { booking, failure } = placed;
    if (!isMade(booking)) throw failure;
    const answer = answerOf(booking);
    const fresh = LEGS.filter(leg => booking.labels[leg]?.made);
    const content =
      missing.length === shipments.length
        ? answer.content
        : { ...known.content, ...(answer.content as object) };
    return {
      fresh,
      earlier: known.earlier,
      ids,
      labels: { ...known.labels, ...booking.labels },
      bookings: { ...known.bookings, ...Object.fromEntries(fresh.map(leg => [leg, booking.id])) },
      content,
      body: missing.length === shipments.length ? answer.body : content,
      failure,
    };
  }
}

/** Notes that the label was requested before and may exist, and throws its failure: the label is not requested again. */
async function tellUnsent(label: Unknown, desk: Desk): Promise<never> {
  const { id, at } = label.booking;
  const shipments = Object.values(labelledIds(label.booking));
  await desk.printer.note({
    kind: 'label-sent-before',
    shipments,
    booking: id,
    at: new Date(at).toISOString(),
  });
  throw label.failure;
}

/**
 * Throws `duplicate` if an order was cancelled: its label must not get onto a parcel, also if the label was made before. Gives, by leg, the
 * keys of the orders that the journal knows.
 */
async function refuseCancelled(shipments: Intent['labels'], desk: Desk): Promise<Map<Leg, string | null>> {
  const keys = new Map<Leg, string | null>();
  for (const shipment of shipments) {
    const booking = await desk.journal.bookingOf(desk.scope(), shipment);
    if (booking?.state === 'cancelled') throw bookingFailure(booking, targetFlags(desk));
    if (booking) keys.set(shipment.leg, booking.key);
  }
  return keys;
}

/** Throws `over_price` for a shipment whose price nobody accepted: a label costs money, too, and makes it harder to cancel the shipment. */
async function refuseUnaccepted(shipments: Intent['labels'], desk: Desk): Promise<void> {
  for (const shipment of shipments) {
    const booking = await desk.journal.bookingOf(desk.scope(), shipment);
    if (booking === undefined || !needsAcceptance(booking)) continue;
    const failure = bookingFailure(booking, targetFlags(desk));
    if (failure === undefined) continue;
    throw new Failure(
      'over_price',
      { kind: 'label-not-made', shipment: shipment.shipment, because: innerOf(failure) },
      { ...failure.facts, operation: 'label', created: false },
    );
  }
}

/**
 * What the journal knows of the labels, in the words of a dry run. Waits for no other process, and sends nothing. `refuse` throws why the
 * labels would not be made: `outcome_unknown`, `over_price`, `duplicate` for a cancelled order.
 */
export async function labelState(shipments: Intent['labels'], desk: Desk) {
  const records = await Promise.all(
    shipments.map(async shipment => ({ shipment, booking: (await labelRecord(shipment, desk))?.booking })),
  );
  const withState = (state: Booking['state']) =>
    records.find(({ booking }) => booking?.state === state)?.booking;
  const [unknown, pending] = [withState('unknown'), withState('pending')];
  const missing = records.flatMap(({ shipment, booking }) => (booking ? [] : shipment));
  const deciding = unknown ?? pending ?? (missing.length === 0 ? records[0]?.booking : undefined);
  const state = unknown ? 'unknown' : pending ? 'pending' : deciding ? 'booked' : 'new';
  return {
    journal: { state, booking: deciding?.id ?? null } as const,
    async refuse() {
      await refuseCancelled(shipments, desk);
      if (unknown) throw await timedFailure(unknown, desk);
      await refuseUnaccepted(missing, desk);
    },
  };
}

const labelRecord = (shipment: LegShipment, desk: Desk) =>
  desk.journal.bookingOfLabel(desk.scope(), shipment);

/** The labels of the shipments, if each shipment has one; else `undefined`. Throws as `makeLabels` does, and sends nothing. */
export async function knownLabels(
  shipments: Intent['labels'],
  desk: Desk,
): Promise<LegLabels['labels'] | undefined> {
  const keys = await refuseCancelled(shipments, desk);
  const { labels } = await recordedLabels(shipments, keys, desk);
  const missing = shipments.filter(({ leg }) => labels[leg] === undefined);
  await refuseUnaccepted(missing, desk);
  return missing.length === 0 ? labels : undefined;
}

type KnownLabels = Pick<LegLabels, 'labels' | 'bookings'> &
  Pick<MadeLabels, 'earlier'> & { content: Record<string, unknown> };

/** A label of which nobody knows whether it exists. */
interface Unknown {
  failure: Failure | undefined;
  booking: Booking;
}

const NONE_KNOWN: KnownLabels = { labels: {}, bookings: {}, earlier: [], content: { success: true } };

/** Says which labels are shown again, in one line for many. */
export async function noteEarlier(earlier: readonly EarlierLabel[], desk: Desk): Promise<void> {
  const [first] = earlier;
  if (first === undefined) return;
  await desk.service.noteOrigin();
  const { at, id } = first.booking;
  await desk.printer.note(
    earlier.length === 1
      ? { kind: 'label-made-before', shipment: first.shipment, at, booking: id }
      : { kind: 'labels-made-before', shipments: earlier.map(({ shipment }) => shipment) },
  );
}

/**
 * The labels that the journal knows, in the form of an answer. `onUnknown` gets each label that may have been made: by default it throws
 * `outcome_unknown`. `pair`: a booking of which the caller of the desk knows already.
 */
async function recordedLabels(
  shipments: Intent['labels'],
  keys: ReadonlyMap<Leg, string | null>,
  desk: Desk,
  options: { pair?: Booking; onUnknown?(unknown: Unknown): void | Promise<void> } = {},
): Promise<KnownLabels> {
  const {
    pair,
    onUnknown = ({ failure }) => {
      throw failure;
    },
  } = options;
  const { caller } = desk;
  const labels: LegLabels['labels'] = {};
  const bookings: LegLabels['bookings'] = {};
  const earlier: EarlierLabel[] = [];
  const content: Record<string, unknown> = { success: true };
  for (const { leg, shipment } of shipments) {
    const record = await caller.wait(
      () => labelRecord({ leg, shipment }, desk),
      label => label?.booking,
      true,
    );
    if (record === undefined) continue;
    const { booking } = record;
    if (booking.id !== pair?.id)
      caller.placed({ booking, sent: false }, { shipments: [shipment], key: keys.get(leg) ?? null });
    if (booking.state === 'unknown') {
      await onUnknown({ failure: await timedFailure(booking, desk), booking });
      continue;
    }
    const label = booking.labels[leg] ?? { made: true };
    labels[leg] = label;
    bookings[leg] = booking.id;
    earlier.push({ shipment, booking });
    const { made } = operationNamed(booking.operation);
    content[leg] = getAt(answerOf(booking).content, made.labels[leg]?.at ?? '') ?? {
      success: true,
      trackingNumber: label.trackingNumber,
      label: label.link,
    };
  }
  return { labels, bookings, earlier, content };
}

/**
 * The labels of a pair of shipments that was booked before, whichever bookings made the labels. The answer to the pair may lack the newest
 * label, which is printed. `asked`: the legs that should have a label. If a leg lacks its label, this is the failure.
 */
export async function labelsOfPair(
  placed: Pick<Placed, 'booking' | 'failure'>,
  asked: readonly Leg[],
  desk: Desk,
): Promise<LegLabels & { body: unknown }> {
  const { booking: pair, failure } = placed;
  const { id, ids, key } = pair;
  const answer = answerOf(pair);
  const shipments = asked.flatMap(leg => shipmentsIn(ids).filter(shipment => shipment.leg === leg));
  let unknown: Failure | undefined;
  const known = await recordedLabels(shipments, new Map(asked.map(leg => [leg, key])), desk, {
    pair,
    onUnknown({ failure }) {
      unknown ??= failure;
    },
  });
  const { labels, bookings } = known;
  const since = Object.fromEntries(
    asked.flatMap(leg => (labels[leg] && bookings[leg] !== id ? [[leg, known.content[leg]]] : [])),
  );
  const missing = Object.fromEntries(
    shipments.flatMap(({ leg, shipment }) => (labels[leg] ? [] : [[leg, shipment]])),
  );
  const content = withMadeLabels(answer.content, since);
  const isWhole = LEGS.every(leg => ids[leg] !== undefined && (labels[leg] || !asked.includes(leg)));
  // The journal has the pair as `partial`, but the missing label was made since then.
  const remaining = failure?.code === 'partial' && isWhole ? undefined : failure;
  const isFirst = remaining === undefined || remaining.code === 'partial';
  return {
    content,
    body: Object.keys(since).length === 0 ? answer.body : content,
    ids,
    labels,
    bookings,
    failure:
      unknown && isFirst
        ? new Failure(
            'outcome_unknown',
            { kind: 'pair-labels-unknown', shipments: Object.values(ids), why: innerOf(unknown) },
            ofPair(pair, unknown.facts),
          )
        : (remaining ?? lackingLabels(pair, missing, targetFlags(desk))),
  };
}

/** The answer to a pair, completed with the labels that other bookings made. */
const withMadeLabels = (content: unknown, labels: Partial<Record<Leg, unknown>>): unknown => ({
  ...(content as object),
  ...Object.fromEntries(
    Object.entries(labels).map(([leg, label]) => [leg, { ...(getAt(content, [leg]) as object), label }]),
  ),
});

/** The failure of a pair that exists, but lacks labels that were requested; `undefined` if no label is missing. */
export function lackingLabels(
  pair: Booking,
  missing: Partial<Record<Leg, string>>,
  flags: readonly string[],
): Failure | undefined {
  const legs = Object.keys(missing);
  if (legs.length === 0) return undefined;
  const make = labelCommand(missing, flags);
  return new Failure(
    'partial',
    { kind: 'pair-without-labels', shipments: Object.values(pair.ids), legs, make },
    ofPair(pair, { retry: 'never' }),
  );
}

const ofPair = (booking: Booking, facts: FailureFacts): FailureFacts => ({
  booking: booking.id,
  ...facts,
  operation: 'ship-dual',
  created: true,
});

// The label of one shipment, which was created now or before. A failure is returned, not thrown: the shipment exists.

const shipmentOf = (id: string) => [{ leg: 'international', shipment: id }] as const;

/** Makes and saves the label of a shipment. `key`: the key of the shipment, for the name of the file. */
export async function labelAfter(
  id: string,
  files: LabelOutput | undefined,
  key: string | undefined,
  desk: Desk,
): Promise<SavedLabels & Partial<MadeLabels>> {
  try {
    // The person agreed to the shipment and its label together. `--allow-duplicate` allows a second shipment, not a second label.
    const made = await makeLabels({ shipments: shipmentOf(id), isAgreed: true }, desk);
    await noteEarlier(made.earlier, desk);
    return await saveLabels(files, made, key, desk);
  } catch (error) {
    const failure = unlabelled(desk, id, key, error);
    return {
      content: undefined,
      ids: {},
      labels: {},
      bookings: {},
      saved: {},
      problems: [],
      pages: { name: key ?? id, files: [], failed: true },
      failure,
    };
  }
}

/** The label of a shipment that was created before; `undefined` if none was requested yet. Sends nothing. */
export async function labelBefore(
  booking: Booking,
  desk: Desk,
): Promise<Pick<SavedLabels, 'labels' | 'failure'> | undefined> {
  const shipment = booking.ids.shipment ?? '';
  try {
    const labels = await knownLabels(shipmentOf(shipment), desk);
    return labels && { labels };
  } catch (error) {
    return { labels: {}, failure: unlabelled(desk, shipment, booking.key, error) };
  }
}

// Failures with these codes keep their code: it says more than `partial`, that the label is missing.
const KEPT_CODES: readonly FailureCode[] = ['outcome_unknown', 'interrupted'];

/** `key`: the key of the shipment. With a key, the same command makes the label alone; without one it would book the shipment again. */
function unlabelled(desk: Desk, id: string, key: string | null | undefined, error: unknown): Failure {
  const { code, facts }: Pick<Failure, 'code' | 'facts'> =
    error instanceof Failure ? error : { code: 'partial', facts: {} };
  const flags = targetFlags(desk);
  const make = labelCommand({ international: id }, flags);
  const track = ['waybill', 'track', ...flags, ...operandWords([id])];
  const isUnknown = code === 'outcome_unknown';
  const why = innerOf(error);
  return new Failure(
    KEPT_CODES.includes(code) ? code : 'partial',
    isUnknown
      ? { kind: 'label-of-shipment-unknown', shipment: id, why, track, make }
      : { kind: 'shipment-without-label', shipment: id, why, make },
    {
      ...facts,
      ...(error instanceof Failure && { hints: error.hints }),
      operation: 'ship',
      created: true,
      retry: key && FAILURES[code].retry === 'later' ? 'later' : 'never',
      next: isUnknown ? [...(facts.next ?? []), track] : [make],
    },
    { cause: error },
  );
}
