// `waybill emulator` as a command: alone, and around another one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnvironment, builtCommand, commandsOf } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { each, promises } from './promise.ts';

promises('waybill emulator', [
  ...each({ says: 'refuses what it cannot be', exit: 2, lacks: '127.0.0.1' }, [
    { run: 'emulator --port 70000', stderr: '--port' },
    { run: 'emulator --port 0 --speed 0', stderr: '--speed' },
    { run: 'emulator --port 0 --speed fast', stderr: '--speed' },
    { run: 'emulator --port 0 --latency -1', stderr: '--latency' },
    { run: 'emulator --port 0 --fault 500', stderr: '--fault' },
    { run: 'emulator --port 0 --fault 99:1', stderr: '--fault' },
    { run: 'emulator --port 0 --fault flood:1', stderr: '--fault' },
    { run: 'emulator --port 0 --fault 500:2', stderr: '--fault' },
    { run: 'emulator --port 0 --fault toString:1', stderr: '--fault' },
    { run: 'emulator --port 0 --fault 500:0.1:x', stderr: '--fault' },
    { run: 'emulator --port 0 --seed x', stderr: '--seed' },
    { run: ['emulator', '--port', '0', '--token', 'a b'], stderr: '--token' },
  ]),
  {
    says: 'says what it decides where the service document shows nothing',
    run: 'emulator --help',
    stdout: ['8787', '127.0.0.1', 'reset-before', 'reset-after', 'truncate', 'html', 'delay'],
  },
  {
    says: 'leaves a file alone that is no world of its own',
    rig: { files: { 'notes.txt': 'mine, and long enough to be no header of SQLite' } },
    run: 'emulator --port 0 --data notes.txt',
    exit: 10,
    files: { 'notes.txt': 'mine' },
  },
  {
    says: 'ends with the exit code of its command',
    run: 'emulator --port 0 -- make test --json',
    programCode: 42,
    exit: 42,
    also: ({ programs }) => expect(programs).toEqual([['make', 'test', '--json']]),
  },
]);

const command = builtCommand();
const { waybill } = commandsOf(command);

/** A folder, and an environment without a service. */
const place = () => {
  const folder = temporaryFolder();
  return { folder, env: bareEnvironment(folder) };
};
const addressIn = (line: string): string => /http:\/\/[\w.]+:\d+/.exec(line)?.[0] ?? '';
const statusOf = async (url: string, token = 'demo') =>
  (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;

describe('The emulator alone', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints one line when it is ready, and ends cleanly on %s',
    async signal => {
      const { child, firstLine, ended } = waybill(place(), 'emulator --port 0');
      const line = await firstLine();
      const address = addressIn(line);
      expect(await statusOf(`${address}/v1/shipments/none`)).toBe(404);
      child.kill(signal);
      expect(await ended).toEqual({ code: 0, signal: null, stdout: `${line}\n`, stderr: '' });
      await expect(fetch(address)).rejects.toThrow();
    },
  );

  test.each(['--json', '-o jsonl'])(
    'says its addresses and its token as one line of JSON with %s',
    async format => {
      const { firstLine } = waybill(place(), `emulator --port 0 ${format} --token mine`);
      const { address, sandbox, token } = JSON.parse(await firstLine());
      expect([sandbox, token]).toEqual([`${address}/sandbox`, 'mine']);
    },
  );

  test('takes a free port with --port 0, so that two of them run', async () => {
    const lines = await Promise.all([0, 1].map(() => waybill(place(), 'emulator --port 0 -q').firstLine()));
    expect(new Set(lines).size).toBe(2);
  });

  test('refuses a port that is taken', async () => {
    const { firstLine } = waybill(place(), 'emulator --port 0 -q');
    const { port } = new URL(await firstLine());
    const { code, stderr } = await waybill(place(), ['emulator', '--port', port]).ended;
    expect([code, stderr]).toEqual([10, expect.stringContaining(port)]);
  });

  test('listens at the address that is given, with the tokens that are given, and waits as long as it is told', async () => {
    const flags = '--host 127.0.0.2 --latency 300 --token mine:shipment:label --token other';
    const { firstLine } = waybill(place(), `emulator --port 0 -q ${flags}`);
    const address = await firstLine();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.2:/);
    const start = performance.now();
    expect(await statusOf(`${address}/v1/shipments/none`, 'mine')).toBe(404);
    expect(performance.now() - start).toBeGreaterThan(280);
    expect(await statusOf(`${address}/v1/shipments/none`, 'other')).toBe(404);
    expect(await statusOf(`${address}/v1/shipments/none`, 'demo')).toBe(401);
    // Without a token: what is not there is 404.
    expect(await statusOf(`${address}/sandbox/v1/shipments/none`, 'demo')).toBe(401);
    expect(await statusOf(`${address}/sandbox/webhooks/subscriptions/none`, 'demo')).toBe(404);
    const posted = (token: string) =>
      fetch(`${address}/v1/shipments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{}',
      });
    expect([(await posted('mine')).status, (await posted('other')).status]).toEqual([401, 400]);
  });

  test('keeps its data in a file with --data', async () => {
    const at = place();
    const { child, firstLine, ended } = waybill(at, 'emulator --port 0 -q --data world.db');
    await firstLine();
    child.kill('SIGTERM');
    await ended;
    expect(existsSync(join(at.folder, 'world.db'))).toBe(true);
  });
});

describe('The emulator around a command', () => {
  const around = (script: string, env: Record<string, string> = {}, flags: readonly string[] = []) =>
    waybill(place(), ['emulator', '--port', '0', ...flags, '--', 'bash', '-c', script], {
      env: { NODE: process.execPath, COMMAND: command(), ...env },
    }).ended;

  test('gives it the variables of the emulator with the first token, and nothing of the real service', async () => {
    const real = { WAYBILL_PROFILE: 'live', WAYBILL_TOKEN: 'real-token-1', WAYBILL_AUTH_HEADER: 'X-Real' };
    const { code, stdout } = await around(
      'echo "$WAYBILL_BASE_URL $WAYBILL_SANDBOX_BASE_URL $WAYBILL_TOKEN $WAYBILL_ECONOMY_CARRIERS [$WAYBILL_PROFILE$WAYBILL_AUTH_HEADER]"',
      real,
      ['--token', 'mine', '--token', 'other'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(http:\/\/127\.0\.0\.1:\d+) \1\/sandbox mine ECO \[\]\n$/);
  });

  test('lets it use the service', async () => {
    const script = '"$NODE" "$COMMAND" quote --from TR --to DE --package 1kg@10x10x10 --cheapest -q';
    expect(await around(script)).toMatchObject({ code: 0, stdout: 'ECO\n' });
  });

  test('prints nothing of its own, and ends as it ends', async () => {
    expect(await around('true')).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  test.each([
    ['exit 7', 7],
    ['kill -KILL $$', 137],
  ])('ends as `%s` ends: %i', async (script, code) => {
    expect((await around(script)).code).toBe(code);
  });

  test('ends with 127 if it cannot be run', async () => {
    const { code, stderr } = await waybill(place(), 'emulator --port 0 -- no-such-program').ended;
    expect([code, stderr]).toEqual([127, expect.stringContaining('no-such-program')]);
  });

  test('gives it the faults that are wanted', async () => {
    const script = '"$NODE" "$COMMAND" track gone --retries 0';
    expect((await around(script, {}, ['--fault', '500:1'])).code).toBe(7);
  });

  test('passes a signal on, and waits for its end', async () => {
    const trap = `trap 'echo mended; exit 3' TERM; echo ready; while :; do sleep 0.05; done`;
    const { child, firstLine, ended } = waybill(place(), [
      'emulator',
      '--port',
      '0',
      '--',
      'bash',
      '-c',
      trap,
    ]);
    expect(await firstLine()).toBe('ready');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 3, stdout: 'ready\nmended\n' });
  });
});

test('the page of the emulator says what it decides', () => {
  const page = readFileSync('docs/emulator.md', 'utf8');
  expect(page).toMatch(/the emulator decides:/);
  for (const word of ['ECO', 'EXP', 'DOM', '--token', '--speed', '--seed', '/openapi.json'])
    expect(page).toContain(word);
});
