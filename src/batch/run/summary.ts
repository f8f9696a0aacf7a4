import { extname } from 'node:path';
import { AT_WORK_MINUTES } from '../../booking/standing.ts';
import { Failure, type FailureFacts } from '../../errors.ts';
import type { FailureCode } from '../../exit-codes.ts';
import { interruption } from '../../host/signals.ts';
import { type LabelFileOptions, optionWords, PAPERS, targetFlags } from '../../order/options.ts';
import { type Costs, costNumbers } from '../../output/money.ts';
import type { View } from '../../output/print.ts';
import type { Summary } from '../../output/schemas.ts';
import { toldTime } from '../../output/shipment.ts';
import { type ListColumn, listTable, pairs } from '../../output/table.ts';
import { codeWords, costWords } from '../../say/words.ts';
import { commandText, operands, operandWords, shellWord } from '../../text.ts';
import { inputFormat } from '../input.ts';
import { figureRows } from './figures.ts';
import { type BatchRun, RUN_OPTIONS } from './open.ts';
import { type Stop, stopReason, type Tally, type Tracked } from './tally.ts';

const MAX_LISTED = 10;

export function summaryOf<O>(
  run: BatchRun<O>,
  stop: Stop | undefined,
  failure: Failure | undefined,
): Summary {
  const { session, job, options, path, tally, spool } = run;
  return {
    operation: job.operation.command,
    input: path,
    results: run.outputs.results ?? null,
    failed: run.outputs.failed ?? null,
    failedKept: run.outputs.failedKept ?? null,
    sandbox: session.target().sandbox,
    dryRun: options.dryRun ?? false,
    records: recordCount(run),
    leftOut: run.leftOut.count,
    sent: tally.sent,
    toSend: spool.size,
    warned: tally.warned,
    goods: run.figures.goods,
    dearestPostage: tally.dearestPostage.list,
    already: tally.already,
    mended: tally.mended,
    states: tally.states,
    // What this run booked; `before`: what earlier runs had booked.
    ...bookedIn(tally.booked),
    before: bookedIn(tally.before),
    stopped: stoppedWord(stop, String(session.host.interrupted.reason)),
    exitCode: failure?.exitCode ?? 0,
  };
}

const bookedIn = (booked: Tally['booked']) => ({
  shipments: booked.shipments,
  labels: booked.labels,
  withoutPrice: booked.withoutPrice,
  cost: costNumbers(booked.cost),
});

/** How many records the input has. In a run that only counts, the records to be sent stay in the spool. */
const recordCount = (run: BatchRun<unknown>): number => run.tally.ended + (run.sends ? 0 : run.spool.size);

function stoppedWord(stop: Stop | undefined, signal: string): string | null {
  if (stop === 'interrupted') return signal;
  return stop === 'outcome_unknown' ? 'unknown' : (stop ?? null);
}

export const summaryView = (run: Pick<BatchRun<never>, 'tally' | 'session'>): View<Summary> => ({
  essential: summary => (summary.results === null ? [] : [summary.results]),
  async table(summary, look) {
    const counts = await pairs(look, summaryRows(summary));
    const { tracked } = run.tally;
    if (tracked.length === 0) return counts;
    const list = await listTable(tracked, TRACKED_COLUMNS, look, run.session.host.now());
    const notice =
      tracked.length < run.tally.ended
        ? `These are the first ${tracked.length} of ${run.tally.ended}: --results FILE has all.`
        : '';
    return [counts, list, notice].filter(Boolean).join('\n\n');
  },
});

const TRACKED_COLUMNS: readonly ListColumn<Tracked>[] = [
  { head: 'key or id', from: 0, cell: tracked => tracked.name },
  {
    head: 'status',
    from: 0,
    cell: (tracked, look) => (tracked.isFailed ? { text: tracked.status, paint: look.red } : tracked.status),
  },
  { head: 'since', from: 0, align: 'whole', cell: (tracked, _, now) => toldTime(tracked.since, now) },
];

const summaryRows = (summary: Summary): [string, string][] =>
  [
    ['Records', String(summary.records)],
    ...Object.entries(summary.states).map(([state, count]) => [`- ${codeWords(state)}`, String(count)]),
    ...(summary.dryRun ? figureRows(summary.goods, summary.dearestPostage) : []),
    ['Left out by the map', summary.leftOut === 0 ? undefined : String(summary.leftOut)],
    ['Mended', summary.mended === 0 ? undefined : `${summary.mended} of the created, in another file`],
    summary.dryRun ? ['Would be sent', toSendWords(summary)] : ['Sent', String(summary.sent)],
    [
      'Booked',
      bookedCounts(summary) || (!summary.dryRun && isBooked(summary.before) ? 'nothing' : undefined),
    ],
    [summary.dryRun ? 'Estimated cost' : 'Cost', costOf(summary) || undefined],
    [
      'Booked before',
      [bookedCounts(summary.before), costOf(summary.before)].filter(Boolean).join(', ') || undefined,
    ],
    ['Stopped by', summary.stopped ?? undefined],
    ['Results', summary.results ?? undefined],
    ['To fix', summary.failed ?? undefined],
    ['Kept aside', summary.failedKept ?? undefined],
  ].flatMap(([name = '', words]): [string, string][] => (words === undefined ? [] : [[name, words]]));

/** How many records are to be sent: `38, 4 of them with a warning`. */
export const toSendWords = (counts: Pick<Summary, 'toSend' | 'warned'>, noun = ''): string =>
  `${counts.toSend}${noun}${counts.warned === 0 ? '' : `, ${counts.warned} of them with a warning`}`;

type Booked = Summary['before'];

const isBooked = (booked: Booked): boolean => booked.shipments + booked.labels > 0;

/** What was booked: `29 shipments, 12 labels`; empty if nothing was booked. */
const bookedCounts = (booked: Booked): string =>
  [countOf(booked.shipments, 'shipment'), countOf(booked.labels, 'label')].filter(Boolean).join(', ');

const countOf = (count: number, word: string): string | false =>
  count > 0 && `${count} ${word}${count === 1 ? '' : 's'}`;

/** What the bookings cost: `82.50 EUR, 1 without a price`; empty if nothing was booked. */
export const costOf = (booked: { cost: Costs | Summary['cost']; withoutPrice: number }): string =>
  [
    costWords(booked.cost instanceof Map ? booked.cost : Object.entries(booked.cost)),
    booked.withoutPrice > 0 && `${booked.withoutPrice} without a price`,
  ]
    .filter(Boolean)
    .join(', ');

/** The code of the failure that a batch ends with, which gives its exit code: the first one that applies. */
function batchCode(
  tally: Pick<Tally, 'unknown' | 'storage' | 'overpriced' | 'overBudget' | 'failed'>,
  writeFailure: Failure | undefined,
  stop: Stop | undefined,
): FailureCode | undefined {
  if (stop === 'interrupted') return stop;
  if (tally.unknown > 0) return 'outcome_unknown';
  if (tally.storage || writeFailure || stop === 'storage') return 'storage';
  if (tally.overpriced > 0) return 'over_price';
  if (tally.overBudget > 0) return 'over_budget';
  return stop ?? (tally.failed > 0 ? 'partial' : undefined);
}

/**
 * The failure that a batch ends with, with what to do next; `undefined` if all records are done. `unfinished`: what failed when the labels
 * of all records were printed or merged together.
 */
export function batchFailure<O>(
  run: BatchRun<O>,
  stop: Stop | undefined,
  unfinished: readonly string[],
): Failure | undefined {
  const { session, job, tally, outputs } = run;
  const code =
    batchCode(tally, outputs.failure, stop) ?? (unfinished.length > 0 ? ('partial' as const) : undefined);
  if (code === undefined) return undefined;
  const { command } = job.operation;
  const { not_sent: left = 0, rejected = 0, invalid = 0 } = tally.states;
  // Where keys are required, duplicates are counted apart from other failures, and have a sentence of their own.
  const bookedAlready = job.requiresKey ? (tally.states.duplicate ?? 0) : 0;
  const failed = tally.failed - tally.notStarted - tally.overpriced - bookedAlready;
  const toFix = rejected + invalid - tally.notFinal;
  const fix = failed + bookedAlready > 1 ? 'what was refused' : 'it';
  const records = recordCount(run);
  const opening = stop || failed > 0 ? '' : `batch ${command}: `;
  const { issues, covered } = tally.faults.listed(records, MAX_LISTED, stop);
  const list = ['waybill', 'history', 'list', '--state', 'unknown', ...targetFlags(session)];
  const keys = operandWords(tally.overpricedKeys);
  const accept = ['waybill', 'history', 'accept', ...targetFlags(session), ...keys];
  const limits = ['waybill', 'profile', 'whoami', ...targetFlags(session)];
  const sentences = [
    stop && `batch ${command} stopped because ${stopReason(stop)}${notStartedWords(tally)}`,
    failed > 0 && `${stop ? '' : `batch ${command}: `}${failed} of ${records} records failed`,
    bookedAlready > 0 &&
      `${opening}${bookedAlready}${failed > 0 ? '' : ` of ${records} records`} not booked again: booked already with another content, or cancelled. A second parcel needs a new order number`,
    outputs.failure?.message,
    unfinished.length > 0 && `${bookedAlready > 0 ? '' : opening}${unfinished.join('. ')}`,
    tally.unknown > 0 &&
      `${tally.unknown} unknown: a shipment or a label may exist. \`${commandText(list)}\` lists what to ask the provider of the service about; believe only ${AT_WORK_MINUTES} minutes after it was sent that it does not exist. \`waybill history resolve REF\` records the answer`,
    tally.overpriced > 0 &&
      `${tally.overpriced} booked above --max-price. If a person accepts that, \`${commandText(accept)}\` records it${tally.overpriced > tally.overpricedKeys.length ? `, for the first ${tally.overpricedKeys.length}` : ''}`,
    tally.overBudget > 0 &&
      `A limit is in the way of ${tally.overBudget} of them: \`${commandText(limits)}\` shows the limits`,
    (left + tally.unlabelled + tally.notFinal + tally.passing > 0 ||
      (stop === 'interrupted' && failed > 0)) &&
      'Run the same command again to continue: records that were created are not sent again',
    toFix > 0 &&
      (outputs.failed === undefined
        ? `Add --failed FILE to get ${fix} in a file that you can fix and run`
        : `Fix ${fix} in ${outputs.failed} and run that file: \`${fixedCommand(run, outputs.failed)}\``),
    tally.rejected > 0 && '--retry-rejected sends rejected records again unchanged',
    outputs.results && !outputs.failure && `${outputs.results} has a line for each record`,
    covered < tally.faults.count && `The first ${covered}:`,
  ];
  const message = sentences.filter(Boolean).join('. ');
  const { created = 0, partial = 0 } = tally.states;
  const facts: FailureFacts = {
    operation: command,
    issues,
    created: created + partial > 0 || (tally.unknown > 0 ? null : false),
    ...retryAdvice(code, tally),
    next: [...(tally.unknown > 0 ? [list] : []), ...(tally.overBudget > 0 ? [limits] : [])],
  };
  if (code === 'interrupted')
    return interruption(session.host.interrupted, { kind: 'stopped-in-part', done: message }, facts);
  return new Failure(code, message, facts);
}

/** Whether to run the same command again, and when. */
function retryAdvice(code: FailureCode, tally: Tally): Pick<FailureFacts, 'retry' | 'retryAt'> {
  const { states, passing, retryAt } = tally;
  if (code === 'partial' && (states.not_sent ?? 0) > 0) return { retry: 'same' };
  const latest = code === 'partial' ? Object.values(retryAt).sort().at(-1) : retryAt[code];
  if (latest !== undefined) return { retry: 'later', retryAt: latest };
  if (code !== 'partial' && code !== 'storage') return {};
  return { retry: passing > 0 ? 'later' : 'after-change' };
}

/** The command of this run, for the file of the refused records. */
function fixedCommand<O>(run: BatchRun<O>, failed: string): string {
  const { session, job, options, path } = run;
  const { format, keyColumn, merge, papers } = options as typeof options & LabelFileOptions;
  const isSameType = extname(failed) === extname(path);
  const kept = {
    ...options,
    format: format ?? (isSameType ? undefined : inputFormat(path, format)),
    // The file of --failed is written in UTF-8.
    encoding: undefined,
    keyColumn: keyColumn === 'key' ? undefined : keyColumn,
    // A flag without a value would take the name of the file for its value.
    papers: papers === true ? PAPERS.join() : papers,
    // The same name for merged labels would replace the labels of this run.
    merge: merge && `${merge.replace(/\.pdf$/i, '')}.fixed.pdf`,
  };
  const words = Object.entries(kept).flatMap(([name, value]) =>
    RUN_OPTIONS.some(option => option === name) ? [] : optionWords(name, value),
  );
  return [
    `waybill batch ${job.operation.command}`,
    ...words,
    ...targetFlags(session).map(shellWord),
    operands([failed]),
  ].join(' ');
}

function notStartedWords(tally: Tally): string {
  const { notStarted, unlabelled } = tally;
  if (notStarted === 0) return ', after its last record';
  const booked =
    unlabelled === 0
      ? ''
      : `; ${unlabelled} of them ${unlabelled === 1 ? 'is' : 'are'} booked already, and the run did not come to their labels`;
  return `, and ${notStarted} ${notStarted === 1 ? 'record was' : 'records were'} not started${booked}`;
}
