// Every answer to every booking, crossed with every way in which the wire can fail. The truth of what was sent is a raw
// socket's count of complete requests.
import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../commands/service.ts';
import { certificate } from '../http/certificate.ts';
import { type Raw, type RawOptions, type Reply, rawServer, unusedPort } from '../http/raw.ts';
import { createRig } from '../rig.ts';
import { BOOKINGS, type BookingRow, type End, endOf, notSent, unknown, WIRES } from './wire-table.ts';

/** Books twice at that address; both tries and the journal must be as the row says. */
async function expectEnd(
  { argv, request }: BookingRow,
  address: string,
  end: End,
  arrived: () => number,
  patience = Number.POSITIVE_INFINITY,
): Promise<void> {
  const rig = await createRig({ env: { WAYBILL_BASE_URL: address } });
  const options = { stdin: JSON.stringify(request), patience };
  const booked = () => rig.run(`${argv} --json --retries 0`, options);
  const first = await booked();
  const requests = arrived();
  const [latest] = JSON.parse((await rig.run('history list --json')).stdout);
  expect({
    exit: first.exitCode,
    code: first.exitCode === 0 ? null : errorOf(first).code,
    state: latest.state,
    requests,
  }).toEqual({
    exit: end.exit,
    code: end.code,
    state: end.state,
    requests: end.state === 'not_sent' ? 0 : 1,
  });
  // What was made is shown, whatever else went wrong; what was not is not made up.
  if (end.state === 'created' || end.state === 'partial') expect(first.stdout).not.toBe('');
  else expect(first.stdout).toBe('');

  const again = await booked();
  expect({ exit: again.exitCode, requests: arrived() - requests }).toEqual({
    exit: end.exit,
    requests: end.again,
  });
}

const service = async (reply: Reply, options?: RawOptions): Promise<[string, () => number, Raw]> => {
  const raw = await rawServer(reply, options);
  return [raw.url.href, () => raw.requests.length, raw];
};

/** How long silence is listened to, in ms; everything else has its time. */
const SHORT = 25;

const CROSSED = BOOKINGS.flatMap(booking =>
  booking.answers.flatMap(answer =>
    WIRES.map(wire => ({ name: `${booking.argv}: ${answer.says}, ${wire.says}`, booking, answer, wire })),
  ),
);

test.each(CROSSED)('$name', async ({ booking, answer, wire }) => {
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const [address, arrived] = await service(socket => wire.send(socket, answer.status, body));
  await expectEnd(booking, address, endOf(answer, wire), arrived);
});

describe.each(BOOKINGS)('$argv, whatever would be answered', booking => {
  const reset: Reply = socket => void socket.resetAndDestroy();

  test('before the connection: nobody listens', async () => {
    await expectEnd(booking, `http://127.0.0.1:${await unusedPort()}`, notSent, () => 0);
  });

  test('before the connection: there is no such host', async () => {
    await expectEnd(booking, 'https://no-such-host.invalid', notSent, () => 0);
  });

  test.each<[string, (socket: net.Socket) => void, number?]>([
    ['reset', socket => void socket.resetAndDestroy()],
    ['silence', () => {}, SHORT],
    ['something that is no TLS', socket => void socket.end('HTTP/1.1 400 No\r\n\r\n')],
  ])('during TLS: %s', async (_, onConnection, patience) => {
    const [, , { port, requests }] = await service(() => {}, { onConnection });
    await expectEnd(
      booking,
      `https://127.0.0.1:${port}`,
      notSent,
      () => requests.filter(request => request.startsWith('POST')).length,
      patience,
    );
  });

  test.skipIf(certificate === undefined)('during TLS: a certificate that nobody vouches for', async () => {
    const [address, arrived] = await service(reset, { secure: certificate ?? {} });
    await expectEnd(booking, address, notSent, arrived);
  });

  test.each<[string, Reply, number?]>([
    ['reset', reset],
    ['closed', socket => void socket.end()],
    ['silence', () => {}, SHORT],
    ['half a status line', socket => void socket.end('HTTP/1.1 2')],
    ['something that is no HTTP', socket => void socket.end('yes, booked\r\n\r\n')],
  ])('after the request: %s', async (_, reply, patience) => {
    const [address, arrived] = await service(reply);
    await expectEnd(booking, address, unknown, arrived, patience);
  });
});
