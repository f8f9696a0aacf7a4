import type { Failure } from '../../errors.ts';
import { stopIfInterrupted } from '../../host/signals.ts';
import { confirmBooking } from '../../order/desk.ts';
import type { SettableOption } from '../../order/options.ts';
import { isDemo } from '../../profile/target.ts';
import type { Session } from '../../session/session.ts';
import { nameWords } from '../../text.ts';
import { dearestWords, figureRows } from './figures.ts';
import type { Job } from './job.ts';
import { type BatchOptions, type BatchRun, openBatch } from './open.ts';
import { type LineOutput, openLabelJob } from './outputs.ts';
import { performAll } from './pool.ts';
import { Spool } from './queue.ts';
import { readInput } from './read-input.ts';
import { batchFailure, costOf, summaryOf, summaryView, toSendWords } from './summary.ts';
import { type Stop, stopReason, Tally } from './tally.ts';

/** Runs an operation over the records of a file. Throws the failure that it ends with, after the summary is shown. */
export async function runBatch<O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
  settable: readonly SettableOption[] = [],
): Promise<void> {
  const run = await openBatch(session, job, options, path, settable);
  let stop: Stop | undefined;
  let invalid: Failure | undefined;
  let ended: Parameters<typeof run.outputs.close>[0] = 'none';
  try {
    invalid = await readInput(run);
    // A run that sends nothing goes on, to count the valid records, too.
    if (invalid && run.sends) throw invalid;
    if (!options.dryRun) await confirmAll(run);
    await run.outputs.publish(claimantOf(run));
    if (run.sends) {
      ended = 'some';
      logBatch(run, 'batch-start', { toSend: run.spool.size, already: run.tally.already });
      stop = await performAll(run);
      ended = 'all';
    }
  } finally {
    const isDone = ended === 'all' && !options.dryRun && stop === undefined && run.tally.failed === 0;
    await run.outputs.close(ended, isDone);
    run.spool.close();
  }
  await run.outputs.tell(path);
  const unfinished = run.sends ? await run.labelJob.finish() : [];
  // The signal may have come after the last record.
  if (session.host.interrupted.aborted) stop ??= 'interrupted';
  const failure = invalid ?? batchFailure(run, stop, unfinished);
  const summary = summaryOf(run, stop, failure);
  const { records, sent, already, states } = summary;
  if (run.sends) logBatch(run, 'batch-end', { records, sent, already, ...states }, failure);
  await session.service.noteOrigin();
  await session.printer.result(summary, summaryView(run));
  if (options.dryRun && job.operation.books) await session.refuseUnfit();
  if (failure) throw failure;
}

/** The journal for which results are claimed. A run that books nothing, or in the demo, claims nothing. */
const claimantOf = <O>(run: BatchRun<O>) =>
  run.options.dryRun || isDemo(run.origin.place) ? undefined : run.desk?.journal;

function logBatch<O>(
  run: BatchRun<O>,
  event: 'batch-start' | 'batch-end',
  counts: Record<string, number>,
  failure?: Failure,
): void {
  const { session, job } = run;
  const { command: operation } = job.operation;
  session.events.log({
    event,
    level: failure ? 'error' : 'info',
    operation,
    counts,
    error: failure?.code ?? null,
  });
}

async function confirmAll<O>(run: BatchRun<O>): Promise<void> {
  const { session, job, work, spool, tally } = run;
  const { operation } = job;
  const counts = { toSend: spool.size, warned: tally.warned };
  if (operation.books && spool.size > 0)
    await confirmBooking(
      session,
      operation,
      place => `${operation.command} for ${toSendWords(counts, ' records')} (${place})`,
      {
        page: () => showFigures(run),
        estimate: work.estimate && (() => estimateAll(run)),
      },
    );
}

/** Shows what is to be booked, in figures that the shop has, too. */
async function showFigures<O>(run: BatchRun<O>): Promise<void> {
  const { session, figures } = run;
  const rows = figureRows(figures.goods);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`);
  if (lines.length > 0) await session.printer.note('to be booked; compare it with your shop:', lines);
}

const MAX_LISTED = 10;

/** Asks for prices as a dry run does, and says what all records cost, with which carriers, and which have none. */
export async function estimateAll<O>(run: BatchRun<O>): Promise<void> {
  const { host, printer } = run.session;
  const tally = new Tally(run.job.operation);
  const spool = new Spool(host);
  const carriers = new Map<string, number>();
  for (const record of run.spool.all()) if (record.booked === undefined) spool.add([record]);
  const outputs: LineOutput = {
    failure: undefined,
    report(line) {
      const { state, carrier } = line;
      const name = carrier ? nameWords(carrier) : 'not known';
      if (state === 'estimated') carriers.set(name, (carriers.get(name) ?? 0) + 1);
    },
  };
  const options = { ...run.options, estimate: true };
  const asking = { ...run, options, tally, spool, outputs, labelJob: openLabelJob(undefined, undefined) };
  const stop = await performAll(asking).finally(() => spool.close());
  stopIfInterrupted(host);

  const byCarrier = [...carriers]
    .sort(([, left], [, right]) => right - left)
    .map(([carrier, count]) => `${carrier} ${count}`);
  await printer.note(
    `estimate of ${tally.states.estimated ?? 0} of ${run.spool.size} records: ${costOf(tally.booked) || 'no price'}. By carrier: ${byCarrier.join(', ') || 'none'}`,
  );
  const postage = dearestWords(tally.dearestPostage.list);
  if (postage !== '')
    await printer.note('the dearest; a weight or a value with a slipped decimal point shows here:', [
      `  Dearest goods    ${dearestWords(run.figures.goods.dearest)}`,
      `  Dearest postage  ${postage}`,
    ]);
  const { failed, notStarted, faults } = tally;
  const fallen = failed - notStarted;
  if (fallen > 0) {
    const { issues, covered } = faults.listed(spool.size, MAX_LISTED, stop);
    const unlisted = faults.count - covered;
    await printer.note(fallen === 1 ? '1 record falls out:' : `${fallen} records fall out:`, [
      ...issues.map(({ path, message }) => `  ${path}: ${message}`),
      ...(unlisted > 0 ? [`  and ${unlisted} more`] : []),
    ]);
  }
  if (stop) await printer.note(`the estimate stopped, because ${stopReason(stop)}`);
}
