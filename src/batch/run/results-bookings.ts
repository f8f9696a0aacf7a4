// The bookings that the results of a batch report, for a journal that does not have them: the shipment of a line, and its label.

import { hash } from 'node:crypto';
import { bodyWithIds, chargeIn } from '../../booking/answer.ts';
import {
  type Booking,
  countedPrice,
  type Fact,
  type Ids,
  INPUT_UNKNOWN,
  isMade,
  type Label,
  type Scope,
  type Speaker,
} from '../../booking/booking.ts';
import { type BookingWithLabels, DONE, type Done, EXPORTED, HANDED_OVER } from '../../booking/questions.ts';
import { contentOf } from '../../contract/content.ts';
import { keyFault } from '../../contract/key.ts';
import { LEGS, type Leg, OPERATIONS, type Operation, operationNamed } from '../../contract/operations.ts';
import { getAt, isRecord, textAt } from '../../contract/paths.ts';
import { FAILURES } from '../../exit-codes.ts';
import type { BookingToImport } from '../../journal/import.ts';
import { indexedShipment } from '../../journal/tables.ts';
import { readClock } from '../../output/shipment.ts';
import { bookingIdIn, type Line, unrecordedIn } from './read-results.ts';

/** What is the same for all lines of a file. */
export interface ImportContext {
  scope: Scope;
  profile: string | null;
  /** When the bookings are imported, by the clock of the journal, in ms since 1970. */
  at: number;
  path: string;
  /** Gives who settles a booking whose outcome is unknown in this journal. */
  settler: (isUnrecorded: boolean) => Speaker;
  /** Printing, handover and export that a person calls done for all orders of the file, whatever their lines say. */
  done: readonly Done[];
}

export interface LineBooking extends BookingToImport {
  /** Printing, handover and export that neither the line nor the person who imports it calls done: this machine would do them again. */
  unsaid: readonly Done[];
}

const { createShipment, createDualShipment, createLabels } = OPERATIONS;

const EXIT_UNKNOWN = FAILURES.outcome_unknown.exit;
const EXIT_PARTIAL = FAILURES.partial.exit;

const lineText = (line: Line, name: string): string | undefined => {
  const value = line[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A line that is read, with what is the same for all lines of the file. */
interface ReadLine extends ImportContext {
  line: Line;
  key: string | undefined;
  operation: Operation;
  shipments: Partial<Record<Leg, string>>;
}

/** The bookings of a line; none if the line does not say enough, or has a key that no order can have. */
export function bookingsOf(key: string | undefined, line: Line, context: ImportContext): LineBooking[] {
  if (key !== undefined && keyFault(key) !== undefined) return [];
  const operation = operationNamed(line.operation);
  const read: ReadLine = { ...context, line, key, operation, shipments: lineShipments(line) };
  const label = labelBooking(read);
  const shipment = operation === createLabels ? labelledShipment(read) : shipmentBooking(read);
  const isUnrecorded = unrecordedIn(line) !== undefined;
  const settler = context.settler(isUnrecorded);
  const unsaid = DONE.filter(done => !wasDone(done, read));
  const isCancelled = shipment?.booking.state === 'cancelled';
  return [shipment, label].flatMap(record => {
    if (record === undefined) return [];
    const isAsked = isMade(record.booking) && !isCancelled;
    const isLabel = record === label;
    return {
      ...record,
      there: bookingIdIn(line),
      isUnrecorded,
      settler,
      ...(isMade(record.booking) && { lists: listsOf(read) }),
      unsaid: isAsked ? unsaid.filter(done => (done === 'printed') === isLabel) : [],
    };
  });
}

/** Was a step, such as printing, done with an order? A line says so by `true` only: it is written before most steps are done. */
const wasDone = (word: Done, read: ReadLine): boolean => read.line[word] === true || read.done.includes(word);

/** The lists that the order of a line stands in. An order may be exported in several forms: `export` means all of them. */
function listsOf(read: ReadLine): NonNullable<BookingToImport['lists']> {
  const { by, run } = read.settler(false);
  const names = [
    ...(wasDone('handover', read) ? [HANDED_OVER] : []),
    ...(wasDone('export', read) ? Object.values(EXPORTED) : []),
  ];
  return names.map(name => ({ name, at: read.at, by, run }));
}

/** The answer of the service in a line; the line of an order that was cancelled has the answer in its error. */
const contentIn = (line: Line, operation: Operation): unknown =>
  contentOf(operation, line.result ?? getAt(line.error, ['body'])).value;

/** A time before this one, such as 0001-01-01 or 1970-01-01, means that the service does not know the time. */
const FIRST_TIME = Date.UTC(2000, 0, 1);

/**
 * When the service made the shipment of a line, by the answer in the line; for a pair, the later time. If the answer has no time, or a time
 * later than now, the time of the import counts, so that a booking of unknown time counts against the limits of today.
 */
function bookedAt(read: ReadLine): number {
  const { line, operation, at } = read;
  const content = contentIn(line, operation);
  const shipments =
    operation === createDualShipment ? LEGS.map(leg => getAt(content, [leg, 'shipment'])) : [content];
  const times = shipments.flatMap(shipment => latestIn(textAt(shipment, ['createdAt'])) ?? []);
  const last = Math.max(...times);
  return times.length === 0 || last < FIRST_TIME ? at : Math.min(last, at);
}

/** A time in ms since 1970. Without a time zone, it is the latest time that may be meant: the time in the last zone on earth. */
const latestIn = (written = ''): number | undefined =>
  readClock(/(Z|GMT|UTC?|[+-]\d\d:?\d\d)$/i.test(written.trim()) ? written : `${written.trim()}-12:00`);

const lineShipments = (line: Line): ReadLine['shipments'] => {
  const [international, domestic] = [lineText(line, 'shipmentId'), lineText(line, 'domesticShipmentId')];
  return { ...(international && { international }), ...(domestic && { domestic }) };
};

/** The shipment of a line of labels: without this booking its key would be free in this journal, and be booked again. */
function labelledShipment(read: ReadLine): BookingWithLabels | undefined {
  const { key, line, shipments } = read;
  if (key === undefined || Object.keys(shipments).length === 0) return undefined;
  const operation = shipments.domestic === undefined ? createShipment : createDualShipment;
  const shipment = shipmentBooking({ ...read, operation, line: { ...line, result: undefined } });
  return shipment && { ...shipment, booking: { ...shipment.booking, labels: {} } };
}

function shipmentBooking(read: ReadLine): BookingWithLabels | undefined {
  const { line, key, operation, shipments } = read;
  const isPair = operation === createDualShipment;
  const { international, domestic } = shipments;
  const ids: Ids = isPair ? shipments : international === undefined ? {} : { shipment: international };
  const names = Object.values(ids);
  if (key === undefined && names.length === 0) return undefined;
  const charge = lineCharge(line);
  // A shipment with an id exists, even if its label failed.
  const isThere = isPair ? names.length > 0 : international !== undefined;
  const labels = isPair ? madeLabels(read) : {};
  // A pair that a journal could not record is `created` in its line, also if a leg has no label.
  const isUnlabelled = (leg: Leg) =>
    unrecordedIn(line) !== undefined && !labels[leg] && isRecord(getAt(line.result, `${leg}.label`));
  const isHalf =
    isPair &&
    (line.state === 'partial' ||
      (international === undefined) !== (domestic === undefined) ||
      LEGS.some(isUnlabelled));
  const existed = isHalf ? 'partial' : 'created';
  // A `duplicate` names a shipment only if its order was cancelled.
  const isCancelled = isThere && line.state === 'duplicate';
  const state = !isThere ? 'unknown' : isCancelled ? 'cancelled' : existed;
  // The exit code shows that a price above its bound was accepted: it is 0, or EXIT_PARTIAL for a part of an order.
  const isAccepted = overPriceIn(line) && state === existed && line.exitCode === (isHalf ? EXIT_PARTIAL : 0);
  return {
    booking: {
      ...commonColumns(read, state),
      // The code says that only a part of the order existed, also if the order is cancelled.
      ...(isThere && isHalf && { code: 'partial' }),
      id: importedId(read, [operation.keySpace, ...(key === undefined ? names : [key])]),
      operation: operation.command,
      keySpace: operation.keySpace ?? operation.command,
      key: key ?? null,
      ids,
      labels,
      overPrice: isThere ? overPriceIn(line) : null,
      charged: charge.isUnclear ? null : countedPrice(charge.price, charge.currency),
      facts: isCancelled || isAccepted ? [factOfLine(isCancelled ? existed : undefined, ids, read)] : [],
      answer: recordedAnswer(read, ids, charge),
      request: null,
    },
    labels: [],
  };
}

/** A label that was made, or may have been: a second booking, as the journal records it for `ship --label`. */
function labelBooking(read: ReadLine): BookingWithLabels | undefined {
  const { line, operation, shipments } = read;
  const legs = LEGS.filter(leg => shipments[leg] !== undefined);
  const answer = labelAnswer(read);
  const labels = madeLabels(read);
  // A `partial` line with the exit code of an unknown outcome has a shipment that exists, and a label that is unknown.
  const isDoubtful = line.state === 'unknown' || (line.state === 'partial' && line.exitCode === EXIT_UNKNOWN);
  const claimed = isDoubtful ? legs : legs.filter(leg => labels[leg]);
  if (claimed.length === 0) return undefined;
  const isPrinted = !isDoubtful && wasDone('printed', read);
  const claims = claimed.map(leg => ({ leg, shipment: shipments[leg] ?? '' }));
  const isAnswer = operation !== createDualShipment && answer !== undefined && answer !== null;
  return {
    booking: {
      ...commonColumns(read, isDoubtful ? 'unknown' : 'created'),
      id: importedId(read, [createLabels.command, ...claims.map(indexedShipment)]),
      operation: createLabels.command,
      keySpace: createLabels.command,
      key: null,
      ids: {},
      labels: isDoubtful ? {} : labels,
      answer: isAnswer && !isDoubtful ? JSON.stringify(answer) : null,
      request: Object.fromEntries(claims.map(({ leg, shipment }) => [leg, shipment])),
    },
    labels: claims.map(label => ({ ...label, printedAt: isPrinted ? read.at : null })),
  };
}

const labelAnswer = (read: ReadLine): unknown =>
  read.operation === createShipment ? getAt(read.line.result, ['label']) : read.line.result;

/** The labels that were made, as far as the line shows. */
function madeLabels(read: ReadLine): Partial<Record<Leg, Label>> {
  const { line, operation, shipments } = read;
  const { made } = operation === createShipment ? createLabels : operation;
  const answer = labelAnswer(read);
  const labels: Partial<Record<Leg, Label>> = {};
  for (const leg of LEGS) {
    const label = getAt(answer, made.labels[leg]?.at ?? '');
    const link = textAt(label, ['labelPdf']) ?? textAt(label, ['label']);
    const isFirst = leg === 'international';
    const trackingNumber = lineText(line, isFirst ? 'trackingNumber' : 'domesticTrackingNumber');
    const isMade =
      trackingNumber !== undefined ||
      link !== undefined ||
      getAt(label, ['success']) === true ||
      (isFirst && lineText(line, 'labelFile') !== undefined);
    if (isMade && shipments[leg] !== undefined)
      labels[leg] = { made: true, ...(trackingNumber && { trackingNumber }), ...(link && { link }) };
  }
  return labels;
}

/** No order has such a price, or a higher one. */
const DEAREST = 1e11;

/** What an order cost. `isUnclear`: price or currency cannot be right; they are not taken over, and a person has to look. */
interface LineCharge {
  price: unknown;
  currency: string | null;
  isUnclear: boolean;
}

/** What the order of a line cost, by the answer in it, or else by the line. */
function lineCharge(line: Line): LineCharge {
  const answered = chargeIn(contentIn(line, operationNamed(line.operation)));
  const isAnswered = answered.price !== null;
  const price = isAnswered ? answered.price : (line.price ?? null);
  const currency = isAnswered ? answered.currency : (lineText(line, 'currency') ?? null);
  const isPriced = price !== null && currency !== null && !(Number(price) <= 0);
  const isUnclear = isPriced && (Number(price) >= DEAREST || countedPrice(price, currency) === null);
  return { price, currency, isUnclear };
}

/** Has the line a price that is not taken over, because it cannot be right? */
export const hasUnclearPrice = (line: Line): boolean => lineCharge(line).isUnclear;

/** The answer as far as the line has it: all of it, or else the ids, the carrier and the price. */
function recordedAnswer(read: ReadLine, ids: Ids, charge: LineCharge): string | null {
  const { line, operation } = read;
  const { result } = line;
  if (isRecord(result) && !charge.isUnclear) {
    const { label: _, ...shipment } = result;
    return JSON.stringify(shipment);
  }
  const carrier = lineText(line, 'carrier');
  const { price, currency } = charge.isUnclear ? { price: null, currency: null } : charge;
  if (carrier === undefined && price === null) return null;
  const carried = { carrier: { id: carrier, price, currency } };
  return JSON.stringify(bodyWithIds(operation, ids, carried));
}

const overPriceIn = (line: Line): boolean | null =>
  typeof line.overPrice === 'boolean' ? line.overPrice : null;

/** The fact that a line tells: that the order was cancelled (`existedAs`: its state before), or else that its price was accepted. */
const factOfLine = (existedAs: 'created' | 'partial' | undefined, ids: Ids, read: ReadLine): Fact => ({
  ...(existedAs ? { kind: 'cancelled', existedAs } : { kind: 'accepted' }),
  by: lineText(read.line, 'actor') ?? 'results file',
  at: read.at,
  ids,
  reason: `imported from ${read.path}`,
  run: lineText(read.line, 'run') ?? null,
});

function commonColumns(read: ReadLine, state: Booking['state']) {
  const { line, scope, profile, at, path } = read;
  const from = `imported from ${path}`;
  const reason =
    line.state === 'duplicate'
      ? 'which says only that its key was booked with other input'
      : 'which does not know its outcome either';
  return {
    ...scope,
    profile,
    sandbox: line.sandbox === true,
    at: bookedAt(read),
    settledAt: at,
    state,
    fingerprint: INPUT_UNKNOWN,
    orderFingerprint: null,
    orderNumber: lineText(line, 'orderNumber') ?? null,
    source: null,
    recordName: null,
    code: state === 'unknown' ? 'outcome_unknown' : null,
    why: state === 'unknown' ? `${from}, ${reason}` : from,
    httpStatus: null,
    files: {},
    milestones: {},
    version: 0,
    facts: [],
    keyHolder: null,
    maxPrice: null,
    rule: null,
    choice: null,
    overPrice: null,
    expected: null,
    charged: null,
    run: lineText(line, 'run') ?? null,
    actor: lineText(line, 'actor') ?? null,
    // The file does not say on which machine the order was booked.
    holder: { host: '', process: 0, start: '' },
  } satisfies Partial<Booking>;
}

/** The id of an imported booking: a line always gives the same id, so that nothing is imported twice. */
function importedId(read: ReadLine, words: readonly (string | null)[]): string {
  const { address, account } = read.scope;
  return `bk_${hash('sha256', JSON.stringify([address, account, ...words])).slice(0, 32)}`;
}
