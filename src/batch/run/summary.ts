import { Failure, type FailureCode } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { View } from '../../output/print.ts';
import { pairs } from '../../output/table.ts';
import type { Session } from '../../session/session.ts';
import { costWords, type Tally } from './tally.ts';
import type { Stop } from './workers.ts';

/** What a batch leaves on stdout. */
export interface Summary {
  operation: string;
  input: string;
  /** `null` where nothing was to be written. */
  results: string | null;
  failed: string | null;
  sandbox: boolean;
  dryRun: boolean;
  records: number;
  /** Records of which something was sent in this run; of a dry run, that would be sent. */
  sent: number;
  toSend: number;
  /** Created by an earlier run. */
  already: number;
  states: Readonly<Record<string, number>>;
  cost: Readonly<Record<string, string>>;
  /** Why no further record was started: a signal's name, `unknown`, or the code of a failure. */
  stopped: string | null;
  exitCode: number;
}

export const stopWord = (stop: Stop | undefined, signal: string): string | null =>
  stop === undefined ? null : stop.why === 'signal' ? signal : stop.why === 'unknown' ? 'unknown' : stop.code;

export const summaryView: View<Summary> = {
  essential: ({ results }) => (results === null ? [] : [results]),
  table: (summary, look) => pairs(look, rowsOf(summary)),
};

const rowsOf = (summary: Summary): [string, string][] =>
  [
    ['Records', String(summary.records)],
    summary.dryRun ? ['Would be sent', String(summary.toSend)] : ['Sent', String(summary.sent)],
    ['Created before', summary.already === 0 ? undefined : String(summary.already)],
    ...Object.entries(summary.states).map(([state, count]): [string, string] => [
      `  ${state}`,
      String(count),
    ]),
    [summary.dryRun ? 'Estimated cost' : 'Cost', costWords(summary.cost) || undefined],
    ['Stopped by', summary.stopped ?? undefined],
    ['Results', summary.results ?? undefined],
    ['To be mended', summary.failed ?? undefined],
  ].flatMap(([name = '', words]): [string, string][] => (words === undefined ? [] : [[name, words]]));

const CODES: Readonly<Record<number, FailureCode>> = {
  3: 'unauthorized',
  6: 'rate_limited',
  7: 'unavailable',
  8: 'outcome_unknown',
  9: 'partial',
  10: 'storage',
};

/** What a run failed by, with what to do next; `undefined` where all went well. */
export function runFailure(
  { host }: Session,
  summary: Summary,
  tally: Tally,
  stop: Stop | undefined,
  unwritten: Failure | undefined,
): Failure | undefined {
  const { exitCode, operation, records, results, failed } = summary;
  if (exitCode === 0) return undefined;
  const { not_sent: left = 0, rejected = 0, invalid = 0 } = summary.states;
  const told = [
    `batch ${operation}: ${tally.failed} of ${records} records did not get what they asked for`,
    ...(stop ? [`${left} were left, as ${stopWords(stop)}`] : []),
    ...(unwritten ? [unwritten.message] : []),
    ...(tally.unknown > 0
      ? [
          `${tally.unknown} may or may not exist: \`waybill history list --state unknown\` lists them, and \`waybill history resolve\` settles each`,
        ]
      : []),
    ...(results === null || unwritten ? [] : [`Each one is in ${results}`]),
    ...(left > 0 ? ['Run it again to go on: what was created is not sent again'] : []),
    ...(rejected + invalid > 0
      ? [
          failed === null
            ? 'What was refused wants mending: --failed FILE writes it out'
            : `What was refused wants mending: it is in ${failed}, to be run once more`,
        ]
      : []),
    ...(rejected > 0 ? ['--retry-rejected sends what was rejected again as it is'] : []),
    ...(tally.failures.length < tally.failed - left ? [`The first ${tally.failures.length}:`] : []),
  ].join('. ');
  if (stop?.why === 'signal') return interruption(host.interrupted, told);
  return new Failure(CODES[exitCode] ?? 'partial', told, {
    operation: operation as 'ship',
    exitCode,
    issues: [...tally.failures],
  });
}

/** Why no further record was begun, as a clause. */
export function stopWords(stop: Stop): string {
  if (stop.why === 'signal') return 'the run was stopped';
  if (stop.why === 'unknown') return 'too many are unknown';
  if (stop.code === 'storage') return 'what becomes of them could not be written down';
  return `failure followed failure (${stop.code}), whatever the record`;
}
