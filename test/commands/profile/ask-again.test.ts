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
  filesIn,
  ids,
  LEAVE,
  type Script,
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
  test('lets the person type address and token again, each with its answer of before', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', {
      ...all(rig),
      baseUrl: [CLOSED, rig.address, rig.address],
      sandboxBaseUrl: ['', '', ''],
      token: [WRONG, '', SECRET],
      problem: ['again', 'again'],
    });
    expect([ran.exitCode, answersOf(ran)]).toEqual([0, [401, 404]]);
    const again = ['problem', 'baseUrl', 'sandboxBaseUrl', 'token'];
    expect(ids(ran).slice(4)).toEqual([...again, ...again]);
    expect(asked(ran, 'problem').hint).toContain('401');
    expect(asked(ran, 'baseUrl')).toMatchObject({ value: rig.address, esc: 'leave' });
    expect(asked(ran, 'token').message).toContain('the one before');
    expect(savedIn(rig).profiles.live).toMatchObject({
      baseUrl: rig.address,
      credentials: { token: SECRET },
    });
    expect(ran.stderr).toContain(`--base-url ${rig.address} `);
  });

  test('does not prevent saving', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', { ...all(rig), token: WRONG, problem: 'save' });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).not.toContain('ok:');
    expect(savedIn(rig).profiles.live.credentials.token).toBe(WRONG);
  });

  test('asks for no token if the credentials are headers, and Esc leaves with nothing saved', async () => {
    const rig = await bareRig({ env: { SHOP_KEY: WRONG } });
    const argv = ['profile', 'add', '--base-url', rig.address, '--header', 'X-Key=@env:SHOP_KEY'];
    const said: Script = { name: 'live', problem: ['again', BACK], baseUrl: rig.address, sandboxBaseUrl: '' };
    const ran = await answering(rig, argv, said);
    expect(ids(ran)).toEqual(['name', 'problem', 'baseUrl', 'sandboxBaseUrl', 'problem']);
    expect([ran.exitCode, filesIn(rig)]).toEqual([130, []]);
  });

  test.each([
    ['token', [], { token: SECRET }],
    ['key', ['--header', 'Authorization=@env:SHOP_KEY'], {}],
  ])('is told in words that hold no %s, though the service repeats it', async (_, argv, credentials) => {
    const rig = await bareRig({ env: { SHOP_KEY: SECRET } });
    const address = await refusing(credential => `Who is ${credential}?`);
    const script: Script = { name: 'live', problem: LEAVE, ...credentials };
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
