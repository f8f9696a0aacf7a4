import { Failure, type FailureCode } from '../../errors.ts';
import { confirm } from '../../means.ts';
import { BookingInProgress } from '../../order/place.ts';
import type { ResultLine } from '../../schemas.ts';
import type { Session } from '../../session/session.ts';
import { failedResult, type Job, type JobResult } from './job.ts';
import { leftByOthers } from './journal-lookup.ts';
import { type BatchOptions, type BatchRun, openBatch } from './open.ts';
import { showProgress } from './progress.ts';
import { readInput } from './read-input.ts';
import { createRecordPicker, type RecordPicker } from './record-picker.ts';
import { NotStarted, type RecordSession, recordSessions } from './record-session.ts';
import { resultLine, stateOf } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';
import { batchFailure, stopReason, summaryOf, summaryView, toSendWords } from './summary.ts';
import { labelsMade } from './tally.ts';
import { createThrottle } from './throttle.ts';
import { runWorkers, type Stop, type WorkerPlace } from './workers.ts';

/** Runs an operation over the records of a file. Throws the failure that it ends with, after the summary is shown. */
export async function runBatch<O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
): Promise<void> {
  const run = await openBatch(session, job, options, path);
  let stop: Stop | undefined;
  let invalid: Failure | undefined;
  try {
    invalid = await readInput(run);
    // A dry run counts the valid records, too.
    if (invalid && run.sends) throw invalid;
    if (!options.dryRun) await confirmAll(run);
    run.outputs.publish();
    if (run.sends) {
      logBatch(run, 'batch-start', { toSend: run.spool.size, already: run.tally.already });
      stop = await performAll(run);
    }
  } finally {
    run.outputs.close();
    run.spool.close();
  }
  if (run.outputs.removed !== undefined)
    await session.printer.note(
      `${run.outputs.removed} is removed: it had records that failed in an earlier run, and none failed in this one`,
    );
  const unfinished = run.sends ? await run.labelJob.finish() : [];
  const failure = invalid ?? batchFailure(run, stop, unfinished);
  const summary = summaryOf(run, stop, failure);
  const { records, sent, already, states } = summary;
  if (run.sends) logBatch(run, 'batch-end', { records, sent, already, ...states }, failure);
  await session.printer.result(summary, summaryView);
  if (failure) throw failure;
}

function logBatch<O>(
  { session, job }: BatchRun<O>,
  event: 'batch-start' | 'batch-end',
  counts: Record<string, number>,
  failure?: Failure,
): void {
  const { command: operation } = job.operation;
  session.events.log({
    event,
    level: failure ? 'error' : 'info',
    operation,
    counts,
    error: failure?.code ?? null,
  });
}

async function confirmAll<O>({ session, job: { operation }, spool, tally }: BatchRun<O>): Promise<void> {
  const counts = { toSend: spool.size, warned: tally.warned };
  if (operation.books && spool.size > 0)
    await confirm(session, operation, () => `${operation.command} for ${toSendWords(counts, ' records')}`);
}

/** Performs or estimates the queued records. Every record of the input gets its line, also those not started. */
async function performAll<O extends object>(run: BatchRun<O>): Promise<Stop | undefined> {
  const { session, options, spool, tally } = run;
  const { host, printer } = session;
  const picker = createRecordPicker(
    spool,
    records => leftByOthers(run, records, { end: line => end(run, line), putBack: picker.putBack }),
    host.random,
  );
  const throttle = createThrottle(options.rate, host);
  const progress = showProgress(session, tally, spool.size);
  const sessionFor = recordSessions(session, run.job, ({ asked, wait }) => {
    progress.retry();
    if (!asked) return;
    throttle.pause(wait);
    session.events.log({ event: 'wait', level: 'info', operation: run.job.operation.command, wait });
  });
  const onInterrupt = () =>
    void printer.note(
      'stopping: no further record is started. Waiting for the records under way; a second signal leaves them unknown',
    );
  host.interrupted.addEventListener('abort', onInterrupt);

  const idle: RecordSession[] = [];

  // Where more follows, a record has ended only when all of it is done.
  const isEarly = ({ options: own }: QueuedRecord) => !run.work.hasFollowUp(own);

  async function perform(record: QueuedRecord, place: WorkerPlace): Promise<FailureCode | undefined> {
    const own = idle.pop() ?? sessionFor();
    // It is claimed before that, while the record before it is being recorded.
    place.mayBeSent.then(progress.begin, progress.begin);
    own.begin(isEarly(record) ? place : { ...place, answered() {} }, record.wasPutBack === true);
    try {
      return await performIn(own, record);
    } finally {
      idle.push(own);
      progress.end();
    }
  }

  async function performIn(own: RecordSession, record: QueuedRecord): Promise<FailureCode | undefined> {
    const result = await performed(run, own.session, record);
    if (result === undefined) {
      // The other records come first; then the journal knows what became of this one.
      picker.putBack(record);
      picker.metOthers();
      return undefined;
    }
    const { failure } = result;
    const isEstimate = options.estimate && !failure;
    const sent = own.wasSent();
    const line = resultLine(record, {
      ...run.origin,
      ...result,
      state: isEstimate ? 'estimated' : stateOf(run.job.operation, result),
      sent,
    });
    // It was not created when the input was read.
    if (line.state === 'created' && !sent && !record.wasPutBack && !run.work.hasFollowUp(record.options))
      picker.metOthers();
    for (const { text, always } of own.warnings) run.warn(record.line, text, always);
    const wasLabelSent = own.wasSent('label');
    const isLabelled = run.job.operation.books && (sent || wasLabelSent);
    tally.count(line, { isLabelled, labels: labelsMade(result.facts) });
    run.labelJob.add(line, run.work.hasFollowUp(record.options), result.pages);
    run.outputs.report(
      line,
      record.text === undefined ? undefined : { line: record.line, text: record.text },
    );
    // step: line of a batch written
    if (run.outputs.failure) return 'storage';
    // What an earlier run left unknown, or booked too dear, says nothing about the service today.
    const isOld = !sent && !wasLabelSent && ['outcome_unknown', 'over_price'].includes(failure?.code ?? '');
    return isOld ? undefined : failure?.code;
  }

  let stop: Stop | undefined;
  try {
    const turn = async () => {
      await throttle.turn();
      await picker.refill();
    };
    stop = await runWorkers(picker.next, perform, options, { turn }, host);
  } finally {
    host.interrupted.removeEventListener('abort', onInterrupt);
    await progress.close();
    run.showWarnings(tally.ended);
  }
  if (stop !== undefined) endNotStarted(run, stop, picker);
  return stop;
}

/**
 * Books the record, or does what else the operation does; `undefined` if another runner is sending it, or the run was
 * stopped before it was sent.
 */
async function performed<O>(
  { work, options, labelFiles }: BatchRun<O>,
  session: Session,
  record: QueuedRecord,
): Promise<JobResult | undefined> {
  try {
    return options.estimate && work.estimate
      ? await work.estimate(session, record)
      : await work.perform(session, record, labelFiles);
  } catch (error) {
    if (error instanceof BookingInProgress || error instanceof NotStarted) return undefined;
    return failedResult(error);
  }
}

function endNotStarted<O>(run: BatchRun<O>, stop: Stop, picker: RecordPicker): void {
  // They are no unknown, and not booked above their bound: the run ended before them.
  const code = stop === 'outcome_unknown' || stop === 'over_price' ? 'interrupted' : stop;
  const failure = new Failure(code, `not started: ${stopReason(stop)}`);
  for (let record = picker.next(); record; record = picker.next()) {
    const line = resultLine(record, {
      ...run.origin,
      state: 'not_sent',
      started: false,
      sent: false,
      failure,
    });
    end(run, line);
    run.labelJob.add(line, run.work.hasFollowUp(record.options));
  }
}

/** Notes the end of a record. */
function end<O>({ tally, outputs }: BatchRun<O>, line: ResultLine): void {
  tally.count(line);
  outputs.report(line, undefined);
}
