// Every response to every booking, combined with failures of the network (with every one in `npm run test:torture`). A raw socket counts the complete requests
// that were sent. A failure before the response has one row for all responses.

import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { certificate } from '../rig/certificates.ts';
import { nextChunk } from '../rig/client.ts';
import { createRig } from '../rig/command.ts';
import { errorOf } from '../rig/service.ts';
import { type Raw, type RawOptions, type Reply, rawServer } from '../rig/sockets.ts';
import { FULL } from '../torture/size.ts';
import {
  BOOKINGS,
  type BookingRow,
  type End,
  endOf,
  halfOf,
  headOf,
  notSent,
  unknown,
  WIRES,
} from './wire-table.ts';

interface Service extends Pick<Raw, 'requests'> {
  url: { href: string };
}

/** Books twice; both attempts and the journal must be as the row expects. */
async function expectEnd(
  { argv, request }: BookingRow,
  { url, requests }: Service,
  end: End,
  patience?: Promise<unknown>,
): Promise<void> {
  const rig = await createRig({ env: { WAYBILL_BASE_URL: url.href } });
  const options = { stdin: JSON.stringify(request), ...(patience && { patience }) };
  const booked = () => rig.run(`${argv} --json`, options);
  const first = await booked();
  const arrived = requests.length;
  const [{ id, state }] = JSON.parse((await rig.run('history list --json')).stdout);
  const error = first.exitCode === 0 ? null : errorOf(first);
  const again = await booked();
  const code = error?.code ?? null;
  expect({ exit: first.exitCode, code, state, arrived, again: requests.length - arrived }).toEqual(end);
  expect(again.exitCode).toBe(end.exit);
  // What was created is shown even if something failed, and nothing else is.
  expect(first.stdout !== '').toBe(end.state === 'created' || end.state === 'partial');
  if (error === null) return;
  expect(error).toMatchObject({ operation: argv.split(' -')[0]?.replace(' ', '-'), booking: id });
  const words = argv.startsWith('label') && end.state === 'rejected' ? 'no label was made' : WORDS[end.state];
  const [, name = id] = /--key (\S+)/.exec(argv) ?? [];
  expect(error.message).toContain(words?.replace('NAME', name) ?? '');
  if (end.state === 'unknown') expect(error.message).not.toMatch(/nothing was (sent|created)/);
}

/** What the message of a booking in that state says. */
const WORDS: Record<string, string> = {
  not_sent: 'nothing was sent',
  rejected: 'nothing was created',
  unknown: '`waybill history resolve NAME`',
};

/** In `npm test` each answer arrives complete, and with one of the other faults in turn. */
const wiresOf = (index: number) =>
  WIRES.filter((_, at) => FULL || at === 0 || at === 1 + (index % (WIRES.length - 1)));

const CROSSED = BOOKINGS.flatMap(booking =>
  booking.answers.flatMap((answer, index) =>
    wiresOf(index).map(wire => ({
      name: `${booking.argv}: ${answer.name}, ${wire.name}`,
      booking,
      answer,
      wire,
    })),
  ),
);

test.each(CROSSED)('$name', async ({ booking, answer, wire }) => {
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const service = await rawServer(socket => wire.send(socket, answer.status, body));
  await expectEnd(booking, service, endOf(answer, wire));
});

describe.each(BOOKINGS)('$argv, before any response', booking => {
  const reset = (socket: net.Socket) => void socket.resetAndDestroy();
  const silence = () => {};

  // A port that was free a moment ago may be in use now; port 1 is not.
  test.each(['http://127.0.0.1:1', 'https://127.0.0.1:1', 'https://no-such-host.invalid'])(
    'before the connection: no server at %s',
    async href => {
      await expectEnd(booking, { url: { href }, requests: [] }, notSent);
    },
  );

  test.each<[string, RawOptions['onConnection'] & {}]>([
    ['reset', reset],
    ['something that is no TLS', socket => void socket.end('HTTP/1.1 400 No\r\n\r\n')],
    ['silence', silence],
  ])('during TLS: %s', async (failure, onConnection) => {
    const { port, requests, connected } = await rawServer(silence, { onConnection });
    const service = { url: { href: `https://127.0.0.1:${port}` }, requests };
    await expectEnd(booking, service, notSent, failure === 'silence' ? connected(1) : undefined);
  });

  test('during TLS: an untrusted certificate', async () => {
    await expectEnd(booking, await rawServer(reset, { secure: certificate }), notSent);
  });

  test('a reset after half of the request', async () => {
    const service = await rawServer(silence, {
      onConnection: socket => void socket.once('data', () => reset(socket)),
    });
    const request = { ...booking.request, ...booking.long };
    await expectEnd({ ...booking, request }, service, { ...unknown, arrived: 0 });
  });

  test.each<[string, Reply]>([
    ['reset', reset],
    ['closed', socket => void socket.end()],
    ['half a status line', socket => void socket.end('HTTP/1.1 2')],
    ['something that is no HTTP', socket => void socket.end('yes, booked\r\n\r\n')],
  ])('after the request: %s', async (_, reply) => {
    await expectEnd(booking, await rawServer(reply), unknown);
  });

  test('no response after the request', async () => {
    const service = await rawServer(silence);
    await expectEnd(booking, service, unknown, service.received(1));
  });

  test.each<[string, Reply]>([
    ['closed after its head', socket => void socket.end(headOf(201, '{"id":"S1"}'))],
    ['closed in the middle of its body', socket => void socket.end(halfOf(201, '{"id":"S1"}'))],
  ])('a 201 that is %s', async (_, reply) => {
    await expectEnd(booking, await rawServer(reply), unknown);
  });

  test('a 201 that stops in the middle of its body', async () => {
    const service = await rawServer(socket => void socket.write(halfOf(201, '{"id":"S1"}')));
    await expectEnd(booking, service, unknown, nextChunk());
  });
});
