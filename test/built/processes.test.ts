// Faults of a whole process: signals, streams, pipes, memory, disks, and places without a home. Pipes without a reader are in
// streams.test.ts.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { SECRET } from '../rig/oracles.ts';
import {
  builtCommand,
  createWorld,
  type Ended,
  QUOTE,
  SHIP,
  type Stage,
  seen,
  slow,
  stageOf,
} from '../rig/process.ts';
import { http } from '../rig/sockets.ts';

const command = builtCommand();
const stage = async () => stageOf(command, await createWorld());

// Signals during reads and waits. What a signal does to a booking is in test/promises/production.test.ts.

runFaults('signals', [
  fault('SIGINT while stdin is read', [130, 'stopped by SIGINT', 'nothing was sent'], async () => {
    const { child, ended } = (await stage()).run('quote -f -', { stdin: { open: true } });
    await new Promise(done => child.stdin.write(' '.repeat(1_000_000), done));
    child.kill('SIGINT');
    return seen(await ended);
  }),
  fault(
    'SIGTERM while a pipe that stays open is read',
    [143, 'stopped by SIGTERM', 'nothing was sent'],
    async () => {
      const { run, folder } = await stage();
      execFileSync('mkfifo', [join(folder, 'order')]);
      const { child, ended } = run('quote -f order');
      // It has opened the pipe as soon as this can be opened, too.
      const writer = await open(join(folder, 'order'), 'w');
      child.kill('SIGTERM');
      const stopped = seen(await ended);
      await writer.close();
      return stopped;
    },
  ),
  fault(`SIGHUP while an answer is waited for: ${QUOTE}`, [129, 'stopped by SIGHUP'], async () => {
    const { run, server } = await slow(command);
    const { child, ended } = run(QUOTE);
    await server.received(1);
    child.kill('SIGHUP');
    return seen(await ended);
  }),
]);

// Streams, pipes, memory and disks.

const shell = (
  when: string,
  script: string,
  end: End,
  then: (stage: Stage, ended: Ended) => void = () => {},
): Fault =>
  fault(when, end, async () => {
    const made = await stage();
    const ended = await made.shell(script);
    then(made, ended);
    return seen(ended);
  });

const LITTLE = 'NODE_OPTIONS=--max-old-space-size=32';
const BIG = `{ printf '{"note":"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '"}'; } > o.json`;
const HEADER_FAULTS = ['the header of', 'has 2 problems', 'nothing was sent'] as const;
const CONFIG = `echo ${SECRET} | waybill profile add shop --base-url https://a.example --token-stdin > /dev/null`;

/** A service whose label is at a link to itself; the file is answered so. */
async function labelled(file: (index: number) => string) {
  const made = await slow(command, (socket, request, index) => {
    const label = { success: true, trackingNumber: 'T-1', label: `${made.server.url}l.pdf` };
    const booked = http(200, JSON.stringify({ success: true, international: label }));
    socket.write(request.startsWith('POST') ? booked : file(index));
  });
  return made;
}
const LABEL = 'label --international S-1 --download labels';
const PDF = http(200, `%PDF-1.7\n${'x'.repeat(200_000)}\n%%EOF\n`);

/** Once more, the label is saved and not made again. */
async function savedOnce({ run, folder, server }: Awaited<ReturnType<typeof slow>>): Promise<Ended> {
  const ended = await run(LABEL).ended;
  expect([ended.code, readdirSync(join(folder, 'labels'))]).toEqual([0, ['S-1.pdf']]);
  expect(server.requests.filter(request => request.startsWith('POST'))).toHaveLength(1);
  return ended;
}

const cannot = (option: string) => spawnSync('unshare', [option, 'true']).status !== 0;
const noMounts = cannot('-rm') && 'no disk of its own can be given to a process here';
const _noUsers = cannot('--map-user=54321') && 'no user id of its own can be given to a process here';

runFaults('streams, memory and disks', [
  shell('a file of 100 MB, and little memory', `${BIG}; ${LITTLE} waybill quote -f o.json`, [
    2,
    'o.json is larger than 16 MiB',
    'nothing was sent',
    'waybill batch',
  ]),
  shell(
    'a gigabyte on stdin, and little memory',
    `head -c 1000000000 /dev/zero | ${LITTLE} waybill quote -f -`,
    [2, 'stdin is larger than 16 MiB', 'nothing was sent'],
  ),
  shell('stdout is closed', `waybill ${SHIP} >&-; code=$?; waybill history list -q; exit $code`, [0]),
  shell('no stream is open', `waybill ${SHIP} <&- >&- 2>&-`, [0]),
  shell('the disk behind stderr is full, after a booking', `waybill ${SHIP} --verbose 2> /dev/full`, [0]),
  shell('the umask is 000', `umask 000; ${CONFIG} && waybill ${SHIP} -q`, [0], ({ folder }) => {
    const modes = ['config', 'state', 'config/config.json', 'state/journal.db'].map(
      name => statSync(join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  }),
  shell(
    'a batch from a pipe is refused, and its writer keeps it open',
    `mkfifo o.csv; exec 9<>o.csv; printf 'nonsense;x\\n1;2\\n' >&9; waybill batch quote o.csv`,
    [2, ...HEADER_FAULTS],
  ),
  shell('an import from a pipe that nobody writes to', 'mkfifo o; waybill history import o', [
    2,
    'it is not a plain file',
    'nothing was imported',
  ]),
  shell(
    'results to a pipe that nobody reads',
    `mkfifo results; echo '{}' | waybill batch quote - --results results --format jsonl`,
    [10, 'results cannot be written', 'a pipe that no program reads'],
  ),
  fault(
    'killed while it fetches a label file, and run again',
    [0, 'was made before', 'label saved: '],
    async () => {
      const made = await labelled(index => (index > 1 ? PDF : PDF.slice(0, 300)));
      const first = made.run(LABEL);
      await made.server.received(2);
      first.child.kill('SIGKILL');
      await first.ended;
      expect(readdirSync(join(made.folder, 'labels'))).toEqual([]);
      return seen(await savedOnce(made));
    },
  ),
  {
    ...fault(
      'the disk for labels is full',
      [9, 'was made, but not saved', 'ENOSPC', 'Its link is http'],
      async () => {
        const made = await labelled(() => PDF);
        mkdirSync(join(made.folder, 'labels'));
        // Only these processes see the disk, and it disappears with them.
        const mounted = `mount -t tmpfs -o size=64k tmpfs labels && "$NODE" "$COMMAND" ${LABEL}; code=$?; ls -A labels; exit $code`;
        const ended = await made.shell(`unshare -rm bash -c '${mounted}'`);
        expect(ended.stdout).not.toMatch(/^\S+\.(pdf|part)$/m);
        await savedOnce(made);
        return seen(ended);
      },
    ),
    skip: noMounts,
  },
]);

// A current folder that is gone, a folder that cannot be made. More of them are in test/promises/production.test.ts.

const OWN = { WAYBILL_STATE_DIR: 'FOLDER/state', WAYBILL_CONFIG_DIR: 'FOLDER/config' };

/** With these variables in place of the folders of the rig; FOLDER is that of the test, and an empty variable is none. */
const place = (
  when: string,
  before: string,
  argv: string,
  end: End,
  env: Record<string, string> = OWN,
): Fault =>
  fault(`${when}: ${argv}`, end, async () => {
    const { folder, env: own } = await createWorld({ journalLost: true });
    const changed = { ...own, WAYBILL_CONFIG_DIR: '', WAYBILL_STATE_DIR: '', ...env };
    const kept = Object.entries(changed).filter(([, value]) => value !== '');
    const variables = kept.map(([name, value]) => [name, value.replace('FOLDER', folder)]);
    const made = stageOf(command, { env: Object.fromEntries(variables), folder });
    return seen(await made.shell(`${before} "$NODE" "$COMMAND" ${argv.replace('FOLDER', folder)}`));
  });

const EMULATOR = 'emulator --port 0 --data /proc/data/world.db -- true';
const noProc = !existsSync('/proc/self') && 'there is no folder that answers ENOENT to mkdir';
const GONE =
  /^(?!(?:.*nothing was sent){2}).*is relative, but the current folder was deleted; nothing was sent\. .* Name another file/s;

runFaults('bare places', [
  place(
    'the current folder is gone',
    'mkdir gone; cd gone; rmdir ../gone;',
    'batch quote - --format jsonl < /dev/null',
    [10, GONE],
  ),
  {
    ...place('HOME is in /proc', '', EMULATOR, [10, 'data/world.db cannot'], { HOME: '/proc/waybill' }),
    skip: noProc,
  },
  place('19 open files are allowed', 'ulimit -n 19;', 'ship -f FOLDER/order.json', [
    10,
    /journal .* cannot be opened: .*; nothing was sent/,
  ]),
]);
