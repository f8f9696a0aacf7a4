// Shows what became of the batch: the summary of the job, annotations, and the outputs of the action. It only reads.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { annotate, cell } from './commands.mjs';

/** GitHub shows so many annotations of a step. */
const MOST_ANNOTATIONS = 10;
const MOST_ROWS = 50;

const { env } = process;
const { FOLDER, OPERATION, FILE } = env;

/** What a step before has written; empty if it did not come to that. */
const left = name => {
  const path = join(FOLDER, name);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
};
const linesOf = text => text.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []));

const exitCode = left('exit-code');
const summaryText = left('summary.json');
const summary = summaryText === '' ? undefined : JSON.parse(summaryText);
const error = linesOf(left('messages.jsonl')).findLast(line => line.error)?.error;
const results = summary?.results ?? '';
const lines = results.endsWith('.jsonl') ? linesOf(readFileSync(results, 'utf8')) : [];

/** What a person has to look at, worst first. A record that was not started has no exit code. */
const problems = lines.length > 0 ? problemsOfRecords() : problemsOfInput();
const count = (...states) => summary && states.reduce((sum, state) => sum + (summary.states[state] ?? 0), 0);

annotateProblems();
appendFileSync(env.GITHUB_STEP_SUMMARY, [...heading(), ...table(), ...rows(), ''].join('\n'));
appendFileSync(
  env.GITHUB_OUTPUT,
  Object.entries({
    'exit-code': exitCode,
    created: count('created') ?? '',
    failed: count('rejected', 'invalid', 'duplicate', 'partial', 'failed') ?? '',
    unknown: count('unknown') ?? '',
    // Other steps run in another folder.
    results: results && resolve(results),
  })
    .map(([name, value]) => `${name}=${String(value).replaceAll(/[\r\n]/g, ' ')}\n`)
    .join(''),
);

function problemsOfRecords() {
  const failed = lines.filter(line => line.exitCode);
  const isUnknown = ({ exitCode: code }) => (code === 8 ? 0 : 1);
  return failed
    .sort((one, other) => isUnknown(one) - isUnknown(other))
    .map(({ line, key, state, error: { message, issues } }) => ({
      ...{ line, state, name: key ?? `line ${line}` },
      message: issues.length > 0 ? issues.map(one => `${one.path} ${one.message}`).join('; ') : message,
    }));
}

/** If the input was refused there are no results: the error names the lines. */
function problemsOfInput() {
  return (error?.issues ?? []).map(({ path, message }) => ({
    line: /^lines? (\d+)/.exec(path)?.[1],
    state: 'refused',
    name: path.split(':', 1)[0],
    message: `${path} ${message}`,
  }));
}

function annotateProblems() {
  if (exitCode === '')
    annotate(
      'error',
      {},
      'waybill, or the step that ran it, was killed, and may have continued. Run the job again: what is booked is not sent again',
    );
  const file = pathInRepository();
  for (const { line, name, state, message } of problems.slice(0, MOST_ANNOTATIONS - 1))
    annotate('error', { ...(line && file && { file, line }), title: `${name}: ${state}` }, message);
  if (exitCode !== '0' && error) annotate('error', { title: `waybill: exit ${exitCode}` }, error.message);
}

function pathInRepository() {
  const path = relative(env.GITHUB_WORKSPACE ?? '.', resolve(FILE));
  return FILE === '-' || isAbsolute(path) || path.startsWith('..') ? undefined : path;
}

function heading() {
  const ended = exitCode === '' ? 'killed' : `exit ${exitCode}`;
  return [`### waybill batch ${cell(OPERATION)} ${cell(FILE)}: ${ended}`, ''];
}

function table() {
  if (!summary) return [cell(error?.message ?? 'It was ended before it could finish.'), ''];
  const { states, records, before, stopped, failed } = summary;
  return [
    '| | |',
    '|---|---|',
    row('Records', records),
    ...Object.entries(states).map(([state, number]) => row(`- ${state}`, number)),
    row('Booked in this run', booked(summary)),
    ...(before.shipments + before.labels > 0 ? [row('Booked before', booked(before))] : []),
    ...(stopped === null ? [] : [row('Stopped by', stopped)]),
    ...(results === '' ? [] : [row('Results', `${cell(results)}${artifacts()}`, true)]),
    ...(failed === null ? [] : [row('To fix', failed)]),
    '',
    ...(error ? [cell(error.message), ''] : []),
  ];
}

function booked({ shipments, labels, cost, withoutPrice }) {
  const prices = Object.entries(cost).map(([currency, sum]) => `${sum.toFixed(2)} ${currency}`);
  const unpriced = withoutPrice > 0 ? [`${withoutPrice} without a price`] : [];
  return [counted(shipments, 'shipment'), counted(labels, 'label'), ...prices, ...unpriced].join(', ');
}

function counted(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** Where the run has the results if the workflow uploads them. */
function artifacts() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  return server && repository && id
    ? ` ([files of this run](${server}/${repository}/actions/runs/${id}#artifacts))`
    : '';
}

function rows() {
  if (problems.length === 0) return [];
  const shown = problems.slice(0, MOST_ROWS);
  return [
    '| record | line | state | problem |',
    '|---|---|---|---|',
    ...shown.map(
      ({ name, line = '', state, message }) =>
        `| ${cell(name)} | ${line} | ${cell(state)} | ${cell(message)} |`,
    ),
    ...(problems.length > MOST_ROWS ? ['', `${problems.length - MOST_ROWS} more are in the results.`] : []),
  ];
}

function row(name, value, isMarkdown = false) {
  return `| ${name} | ${isMarkdown ? value : cell(value)} |`;
}
