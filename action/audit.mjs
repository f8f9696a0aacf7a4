// Runs a command under the audit of the emulator. The page for people is in the log, the verdict in the summary of the job and in the
// outputs. The folder gets `audit.json`.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { annotate, cell, print } from './commands.mjs';

const { env } = process;
const { COMMAND, FOLDER, AUDIT, OPTIONS } = env;
const MOST_ROWS = 50;

/** Without a lost answer an audit says little: the first request of each operation that books loses its own. */
const FAULTS = ['createShipment', 'createDualShipment', 'createLabels', 'createSubscription'].map(
  operation => `--fault=reset-after:first1@${operation}`,
);
const options = OPTIONS.split('\n').flatMap(line => line.trim() || []);
const faults = options.some(option => /^--fault(=|$)/.test(option)) ? [] : FAULTS;
const file = join(FOLDER, 'audit.json');

// In a group of its own: a signal to the group of this process would reach the command twice.
const child = spawn(
  COMMAND,
  ['emulator', '--port=0', ...faults, ...options, '--json', `--audit=${file}`, '--', 'bash', '-c', AUDIT],
  { stdio: ['ignore', 'inherit', 'pipe'], detached: true },
);
// The emulator passes a SIGTERM on to the command, and no SIGINT, which a terminal gives to both.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGTERM'));

let last;
createInterface(child.stderr).on('line', line => {
  last = parsed(line);
  const { note, warning, error, notice = error?.notice } = last;
  // All other lines are the command's own.
  if (!notice?.kind?.startsWith('audit-')) process.stderr.write(`${line}\n`);
  else if (warning) annotate('warning', {}, warning);
  else if (error) annotate('error', { title: 'waybill audit' }, error.message);
  else for (const text of note.split('\n')) print(text);
});
child.once('error', ({ message }) => {
  annotate('error', {}, `${COMMAND} cannot be run: ${message}`);
  process.exitCode = 127;
});
child.once('close', (code, signal) => {
  process.exitCode ??= code ?? 128 + constants.signals[signal];
  report(process.exitCode);
});

function parsed(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

function report(exitCode) {
  const verdict = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  // The emulator refused its options, or could not be started.
  if (!verdict && last?.error?.message) annotate('error', {}, last.error.message);
  const lines = [`### waybill audit of ${cell(AUDIT)}: exit ${exitCode}`, ''];
  appendFileSync(env.GITHUB_STEP_SUMMARY, [...lines, ...(verdict ? tables(verdict) : []), ''].join('\n'));
  const outputs = { 'exit-code': exitCode, repeated: verdict?.repeated.length, results: verdict && file };
  for (const [name, value] of Object.entries(outputs))
    appendFileSync(env.GITHUB_OUTPUT, `${name}=${value ?? ''}\n`);
}

const tables = ({ booked, repeated, labels }) => [
  '| | |',
  '|---|---|',
  `| Requests sent again after the first one had its effect | ${repeated.length} |`,
  `| Orders booked more than once | ${booked.length} |`,
  `| Shipments with more than one label | ${labels.length} |`,
  '',
  ...(repeated.length > 0 ? rows(repeated) : []),
];

const rows = repeated => [
  '| for | request | its answer was lost by | sent again after |',
  '|---|---|---|---|',
  ...repeated
    .slice(0, MOST_ROWS)
    .map(
      ({ receiver, shipmentIds, requests: [first], fault, afterMs }) =>
        `| ${cell(receiver?.name ?? shipmentIds[0] ?? '')} | ${cell(first.operation)} | ${cell(fault ?? 'the client, which left')} | ${afterMs} ms |`,
    ),
  ...(repeated.length > MOST_ROWS ? ['', `${repeated.length - MOST_ROWS} more are in the report.`] : []),
];
