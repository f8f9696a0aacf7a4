import { join } from 'node:path';
import { type Input, type InputFormat, inputFormat, openInput } from '../batch/input.ts';
import { type InputMap, readMap } from '../batch/map.ts';
import { createPace } from '../batch/pace.ts';
import { exitCodeFor, runAll, type Stop } from '../batch/run.ts';
import { openSpool, type Spool, type Waiting } from '../batch/spool.ts';
import type { Journal } from '../booking/journal.ts';
import type { Issue } from '../contract/operation.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { interruption } from '../host.ts';
import { stateFolder } from '../profile/folders.ts';
import { guardResults } from './batch-guard.ts';
import { resultLine } from './batch-line.ts';
import { type OutputNames, type Outputs, openOutputs, outputNames } from './batch-outputs.ts';
import { showProgress } from './batch-progress.ts';
import { readAll } from './batch-read.ts';
import { finished, recordSession } from './batch-record.ts';
import { runFailure, type Summary, stopWord, summaryView } from './batch-summary.ts';
import { createTally, type Tally } from './batch-tally.ts';
import { askFirst, mustAsk, readyToBook } from './booking.ts';
import { bytesOf, readObject } from './files.ts';
import type { Job } from './job.ts';
import { type LabelFileOptions, prepareFolder } from './label-files.ts';
import type { Session } from './session.ts';

/** Faults and doubts that are told one by one; of the rest, how many there are. */
const TOLD = 50;

/** The options of every batch. */
export interface BatchOptions {
  format?: InputFormat;
  keyColumn: string;
  map?: string;
  skipInvalid?: boolean;
  concurrency: number;
  /** Records a second. */
  rate?: number;
  maxUnknown: number;
  results?: string;
  failed?: string;
  retryRejected?: boolean;
  dryRun?: boolean;
  estimate?: boolean;
  newJournal?: boolean;
}

/** One run of a batch, with all that it reads and writes. */
interface Run<O> {
  session: Session;
  job: Job<O>;
  options: O & BatchOptions;
  path: string;
  names: OutputNames;
  input: Input;
  map: InputMap | undefined;
  journal: Journal | undefined;
  /** Where labels go. */
  folder: string | undefined;
  tally: Tally;
  outputs: Outputs;
  spool: Spool;
}

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
  const run = await begin(session, job, options, path);
  const { spool, outputs, tally } = run;
  let stop: Stop | undefined;
  try {
    await readInput(run);
    if (!dryRun) await ask(run);
    outputs.publish();
    if (!dryRun || estimate) {
      stop = await send(run);
      reportLeft(run, stop);
    }
  } finally {
    outputs.close();
    spool.close();
  }
  const summary = summaryOf(run, stop);
  await session.printer.result(summary, summaryView);
  const failure = runFailure(session, summary, tally, stop);
  if (failure) throw failure;
}

/** Opens what a run reads and writes; whatever stands against it is told before the input is read. */
async function begin<O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
): Promise<Run<O>> {
  const { host } = session;
  const { operation } = job;
  const { dryRun = false, estimate = false, keyColumn } = options;
  host.keepMemoryFlat();
  job.check?.(options);
  const names = outputNames(path, operation.command, options, host);
  const format = inputFormat(path, options.format);
  const map =
    options.map === undefined ? undefined : readMap(await readObject(options.map, host), options.map);
  const calls = !dryRun || estimate;
  if (calls) await (operation.books ? readyToBook(session, operation) : session.client(operation));
  const folder = dryRun ? undefined : prepareFolder(session, options as LabelFileOptions);
  const journal = operation.books
    ? await (dryRun ? session.journalIfThere() : session.journal(options.newJournal))
    : undefined;
  if (calls) await guardResults(session, operation.command, names.results, names.format);
  const input = openInput(bytesOf(path, host), {
    format,
    name: path === '-' ? 'stdin' : path,
    fields: job.fields,
    ...(job.packages && { packages: job.packages }),
    keyColumn,
    ...(map && { map }),
    allowUnknown: 'allowUnknown' in options && options.allowUnknown === true,
  });
  const spool = await openSpool(join(stateFolder(host), `spool-${host.process.id}-${host.random()}.db`));
  return {
    ...{ session, job, options, path, names, input, map, journal, folder, spool },
    tally: createTally(),
    outputs: openOutputs(names, calls, input, host),
  };
}

/** Reads and validates all of it. Throws `invalid_request` with the faults, unless they are to be skipped. */
async function readInput<O extends object>(run: Run<O>): Promise<void> {
  const { session, job, options, path, map, tally, outputs } = run;
  const faults: Issue[] = [];
  let doubts = 0;
  await readAll({
    ...run,
    keyColumn: options.keyColumn,
    terms: JSON.stringify([job.operation.command, options, map, await job.referred?.(session, options)]),
    retryRejected: options.retryRejected ?? false,
    keepText: options.failed !== undefined,
    ended(line, piece) {
      for (const issue of line.state === 'invalid' ? (line.error?.issues ?? []) : [])
        if (faults.length < TOLD)
          faults.push({ ...issue, path: `line ${line.line}${issue.path && `: ${issue.path}`}` });
      tally.count(line);
      outputs.report(line, piece);
    },
    doubt(line, warning) {
      doubts += 1;
      if (doubts <= TOLD) void session.printer.warn(`line ${line}: ${warning}`);
    },
  });
  if (doubts > TOLD) await session.printer.warn(`and ${doubts - TOLD} more of that kind`);
  const invalid = tally.states.invalid ?? 0;
  if (invalid === 0) return;
  const records = tally.ended + run.spool.size;
  const message = `batch ${job.operation.command}: ${invalid} of the ${records} records of ${path} ${invalid === 1 ? 'is' : 'are'} not valid`;
  if (!options.skipInvalid)
    throw new Failure(
      'invalid_request',
      `${message}; nothing was sent${invalid > TOLD ? `. The first ${TOLD} faults:` : ''}`,
      { operation: job.operation.command, issues: faults },
    );
  await session.printer.warn(
    `${message}, and left out: ${faults.map(({ path: at, message: why }) => `${at} ${why}`).join('; ')}`,
  );
}

async function ask<O>({ session, job: { operation }, spool }: Run<O>): Promise<void> {
  if (operation.books && spool.size > 0 && mustAsk(session))
    await askFirst(session, operation, `${operation.command} for ${spool.size} records`);
}

/** Performs what waits, or asks what it would cost. */
async function send<O extends object>(run: Run<O>): Promise<Stop | undefined> {
  const { session, job, options, spool, tally, outputs, folder } = run;
  const { host, printer } = session;
  const pace = createPace(options.rate, host);
  const progress = showProgress(session, tally, spool.size);
  const told = () =>
    void printer.note(
      'stopping: no further record is started, and those that are under way are waited for; a second signal leaves them unknown',
    );
  host.interrupted.addEventListener('abort', told);

  async function perform(record: Waiting): Promise<FailureCode | undefined> {
    const quiet = recordSession(session, job, (_, ms, asked) => {
      if (asked) pace.pause(ms);
    });
    const { line, failure } = await finished(job, quiet, record, {
      estimate: options.estimate ?? false,
      perform: () =>
        options.estimate && job.estimate
          ? job.estimate(quiet.session, options, record)
          : job.perform(quiet.session, options, record, folder),
    });
    for (const warning of quiet.warnings) await printer.warn(`line ${record.line}: ${warning}`);
    const { line: number, text } = record;
    tally.count(line);
    outputs.report(line, text === undefined ? undefined : { line: number, text });
    progress.tick();
    // One that an earlier run left unknown says nothing of the service as it is now.
    return failure?.code === 'outcome_unknown' && !line.sent ? undefined : failure?.code;
  }

  try {
    return await runAll(() => spool.next(), perform, options, pace, host);
  } finally {
    host.interrupted.removeEventListener('abort', told);
    await progress.end();
  }
}

/** Each record of the input has its line, those too that were not begun. */
function reportLeft<O>({ session, spool, tally, outputs }: Run<O>, stop: Stop | undefined): void {
  if (stop === undefined) return;
  const { sandbox } = session.target();
  const code = stop.why === 'failure' ? stop.code : stop.why === 'signal' ? 'interrupted' : 'outcome_unknown';
  const failure = new Failure(code, 'not begun: the run was stopped before');
  for (let record = spool.next(); record; record = spool.next()) {
    const line = resultLine(record, { state: 'not_sent', exitCode: null, sent: false, sandbox, failure });
    tally.count(line);
    outputs.report(line, undefined);
  }
}

function summaryOf<O>(
  { session, job, options, path, names, tally, spool }: Run<O>,
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
      storage: tally.storage,
      failed: tally.failed > 0,
    }),
  };
}
