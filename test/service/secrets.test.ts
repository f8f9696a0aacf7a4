// Secrets are given in every possible way, and commands run that use them. Each is made of `SECRET`, which the rig looks for
// in all that a command shows, and in each file that it writes but for the config, which only its user can read.

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { FORMAT_NAMES } from '../../src/text.ts';
import type { Rig } from '../rig/command.ts';
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

/** Books, labels, answers everything that is asked, and repeats in each answer all credentials that it got since `forget`. */
async function repeatingService() {
  const told = new Set<string>();
  let count = 0;
  const { url } = await rawServer((socket, request) => {
    const [method, path = ''] = request.split(' ', 2);
    for (const [, value = ''] of request.matchAll(/^(?:authorization|x-id|x-key): (.*)\r$/gim))
      told.add(value);
    const token = request.match(/^authorization: Bearer (\S+)/im)?.[1];
    const label = `${url.origin}/labels/1.pdf?token=${token}`;
    const carrier = { id: 'EXP', name: token, price: 9, currency: 'EUR' };
    count += 1;
    const answers: [path: RegExp, body: object][] = [
      [/^POST .*oauth.token$/, { access_token: tokenOf(0), expires_in: 900 }],
      [/^POST .*carriers.create$/, { international: { success: true, trackingNumber: 'T-1', label } }],
      [/^POST .*proposal$/, { chargeableWeight: 5, proposals: [{ ...carrier, isValid: true }] }],
      [/^POST/, { id: `S-${count}`, carrier }],
      [/^GET/, { id: path.replace(/.*\//, ''), status: [{ status: token }] }],
    ];
    const [, body] = answers.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? [];
    if (path.startsWith('/labels/'))
      socket.write(
        told.has(`Bearer ${path.split('token=')[1]}`) ? http(200, '%PDF-1.7\n1\n%%EOF\n') : http(404),
      );
    else
      socket.write(http(200, JSON.stringify({ ...body, told: [...told] }), { 'x-told': [...told].join() }));
  });
  return { address: url.origin, forget: () => told.clear() };
}

// In which forms a service may repeat a credential is in test/mask.test.ts.
test('no secret is shown or written if a service repeats it in answers that are well', async () => {
  const { address, forget } = await repeatingService();
  const rig = await planted(address);
  for (const [index, way] of RIGHT.entries()) {
    forget();
    const orders = [1, 2].map(weight => ({ ...SHIPMENT, key: `${way}-${weight}`, chargeableWeight: weight }));
    rig.file(`${way}.jsonl`, orders.map(one => JSON.stringify(one)).join('\n'));
    const format = ['json', 'table', 'jsonl', 'csv', 'text'][index % 5];
    for (const command of [
      'quote --from TR --to DE --package 1kg@30x20x10 --verbose',
      `ship -f order.json --key A-${way} --allow-duplicate --label --download labels --verbose`,
      `ship -f open.json --key B-${way} --allow-duplicate --carrier cheapest --log log.jsonl`,
      `batch ship ${way}.jsonl --results ${way}.results.jsonl`,
      `label --international L-${way} --download labels`,
      'track S-1 --verbose',
      `history show A-${way}`,
    ]) {
      const { exitCode, stderr } = await rig.run(`${command} -o ${format} --profile ${way}`);
      expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 0, stderr });
    }
  }
  for (const name of ['state/journal.db', 'state/journal.db-wal', 'log.jsonl'])
    expect(readFileSync(join(rig.folder, name), 'latin1')).not.toContain(SECRET);
});

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
