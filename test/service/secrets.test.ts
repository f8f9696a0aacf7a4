// Secrets are given in every possible way, and commands run that use them. Each is made of `SECRET`, which the rig looks for
// in all that a command shows, and in each file that it writes but for the config, which only its user can read.

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { FORMAT_NAMES } from '../../src/text.ts';
import type { Rig } from '../rig/command.ts';
import { COLUMNS, csv, FLAGS, row } from '../rig/csv-orders.ts';
import { gate, tokenOf } from '../rig/gate.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, configOf } from '../rig/profile.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

const secretOf = (way: string) => `${SECRET}-${way}`;
const BY_URL = '--token-url /oauth/token --client-header X-Id=@env:CLIENT --client-header X-Key=@client.txt';

/** How the profile of each name gets its credential; the secret is what stdin has. */
const WAYS: Readonly<Record<string, string[]>> = {
  stdin: ['--token-stdin'],
  wrong: ['--token-stdin'],
  headerEnv: ['--header', 'Authorization=@env:AUTH'],
  headerFile: ['--header', 'Authorization=@auth.txt'],
  headerStdin: ['--header', 'Authorization=@-'],
  printed: ['--token-command', `'${process.execPath}' print.js`],
  url: BY_URL.split(' '),
};
const RIGHT = Object.keys(WAYS).filter(way => way !== 'wrong');

const HOOK = 'webhook create --url https://shop.example/hook --event shipment.status.updated';

/** A rig with a profile for each way of giving a credential, for its emulator or for another service. */
async function planted(elsewhere?: string): Promise<Rig> {
  const rig = await bareRig({
    // What a service repeats of a secret is masked in the journal.
    journalLost: elsewhere !== undefined,
    tokens: new Map([...RIGHT, 'env', 'new'].map(way => [secretOf(way), 'all'])),
    env: {
      AUTH: `Bearer ${secretOf('headerEnv')}`,
      CLIENT: secretOf('client'),
      HTTPS_PROXY: `http://me:${secretOf('proxy')}@127.0.0.1:1`,
    },
    files: {
      'auth.txt': `Bearer ${secretOf('headerFile')}\n`,
      'client.txt': secretOf('clientFile'),
      'print.js': `console.log('${secretOf('printed')}')`,
      'order.json': SHIPMENT,
      'open.json': UNDECIDED,
      'dual.json': DUAL,
    },
  });
  const temporary = join(rig.folder, 'tmp');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  const tokens = elsewhere ?? (await gate()).address;
  for (const [way, flags] of Object.entries(WAYS)) {
    const base = way === 'url' ? tokens : (elsewhere ?? rig.address);
    const stdin = `${way === 'headerStdin' ? 'Bearer ' : ''}${secretOf(way)}\n`;
    const ran = await rig.run(['profile', 'add', way, '--verbose', '--base-url', base, ...flags], { stdin });
    expect([ran.exitCode, ran.stderr]).toEqual([0, ran.stderr]);
  }
  return rig;
}

afterEach(() => vi.unstubAllEnvs());

test('a secret is only in the config, however it is given and used', async () => {
  const rig = await planted();
  const formats = FORMAT_NAMES.filter(name => name !== 'record');
  for (const [turn, way] of Object.keys(WAYS).entries()) {
    const profile = `--profile ${way} --verbose`;
    for (const [index, about] of ['show', 'whoami', 'export', 'test'].entries())
      await rig.run(`profile ${about} -o ${formats[(turn + index) % formats.length]} ${profile}`);
    const booked = await rig.run(`ship -f order.json --key ${way} ${profile}`);
    expect(booked.exitCode).toBe(way === 'wrong' ? 3 : 0);
    for (const again of [`ship -f order.json --key ${way}`, 'ship -f order.json --dry-run', 'track gone'])
      await rig.run(`${again} --json ${profile}`);
  }
  expect(statSync(configOf(rig)).mode & 0o777).toBe(0o600);
  // It has those that were saved and the one that was fetched.
  const config = readFileSync(configOf(rig), 'utf8');
  for (const saved of [secretOf('stdin'), secretOf('headerStdin'), tokenOf(0)])
    expect(config).toContain(saved);
  for (const named of ['headerEnv', 'headerFile', 'printed', 'client'])
    expect(config).not.toContain(`${secretOf(named)}"`);
});

// Any other use of such a token is in every test: it is that of the rig.
test('no header of the environment is shown, whatever its name and its scheme', async () => {
  const rig = await planted();
  for (const [header, scheme] of [
    ['authorization', 'Bearer'],
    ['x-shop', '0'],
    ['cookie', 'Token'],
  ] as const) {
    const form = { WAYBILL_AUTH_HEADER: header, WAYBILL_AUTH_SCHEME: scheme, WAYBILL_DEBUG: '1' };
    const env = { WAYBILL_BASE_URL: rig.address, WAYBILL_TOKEN: secretOf('env'), ...form };
    expect((await rig.run('track gone', { env })).stderr).toMatch(/^> GET .*^< 40[14]/ms);
  }
});

test('no secret is shown if a service repeats the whole request, in every kind of failure', async () => {
  let status = 0;
  const { url } = await rawServer((socket, request) => {
    const body = JSON.stringify({ message: `not like this: ${request}`, got: request.split('\r\n') });
    const page = `<html><title>${request.replaceAll('\r\n', ' ')}</title></html>`;
    socket.write(http(status, request.startsWith('GET') ? page : body));
  });
  const rig = await planted(url.origin);
  for (status of [200, 302, 400, 401, 500])
    for (const way of ['stdin', 'headerFile', 'printed', 'url']) {
      const rest = `--profile ${way} --verbose --retries 0`;
      const ship = `ship -f order.json --allow-duplicate --key ${way}-${status} --json`;
      for (const command of ['track gone', ship])
        expect((await rig.run(`${command} ${rest}`)).exitCode).not.toBe(0);
      await rig.run(`history show ${way}-${status} --json ${rest}`);
    }
});

const BEFORE = ['', 'a', 'ab'];

/** What a service may make of a credential that it repeats. */
const repeated = (secret: string) => ({
  message: `you are ${secret}.`,
  upper: secret.toUpperCase(),
  url: `/?token=${encodeURIComponent(secret)}`,
  page: `<b title="${secret}">`,
  [`name ${secret}`]: 'a name',
  nested: JSON.stringify({ got: `"${secret}"` }),
  list: [secret, [{ deep: secret }]],
  base64: BEFORE.map(before => Buffer.from(`${before}${secret} and more`).toString('base64')),
  base64url: BEFORE.map(before => Buffer.from(before + secret).toString('base64url')),
  basic: `Basic ${Buffer.from(`me:${secret.replace('Bearer ', '')}`).toString('base64')}`,
});

/** The parts of a secret in base64, after so many other bytes, that have its own bits alone. */
const IN_BASE64 = BEFORE.map(before =>
  Buffer.from(before + SECRET)
    .toString('base64url')
    .slice(4, -4),
);

/** Where a part of a credential is that was sent, in any of those ways. */
const traces = (text: string): string[] => [
  ...(text.toLowerCase().includes(SECRET) ? [SECRET] : []),
  ...IN_BASE64.filter(part => text.includes(part)),
];

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
    const link = `${url.origin}/labels/1.pdf?token=${token}`;
    const carrier = { id: 'EXP', name: token, price: 9, currency: 'EUR' };
    const isOurs = got.has(`Bearer ${path.split('token=')[1]}`);
    count += 1;
    const answers: [path: RegExp, status: number, body: object][] = [
      [
        /^POST .*carriers\/create$/,
        200,
        { international: { success: true, trackingNumber: 'T-1', label: link } },
      ],
      [/^POST .*subscriptions$/, 201, { data: { id: 'W-1', secret: 'new-secret-1', token: 'new-token-1' } }],
      [/^POST .*proposal$/, 201, { chargeableWeight: 5, proposals: [{ ...carrier, isValid: true }] }],
      [/^POST/, 201, { id: `S-${count}`, carrier }],
      [/^GET/, 200, { id: path.replace(/.*\//, ''), status: [{ status: token }] }],
    ];
    const [, status = 0, body] = answers.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? [];
    if (path.endsWith('/oauth/token'))
      socket.write(http(200, `{"access_token":"${tokenOf(0)}","expires_in":900}`));
    else if (path.startsWith('/labels/'))
      socket.write(isOurs ? http(200, '%PDF-1.7\n1\n%%EOF\n') : http(404));
    else socket.write(http(status, JSON.stringify({ ...body, told }), { 'x-told': [...got].join() }));
  });
  return { address: url.origin, forget: () => got.clear() };
}

/** No file of a rig but those of the test and the config has a trace. */
const expectNoTraces = ({ folder }: Rig) => {
  for (const name of ['state/journal.db', 'state/journal.db-wal', 'log.jsonl'])
    expect([name, traces(readFileSync(join(folder, name), 'latin1'))]).toEqual([name, []]);
};

test('no secret is shown or written if a service repeats it in answers that are well', async () => {
  const { address, forget } = await repeatingService();
  const rig = await planted(address);
  for (const [index, way] of RIGHT.entries()) {
    forget();
    const orders = [1, 2].map(weight => ({ ...SHIPMENT, key: `${way}-${weight}`, chargeableWeight: weight }));
    rig.file(`${way}.jsonl`, orders.map(one => JSON.stringify(one)).join('\n'));
    const commands = [
      'quote --from TR --to DE --package 1kg@30x20x10 --verbose',
      `ship -f order.json --key A-${way} --allow-duplicate --label --download labels --verbose`,
      `ship -f open.json --key B-${way} --allow-duplicate --carrier cheapest --log log.jsonl`,
      `batch ship ${way}.jsonl --results ${way}.results.jsonl`,
      `label --international L-${way} --download labels`,
      'track S-1 --verbose',
      `history show A-${way}`,
    ];
    for (const format of ['json', ['table', 'jsonl', 'csv', 'text'][index % 4]])
      for (const command of commands) {
        const { exitCode, stdout, stderr } = await rig.run(`${command} -o ${format} --profile ${way}`);
        expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr });
        expect({ command, traces: traces(stdout + stderr) }).toEqual({ command, traces: [] });
      }
  }
  expectNoTraces(rig);
});

test('a new subscription keeps its own secret and token in an answer that repeats the credential', async () => {
  const rig = await planted((await repeatingService()).address);
  const { stdout, stderr } = await rig.run(`${HOOK} --key W --json --profile stdin --log log.jsonl`);
  const { data, told } = JSON.parse(stdout);
  expect(data).toMatchObject({ secret: 'new-secret-1', token: 'new-token-1' });
  expect(traces(JSON.stringify(told) + stderr)).toEqual([]);
  const shown = await rig.run('history show W --show-secret --json --profile stdin');
  expect(shown.stdout).toContain('new-secret-1');
  expect(traces(shown.stdout + shown.stderr)).toEqual([]);
  expectNoTraces(rig);
});

test.each(['\u001b', '\u200b', '\u202e', '\u00ad'])(
  'no secret is shown or written if a service puts %j into it, which is removed later',
  async sign => {
    const { url } = await rawServer((socket, request) => {
      const token = /^authorization: Bearer (\S+)/im.exec(request)?.[1] ?? '';
      const message = `bad token ${token.slice(0, 10)}${sign}${token.slice(10)}\u0007\u009b\u202e`;
      socket.write(http(422, JSON.stringify({ message })));
    });
    const rig = await planted(url.origin);
    rig.file('orders.csv', csv(`${COLUMNS},_note`, `${row('K1')},=1+1`));
    rig.file('sender.json', UNDECIDED.sender);
    rig.file('orders.jsonl', JSON.stringify({ ...SHIPMENT, key: 'K2' }));
    const files: Record<string, string> = {};
    for (const format of ['csv', 'jsonl']) {
      const names = `--results ${format}.results.csv --failed ${format}.failed.${format}`;
      const flags = format === 'csv' ? `${FLAGS} --carrier EXP ` : '';
      await rig.run(`batch ship orders.${format} ${flags}${names} --profile stdin --verbose`);
      for (const name of [`${format}.results.csv`, `${format}.failed.${format}`])
        files[name] = readFileSync(join(rig.folder, name), 'utf8');
    }
    for (const command of [
      'ship -f order.json --key A --verbose',
      'history show A',
      'history show A --json',
    ]) {
      const { stdout, stderr } = await rig.run(`${command} --profile stdin`);
      files[command] = stdout + stderr;
    }
    for (const [name, text] of Object.entries(files)) {
      expect([name, text]).toEqual([name, expect.stringContaining('bad token ••••')]);
      expect([name, text]).toEqual([name, expect.not.stringMatching(/[\u0007\u001b\u009b\u202e\u200b]/)]);
    }
    expect(files['csv.failed.csv']).toMatch(/bad token ••••,rec_\w+,K1,.*,=1\+1\n$/);
  },
);

test('an internal error with its trace shows no secret', async () => {
  const rig = await planted();
  const broken = vi.spyOn(URL.prototype, 'pathname', 'set').mockImplementation(() => {
    throw new TypeError('a thing is not a function');
  });
  onTestFinished(() => broken.mockRestore());
  for (const way of Object.keys(WAYS))
    for (const format of ['--verbose', '--json']) {
      const ran = await rig.run(`track gone --profile ${way} ${format}`, { may: ['defect'] });
      expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringContaining('internal error')]);
    }
});
