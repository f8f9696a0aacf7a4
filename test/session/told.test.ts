// What is said of bookings, requests and retries on stderr. With JSON each booking has a line there, so that a script knows
// what was sent and where its label is.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { valuesIn } from '../rig/outputs.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

const stdin = JSON.stringify(SHIPMENT);

/** The lines about bookings, in their order. */
const bookings = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr
    .split('\n')
    .filter(line => line.startsWith('{"booking":'))
    .map(line => JSON.parse(line).booking);

test('A booking has a line with these fields, and its recorded answer too, which was not sent', async () => {
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
