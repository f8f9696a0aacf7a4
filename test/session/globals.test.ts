import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/text.ts';
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

const unknownOf = ({ stderr }: { stderr: string }) =>
  stderr.match(/^warning: the (variable|setting).*/gm) ?? [];

describe('A variable that nobody knows', () => {
  const ORDERS = { 'orders.jsonl': JSON.stringify({ key: 'K', ...SHIPMENT }), 'order.json': SHIPMENT };

  test('is warned of, all of them once, and --strict does not count that', async () => {
    const rig = await createRig();
    const env = {
      WAYBILL_SANBOX: '1',
      waybill_journal: 'postgres://a',
      WAYBILL_COLOUR: 'x',
      WAYBILL_OFF: '0',
    };
    for (const strict of ['', ' --strict']) {
      const ran = await rig.run(`track a${strict}`, { env });
      expect([ran.exitCode, ran.requests.length]).toEqual([4, 1]);
      expect(unknownOf(ran)).toEqual([
        'warning: the variables WAYBILL_SANBOX (did you mean WAYBILL_SANDBOX?), waybill_journal (did you mean WAYBILL_JOURNAL?), WAYBILL_COLOUR are set, but they are unknown and have no effect',
      ]);
    }
  });

  test.each([
    ['ship -f order.json --key K'],
    ['ship -f order.json --key K --profile demo'],
    ['ship-dual -f order.json --key K'],
    ['label --international S'],
    ['webhook create --url https://a.example --event shipment.created'],
    ['batch ship orders.jsonl'],
    ['mcp'],
  ])('is exit 2 where something would be booked, if it is all but a known one: %s', async argv => {
    const rig = await createRig({ files: ORDERS });
    const ran = await rig.run(`${argv} --json`, { env: { WAYBILL_SANBOX: '1' } });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
    expect(errorOf(ran).message).toMatch(
      /WAYBILL_SANBOX \(did you mean WAYBILL_SANDBOX\?\) is set.*nothing was sent/,
    );
  });

  test.each([
    ['WAYBILL_MAX_PRICE', '0', 2],
    ['WAYBILL_DAILY_LIMIT', 'false', 2],
    ['WAYBILL_MAX_PRICE', '', 0],
    ['WAYBILL_DRY_RUN', '0', 0],
    ['WAYBILL_STRICT', 'false', 0],
  ])(
    'counts with 0 or false if it speaks of a limit, and as a switch is off: %s=%s is exit %i',
    async (name, value, exitCode) => {
      const rig = await createRig({ files: ORDERS });
      const ran = await rig.run('ship -f order.json --key K', { env: { [name]: value } });
      expect([ran.exitCode, ran.stderr.includes(name)]).toEqual([exitCode, exitCode === 2]);
    },
  );

  test.each([
    ['WAYBILL_MAX_PRICE', 2],
    ['WAYBILL_MAXPRICE', 2],
    ['WAYBILL_MAX_PER_DAY', 2],
    ['WAYBILL_DAILY_LIMIT', 2],
    ['WAYBILL_POLICY_ANYTHING', 2],
    ['WAYBILL_DRY_RUN', 2],
    ['WAYBILL_NO_PRODUCTION', 2],
    ['WAYBILL_ALLOW_DUPLICATE', 2],
    ['WAYBILL_STRICT', 2],
    ['waybill_sandbox', 2],
    ['WAYBILL_PRICED', 0],
    ['WAYBILL_MAXIMUM', 0],
    ['WAYBILL_COLOUR', 0],
    ['WAYBILL_SANDBOX_TOKEN', 0],
    ['WAYBILL_PRODUCTION_URL', 0],
    ['WAYBILL_STRICT_MODE_FILE', 0],
    ['WAYBILL_PRICE_VERSION', 0],
  ])(
    'stops a booking if a word of it speaks of a limit or of safety: %s is exit %i',
    async (name, exitCode) => {
      const rig = await createRig({ files: ORDERS });
      const env = { [name]: '1' };
      const ran = await rig.run('ship -f order.json --key K', { env });
      expect([ran.exitCode, ran.stderr.includes(name)], ran.stderr).toEqual([exitCode, true]);
      expect(ran.requests.length).toBe(exitCode === 0 ? 1 : 0);
      for (const reads of [
        'ship -f order.json --key L --dry-run',
        'batch ship orders.jsonl --dry-run',
        'history list',
      ]) {
        const read = await rig.run(reads, { env });
        expect([read.exitCode, unknownOf(read).length], read.stderr).toEqual([0, 1]);
      }
    },
  );

  test.each([
    ['WAYBILL_POLICY_MAX_PRICE_FILE', 'ship -f order.json --key K', 1],
    ['WAYBILL_POLICY_MAX_PRICE_FILE', 'track a', 0],
    ['WAYBILL_COLOUR', 'ship -f order.json --key K', 0],
  ])(
    'is told with -q, too, if it speaks of money and something is booked: %s of %s',
    async (name, argv, many) => {
      const rig = await createRig({ files: ORDERS });
      const ran = await rig.run(`${argv} -q`, { env: { [name]: '/run/limit' } });
      expect(unknownOf(ran)).toHaveLength(many);
    },
  );

  test.each([
    'WAYBILL_SERVICE_HOST',
    'WAYBILL_SERVICE_PORT',
    'WAYBILL_SERVICE_PORT_HTTPS',
    'WAYBILL_PORT',
    'WAYBILL_PORT_443_TCP_ADDR',
    'WAYBILL_SANDBOX_SERVICE_HOST',
    'WAYBILL_SANDBOX_PORT_443_TCP',
    'WAYBILL_TEST_POSTGRES',
    'WAYBILL_PRICE_KEY',
  ])(
    'is none if Kubernetes made it, our tests need it, or a profile reads a secret in it: %s',
    async name => {
      const rig = await createRig({ files: ORDERS });
      const credentials = { kind: 'headers', headers: { 'x-key': { env: 'WAYBILL_PRICE_KEY' } } };
      rig.file('config/config.json', { profiles: { other: { baseUrl: 'https://a.example', credentials } } });
      const ran = await rig.run('ship -f order.json --key K', { env: { [name]: 'tcp://10.0.0.1:443' } });
      expect([ran.exitCode, unknownOf(ran)], ran.stderr).toEqual([0, []]);
    },
  );
});

describe('A setting that nobody knows, in a config written by hand,', () => {
  const written = (profile: object, current = 'shop') => ({
    'config/config.json': { current, profiles: { shop: profile, other: { baseUrl: 'https://a.example' } } },
    'order.json': SHIPMENT,
  });
  const POLICY = { policy: { requireKey: true }, 'policy.maxPrice': '5EUR' };

  test('is a warning, and exit 2 where something would be booked', async () => {
    const rig = await createRig({ files: written({ ...POLICY, maxprice: '5EUR' }) });
    const read = await rig.run('track a');
    expect(unknownOf(read)).toEqual([
      'warning: the settings of the profile shop: "policy.maxPrice", "maxprice" (did you mean maxPrice?) are set, but they are unknown and have no effect',
    ]);
    const ran = await rig.run('ship -f order.json --key K');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
    expect(ran.stderr).toContain('"policy.maxPrice"');
  });

  test('of another profile says nothing', async () => {
    const rig = await createRig({ files: written(POLICY, 'other') });
    const ran = await rig.run('ship -f order.json --key K');
    expect([ran.exitCode, unknownOf(ran)]).toEqual([0, []]);
    expect((await rig.run('ship -f order.json --key L --profile shop --allow-duplicate')).exitCode).toBe(2);
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
    expect(await asked('', { WAYBILL_RETRIES: '0' })).toBe(1);
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
    ['WAYBILL_OUTPUT', 'jsn', FORMAT_NAMES.join(', ')],
    ['WAYBILL_OUTPUT', '0', FORMAT_NAMES.join(', ')],
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
