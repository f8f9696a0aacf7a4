import { describe, expect, test } from 'vitest';
import type { Rig } from '../../rig/command.ts';
import { bareRig, savedIn } from '../../rig/profile.ts';

async function added(rig: Rig, name: string, more: string[] = []) {
  const add = ['profile', 'add', name, '--base-url', rig.address, '--token-stdin', ...more];
  const ran = await rig.run(add, { stdin: 'demo\n' });
  expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
  return ran;
}

test('export prints a profile that can be added again, without the credentials', async () => {
  const rig = await bareRig();
  await added(rig, 'live', ['--sandbox-base-url', `${rig.address}/sandbox`, '--auth-scheme', '']);
  await rig.run('profile parcel add small 1kg@30x20x10cm --profile live');
  await rig.run(
    'profile set live economyCarriers=ECO,LOW endMilestones=delivered,returned sandbox=true currency=EUR type=package output=csv',
  );
  await rig.run(['profile', 'set', 'live', "journalPasswordCommand=pass show 'my journal'"]);
  const { stdout } = await rig.run('profile export live');
  await rig.run('profile add copy -f -', { stdin: stdout });
  const { live, copy } = savedIn(rig).profiles;
  expect({ ...copy, credentials: live.credentials }).toEqual(live);
  expect(copy).toMatchObject({
    economyCarriers: ['ECO', 'LOW'],
    endMilestones: ['delivered', 'returned'],
    parcels: { small: '1kg@30x20x10cm' },
    journalPasswordCommand: ['pass', 'show', 'my journal'],
  });
});

test('whoami has these fields, and says that no setting names the economy carrier, as profile add does, until one does', async () => {
  const rig = await bareRig({ env: { WAYBILL_ECONOMY_CARRIERS: '' } });
  const note = '`waybill profile set live economyCarriers=ID`';
  expect((await added(rig, 'live', ['--account', 'acme'])).stderr).toContain(note);
  expect((await rig.run('profile whoami')).stderr).toContain(note);
  await rig.run('profile set live economyCarriers=ECO,17');
  const whoami = await rig.run('profile whoami --json');
  expect(whoami.stderr).toBe('');
  expect(JSON.parse(whoami.stdout)).toEqual({
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
    economyCarriers: ['ECO', '17'],
    endMilestones: ['delivered'],
    limits: null,
    ignored: [],
    trouble: null,
  });
});

describe('a profile that is removed at that moment', () => {
  test.each([
    ['use live', ''],
    ['set live --token-stdin', 'secret'],
    ['parcel add small 1kg@30x20x10cm --profile live', ''],
  ])('is not brought back by %s', async (command, stdin) => {
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
});
