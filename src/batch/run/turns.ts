// The records of a batch are sent in turns. A turn records what has ended and claims what begins, in one commit. Then it
// writes the lines of what has ended, and only then it sends what begins: a crash leaves at most as many unknown as are under
// way at one time, and a results file that cannot be written stops the run. A record with more to do than to be booked (a
// proposal, a label, a key that is held) is done by its job as by a command.

import type { OperationCommand } from '../../contract/operations.ts';
import { Failure, type FailureCode } from '../../errors.ts';
import { type Claim, ClaimLost, type Intent, type LateOutcome } from '../../journal/booking.ts';
import { warnOfAnswer } from '../../order/answer.ts';
import { EstimatedDay, hasPriceLimit, isOfDay, offerPrice } from '../../order/limits.ts';
import { targetFlags } from '../../order/options.ts';
import type { Means, Order } from '../../order/order.ts';
import {
  BookingInProgress,
  intentOf,
  meetAfterLoss,
  notSent,
  placedFrom,
  type Sent,
  send,
} from '../../order/place.ts';
import { canDraw } from '../../output/look.ts';
import { duration } from '../../output/moment.ts';
import { costWords } from '../../output/money.ts';
import type { Retry } from '../../service/service.ts';
import {
  type BatchDesk,
  collectWarnings,
  failedResult,
  type JobResult,
  placedResult,
  type RecordWarnings,
  recordDesk,
} from './job.ts';
import { leftByOthers } from './not-sent.ts';
import type { BatchRun } from './open.ts';
import { createQueue, type QueuedRecord } from './queue.ts';
import { lineState, resultLine } from './results.ts';
import { labelsMade, type Stop, stopReason, stopRule, type Tally } from './tally.ts';

/** A record that was under way. */
type Ended = { record: QueuedRecord } & (
  | { kind: 'done'; done: Done }
  /** Its outcome is still to be recorded. `isGivenUp`: it was claimed, and then the run was stopped. */
  | { kind: 'sent'; order: Order; sent: Sent; isGivenUp?: true }
  /** Another process is sending it at this moment. */
  | { kind: 'held' }
  | { kind: 'broken'; error: unknown }
);

/** A record that begins. `plain`: it is only to be booked. */
interface Beginning {
  record: QueuedRecord;
  plain: { order: Order; intent: Intent } | undefined;
}

/** What became of a record, and what was sent for it in this run. */
interface Done {
  result: JobResult;
  warnings: ReturnType<RecordWarnings['take']>;
  wasSent: boolean;
  wasLabelSent: boolean;
}

/** Performs or estimates the queued records. Every record of the input gets its line, also those not started. */
export async function performAll<O>(run: BatchRun<O>): Promise<Stop | undefined> {
  const { desk, job, work, options, spool, tally, outputs, labelFiles } = run;
  const { host, printer, globals, events } = desk;
  const { command } = job.operation;
  const rule = stopRule(options);
  let stop: Stop | undefined;
  let broken: { error: unknown } | undefined;

  const ended: Ended[] = [];
  let underWay = 0;
  let wake = () => {};
  const awake = (): Promise<void> =>
    new Promise(resolve => {
      wake = resolve;
    });
  const end = (one: Ended): void => {
    ended.push(one);
    wake();
  };

  const queue = createQueue(
    spool,
    records => leftByOthers(run, records, queue.putBack),
    options.rate,
    () => wake(),
    host,
  );
  const progress = showProgress(desk, tally, spool.size);
  const onRetry = ({ asked, wait }: Retry) => {
    if (!asked) return;
    queue.pause(wait);
    events.log({ event: 'wait', level: 'info', operation: command, wait });
  };
  const means = run.means && {
    ...run.means,
    service: desk.service.forMany({ onSent() {}, onRetry }),
  };
  // Its price is asked for, or held against a limit.
  const isLimited = means !== undefined && hasPriceLimit(means.limits, job.operation);
  const day = options.estimate ? await dayToEstimate(run) : undefined;
  const onInterrupt = () => {
    void printer.note(
      'stopping: no further record is started. Waiting for the records under way; a second signal leaves them unknown',
    );
    wake();
  };
  host.interrupted.addEventListener('abort', onInterrupt);

  try {
    for (;;) {
      while (ended.length === 0 && !mayStart() && !isOver()) await awake();
      const now = await endedSoFar();
      underWay -= now.length;
      for (const one of now) judge(codeOf(one));
      if (host.interrupted.aborted) stop ??= 'interrupted';
      const next = mayStart() ? await beginnings().catch(breakOff) : [];
      if (now.length > 0 || next.length > 0) await turn(now, next);
      else if (isOver()) break;
    }
  } finally {
    host.interrupted.removeEventListener('abort', onInterrupt);
    await progress.close();
    run.showWarnings(tally.ended);
  }
  if (broken) throw broken.error;
  if (stop !== undefined) endNotStarted(stop);
  return stop;

  function mayStart(): boolean {
    return stop === undefined && underWay < options.concurrency && queue.isOpen;
  }

  function isOver(): boolean {
    return underWay === 0 && ended.length === 0 && (stop !== undefined || queue.isEmpty);
  }

  /** As long as each turn of the event loop brings more, so that they share a commit. */
  async function endedSoFar(): Promise<Ended[]> {
    for (let count = 0; ended.length > count; await host.turn()) count = ended.length;
    return ended.splice(0);
  }

  /** An error of our own: it is thrown when the records under way have ended. */
  function breakOff(error: unknown): [] {
    broken ??= { error };
    stop ??= 'internal';
    return [];
  }

  function judge(code: FailureCode | undefined): void {
    stop ??= rule(code);
  }

  /** The records that begin in this turn, those of which nothing else is to be done with the intents to book them. */
  async function beginnings(): Promise<Beginning[]> {
    const records = await queue.take(options.concurrency - underWay);
    return records.map(record => {
      const isAlone = means === undefined || options.estimate || record.wasPutBack || isLimited;
      if (isAlone || record.needsProposal || !work.isPlain?.(record.options, labelFiles))
        return { record, plain: undefined };
      const order = work.orderOf(record);
      return { record, plain: { order, intent: intentOf(order, means) } };
    });
  }

  async function turn(now: readonly Ended[], next: readonly Beginning[]): Promise<void> {
    const { recorded = [], claims = [] } =
      (await means?.journal.turn(
        now.flatMap(one =>
          one.kind === 'sent' ? { id: one.sent.booking.id, outcome: one.sent.outcome } : [],
        ),
        next.flatMap(({ plain }) => plain?.intent ?? []),
      )) ?? {};
    let answers = 0;
    for (const one of now) {
      await finish(one, one.kind === 'sent' ? recorded[answers++] : undefined).catch(breakOff);
      if (one.kind !== 'sent' || !one.isGivenUp) progress.end();
    }
    if (host.interrupted.aborted) stop ??= 'interrupted';
    let claimed = 0;
    for (const { record, plain } of next) {
      const claim = plain && claims[claimed++];
      if (plain && claim) begin(record, plain.order, claim);
      else doAlone(record);
    }
  }

  /** Sends what was claimed; if the run was stopped since, that is recorded in the next turn. */
  function begin(record: QueuedRecord, order: Order, claim: PromiseSettledResult<Claim>): void {
    if (claim.status === 'rejected') {
      fail(record, claim.reason);
      return;
    }
    if (claim.value.kind !== 'claimed') {
      if (claim.value.booking?.state === 'pending') leave(record);
      else doAlone(record);
      return;
    }
    const { booking } = claim.value;
    underWay += 1;
    if (stop === undefined) {
      progress.begin();
      void send(booking, order, means as Means).then(sent => end({ kind: 'sent', record, order, sent }));
    } else {
      const sent = { booking, outcome: notSent(new Failure('interrupted', STOPPED)) };
      end({ kind: 'sent', record, order, sent, isGivenUp: true });
    }
  }

  /** By its job, as by a command; unless the run was stopped. `lost`: what it was claimed as, and must not be sent again. */
  function doAlone(record: QueuedRecord, lost?: { id: string; order: Order }): void {
    if (stop !== undefined) {
      queue.putBack(record);
      return;
    }
    underWay += 1;
    progress.begin();
    const own = collectWarnings(globals.strict);
    const requests = new Set<OperationCommand>();
    const service = desk.service.forMany({ onSent: one => void requests.add(one), onRetry });
    const at = recordDesk(run, own, service, record.wasPutBack === true);
    const order = work.orderOf(record);
    const perform = () =>
      options.estimate && work.estimate
        ? work.estimate(at, order).then(countEstimate)
        : work.perform(at, order, labelFiles);
    const doing = lost && at.means ? resultAfterLoss(lost, at.means) : perform();
    const doneBy = (result: JobResult): Ended => ({
      record,
      kind: 'done',
      done: {
        result,
        warnings: own.take(),
        wasSent: requests.has(command),
        wasLabelSent: requests.has('label'),
      },
    });
    void doing
      .then(doneBy, (error: unknown): Ended => {
        if (error instanceof BookingInProgress) return { record, kind: 'held' };
        return error instanceof Failure ? doneBy(failedResult(error)) : { record, kind: 'broken', error };
      })
      .then(end);
  }

  /** What is estimated counts against the limit of the day as if it were booked. */
  function countEstimate(result: JobResult): JobResult {
    const { price, currency } = result.facts;
    const priced = offerPrice({ price, currency: currency ?? '' });
    if (priced) day?.take(job.operation, priced, { targetFlags: targetFlags(desk) });
    return result;
  }

  /** `recorded`: what the journal said of its outcome. */
  async function finish(
    one: Ended,
    recorded: PromiseSettledResult<LateOutcome | undefined> | undefined,
  ): Promise<void> {
    const { record } = one;
    if (one.kind === 'broken') breakOff(one.error);
    else if (one.kind === 'held') leave(record);
    else if (one.kind === 'done') report(record, one.done);
    else if (recorded && one.isGivenUp) {
      // It ends as those that were not started, unless that could not be recorded.
      if (recorded.status === 'rejected') fail(record, recorded.reason);
      else queue.putBack(record);
    } else if (recorded && one.sent.thrown instanceof ClaimLost && recorded.status === 'fulfilled')
      doAlone(record, { id: one.sent.booking.id, order: one.order });
    else if (recorded) {
      const done = await doneOf(one.order, one.sent, recorded);
      const code = done.result.failure?.code;
      if (code !== codeOf(one)) judge(code);
      report(record, done);
    }
  }

  async function doneOf(
    order: Order,
    sent: Sent,
    recorded: PromiseSettledResult<LateOutcome | undefined>,
  ): Promise<Done> {
    const own = collectWarnings(globals.strict);
    const wasSent = sent.outcome.state !== 'not_sent';
    let result: JobResult;
    try {
      const placed = placedFrom(sent, recorded, means as Means);
      await warnOfAnswer(placed, order, own.printer);
      result = placedResult(placed);
    } catch (error) {
      result = failedResult(error);
    }
    return { result, warnings: own.take(), wasSent, wasLabelSent: false };
  }

  /** The other records come first; then the journal knows what became of this one. */
  function leave(record: QueuedRecord): void {
    queue.putBack(record);
    queue.metOthers();
  }

  /** The journal could not be written: nothing was sent. */
  function fail(record: QueuedRecord, error: unknown): void {
    if (!(error instanceof Failure)) {
      breakOff(error);
      return;
    }
    const result = failedResult(error);
    judge(result.failure?.code);
    report(record, { result, warnings: [], wasSent: false, wasLabelSent: false });
  }

  /** Writes the line of a record. */
  function report(record: QueuedRecord, { result, warnings, wasSent, wasLabelSent }: Done): void {
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
    for (const { text, always } of warnings) run.warn(record.line, text, always);
    const isLabelled = job.operation.books && (wasSent || wasLabelSent);
    tally.count(line, { isLabelled, labels: labelsMade(result.facts) });
    run.labelJob.add(line, work.hasFollowUp(record.options), result.pages);
    outputs.report(line, record.text === undefined ? undefined : { line: record.line, text: record.text });
    // step: line of a batch written
    if (outputs.failure) stop ??= 'storage';
  }

  function endNotStarted(why: Stop): void {
    // They are no unknown, and not booked above their bound: the run ended before them.
    const code = why === 'outcome_unknown' || why === 'over_price' ? 'interrupted' : why;
    const failure = new Failure(code, `not started: ${stopReason(why)}`);
    const ending = { ...run.origin, state: 'not_sent', started: false, sent: false, failure } as const;
    for (let record = queue.rest(); record; record = queue.rest()) {
      const line = resultLine(record, ending);
      tally.count(line);
      outputs.report(line, undefined);
      run.labelJob.add(line, work.hasFollowUp(record.options));
    }
  }
}

/** The day as it is before the first record; `undefined` if it has no limit. */
async function dayToEstimate<O>({ desk, means }: BatchRun<O>): Promise<EstimatedDay | undefined> {
  const { maxPerDay, perDay } = desk.limits();
  if (maxPerDay === undefined) return undefined;
  return new EstimatedDay(maxPerDay, (await means?.journal.leftOfDay(means.origin, perDay)) ?? maxPerDay);
}

const STOPPED = 'the run was stopped before it was sent';

async function resultAfterLoss(
  { id, order }: { id: string; order: Order },
  means: Means,
): Promise<JobResult> {
  const met = await meetAfterLoss(id, order, means);
  if ('placed' in met) return placedResult(met.placed);
  throw new Error('an order with a key is booked once more');
}

/** The failure that a record ends with, as far as it is known before it is recorded. */
function codeOf(one: Ended): FailureCode | undefined {
  if (one.kind === 'sent') {
    if (one.isGivenUp || one.sent.thrown instanceof ClaimLost) return undefined;
    const { thrown, failure } = one.sent;
    return thrown instanceof Failure ? thrown.code : failure?.code;
  }
  if (one.kind !== 'done') return undefined;
  const { result, wasSent, wasLabelSent } = one.done;
  const { failure } = result;
  // An order that is too dear by itself says nothing about the others.
  if (failure?.code === 'over_budget' && !isOfDay(failure)) return undefined;
  const code = failure?.code;
  // What an earlier run left unknown, or booked too dear, says nothing about the service today.
  const isOld = !wasSent && !wasLabelSent && (code === 'outcome_unknown' || code === 'over_price');
  return isOld ? undefined : code;
}

/** Time between two lines, and between two drawings of the bar, in ms; `IDLE_MS`: if no record ends. */
const LINE_MS = 10_000;
const DRAW_MS = 100;
const IDLE_MS = 1000;
const WIDTH = 12;

/** Shows a bar on a terminal, else a line every ten seconds. `total`: the records to be sent. */
function showProgress({ host, printer, globals }: BatchDesk, tally: Tally, total: number) {
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
