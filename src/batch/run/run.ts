import { BookingInProgress } from '../../booking/book.ts';
import type { Issue } from '../../contract/operation.ts';
import { Failure, type FailureCode } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import { askFirst, mustAsk } from '../../orders/book-once.ts';
import type { Session } from '../../session/session.ts';
import type { Job } from './job.ts';
import { type BatchOptions, type BatchRun, MAX_LISTED, openBatch } from './open.ts';
import { leftByOthers } from './others.ts';
import { showProgress } from './progress.ts';
import { readAll } from './read-input.ts';
import { createRecordPicker, type RecordPicker } from './record-picker.ts';
import { finished, recordSessions } from './record-session.ts';
import { type ResultLine, resultLine } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';
import { runFailure, type Summary, stopWord, stopWords, summaryView } from './summary.ts';
import { createThrottle } from './throttle.ts';
import { exitCodeFor, runWorkers, type Stop } from './workers.ts';

/** Runs an operation over the records of a file. Throws what it failed by, after the summary was shown. */
export async function runBatch<O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
): Promise<void> {
  const { dryRun = false, estimate = false } = options;
  if (estimate && !dryRun)
    throw new Failure('usage', '--estimate goes with --dry-run: it asks for prices and books nothing');
  const run = await openBatch(session, job, options, path);
  const { spool, outputs, tally } = run;
  let stop: Stop | undefined;
  let refused: Failure | undefined;
  try {
    refused = await readInput(run);
    // A dry run counts what is left, too.
    if (refused && (!dryRun || estimate)) throw refused;
    if (!dryRun) await ask(run);
    outputs.publish();
    if (!dryRun || estimate) {
      const ahead = aheadOf(run);
      stop = await send(run, ahead);
      reportLeft(run, stop, ahead);
    }
  } finally {
    written(run, () => outputs.close());
    spool.close();
  }
  const summary = { ...summaryOf(run, stop), ...(refused && { exitCode: refused.exitCode }) };
  await session.printer.result(summary, summaryView);
  const failure = refused ?? runFailure(session, summary, tally, stop, run.unwritten);
  if (failure) throw failure;
}

/** Reads and validates all of it. Gives `invalid_request` with the faults, unless they are to be skipped. */
async function readInput<O extends object>(run: BatchRun<O>): Promise<Failure | undefined> {
  const { session, job, options, path, map, tally, outputs } = run;
  const faults: Issue[] = [];
  const common = await job.sharedParts?.(session, options);
  await readAll({
    ...run,
    keyColumn: options.keyColumn,
    common,
    terms: JSON.stringify([
      // What flags refer to lies in files, which may be changed between two runs.
      ...[job.operation.command, termsOf(options), map, common?.extra],
      // What `@small` of a record means may be changed between two runs, too.
      job.packages && session.target().profile.parcels,
    ]),
    retryRejected: options.retryRejected ?? false,
    keepText: options.failed !== undefined,
    ended(line, piece) {
      for (const issue of line.state === 'invalid' ? (line.error?.issues ?? []) : [])
        if (faults.length < MAX_LISTED)
          faults.push({ ...issue, path: `line ${line.line}${issue.path && `: ${issue.path}`}` });
      tally.count(line);
      outputs.report(line, piece);
    },
  });
  const invalid = tally.states.invalid ?? 0;
  if (invalid === 0) return undefined;
  const records = tally.ended + run.spool.size;
  const message = `batch ${job.operation.command}: ${invalid} of the ${records} records of ${path} ${invalid === 1 ? 'is' : 'are'} not valid`;
  if (!options.skipInvalid)
    return new Failure(
      'invalid_request',
      `${message}; nothing was sent${invalid > MAX_LISTED ? `. The first ${MAX_LISTED} faults:` : ''}`,
      { operation: job.operation.command, issues: faults },
    );
  await session.printer.warn(
    `${message}, and left out: ${faults.map(({ path: at, message: why }) => `${at} ${why}`).join('; ')}`,
  );
  return undefined;
}

/** Options by which the runs of one file may differ, and which say nothing of what is sent. */
const OF_THE_RUN: readonly (keyof BatchOptions)[] = [
  ...(['results', 'failed', 'concurrency', 'rate', 'maxUnknown', 'skipInvalid', 'retryRejected'] as const),
  'newJournal',
];

const termsOf = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !OF_THE_RUN.some(one => one === name)));

async function ask<O>({ session, job: { operation }, spool }: BatchRun<O>): Promise<void> {
  if (operation.books && spool.size > 0 && mustAsk(session))
    await askFirst(session, operation, `${operation.command} for ${spool.size} records`);
}

function aheadOf<O extends object>(run: BatchRun<O>): RecordPicker {
  const { session, spool } = run;
  const ahead = createRecordPicker(
    spool,
    records =>
      leftByOthers(run, records, {
        putBack: record => ahead.putBack(record),
        ended: line => endUnsent(run, line),
      }),
    session.host.random,
  );
  return ahead;
}

/** Performs what waits, or asks what it would cost. */
async function send<O extends object>(run: BatchRun<O>, ahead: RecordPicker): Promise<Stop | undefined> {
  const { session, job, options, spool, tally, outputs, folder } = run;
  const { host, printer } = session;
  const goesOn = job.hasFollowUp?.(options) ?? false;
  const pace = createThrottle(options.rate, host);
  const progress = showProgress(session, tally, spool.size);
  const told = () =>
    void printer.note(
      'stopping: no further record is started, and those that are under way are waited for; a second signal leaves them unknown',
    );
  host.interrupted.addEventListener('abort', told);

  const sessionFor = recordSessions(session, job, (_, ms, asked) => {
    if (asked) pace.pause(ms);
  });

  async function perform(record: QueuedRecord): Promise<FailureCode | undefined> {
    const quiet = sessionFor(!record.wasPutBack);
    let ended: Awaited<ReturnType<typeof finished>>;
    try {
      ended = await finished(job, quiet, record, {
        estimate: options.estimate ?? false,
        perform: () =>
          options.estimate && job.estimate
            ? job.estimate(quiet.session, options, record)
            : job.perform(quiet.session, options, record, folder),
      });
    } catch (error) {
      if (!(error instanceof BookingInProgress)) throw error;
      // Another runner has it: the others come first, and what became of it is looked at in the end.
      ahead.putBack(record);
      ahead.metOthers();
      return undefined;
    }
    const { line, failure } = ended;
    // It was not there when the input was read.
    if (line.state === 'created' && !line.sent && !record.wasPutBack && !goesOn) ahead.metOthers();
    const { line: number, text } = record;
    for (const warning of quiet.warnings) run.warn(number, warning);
    tally.count(line);
    progress.tick();
    if (!written(run, () => outputs.report(line, text === undefined ? undefined : { line: number, text })))
      return 'storage';
    // One that an earlier run left unknown says nothing of the service as it is now.
    return failure?.code === 'outcome_unknown' && !line.sent ? undefined : failure?.code;
  }

  const turn = async () => {
    await pace.turn();
    await ahead.refill();
  };
  try {
    return await runWorkers(ahead.next, perform, options, { ...pace, turn }, host);
  } finally {
    host.interrupted.removeEventListener('abort', told);
    await progress.end();
  }
}

/** Each record of the input has its line, those too that were not begun. */
function reportLeft<O>(run: BatchRun<O>, stop: Stop | undefined, ahead: RecordPicker): void {
  if (stop === undefined) return;
  const { session } = run;
  const { sandbox } = session.target();
  const code = stop.why === 'failure' ? stop.code : stop.why === 'signal' ? 'interrupted' : 'unavailable';
  const failure = new Failure(code, `not begun: ${stopWords(stop)}`);
  for (let record = ahead.next(); record; record = ahead.next()) {
    const line = resultLine(record, { state: 'not_sent', exitCode: null, sent: false, sandbox, failure });
    endUnsent(run, line);
  }
}

/** Notes the end of a record of which this run has sent nothing. */
function endUnsent<O>(run: BatchRun<O>, line: ResultLine): void {
  run.tally.count(line);
  written(run, () => run.outputs.report(line, undefined));
}

/** A disk that is full must not cost the summary: what was booked is booked, and in the journal. */
function written(run: Pick<BatchRun<never>, 'unwritten'>, write: () => void): boolean {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    run.unwritten ??= error;
  }
  return run.unwritten === undefined;
}

function summaryOf<O>(
  { session, job, options, path, names, tally, spool, unwritten }: BatchRun<O>,
  stop: Stop | undefined,
): Summary {
  const { host } = session;
  const { dryRun = false, estimate = false } = options;
  const signal = stop?.why === 'signal' ? interruption(host.interrupted, '').exitCode : 0;
  const waiting = dryRun && !estimate ? spool.size : 0;
  return {
    operation: job.operation.command,
    input: path,
    results: dryRun && !estimate ? null : names.results,
    failed: names.failed ?? null,
    sandbox: session.target().sandbox,
    dryRun,
    records: tally.ended + waiting,
    sent: tally.sent,
    toSend: spool.size,
    already: tally.already,
    states: tally.states,
    cost: tally.cost,
    stopped: stopWord(stop, String(host.interrupted.reason)),
    exitCode: exitCodeFor(stop, {
      signal,
      unknown: tally.unknown > 0,
      storage: tally.storage || unwritten !== undefined,
      failed: tally.failed > 0,
    }),
  };
}
