// Runs the batch. The folder gets `summary.json` (its stdout), `messages.jsonl` (its stderr) and `exit-code`.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { annotate, print } from './commands.mjs';

const { COMMAND, FOLDER, OPERATION, FILE, OPTIONS } = process.env;
const options = OPTIONS.split('\n').flatMap(line => line.trim() || []);
// The report is made of the summary as JSON.
const other = options.find(option => /^(-[a-z]*[qo]|--(quiet|output|query)(=|$))/.test(option));
if (other !== undefined) {
  annotate(
    'error',
    {},
    `the option ${other} changes what the report is made of: leave it out; nothing was sent`,
  );
  writeFileSync(join(FOLDER, 'exit-code'), '2');
  process.exit(2);
}
if (FILE === '') {
  annotate('error', {}, 'give the action a file of records, or a command to audit');
  writeFileSync(join(FOLDER, 'exit-code'), '2');
  process.exit(2);
}
const summary = openSync(join(FOLDER, 'summary.json'), 'w');
const messages = openSync(join(FOLDER, 'messages.jsonl'), 'a');

// In a group of its own: a signal to the group of this process would reach it twice, and the second one leaves what is in
// flight unknown.
const child = spawn(COMMAND, ['batch', OPERATION, FILE, ...options, '--json'], {
  stdio: ['ignore', summary, 'pipe'],
  detached: true,
});
// If this process alone is killed, the pipe ends, and the batch waits for what is in flight and sends nothing further. After
// another signal a SIGHUP does nothing.
const guard = spawn('sh', ['-c', 'read -r _; kill -HUP "$0"', String(child.pid)], {
  stdio: ['pipe', 'ignore', 'ignore'],
  detached: true,
});
guard.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));

createInterface(child.stderr).on('line', line => {
  writeFileSync(messages, `${line}\n`);
  show(line);
});
child.once('error', ({ message }) => {
  annotate('error', {}, `${COMMAND} cannot be run: ${message}`);
  process.exitCode = 127;
});
child.once('close', (code, signal) => {
  guard.kill();
  closeSync(messages);
  if (signal === null && code >= 0) writeFileSync(join(FOLDER, 'exit-code'), String(code));
  process.exitCode ??= code ?? 128 + constants.signals[signal];
});

/** Shows a message to who reads the log. */
function show(line) {
  const { note, warning, error } = parsed(line);
  if (warning !== undefined) annotate('warning', {}, warning);
  else print(note ?? error?.message ?? line);
  for (const { path, message } of error?.issues ?? []) print(`  ${path} ${message}`);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
