// The rules that each run of a command is held to can be broken.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { misadvised } from './advice.ts';
import { createRig } from './command.ts';
import { Ledger } from './ledger.ts';
import { breachesOf, filesWith, type Run, SECRET, secretsIn } from './oracles.ts';
import { SHIPMENT, switchable } from './service.ts';
import { repeated, unseen } from './sockets.ts';
import type { Sent } from './traffic.ts';

const GOOD: Run = { exitCode: 0, stdout: '', stderr: '', words: ['ship', '-f', 'order.json'] };

const sent = (more: Partial<Sent>): Sent => ({
  line: 'POST /v1/shipments',
  body: '{}',
  isEncrypted: false,
  answer: [],
  isComplete: true,
  ...more,
});

test.each<[string, Partial<Run>]>([
  ['a control character', { stdout: 'red: \x1b[31m' }],
  ['a control character', { stderr: 'a bell\x07', isDrawn: true }],
  ['a secret', { stdout: `Bearer ${SECRET}` }],
  ['a secret', { stderr: 'the token hunter-2222', secrets: ['hunter-2222'] }],
  ['a defect', { stderr: 'error: internal error: a thing is not a function' }],
  ['a defect', { stderr: 'TypeError\n    at main (/x/main.cjs:1:2)\n' }],
  ['a defect', { exitCode: 1 }],
  ['a word', { stdout: 'for undefined' }],
  ['a word', { stderr: 'costs NaN EUR' }],
  ['exit 2, and something was sent', { exitCode: 2, sent: [sent({ line: 'GET /v1/shipments/S-1' })] }],
  ['exit 2, and something was sent', { exitCode: 2, sent: [sent({})], may: ['reads'] }],
  [
    'nothing was sent, but it was',
    { exitCode: 10, sent: [sent({})], stderr: 'error: a; nothing was\n  sent. b' },
  ],
  ['exit 8 without a booking', { exitCode: 8, stderr: 'error: ship: no answer came' }],
])('%s is found: %j', (rule, run) => {
  expect(breachesOf({ ...GOOD, ...run })).toEqual([expect.stringContaining(`${rule}: `)]);
});

test.each([
  ['`waybill ship --no-such`', "unknown option '--no-such'"],
  ['`waybill history import`', "missing required argument 'file'"],
  ['`waybill history resolve A --created S-1 --not-created`', 'cannot be used with'],
  ['`waybill history cancelled A`', 'give --reason TEXT'],
  ['`waybill history resolve A --domestic S-1`', '--domestic goes with --created'],
  ['Next:\n  waybill nothing', "unknown command 'nothing'"],
  ['it exists: waybill label --nothing', "unknown option '--nothing'"],
  ['{"error":{"next":[["waybill","track","--nothing"]]}}', "unknown option '--nothing'"],
])('a message that names a command which fails as typed is found: %s', async (stderr, fault) => {
  expect(await misadvised({ stdout: '', stderr })).toEqual([expect.stringContaining(fault)]);
});

test('names in capitals stand for values, and what follows a command in a shell is none of it', async () => {
  const stderr =
    "`waybill history list --state unknown --limit N -o csv > 'a b.csv'`, `waybill help TOPIC` or `waybill history resolve REF`";
  expect(await misadvised({ stdout: '', stderr })).toEqual([]);
});

test('exit 2 after a 429 is no breach: another command has booked the order while this one waited', () => {
  const run = { exitCode: 2, sent: [sent({ status: 429 })], stderr: 'error: ship: an order was booked' };
  expect(breachesOf({ ...GOOD, ...run })).toEqual([]);
  expect(breachesOf({ ...GOOD, ...run, stderr: 'error: a; nothing was sent' })).toEqual([
    expect.stringContaining('nothing was sent, but it was: '),
  ]);
});

test('secrets are those of the environment and of the profiles, and files that have one are found', async () => {
  const rig = await createRig();
  await rig.run(`profile add shop --base-url ${rig.address} --token-stdin`, { stdin: 'hunter-2222' });
  const env = { WAYBILL_CONFIG_DIR: join(rig.folder, 'config'), PGPASSWORD: 'hunter-3333', PATH: '/usr/bin' };
  const secrets = secretsIn(env);
  expect(secrets).toEqual(['hunter-3333', 'hunter-2222']);
  const note = rig.file('deep/note.txt', 'it is hunter-2222');
  expect(filesWith(secrets, rig.folder, new Set())).toEqual([note]);
  expect(filesWith(secrets, rig.folder, new Set([note]))).toEqual([]);
});

test('what was sent and is not in the journal, or is there in another way, is found', async () => {
  const { turn, ...faults } = switchable('422');
  const rig = await createRig(faults);
  const stdin = JSON.stringify(SHIPMENT);
  const { requests, stdout } = await rig.run('ship -f - --key A --json', { stdin });
  const other = JSON.stringify({ ...SHIPMENT, chargeableWeight: 9 });
  turn('on');
  expect((await rig.run('ship -f - --key B', { stdin: other })).exitCode).toBe(5);

  const found = (...all: Sent[]) => {
    const ledger = new Ledger();
    ledger.add(all, { WAYBILL_STATE_DIR: join(rig.folder, 'state') });
    return ledger.disagreements();
  };
  const { body = '' } = requests[0] ?? {};
  const booked = sent({ body, status: 201, answer: [Buffer.from(stdout)] });
  expect(await found(booked)).toEqual([]);
  expect(await found(sent({ ...booked, status: 429 }), booked)).toEqual([]);
  for (const [all, what] of [
    [[sent({ body: '{"other":1}', status: 201 })], 'has 0 bookings () for POST'],
    [[booked, booked], 'has 1 bookings (created) for POST'],
    [[sent({ ...booked, answer: [Buffer.from('{"id":"lost"}')] })], 'has no answer {"id":"lost"}'],
    [[sent({ body: other, status: 500 })], 'denies (rejected) what may exist'],
    [[sent({ body: other, isComplete: false })], 'denies (rejected) what may exist'],
  ] as const)
    expect(await found(...all)).toEqual([expect.stringContaining(what)]);
  // What a pruned booking sent, nobody can tell any more: it may be the second one of these, and not the third one.
  turn('off');
  expect((await rig.run('ship -f - --key C', { stdin })).exitCode).toBe(0);
  expect((await rig.run('history prune C --yes')).exitCode).toBe(0);
  expect(await found(booked, booked)).toEqual([]);
  expect(await found(booked, booked, booked)).toEqual([
    expect.stringContaining('has 2 bookings (created,created)'),
  ]);
});

test('a question without an answer in the test fails the test', async () => {
  const rig = await createRig();
  await expect(rig.run('ship', { terminal: true })).rejects.toThrow(
    'a question that the test did not answer',
  );
});

const booking = { line: 'POST /v1/shipments', body: '{}' };

test('a repeated booking is named, unless its first answer was a 429', () => {
  expect(repeated([booking, { ...booking, status: 201 }])).toEqual(['POST /v1/shipments {}']);
  expect(repeated([{ ...booking, status: 429 }, booking])).toEqual([]);
  expect(repeated([booking, { ...booking, body: '[]' }])).toEqual([]);
  const read = { line: 'POST /v1/carriers/proposal', body: '{}' };
  expect(repeated([read, read])).toEqual([]);
});

test('each request that the witness did not record is named', () => {
  const told = { method: 'POST', path: '/v1/shipments', body: '{}' };
  expect(unseen([told], [booking])).toEqual([]);
  expect(unseen([told, told], [booking])).toEqual(['POST /v1/shipments {}']);
});
