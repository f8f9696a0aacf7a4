// Makes labels, each of them once.
import { bookedFrom, waitWhilePending } from '../booking/book.ts';
import { failureOf } from '../booking/failure.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import type { Leg } from '../contract/operation.ts';
import { OPERATIONS, operationNamed } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import { type Intent, isMade } from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import { Json } from '../json.ts';
import { attempt, bookingRequest, type Identity } from '../orders/book-once.ts';
import { bookingFailure } from '../orders/booking-failure.ts';
import { noteBooking } from '../orders/note-booking.ts';
import type { Session } from '../session/session.ts';
import type { LegLabels } from './save.ts';

export interface LabelRequest {
  shipments: Intent['labels'];
  /** The key is that of the shipments: labels have none. */
  identity: Omit<Identity, 'fingerprint'>;
  /** Fields that the service document does not name, and that the user wants to send. */
  unknown?: Record<string, unknown>;
  /** What a person confirms; `undefined` if it is confirmed already. */
  summary: (() => string) | undefined;
}

export interface MadeLabels extends LegLabels {
  /** What is printed: the answer of the service, or one in its form if they were made at several times. */
  body: unknown;
}

const asOne = (content: Record<string, unknown>) => ({ body: content, content });

/** Labels that the journal knows are shown again; the others are requested. Throws if none was made. */
export async function makeLabels(session: Session, request: LabelRequest): Promise<MadeLabels> {
  const { shipments, unknown, summary } = request;
  const { allowDuplicate, newJournal, source, recordName } = request.identity;
  const journal = await session.openJournal('book', { asNew: newJournal });
  const known = await recordedLabels(session, journal, shipments, allowDuplicate);
  const missing = shipments.filter(({ leg }) => known.labels[leg] === undefined);
  const ids = Object.fromEntries(shipments.map(({ leg, shipment }) => [leg, shipment]));
  if (missing.length === 0) return { ...known, ids, fresh: [], ...asOne(known.content) };
  const body = {
    ...unknown,
    ...Object.fromEntries(missing.map(({ leg, shipment }) => [leg, shipment])),
  };
  const booking = bookingRequest(
    session,
    OPERATIONS.createLabels,
    { fingerprint: fingerprint(body), allowDuplicate, source, recordName },
    { labels: missing },
  );
  booking.intent.orderKey = await orderKeyOf(session, journal, missing);
  const result = await attempt(session, booking, new Json(body), summary);
  // Another process made one of them in the meantime.
  if (result.kind !== 'booked') return makeLabels(session, request);
  const { id, outcome } = result;
  noteBooking(
    session,
    booking.operation,
    result,
    missing.map(({ shipment }) => shipment),
  );
  const failure = bookingFailure(session, booking, result);
  if (!isMade(outcome)) throw failure;
  const made = Object.keys(outcome.labels) as Leg[];
  return {
    ids,
    labels: { ...known.labels, ...outcome.labels },
    bookings: { ...known.bookings, ...Object.fromEntries(made.map(leg => [leg, id])) },
    fresh: result.sent ? made : [],
    ...(missing.length === shipments.length
      ? { body: outcome.body, content: outcome.content }
      : asOne({ ...known.content, ...(outcome.content as object) })),
    ...(failure && { failure }),
  };
}

/** The labels of shipments that all have one; `undefined` if one is missing. Throws as `makeLabels` does, and sends nothing. */
export async function knownLabels(
  session: Session,
  { shipments }: Pick<LabelRequest, 'shipments'>,
): Promise<LegLabels['labels'] | undefined> {
  const journal = await session.openJournal('look');
  if (journal === undefined) return undefined;
  const { labels } = await recordedLabels(session, journal, shipments, false);
  return shipments.every(({ leg }) => labels[leg]) ? labels : undefined;
}

/** Of what the journal knows, for the log. */
async function orderKeyOf(
  session: Session,
  journal: Journal,
  [first]: LabelRequest['shipments'],
): Promise<string | null | undefined> {
  if (session.events.logName === undefined || first === undefined) return undefined;
  return (await journal.bookingOf(session.scope(), first.shipment))?.booking.key;
}

/**
 * The labels that the journal knows, in the form of the service. Throws `outcome_unknown` if one may have been made.
 */
async function recordedLabels(
  session: Session,
  journal: Journal,
  shipments: LabelRequest['shipments'],
  allowDuplicate: boolean | undefined,
): Promise<Omit<LegLabels, 'ids' | 'fresh'> & { content: Record<string, unknown> }> {
  const labels: LegLabels['labels'] = {};
  const bookings: LegLabels['bookings'] = {};
  const content: Record<string, unknown> = { success: true };
  const { sleep, interrupted } = session.host;
  for (const { leg, shipment } of shipments) {
    if (allowDuplicate) continue;
    const record = await waitWhilePending(
      () => journal.bookingOfLabel(session.scope(), shipment),
      found => found?.booking,
      { sleep, interrupted, noteWait: session.noteWait },
    );
    if (record === undefined) continue;
    const { booking } = record;
    const maker = operationNamed(booking.operation);
    const made = bookedFrom(maker, booking);
    const { outcome } = made;
    noteBooking(session, maker, made, [shipment]);
    if (outcome.state === 'unknown') throw failureOf(maker, made);
    const label = outcome.labels[record.leg] ?? { made: true };
    labels[leg] = label;
    bookings[leg] = booking.id;
    content[leg] = getAt(outcome.content, maker.made.labels[record.leg]?.at ?? '') ?? {
      success: true,
      trackingNumber: label.trackingNumber,
      label: label.link,
    };
    await session.printer.note(
      `the label of ${shipment} was made before, at ${new Date(booking.at).toISOString()} (${booking.id}): it is shown again, and not made again`,
    );
  }
  return { labels, bookings, content };
}
