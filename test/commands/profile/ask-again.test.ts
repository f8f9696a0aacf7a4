// The test of a profile before it is saved, those who leave, and those who cannot be asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunOptions } from '../../rig/command.ts';
import { SECRET } from '../../rig/oracles.ts';
import {
  all,
  answering,
  answersOf,
  asked,
  BACK,
  CLOSED,
  choiceOf,
  faultOf,
  filesIn,
  ids,
  LEAVE,
  seenIn,
  WRONG,
} from '../../rig/person.ts';
import { bareRig, savedIn } from '../../rig/profile.ts';

/** A service that refuses everybody, in these words, given the credential. */
async function refusing(words: (credential: string) => string): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: words(headers.authorization ?? '') }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise(resolve => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a test that fails', () => {
  test('because of the token lets the person type another one', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', {
      ...all(rig),
      token: [WRONG, SECRET],
      problem: 'token',
    });
    expect([ran.exitCode, answersOf(ran)]).toEqual([0, [401, 404]]);
    expect(asked(ran, 'problem')).toMatchObject({
      defaultAnswer: 'token',
      hint: expect.stringContaining('401'),
    });
    expect(savedIn(rig).profiles.live.credentials.token).toBe(SECRET);
  });

  test('because of the address lets the person type another one', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', {
      ...all(rig),
      baseUrl: [CLOSED, rig.address],
      problem: 'baseUrl',
    });
    expect(ran.exitCode).toBe(0);
    expect(asked(ran, 'problem')).toMatchObject({
      defaultAnswer: 'baseUrl',
      hint: expect.stringContaining(CLOSED),
    });
    expect(asked(ran, 'baseUrl')).toMatchObject({ value: CLOSED });
    expect(savedIn(rig).profiles.live.baseUrl).toBe(rig.address);
    expect(ran.stderr).toContain(`--base-url ${rig.address} `);
  });

  test('because of a sandbox that is the only address asks for that address, which is required', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, `profile add live --sandbox-base-url ${CLOSED}`, {
      token: SECRET,
      problem: 'sandboxBaseUrl',
      sandboxBaseUrl: `${rig.address}/sandbox`,
    });
    expect(await faultOf(asked(ran, 'sandboxBaseUrl'), '')).toContain('is not a URL');
    expect(savedIn(rig).profiles.live.sandboxBaseUrl).toBe(`${rig.address}/sandbox`);
  });

  test('is not repeated if nothing was changed', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', {
      ...all(rig),
      token: [WRONG, BACK],
      baseUrl: [rig.address, BACK],
      problem: ['token', 'baseUrl', 'save'],
    });
    expect([ran.exitCode, answersOf(ran)]).toEqual([0, [401]]);
  });

  test('does not prevent saving', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', { ...all(rig), token: WRONG, problem: 'save' });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).not.toContain('ok:');
    expect(savedIn(rig).profiles.live.credentials.token).toBe(WRONG);
  });

  test('lets a person leave, with nothing saved', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', { ...all(rig), token: WRONG, problem: 'leave' });
    expect(ran.exitCode).toBe(130);
    expect(ran.stderr).toContain('nothing was saved');
    expect(filesIn(rig)).toEqual([]);
  });

  test('offers no token if the credentials are headers', async () => {
    const rig = await bareRig({ env: { SHOP_KEY: WRONG } });
    const argv = ['profile', 'add', '--base-url', rig.address, '--header', 'X-Key=@env:SHOP_KEY'];
    const ran = await answering(rig, argv, { name: 'live', problem: 'save' });
    expect(choiceOf(asked(ran, 'problem'), 'token')).toBeUndefined();
    expect(asked(ran, 'problem')).toMatchObject({ defaultAnswer: 'baseUrl' });
  });

  test.each([
    ['token', [], { token: SECRET }],
    ['key', ['--header', 'Authorization=@env:SHOP_KEY'], {}],
  ])('is told in words that hold no %s, though the service repeats it', async (_, argv, credentials) => {
    const rig = await bareRig({ env: { SHOP_KEY: SECRET } });
    const address = await refusing(credential => `Who is ${credential}?`);
    const script = { name: 'live', problem: 'leave', ...credentials };
    const ran = await answering(rig, ['profile', 'add', '--base-url', address, ...argv], script);
    expect(asked(ran, 'problem').hint).toContain('Who is ');
    expect(seenIn(ran)).not.toContain(SECRET);
  });
});

describe('Ctrl-C', () => {
  test.each(['name', 'baseUrl', 'sandboxBaseUrl', 'token', 'problem'])(
    'at the question %s saves nothing, and says so',
    async id => {
      const rig = await bareRig();
      const ran = await answering(rig, 'profile add', { ...all(rig), token: WRONG, [id]: LEAVE });
      expect([ran.exitCode, ids(ran).at(-1)]).toEqual([130, id]);
      expect(ran.stderr).toContain('nothing was saved; `waybill profile add` begins again');
      expect(filesIn(rig)).toEqual([]);
    },
  );

  test('during the test saves nothing, and asks nothing more', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', all(rig), {
      onRequest: (_, controls) => controls.interrupt('SIGINT'),
    });
    expect([ran.exitCode, ids(ran).at(-1), filesIn(rig)]).toEqual([130, 'token', []]);
    expect(ran.stderr).toContain('stopped by SIGINT; nothing was saved');
  });
});

describe('if prompts are off', () => {
  const WAYS: [string, string[], RunOptions][] = [
    ['there is no terminal', [], { terminal: false }],
    ['--no-input is given', ['--no-input'], {}],
    ['CI is set', [], { env: { CI: 'true' } }],
  ];

  test.each(WAYS)('because %s, everything that is missing is named at once', async (_, flags, more) => {
    const rig = await bareRig();
    const ran = await answering(rig, ['profile', 'add', ...flags], {}, more);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
    expect(ran.stderr).toContain(
      'a profile needs a name and an address. Type `waybill profile add NAME --base-url URL`',
    );
    const nameless = await answering(rig, ['profile', 'add', '--base-url', rig.address, ...flags], {}, more);
    expect(nameless.exitCode).toBe(2);
    expect(nameless.stderr).toContain(
      'a profile needs a name. Type `waybill profile add NAME --base-url URL`',
    );
    expect(filesIn(rig)).toEqual([]);
  });

  test.each(WAYS)('because %s, a profile without a token is saved untested', async (_, flags, more) => {
    const rig = await bareRig();
    const ran = await answering(
      rig,
      ['profile', 'add', 'live', '--base-url', rig.address, ...flags],
      {},
      more,
    );
    expect(ran).toMatchObject({ exitCode: 0, questions: [], requests: [] });
    expect(savedIn(rig).profiles).toEqual({ live: { baseUrl: rig.address } });
  });
});
