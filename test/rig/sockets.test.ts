// The witness changes nothing and records what arrived.
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { http, type Reply, rawServer, repeated, unseen, witnessOf } from './sockets.ts';

const REQUEST = 'POST /v1/shipments HTTP/1.1\r\ncontent-length: 4\r\n\r\n"ü"';

/** Sends a text to a service behind the witness. Gives the answer, the end of the connection, and what the witness recorded. */
async function through(text: string, reply: Reply) {
  const { url, requests } = await rawServer(reply);
  const witness = await witnessOf(url);
  onTestFinished(() => witness.close());
  const socket = net.connect(Number(new URL(witness.address).port), '127.0.0.1');
  let came = '';
  let ending = 'closed';
  socket.on('data', chunk => {
    came += chunk;
  });
  socket.on('error', error => {
    ending = 'code' in error ? String(error.code) : error.message;
  });
  socket.end(text);
  await new Promise(resolve => socket.on('close', resolve));
  return { came, ending, passed: witness.passed, requests };
}

test('the witness passes and records a request and its answer byte for byte', async () => {
  const whole = await through(REQUEST, socket => void socket.end(http(201, '{}')));
  expect(whole).toMatchObject({ came: http(201, '{}'), ending: 'closed' });
  expect(whole.passed).toEqual([{ line: 'POST /v1/shipments', body: '"ü"', status: 201 }]);
  expect(whole.requests).toHaveLength(1);
});

test('a reset stays a reset, and a truncated answer stays truncated', async () => {
  const reset = await through(REQUEST, socket => void socket.resetAndDestroy());
  expect(reset).toMatchObject({ came: '', ending: 'ECONNRESET' });
  expect(reset.passed).toEqual([{ line: 'POST /v1/shipments', body: '"ü"' }]);
  const half = http(201, '{}').slice(0, -1);
  const cut = await through(REQUEST, socket => void socket.end(half));
  expect(cut).toMatchObject({ came: half, ending: 'closed' });
});

test('an incomplete request is not recorded', async () => {
  const { passed, requests } = await through(REQUEST.slice(0, -1), () => {});
  expect([passed, requests]).toEqual([[], []]);
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
