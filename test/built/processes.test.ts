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

// Signals during reads, waits and bookings.

const BOOKED = http(201, JSON.stringify({ id: 'S-1' }));
type Waiting = Awaited<ReturnType<typeof slow>> & ReturnType<Stage['run']>;

/** A command whose request has arrived. Nothing is answered until the row does so. */
const waiting = (when: string, argv: string, end: End, act: (one: Waiting) => Promise<Ended>): Fault =>
  fault(`${when}: ${argv}`, end, async () => {
    const made = await slow(command);
    const running = made.run(argv);
    await made.server.received(1);
    return seen(await act({ ...made, ...running }));
  });
const answer = ({ server }: Waiting) => server.each(socket => socket.write(BOOKED));

/** What the same command gives after it, which sends nothing. */
async function again({ run, server }: Waiting): Promise<Ended> {
  const ended = await run(SHIP).ended;
  expect(server.requests).toHaveLength(1);
  return ended;
}

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
  waiting('SIGHUP', QUOTE, [129, 'stopped by SIGHUP'], ({ child, ended }) => {
    child.kill('SIGHUP');
    return ended;
  }),
  waiting(
    'SIGTERM, and the answer comes',
    SHIP,
    [
      143,
      'a second signal leaves it unknown',
      'stopped by SIGTERM',
      'the result of requests in flight is above',
    ],
    async one => {
      one.child.kill('SIGTERM');
      await one.firstLine('stderr');
      answer(one);
      const first = await one.ended;
      expect(await again(one)).toMatchObject({ code: 0, stdout: expect.stringContaining('S-1') });
      return first;
    },
  ),
  waiting('SIGTERM twice, and the command runs again', SHIP, [8, 'waybill history resolve'], async one => {
    one.child.kill('SIGTERM');
    await one.firstLine('stderr');
    one.child.kill('SIGTERM');
    expect((await one.ended).signal).toBe('SIGTERM');
    return again(one);
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
const noUsers = cannot('--map-user=54321') && 'no user id of its own can be given to a process here';

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

// No home folder, a current folder that is gone, folders that cannot be made.

/** Without the folders of the rig; FOLDER is that of the test, and an empty variable is none. */
const place = (
  when: string,
  before: string,
  argv: string,
  end: End,
  env = {},
  skip: Fault['skip'] = false,
): Fault => ({
  ...fault(`${when}: ${argv}`, end, async () => {
    const { folder, env: own } = await createWorld({ journalLost: true });
    const changed = { ...own, WAYBILL_CONFIG_DIR: '', WAYBILL_STATE_DIR: '', ...env };
    const kept = Object.entries(changed).filter(([, value]) => value !== '');
    const variables = kept.map(([name, value]) => [name, value.replace('FOLDER', folder)]);
    const made = stageOf(command, { env: Object.fromEntries(variables), folder });
    return seen(await made.shell(`${before} "$NODE" "$COMMAND" ${argv.replace('FOLDER', folder)}`));
  }),
  skip,
});

// A user id of this process alone. A shell would set HOME again.
const homeless = (argv: string, end: End, env = {}) =>
  place(
    'no home',
    'unshare --map-user=54321 env -u HOME',
    argv,
    end,
    { XDG_CACHE_HOME: '', ...env },
    noUsers,
  );
const OWN = { WAYBILL_STATE_DIR: 'FOLDER/state', WAYBILL_CONFIG_DIR: 'FOLDER/config' };
const deleted = (argv: string, end: End) =>
  place('the current folder is gone', 'mkdir gone; cd gone; rmdir ../gone;', argv, end, OWN);
const noProc = !existsSync('/proc/self') && 'there is no folder that answers ENOENT to mkdir';
const nowhere = (variable: string, argv: string, end: End) =>
  place(`${variable} is in /proc`, '', argv, end, { [variable]: '/proc/waybill' }, noProc);
const MOUNT = `mkdir home; unshare -rm sh -c 'mount -t tmpfs -o ro none "$HOME" && exec "$@"' sh`;
const locked = (argv: string, end: End) =>
  place('a home that is read-only', MOUNT, argv, end, { HOME: 'FOLDER/home', XDG_CACHE_HOME: '' }, noMounts);
const BOOK = 'ship -f FOLDER/order.json';
const ADD = 'profile add shop --base-url https://a.example';
const NO_HOME = 'there is no home folder (HOME)';
const GONE =
  /^(?!(?:.*nothing was sent){2}).*is relative, but the current folder was deleted; nothing was sent\. .* Name another file/s;

runFaults('bare places', [
  homeless(QUOTE, [0]),
  homeless(BOOK, [10, NO_HOME, 'nothing was sent', 'Set WAYBILL_STATE_DIR']),
  homeless(BOOK, [0], { WAYBILL_STATE_DIR: 'FOLDER/state' }),
  homeless(ADD, [10, NO_HOME, 'Set WAYBILL_CONFIG_DIR']),
  deleted(BOOK, [0]),
  deleted(SHIP, [10, 'order.json', 'the current folder was deleted', 'nothing was sent']),
  deleted('label --international S-1 --download labels', [10, 'labels is relative']),
  deleted('batch quote - --format jsonl < /dev/null', [10, GONE]),
  nowhere('WAYBILL_STATE_DIR', SHIP, [10, 'no folder can be made in /proc', 'set WAYBILL_STATE_DIR']),
  nowhere('WAYBILL_CONFIG_DIR', ADD, [10, 'no folder can be made in /proc', 'set WAYBILL_CONFIG_DIR']),
  nowhere('XDG_CACHE_HOME', QUOTE, [0]),
  nowhere('HOME', 'emulator --port 0 --data /proc/data/world.db -- true', [10, 'data/world.db cannot']),
  locked(BOOK, [10, 'EROFS', 'nothing was sent', 'set WAYBILL_STATE_DIR']),
  place(
    '19 open files are allowed',
    'ulimit -n 19;',
    BOOK,
    [10, /journal .* cannot be opened: .*; nothing was sent/],
    OWN,
  ),
]);
