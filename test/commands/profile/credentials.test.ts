import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { capture } from '../../../src/host/programs.ts';
import type { Rig, RunOptions } from '../../rig/command.ts';
import { BY_URL, gate } from '../../rig/gate.ts';
import { SECRET } from '../../rig/oracles.ts';
import { bareRig, savedIn } from '../../rig/profile.ts';

const added = (rig: Rig, flags: string[], options: RunOptions = {}, name = 'live') =>
  rig.run(['profile', 'add', name, '--base-url', rig.address, ...flags], options);
const shown = async (rig: Rig, argv: string, env = {}) => {
  const { stdout, requests, programs } = await rig.run(`profile ${argv} --json`, { env });
  expect([requests, programs]).toEqual([[], []]);
  return JSON.parse(stdout);
};

test('a program that prints a token is kept with its absolute path', async () => {
  const rig = await bareRig();
  await added(rig, ['--token-command', './bin/token --quick']);
  expect(savedIn(rig).profiles.live.credentials.command).toEqual([join(rig.folder, 'bin/token'), '--quick']);
});

test.each(['set live', 'add other -f -'])('profile %s keeps other programs so, too', async command => {
  const rig = await bareRig();
  await added(rig, []);
  const settings = { printCommand: 'bin/print -d zebra', journalPasswordCommand: './bin/pass "my journal"' };
  const given = command.startsWith('set') ? Object.entries(settings).map(one => one.join('=')) : [];
  const stdin = JSON.stringify({ baseUrl: rig.address, ...settings });
  expect((await rig.run(['profile', ...command.split(' '), ...given], { stdin })).exitCode).toBe(0);
  expect(Object.values(savedIn(rig).profiles).at(-1)).toMatchObject({
    printCommand: `${join(rig.folder, 'bin/print')} -d zebra`,
    journalPasswordCommand: [join(rig.folder, 'bin/pass'), 'my journal'],
  });
});

test('an interruption ends a running program with its process group', async () => {
  const leaving = new AbortController();
  const lines: string[] = [];
  const limits = {
    env: { PATH: process.env.PATH },
    cwd: '/',
    ms: 60_000,
    maxBytes: 100,
    onLine(line: string) {
      lines.push(line);
      leaving.abort('SIGTERM');
    },
  };
  const ended = capture('sh', ['-c', 'echo waiting >&2; sleep 600 & wait'], limits, leaving.signal);
  await expect(ended).rejects.toMatchObject({ code: 'interrupted', exitCode: 143 });
  expect(lines).toEqual(['waiting']);
});

describe('a token that is fetched', () => {
  const flags = [
    '--token-url',
    '/oauth/token',
    '--client-header',
    'X-Id=@env:ID',
    '--client-header',
    'X-Key=@-',
  ];

  test('is requested by POST with the client headers, which are sent nowhere else', async () => {
    const rig = await bareRig({ env: { ID: 'client-7' } });
    const service = await gate();
    await rig.run(['profile', 'add', 'live', '--base-url', `${service.address}/api`, ...flags], {
      stdin: 'client-key\n',
    });
    expect((await rig.run('track gone')).exitCode).toBe(4);
    expect(service.fetches[0]).toMatch(/^POST \/api\/oauth\/token HTTP/);
    expect(service.fetches[0]).toMatch(/^x-id: client-7\r\nx-key: client-key\r$/m);
    expect(service.fetches[0]).not.toMatch(/authorization/i);
    expect(service.calls).toEqual(['GET /api/v1/shipments/gone with token-0']);
  });

  test('and its expiry are found where the settings say', async () => {
    const rig = await bareRig({ env: { ID: 'client-7' } });
    const body = JSON.stringify({ data: { jwt: SECRET, ends: '2026-03-02T10:00:00Z' } });
    const service = await gate({
      give: () => `HTTP/1.1 201 x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    });
    await rig.run(['profile', 'add', 'live', '--base-url', service.address, ...flags], {
      stdin: 'client-key',
    });
    await rig.run('profile set live tokenField=data.jwt expiryField=data.ends');
    await rig.run('profile test --retries 0');
    expect(service.calls[0]).toContain(SECRET);
    const kept = Object.values(savedIn(rig).profiles.live.credentials.kept);
    expect(kept).toMatchObject([{ token: SECRET, until: Date.parse('2026-03-02T09:59:00Z') }]);
  });

  test('is used again only with the secrets that fetched it: another shop gets its own', async () => {
    const rig = await bareRig({ files: { 'key.txt': 'key-1' } });
    const service = await gate();
    const from = '--token-url /oauth/token --client-header X-Client=@env:SHOP --client-header X-Key=@key.txt';
    await rig.run(`profile add live --base-url ${service.address} ${from}`);
    for (const [SHOP, key, token] of [
      ['north-shop', 'key-1', 0],
      ['north-shop', 'key-1', 0],
      ['south-shop', 'key-1', 1],
      ['south-shop', 'key-2', 2],
      // They cannot be read, and are not needed.
      ['', 'key-2', 2],
    ] as const) {
      rig.file('key.txt', key);
      expect((await rig.run('track gone', { env: { SHOP } })).exitCode).toBe(4);
      expect(service.calls.at(-1)).toBe(`GET /v1/shipments/gone with token-${token}`);
      expect(JSON.stringify(savedIn(rig))).not.toMatch(/(north|south)-shop|key-\d/);
    }
    expect([service.fetches.length, service.calls.length]).toEqual([3, 5]);
  });

  test('is deleted when the credentials of the profile change', async () => {
    const rig = await bareRig({ env: { CLIENT_SECRET: 'c' } });
    const service = await gate();
    await rig.run(['profile', 'add', 'live', '--base-url', service.address, ...BY_URL]);
    await rig.run('track gone');
    expect(JSON.stringify(savedIn(rig))).toContain(SECRET);
    await rig.run(['profile', 'set', 'live', ...BY_URL]);
    expect(JSON.stringify(savedIn(rig))).not.toContain(SECRET);
  });
});

describe('profile show, list and whoami', () => {
  const HOW: [string, string[], object, string][] = [
    ['token', ['--token-stdin'], { kind: 'token', token: '••••' }, 'a token'],
    [
      'command',
      ['--token-command', "pass show 'my token'"],
      { kind: 'command', command: "pass show 'my token'" },
      "the token that pass show 'my token' prints",
    ],
    [
      'url',
      BY_URL,
      { kind: 'url', url: '/oauth/token', headers: { 'X-Client-Secret': '@env:CLIENT_SECRET' } },
      'a token from /oauth/token, fetched with X-Client-Secret (@env:CLIENT_SECRET)',
    ],
    [
      'headers',
      ['--header', 'X-Key=@-'],
      { kind: 'headers', headers: { 'X-Key': '••••' } },
      'headers: X-Key (••••)',
    ],
  ];

  test.each(HOW)(
    'tell of a %s how it is come by, and run and send nothing',
    async (kind, flags, masked, words) => {
      const rig = await bareRig({ env: { CLIENT_SECRET: 'c' } });
      await added(rig, flags, { stdin: SECRET });
      expect((await shown(rig, 'show')).credentials).toEqual(masked);
      expect((await shown(rig, 'list'))[0].credentials).toBe(kind);
      expect(await shown(rig, 'whoami')).toMatchObject({
        profile: 'live',
        environment: 'loopback',
        credentials: words,
        credentialsFrom: 'profile live',
        trouble: null,
      });
    },
  );

  test('whoami says whether it is production or the sandbox, and why', async () => {
    const rig = await bareRig();
    await rig.run('profile add live --base-url https://a.example --sandbox-base-url https://s.example');
    const whoami = (argv: string, env = {}) => shown(rig, `whoami ${argv}`, env);
    expect(await whoami('')).toMatchObject({ environment: 'production', environmentFrom: 'default' });
    expect(await whoami('', { WAYBILL_SANDBOX: '1' })).toMatchObject({
      environment: 'sandbox',
      environmentFrom: 'WAYBILL_SANDBOX',
      address: 'https://s.example',
    });
    expect(await whoami('--no-sandbox', { WAYBILL_SANDBOX: '1' })).toMatchObject({
      environment: 'production',
      environmentFrom: '--no-sandbox',
    });
    await rig.run('profile set live sandbox=true');
    expect(await whoami('')).toMatchObject({ environment: 'sandbox', environmentFrom: 'profile live' });
    expect(await whoami('--profile demo')).toMatchObject({
      environment: 'emulator',
      credentials: 'built in',
    });
  });

  test('whoami shows problems and ignored variables', async () => {
    const rig = await bareRig();
    expect(await shown(rig, 'whoami')).toMatchObject({
      profile: null,
      environment: null,
      trouble: expect.stringContaining('there is no profile'),
    });
    await added(rig, ['--header', 'X-Key=@env:SHOP_KEY']);
    const about = await shown(rig, 'whoami --profile live', {
      WAYBILL_TOKEN: SECRET,
      WAYBILL_API_TOKEN: SECRET,
    });
    expect(about).toMatchObject({
      ignored: ['WAYBILL_TOKEN', 'WAYBILL_API_TOKEN (did you mean WAYBILL_TOKEN?)'],
      trouble: expect.stringContaining('SHOP_KEY is not set'),
    });
  });
});
