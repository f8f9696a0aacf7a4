// The bookings that the results of a batch report: the shipment of a line, and its label.

import { hash } from 'node:crypto';
import { bookingIdIn, type Line, unrecordedIn } from '../../batch/run/read-results.ts';
import { keyFault } from '../../contract/key.ts';
import { LEGS, type Leg, OPERATIONS, type Operation, operationNamed } from '../../contract/operations.ts';
import { getAt, isRecord, textAt } from '../../contract/paths.ts';
import { FAILURES } from '../../errors.ts';
import { bodyWithIds } from '../../journal/answer.ts';
import {
  type Booking,
  type BookingToImport,
  type BookingWithLabels,
  counted,
  type Ids,
  INPUT_UNKNOWN,
  type Label,
  NOT_LISTED,
  type Scope,
  type Settler,
} from '../../journal/booking.ts';
import { wordOf } from '../../journal/tables.ts';

/** What is the same for all lines of a file. */
export interface ImportContext {
  scope: Scope;
  profile: string | null;
  /** ms since 1970: when they are imported. */
  at: number;
  /** The file, for messages. */
  path: string;
  /** Who says what became of a booking that is unknown here. */
  settler: (isUnrecorded: boolean) => Settler;
}

const { createShipment, createDualShipment, createLabels } = OPERATIONS;

const EXIT_UNKNOWN = FAILURES.outcome_unknown.exit;
const EXIT_PARTIAL = FAILURES.partial.exit;

const given = (line: Line, name: string): string | undefined => {
  const value = line[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The bookings of a line; none if the line does not say enough, or has a key that no order can have. */
export function bookingsOf(key: string | undefined, line: Line, context: ImportContext): BookingToImport[] {
  if (key !== undefined && keyFault(key) !== undefined) return [];
  const shipments = shipmentsIn(line);
  const operation = operationNamed(line.operation);
  const label = labelBooking(operation, line, shipments, context);
  const shipment =
    operation === createLabels
      ? labelledShipment(key, line, shipments, context)
      : shipmentBooking(operation, key, line, shipments, context);
  const there = bookingIdIn(line);
  const isUnrecorded = unrecordedIn(line) !== undefined;
  const settler = context.settler(isUnrecorded);
  return [shipment, label].flatMap(one => one ?? []).map(one => ({ ...one, there, isUnrecorded, settler }));
}

const shipmentsIn = (line: Line): Partial<Record<Leg, string>> => {
  const [international, domestic] = [given(line, 'shipmentId'), given(line, 'domesticShipmentId')];
  return { ...(international && { international }), ...(domestic && { domestic }) };
};

type Shipments = ReturnType<typeof shipmentsIn>;

/** The results of labels have the keys of the shipments, which would else be free here, and booked again. */
function labelledShipment(
  key: string | undefined,
  line: Line,
  shipments: Shipments,
  context: ImportContext,
): BookingWithLabels | undefined {
  if (key === undefined || Object.keys(shipments).length === 0) return undefined;
  const operation = shipments.domestic === undefined ? createShipment : createDualShipment;
  const rest = { ...line, result: undefined };
  const found = shipmentBooking(operation, key, rest, shipments, context);
  return found && { ...found, booking: { ...found.booking, labels: {} } };
}

function shipmentBooking(
  operation: Operation,
  key: string | undefined,
  line: Line,
  shipments: Shipments,
  context: ImportContext,
): BookingWithLabels | undefined {
  const isPair = operation === createDualShipment;
  const { international, domestic } = shipments;
  const ids: Ids = isPair ? shipments : international === undefined ? {} : { shipment: international };
  const names = Object.values(ids);
  if (key === undefined && names.length === 0) return undefined;
  // A shipment with an id exists, even if its label failed.
  const isThere = isPair ? names.length > 0 : international !== undefined;
  const labels = isPair ? labelsIn(line, shipments, operation) : {};
  // What a journal could not record is `created` in its line, also without the label of a leg.
  const isUnlabelled = (leg: Leg) =>
    unrecordedIn(line) !== undefined && !labels[leg] && isRecord(getAt(line.result, `${leg}.label`));
  const isHalf =
    isPair &&
    (line.state === 'partial' ||
      (international === undefined) !== (domestic === undefined) ||
      LEGS.some(isUnlabelled));
  // The line of a key that was booked with other input names no shipment: the provider cancelled this one.
  const isCancelled = isThere && line.state === 'duplicate';
  const state = !isThere ? 'unknown' : isCancelled ? 'cancelled' : isHalf ? 'partial' : 'created';
  // A price above its bound that the line ends with 0 for, or of a part with 9, was accepted there.
  const isAccepted =
    overPriceIn(line) &&
    ((state === 'created' && line.exitCode === 0) || (state === 'partial' && line.exitCode === EXIT_PARTIAL));
  return {
    booking: {
      ...common(line, context, state),
      // It says what a cancelled one was before, too.
      ...(isThere && isHalf && { code: 'partial' }),
      id: idOf(context, [operation.keySpace, ...(key === undefined ? names : [key])]),
      operation: operation.command,
      keySpace: operation.keySpace ?? operation.command,
      key: key ?? null,
      ids,
      labels,
      overPrice: isThere ? overPriceIn(line) : null,
      // Of one that was booked here; when another one was booked is not known, so it is in no day's limit.
      charged: unrecordedIn(line) === undefined ? null : counted(line.price, given(line, 'currency')),
      settlements:
        isCancelled || isAccepted
          ? [saidThere(isCancelled ? 'cancelled' : 'accepted', line, ids, context)]
          : [],
      answer: answerOf(line, ids, operation),
      request: null,
    },
    labels: [],
  };
}

/** A label that was made, or may have been: a second booking, as the journal records it for `ship --label`. */
function labelBooking(
  operation: Operation,
  line: Line,
  shipments: Shipments,
  context: ImportContext,
): BookingWithLabels | undefined {
  const legs = LEGS.filter(leg => shipments[leg] !== undefined);
  const answer = labelAnswer(line, operation);
  const labels = labelsIn(line, shipments, operation);
  // Of an order whose shipment exists, what is unknown is its label: it is partial, with the exit code of what is unknown.
  const isDoubtful = line.state === 'unknown' || (line.state === 'partial' && line.exitCode === EXIT_UNKNOWN);
  const claimed = isDoubtful ? legs : legs.filter(leg => labels[leg]);
  if (claimed.length === 0) return undefined;
  const claims = claimed.map(leg => ({ leg, shipment: shipments[leg] ?? '' }));
  const isAnswer = operation !== createDualShipment && answer !== undefined && answer !== null;
  return {
    booking: {
      ...common(line, context, isDoubtful ? 'unknown' : 'created'),
      id: idOf(context, [createLabels.command, ...claims.map(wordOf)]),
      operation: createLabels.command,
      keySpace: createLabels.command,
      key: null,
      ids: {},
      labels: isDoubtful ? {} : labels,
      answer: isAnswer && !isDoubtful ? JSON.stringify(answer) : null,
      request: Object.fromEntries(claims.map(({ leg, shipment }) => [leg, shipment])),
    },
    labels: claims,
  };
}

/** What the service answered about the labels. */
const labelAnswer = ({ result }: Line, operation: Operation): unknown =>
  operation === createShipment ? getAt(result, ['label']) : result;

/** The labels that were made, as far as the line shows. */
function labelsIn(line: Line, shipments: Shipments, operation: Operation): Partial<Record<Leg, Label>> {
  const { made } = operation === createShipment ? createLabels : operation;
  const answer = labelAnswer(line, operation);
  const labels: Partial<Record<Leg, Label>> = {};
  for (const leg of LEGS) {
    const label = getAt(answer, made.labels[leg]?.at ?? '');
    const link = textAt(label, ['labelPdf']) ?? textAt(label, ['label']);
    const isFirst = leg === 'international';
    const trackingNumber = given(line, isFirst ? 'trackingNumber' : 'domesticTrackingNumber');
    const isMade =
      trackingNumber !== undefined ||
      link !== undefined ||
      getAt(label, ['success']) === true ||
      (isFirst && given(line, 'labelFile') !== undefined);
    if (isMade && shipments[leg] !== undefined)
      labels[leg] = { made: true, ...(trackingNumber && { trackingNumber }), ...(link && { link }) };
  }
  return labels;
}

/** The answer as far as the line has it: all of it, or else the ids, the carrier and the price. */
function answerOf(line: Line, ids: Ids, operation: Operation): string | null {
  const { result } = line;
  if (isRecord(result)) {
    const { label: _, ...shipment } = result;
    return JSON.stringify(shipment);
  }
  const [carrier, currency] = [given(line, 'carrier'), given(line, 'currency')];
  const { price = null } = line;
  if (carrier === undefined && price === null) return null;
  const carried = { carrier: { id: carrier, price, currency } };
  return JSON.stringify(bodyWithIds(operation, ids, carried));
}

const overPriceIn = ({ overPrice }: Line): boolean | null =>
  typeof overPrice === 'boolean' ? overPrice : null;

const saidThere = (
  state: 'accepted' | 'cancelled',
  line: Line,
  ids: Ids,
  { at, path }: ImportContext,
): Booking['settlements'][number] => ({
  state,
  by: given(line, 'actor') ?? 'results file',
  at,
  ids,
  reason: `imported from ${path}`,
  run: given(line, 'run') ?? null,
});

function common(line: Line, { scope, profile, at, path }: ImportContext, state: Booking['state']) {
  const from = `imported from ${path}`;
  const reason =
    line.state === 'duplicate'
      ? 'which says only that its key was booked with other input'
      : 'which does not know its outcome either';
  return {
    ...scope,
    profile,
    sandbox: line.sandbox === true,
    at,
    settledAt: at,
    state,
    fingerprint: INPUT_UNKNOWN,
    orderFingerprint: null,
    source: null,
    recordName: null,
    code: state === 'unknown' ? 'outcome_unknown' : null,
    why: state === 'unknown' ? `${from}, ${reason}` : from,
    httpStatus: null,
    files: {},
    milestones: {},
    ...NOT_LISTED,
    settlements: [],
    overtakenBy: null,
    maxPrice: null,
    overPrice: null,
    expected: null,
    charged: null,
    run: given(line, 'run') ?? null,
    actor: given(line, 'actor') ?? null,
    // The file does not say on which machine it was booked.
    holder: { host: '', process: 0, start: '' },
  } satisfies Partial<Booking>;
}

/** The same id for the same line, so that nothing is imported twice. */
const idOf = ({ scope: { address, account } }: ImportContext, words: readonly (string | null)[]): string =>
  `bk_${hash('sha256', JSON.stringify([address, account, ...words])).slice(0, 32)}`;
