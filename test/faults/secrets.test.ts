// The test gives secrets in every possible way, runs all commands, and searches everything that they wrote. The secrets may
// only be in the config, which only its user can read, and in the files of the test itself.
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Rig, RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, configOf } from '../rig/profile.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { gate, tokenOf } from './credentials-rig.ts';

const NAMES = [
  'stdin',
  'env',
  'headerEnv',
  'headerFile',
  'headerStdin',
  'printed',
  'client',
  'clientFile',
] as const;
const PLANTED = Object.fromEntries(
  [...NAMES, 'proxy', 'address', 'wrong'].map(name => [name, `planted-${name}-8f41c07e9b`]),
) as Record<(typeof NAMES)[number] | 'proxy' | 'address' | 'wrong', string>;
const ALL = [...Object.values(PLANTED), SECRET];

const PLANTED_FILES = ['auth.txt', 'client.txt', 'print.js'];

interface Search {
  rig: Rig;
  /** Runs a command and keeps all its output. */
  run(
    argv: string | string[],
    options?: RunOptions,
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** `where: secret` for each secret that was found in the output or in a file. */
  found(): string[];
}

/** A rig with a profile for each way of giving a credential, for its emulator or for another service. */
async function planted(elsewhere?: string): Promise<Search> {
  const valid = ALL.filter(secret => secret !== PLANTED.wrong);
  const rig = await bareRig({
    // What a service repeats of a secret is masked in the journal.
    journalLost: elsewhere !== undefined,
    tokens: new Map(valid.map(secret => [secret, 'all'])),
    env: {
      AUTH: `Bearer ${PLANTED.headerEnv}`,
      CLIENT: PLANTED.client,
      HTTPS_PROXY: `http://me:${PLANTED.proxy}@127.0.0.1:1`,
    },
  });
  const temporary = join(rig.folder, 'tmp');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  rig.file('auth.txt', `Bearer ${PLANTED.headerFile}\n`);
  rig.file('client.txt', PLANTED.clientFile);
  rig.file('print.js', `console.log('${PLANTED.printed}')`);
  const shown: string[] = [];
  const run: Search['run'] = async (argv, options) => {
    const ran = await rig.run(argv, options);
    // Without the command line, which may have a secret that is refused.
    const words = (typeof argv === 'string' ? argv.split(' ') : argv).slice(0, 2).join(' ');
    shown.push(`${words} stdout: ${ran.stdout}`, `${words} stderr: ${ran.stderr}`);
    shown.push(
      `${words} programs: ${JSON.stringify(ran.programs)}`,
      `${words} asked: ${JSON.stringify(ran.questions)}`,
    );
    return ran;
  };
  const address = elsewhere ?? rig.address;
  const tokens = elsewhere ?? (await gate()).address;
  const ways: [string, string, string[], string?][] = [
    ['stdin', address, ['--token-stdin'], `${PLANTED.stdin}\n`],
    ['headerEnv', address, ['--header', 'Authorization=@env:AUTH']],
    ['headerFile', address, ['--header', 'Authorization=@auth.txt']],
    ['headerStdin', address, ['--header', 'Authorization=@-'], `Bearer ${PLANTED.headerStdin}`],
    ['printed', address, ['--token-command', `'${process.execPath}' print.js`]],
    [
      'url',
      tokens,
      [
        '--token-url',
        '/oauth/token',
        '--client-header',
        'X-Id=@env:CLIENT',
        '--client-header',
        'X-Key=@client.txt',
      ],
    ],
    ['wrong', address, ['--token-stdin'], PLANTED.wrong],
  ];
  for (const [name, base, flags, stdin = ''] of ways) {
    const ran = await run(['profile', 'add', name, '--verbose', '--base-url', base, ...flags], { stdin });
    expect([ran.exitCode, ran.stderr]).toEqual([0, ran.stderr]);
  }
  return {
    rig,
    run,
    found: () => [
      ...shown.flatMap(text =>
        ALL.filter(secret => text.includes(secret)).map(secret => `${secret} in ${text}`),
      ),
      ...holding(rig),
    ],
  };
}

/** Files that contain a secret, except the config. */
function holding(rig: Rig, secrets = ALL): string[] {
  const files = readdirSync(rig.folder, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  );
  return files
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => path !== configOf(rig) && !PLANTED_FILES.some(name => path === join(rig.folder, name)))
    .flatMap(path => {
      const bytes = readFileSync(path, 'latin1');
      return secrets.filter(secret => bytes.includes(secret)).map(secret => `${secret} in ${path}`);
    });
}

const WAYS = ['stdin', 'headerEnv', 'headerFile', 'headerStdin', 'printed', 'url', 'wrong'];
const ABOUT = [
  'profile list',
  'profile show',
  'profile whoami',
  'profile export',
  'profile test',
  'history list',
];

const FORMATS = ['table', 'json', 'jsonl', 'csv', 'text'];

afterEach(() => vi.unstubAllEnvs());

test('a secret is only in the config, however it is given and used', async () => {
  const { rig, run, found } = await planted();
  const order = rig.file('order.json', SHIPMENT);
  for (const [turn, way] of WAYS.entries()) {
    const profile = ['--profile', way, '--verbose'];
    // Each way in each format of the one or the other, and each of them in every format of some way.
    for (const [index, about] of ABOUT.entries())
      await run([...about.split(' '), '-o', FORMATS[(turn + index) % FORMATS.length] ?? '', ...profile]);
    const booked = await run(['ship', '-f', order, '--key', way, ...profile]);
    expect(booked.exitCode).toBe(way === 'wrong' ? 3 : 0);
    await run(['ship', '-f', order, '--key', way, '--json', ...profile]);
    await run(['ship', '-f', order, '--dry-run', '--json', ...profile]);
    await run(['track', 'gone', '--json', ...profile]);
  }
  expect(found()).toEqual([]);
  expect(statSync(configOf(rig)).mode & 0o777).toBe(0o600);
  // The search works: the config has the secrets that were saved and the one that was fetched.
  const config = readFileSync(configOf(rig), 'utf8');
  for (const secret of [PLANTED.stdin, PLANTED.headerStdin, PLANTED.wrong, tokenOf(0)])
    expect(config).toContain(secret);
  for (const secret of [PLANTED.headerEnv, PLANTED.headerFile, PLANTED.printed, PLANTED.client])
    expect(config).not.toContain(secret);
});

test('no command shows or writes the token of the environment, in success or failure', async () => {
  const { rig, run, found } = await planted();
  const order = rig.file('order.json', SHIPMENT);
  const open = rig.file('open.json', UNDECIDED);
  const dual = rig.file('dual.json', DUAL);
  rig.file(
    'orders.jsonl',
    [1, 2]
      .map(weight => JSON.stringify({ ...SHIPMENT, key: `K-${weight}`, chargeableWeight: weight }))
      .join('\n'),
  );
  const commands = [
    'quote --from TR --to DE --package 1kg@30x20x10',
    'rates --from TR --to DE --package 1kg@30x20x10',
    `ship -f ${open} --carrier cheapest --key A --label --download labels --print`,
    `ship -f ${order} --set receiver.email=`,
    `ship-dual -f ${dual} --label`,
    'label --international gone',
    'track gone --domestic',
    'batch ship orders.jsonl --failed failed.jsonl --concurrency 2',
    'batch ship orders.jsonl --dry-run --estimate',
    'webhook create --url https://shop.example/hook --event shipment.created --key W',
    'webhook get gone',
    'webhook list',
    'history list',
    'history show A',
    'profile whoami',
    'profile list',
    'schema ship',
    'nonsense',
  ];
  for (const token of [PLANTED.wrong, PLANTED.env])
    for (const command of commands)
      await run(`${command} --verbose ${token === PLANTED.env ? '' : '--json'}`, {
        env: { WAYBILL_BASE_URL: rig.address, WAYBILL_TOKEN: token, WAYBILL_LOG: 'log.jsonl' },
      });
  for (const [header, scheme] of [
    ['authorization', 'Bearer'],
    ['x-shop', '0'],
    ['cookie', 'Token'],
  ] as const) {
    const form = { WAYBILL_AUTH_HEADER: header, WAYBILL_AUTH_SCHEME: scheme, WAYBILL_DEBUG: '1' };
    const env = { WAYBILL_BASE_URL: rig.address, WAYBILL_TOKEN: PLANTED.env, ...form };
    const { stderr } = await run('track gone', { env });
    expect(stderr).toMatch(/^> GET .*^< 40[14]/ms);
  }
  expect(found()).toEqual([]);
});

test('the secrets of a new subscription are shown once, and recorded in the journal, which only its user can read', async () => {
  const { rig, run } = await planted();
  const create =
    'webhook create --url https://shop.example/hook --event shipment.status.updated --key W --json';
  const profile = '--profile stdin --verbose';
  const { stdout, stderr } = await run(`${create} ${profile}`);
  const { secret, token } = JSON.parse(stdout).data;
  const told = [stderr];
  for (const command of [
    'webhook list',
    'history list',
    'history show W',
    'profile show',
    'webhook get gone',
  ]) {
    const ran = await run(`${command} ${profile} --json`);
    told.push(ran.stdout, ran.stderr);
  }
  for (const once of [secret, token]) {
    expect(once.length).toBeGreaterThan(8);
    for (const text of told) expect(text).not.toContain(once);
    for (const path of holding(rig, [once])) expect(path).toMatch(/state\/journal\.db/);
  }
  for (const name of readdirSync(join(rig.folder, 'state')))
    expect(statSync(join(rig.folder, 'state', name)).mode & 0o077).toBe(0);
});

test('no secret is shown if a service repeats the whole request, in every kind of failure', async () => {
  let status = 0;
  const { url } = await rawServer((socket, request) => {
    const body = JSON.stringify({ message: `not like this: ${request}`, got: request.split('\r\n') });
    const page = `<html><title>${request.replaceAll('\r\n', ' ')}</title></html>`;
    socket.write(http(status, request.startsWith('GET') ? page : body));
  });
  const { rig, run, found } = await planted(url.origin);
  const order = rig.file('order.json', SHIPMENT);
  for (status of [200, 302, 400, 401, 500])
    for (const way of ['stdin', 'headerFile', 'printed', 'url']) {
      const rest = ['--profile', way, '--verbose', '--retries', '0'];
      const key = `${way}-${status}`;
      expect((await run(['track', 'gone', ...rest])).exitCode).not.toBe(0);
      expect(
        (await run(['ship', '-f', order, '--allow-duplicate', '--key', key, '--json', ...rest])).exitCode,
      ).not.toBe(0);
      await run(['history', 'show', key, '--json', ...rest]);
    }
  expect(found()).toEqual([]);
});

/** What a service may make of a credential that it repeats. */
const repeated = (secret: string) => ({
  message: `you are ${secret}.`,
  upper: secret.toUpperCase(),
  lower: secret.toLowerCase(),
  url: `/?token=${encodeURIComponent(secret)}`,
  page: `<b title="${secret}">`,
  [`name ${secret}`]: 'a name',
  nested: JSON.stringify({ got: `"${secret}"` }),
  list: [secret, [{ deep: secret }]],
  base64: ['', 'a', 'ab'].map(before => Buffer.from(`${before}${secret} and more`).toString('base64')),
  base64url: ['', 'a', 'ab'].map(before => Buffer.from(before + secret).toString('base64url')),
  basic: `Basic ${Buffer.from(`me:${secret.replace('Bearer ', '')}`).toString('base64')}`,
});

/** A part of the secret in base64, after so many other bytes, that has its own bits alone. */
const inBase64 = (secret: string): string[] =>
  ['', 'a', 'ab'].map(before =>
    Buffer.from(before + secret)
      .toString('base64url')
      .slice(4, -4),
  );

/** Where a part of a credential is that was sent, in any of those ways. */
const traces = (text: string): string[] =>
  ALL.filter(secret => text.toLowerCase().includes(secret)).concat(
    ALL.flatMap(inBase64).filter(part => text.includes(part)),
  );

/** Books, labels, answers everything that is asked, and repeats in each answer all credentials that it got since `forget`. */
async function repeatingService() {
  const got = new Set<string>();
  let count = 0;
  const { url } = await rawServer((socket, request) => {
    const [method = '', path = ''] = request.split(' ', 2);
    const head = request.slice(0, request.indexOf('\r\n\r\n'));
    for (const [, value = ''] of head.matchAll(/^(?:authorization|x-id|x-key): (.*)$/gim))
      got.add(value.trim());
    const told = [...got].map(repeated);
    const token = head.match(/^authorization: Bearer (\S+)/im)?.[1];
    const label = {
      success: true,
      trackingNumber: 'T-1',
      label: `${url.origin}/labels/1.pdf?token=${token}`,
    };
    const reply = (status: number, body: object) =>
      socket.write(http(status, JSON.stringify({ ...body, told }), { 'x-told': [...got].join() }));
    count += 1;
    if (path.endsWith('/oauth/token'))
      return void socket.write(http(200, `{"access_token":"${tokenOf(0)}","expires_in":900}`));
    if (path.startsWith('/labels/'))
      return void socket.write(
        got.has(`Bearer ${path.split('token=')[1]}`) ? http(200, '%PDF-1.7\n1\n%%EOF\n') : http(404),
      );
    if (path === '/v2/carriers/create') return reply(200, { success: true, international: label });
    if (path === '/webhooks/subscriptions')
      return reply(201, { data: { id: 'W-1', secret: 'new-secret-1', token: 'new-token-1' } });
    if (path === '/v1/carriers/proposal')
      return reply(201, {
        chargeableWeight: 5,
        proposals: [{ id: 'EXP', name: token, isValid: true, price: 9, currency: 'EUR' }],
      });
    if (method === 'GET') return reply(200, { id: path.replace(/.*\//, ''), status: [{ status: token }] });
    const carrier = { id: 'EXP', name: token, price: 9, currency: 'EUR' };
    return reply(201, { id: `S-${count}`, carrier });
  });
  return { address: url.origin, forget: () => got.clear() };
}

test('no secret is shown or written if a service repeats it in answers that are well', async () => {
  const { address, forget } = await repeatingService();
  const { rig, run } = await planted(address);
  const order = rig.file('order.json', SHIPMENT);
  const open = rig.file('open.json', UNDECIDED);
  for (const [index, way] of WAYS.filter(one => one !== 'wrong').entries()) {
    forget();
    const orders = [1, 2].map(weight => ({ ...SHIPMENT, key: `${way}-${weight}`, chargeableWeight: weight }));
    rig.file(`${way}.jsonl`, orders.map(one => JSON.stringify(one)).join('\n'));
    const commands = [
      'quote --from TR --to DE --package 1kg@30x20x10 --verbose',
      `ship -f ${order} --key A-${way} --allow-duplicate --label --download labels --verbose`,
      `ship -f ${open} --key B-${way} --allow-duplicate --carrier cheapest --log log.jsonl`,
      `batch ship ${way}.jsonl --results ${way}.results.jsonl`,
      `label --international L-${way} --download labels`,
      'track S-1 --verbose',
      'history list',
      `history show A-${way}`,
    ];
    for (const format of ['json', ['table', 'jsonl', 'csv', 'text'][index % 4]])
      for (const command of commands) {
        const { exitCode, stdout, stderr } = await run(`${command} -o ${format} --profile ${way}`);
        expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr });
        expect({ command, traces: traces(stdout + stderr) }).toEqual({ command, traces: [] });
      }
  }
  // Nor in the journal, the results and the log.
  expect(holding(rig, [...ALL, ...ALL.flatMap(inBase64)])).toEqual([]);
});

test('a new subscription keeps its own secret and token in an answer that repeats the credential', async () => {
  const { rig, run } = await planted((await repeatingService()).address);
  const create =
    'webhook create --url https://shop.example/hook --event shipment.status.updated --key W --json';
  const { stdout, stderr } = await run(`${create} --profile stdin`);
  const { data, told } = JSON.parse(stdout);
  expect(data).toMatchObject({ secret: 'new-secret-1', token: 'new-token-1' });
  expect(traces(JSON.stringify(told) + stderr)).toEqual([]);
  const shown = await run('history show W --show-secret --json --profile stdin');
  expect(shown.stdout).toContain('new-secret-1');
  expect(traces(shown.stdout + shown.stderr)).toEqual([]);
  expect(holding(rig, [...ALL, ...ALL.flatMap(inBase64)])).toEqual([]);
});

test('a secret that is refused is neither shown nor saved', async () => {
  const { rig, run, found } = await planted();
  const address = `https://me:${PLANTED.address}@api.example.com`;
  const add = (...words: string[]) => ['profile', 'add', 'new', '--verbose', ...words];
  const refused = [
    await run(add('--base-url', address)),
    await run(['profile', 'set', 'stdin', `baseUrl=${address}`]),
    await run('track gone', { env: { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: PLANTED.env } }),
    await run(
      add(
        '--base-url',
        'https://a.example',
        '--token-url',
        `/t?key=${PLANTED.address}`,
        '--client-header',
        'A=@env:B',
      ),
    ),
  ];
  expect(refused.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
  // Through the proxy, whose password is one of the secrets.
  const env = { WAYBILL_BASE_URL: 'https://api.example.com', WAYBILL_TOKEN: PLANTED.env };
  for (const format of ['', '--json'])
    expect((await run(`track gone --verbose --retries 0 ${format}`, { env })).exitCode).toBe(7);
  expect(found()).toEqual([]);
  expect(readFileSync(configOf(rig), 'utf8')).not.toContain(PLANTED.address);
});

test('an internal error with its trace shows no secret', async () => {
  const { run, found } = await planted();
  const broken = vi.spyOn(URL.prototype, 'pathname', 'set').mockImplementation(() => {
    throw new TypeError('a thing is not a function');
  });
  onTestFinished(() => broken.mockRestore());
  for (const way of WAYS)
    for (const format of ['--verbose', '--json']) {
      const ran = await run(`track gone --profile ${way} ${format}`, { may: ['defect'] });
      expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringContaining('internal error')]);
    }
  expect(found()).toEqual([]);
});

test('a form that is left and its draft contain no secret', async () => {
  const { run, found } = await planted();
  const answers = () => {
    throw new Error('left');
  };
  for (const way of WAYS)
    await run(`ship --type package --profile ${way} --verbose`, { terminal: true, answers });
  await run('profile add --verbose', { terminal: true, answers });
  expect(found()).toEqual([]);
});
