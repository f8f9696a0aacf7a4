// `profile add` on a terminal: the questions, the test of a profile before it is saved, those who leave, and those who
// cannot be asked.
import { describe, expect, test } from 'vitest';
import { SECRET } from '../../rig/oracles.ts';
import {
  all,
  answering,
  answersOf,
  asked,
  BACK,
  CLOSED,
  faultOf,
  filesIn,
  ids,
  LEAVE,
  type Script,
  seenIn,
  WRONG,
} from '../../rig/person.ts';
import { bareRig, savedIn } from '../../rig/profile.ts';
import { served } from '../../rig/sockets.ts';

describe('profile add on a terminal', () => {
  test('asks for everything, tests it once, saves it, and names the command that makes the same profile without questions', async () => {
    const rig = await bareRig();
    const sandboxBaseUrl = `${rig.address}/sandbox`;
    const ran = await answering(rig, 'profile add --account acme', { ...all(rig), sandboxBaseUrl });

    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
    expect(ids(ran)).toEqual(['name', 'baseUrl', 'sandboxBaseUrl', 'token']);
    expect(answersOf(ran)).toEqual([404]);
    expect(ran.stderr).toContain(`ok: ${rig.address} accepts the credentials`);
    expect(asked(ran, 'token').kind).toBe('secret');
    expect(seenIn(ran)).not.toContain(SECRET);
    const credentials = { kind: 'token', token: SECRET };
    const live = { baseUrl: rig.address, sandboxBaseUrl, account: 'acme', credentials };
    expect(savedIn(rig)).toEqual({ current: 'live', profiles: { live } });

    const command = /without questions: `waybill (.*) < token\.txt`\n/.exec(ran.stderr)?.[1] ?? '';
    await rig.run(command.replace('live', 'copy'), { stdin: SECRET });
    expect(savedIn(rig).profiles.copy).toEqual(live);
  });

  test.each<[string, string, Script]>([
    ['token', 'live --base-url ADDRESS', { token: SECRET }],
    ['token', 'live --sandbox-base-url ADDRESS/sandbox', { token: SECRET }],
    ['token', 'live -f live.json', { token: SECRET }],
    ['name', '--base-url ADDRESS --header X-Key=@env:SHOP_KEY', { name: 'live' }],
  ])('asks for the %s alone where that is all that is missing: %s', async (missing, argv, script) => {
    const rig = await bareRig({ env: { SHOP_KEY: SECRET } });
    rig.file('live.json', { baseUrl: rig.address });
    const ran = await answering(rig, `profile add ${argv.replace('ADDRESS', rig.address)}`, script);
    expect([ran.exitCode, ids(ran), answersOf(ran)]).toEqual([0, [missing], [404]]);
    expect(ran.stderr).toContain('without questions: `waybill profile add live ');
    expect(Object.keys(savedIn(rig).profiles)).toEqual(['live']);
  });

  test('a profile without a token is saved untested, with the command that adds one', async () => {
    const rig = await bareRig();
    const ran = await answering(rig, 'profile add', { ...all(rig), token: '' });
    expect([ran.exitCode, ran.requests, savedIn(rig).profiles]).toEqual([
      0,
      [],
      { live: { baseUrl: rig.address } },
    ]);
    expect(ran.stderr).toContain('not tested');
    expect(ran.stderr).toContain('waybill profile set live --token-stdin');
    expect(ran.stderr).toContain(
      `without questions: \`waybill profile add live --base-url ${rig.address}\`\n`,
    );
  });

  test('variables of the environment are not used in the test', async () => {
    const rig = await bareRig();
    const env = {
      WAYBILL_BASE_URL: CLOSED,
      WAYBILL_TOKEN: WRONG,
      WAYBILL_SANDBOX: '1',
      WAYBILL_PROFILE: 'gone',
    };
    const ran = await answering(rig, 'profile add', all(rig), { env });
    expect(ran.requests.map(({ path, headers }) => [path.split('/')[1], headers.authorization])).toEqual([
      ['v1', `Bearer ${SECRET}`],
    ]);
    expect(ran.exitCode).toBe(0);
  });
});

test('an invalid answer is told at once', async () => {
  const rig = await bareRig();
  rig.file('config/config.json', { profiles: { live: { baseUrl: rig.address } } });
  const ran = await answering(rig, 'profile add', { ...all(rig), name: 'other' });
  for (const [id, text, fault] of [
    ['name', 'live', 'exists already'],
    ['name', 'a b', 'up to 64 letters'],
    ['baseUrl', '', 'https://api.example.com'],
    ['baseUrl', 'api.example', 'is not a URL'],
    ['sandboxBaseUrl', 'http://api.example', 'must begin with https:'],
    ['sandboxBaseUrl', `${rig.address}/`, 'are one address'],
  ] as const)
    expect(await faultOf(asked(ran, id), text)).toContain(fault);
  expect(ran.exitCode).toBe(0);
});

/** A service that refuses everybody, in these words, given the credential. */
const refusing = (words: (credential: string) => string): Promise<string> =>
  served(async ({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: words(headers.authorization ?? '') }));
  });

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
    expect(seenIn(ran)).not.toContain(WRONG);
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
