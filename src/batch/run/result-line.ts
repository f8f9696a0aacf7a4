// What became of a record, as a line of the results.

import { answerOf } from '../../booking/answer.ts';
import { type Booking, existsAs, scopeText } from '../../booking/booking.ts';
import type { BookedOrder } from '../../booking/questions.ts';
import type { Operation, OperationCommand } from '../../contract/operations.ts';
import type { Issue } from '../../contract/shapes.ts';
import type { Failure } from '../../errors.ts';
import type { FailureCode } from '../../exit-codes.ts';
import { bookingFailure } from '../../order/failure.ts';
import { targetFlags } from '../../order/options.ts';
import { columnRow, RESULTS, TRACKING } from '../../output/columns.ts';
import { failureJson } from '../../output/print.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { rowText, type Scalar, safeJson } from '../../output/text.ts';
import { bookingFacts, NO_FACTS, orderFacts } from '../../output/told.ts';
import { money } from '../../say/words.ts';
import type { Session } from '../../session/session.ts';
import { bare } from '../../text.ts';
import type { JobResult } from './job.ts';

type ResultState = ResultLine['state'];

interface RecordNamed {
  key: string | undefined;
  /** The line of the record in the input, from 1. */
  line: number;
  /** Was the record mended in a file of --failed, and booked from there? */
  mended?: boolean | undefined;
  /** The number of the order as its shop wrote it, without the prefix of a map. */
  orderNumber?: string | undefined;
}

/** What this run writes into each line. Of these, the line of an earlier booking has only `journal`: the others come from the booking. */
export type LineOrigin = Pick<ResultLine, 'operation' | 'place' | 'sandbox' | 'run' | 'actor' | 'journal'>;

interface Ending extends LineOrigin, Partial<Omit<JobResult, keyof LineOrigin>> {
  /** The state of the booking, or `invalid` or `duplicate`; for an operation that books nothing, `done` or `failed`. */
  state: ResultState;
  /** Was the record started? A record that was not started has no exit code. */
  started?: boolean;
  /** Was a request sent for the record in this run? */
  sent: boolean;
}

const HAS_RESULT = new Set<ResultState>(['created', 'partial', 'done', 'estimated']);

export function resultLine(record: RecordNamed, ending: Ending): ResultLine {
  const { key, line, mended = false, orderNumber } = record;
  const { state, started = true, result, failure, facts = NO_FACTS, printed = false } = ending;
  const exitCode = started ? (failure?.exitCode ?? 0) : null;
  return {
    ...columnRow(RESULTS, {
      ...ending,
      facts,
      key: key ?? null,
      line,
      mended,
      exitCode,
      recorded: failure === undefined || !isOutcomeUnrecorded(failure),
    }),
    // Nothing is said of a label that is printed later, as with --merge.
    ...(printed && { printed }),
    // Without `orderNumber`, the key is the number of the order.
    ...(orderNumber !== undefined && orderNumber !== key && { orderNumber }),
    // The response of a failed record is in its error.
    ...(result !== undefined && result !== null && HAS_RESULT.has(state) && { result }),
    ...(failure && { error: { ...failureJson(failure, existsAs(state)).error, exitCode } }),
  };
}

type LineError = NonNullable<ResultLine['error']>;

/** Why a record failed: the issues of its error, which say more than the message, or else the message. */
export const failureReason = (error: LineError): string =>
  error.issues.length === 0 ? error.message : issuesText(error.issues);

/** Why a record failed, without what to do about it: the advice is the same for all records, and is given once. */
export function shortReason(line: ResultLine, error: LineError): string {
  const { state, price, currency } = line;
  const { code, httpStatus } = error;
  if (code === 'over_price' && (state === 'created' || state === 'partial'))
    return `booked for ${currency ? money(price, currency) : `${bare(price)} without a currency`}`;
  if (code !== 'outcome_unknown') return failureReason(error);
  const what = state === 'partial' ? 'its label may exist' : 'may exist';
  return `${what}: ${httpStatus === null ? 'no answer came' : `the answer was HTTP ${httpStatus}`}`;
}

const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');

/** The result of a record that was booked before. `labels`: labels that the order got since. */
export function recordedResult(
  booking: Booking,
  flags: readonly string[],
  labels: Booking['labels'] = {},
): JobResult {
  return {
    run: booking.run,
    actor: booking.actor,
    failure: bookingFailure(booking, flags),
    facts: bookingFacts(booking, { ...booking.labels, ...labels }),
  };
}

/**
 * The line of a record that was booked before, from the journal. `lacking`: the failure that says what the order lacks, or what this run
 * did not come to; `lackingState`: the state of a line with this failure.
 */
export function recordedLine(
  run: { session: Pick<Session, 'globals'>; origin: LineOrigin },
  record: RecordNamed,
  order: BookedOrder,
  lacking?: Failure,
  lackingState?: ResultState,
): ResultLine {
  const { session, origin } = run;
  const { booking } = order;
  const { text, body } = answerOf(booking);
  const failure = bookingFailure(booking, targetFlags(session)) ?? lacking;
  const orderNumber = booking.orderNumber ?? undefined;
  return resultLine(
    { ...record, orderNumber },
    {
      operation: booking.operation,
      place: scopeText(booking),
      state: (lacking && failure === lacking ? lackingState : undefined) ?? recordState(booking),
      sent: false,
      sandbox: booking.sandbox,
      run: booking.run,
      actor: booking.actor,
      journal: origin.journal,
      facts: orderFacts(order),
      // An answer without JSON is no result: its body is the text itself, or is made of the ids.
      result: body === text || text === null ? undefined : body,
      failure,
    },
  );
}

/** The state of a booking in a line. A booking that is being sent is unknown: nobody waits for it any more. */
function recordState(booking: Booking): ResultState {
  const { state } = booking;
  if (state === 'pending') return 'unknown';
  return state === 'cancelled' ? 'duplicate' : state;
}

const STATES: Partial<Record<FailureCode, ResultState>> = {
  outcome_unknown: 'unknown',
  duplicate: 'duplicate',
  held: 'held',
  invalid_request: 'invalid',
  usage: 'invalid',
};
const BOOKING_STATES: Partial<Record<FailureCode, ResultState>> = {
  over_price: 'created',
  partial: 'partial',
  over_budget: 'not_sent',
  unavailable: 'not_sent',
  interrupted: 'not_sent',
  internal: 'not_sent',
};

export function lineState(operation: Operation, result: JobResult): ResultState {
  const { failure, isUnlabelled, isPart } = result;
  const { books } = operation;
  if (failure === undefined) return books ? 'created' : 'done';
  if (isUnlabelled) return 'partial';
  const state = STATES[failure.code];
  if (state !== undefined || !books) return state ?? 'failed';
  if (failure.code === 'storage') return unrecordedState(failure);
  // If nothing was created, only a label was not made: the label waits until the price of its shipment is accepted.
  if (failure.code === 'over_price' && !failure.facts.created) return 'not_sent';
  if (failure.code === 'over_price' && isPart) return 'partial';
  return BOOKING_STATES[failure.code] ?? 'rejected';
}

/** Does a failure say that the journal could not record what became of a booking that was sent? */
const isOutcomeUnrecorded = (failure: Failure): boolean =>
  failure.code === 'storage' && failure.facts.booking !== undefined;

/** The state of a booking that the journal could not record: what its answer says, if it was sent. */
function unrecordedState(failure: Failure): ResultState {
  if (!isOutcomeUnrecorded(failure)) return 'not_sent';
  const { created } = failure.facts;
  if (created === null) return 'unknown';
  return created ? 'created' : 'rejected';
}

/** The results as JSON lines, or as a table for spreadsheets. */
export function lineFormat(format: 'jsonl' | 'csv', command: OperationCommand) {
  if (format === 'jsonl') return { head: '', text: (line: ResultLine) => `${safeJson(line)}\n` };
  const isTracking = (name: string) => TRACKING.some(column => column === name);
  const columns = [...Object.keys(RESULTS), 'error'].filter(name => command === 'track' || !isTracking(name));
  return {
    head: rowText().head(columns),
    text(line: ResultLine): string {
      const cells: Record<string, unknown> = { ...line, error: line.error?.message ?? null };
      return rowText().row(columns.map(name => cells[name] as Scalar));
    },
  };
}
