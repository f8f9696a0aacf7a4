// `waybill emulator --audit`: how it ends, what it writes and when; and which faults it takes. What counts as twice is in
// test/emulator/audit.test.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnvironment, builtCommand, commandsOf, type Running } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { fixture } from '../rig/service.ts';
import { each, promises } from './promise.ts';

const EMPTY = { booked: [], repeated: [], labels: [] };

promises('waybill emulator --audit', [
  ...each(
    {
      says: 'refuses a file that it must not or cannot write, before its command is begun',
      lacks: '127.0.0.1',
      also: ({ programs }) => expect(programs).toEqual([]),
    },
    [
      { run: 'emulator --port 0 --audit none/audit.json -- make', exit: 10, stderr: 'none/audit.json' },
      { run: 'emulator --port 0 --audit . -- make', exit: 10, stderr: 'cannot be written' },
      {
        rig: { files: { 'package.json': { name: 'shop' } } },
        run: 'emulator --port 0 --audit package.json -- make',
        exit: 2,
        stderr: 'no earlier audit',
        files: { 'package.json': 'shop' },
      },
      { run: 'emulator --port 0 --data a.db --audit ./a.db -- make', exit: 2, stderr: '--data' },
    ],
  ),
  {
    says: 'replaces its earlier file, ends as its command ends, and says that nothing came, so that nothing is known',
    rig: { files: { 'audit.json': { ...EMPTY, booked: [1] } } },
    run: 'emulator --port 0 --audit audit.json -- make',
    programCode: 42,
    exit: 42,
    stderr: ['nothing twice. audit.json has it', 'warning: no booking reached the emulator'],
    also: (_, rig) => expect(JSON.parse(readFileSync(join(rig.folder, 'audit.json'), 'utf8'))).toEqual(EMPTY),
  },
  ...each({ says: 'refuses a fault that is none', exit: 2, stderr: '--fault', lacks: '127.0.0.1' }, [
    'emulator --port 0 --fault 500:first0',
    'emulator --port 0 --fault 500:second1',
    'emulator --port 0 --fault 500:2@ship',
    'emulator --port 0 --fault 500:1@ship@label',
    {
      run: 'emulator --port 0 --fault 500:1@createShipmnt',
      stderr: ['createShipmnt', 'createShipment (ship)'],
    },
  ]),
]);

const command = builtCommand();
const { waybill } = commandsOf(command);

const ORDER = JSON.stringify(fixture('v1/shipments/POST/full.request.json'));

/** A client that sends an order until it has an answer, and does not look why it had none. */
const NAIVE = `
const post = () => fetch(process.env.WAYBILL_BASE_URL + '/v1/shipments', {
  method: 'POST', headers: { authorization: process.env.WAYBILL_TOKEN }, body: process.env.ORDER,
}).then(answer => answer.json());
`;
const RETRYING = `${NAIVE} post().catch(post).catch(post);`;

const LOSING = '--fault reset-after:first2@createShipment';

/** `waybill emulator --audit audit.json` in a folder of its own. */
function auditing(flags: string, ...around: string[]): Running & { report(): unknown; folder: string } {
  const folder = temporaryFolder();
  const words = ['emulator', '--port', '0', '--audit', 'audit.json', ...flags.split(' ').filter(Boolean)];
  const place = { folder, env: { ...bareEnvironment(folder), ORDER, NODE: process.execPath } };
  const running = waybill(place, [...words, ...(around.length > 0 ? ['--', ...around] : [])]);
  const file = join(folder, 'audit.json');
  const report = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  return { ...running, folder, report };
}

const node = (script: string) => [process.execPath, '-e', script];

describe('An audit', () => {
  test('of a client that sends a lost booking again ends with 9, and has a page for people', async () => {
    const { ended, report } = auditing(LOSING, ...node(RETRYING));
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([9, '']);
    expect(stderr).toMatch(
      /^Audit of 1 order and 0 labels: 1 order booked more than once, 2 requests sent again.*\nLayla Mithal \(Riyadh, SA\): booked 3 times, 0 labels\n( {2}\d\d:\d\d:\d\d\.\d{3} +POST \/v1\/shipments +.*, made shp_\w+.*\n){3}error: 2 bookings sent again/,
    );
    expect(stderr).toContain('answer lost (reset-after)');
    const lost = { time: expect.any(String), operation: 'ship', status: null };
    expect(report()).toMatchObject({
      booked: [{ receiver: { name: 'Layla Mithal' }, requests: [lost, lost, { ...lost, status: 201 }] }],
      repeated: [{ requests: [lost, lost] }, { requests: [lost, { ...lost, status: 201 }] }],
      labels: [],
    });
  });

  test('of a client that stops there ends as the client does', async () => {
    const { ended, report } = auditing(LOSING, ...node(`${NAIVE} post().catch(() => process.exit(3));`));
    expect((await ended).code).toBe(3);
    expect(report()).toEqual(EMPTY);
  });

  test.each([
    ['', 0],
    ['--strict', 9],
  ])('lists equal orders whose answers both came; with %j it ends with %i', async (flags, code) => {
    const { ended, report } = auditing(flags, ...node(`${NAIVE} post().then(post);`));
    const end = await ended;
    expect([end.code, end.stderr]).toEqual([
      code,
      expect.stringContaining('warning: no answer to a booking was lost'),
    ]);
    expect(report()).toMatchObject({
      booked: [{ requests: [{ status: 201 }, { status: 201 }] }],
      repeated: [],
    });
  });

  test('judges the booking, whatever its client says of itself, also one that is killed', async () => {
    const { ended, report } = auditing(
      LOSING,
      ...node(`${RETRYING.replace(/;$/, '')}.then(() => process.kill(process.pid, 'SIGKILL'));`),
    );
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([9, expect.stringContaining('the client itself ended with 137')]);
    expect(report()).toMatchObject({ repeated: [{}, {}] });
  });

  test('of a command that cannot be run writes nothing', async () => {
    const { ended, folder } = auditing('', 'no-such-program');
    expect((await ended).code).toBe(127);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'alone judges at %s, and writes its file then, and not before',
    async signal => {
      const { child, firstLine, ended, report, folder } = auditing(LOSING);
      const [address = ''] = /http:[^ ]+/.exec(await firstLine()) ?? [];
      const post = () =>
        fetch(`${address}/v1/shipments`, { method: 'POST', headers: { any: 'demo' }, body: ORDER });
      await post().catch(post).catch(post);
      expect(report()).toBe(undefined);
      child.kill(signal);
      expect((await ended).code).toBe(9);
      expect(report()).toMatchObject({ booked: [{}], repeated: [{}, {}] });
      expect(readdirSync(folder)).toEqual(['audit.json']);
    },
  );
});
