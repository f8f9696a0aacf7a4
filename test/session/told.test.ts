// What is said of bookings, requests and retries on stderr. With JSON each booking has a line there, so that a script knows
// what was sent and where its label is.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { shop } from '../rig/batch.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { valuesIn } from '../rig/outputs.ts';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

const stdin = JSON.stringify(SHIPMENT);

/** The lines about bookings, in their order. */
const bookings = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr
    .split('\n')
    .filter(line => line.startsWith('{"booking":'))
    .map(line => JSON.parse(line).booking);

test('A booking has a line, and its recorded answer too, which was not sent', async () => {
  const rig = await createRig();
  const ship = 'ship -f - --json --key K --max-price 60EUR --run night --actor anna';
  const first = await rig.run(ship, { stdin });
  const { id } = JSON.parse(first.stdout);
  const line = {
    id: expect.stringMatching(/^bk_/),
    operation: 'ship',
    place: rig.address,
    ...{ sandbox: false, key: 'K', state: 'created', exitCode: 0, sent: true },
    ...{ carrier: 'EXP', price: 52.9, currency: 'EUR', overPrice: false },
    ...{ shipmentIds: [id], trackingNumbers: [], labelFiles: [] },
    ...{ run: 'night', actor: 'anna' },
  };
  expect(bookings(first)).toEqual([line]);
  expect(Object.keys(bookings(first)[0])).toEqual(Object.keys(line));
  const again = await rig.run('ship -f - --json --key K --actor ben', { stdin });
  expect(bookings(again)).toEqual([{ ...line, id: bookings(first)[0].id, sent: false }]);
});

test('ship --label has two bookings, and the label has its file', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - -o jsonl --key K --label --download out', { stdin });
  const [shipment, label] = bookings(ran);
  expect([shipment, label]).toMatchObject([
    { operation: 'ship', labelFiles: [], trackingNumbers: [] },
    {
      ...{ operation: 'label', key: 'K', sent: true, shipmentIds: shipment.shipmentIds },
      ...{ labelFiles: [expect.stringContaining('out/K.pdf')], trackingNumbers: [expect.any(String)] },
    },
  ]);
  const again = await rig.run('label --key K --json', { stdin });
  expect(bookings(again)).toEqual([{ ...label, sent: false }]);
});

test('A pair has one, also when its labels are shown again', async () => {
  const rig = await createRig();
  const pair = await rig.run('ship-dual -f - --json --label --key P', { stdin: JSON.stringify(DUAL) });
  expect(bookings(pair)).toMatchObject([
    { operation: 'ship-dual', sent: true, shipmentIds: [/./, /./].map(any => expect.stringMatching(any)) },
  ]);
  const [{ shipmentIds }] = bookings(pair);
  const label = await rig.run(`label --international ${shipmentIds[0]} --domestic ${shipmentIds[1]} --json`);
  expect(bookings(label)).toEqual([{ ...bookings(pair)[0], sent: false }]);
});

test('A subscription has one, without shipments', async () => {
  const rig = await createRig();
  const argv = 'webhook create --url https://a.example/x --event shipment.status.updated --json';
  expect(bookings(await rig.run(argv))).toMatchObject([{ operation: 'webhook-create', shipmentIds: [] }]);
});

test.each([
  ['reset-after', 8, 'unknown'],
  ['500', 8, 'unknown'],
  ['403', 3, 'rejected'],
] as const)('One that ends in %s has its line before the error', async (kind, exitCode, state) => {
  const rig = await createRig({
    faults: [{ kind: kind === 'reset-after' ? kind : Number(kind), probability: 1 }],
  });
  const ran = await rig.run('ship -f - --json', { stdin });
  expect(ran.exitCode).toBe(exitCode);
  expect(bookings(ran)).toMatchObject([{ state, sent: true, id: errorOf(ran).booking }]);
  expect(ran.stderr.trimEnd().split('\n').at(-2)).toContain('{"booking":');
});

test('People, -q, batches, and what was not sent have none', async () => {
  const rig = await shop([{ ...SHIPMENT, key: 'B' }]);
  const lines = async (argv: string, env = {}) => bookings(await rig.run(argv, { stdin, env }));
  expect(await lines('ship -f - --key A')).toEqual([]);
  expect(await lines('ship -f - --key A --json -q')).toEqual([]);
  expect(await lines('ship -f - --json')).toEqual([]);
  expect(await lines('batch ship orders.jsonl --json')).toEqual([]);
  const nobody = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
  expect(await lines('ship -f - --json --key C', nobody)).toEqual([]);
});

describe('--verbose', () => {
  test('with JSON output has a line for each request and each answer', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --key K --json --verbose', { stdin });
    const [request, response, ...rest] = valuesIn(ran.stderr);
    expect([request, response]).toEqual([
      {
        request: {
          ...{ operation: 'ship', attempt: 1, requestId: null },
          ...{ method: 'POST', url: `${rig.address}/v1/shipments` },
          headers: expect.objectContaining({ authorization: '••••' }),
          body: expect.objectContaining({ type: 'package' }),
        },
      },
      {
        response: {
          ...{ operation: 'ship', attempt: 1, requestId: null },
          ...{ status: 201, sent: true, fault: null },
          headers: expect.objectContaining({ 'content-type': expect.stringContaining('json') }),
          body: JSON.parse(ran.stdout),
        },
      },
    ]);
    expect(rest).toMatchObject([{ booking: { key: 'K' } }]);
  });

  test('says why there is no answer', async () => {
    const rig = await createRig();
    const env = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
    const ran = await rig.run('track gone --json --verbose --retries 1', { env });
    const [, response, retry] = valuesIn(ran.stderr);
    expect(response).toEqual({
      response: {
        ...{ operation: 'track', attempt: 1, requestId: null },
        ...{ status: null, sent: false, fault: 'connection refused (127.0.0.1:1)' },
      },
    });
    expect(retry).toEqual({
      note: 'no answer: connection refused (127.0.0.1:1); trying again in 1 s (attempt 2 of 2)',
    });
  });
});

test('A retry is a line on a terminal, and stays there; after a renewed token it counts the request with that, as the log does', async () => {
  const rig = await createRig({ files: { token: 'old' } });
  const { url } = await rawServer((socket, _, index) => {
    rig.file('token', 'new');
    socket.end(http([401, 503, 404][index] ?? 500, '{}'));
  });
  const env = {
    WAYBILL_BASE_URL: url.origin,
    WAYBILL_TOKEN: '',
    WAYBILL_TOKEN_FILE: join(rig.folder, 'token'),
  };
  const ran = await rig.run('track S-1 --log log.jsonl', { env, terminal: true });
  expect([ran.exitCode, ran.stderr]).toEqual([
    4,
    expect.stringContaining('the service answered 503; trying again in 1 s (attempt 3 of 5)\n'),
  ]);
  const lines = valuesIn(readFileSync(join(rig.folder, 'log.jsonl'), 'utf8')) as LogLine[];
  expect(lines.map(({ event, attempt }) => [event, attempt])).toEqual([
    ['request', 1],
    ['request', 2],
    ['retry', 3],
    ['request', 3],
    ['end', null],
  ]);
});
