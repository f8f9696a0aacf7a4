// Credentials that are given wrongly, that a program or an address does not give, and that end. That no secret is shown, every run
// checks.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nextChunk } from '../rig/client.ts';
import type { Rig } from '../rig/command.ts';
import { gate, gated, tokenOf } from '../rig/gate.ts';
import { lacking } from '../rig/needs.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, configOf, savedIn } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, UNUSED_PORT } from '../rig/sockets.ts';
import { wrapped } from './begin.ts';
import { BOOKED } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';
import { liveRig, replying, servedRig } from './rigs.ts';

const READ = 'track gone';
const SHIP = 'ship order.json --key A-1';
const ADD = 'profile add live --base-url https://api.example.com';
const CLIENT = '--client-header X-Client-Secret=@env:CLIENT_SECRET';
const NOT_ALLOWED = 'has a character that a header cannot have';
const BY_FILE = { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: 'token.txt' };
const NOT_SHOWN = { WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: `eyJ0.${SECRET}.x` };
const ONLY_LABELS = new Map([[SECRET, new Set(['shipment:label' as const])]]);

/** A file of a header that others may read. */
async function openFile(): Promise<Rig> {
  const rig = await bareRig();
  chmodSync(rig.file('key.txt', SECRET), 0o640);
  return rig;
}

promises('A credential that is given wrongly', [
  ...each(
    {
      says: 'is refused, and no profile is saved',
      ...{ rig: bareRig, exit: 2, stdin: SECRET, files: { 'config/config.json': null } },
    },
    [
      { run: `${ADD} --token-stdin --header AUTHORIZATION=@env:A`, stderr: 'which carries the token' },
      { run: `${ADD} --token-stdin`, stdin: `${SECRET}\n${SECRET}\n`, stderr: 'several lines' },
      // A paste that a terminal has marked.
      { run: `${ADD} --token-stdin`, stdin: `\x1b[200~${SECRET}\x1b[201~\n`, stderr: NOT_ALLOWED },
      { run: `${ADD} --header ${SECRET}`, stderr: 'never the secret itself' },
      { run: `${ADD} --header X-Key=@env:`, stderr: 'NAME=@env:VARIABLE' },
      { run: `${ADD} --header Content-Length=@env:KEY`, stderr: 'cannot carry a credential' },
      { run: `${ADD} --header X-Key=@env:A --header x-key=@env:B`, stderr: 'x-key twice' },
      { run: `${ADD} --header X-Key=@key.txt --strict`, stderr: 'Nothing was saved' },
      { run: `${ADD} --token-stdin --token-command pass`, stderr: '2 tokens' },
      { run: `${ADD} --token-command 'pass "x'`, stderr: ['does not end', 'No shell runs it'] },
      { run: `${ADD} --token-command ' '`, stderr: 'names no program' },
      { run: `${ADD} ${CLIENT}`, stderr: 'needs --token-url PATH' },
      ...['//evil.example/t', '/\\evil.example', '/t?secret=x', 'https://a.example@evil.example/'].map(
        url => ({ run: `${ADD} --token-url ${url} ${CLIENT}`, stderr: 'has a user name' }),
      ),
    ],
  ),
  ...each({ says: 'is told before anything is sent', exit: 3, sent: [], run: READ }, [
    { env: { WAYBILL_TOKEN_FILE: 'x' }, exit: 2, stderr: 'are both set' },
    { env: NOT_SHOWN, stderr: 'name not shown: it may be the token' },
    { env: BY_FILE, rig: { files: { 'token.txt': ' \n' } }, stderr: 'it is empty' },
    { env: BY_FILE, rig: { files: { 'token.txt': `${SECRET}\n${SECRET}` } }, stderr: NOT_ALLOWED },
    { env: { WAYBILL_TOKEN: `${SECRET}\r\nX-Admin: yes` }, stderr: [NOT_ALLOWED, 'line break'] },
    { env: { WAYBILL_TOKEN: `${SECRET}ş` }, stderr: NOT_ALLOWED },
    { env: { WAYBILL_TOKEN: `Bearer ${SECRET}` }, stderr: 'begins with "Bearer ", which' },
    { env: { WAYBILL_AUTH_HEADER: '(X' }, stderr: '"(x" is no header' },
    {
      rig: liveRig('--header X-Key=@key.txt', { files: { 'key.txt': '\n' } }),
      stderr: /key\.txt cannot be used: it is empty; nothing was sent/,
    },
  ]),
  ...each({ says: 'as the name of its file is not shown', env: NOT_SHOWN, stdout: 'not shown' }, [
    'profile whoami',
    'profile whoami --json',
  ]),
  {
    says: 'in a file that others can read is a warning',
    rig: openFile,
    run: `${ADD} --header X-Key=@key.txt`,
    exit: 0,
    stderr: /the file (.*key\.txt) can be read by other .* `chmod 600 \1`/,
  },
  ...each({ says: 'for something else names the scope that it lacks', exit: 3, run: SHIP }, [
    {
      rig: liveRig('--token-stdin', { files: { 'order.json': SHIPMENT }, tokens: ONLY_LABELS }),
      stderr: ['401', 'lacks the scope shipment:write'],
    },
    {
      rig: servedRig(replying({ [BOOKED[0] ?? '']: http(403) }), { flags: '--token-stdin' }),
      stderr: ['403', 'needs the scope shipment:write'],
    },
  ]),
]);

/** Node runs this source to print the token. */
const printing = (source: string, more: string[] = [], env: Record<string, string> = {}) =>
  liveRig(['--token-command', 'node print.js', ...more], { files: { 'print.js': source }, env });

// The secret in two parts, so that it is no argument of a program.
const PRINTS = ['--token-command', `printf %s%s ${SECRET.slice(0, 9)} ${SECRET.slice(9)}`];
const MENDED = 'waybill profile set live --token-command CMD';
const FAILS = `process.stderr.write('vault is \\x1b[31mlocked\\x1b]0;x\\x07'); process.exitCode = 4`;
const REPEATS = `const { writeSync } = require('fs'); writeSync(1, '${SECRET}\\n'); writeSync(2, 'cannot use ${SECRET}!\\n');
  process.exitCode = 4`;
const TELLS = `console.error('has ' + [process.env.SHIP_KEY, process.env.OTHER]); process.exitCode = 4`;
const HANGS = `const { pid } = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
  require('fs').writeFileSync('pids', pid + ' ' + process.pid);
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);`;
const LEAVES = `require('child_process').spawn('sleep', ['5'], { stdio: 'inherit', detached: true }).unref();
  console.log('${SECRET}'); process.exit()`;
const WAITS = `process.stdin.on('data', () => {}).on('end', () => console.log('${SECRET}'))`;
const ODD = '$HOME;touch>x|*`id`';

/** It has so long to begin that it does, before it takes too long. */
async function hanging(): Promise<Rig> {
  const rig = await printing(HANGS)();
  return wrapped(rig, async (argv, options) => {
    for (let limit = 1000; ; limit *= 2) {
      const ran = await rig.run(argv, { ...options, programLimit: limit });
      if (existsSync(join(rig.folder, 'pids'))) return ran;
    }
  });
}

/** A process that has ended but was not waited for does not count as running. */
function isRunning(id: string): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const FALSE = liveRig('--token-command false');
const SET = ['profile', 'set', 'live', ...PRINTS];

promises('A program that prints the token', [
  ...each({ says: 'and gives none is told with what it said', exit: 3, sent: [] }, [
    {
      run: READ,
      rig: liveRig('--token-command ./a.txt', { files: { 'a.txt': '' } }),
      stderr: 'may not be run',
    },
    { run: READ, rig: printing(FAILS), stderr: ['exit code 4, saying: vault is locked', MENDED] },
    { run: `${READ} --json`, rig: printing(FAILS), stderr: ['{"note":"vault is', '"unauthorized"'] },
    { run: READ, rig: printing(REPEATS), stderr: [/^cannot use ••••!$/m, 'saying: cannot use ••••!'] },
    {
      run: READ,
      rig: printing(`console.log('\\n${SECRET}')`),
      stderr: ['the first line of its stdout is empty', MENDED],
    },
    { run: READ, rig: printing(`console.log('${SECRET}\\x1b[0m\\r')`), stderr: NOT_ALLOWED },
    { run: READ, rig: printing(`for (;;) require('fs').writeSync(1, '${SECRET}')`), stderr: '65536 bytes' },
  ]),
  {
    says: 'gets no variable that the profile names',
    rig: printing(TELLS, ['--header', 'X=@env:SHIP_KEY'], { SHIP_KEY: 'k-from-env', OTHER: 'theirs' }),
    run: READ,
    exit: 3,
    stderr: 'saying: has ,theirs',
  },
  {
    says: 'and never ends is ended with its child',
    rig: hanging,
    run: READ,
    exit: 3,
    stderr: [/it took longer than [\d.]+ s/, MENDED],
    async also(_, { folder }) {
      for (const id of readFileSync(join(folder, 'pids'), 'utf8').split(' '))
        while (isRunning(id)) await sleep(10);
    },
  },
  ...each({ says: 'is not waited for, and gets no input', exit: 4 }, [
    { run: READ, rig: printing(LEAVES) },
    { run: READ, rig: printing(WAITS) },
  ]),
  {
    says: 'is read by no shell',
    rig: liveRig(['--token-command', 'printf \'%s\' $HOME;touch\\>x"|*"`id`'], {
      tokens: new Map([[ODD, 'all']]),
    }),
    run: READ,
    exit: 4,
    also({ programs }, { folder }) {
      expect(programs).toEqual([['printf', '%s', ODD]]);
      expect(existsSync(join(folder, 'x'))).toBe(false);
    },
  },
  ...each({ rig: FALSE, run: SHIP, exit: 0 }, [
    {
      says: 'and fails leaves the key of a booking free',
      after: [{ line: SHIP, exit: 3 }, SET],
      sent: BOOKED,
    },
    {
      says: 'is not run for a recorded answer',
      after: [SET, SHIP, 'profile set live --token-command false'],
      also: ({ programs, requests }) => expect([programs, requests]).toEqual([[], []]),
    },
  ]),
]);

/** An address that answers so to each of so many requests for a token; nothing else is sent to its service. */
const giving =
  (answer: string, times = 1) =>
  async (): Promise<Rig> => {
    const { rig, service } = await gated({ give: () => answer });
    onTestFinished(() => expect([service.calls, service.fetches.length]).toEqual([[], times]));
    return rig;
  };
const granted = (body: unknown) => giving(http(200, JSON.stringify(body)));
const TWO = { token: SECRET, data: { token: `${SECRET}-b` } };

/** Its answer stops in the token until the deadline. */
async function cutOff(): Promise<Rig> {
  const headers = { 'content-length': '999', connection: 'close' };
  const rig = await giving(http(200, `{"access_token":"${SECRET}`, headers))();
  return { ...rig, run: (argv, options) => rig.run(argv, { ...options, patience: nextChunk() }) };
}

promises('An address that gives no token', [
  ...each({ says: 'is told with its answer', stderr: /POST http:\/\/127\.0\.0\.1:\d+\/oauth\/token: / }, [
    { run: `${READ} --retries 2`, rig: giving(http(429, '', { 'retry-after': '7' }), 3), exit: 6 },
    { run: READ, rig: giving(http(302, '', { location: 'https://evil.example/oauth/token' })), exit: 7 },
  ]),
  ...each({ says: 'is told with what is wrong in its answer', exit: 7 }, [
    { run: `${READ} --retries 0`, rig: cutOff, stderr: 'answered 200, but not completely' },
    {
      run: READ,
      rig: granted({ data: { jwt: SECRET }, ok: true }),
      stderr: ['are data.jwt, ok', 'tokenField'],
    },
    { run: READ, rig: granted(TWO), stderr: 'different tokens at token, data.token' },
    { run: READ, rig: giving(http(200, '<html>Sign in</html>')), stderr: 'not a JSON object' },
    {
      run: READ,
      rig: granted({ access_token: `${SECRET}\r\nX-Admin: yes` }),
      ...{ exit: 3, stderr: [NOT_ALLOWED, 'nothing was sent'] },
    },
    {
      run: READ,
      rig: giving(http(400, `{"message":"no ${SECRET}-client"}`)),
      exit: 3,
      stderr: '400: no ••••',
    },
    {
      run: READ,
      rig: giving('', 0),
      env: { CLIENT_SECRET: '' },
      exit: 3,
      stderr: 'CLIENT_SECRET is not set',
    },
  ]),
  {
    says: 'or where nobody listens, is told',
    rig: () => bareRig({ env: { CLIENT_SECRET: SECRET } }),
    after: [`profile add live --base-url http://127.0.0.1:${UNUSED_PORT} --token-url /t ${CLIENT}`],
    run: READ,
    exit: 7,
    stderr: ['no token for profile live', 'connection refused'],
  },
]);

const tokensOf = (calls: readonly string[]) => calls.map(call => call.split(' ').at(-1));

describe('A token that is fetched', () => {
  test('and is not to be had for a booking books nothing, and leaves its key free', async () => {
    let isRefused = false;
    const { rig, service } = await gated({ give: () => (isRefused ? http(400) : undefined) });
    rig.file('order.json', SHIPMENT);
    await rig.run(READ);
    service.revoke();
    isRefused = true;
    expect((await rig.run(SHIP)).exitCode).toBe(3);
    isRefused = false;
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    const posted = service.calls.filter(call => call.startsWith('POST'));
    expect(tokensOf(posted)).toEqual(['token-0', 'token-0', 'token-2']);
  });

  test('is fetched once for 32 requests in flight, and each record is booked once', async () => {
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
  });

  test('is renewed a minute before its end, and not earlier', async () => {
    const { rig, service } = await gated({ lifetime: 3600 });
    const fetches = [];
    for (const minutes of [0, 58, 1]) {
      rig.clock.now += minutes * 60_000;
      await rig.run(READ);
      fetches.push(service.fetches.length);
    }
    expect(fetches).toEqual([1, 1, 2]);
  });

  test('does not go to another address that the profile gets', async () => {
    const { rig } = await gated();
    await rig.run(READ);
    const other = await gate();
    await rig.run(['profile', 'set', 'live', `baseUrl=${other.address}`]);
    await rig.run(READ);
    expect([other.fetches.length, other.calls.length]).toEqual([1, 1]);
  });

  test('is another one for the sandbox', async () => {
    const { rig, service } = await gated();
    await rig.run(['profile', 'set', 'live', `sandboxBaseUrl=${service.address}/sandbox`]);
    await rig.run(READ);
    await rig.run(`${READ} --sandbox`);
    const paths = service.fetches.map(request => request.split(' ')[1]);
    expect(paths).toEqual(['/oauth/token', '/sandbox/oauth/token']);
    const kept = Object.values(savedIn(rig).profiles.live.credentials.kept);
    expect(kept).toMatchObject([{ token: tokenOf(0) }, { token: tokenOf(1) }]);
  });

  test('is used by its command where it cannot be saved', async () => {
    const { rig } = await gated();
    const lock = join(rig.folder, 'config', 'config.lock');
    rmSync(lock);
    mkdirSync(lock);
    const { exitCode, stderr } = await rig.run(READ);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('could not be saved')]);
  });
});

/** A profile with a token whose config is changed. */
const changed = (act: (path: string, rig: Rig) => void) => async (): Promise<Rig> => {
  const rig = await liveRig()();
  act(configOf(rig), rig);
  return rig;
};
const saved = (credentials: object) =>
  changed((_, rig) => {
    const profiles = { live: { baseUrl: rig.address, credentials } };
    rig.file('config/config.json', { current: 'live', profiles });
  });
const READABLE = changed(path => chmodSync(path, 0o644));
const EVIL_URL = { kind: 'url', url: 'http://evil.example/token', headers: { a: { value: SECRET } } };
const givenAway: Promised = {
  says: 'that is given away is not used',
  rig: changed(path => chownSync(path, 12345, 12345)),
  run: READ,
  exit: 10,
  stderr: ['belongs to another user (id 12345)', '`chown'],
  lacking: lacking(process.getuid?.() === 0, 'only root gives files away'),
};

promises('A config with secrets', [
  ...each({ says: 'that was changed by hand is checked before anything is sent', sent: [] }, [
    { run: READ, rig: saved({ kind: 'command', command: [] }), exit: 10, stderr: 'credentials.command' },
    { run: READ, rig: saved({ kind: 'token', token: `${SECRET}\n` }), exit: 3, stderr: 'line break' },
    { run: READ, rig: saved(EVIL_URL), exit: 2, stderr: 'does not begin with https:' },
  ]),
  givenAway,
  ...each({ rig: READABLE }, [
    {
      says: 'that others may read is a warning',
      run: READ,
      exit: 4,
      stderr: /warning: .* has secrets that other users can read .*`chmod 600/,
    },
    { says: 'which --strict makes an error', run: `${READ} --strict`, exit: 10, stderr: '--strict' },
  ]),
]);
