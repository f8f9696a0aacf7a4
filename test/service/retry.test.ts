// When a request is sent again, and after which wait: through commands against a service that answers as scripted. That no
// booking is sent again where it may have arrived is in test/order/wire-table.ts.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type RunOptions } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, type Reply, rawServer, script } from '../rig/sockets.ts';

const READ = 'track S-1';
const SHIP = 'ship -f -';
const WELL = http(200, '{"id":"S-1","status":[]}');

/** Runs a command against a service with these answers. */
async function against(answers: (string | Reply)[], argv: string, options: RunOptions = {}) {
  const server = await rawServer(script(...answers));
  const rig = await createRig({ env: { WAYBILL_BASE_URL: server.url.origin } });
  const ran = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT), ...options });
  return { ...ran, arrived: server.requests };
}

const reset: Reply = socket => void socket.resetAndDestroy();
const cut: Reply = socket => void socket.end('HTTP/1.1 201 Created\r\ncontent-length: 90\r\n\r\n{"id"');

test('a read waits longer each time, with a part of chance, and at most 20 s', async () => {
  const { waits, arrived } = await against([http(503), reset, cut, http(599)], `${READ} --retries 8`);
  expect(arrived).toHaveLength(9);
  for (const [index, most] of [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
    expect(waits[index]).toBeLessThanOrEqual(most);
  }
});

test('a booking that the service did not process (429) is sent again, each on a connection of its own', async () => {
  const { exitCode, arrived } = await against([http(429), http(429), WELL], SHIP);
  expect([exitCode, arrived.length]).toEqual([0, 3]);
  for (const request of arrived) expect(request).toMatch(/^connection: close$/im);
});

const GHOST = '{"id":"ghost1","carrier":{"id":"EXP"}}';

test('a label that waits (429) may name its shipment, and is sent again', async () => {
  const ran = await against([http(429, '{"shipmentId":"S-1"}'), http(422)], 'label --international S-1');
  expect([ran.exitCode, ran.arrived.length]).toEqual([5, 2]);
});

/** Each with the least and the most that is waited, in ms. */
const ASKED: [header: string, least: number, most: number][] = [
  ['1', 1000, 1000],
  [' 2.5 ', 2500, 2500],
  ['60', 60_000, 60_000],
  ['Mon, 02 Mar 2026 09:00:09 GMT', 9000, 9000],
  ['Monday, 02-Mar-26 09:00:09 GMT', 9000, 9000],
  // As long as we would have waited ourselves: it is shorter than that, nonsense, or past.
  ...['0', '0.01', '-5', '', 'soon', 'in 2099', '1e9', '0x10', '3, 5', 'Mon, 02 Mar 2026 08:59:00 GMT'].map(
    (header): [string, number, number] => [header, 250, 500],
  ),
];

test.each(ASKED)(
  'Retry-After: %s is a wait of %i to %i ms, for a booking and a read',
  async (header, least, most) => {
    for (const argv of [SHIP, READ]) {
      const ran = await against([http(429, '', { 'retry-after': header }), WELL], argv);
      expect([ran.exitCode, ran.arrived.length, ran.waits.length]).toEqual([0, 2, 1]);
      expect(ran.waits[0]).toBeGreaterThanOrEqual(least);
      expect(ran.waits[0]).toBeLessThanOrEqual(most);
    }
  },
);

test.each([
  ['61', 'wait 61 s (waybill waits at most 60 s)'],
  ['9'.repeat(400), 'more than a year'],
  ['Tue, 02 Mar 2027 09:00:00 GMT', 'until 2027-03-02T09:00:00'],
])('Retry-After: %s is longer than the limit: the answer is given at once', async (header, says) => {
  for (const argv of [SHIP, READ]) {
    const ran = await against([http(429, '', { 'retry-after': header }), WELL], argv);
    expect([ran.exitCode, ran.arrived.length, ran.waits]).toEqual([6, 1, []]);
    expect(ran.stderr).toContain(says);
  }
});

test('a request names its client, and asks for plain JSON', async () => {
  const { arrived } = await against([WELL], SHIP);
  for (const line of ['user-agent: waybill/', 'accept: application/json', 'accept-encoding: identity'])
    expect(arrived[0]).toContain(`\r\n${line}`);
});

test('an interruption ends the wait: a read is interrupted, and a booking was refused', async () => {
  for (const argv of [READ, `${SHIP} --key K`]) {
    const ran = await against([http(429, '{"message":"slow down"}')], argv, {
      onWait: ({ interrupt }) => interrupt('SIGINT'),
    });
    expect([ran.exitCode, ran.arrived.length]).toEqual([argv === READ ? 130 : 6, 1]);
  }
});

/** The same with a token in a file, which another program renews after the first answer. */
async function renewing(answers: (string | Reply)[], argv: string) {
  const rig = await createRig({ files: { token: 'old' } });
  const reply = script(...answers);
  const server = await rawServer((socket, request, index) => {
    rig.file('token', `new-${index}`);
    reply(socket, request, index);
  });
  const env = {
    WAYBILL_BASE_URL: server.url.origin,
    WAYBILL_TOKEN: '',
    WAYBILL_TOKEN_FILE: join(rig.folder, 'token'),
  };
  const ran = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT), env });
  return { ...ran, arrived: server.requests.length };
}

test('a booking that loses its answer after its token was renewed may exist, and is not sent again', async () => {
  for (const lost of [reset, cut])
    expect(await renewing([http(401), lost, WELL], `${SHIP} --key K`)).toMatchObject({
      exitCode: 8,
      arrived: 2,
    });
});

test('a booking whose 401 names an id is not sent again with a renewed token', async () => {
  for (const answers of [[http(401, GHOST)], [http(401), http(429, GHOST)], [http(429), http(401, GHOST)]])
    expect(await renewing([...answers, WELL], `${SHIP} --key K`)).toMatchObject({
      exitCode: 8,
      arrived: answers.length,
    });
});
