import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RunOptions } from '../../rig/command.ts';
import { BARE, configOf, savedIn } from '../../rig/profile.ts';

const bareRig = (more: Record<string, string> = {}) => createRig({ env: { ...BARE, ...more } });
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

async function added(rig: Rig, name: string, more: string[] = [], options: RunOptions = { stdin: 'demo\n' }) {
  const credentials = more.includes('--header') ? [] : ['--token-stdin'];
  const ran = await rig.run(
    ['profile', 'add', name, '--base-url', rig.address, ...credentials, ...more],
    options,
  );
  expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
  return ran;
}

const AT = '--base-url https://a.example';

describe('profile add', () => {
  test('saves address and token in a file of mode 0600, and the first profile becomes the current one', async () => {
    const rig = await bareRig();
    const { stderr } = await added(rig, 'live', ['--account', 'acme']);
    expect(stderr).toContain('It is the current one from now on');
    expect(statSync(configOf(rig)).mode & 0o777).toBe(0o600);
    expect(savedIn(rig)).toEqual({
      current: 'live',
      profiles: {
        live: { baseUrl: rig.address, account: 'acme', credentials: { kind: 'token', token: 'demo' } },
      },
    });
    expect(await rig.run('track gone')).toMatchObject({ exitCode: 4 });
    expect((await added(rig, 'other')).stderr).toContain('waybill profile use other');
    expect(savedIn(rig).current).toBe('live');
  });

  test.each([
    ['a name that is taken', `live ${AT}`, 'profile set live'],
    ['the name of the demo', `demo ${AT}`, 'demo'],
    ['a name that is a trap', `__proto__ ${AT}`, '__proto__'],
    ['no address', 'new', '--base-url URL'],
  ])('refuses %s, and leaves what is there', async (_, argv, says) => {
    const rig = await bareRig();
    await added(rig, 'live');
    const before = savedIn(rig);
    const { exitCode, stderr } = await rig.run(`profile add ${argv} --json`);
    expect([exitCode, errorOf(stderr).code]).toEqual([2, 'usage']);
    expect(errorOf(stderr).message).toContain(says);
    expect(savedIn(rig)).toEqual(before);
  });

  test.each([
    [
      'a token with a header and word of its own',
      ['--token-stdin', '--auth-header', 'X-Api-Token', '--auth-scheme', 'Key'],
      { 'x-api-token': 'Key demo' },
    ],
    ['a header from the environment', ['--header', 'X-Key=@env:SHOP_KEY'], { 'x-key': 'demo' }],
    ['a header from a file', ['--header', 'X-Key=@key.txt'], { 'x-key': 'demo' }],
    ['a header from stdin', ['--header', 'X-Key=@-'], { 'x-key': 'demo' }],
  ])('takes %s', async (_, credentials, sent) => {
    const rig = await bareRig({ SHOP_KEY: 'demo' });
    rig.file('key.txt', 'demo\n');
    const options = { stdin: 'demo\n' };
    await rig.run(['profile', 'add', 'live', '--base-url', rig.address, ...credentials], options);
    const { exitCode, requests } = await rig.run('track gone');
    expect([exitCode, requests[0]?.headers]).toEqual([4, expect.objectContaining(sent)]);
  });
});

describe('profile show, list, whoami and export', () => {
  test('export prints a profile that can be added again, without the credentials', async () => {
    const rig = await bareRig();
    await added(rig, 'live', ['--sandbox-base-url', `${rig.address}/sandbox`, '--auth-scheme', '']);
    await rig.run('profile parcel add small 1kg@30x20x10cm --profile live');
    await rig.run(
      'profile set live economyCarriers=ECO,LOW endMilestones=delivered,returned sandbox=true currency=EUR type=package output=csv',
    );
    const program = "pass show 'my journal'";
    await rig.run(['profile', 'set', 'live', `journalPasswordCommand=${program}`]);
    const { stdout } = await rig.run('profile export live');
    await rig.run('profile add copy -f -', { stdin: stdout });
    const { live, copy } = savedIn(rig).profiles;
    expect({ ...copy, credentials: live.credentials }).toEqual(live);
    expect(copy.economyCarriers).toEqual(['ECO', 'LOW']);
    expect(copy.endMilestones).toEqual(['delivered', 'returned']);
    expect(copy.parcels).toEqual({ small: '1kg@30x20x10cm' });
    expect(copy.journalPasswordCommand).toEqual(['pass', 'show', 'my journal']);
  });

  test.each([
    ['a setting that is none', { baseURL: 'https://a.example' }, 'baseUrl'],
    ['a setting of another type', { currency: { code: 'EUR' } }, 'currency'],
    ['a party that is none', { sender: 'me' }, 'sender'],
    ['parcels in a list', { parcels: ['1@1x1x1'] }, 'parcels must be an object'],
    ['a parcel that is no text', { parcels: { small: 1 } }, 'parcels.small must be text'],
    ['a parcel that is no SPEC', { parcels: { small: '1kg' } }, 'parcels.small: "1kg"'],
    ['a parcel without a name', { parcels: { 'a b': '1@1x1x1' } }, '"a b" is not a name'],
    ['parties that are none', { parties: { me: 'x' } }, 'parties'],
  ])('a file with %s is refused', async (_, content, says) => {
    const rig = await bareRig();
    const baseUrl = 'baseURL' in content ? {} : { baseUrl: 'https://a.example' };
    rig.file('profile.json', { ...baseUrl, ...content });
    const { exitCode, stderr } = await rig.run('profile add new -f profile.json');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });

  test.each(['export', 'remove'])('%s of the demo says that nothing of it is saved', async what => {
    const { exitCode, stderr } = await (await bareRig()).run(`profile ${what} demo`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('built in, and nothing of it is saved')]);
  });

  test('list marks the current one and always has the demo', async () => {
    const rig = await bareRig();
    expect((await rig.run('profile list -q')).stdout).toBe('demo\n');
    await added(rig, 'live');
    const rows = JSON.parse((await rig.run('profile list --json')).stdout);
    expect(rows.map((row: { name: string; current: boolean }) => [row.name, row.current])).toEqual([
      ['live', true],
      ['demo', false],
    ]);
  });

  test('whoami says what would be used and why, and sends nothing', async () => {
    const rig = await bareRig();
    await added(rig, 'live', ['--account', 'acme']);
    const whoami = async (argv: string, env = {}) => {
      const { stdout, requests } = await rig.run(`profile whoami --json ${argv}`, { env });
      expect(requests).toEqual([]);
      return JSON.parse(stdout);
    };
    expect(await whoami('')).toEqual({
      profile: 'live',
      profileFrom: 'the current profile',
      address: rig.address,
      addressFrom: 'profile live',
      environment: 'loopback',
      environmentFrom: 'default',
      sandbox: false,
      credentials: 'a token',
      credentialsFrom: 'profile live',
      clientCert: null,
      caCert: null,
      caCertFrom: 'none',
      account: 'acme',
      defaults: {},
      economyCarriers: ['ECO'],
      endMilestones: ['delivered'],
      limits: null,
      ignored: [],
      trouble: null,
    });
    expect(await whoami('--profile demo')).toMatchObject({
      profile: 'demo',
      profileFrom: '--profile',
      address: 'demo',
    });
    expect(await whoami('', { WAYBILL_BASE_URL: 'https://env.example', WAYBILL_TOKEN: 't' })).toMatchObject({
      address: 'https://env.example',
      addressFrom: 'WAYBILL_BASE_URL',
      credentialsFrom: 'WAYBILL_TOKEN',
    });
  });
});

test('profile add and whoami say that no setting names the economy carrier, until one does', async () => {
  const rig = await bareRig({ WAYBILL_ECONOMY_CARRIERS: '' });
  const note = 'they are checked before anything is sent: `waybill profile set live economyCarriers=ID`';
  expect((await added(rig, 'live')).stderr).toContain(note);
  expect((await rig.run('profile whoami')).stderr).toContain(note);
  await rig.run('profile set live economyCarriers=ECO,17');
  const whoami = await rig.run('profile whoami --json');
  expect(whoami.stderr).toBe('');
  expect(JSON.parse(whoami.stdout).economyCarriers).toEqual(['ECO', '17']);
});

describe('profile set, use and remove', () => {
  test('use changes the current profile, and remove leaves none', async () => {
    const rig = await bareRig();
    await added(rig, 'live');
    await added(rig, 'other');
    await rig.run('profile use other');
    expect(savedIn(rig).current).toBe('other');
    expect((await rig.run('profile remove other')).stderr).toContain('no profile is the current one now');
    expect(savedIn(rig)).toMatchObject({ profiles: { live: {} } });
    expect(Object.keys(savedIn(rig).profiles)).toEqual(['live']);
    expect((await rig.run('track a')).exitCode).toBe(3);
  });

  test.each([
    ['use live', ''],
    ['set live --token-stdin', 'secret'],
    ['parcel add small 1kg@30x20x10cm --profile live', ''],
  ])('%s does not bring back a profile that is removed at that moment', async (command, stdin) => {
    const rig = await bareRig();
    await added(rig, 'live');
    const [removed, ran] = await Promise.all([
      rig.run('profile remove live'),
      rig.run(`profile ${command}`, { stdin }),
    ]);
    expect([removed.exitCode, ran.exitCode]).toEqual([0, 2]);
    expect(ran.stderr).toContain('there is no profile "live"');
    expect(savedIn(rig)).toEqual({ profiles: {} });
  });

  test.each(['show', 'use', 'remove', 'export', 'set', 'test'])(
    '%s of a profile that is not there is refused',
    async what => {
      const rig = await bareRig();
      const { exitCode, stderr, requests } = await rig.run(
        `profile ${what} nobody${what === 'set' ? ' a=b' : ''}`,
      );
      expect([exitCode, requests]).toEqual([2, []]);
      expect(stderr).toContain('there is no profile "nobody"');
    },
  );
});

test('profile test asks with the current or the named profile', async () => {
  const rig = await bareRig();
  await added(rig, 'live');
  await added(rig, 'wrong', [], { stdin: 'wrong' });
  const good = await rig.run('profile test');
  const answers = good.requests.map(({ answered }) => answered).toSorted();
  expect([good.exitCode, answers]).toEqual([0, [200, 201, 404, 404, 404]]);
  expect(good.stdout).toContain('ok');
  expect((await rig.run('profile test wrong')).exitCode).toBe(3);
  expect((await rig.run('profile test live --profile wrong')).exitCode).toBe(0);
  expect((await rig.run('profile test demo')).exitCode).toBe(0);
});
