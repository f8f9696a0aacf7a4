import type { Operation, OperationCommand } from '../../contract/operations.ts';
import type { Issue } from '../../contract/shapes.ts';
import type { FailureCode } from '../../errors.ts';
import {
  answerOf,
  type Booking,
  existsAs,
  type Facts,
  factsOf,
  NO_FACTS,
  placeText,
} from '../../journal/booking.ts';
import { bookingFailure } from '../../order/failure.ts';
import { columnRow, RESULTS, shownFacts, TRACKING } from '../../output/columns.ts';
import { money } from '../../output/money.ts';
import { failureJson } from '../../output/print.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { csvLine, type Scalar, safeCell, safeJson } from '../../output/text.ts';
import { bare } from '../../text.ts';
import type { JobResult } from './job.ts';

type ResultState = ResultLine['state'];

/** Which record it is. */
interface RecordPlace {
  key: string | undefined;
  /** Its line in the input, from 1. */
  line: number;
  /** It was booked from another file, in which it is mended. */
  mended?: boolean | undefined;
}

/** What this run writes into each line, unless the line is of an earlier booking. */
export type LineOrigin = Pick<ResultLine, 'operation' | 'place' | 'sandbox' | 'run' | 'actor'>;

type Ending = LineOrigin &
  Partial<JobResult> & {
    /** That of its booking; `invalid`, `duplicate`; `done` or `failed` if the operation books nothing. */
    state: ResultState;
    /** Was it started? Else it has no exit code. */
    started?: boolean;
    /** Was a request sent for it in this run? */
    sent: boolean;
  };

const HAS_RESULT = new Set<ResultState>(['created', 'partial', 'done', 'estimated']);

/** What became of one record. */
export function resultLine({ key, line, mended = false }: RecordPlace, ending: Ending): ResultLine {
  const { state, started = true, facts = NO_FACTS, saved = {}, result, failure } = ending;
  const exitCode = started ? (failure?.exitCode ?? 0) : null;
  return {
    ...columnRow(RESULTS, {
      ...ending,
      key: key ?? null,
      line,
      mended,
      exitCode,
      facts: shownFacts(facts, saved),
    }),
    // The response of a failed record is in its error.
    ...(result !== undefined && result !== null && HAS_RESULT.has(state) && { result }),
    ...(failure && { error: { ...failureJson(failure, existsAs(state)).error, exitCode } }),
  };
}

type LineError = NonNullable<ResultLine['error']>;

/** Why the record failed: the issues of an invalid one say more than that it is invalid. */
export const failureReason = ({ message, issues }: LineError): string =>
  issues.length === 0 ? message : issuesText(issues);

/** Why a record of a list failed, without what to do: that is the same for all of them, and is said once. */
export function shortReason({ state, price, currency }: ResultLine, error: LineError): string {
  const { code, httpStatus } = error;
  if (code === 'over_price')
    return `booked for ${currency ? money(price, currency) : `${bare(price)} of an unknown currency`}`;
  if (code !== 'outcome_unknown') return failureReason(error);
  const what = state === 'partial' ? 'its label may exist' : 'may exist';
  return `${what}: ${httpStatus === null ? 'no answer came' : `the answer was HTTP ${httpStatus}`}`;
}

const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');

/** The result of a record that was booked before. `labels`: those that it got since. */
export function recordedResult(
  booking: Booking,
  targetFlags: readonly string[],
  labels: Facts['labels'] = {},
): JobResult {
  const facts = factsOf(booking);
  return {
    run: booking.run,
    actor: booking.actor,
    saved: booking.files,
    failure: bookingFailure(booking, targetFlags),
    facts: { ...facts, labels: { ...facts.labels, ...labels } },
  };
}

/** The line of a record that was booked before, from the journal. */
export function recordedLine(
  record: RecordPlace,
  booking: Booking,
  targetFlags: readonly string[],
): ResultLine {
  const { text, body } = answerOf(booking);
  return resultLine(record, {
    operation: booking.operation,
    place: placeText(booking),
    state: recordState(booking),
    sent: false,
    sandbox: booking.sandbox,
    run: booking.run,
    actor: booking.actor,
    facts: factsOf(booking),
    saved: booking.files,
    // Without JSON from the service the body is text, or made of the ids.
    result: body === text || text === null ? undefined : body,
    failure: bookingFailure(booking, targetFlags),
  });
}

/** Nobody waits any more for one that is being sent. */
function recordState({ state }: Booking): ResultState {
  if (state === 'pending') return 'unknown';
  return state === 'cancelled' ? 'duplicate' : state;
}

const STATES: Partial<Record<FailureCode, ResultState>> = {
  outcome_unknown: 'unknown',
  duplicate: 'duplicate',
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

/** The state of a record that was performed. */
export function lineState({ books }: Operation, { failure, facts, isUnlabelled }: JobResult): ResultState {
  if (failure === undefined) return books ? 'created' : 'done';
  if (isUnlabelled) return 'partial';
  const state = STATES[failure.code];
  if (state !== undefined || !books) return state ?? 'failed';
  // If it was created, only the record of it could not be written.
  if (failure.code === 'storage') return Object.keys(facts.ids).length > 0 ? 'created' : 'not_sent';
  return BOOKING_STATES[failure.code] ?? 'rejected';
}

/** The results as JSON lines, or as a table for spreadsheets. */
export function lineFormat(format: 'jsonl' | 'csv', command: OperationCommand) {
  if (format === 'jsonl') return { head: '', text: (line: ResultLine) => `${safeJson(line)}\n` };
  const isTracking = (name: string) => TRACKING.some(one => one === name);
  const columns = [...Object.keys(RESULTS), 'error'].filter(name => command === 'track' || !isTracking(name));
  return {
    head: csvLine(columns),
    text(line: ResultLine): string {
      const cells: Record<string, unknown> = { ...line, error: line.error?.message ?? null };
      return csvLine(columns.map(name => safeCell(cells[name] as Scalar)));
    },
  };
}
