import { answerOf } from '../../booking/answer.ts';
import { type BookedOrder, type Booking, existsAs, scopeText } from '../../booking/booking.ts';
import type { Operation, OperationCommand } from '../../contract/operations.ts';
import type { Issue } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import type { FailureCode } from '../../exit-codes.ts';
import { absolutePath } from '../../host/folder.ts';
import { openReplacement, removeFile } from '../../host/replace-file.ts';
import { notePrinted, outputLabels } from '../../labels/print.ts';
import type { LabelOutput, LabelPages } from '../../labels/save.ts';
import type { Desk } from '../../order/desk.ts';
import { bookingFailure } from '../../order/failure.ts';
import { targetFlags } from '../../order/options.ts';
import { columnRow, RESULTS, TRACKING } from '../../output/columns.ts';
import { failureJson } from '../../output/print.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { csvLine, type Scalar, safe, safeCell, safeJson } from '../../output/text.ts';
import { bookingFacts, NO_FACTS, orderFacts } from '../../output/told.ts';
import { labelProblemText } from '../../say/labels.ts';
import { tellInner } from '../../say/notices.ts';
import { personWords } from '../../say/person.ts';
import { money } from '../../say/words.ts';
import type { Session } from '../../session/session.ts';
import { bare } from '../../text.ts';
import type { BatchInput, RawRecord } from '../source.ts';
import type { EarlierFailed } from './failed-file.ts';
import { type OutputNames, type ResultsGuard, refusing } from './guard.ts';
import type { JobResult } from './job.ts';

/** Writes what became of the records. */
export type Outputs = ReturnType<typeof openOutputs>;

/**
 * `unreadable`: why the results that are there must not be replaced. `onNone`: is told why there are no results; without it
 * they are needed. Throws `storage`.
 */
export function openOutputs(
  names: OutputNames,
  {
    isWritten,
    unreadable,
    onNone,
  }: {
    /** False if the run only counts. */
    isWritten: boolean;
    unreadable: Failure | undefined;
    onNone: ((why: string) => void) | undefined;
  },
  { failed: asInput }: Pick<BatchInput, 'failed'>,
  earlierFailed: EarlierFailed | undefined,
  session: Session,
) {
  const { cwd, process } = session.host;
  const { head, text } = lineFormat(names.format, names.command);
  const goWithout = (error: unknown): undefined => {
    if (!onNone || !(error instanceof Failure)) throw refusing(error, '--results', names.command);
    // What is said at the end differs: without results, a batch may go on.
    onNone(error.message);
  };
  const open = (name: string, refuse: (error: unknown) => undefined) => {
    try {
      return openReplacement(absolutePath(name, { cwd }), name, process);
    } catch (error) {
      return refuse(error);
    }
  };
  const openResults = () => (unreadable ? goWithout(unreadable) : open(names.results, goWithout));
  let results = isWritten ? openResults() : undefined;
  const failed =
    names.failed === undefined
      ? undefined
      : open(names.failed, error => {
          results?.close();
          throw refusing(error, '--failed', names.command);
        });
  let isFirst = true;
  let hasFailed = false;
  let isDone = false;
  let removed: string | undefined;
  let failedKept: string | undefined;
  results?.write(head);
  let published = false;
  let failure: Failure | undefined;
  // Where they are, if others took their place.
  let kept: string | undefined;
  const remembering = (write: () => void) => {
    try {
      write();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure ??= error;
    }
  };
  function write(line: ResultLine, raw: RawRecord | undefined): void {
    results?.write(text(line));
    if (!raw || !line.error || !['invalid', 'rejected'].includes(line.state)) return;
    failed?.write(
      (isFirst ? asInput.head() : '') + asInput.record(raw, safe(failureReason(line.error)), isFirst),
    );
    isFirst = false;
  }
  function endFailed(): void {
    const { failed: name } = names;
    if (name === undefined) return;
    try {
      if (!isFirst || isDone) failedKept = earlierFailed?.keepAside();
      if (!isFirst) {
        failed?.write(asInput.foot());
        failed?.publish();
        hasFailed = true;
      }
    } finally {
      failed?.close();
    }
    // The file of an earlier run would be mistaken for that of this run.
    if (isFirst && isDone && removeFile(absolutePath(name, { cwd }), name) && !failedKept) removed = name;
  }
  return {
    /** The first failure to write after `publish`, which must not cost the summary: what was booked is booked. */
    get failure() {
      return failure;
    },
    /** The name of the results; `undefined` if none are written. */
    get results() {
      return results && (kept ?? names.results);
    },
    /** The name of the `--failed` file; `undefined` if it has no record. */
    get failed() {
      return hasFailed ? names.failed : undefined;
    },
    /** The name that the `--failed` file of an earlier run has now, because it has what is not in the input of this one. */
    get failedKept() {
      return failedKept;
    },
    /** The `--failed` file of an earlier run that was removed, because nothing failed in this one. */
    get removed() {
      return removed;
    },
    /** All records are done. Until then a person may still need what an earlier run wrote to the `--failed` file. */
    allDone(): void {
      isDone = true;
    },
    /** `raw`: the record as the input has it, for the `--failed` file. Throws `storage` before `publish`. */
    report(line: ResultLine, raw: RawRecord | undefined): void {
      if (published) remembering(() => write(line, raw));
      else write(line, raw);
    },
    /** Puts the results in place, line by line from here on. Throws `storage`. */
    publish(): void {
      try {
        results?.publish();
      } catch (error) {
        results?.close();
        results = undefined;
        goWithout(error);
      }
      published = true;
    },
    async close(guard: ResultsGuard): Promise<void> {
      remembering(() => {
        if (results?.isReplaced) kept = results.keep();
      });
      remembering(() => results?.close());
      remembering(() => endFailed());
      if (kept === undefined) return;
      const replaced = await guard.settle(kept);
      if (replaced) failure ??= replaced;
      else kept = undefined;
    },
  };
}

/** The labels of a run as one file and one print job, in the order of the input. */
export type LabelJob = ReturnType<typeof openLabelJob>;

export function openLabelJob(desk: Desk | undefined, files: LabelOutput | undefined) {
  const labels: (LabelPages & { line: number })[] = [];
  return {
    /** A record has ended. `isWanted`: was it to have a label? */
    add({ line, key, error }: ResultLine, isWanted: boolean, pages?: LabelPages): void {
      if (!isWanted || files === undefined) return;
      const missing = { name: key ?? `line ${line}`, files: [], failed: error !== null };
      labels.push({ line, ...(pages ?? missing) });
    },
    /** When all have ended. Gives a sentence for everything that failed. */
    async finish(): Promise<string[]> {
      if (labels.length === 0 || desk === undefined || files === undefined) return [];
      labels.sort((one, other) => one.line - other.line);
      // Else they were printed one by one.
      const unfinished = files.merged ? await outputLabels(files, labels, desk) : [];
      const lineOf = new Map(labels.map(({ name, line }) => [name, line]));
      const sorted = <T>(names: T[], nameOf: (item: T) => string) =>
        names.sort((one, other) => (lineOf.get(nameOf(one)) ?? 0) - (lineOf.get(nameOf(other)) ?? 0));
      sorted(files.done.printed, name => name);
      sorted(files.done.earlier, ({ name }) => name);
      await notePrinted(files, desk);
      return unfinished.map(problem => personWords(labelProblemText(problem, tellInner)));
    },
  };
}

type ResultState = ResultLine['state'];

/** Which record it is. */
interface RecordNamed {
  key: string | undefined;
  /** Its line in the input, from 1. */
  line: number;
  /** It was booked from another file, in which it is mended. */
  mended?: boolean | undefined;
  /** The number of the order as its shop wrote it, without the prefix of a map. */
  orderNumber?: string | undefined;
}

/** What this run writes into each line; into that of an earlier booking only the journal, because the rest is of its own run. */
export type LineOrigin = Pick<ResultLine, 'operation' | 'place' | 'sandbox' | 'run' | 'actor' | 'journal'>;

interface Ending extends LineOrigin, Partial<Omit<JobResult, keyof LineOrigin>> {
  /** That of its booking; `invalid`, `duplicate`; `done` or `failed` if the operation books nothing. */
  state: ResultState;
  /** Was it started? Else it has no exit code. */
  started?: boolean;
  /** Was a request sent for it in this run? */
  sent: boolean;
}

const HAS_RESULT = new Set<ResultState>(['created', 'partial', 'done', 'estimated']);

/** What became of one record. */
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
    // Of a label that is printed later, as with --merge, nothing is said.
    ...(printed && { printed }),
    // Else it is the key.
    ...(orderNumber !== undefined && orderNumber !== key && { orderNumber }),
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
  if (code === 'over_price' && (state === 'created' || state === 'partial'))
    return `booked for ${currency ? money(price, currency) : `${bare(price)} without a currency`}`;
  if (code !== 'outcome_unknown') return failureReason(error);
  const what = state === 'partial' ? 'its label may exist' : 'may exist';
  return `${what}: ${httpStatus === null ? 'no answer came' : `the answer was HTTP ${httpStatus}`}`;
}

const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');

/** The result of a record that was booked before. `labels`: those that it got since. */
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
 * The line of a record that was booked before, from the journal. `lacking`: what it lacks, or this run did not come to; `as`: its
 * state then.
 */
export function recordedLine(
  { session, origin }: { session: Pick<Session, 'globals'>; origin: LineOrigin },
  record: RecordNamed,
  order: BookedOrder,
  lacking?: Failure,
  as?: ResultState,
): ResultLine {
  const { booking } = order;
  const { text, body } = answerOf(booking);
  const failure = bookingFailure(booking, targetFlags(session)) ?? lacking;
  const orderNumber = booking.orderNumber ?? undefined;
  return resultLine(
    { ...record, orderNumber },
    {
      operation: booking.operation,
      place: scopeText(booking),
      state: (lacking && failure === lacking ? as : undefined) ?? recordState(booking),
      sent: false,
      sandbox: booking.sandbox,
      run: booking.run,
      actor: booking.actor,
      journal: origin.journal,
      facts: orderFacts(order),
      // Without JSON from the service the body is text, or made of the ids.
      result: body === text || text === null ? undefined : body,
      failure,
    },
  );
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
export function lineState({ books }: Operation, { failure, isUnlabelled, isPart }: JobResult): ResultState {
  if (failure === undefined) return books ? 'created' : 'done';
  if (isUnlabelled) return 'partial';
  const state = STATES[failure.code];
  if (state !== undefined || !books) return state ?? 'failed';
  if (failure.code === 'storage') return unrecordedState(failure);
  // A label is not made before the price of its shipment is accepted.
  if (failure.code === 'over_price' && !failure.facts.created) return 'not_sent';
  if (failure.code === 'over_price' && isPart) return 'partial';
  return BOOKING_STATES[failure.code] ?? 'rejected';
}

/** Does a failure say that the journal could not record what came of a booking that was sent? */
const isOutcomeUnrecorded = ({ code, facts }: Failure): boolean =>
  code === 'storage' && facts.booking !== undefined;

/** What was sent is what its answer says, though the journal could not record that. */
function unrecordedState(failure: Failure): ResultState {
  if (!isOutcomeUnrecorded(failure)) return 'not_sent';
  const { created } = failure.facts;
  if (created === null) return 'unknown';
  return created ? 'created' : 'rejected';
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
