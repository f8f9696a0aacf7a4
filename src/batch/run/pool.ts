// The records of a batch are under way together, so many at a time, each as by a command of its own. The next one begins when
// the line of one that ended is written: a crash leaves at most as many unknown as are under way at one time, and a results
// file that cannot be written stops the run.

import type { OperationCommand } from '../../contract/operations.ts';
import { knownPrice } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import type { FailureCode } from '../../exit-codes.ts';
import { originOf } from '../../order/desk.ts';
import { EstimatedDay, isOfDay } from '../../order/limits.ts';
import { BookingInProgress } from '../../order/place.ts';
import { canDraw } from '../../output/look.ts';
import { costWords, duration } from '../../say/words.ts';
import type { Retry } from '../../service/service.ts';
import type { Session } from '../../session/session.ts';
import { collectWarnings, failedResult, type JobResult, type RecordWarnings, recordSession } from './job.ts';
import { leftByOthers, linesNotStarted } from './not-sent.ts';
import type { BatchRun } from './open.ts';
import { createQueue, type QueuedRecord } from './queue.ts';
import { lineState, resultLine } from './results.ts';
import { labelsMade, type Stop, stopRule, type Tally } from './tally.ts';

/** Performs or estimates the queued records. Every record of the input gets its line, also those not started. */
export async function performAll<O>(run: BatchRun<O>): Promise<Stop | undefined> {
  const { session, job, work, options, spool, tally, outputs, labelFiles } = run;
  const { host, printer, globals, events } = session;
  const { command } = job.operation;
  const rule = stopRule(options);
  let stop: Stop | undefined;
  let broken: { error: unknown } | undefined;

  let underWay = 0;
  let wake = () => {};
  const awake = (): Promise<void> =>
    new Promise(resolve => {
      wake = resolve;
    });

  const queue = createQueue(
    spool,
    records => leftByOthers(run, records, queue.putBack),
    options.rate,
    () => wake(),
    host,
  );
  const progress = showProgress(session, tally, spool.size);
  const onRetry = ({ asked, wait }: Retry) => {
    if (!asked) return;
    queue.pause(wait);
    events.log({ event: 'wait', level: 'info', operation: command, wait });
  };
  /** The first reason counts; but that the limit of the day is reached stops less than any other reason does. */
  const stopFor = (why: Stop | undefined) => {
    if (why !== undefined && (stop === undefined || stop === 'over_budget')) stop = why;
  };
  // What is claimed has its room in the limit of the day.
  const stopped = (isClaimed: boolean) =>
    stop === undefined || (stop === 'over_budget' && isClaimed)
      ? undefined
      : new Failure('interrupted', 'the run was stopped before it was sent');
  const day = options.estimate ? await dayToEstimate(run) : undefined;
  const onInterrupt = () => {
    stopFor('interrupted');
    void printer.note(
      'stopping: no further record is started. Waiting for the records under way; a second signal leaves them unknown',
    );
    wake();
  };
  host.interrupted.addEventListener('abort', onInterrupt);
  if (host.interrupted.aborted) stop = 'interrupted';

  try {
    for (;;) {
      if (stop === undefined && underWay < options.concurrency && queue.isOpen) await beginNext();
      else if (underWay > 0 || (stop === undefined && !queue.isEmpty)) await awake();
      else break;
    }
  } finally {
    host.interrupted.removeEventListener('abort', onInterrupt);
    await progress.close();
    run.showWarnings(tally.ended);
  }
  if (broken) throw broken.error;
  if (stop !== undefined) await endNotStarted(stop);
  return stop;

  /** An error of our own: it is thrown when the records under way have ended. */
  function breakOff(error: unknown): void {
    broken ??= { error };
    stopFor('internal');
  }

  async function beginNext(): Promise<void> {
    try {
      const record = await queue.next();
      if (record === undefined) return;
      if (stop !== undefined) return queue.putBack(record);
      underWay += 1;
      progress.begin();
      void perform(record)
        .catch(breakOff)
        .then(() => {
          underWay -= 1;
          progress.end();
          wake();
        });
    } catch (error) {
      breakOff(error);
    }
  }

  /** By its job, as by a command. */
  async function perform(record: QueuedRecord): Promise<void> {
    const own = collectWarnings(printer, globals.strict);
    const requests = new Set<OperationCommand>();
    const service = session.service.forMany({ onSent: one => void requests.add(one), onRetry });
    const at = recordSession(run, own, { service, stopped, waits: record.wasPutBack === true });
    const order = work.orderOf(record);
    let result: JobResult;
    try {
      result = await (options.estimate && work.estimate
        ? work.estimate(at, order).then(countEstimate)
        : work.perform(at, order, labelFiles));
    } catch (error) {
      if (error instanceof BookingInProgress) return leave(record);
      result = failedResult(error);
    }
    const wasSent = requests.has(command);
    const wasLabelSent = requests.has('label');
    // It had not begun: it ends as those that were not started.
    if (stop !== undefined && result.failure?.code === 'interrupted' && !wasSent && !wasLabelSent)
      return queue.putBack(record);
    stopFor(rule(codeOf(result, wasSent || wasLabelSent)));
    report(record, result, { warnings: own.take(), wasSent, wasLabelSent });
  }

  /** What is estimated counts against the limit of the day as if it were booked. */
  function countEstimate(result: JobResult): JobResult {
    const priced = knownPrice(result.facts);
    if (priced) day?.take(job.operation, priced, session);
    return result;
  }

  /** The other records come first; then the journal knows what became of this one. */
  function leave(record: QueuedRecord): void {
    queue.putBack(record);
    queue.metOthers();
  }

  /** Writes the line of a record. */
  function report(record: QueuedRecord, result: JobResult, { warnings, wasSent, wasLabelSent }: Sent): void {
    const { failure } = result;
    const line = resultLine(record, {
      ...run.origin,
      ...result,
      state: options.estimate && !failure ? 'estimated' : lineState(job.operation, result),
      sent: wasSent,
    });
    // It was not created when the input was read.
    if (line.state === 'created' && !wasSent && !record.wasPutBack && !work.hasFollowUp(record.options))
      queue.metOthers();
    for (const { text, always } of warnings) run.warn(record, text, always);
    const labels = labelsMade(result.facts);
    const isLabelled = job.operation.books && (wasSent || wasLabelSent);
    tally.count(line, { labels, newLabels: isLabelled ? (result.newLabels ?? labels) : 0 });
    run.labelJob.add(line, work.hasFollowUp(record.options), result.pages);
    outputs.report(line, record.text === undefined ? undefined : { line: record.line, text: record.text });
    // step: line of a batch written
    if (outputs.failure) stopFor('storage');
  }

  /** What was left of them may be booked already, and lack only its label. */
  async function endNotStarted(why: Stop): Promise<void> {
    for (let records = queue.rest(); records.length > 0; records = queue.rest()) {
      const lineOf = await linesNotStarted(run, records, why);
      for (const record of records) {
        const { line, ...counts } = await lineOf(record);
        tally.count(line, counts);
        outputs.report(line, undefined);
        run.labelJob.add(line, work.hasFollowUp(record.options));
      }
    }
  }
}

/** The day as it is before the first record; `undefined` if it has no limit. */
async function dayToEstimate<O>({ session, desk }: BatchRun<O>): Promise<EstimatedDay | undefined> {
  const { maxPerDay, perDay } = session.limits();
  if (maxPerDay === undefined) return undefined;
  return new EstimatedDay(maxPerDay, (await desk?.journal.leftOfDay(originOf(desk), perDay)) ?? maxPerDay);
}

/** What a record told, and what was sent for it in this run. */
interface Sent {
  warnings: ReturnType<RecordWarnings['take']>;
  wasSent: boolean;
  wasLabelSent: boolean;
}

/** What the failure of a record says about the others. `isNew`: something was sent for it in this run. */
function codeOf({ failure, isUnlabelled }: JobResult, isNew: boolean): FailureCode | undefined {
  // An order that is too dear by itself says nothing about the others.
  if (failure?.code === 'over_budget' && !isOfDay(failure)) return undefined;
  // Why a shipment has no label says more than that it has none.
  const code = isUnlabelled && failure?.cause instanceof Failure ? failure.cause.code : failure?.code;
  // What an earlier run left unknown, or booked too dear, says nothing about the service today.
  const isOld = !isNew && (code === 'outcome_unknown' || code === 'over_price');
  return isOld ? undefined : code;
}

/** Time between two lines, and between two drawings of the bar, in ms; `IDLE_MS`: if no record ends. */
const LINE_MS = 10_000;
const DRAW_MS = 100;
const IDLE_MS = 1000;
const WIDTH = 12;

/** Shows a bar on a terminal, else a line every ten seconds. `total`: the records to be sent. */
function showProgress({ host, printer, globals }: Session, tally: Tally, total: number) {
  const drawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  const before = tally.ended;
  const start = host.monotonic();
  let begun = 0;
  let back = 0;

  /** `[####--------] 12/30 done, 1 failed, 4 in flight, 4.1/s, 5 s left, 31.20 EUR` */
  function words(): string {
    const done = tally.ended - before;
    const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const elapsed = host.monotonic() - start;
    const perSecond = elapsed > 0 ? (done * 1000) / elapsed : 0;
    return [
      `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total} done`,
      ...(tally.failed > 0 ? [`${tally.failed} failed`] : []),
      ...(tally.unknown > 0 ? [`${tally.unknown} unknown`] : []),
      `${begun - back} in flight`,
      `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`,
      ...(perSecond > 0 && done < total ? [`${duration(((total - done) / perSecond) * 1000)} left`] : []),
      ...[costWords(tally.booked.cost)].filter(Boolean),
    ].join(', ');
  }

  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    shownAt = host.now();
    void (drawn ? printer.progress(words()) : printer.note(words()));
  };
  // Also if no record ends: a bar that stands still would tell the rate of a service that has stopped.
  const ms = drawn ? IDLE_MS : LINE_MS;
  const showLater = () => {
    show();
    stop = host.deadline(ms, showLater);
  };
  let stop = host.deadline(ms, showLater);
  return {
    /** A record may be sent now. */
    begin(): void {
      begun += 1;
    },
    /** It has ended, or is put back. */
    end(): void {
      back += 1;
      if (drawn && host.now() - shownAt >= DRAW_MS) show();
    },
    /** Removes the bar. */
    async close(): Promise<void> {
      stop();
      await printer.progress('');
    },
  };
}
