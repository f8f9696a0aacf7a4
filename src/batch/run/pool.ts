// Sends several records of a batch at a time, each like a command of its own. A further record begins only when the line of a record that
// has ended is written: so a crash leaves no more records unknown than are under way, and a results file that cannot be written stops the
// run.

import type { OperationCommand } from '../../contract/operations.ts';
import { knownPrice } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import type { FailureCode } from '../../exit-codes.ts';
import { bookingOrigin } from '../../order/desk.ts';
import { EstimatedDay, isOfDay } from '../../order/limits.ts';
import { BookingInProgress } from '../../order/place.ts';
import { canDraw } from '../../output/look.ts';
import { costWords, duration } from '../../say/words.ts';
import type { Retry } from '../../service/repeat.ts';
import type { Session } from '../../session/session.ts';
import { collectWarnings, failedResult, type JobResult, type RecordWarnings, recordSession } from './job.ts';
import { endRecord, leftByOthers, lineNotSent, ordersOrNone, whyNotSent } from './not-sent.ts';
import type { LinesRun } from './open.ts';
import { type QueuedRecord, RecordQueue } from './queue.ts';
import { lineState, resultLine } from './result-line.ts';
import { labelsMade, type Stop, stopRule, type Tally } from './tally.ts';

/** Performs or estimates the queued records. Every record gets its line, also if it was not started. */
export async function performAll<O>(run: LinesRun<O>): Promise<Stop | undefined> {
  const day = run.options.estimate ? await dayToEstimate(run) : undefined;
  return new Pool(run, day).perform();
}

class Pool<O> {
  readonly #run: LinesRun<O>;
  /** What is left of the limit of the day; absent unless prices are estimated, and there is such a limit. */
  readonly #day: EstimatedDay | undefined;
  readonly #queue: RecordQueue;
  readonly #progress: ReturnType<typeof showProgress>;
  readonly #rule: (code: FailureCode | undefined) => Stop | undefined;
  #stop: Stop | undefined;
  /** An error in our own code: it is thrown when the records under way have ended. */
  #broken: { error: unknown } | undefined;
  #underWay = 0;
  #wake = () => {};

  constructor(run: LinesRun<O>, day: EstimatedDay | undefined) {
    const { session, options, spool, tally } = run;
    this.#run = run;
    this.#day = day;
    this.#rule = stopRule(options);
    const terms = {
      left: (records: readonly QueuedRecord[]) =>
        leftByOthers(run, records, record => this.#queue.putBack(record)),
      perSecond: options.rate,
      onOpen: () => this.#wake(),
    };
    this.#queue = new RecordQueue(spool, terms, session.host);
    this.#progress = showProgress(session, tally, spool.size);
  }

  async perform(): Promise<Stop | undefined> {
    const { session, tally } = this.#run;
    const { interrupted } = session.host;
    const onInterrupt = () => {
      this.#stopFor('interrupted');
      void session.printer.note(
        'stopping: no further record is started. Waiting for the records under way; a second signal leaves them unknown',
      );
      this.#wake();
    };
    interrupted.addEventListener('abort', onInterrupt);
    if (interrupted.aborted) this.#stop = 'interrupted';
    try {
      await this.#beginAll();
    } finally {
      interrupted.removeEventListener('abort', onInterrupt);
      await this.#progress.close();
      this.#run.showWarnings(tally.ended);
    }
    if (this.#broken) throw this.#broken.error;
    if (this.#stop !== undefined) await this.#endNotStarted(this.#stop);
    return this.#stop;
  }

  /** Begins the records, as many at a time as are allowed, until all have ended. */
  async #beginAll(): Promise<void> {
    const { concurrency } = this.#run.options;
    for (;;) {
      const mayBegin = this.#stop === undefined;
      if (mayBegin && this.#underWay < concurrency && this.#queue.isOpen) await this.#beginNext();
      else if (this.#underWay > 0 || (mayBegin && !this.#queue.isEmpty))
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
      else return;
    }
  }

  async #beginNext(): Promise<void> {
    try {
      const record = await this.#queue.next();
      if (record === undefined) return;
      if (this.#stop !== undefined) return this.#queue.putBack(record);
      this.#underWay += 1;
      this.#progress.begin();
      void this.#performRecord(record)
        .catch(error => this.#breakOff(error))
        .then(() => {
          this.#underWay -= 1;
          this.#progress.end();
          this.#wake();
        });
    } catch (error) {
      this.#breakOff(error);
    }
  }

  #breakOff(error: unknown): void {
    this.#broken ??= { error };
    this.#stopFor('internal');
  }

  /** The first reason to stop counts; but any other reason replaces the limit of the day, which stops only records that are not claimed. */
  #stopFor(why: Stop | undefined): void {
    if (why !== undefined && (this.#stop === undefined || this.#stop === 'over_budget')) this.#stop = why;
  }

  /** Why a record is not sent. The limit of the day does not stop a claimed record: its price has room in the limit already. */
  #stopped(isClaimed: boolean): Failure | undefined {
    return this.#stop === undefined || (this.#stop === 'over_budget' && isClaimed)
      ? undefined
      : new Failure('interrupted', 'the run was stopped before it was sent');
  }

  /** Performs a record by its job, as a command would. */
  async #performRecord(record: QueuedRecord): Promise<void> {
    const { session, job, work, options, labelFiles } = this.#run;
    const { command } = job.operation;
    const warnings = collectWarnings(session.printer, session.globals.strict);
    const requests = new Set<OperationCommand>();
    const service = session.service.forMany({
      onSent: sent => void requests.add(sent),
      onRetry: retry => this.#onRetry(retry),
    });
    const stopped = (isClaimed: boolean) => this.#stopped(isClaimed);
    const waits = record.wasPutBack === true;
    const ofRecord = recordSession(this.#run, warnings, { service, stopped, waits });
    const order = work.orderOf(record);
    let result: JobResult;
    try {
      result =
        options.estimate && work.estimate
          ? this.#counted(await work.estimate(ofRecord, order))
          : await work.perform(ofRecord, order, labelFiles);
    } catch (error) {
      if (error instanceof BookingInProgress) return this.#leave(record);
      result = failedResult(error);
    }
    const wasSent = requests.has(command);
    const wasLabelSent = requests.has('label');
    // A record that was stopped before anything was sent for it counts as not started.
    const hadBegun = wasSent || wasLabelSent;
    if (this.#stop !== undefined && result.failure?.code === 'interrupted' && !hadBegun)
      return this.#queue.putBack(record);
    this.#stopFor(this.#rule(codeOf(result, hadBegun)));
    this.#report(record, result, { warnings: warnings.take(), wasSent, wasLabelSent });
  }

  #onRetry(retry: Retry): void {
    const { asked, wait } = retry;
    if (!asked) return;
    this.#queue.pause(wait);
    const { session, job } = this.#run;
    session.events.log({ event: 'wait', level: 'info', operation: job.operation.command, wait });
  }

  /** The result, whose estimated price counts against the limit of the day as if it were booked. */
  #counted(result: JobResult): JobResult {
    const price = knownPrice(result.facts);
    if (price) this.#day?.take(this.#run.job.operation, price, this.#run.session);
    return result;
  }

  /** Leaves a record that another process is sending: when its turn comes again, the journal knows what became of it. */
  #leave(record: QueuedRecord): void {
    this.#queue.putBack(record);
    this.#queue.metOthers();
  }

  #report(record: QueuedRecord, result: JobResult, sent: Sent): void {
    const { warnings, wasSent, wasLabelSent } = sent;
    const { job, work, options, origin, outputs, labelJob } = this.#run;
    const state = options.estimate && !result.failure ? 'estimated' : lineState(job.operation, result);
    const line = resultLine(record, { ...origin, ...result, state, sent: wasSent });
    // Another runner created the record after the input was read.
    if (line.state === 'created' && !wasSent && !record.wasPutBack && !work.hasFollowUp(record.options))
      this.#queue.metOthers();
    for (const { text, always } of warnings) this.#run.warn(record, text, always);
    const labels = labelsMade(result.facts);
    const isLabelled = job.operation.books && (wasSent || wasLabelSent);
    const newLabels = isLabelled ? (result.newLabels ?? labels) : 0;
    const raw = record.text === undefined ? undefined : { line: record.line, text: record.text };
    endRecord(this.#run, { line, labels, newLabels }, raw);
    labelJob.add(line, work.hasFollowUp(record.options), result.pages);
    // step: line of a batch written
    if (outputs.failure) this.#stopFor('storage');
  }

  /** Ends the records that were not started. Some may be booked already, and lack only their label. */
  async #endNotStarted(why: Stop): Promise<void> {
    const { work, labelJob } = this.#run;
    for (let records = this.#queue.rest(); records.length > 0; records = this.#queue.rest()) {
      const orderOf = await ordersOrNone(this.#run, records);
      for (const record of records) {
        const order = orderOf(record);
        const reason = whyNotSent(this.#run, record, order?.booking, why) ?? 'stopped';
        const counted = await lineNotSent(this.#run, record, order, reason, why);
        endRecord(this.#run, counted);
        labelJob.add(counted.line, work.hasFollowUp(record.options));
      }
    }
  }
}

/** What is left of the limit of the day before the first record; `undefined` if there is no limit. */
async function dayToEstimate<O>(run: LinesRun<O>): Promise<EstimatedDay | undefined> {
  const { session, desk } = run;
  const { maxPerDay, perDay } = session.limits();
  if (maxPerDay === undefined) return undefined;
  return new EstimatedDay(
    maxPerDay,
    (await desk?.journal.leftOfDay(bookingOrigin(desk), perDay)) ?? maxPerDay,
  );
}

/** The warnings of a record, and what was sent for it in this run. */
interface Sent {
  warnings: ReturnType<RecordWarnings['take']>;
  wasSent: boolean;
  wasLabelSent: boolean;
}

/** The code of a failure that may concern other records, too; else `undefined`. `isNew`: was something sent for the record in this run? */
function codeOf(result: JobResult, isNew: boolean): FailureCode | undefined {
  const { failure, isUnlabelled } = result;
  // An order that is too dear by itself says nothing about other orders.
  if (failure?.code === 'over_budget' && !isOfDay(failure)) return undefined;
  // The cause of a missing label says more than that the label is missing.
  const code = isUnlabelled && failure?.cause instanceof Failure ? failure.cause.code : failure?.code;
  // What an earlier run left unknown, or booked too dear, says nothing about the service today.
  const isOld = !isNew && (code === 'outcome_unknown' || code === 'over_price');
  return isOld ? undefined : code;
}

/** In ms: `LINE_MS` between two lines, `DRAW_MS` between two drawings of the bar, `IDLE_MS` between drawings while no record ends. */
const LINE_MS = 10_000;
const DRAW_MS = 100;
const IDLE_MS = 1000;
const WIDTH = 12;

/** Shows how far the run is: by a bar on a terminal, else by a line every ten seconds. `total`: how many records are to be sent. */
function showProgress(session: Session, tally: Tally, total: number) {
  const { host, printer, globals } = session;
  const drawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  const before = tally.ended;
  const start = host.monotonic();
  let begun = 0;
  let ended = 0;

  /** How far the run is: `[####--------] 12/30 done, 1 failed, 4 in flight, 4.1/s, 5 s left, 31.20 EUR`. */
  function words(): string {
    const done = tally.ended - before;
    const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const elapsed = host.monotonic() - start;
    const perSecond = elapsed > 0 ? (done * 1000) / elapsed : 0;
    return [
      `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total} done`,
      ...(tally.failed > 0 ? [`${tally.failed} failed`] : []),
      ...(tally.unknown > 0 ? [`${tally.unknown} unknown`] : []),
      `${begun - ended} in flight`,
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
  // The bar is drawn while no record ends, too: it would else show the old rate of a service that has stopped.
  const ms = drawn ? IDLE_MS : LINE_MS;
  const showLater = () => {
    show();
    stop = host.deadline(ms, showLater);
  };
  let stop = host.deadline(ms, showLater);
  return {
    begin(): void {
      begun += 1;
    },
    /** Counts a record that has ended, or is put back. */
    end(): void {
      ended += 1;
      if (drawn && host.now() - shownAt >= DRAW_MS) show();
    },
    async close(): Promise<void> {
      stop();
      await printer.progress('');
    },
  };
}
