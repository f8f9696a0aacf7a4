// The labels of an answer: read, kept as files, and told of when something failed.

import { bookedFrom, waitWhilePending } from '../booking/book.ts';
import { failureOf } from '../booking/failure.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import { LEGS, type Leg } from '../contract/operation.ts';
import { OPERATIONS, type Operation, operationNamed } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Intent, Journal, Label } from '../journal/journal.ts';
import { attempt, type BookingOptions, failureFor, labelCommand, orderFor } from '../orders/book-once.ts';
import type { LabelFileOptions } from '../orders/shipment-flags.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { type LegLabels, printLabels, type Saved, saveLabels } from './save.ts';

/** What became of labels as files. */
interface Kept {
  saved: Saved;
  /** What could not be saved, a sentence each. */
  problems: readonly string[];
  failure?: Failure | undefined;
}

export interface LabelOrder {
  shipments: Intent['labels'];
  options: BookingOptions;
  /** Fields that the service document does not name, which the user wants sent all the same. */
  unknown?: Record<string, unknown>;
  /** What a person is asked to say yes to; `undefined` where that was asked before. */
  summary: string | undefined;
}

/**
 * Makes the labels of shipments, each of them once: one that the journal knows is shown again, and only those that are
 * missing are asked for. Throws where none was made; else what failed is in the failure.
 */
export async function makeLabels(
  session: Session,
  { shipments, options, summary, unknown = {} }: LabelOrder,
): Promise<LegLabels & { body: unknown; failure?: Failure }> {
  const operation = OPERATIONS.createLabels;
  const journal = await session.journal(options.newJournal);
  const known = options.allowDuplicate ? [] : await recordedLabels(session, journal, shipments);
  const missing = shipments.filter(({ leg }) => !known.some(one => one.leg === leg));
  const before = {
    labels: Object.fromEntries(known.map(({ leg, label }) => [leg, label])),
    bookings: Object.fromEntries(known.map(({ leg, booking }) => [leg, booking])),
    body: { success: true, ...Object.fromEntries(known.map(({ leg, answer }) => [leg, answer])) },
  };
  if (missing.length === 0) return before;
  const body = {
    ...unknown,
    ...Object.fromEntries(missing.map(({ leg, shipment }) => [leg, shipment])),
  };
  const order = orderFor(
    session,
    operation,
    fingerprint(body),
    {
      allowDuplicate: options.allowDuplicate ?? false,
      ...(options.source !== undefined && { source: options.source }),
    },
    missing,
  );
  const result = await attempt(session, order, body, summary);
  // Somebody labelled one of them in the meantime.
  if (result.kind !== 'booked') return makeLabels(session, { shipments, options, summary, unknown });
  const { id, outcome } = result;
  const failure = failureFor(session, order, result);
  if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
  const made = Object.keys(outcome.labels) as Leg[];
  return {
    labels: { ...before.labels, ...outcome.labels },
    bookings: { ...before.bookings, ...Object.fromEntries(made.map(leg => [leg, id])) },
    body: known.length === 0 ? outcome.body : { ...before.body, ...(outcome.body as object) },
    ...(failure && { failure }),
  };
}

interface KnownLabel {
  leg: Leg;
  label: Label;
  booking: string;
  /** As the service told it. */
  answer: unknown;
}

/** The labels that the journal knows. Throws `outcome_unknown` where one may have been made. */
async function recordedLabels(
  session: Session,
  journal: Journal,
  shipments: LabelOrder['shipments'],
): Promise<KnownLabel[]> {
  const known: KnownLabel[] = [];
  for (const { leg, shipment } of shipments) {
    const record = await waitWhilePending(
      () => journal.bookingOfLabel(session.scope(), shipment),
      found => found?.booking,
      session.host,
    );
    if (record === undefined) continue;
    const { booking } = record;
    const maker = operationNamed(booking.operation);
    const made = bookedFrom(maker, booking);
    const { outcome } = made;
    if (outcome.state === 'unknown') throw failureOf(maker, made, []);
    const label = outcome.labels[record.leg] ?? { made: true };
    const answer = getAt(outcome.body, maker.made.labels[record.leg]?.at ?? '') ?? {
      success: true,
      trackingNumber: label.trackingNumber,
      label: label.link,
    };
    await session.printer.note(
      `the label of ${shipment} was made before, at ${new Date(booking.at).toISOString()} (${booking.id}): it is shown again, and not made again`,
    );
    known.push({ leg, label, booking: booking.id, answer });
  }
  return known;
}

/** Saves labels where a folder is given. */
export const keepLabels = async (
  session: Session,
  folder: string | undefined,
  made: LegLabels,
  nameOf: (leg: Leg) => string,
): Promise<Kept> =>
  folder === undefined ? { saved: {}, problems: [] } : saveLabels(session, folder, made, nameOf);

/** After the answer was shown: prints what was saved, then tells at once all that failed. */
export async function finishLabels(
  session: Session,
  operation: Operation,
  options: LabelFileOptions,
  kept: Kept,
): Promise<void> {
  const failure = await printedLabels(session, operation, options, kept);
  const { interrupted } = session.host;
  if (failure?.code === 'partial' && interrupted.aborted) {
    const { message, exitCode } = interruption(interrupted, failure.message);
    throw new Failure('interrupted', message, { ...failure.facts, exitCode });
  }
  if (failure) throw failure;
}

/** Prints what was saved; gives all that failed as one failure. */
export async function printedLabels(
  session: Session,
  { command }: Operation,
  options: LabelFileOptions,
  { saved, problems, failure }: Kept,
): Promise<Failure | undefined> {
  const unprinted = options.print ? await printLabels(session, Object.values(saved)) : [];
  const told = [...(failure ? [failure.message] : []), ...problems, ...unprinted];
  if (told.length === 0) return undefined;
  const message = `${failure ? '' : `${command}: `}${told.join('. ')}`;
  return new Failure(failure?.code ?? 'partial', message, { operation: command, ...failure?.facts });
}

/** The label of a shipment that was just created. Whatever fails, the shipment exists, so that nothing is thrown. */
export async function labelAfter(
  session: Session,
  id: string,
  folder: string | undefined,
  { source: _, ...options }: BookingOptions,
): Promise<Kept & LegLabels & { body?: unknown }> {
  try {
    const made = await makeLabels(session, {
      shipments: [{ leg: 'international', shipment: id }],
      // Another shipment of the same goods is one thing, another label of one shipment is not meant by it.
      options: { ...options, allowDuplicate: false },
      summary: undefined,
    });
    const kept = await keepLabels(session, folder, made, () => options.key ?? id);
    return { ...made, ...kept, failure: made.failure };
  } catch (error) {
    const failure = unlabelled(session, id, error);
    return { labels: {}, bookings: {}, saved: {}, problems: [], failure };
  }
}

// An exit code that says more than that the label is not there.
const TELLING: readonly FailureCode[] = ['outcome_unknown', 'interrupted'];

function unlabelled(session: Session, id: string, error: unknown): Failure {
  const { code, facts } = error instanceof Failure ? error : { code: 'partial' as const, facts: {} };
  return new Failure(
    TELLING.includes(code) ? code : 'partial',
    code === 'outcome_unknown'
      ? `ship: the shipment ${id} was created; do not book it again. Whether it has a label is unknown: ${messageOf(error)}. \`waybill track ${shellWord(id)}\` shows its tracking number, if it has one. Once that is settled: ${labelCommand(session, { international: id })}`
      : `ship: the shipment ${id} was created, but there is no label of it to show: ${messageOf(error)}. Do not book the shipment again. To make the label: ${labelCommand(session, { international: id })}`,
    { ...facts, operation: 'ship' },
  );
}

interface LegLabel {
  leg: Leg;
  carrier: string | undefined;
  trackingNumber: string | undefined;
  /** The file that it was saved as, else its link. */
  where: string | undefined;
}

/** The labels of an answer of `label`, or of the legs of `ship-dual`. */
export function labelsIn(body: unknown, saved: Saved): LegLabel[] {
  return LEGS.flatMap(leg => {
    const found = getAt(body, [leg, 'label']);
    const label = typeof found === 'object' ? found : getAt(body, [leg]);
    if (label === undefined) return [];
    return {
      leg,
      carrier: textAt(label, ['carrier']),
      trackingNumber: textAt(label, ['trackingNumber']),
      where: saved[leg] ?? textAt(label, ['label']) ?? textAt(label, ['labelPdf']),
    };
  });
}
