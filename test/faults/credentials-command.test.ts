// Faults of a program that prints the token.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, savedIn } from '../rig/profile.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';
import { add, gate } from './credentials-rig.ts';
import { fault, runFaults } from './fault.ts';

/** Runs a command whose token command is Node with this source. */
async function printing(source: string, argv: string | string[] = 'track gone', options: RunOptions = {}) {
  const rig = await bareRig();
  const program = rig.file('print token.js', source.replaceAll('FOLDER', JSON.stringify(rig.folder)));
  await add(rig, rig.address, ['--token-command', `'${process.execPath}' "${program}"`]);
  const ran = await rig.run(argv, options);
  return { ...ran, rig };
}

/** Runs a read with this text as the token command. */
async function commanded(command: string) {
  const rig = await bareRig();
  await add(rig, rig.address, ['--token-command', command]);
  return rig.run('track gone');
}

async function refusedCommand(command: string) {
  const rig = await bareRig();
  const ran = await rig.run([
    ...'profile add new --base-url https://a.example --token-command'.split(' '),
    command,
  ]);
  expect(() => savedIn(rig)).toThrow('ENOENT');
  return ran;
}

// The secret in two parts, so that it is no argument of a program.
const [HEAD, TAIL] = [SECRET.slice(0, 9), SECRET.slice(9)];
const PRINTS = `printf %s%s ${HEAD} ${TAIL}`;

const MENDED = 'waybill profile set live --token-command CMD';

runFaults('a program that prints the token', [
  fault(
    'the program of the token command does not exist',
    [
      3,
      'the token command of profile live gave no token: no-such-program show x: there is no program no-such-program',
      MENDED,
    ],
    () => commanded('no-such-program show x'),
  ),
  fault('the token command may not be executed', [3, /notes\.txt may not be run/], async () => {
    const rig = await bareRig();
    rig.file('notes.txt', 'text');
    await add(rig, rig.address, ['--token-command', './notes.txt']);
    return rig.run('track gone');
  }),
  fault(
    'the token command fails and prints why',
    [3, 'vault is locked', 'it ended with exit code 4, saying: vault is locked', MENDED],
    async () => {
      const ran = await printing(
        `console.error('vault is locked'); console.log('${SECRET}'); process.exitCode = 4`,
      );
      expect(ran.requests).toEqual([]);
      return ran;
    },
  ),
  fault(
    'the token command fails with --json',
    [3, '{"note":"vault is locked"}', '"code":"unauthorized"'],
    async () => {
      const ran = await printing(
        `console.error('vault is locked'); process.exitCode = 4`,
        'track gone --json',
      );
      errorOf(ran);
      return ran;
    },
  ),
  fault(
    'the token command prints control characters to stderr',
    [3, 'vault is locked', 'saying: vault is locked'],
    () => printing(`process.stderr.write('vault is \\x1b[31mlocked\\x1b]0;x\\x07'); process.exitCode = 4`),
  ),
  fault(
    'the token command fails with --quiet',
    [3, 'it ended with exit code 1, saying: vault is locked'],
    () => printing(`console.error('vault is locked'); process.exitCode = 1`, 'track gone -q'),
  ),
  fault(
    'the token command prints nothing',
    [3, 'it printed nothing on the first line of its stdout', MENDED],
    () => printing(`console.log(); console.log('${SECRET}')`),
  ),
  fault(
    'the token command prints control characters in the token',
    [3, 'what it printed contains characters that are not allowed in a header'],
    () => printing(`console.log('${SECRET}\\x1b[0m\\r')`),
  ),
  fault('the token command prints without end', [3, 'it printed more than 65536 bytes'], () =>
    printing(`for (;;) require('fs').writeSync(1, '${SECRET}'.repeat(1000))`),
  ),
  fault(
    'the token command and its child process never end: both are ended',
    [3, /it took longer than [\d.]+ s/, MENDED],
    async () => {
      const ran = await printing(
        `const { pid } = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
         require('fs').writeFileSync(FOLDER + '/pids', pid + ' ' + process.pid);
         process.on('SIGTERM', () => {});
         setInterval(() => {}, 1000);`,
        'track gone',
        { programLimit: 2000 },
      );
      for (const id of readFileSync(join(ran.rig.folder, 'pids'), 'utf8').split(' '))
        while (isRunning(id)) await sleep(10);
      return ran;
    },
  ),
  fault('the token command leaves a child process that keeps stdout open', [4, '404'], () =>
    printing(
      `require('child_process').spawn('sleep', ['5'], { stdio: 'inherit', detached: true }).unref();
         console.log('${SECRET}'); process.exit()`,
    ),
  ),
  fault('the token command waits for input on stdin and gets none', [4, '404'], () =>
    printing(`process.stdin.on('data', () => {}).on('end', () => console.log('${SECRET}'))`),
  ),
  fault('the token command contains shell syntax, which no shell interprets', [4, '404'], async () => {
    const rig = await bareRig({ tokens: new Map([['$HOME;touch>x|*`id`', 'all']]) });
    await add(rig, rig.address, ['--token-command', 'printf \'%s\' $HOME;touch\\>x"|*"`id`']);
    const ran = await rig.run('track gone');
    expect(ran.programs).toEqual([['printf', '%s', '$HOME;touch>x|*`id`']]);
    expect(existsSync(join(rig.folder, 'x'))).toBe(false);
    return ran;
  }),
  fault(
    'a quotation mark of the token command is not closed',
    [2, "the part that begins with ' does not end", 'No shell runs it'],
    () => refusedCommand("pass show 'ship"),
  ),
  fault('the token command is blank', [2, 'it names no program', "such as 'pass show waybill'"], () =>
    refusedCommand('  '),
  ),
  fault(
    'the service refuses the token of the command: it is run only once more',
    [3, '401', /profile live \(the token that .* prints\) is not accepted; run the command by itself/],
    async () => {
      const rig = await bareRig();
      const service = await gate({ takes: false });
      await add(rig, service.address, ['--token-command', PRINTS]);
      const ran = await rig.run('track gone');
      expect([ran.programs.length, service.calls.length]).toEqual([2, 1]);
      return ran;
    },
  ),
  fault(
    'the token command fails for a booking: nothing is sent, and its key is free',
    [3, 'gave no token', 'it ended with exit code 1'],
    async () => {
      const ship = ['ship', '-f', '../order.json', '--key', 'ORDER-1'];
      const rig = await bareRig();
      const order = rig.file('order.json', SHIPMENT);
      ship[2] = order;
      await add(rig, rig.address, ['--token-command', 'false']);
      const ran = await rig.run(ship);
      expect(ran.requests).toEqual([]);
      const [kept] = JSON.parse((await rig.run('history list --json')).stdout);
      expect(kept).toMatchObject({ state: 'not_sent' });
      await rig.run(['profile', 'set', 'live', '--token-command', PRINTS]);
      expect((await rig.run(ship)).exitCode).toBe(0);
      return ran;
    },
  ),
  fault(
    'a booked key is requested again: the token command is not run',
    [0, 'this is the recorded answer; nothing was sent'],
    async () => {
      const rig = await bareRig();
      const ship = ['ship', '-f', rig.file('order.json', SHIPMENT), '--key', 'ORDER-1'];
      await add(rig, rig.address, ['--token-command', PRINTS]);
      expect((await rig.run(ship)).programs).toEqual([['printf', '%s%s', HEAD, TAIL]]);
      const ran = await rig.run(ship);
      expect(ran.programs).toEqual([]);
      return { ...ran, stdout: '' };
    },
  ),
]);

/** A process that has ended but was not waited for does not count as running. */
function isRunning(id: string): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}
