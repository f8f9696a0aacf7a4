// Ways to send a credential beyond one token of a profile as `Authorization: Bearer`, and what is kept and shown of each.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Rig } from '../../rig/command.ts';
import { BY_URL, gate } from '../../rig/gate.ts';
import { SECRET } from '../../rig/oracles.ts';
import { bareRig, savedIn } from '../../rig/profile.ts';
import { http, rawServer } from '../../rig/sockets.ts';

/** A service that answers 404, and the head of each request without its first line. */
async function listening(accepts: (request: string) => boolean = () => true) {
  const heads: string[] = [];
  const { url } = await rawServer((socket, request) => {
    heads.push(request);
    socket.write(accepts(request) ? http(404, '{"message":"no such shipment"}') : http(401, '{}'));
  });
  return { address: url.origin, heads };
}

const valuesOf = (requests: readonly string[], header: string) =>
  requests.map(request => new RegExp(`^${header}: (.*)\r$`, 'im').exec(request)?.[1]);

const added = (rig: Rig, address: string, flags: string | string[], stdin = SECRET) => {
  const words = typeof flags === 'string' ? flags.split(' ') : flags;
  return rig.run(['profile', 'add', 'live', '--base-url', address, ...words], { stdin });
};

const shown = async (rig: Rig, argv: string, env = {}) => {
  const { stdout, requests, programs } = await rig.run(`profile ${argv} --json`, { env });
  expect([requests, programs]).toEqual([[], []]);
  return JSON.parse(stdout);
};

const READ = 'track gone';

test('programs are kept with their absolute path: of a token, of labels, and of the password of a journal', async () => {
  const rig = await bareRig();
  await added(rig, rig.address, ['--token-command', './bin/token --quick']);
  expect(savedIn(rig).profiles.live.credentials.command).toEqual([join(rig.folder, 'bin/token'), '--quick']);
  const settings = { printCommand: 'bin/print -d zebra', journalPasswordCommand: './bin/pass "my journal"' };
  const pairs = Object.entries(settings).map(one => one.join('='));
  expect((await rig.run(['profile', 'set', 'live', ...pairs])).exitCode).toBe(0);
  const stdin = JSON.stringify({ baseUrl: rig.address, ...settings });
  expect((await rig.run('profile add other -f -', { stdin })).exitCode).toBe(0);
  const { live, other } = savedIn(rig).profiles;
  for (const saved of [live, other])
    expect(saved).toMatchObject({
      printCommand: `${join(rig.folder, 'bin/print')} -d zebra`,
      journalPasswordCommand: [join(rig.folder, 'bin/pass'), 'my journal'],
    });
});

describe('a token that is fetched', () => {
  const FROM = '--token-url /oauth/token --client-header X-Client=@env:SHOP --client-header X-Key=@key.txt';

  test('and its expiry are found below the address where the settings say', async () => {
    const rig = await bareRig({ env: { SHOP: 'north' }, files: { 'key.txt': 'key-1' } });
    const body = JSON.stringify({ data: { jwt: SECRET, ends: '2026-03-02T10:00:00Z' } });
    const service = await gate({ give: () => http(201, body) });
    await added(rig, `${service.address}/api`, FROM);
    await rig.run('profile set live tokenField=data.jwt expiryField=data.ends');
    await rig.run('profile test --retries 0');
    expect(service.fetches[0]).toMatch(/^POST \/api\/oauth\/token HTTP/);
    expect(service.fetches[0]).not.toMatch(/authorization/i);
    expect(service.calls[0]).toContain(SECRET);
    const kept = Object.values(savedIn(rig).profiles.live.credentials.kept);
    expect(kept).toMatchObject([{ token: SECRET, until: Date.parse('2026-03-02T09:59:00Z') }]);
  });

  test.each([
    [{ token: SECRET }],
    [{ access_token: SECRET, token_type: 'Bearer' }],
    [{ accessToken: SECRET }],
    [{ data: { token: SECRET }, token: '' }],
    [{ token: SECRET, access_token: SECRET }],
  ])('is found in %j without a setting', async body => {
    const rig = await bareRig({ env: { CLIENT_SECRET: 'c' } });
    const service = await gate({ give: () => http(200, JSON.stringify(body)) });
    await added(rig, service.address, BY_URL);
    await rig.run(`${READ} --retries 0`);
    expect(service.calls[0]).toContain(`with ${SECRET}`);
  });

  test('is used again only with the secrets that fetched it: another shop gets its own', async () => {
    const rig = await bareRig({ files: { 'key.txt': 'key-1' } });
    const service = await gate();
    await added(rig, service.address, FROM);
    for (const [SHOP, key, token] of [
      ['north-shop', 'key-1', 0],
      ['north-shop', 'key-1', 0],
      ['south-shop', 'key-1', 1],
      ['south-shop', 'key-2', 2],
      // They cannot be read, and are not needed.
      ['', 'key-2', 2],
    ] as const) {
      rig.file('key.txt', key);
      expect((await rig.run(READ, { env: { SHOP } })).exitCode).toBe(4);
      expect(service.calls.at(-1)).toBe(`GET /v1/shipments/gone with token-${token}`);
      expect(JSON.stringify(savedIn(rig))).not.toMatch(/(north|south)-shop|key-\d/);
    }
    expect([service.fetches.length, service.calls.length]).toEqual([3, 5]);
  });

  test('on another host: that host gets the client headers, and the service the token and its own header', async () => {
    const rig = await bareRig({ env: { CLIENT: 'client-secret', KEY: 'shop-key' } });
    const [login, service] = [await gate(), await listening()];
    const url = `${login.address}/realm/oauth/token`;
    const flags = `--token-url ${url} --client-header X-Client=@env:CLIENT --header X-Key=@env:KEY`;
    await added(rig, service.address, flags);
    expect((await rig.run(READ)).exitCode).toBe(4);
    const headers = ['x-client', 'x-key', 'authorization'];
    const [atLogin, atService] = [login.fetches, service.heads].map(requests =>
      headers.map(header => valuesOf(requests, header)[0]),
    );
    expect(login.fetches[0]).toMatch(/^POST \/realm\/oauth\/token HTTP/);
    expect(atLogin).toEqual(['client-secret', undefined, undefined]);
    expect(atService).toEqual([undefined, 'shop-key', `Bearer ${SECRET}-token-0`]);
    // An address of the environment is another service.
    const elsewhere = await rig.run(READ, { env: { WAYBILL_BASE_URL: rig.address } });
    expect([elsewhere.exitCode, login.fetches.length, elsewhere.requests]).toEqual([3, 1, []]);
  });
});

describe('a header beside a token', () => {
  test.each([
    ['a token', ['--token-stdin']],
    ['a token command', ['--token-command', `printf %s%s ${SECRET.slice(0, 9)} ${SECRET.slice(9)}`]],
  ])('is sent with %s, and masked', async (_, flags) => {
    const rig = await bareRig({ env: { SHOP_KEY: `${SECRET}-key` } });
    const { address, heads } = await listening();
    await added(rig, address, [...flags, '--header', 'X-Key=@env:SHOP_KEY']);
    const ran = await rig.run(`${READ} --verbose`);
    expect(valuesOf(heads, 'authorization')).toEqual([`Bearer ${SECRET}`]);
    expect(valuesOf(heads, 'x-key')).toEqual([`${SECRET}-key`]);
    expect(ran.stderr).not.toContain(SECRET);
    const { credentials } = await shown(rig, 'whoami');
    expect(credentials).toContain(', with the headers X-Key (@env:SHOP_KEY)');
    expect((await shown(rig, 'show')).credentials.also).toEqual({ 'X-Key': '@env:SHOP_KEY' });
    const missing = await rig.run(READ, { env: { SHOP_KEY: '' } });
    expect([missing.exitCode, missing.stderr]).toEqual([3, expect.stringContaining('SHOP_KEY is not set')]);
    expect(heads).toHaveLength(1);
  });
});

test('a file of a header is beside the current folder, and of a secret from stdin only one line break is cut off', async () => {
  const rig = await bareRig();
  await added(rig, rig.address, '--header X-File=@keys/a=b --header X-Stdin=@-', ' a b \r\n');
  expect(savedIn(rig).profiles.live.credentials.headers).toEqual({
    'X-File': { file: join(rig.folder, 'keys/a=b') },
    'X-Stdin': { value: ' a b ' },
  });
});

test('a token that begins with Bearer is not saved, unless the bare token is sent', async () => {
  const rig = await bareRig();
  const refused = await added(rig, rig.address, '--token-stdin', `Bearer ${SECRET}\n`);
  expect([refused.exitCode, refused.stderr.includes(SECRET)]).toEqual([2, false]);
  expect(refused.stderr).toContain('"Bearer "');
  const bare = await added(rig, rig.address, '--token-stdin --auth-scheme none', `Bearer ${SECRET}\n`);
  expect(bare.exitCode).toBe(0);
});
