import type { Failure } from '../../errors.ts';
import type { SettableOption } from '../../order/options.ts';
import type { BatchDesk } from './desk.ts';
import type { Job } from './job.ts';
import { type BatchOptions, type BatchRun, openBatch } from './open.ts';
import { readInput } from './read-input.ts';
import type { Stop } from './stop.ts';
import { batchFailure, summaryOf, summaryView, toSendWords } from './summary.ts';
import { performAll } from './turns.ts';

/** Runs an operation over the records of a file. Throws the failure that it ends with, after the summary is shown. */
export async function runBatch<O extends object>(
  desk: BatchDesk,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
  settable: readonly SettableOption[] = [],
): Promise<void> {
  const run = await openBatch(desk, job, options, path, settable);
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
    await desk.printer.note(
      `${run.outputs.removed} is removed: it had records that failed in an earlier run, and none failed in this one`,
    );
  const unfinished = run.sends ? await run.labelJob.finish() : [];
  const failure = invalid ?? batchFailure(run, stop, unfinished);
  const summary = summaryOf(run, stop, failure);
  const { records, sent, already, states } = summary;
  if (run.sends) logBatch(run, 'batch-end', { records, sent, already, ...states }, failure);
  await desk.printer.result(summary, summaryView);
  if (failure) throw failure;
}

function logBatch<O>(
  { desk, job }: BatchRun<O>,
  event: 'batch-start' | 'batch-end',
  counts: Record<string, number>,
  failure?: Failure,
): void {
  const { command: operation } = job.operation;
  desk.events.log({
    event,
    level: failure ? 'error' : 'info',
    operation,
    counts,
    error: failure?.code ?? null,
  });
}

async function confirmAll<O>(run: BatchRun<O>): Promise<void> {
  const { desk, job, work, spool, tally } = run;
  const { operation } = job;
  const estimate = async () => (await import('./estimate.ts')).estimateAll(run);
  const counts = { toSend: spool.size, warned: tally.warned };
  if (operation.books && spool.size > 0)
    await desk.confirm(
      operation,
      () => `${operation.command} for ${toSendWords(counts, ' records')}`,
      work.estimate && estimate,
    );
}
