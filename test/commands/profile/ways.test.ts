// Ways to send a credential beyond one token of a profile as `Authorization: Bearer`.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gate } from '../../rig/gate.ts';
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

test.each(['none', 'NONE'])(
  'the bare token is sent for WAYBILL_AUTH_SCHEME=%s, and for authScheme of a profile',
  async word => {
    const rig = await bareRig();
    const { address, heads } = await listening();
    const env = { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: SECRET, WAYBILL_AUTH_SCHEME: word };
    await rig.run('track gone', { env });
    await rig.run('track gone', { env: { ...env, WAYBILL_AUTH_HEADER: 'X-Api-Key' } });
    await rig.run(`profile add live --base-url ${address} --token-stdin --auth-scheme ${word}`, {
      stdin: SECRET,
    });
    await rig.run('track gone');
    expect(valuesOf(heads, 'authorization')).toEqual([SECRET, undefined, SECRET]);
    expect(valuesOf(heads, 'x-api-key')).toEqual([undefined, SECRET, undefined]);
  },
);

describe('a header beside a token', () => {
  test.each([
    ['a token', ['--token-stdin'], SECRET],
    ['a token command', ['--token-command', `printf %s%s ${SECRET.slice(0, 9)} ${SECRET.slice(9)}`], ''],
  ])('is sent with %s, and masked', async (_, flags, stdin) => {
    const rig = await bareRig({ env: { SHOP_KEY: `${SECRET}-key` } });
    const { address, heads } = await listening();
    await rig.run(
      ['profile', 'add', 'live', '--base-url', address, ...flags, '--header', 'X-Key=@env:SHOP_KEY'],
      {
        stdin,
      },
    );
    const ran = await rig.run('track gone --verbose');
    expect([valuesOf(heads, 'authorization'), valuesOf(heads, 'x-key')]).toEqual([
      [`Bearer ${SECRET}`],
      [`${SECRET}-key`],
    ]);
    expect(ran.stderr).not.toContain(SECRET);
    const { credentials } = JSON.parse((await rig.run('profile whoami --json')).stdout);
    expect(credentials).toContain(', with the headers X-Key (@env:SHOP_KEY)');
    const shown = JSON.parse((await rig.run('profile show --json')).stdout);
    expect(shown.credentials.also).toEqual({ 'X-Key': '@env:SHOP_KEY' });
    const missing = await rig.run('track gone', { env: { SHOP_KEY: '' } });
    expect([missing.exitCode, missing.stderr]).toEqual([3, expect.stringContaining('SHOP_KEY is not set')]);
    expect(heads).toHaveLength(1);
  });

  test('is sent with a fetched token, and not to the address that gives the tokens', async () => {
    const rig = await bareRig({ env: { KEY: 'shop-key', CLIENT: 'client-secret' } });
    const service = await gate();
    const flags = '--token-url /oauth/token --client-header X-Client=@env:CLIENT --header X-Key=@env:KEY';
    await rig.run(`profile add live --base-url ${service.address} ${flags}`);
    expect((await rig.run('track gone')).exitCode).toBe(4);
    expect(valuesOf(service.fetches, 'x-client')).toEqual(['client-secret']);
    expect(valuesOf(service.fetches, 'x-key')).toEqual([undefined]);
    expect(service.calls).toEqual(['GET /v1/shipments/gone with token-0']);
  });

  test('that is no longer sent after a change is told, and another token in the place of one is not', async () => {
    const rig = await bareRig();
    const set = (flags: string) => rig.run(`profile set live ${flags}`, { stdin: SECRET });
    await rig.run(`profile add live --base-url ${rig.address} --token-stdin --header X-Key=@env:KEY`, {
      stdin: 'a',
    });
    expect((await set('--token-stdin --header X-Key=@env:KEY')).stderr).toBe('profile live saved\n');
    expect((await set('--token-stdin')).stderr).toBe(
      'profile live saved. It no longer sends the saved token, with the headers X-Key (@env:KEY), but the saved token\n',
    );
    expect((await set('currency=EUR')).stderr).toBe('profile live saved\n');
    expect(savedIn(rig).profiles.live.credentials).toEqual({ kind: 'token', token: SECRET });
    expect((await rig.run(['profile', 'set', 'live', '--token-command', '/bin/pass show'])).stderr).toBe(
      'profile live saved. It no longer sends the saved token, but the token that /bin/pass show prints\n',
    );
  });
});

test('a file of a header is beside the current folder, and of a secret from stdin only one line break is cut off', async () => {
  const rig = await bareRig();
  const add = ['profile', 'add', 'live', '--base-url', rig.address, '--header', 'X-File=@keys/a=b'];
  await rig.run([...add, '--header', 'X-Stdin=@-'], { stdin: ' a b \r\n' });
  expect(savedIn(rig).profiles.live.credentials.headers).toEqual({
    'X-File': { file: join(rig.folder, 'keys/a=b') },
    'X-Stdin': { value: ' a b ' },
  });
});

describe('a token URL on another host', () => {
  test('gets the client headers, and the service the token alone', async () => {
    const rig = await bareRig({ env: { CLIENT: 'client-secret' } });
    const login = await gate();
    const service = await listening();
    const url = `${login.address}/realm/oauth/token`;
    await rig.run(
      `profile add live --base-url ${service.address} --token-url ${url} --client-header X-Client=@env:CLIENT`,
    );
    expect((await rig.run('track gone')).exitCode).toBe(4);
    expect(login.fetches[0]).toMatch(/^POST \/realm\/oauth\/token HTTP/);
    expect([valuesOf(login.fetches, 'x-client'), valuesOf(login.fetches, 'authorization')]).toEqual([
      ['client-secret'],
      [undefined],
    ]);
    expect([valuesOf(service.heads, 'x-client'), valuesOf(service.heads, 'authorization')]).toEqual([
      [undefined],
      [`Bearer ${SECRET}-token-0`],
    ]);
  });

  test('is not asked for an address of the environment', async () => {
    const rig = await bareRig({ env: { CLIENT: 'client-secret' } });
    const login = await gate();
    const url = `${login.address}/oauth/token`;
    await rig.run(
      `profile add live --base-url ${rig.address} --token-url ${url} --client-header X-Client=@env:CLIENT`,
    );
    const ran = await rig.run('track gone', { env: { WAYBILL_BASE_URL: rig.address } });
    expect([ran.exitCode, login.fetches, ran.requests]).toEqual([3, [], []]);
  });
});

test.each([
  [{ token: SECRET }],
  [{ access_token: SECRET, token_type: 'Bearer' }],
  [{ accessToken: SECRET }],
  [{ data: { token: SECRET }, token: '' }],
  [{ token: SECRET, access_token: SECRET }],
])('the token in the answer of a token URL is found in %j without a setting', async body => {
  const rig = await bareRig({ env: { CLIENT: 'client-secret' } });
  const service = await gate({ give: () => http(200, JSON.stringify(body)) });
  await rig.run(
    `profile add live --base-url ${service.address} --token-url /oauth/token --client-header X-Client=@env:CLIENT`,
  );
  await rig.run('track gone --retries 0');
  expect(service.calls[0]).toContain(`with ${SECRET}`);
});

test('a token that begins with Bearer is not saved, unless the bare token is sent', async () => {
  const rig = await bareRig();
  const add = `profile add live --base-url ${rig.address} --token-stdin`;
  const refused = await rig.run(add, { stdin: `Bearer ${SECRET}\n` });
  expect([refused.exitCode, refused.stderr.includes(SECRET)]).toEqual([2, false]);
  expect(refused.stderr).toContain('the token begins with "Bearer "');
  expect((await rig.run(`${add} --auth-scheme none`, { stdin: `Bearer ${SECRET}\n` })).exitCode).toBe(0);
});

describe('WAYBILL_TOKEN_FILE', () => {
  test('is read for each command, from the current folder, without the line break at its end', async () => {
    const rig = await bareRig();
    const { address, heads } = await listening();
    const env = { WAYBILL_BASE_URL: address, WAYBILL_TOKEN_FILE: 'token.txt' };
    for (const text of ['first\n', 'second\r\n', 'third']) {
      rig.file('token.txt', text);
      expect((await rig.run('track gone', { env })).exitCode).toBe(4);
    }
    expect(valuesOf(heads, 'authorization')).toEqual(['Bearer first', 'Bearer second', 'Bearer third']);
    const about = JSON.parse((await rig.run('profile whoami --json', { env })).stdout);
    expect(about).toMatchObject({
      credentials: 'the token in token.txt',
      credentialsFrom: 'WAYBILL_TOKEN_FILE',
      trouble: null,
    });
  });

  test('is read anew after a 401, because something renewed it meanwhile', async () => {
    const rig = await bareRig();
    const file = rig.file('token.txt', 'old\n');
    const { address, heads } = await listening(request => {
      if (request.includes('Bearer new')) return true;
      writeFileSync(file, 'new\n');
      return false;
    });
    const env = { WAYBILL_BASE_URL: address, WAYBILL_TOKEN_FILE: file };
    expect((await rig.run('track gone', { env })).exitCode).toBe(4);
    expect(valuesOf(heads, 'authorization')).toEqual(['Bearer old', 'Bearer new']);
  });

  test('that has no other token, or is gone after a 401, ends with 3 and no further request', async () => {
    const rig = await bareRig();
    const file = rig.file('token.txt', 'old\n');
    const env = { WAYBILL_TOKEN_FILE: file };
    const same = await listening(() => false);
    const ran = await rig.run('track gone', { env: { ...env, WAYBILL_BASE_URL: same.address } });
    expect([ran.exitCode, same.heads.length]).toEqual([3, 1]);
    expect(ran.stderr).toContain(
      'The credential of WAYBILL_TOKEN_FILE is not accepted; the file was read again',
    );
    const gone = await listening(() => {
      rmSync(file);
      return false;
    });
    const lost = await rig.run('track gone', { env: { ...env, WAYBILL_BASE_URL: gone.address } });
    expect([lost.exitCode, gone.heads.length]).toEqual([3, 1]);
    expect(lost.stderr).toContain(`WAYBILL_TOKEN_FILE names ${file}, but there is no such file`);
  });

  test('counts for nothing with --profile, and whoami says so', async () => {
    const rig = await bareRig();
    const { address, heads } = await listening();
    await rig.run(`profile add live --base-url ${address} --token-stdin`, { stdin: SECRET });
    const env = { WAYBILL_TOKEN_FILE: join(rig.folder, 'missing.txt'), WAYBILL_TOKEN: 'other' };
    expect((await rig.run('track gone --profile live', { env })).exitCode).toBe(4);
    expect(valuesOf(heads, 'authorization')).toEqual([`Bearer ${SECRET}`]);
    const about = JSON.parse((await rig.run('profile whoami --json --profile live', { env })).stdout);
    expect(about.ignored).toEqual(['WAYBILL_TOKEN', 'WAYBILL_TOKEN_FILE']);
  });
});
