// `waybill emulator --as-production`: an address where nothing is real, and at which a booking is held back as in production.
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/server.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { bareEnvironment, builtCommand, commandsOf } from '../rig/process.ts';
import { BARE, temporaryFolder } from '../rig/profile.ts';
import { withEnv } from './begin.ts';
import { FILES } from './orders.ts';
import { promises } from './promise.ts';

/** The requests that came to the emulator of the last rig. */
let came: string[] = [];

/** A rig whose environment has the address of such an emulator. */
async function rehearsal(): Promise<Rig> {
  came = [];
  const { address, close } = await startEmulator({
    asProduction: true,
    onRequest: ({ method, path }) => void came.push(`${method} ${path}`),
  });
  onTestFinished(close);
  const rig = await createRig({ files: FILES, journalLost: true });
  const env = {
    WAYBILL_BASE_URL: address,
    WAYBILL_SANDBOX_BASE_URL: `${address}/sandbox`,
    WAYBILL_TOKEN: 'demo',
  };
  return { ...withEnv(rig, env), address };
}

/** The same, in a profile that keeps production for a terminal. */
async function keptForTerminal(): Promise<Rig> {
  const rig = withEnv(await rehearsal(), BARE);
  await rig.run(`profile add live --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  await rig.run('profile set live policy.production=terminal');
  return rig;
}

const SHIP = 'ship order.json --key A-1';
const expectNone = () => expect(came).toEqual([]);

promises('An emulator that stands in for production', [
  {
    says: 'A booking is asked about at a terminal, with its address, and a no sends nothing',
    rig: rehearsal,
    run: SHIP,
    terminal: true,
    exit: 130,
    also: ({ asked }) => {
      expect(asked).toEqual([expect.stringMatching(/Book this\?.*http:\/\/127\.0\.0\.1:\d+\/as-production/)]);
      expect(came.filter(line => line.endsWith('/v1/shipments'))).toEqual([]);
    },
  },
  {
    says: 'A yes books it, with its label',
    rig: rehearsal,
    run: `${SHIP} --label --download labels`,
    terminal: true,
    answer: true,
    files: { 'labels/A-1.pdf': '%PDF' },
  },
  {
    says: 'Where nobody can be asked at a terminal it needs --yes',
    rig: rehearsal,
    run: SHIP,
    terminal: true,
    piped: true,
    exit: 2,
    stderr: '--yes',
    also: expectNone,
  },
  { says: 'Without a terminal it goes ahead', rig: rehearsal, run: SHIP },
  {
    says: 'In CI nothing is booked while the journal does not exist',
    rig: rehearsal,
    env: { CI: 'true' },
    run: SHIP,
    exit: 10,
    stderr: '--new-journal',
    also: expectNone,
  },
  {
    says: 'What a profile keeps for a terminal is refused without one',
    rig: keptForTerminal,
    run: SHIP,
    exit: 2,
    stderr: 'policy.production=terminal',
    also: expectNone,
  },
  {
    says: 'A webhook needs https, as a service in production does',
    rig: rehearsal,
    run: ['webhook', 'create', '--url', 'http://127.0.0.1:9/hook', '--event', 'shipment.status.updated'],
    exit: 2,
    stderr: 'https',
    also: expectNone,
  },
  {
    says: 'Its sandbox is a sandbox',
    rig: rehearsal,
    run: `${SHIP} --sandbox`,
    terminal: true,
    also: ({ asked }) => expect(asked).toEqual([]),
  },
]);

describe('Which address that is', () => {
  test.each([
    ['http://127.0.0.1:8787/as-production', 'as-production'],
    ['http://localhost:8787/as-production/', 'as-production'],
    ['http://127.0.0.1:8787', 'loopback'],
    ['http://127.0.0.1:8787/as-productions', 'loopback'],
    // No path makes a real address anything else.
    ['https://api.example.com/as-production', 'production'],
    ['https://api.example.com', 'production'],
  ])('%s is %s', async (address, environment) => {
    const rig = await createRig({ env: { WAYBILL_BASE_URL: address, WAYBILL_SANDBOX_BASE_URL: '' } });
    expect(await rig.json('profile whoami')).toMatchObject({ environment });
  });
});

const command = builtCommand();
const { waybill } = commandsOf(command);

test('waybill emulator --as-production says that address, and gives it to its command', async () => {
  const folder = temporaryFolder();
  const place = { folder, env: bareEnvironment(folder) };
  const { firstLine } = waybill(place, 'emulator --port 0 --as-production -q');
  const address = await firstLine();
  expect(new URL(address).pathname).toBe('/as-production');
  const statusOf = async (path: string) =>
    (await fetch(path, { headers: { authorization: 'Bearer demo' } })).status;
  const { origin } = new URL(address);
  expect([await statusOf(`${address}/openapi.json`), await statusOf(`${origin}/openapi.json`)]).toEqual([
    200, 404,
  ]);
  const around = [
    'emulator',
    '--port',
    '0',
    '--as-production',
    '--',
    'bash',
    '-c',
    'echo "$WAYBILL_BASE_URL"',
  ];
  expect((await waybill(place, around).ended).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/as-production\n$/);
});
