import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';
import { event } from '../rig/sockets.ts';

const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
const CREATE = ['webhook', 'create', '--url', 'https://a.example/x', '--event', 'shipment.status.updated'];

/** A profile for the emulator of the rig, with further settings. */
async function profile(rig: Rig, name: string, settings: object = {}, token = 'demo'): Promise<void> {
  const file = rig.file(`${name}.json`, { baseUrl: rig.address, ...settings });
  await rig.run(['profile', 'add', name, '-f', file, '--auth-scheme', '']);
  expect((await rig.run(['profile', 'set', name, '--token-stdin'], { stdin: token })).exitCode).toBe(0);
}

test('A variable that is all but a known one is warned of, and refused with --strict: it would book at production', async () => {
  const rig = await createRig();
  const env = { WAYBILL_SANBOX: '1', waybill_journal: 'postgres://a', WAYBILL_BIN: 'x', WAYBILL_IMAGE: 'x' };
  const { exitCode, stderr, requests } = await rig.run('track a', { env });
  expect([exitCode, requests.length]).toEqual([4, 1]);
  expect(stderr.match(/^warning: .*/gm)).toEqual([
    'warning: the variable WAYBILL_SANBOX is set, but it is unknown and has no effect (did you mean WAYBILL_SANDBOX?)',
    'warning: the variable waybill_journal is set, but it is unknown and has no effect (did you mean WAYBILL_JOURNAL?)',
  ]);
  const strict = await rig.run('track a --strict', { env });
  expect([strict.exitCode, strict.requests]).toEqual([2, []]);
  expect(strict.stderr).toContain('WAYBILL_SANDBOX?)');
  expect((await rig.run('track a', { env: { WAYBILL_SANBOX: '0' } })).stderr).not.toContain('SANBOX');
});

test.each([
  ['ship -f - --key K'],
  ['ship -f - --profile demo'],
  ['label --international S'],
  ['webhook create --url https://a.example --event shipment.created'],
  ['batch ship orders.jsonl'],
])('Such a variable is exit 2 where something would be booked: %s', async argv => {
  const rig = await createRig();
  rig.file('orders.jsonl', JSON.stringify({ key: 'K', ...SHIPMENT }));
  const options = { env: { WAYBILL_SANBOX: '1' }, stdin: JSON.stringify(SHIPMENT) };
  const ran = await rig.run(`${argv} --json`, options);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  expect(errorOf(ran).message).toMatch(/WAYBILL_SANBOX is set.*WAYBILL_SANDBOX\?\); nothing was sent/);
});

test('Such a variable is a warning in a dry run, and in what reads the journal', async () => {
  const rig = await createRig();
  rig.file('orders.jsonl', JSON.stringify({ key: 'K', ...SHIPMENT }));
  const options = { env: { WAYBILL_SANBOX: '1' }, stdin: JSON.stringify(SHIPMENT) };
  for (const argv of ['ship -f - --dry-run', 'batch ship orders.jsonl --dry-run --estimate', 'history list'])
    expect(await rig.run(argv, options)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('warning: the variable WAYBILL_SANBOX is set'),
    });
});

describe('flag over environment over profile', () => {
  test('the format', async () => {
    const rig = await createRig({ env: BARE });
    await profile(rig, 'live', { output: 'csv' });
    const first = async (argv: string, env = {}) =>
      (await rig.run(`profile list ${argv}`, { env })).stdout.split(/\r?\n/)[0];
    expect(await first('')).toBe('name,current,baseUrl,sandboxBaseUrl,account,credentials');
    expect(await first('', { WAYBILL_OUTPUT: 'json' })).toBe('[');
    expect(await first('-o jsonl', { WAYBILL_OUTPUT: 'json' })).toContain('{"name":"live"');
    expect(await first('--json', { WAYBILL_OUTPUT: 'table' })).toBe('[');
    expect(await first('', { WAYBILL_OUTPUT: '0' })).toContain('name,current');
  });

  test('the sandbox', async () => {
    const rig = await createRig({ env: BARE });
    await profile(rig, 'live', { sandboxBaseUrl: `${rig.address}/sandbox`, sandbox: true });
    const path = async (argv: string, env = {}) =>
      (await rig.run(`track a ${argv}`, { env })).requests[0]?.path;
    expect(await path('')).toBe('/sandbox/v1/shipments/a');
    expect(await path('--no-sandbox', { WAYBILL_SANDBOX: '1' })).toBe('/v1/shipments/a');
    await rig.run('profile set live sandbox=false');
    expect(await path('')).toBe('/v1/shipments/a');
    expect(await path('', { WAYBILL_SANDBOX: '1' })).toBe('/sandbox/v1/shipments/a');
    expect(await path('', { WAYBILL_SANDBOX: 'false' })).toBe('/v1/shipments/a');
    expect(await path('--sandbox')).toBe('/sandbox/v1/shipments/a');
  });

  test('the retries: 3 by default', async () => {
    const rig = await createRig({ faults: [{ kind: 503, probability: 1 }] });
    const asked = async (argv: string, env = {}) =>
      (await rig.run(`track a ${argv}`, { env })).requests.length;
    expect(await asked('')).toBe(4);
    expect(await asked('', { WAYBILL_RETRIES: '1' })).toBe(2);
    expect(await asked('--retries 0', { WAYBILL_RETRIES: '1' })).toBe(1);
  });

  test('the time for one attempt: the variable counts for reads only', async () => {
    const [answering, answer] = event();
    let arrived = () => {};
    const sleep = () => {
      arrived();
      return answering;
    };
    const rig = await createRig({ latency: 1, sleep });
    const why = async (argv: string[], env = {}) => {
      const patience = new Promise<void>(resolve => {
        arrived = resolve;
      });
      return (await rig.run([...argv, '--retries', '0'], { env, patience })).stderr;
    };
    expect(await why(['track', 'a'])).toContain('within 30 s');
    expect(await why(['track', 'a'], { WAYBILL_TIMEOUT: '7' })).toContain('within 7 s');
    expect(await why(['track', 'a'], { WAYBILL_TIMEOUT: '5m' })).toContain('within 300 s');
    expect(await why(['track', 'a', '--timeout', '2.5'], { WAYBILL_TIMEOUT: '7' })).toContain('within 2.5 s');
    expect(await why(['track', 'a', '--timeout', '1e1s'])).toContain('within 10 s');
    expect(await why(['track', 'a', '--timeout', '2h'])).toContain('within 7200 s');
    expect(await why(CREATE, { WAYBILL_TIMEOUT: '7' })).toContain('within 180 s');
    expect(await why([...CREATE, '--timeout', '9', '--allow-duplicate'])).toContain('within 9 s');
    answer();
  });

  test.each([
    ['WAYBILL_OUTPUT', 'jsn', 'table, json, jsonl, csv, text'],
    ['WAYBILL_RETRIES', 'many', 'whole number'],
    ['WAYBILL_TIMEOUT', '-1', 'above 0'],
  ])('%s=%s is refused unless a flag overrides it', async (name, value, says) => {
    const { run } = await createRig();
    const { exitCode, stderr, requests } = await run('track a', { env: { [name]: value } });
    expect([exitCode, requests]).toEqual([2, []]);
    expect(stderr).toContain(`${name} is ${JSON.stringify(value)}`);
    expect(stderr).toContain(says);
    const flags = 'track a -o json --retries 1 --timeout 5';
    expect((await run(flags, { env: { [name]: value } })).exitCode).toBe(4);
  });
});

describe('addresses and credentials', () => {
  test('of the environment are used together and override the profile', async () => {
    const rig = await createRig();
    await profile(rig, 'live', {}, 'wrong');
    expect((await rig.run('track a')).exitCode).toBe(4);
    // The flag overrides them.
    expect((await rig.run('track a --profile live')).exitCode).toBe(3);
    expect((await rig.run('track a', { env: { WAYBILL_PROFILE: 'live' } })).exitCode).toBe(4);
  });

  test('the environment can set the header and the scheme of a token', async () => {
    const { run } = await createRig({
      env: { WAYBILL_AUTH_HEADER: 'X-Api-Token', WAYBILL_AUTH_SCHEME: 'Key' },
    });
    const { requests } = await run('track a');
    expect(requests[0]?.headers).toMatchObject({ 'x-api-token': `Key ${SECRET}` });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
