// Credentials that are given wrongly, are refused, or end; more of that is in promises/credentials. That no secret is shown, every
// run checks. A service that repeats them is in secrets.test.ts, proxies are in broken-network.test.ts.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { nextChunk } from '../rig/client.ts';
import type { Rig, RigOptions, RunOptions } from '../rig/command.ts';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { add, gate, gated, tokenOf } from '../rig/gate.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, configOf, savedIn } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer, UNUSED_PORT } from '../rig/sockets.ts';

const READ = 'track gone';

/** `profile add` with these flags is refused, and saves nothing. */
const refused = (flags: string, sees: End[1] | End[1][], stdin: string = SECRET): Fault =>
  fault(`profile add ${flags}`, [2, ...[sees].flat()], async () => {
    const rig = await bareRig();
    const ran = await rig.run(`profile add new --base-url https://a.example ${flags}`, { stdin });
    expect(() => savedIn(rig)).toThrow('ENOENT');
    return ran;
  });

/** A read without a profile, with these variables: `A=b C=d`. If none has an address, it is that of the service. */
const variables = (env: string | Record<string, string>, end: End, text = ''): Fault =>
  fault(`with ${JSON.stringify(env)}${JSON.stringify(text)}`, end, async () => {
    const rig = await bareRig(text === '' ? {} : { files: { 'token.txt': text } });
    const given = typeof env === 'string' ? env.split(' ').map(one => one.split('=')) : Object.entries(env);
    const ran = await rig.run(READ, { env: { WAYBILL_BASE_URL: rig.address, ...Object.fromEntries(given) } });
    expect(ran.requests.length).toBe(ran.stderr.includes('answered 401') ? 1 : 0);
    return ran;
  });

interface Use extends RunOptions {
  /** Further ones of `profile add`. */
  flags?: string;
  argv?: string;
  rig?: RigOptions;
  /** Not the emulator of the rig. */
  address?: string;
}

/** Saves a profile with these flags, and runs a read with it. */
async function use(flags: string, { argv = READ, rig: options, address, ...run }: Use = {}) {
  const rig = await bareRig(options);
  const stdin = `${SECRET}\n`;
  const added = await rig.run(`profile add live --base-url ${address ?? rig.address} ${flags}`, {
    stdin,
    ...run,
  });
  expect([added.exitCode, added.stderr]).toEqual([0, added.stderr]);
  return { ...(await rig.run(argv, run)), rig };
}
const used = (when: string, flags: string, end: End, more?: Use): Fault =>
  fault(when, end, () => use(flags, more));

const forbidding = async () => (await rawServer(socket => socket.write(http(403)))).url.origin;
const ONLY_LABELS = new Map([[SECRET, new Set(['shipment:label' as const])]]);
const ORDER = { 'order.json': SHIPMENT };
const SHIP = 'ship -f order.json --key ORDER-1';
const NO_FILE =
  /WAYBILL_TOKEN_FILE names \/\S+\/token\.txt, but .*(no such file|it is empty|contains characters)/;
const NOT_ALLOWED = [3, 'the credential for the header authorization contains', 'nothing was sent'] as const;
const NO_PLACE = [
  '--header accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@-',
  'does not belong on a command line',
];

runFaults('credentials that are given', [
  variables('WAYBILL_TOKEN=x WAYBILL_TOKEN_FILE=x', [2, 'are both set', 'Unset one of them']),
  variables(`WAYBILL_TOKEN_FILE=${SECRET}`, [3, 'its name is not shown, because it may be the token']),
  ...['table', 'json'].map(format =>
    fault(`the token itself as WAYBILL_TOKEN_FILE, whoami -o ${format}`, [0], async () => {
      const rig = await bareRig();
      const env = { WAYBILL_BASE_URL: rig.address, WAYBILL_TOKEN_FILE: `eyJ0.${SECRET}.x` };
      const ran = await rig.run(`profile whoami -o ${format}`, { env });
      expect(ran.stdout).toContain('is not shown');
      return ran;
    }),
  ),
  variables('WAYBILL_TOKEN_FILE=token.txt', [3, NO_FILE, 'it is empty'], ' \n'),
  variables('WAYBILL_TOKEN_FILE=token.txt', [3, NO_FILE, 'not allowed'], `${SECRET}\n${SECRET}\n`),
  variables({ WAYBILL_TOKEN: `${SECRET}\r\nX-Admin: yes` }, [...NOT_ALLOWED, 'line break']),
  variables(`WAYBILL_TOKEN=${SECRET}ş`, NOT_ALLOWED),
  variables({ WAYBILL_TOKEN: `Bearer ${SECRET}` }, [3, 'the token begins with "Bearer ", which']),
  variables('WAYBILL_TOKEN=x WAYBILL_AUTH_HEADER=(X', [3, '"(x" is not the name of a header']),
  refused('--token-stdin --header AUTHORIZATION=@env:A', 'which carries the token'),
  refused('--token-stdin', 'stdin has more than one line', `${SECRET}\n${SECRET}\n`),
  // A paste that a terminal has marked.
  refused('--token-stdin', 'characters that are not allowed in a header', `\x1b[200~${SECRET}\x1b[201~\n`),
  refused(`--header ${SECRET}`, NO_PLACE),
  refused('--header X-Key=@env:', NO_PLACE),
  refused('--header Content-Length=@env:KEY', 'the header Content-Length cannot carry a credential'),
  refused('--header X-Key=@env:A --header x-key=@env:B', '--header gives the header x-key twice'),
  refused('--token-stdin --token-command pass', '--token-command give 2 tokens, but one is sent'),
  refused('--header X-Key=@key.txt --strict', '--strict makes this an error. Nothing was saved'),
  used(
    'an empty file',
    '--header X-Key=@key.txt',
    [3, /key\.txt cannot be used: it is empty; nothing was sent/],
    {
      rig: { files: { 'key.txt': '\n' } },
    },
  ),
  fault(
    'a file that others can read',
    [0, /the file (.*key\.txt) can be read by other .* `chmod 600 \1`/],
    async () => {
      const rig = await bareRig();
      chmodSync(rig.file('key.txt', SECRET), 0o640);
      return add(rig, rig.address, ['--header', 'X-Key=@key.txt']);
    },
  ),
  used(
    'no scope to book',
    '--token-stdin',
    [3, '401', 'is not accepted, or lacks the scope shipment:write'],
    { argv: SHIP, rig: { files: ORDER, tokens: ONLY_LABELS } },
  ),
  fault('the service forbids', [3, '403', 'may not do this: ship needs the scope shipment:write'], async () =>
    use('--token-stdin', { argv: SHIP, rig: { files: ORDER }, address: await forbidding() }),
  ),
]);

// A program that prints the token.

/** Runs a read whose token command is Node with this source. */
const printing = (source: string, more: Use = {}) =>
  use(`--token-command 'node print.js' ${more.flags ?? ''}`, {
    ...more,
    rig: { files: { 'print.js': source } },
  });
const printed = (when: string, source: string, end: End, more?: Use): Fault =>
  fault(when, end, () => printing(source, more));

// The secret in two parts, so that it is no argument of a program.
const [HEAD, TAIL] = [SECRET.slice(0, 9), SECRET.slice(9)];
const PRINTS = `--token-command 'printf %s%s ${HEAD} ${TAIL}'`;
const MENDED = 'waybill profile set live --token-command CMD';
const FAILS = `process.stderr.write('vault is \\x1b[31mlocked\\x1b]0;x\\x07'); process.exitCode = 4`;
const HANGS = `const { pid } = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
  require('fs').writeFileSync('pids', pid + ' ' + process.pid);
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);`;
const LEAVES = `require('child_process').spawn('sleep', ['5'], { stdio: 'inherit', detached: true }).unref();
  console.log('${SECRET}'); process.exit()`;
const WAITS = `process.stdin.on('data', () => {}).on('end', () => console.log('${SECRET}'))`;

/** A process that has ended but was not waited for does not count as running. */
function isRunning(id: string): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

runFaults('a program that prints the token', [
  used('it may not be run', '--token-command ./a.txt', [3, /a\.txt may not be run/], {
    rig: { files: { 'a.txt': '' } },
  }),
  printed('it fails', FAILS, [3, 'it ended with exit code 4, saying: vault is locked', MENDED]),
  printed('it fails with --json', FAILS, [3, '{"note":"vault is', '"unauthorized"'], {
    argv: `${READ} --json`,
  }),
  printed(
    'it fails, and stderr repeats what it printed',
    `const { writeSync } = require('fs'); writeSync(1, '${SECRET}\\n'); writeSync(2, 'cannot use ${SECRET}!\\n');
      process.exitCode = 4`,
    [3, 'exit code 4, saying: cannot use ••••!', /^cannot use ••••!$/m],
  ),
  printed(
    'its program wants variables that the profile names',
    `console.error('has ' + [process.env.SHIP_KEY, process.env.OTHER]); process.exitCode = 4`,
    [3, 'saying: has ,theirs'],
    { flags: '--header X=@env:SHIP_KEY', env: { SHIP_KEY: 'k-from-env', OTHER: 'theirs' } },
  ),
  printed('it prints a blank line', `console.log('\\n${SECRET}')`, [3, 'nothing on the first line', MENDED]),
  printed('it prints a colour', `console.log('${SECRET}\\x1b[0m\\r')`, [3, 'not allowed in a header']),
  printed('it prints without end', `for (;;) require('fs').writeSync(1, '${SECRET}')`, [
    3,
    'than 65536 bytes',
  ]),
  fault(
    'it and its child never end: both are ended',
    [3, /it took longer than [\d.]+ s/, MENDED],
    async () => {
      const ran = await printing(HANGS, { programLimit: 2000 });
      for (const id of readFileSync(join(ran.rig.folder, 'pids'), 'utf8').split(' '))
        while (isRunning(id)) await sleep(10);
      return ran;
    },
  ),
  printed('it leaves a child process that keeps stdout open', LEAVES, [4, '404']),
  printed('it waits for input, and gets none', WAITS, [4, '404']),
  fault('no shell reads it', [4, '404'], async () => {
    const text = '$HOME;touch>x|*`id`';
    const rig = await bareRig({ tokens: new Map([[text, 'all']]) });
    await add(rig, rig.address, ['--token-command', 'printf \'%s\' $HOME;touch\\>x"|*"`id`']);
    const ran = await rig.run(READ);
    expect(ran.programs).toEqual([['printf', '%s', text]]);
    expect(existsSync(join(rig.folder, 'x'))).toBe(false);
    return ran;
  }),
  refused(`--token-command 'pass "x'`, ['the part that begins with " does not end', 'No shell runs it']),
  refused(`--token-command ' '`, ['it names no program', "such as 'pass show waybill'"]),
  fault('it fails for a booking: nothing is sent, and the key is free', [3, 'with exit code 1'], async () => {
    const { rig, ...ran } = await use('--token-command false', { argv: SHIP, rig: { files: ORDER } });
    expect((await rig.json('history list'))[0]).toMatchObject({ state: 'not_sent' });
    await rig.run(`profile set live ${PRINTS}`);
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, programs: [['printf', '%s%s', HEAD, TAIL]] });
    // The recorded answer needs no token.
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, programs: [] });
    return ran;
  }),
]);

// An address that gives tokens.

const named = /no token for profile live: POST http:\/\/127\.0\.0\.1:\d+\/oauth\/token: /;

/** A read whose token URL gives this answer to each of so many attempts. */
const given = (
  when: string,
  answer: string,
  [exit, ...sees]: End,
  times = 1,
  patience?: () => Promise<unknown>,
): Fault =>
  fault(when, [exit, named, ...sees], async () => {
    const { rig, service } = await gated({ give: () => answer });
    const ran = await rig.run(`${READ} --retries ${times - 1}`, patience && { patience: patience() });
    expect([service.calls, service.fetches.length]).toEqual([[], times]);
    return ran;
  });
const granted = (body: unknown) => http(200, JSON.stringify(body));
const TOKENS = granted({ token: SECRET, data: { token: `${SECRET}-b` } });
const CUT = http(200, `{"access_token":"${SECRET}`, { 'content-length': '999', connection: 'close' });
const CLIENT = '--client-header X-Client-Secret=@env:CLIENT_SECRET';
const NOT_A_PATH = 'it must not contain a user name, a query or a fragment';
const FIELDS = 'its fields are data.jwt, ok. Set the path with the setting tokenField of the profile';

runFaults('an address that gives tokens', [
  given('it answers 429', http(429, '', { 'retry-after': '7' }), [6, 'answered 429'], 3),
  given('it redirects', http(302, '', { location: 'https://evil.example/oauth/token' }), [7, 'answered 302']),
  given('its answer stops in the token', CUT, [7, 'answered 200, but not completely'], 1, nextChunk),
  given('its token has another name', granted({ data: { jwt: SECRET }, ok: true }), [7, FIELDS]),
  given('there are two tokens', TOKENS, [7, 'there are different tokens at token, data.token']),
  given('it is a web page', http(200, '<html>Sign in</html>'), [7, 'no token at token', 'not a JSON object']),
  given('it repeats the secret', http(400, `{"message":"no ${SECRET}-client"}`), [3, '400: no ••••']),
  fault('its token has a line break', NOT_ALLOWED, async () => {
    const { rig } = await gated({ give: () => granted({ access_token: `${SECRET}\r\nX-Admin: yes` }) });
    return rig.run(READ);
  }),
  fault('the variable of a client header is not set', [3, 'variable CLIENT_SECRET is not set'], async () => {
    const { rig, service } = await gated();
    const ran = await rig.run(READ, { env: { CLIENT_SECRET: '' } });
    expect(service.fetches).toEqual([]);
    return ran;
  }),
  used(
    'nobody listens there',
    `--token-url /t ${CLIENT}`,
    [7, 'no token for profile live', 'connection refused'],
    { address: `http://127.0.0.1:${UNUSED_PORT}`, env: { CLIENT_SECRET: SECRET } },
  ),
  refused(`--token-url http://login.example/t ${CLIENT}`, ['does not begin with https:']),
  ...['//evil.example/t', '/\\evil.example', '/t?client_secret=x', 'https://a.example@evil.example/'].map(
    url => refused(`--token-url ${url} ${CLIENT}`, NOT_A_PATH),
  ),
  refused(CLIENT, ['--client-header needs --token-url PATH', '--header']),
]);

// Tokens that expire, are refused, or belong to another address.

const tokensOf = (calls: readonly string[]) => calls.map(call => call.split(' ').at(-1));

runFaults('tokens that end', [
  fault(
    'none is to be had for a booking: nothing is booked, and the key is free',
    [3, 'answered 400'],
    async () => {
      let refuse = false;
      const { rig, service } = await gated({ give: () => (refuse ? http(400) : undefined) });
      const ship = ['ship', '-f', rig.file('order.json', SHIPMENT), '--key', 'ORDER-1'];
      await rig.run(READ);
      service.revoke();
      refuse = true;
      const ran = await rig.run(ship);
      refuse = false;
      expect((await rig.run(ship)).exitCode).toBe(0);
      expect(tokensOf(service.calls.filter(call => call.startsWith('POST')))).toEqual([
        'token-0',
        'token-0',
        'token-2',
      ]);
      return ran;
    },
  ),
  fault('with 32 requests in flight: one fetch, and each record is booked once', [0], async () => {
    let isRevoked = false;
    const { rig, service } = await gated({
      onCall(made, index) {
        if (index !== 40 || isRevoked) return;
        isRevoked = true;
        made.revoke();
      },
    });
    const orders = Array.from({ length: 60 }, (_, at) => JSON.stringify({ ...SHIPMENT, key: `K-${at}` }));
    rig.file('orders.jsonl', orders.join('\n'));
    const ran = await rig.run('batch ship orders.jsonl --concurrency 32 --json');
    expect(JSON.parse(ran.stdout).states).toEqual({ created: 60 });
    expect(service.fetches.length).toBe(2);
    return ran;
  }),
  fault('a saved one is renewed a minute before its end, and not earlier', [4, '404'], async () => {
    const { rig, service } = await gated({ lifetime: 3600 });
    await rig.run(READ);
    rig.clock.now += 58 * 60_000;
    await rig.run(READ);
    expect(service.fetches.length).toBe(1);
    rig.clock.now += 60_000;
    const ran = await rig.run(READ);
    expect(service.fetches.length).toBe(2);
    return ran;
  }),
  fault('the profile gets another address, which does not get the old token', [4, '404'], async () => {
    const { rig } = await gated();
    await rig.run(READ);
    const other = await gate();
    await rig.run(['profile', 'set', 'live', `baseUrl=${other.address}`]);
    const ran = await rig.run(READ);
    expect([other.fetches.length, other.calls.length]).toEqual([1, 1]);
    return ran;
  }),
  fault('the sandbox gets its own token', [4, '404'], async () => {
    const { rig, service } = await gated();
    await rig.run(['profile', 'set', 'live', `sandboxBaseUrl=${service.address}/sandbox`]);
    await rig.run(READ);
    const ran = await rig.run('track gone --sandbox');
    const paths = service.fetches.map(request => request.split(' ')[1]);
    expect(paths).toEqual(['/oauth/token', '/sandbox/oauth/token']);
    const kept = Object.values(savedIn(rig).profiles.live.credentials.kept);
    expect(kept).toMatchObject([{ token: tokenOf(0) }, { token: tokenOf(1) }]);
    return ran;
  }),
  fault(
    'one cannot be saved: this command uses it',
    [4, 'the token could not be saved for the next command'],
    async () => {
      const { rig } = await gated();
      const lock = join(rig.folder, 'config', 'config.lock');
      rmSync(lock);
      mkdirSync(lock);
      return rig.run(READ);
    },
  ),
]);

// The file that holds them. What else can be in its place is in test/session/damaged-files.test.ts.

/** Changes the config; a read tells of it, and changes nothing. */
const stored = (when: string, act: (path: string, rig: Rig) => void, end: End, argv = READ): Fault =>
  fault(when, end, async () => {
    const { rig } = await use('--token-stdin');
    act(configOf(rig), rig);
    const before = readFileSync(configOf(rig), 'latin1');
    const ran = await rig.run(argv);
    expect(readFileSync(configOf(rig), 'latin1')).toBe(before);
    return ran;
  });
const saved = (credentials: object) => (_: string, rig: Rig) =>
  void rig.file('config/config.json', {
    current: 'live',
    profiles: { live: { baseUrl: rig.address, credentials } },
  });
const mode = (bits: number) => (path: string) => chmodSync(path, bits);
const giveAway = (path: string) => chownSync(path, 12345, 12345);
const EVIL_URL = { kind: 'url', url: 'http://evil.example/token', headers: { a: { value: SECRET } } };
const notRoot = process.getuid?.() !== 0 && 'only root gives files away';

runFaults('the file that holds the secrets', [
  stored('no program', saved({ kind: 'command', command: [] }), [10, 'credentials.command is not valid']),
  stored('a line break', saved({ kind: 'token', token: `${SECRET}\n` }), [...NOT_ALLOWED, 'line break']),
  stored('another host in plain text', saved(EVIL_URL), [
    2,
    'http://evil.example/token does not begin with https:',
  ]),
  {
    ...stored('it is given away', giveAway, [10, 'it belongs to another user (id 12345)', 'then run `chown']),
    skip: notRoot,
  },
  stored('others may read it', mode(0o644), [4, /warning: .* can be read by other users .* run `chmod 600/]),
  stored('the same, --strict', mode(0o644), [10, '--strict makes an error of it'], `${READ} --strict`),
]);
