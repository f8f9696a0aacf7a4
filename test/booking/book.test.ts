import { expect, test } from 'vitest';
import { failureOf } from '../../src/booking/failure.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { rigClient } from '../rig/client.ts';
import { bookIn, intentOf } from '../rig/journal.ts';
import { http, type Reply, script } from '../rig/sockets.ts';
import { BOOKINGS, GOOD } from './answers.ts';

test.each(BOOKINGS.map(operation => [operation.id, operation] as const))(
  '%s is booked by one request',
  async (id, operation) => {
    const { request: body, status, body: answer } = GOOD[id] ?? { request: {}, status: 0, body: {} };
    const { client, server } = await rigClient(script(http(status, JSON.stringify(answer))));
    const booked = await bookIn({ operation, intent: intentOf(operation, { request: body }) }, client);
    expect(booked.outcome.state).toBe('created');
    expect(failureOf(operation, booked)).toBeUndefined();
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toContain(`${operation.method} ${operation.path} HTTP/1.1`);
    expect(server.requests[0]).toContain(JSON.stringify(body));
  },
);

const reset: Reply = socket => void socket.resetAndDestroy();
const half: Reply = socket => void socket.end('HTTP/1.1 201 Created\r\ncontent-length: 90\r\n\r\n{"id"');

test.each([
  ['reset', reset],
  ['500', http(500)],
  ['408', http(408)],
  ['302', http(302, '', { location: 'http://127.0.0.1:1/' })],
  ['half an answer', half],
  ['HTML', http(200, '<html>')],
  ['nothing in a 201', http(201)],
])(
  'a booking that gets %s is unknown, was sent once, and warns against booking it again',
  async (_, answer) => {
    for (const operation of BOOKINGS) {
      const { client, server } = await rigClient(script(answer));
      const booked = await bookIn({ operation, intent: intentOf(operation) }, client);
      const failure = failureOf(operation, booked);
      expect(failure).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
      expect(failure?.message).toMatch(/may exist/i);
      expect(failure?.message).toContain(`else \`waybill history resolve ${booked.id}\``);
      expect(failure?.message).not.toMatch(/nothing was (sent|created)/);
      expect(server.requests).toHaveLength(1);
    }
  },
);

test('a rejected booking says that nothing was created, with the message and issues of the service', async () => {
  const answer = { message: 'Not valid', errors: [{ path: 'receiver.phone', message: 'is short' }] };
  const { client } = await rigClient(script(http(422, JSON.stringify(answer))));
  const operation = OPERATIONS.createShipment;
  const issues = [{ path: 'receiver.phone', message: 'is short' }];
  const booked = await bookIn({ operation, intent: intentOf(operation) }, client);
  const failure = failureOf(operation, booked);
  expect(failure).toMatchObject({
    code: 'rejected',
    message: 'ship: the service answered 422 (the data is not valid): Not valid; nothing was created',
    facts: { operation: 'ship', httpStatus: 422, issues, body: answer },
  });
});

test('a booking that reaches no server says that it was not sent', async () => {
  const { client, server } = await rigClient(script(http(201)), { base: new URL('http://127.0.0.1:1/') });
  const operation = OPERATIONS.createShipment;
  const booked = await bookIn({ operation, intent: intentOf(operation) }, client);
  const failure = failureOf(operation, booked);
  expect(failure).toMatchObject({ code: 'unavailable', exitCode: 7 });
  expect(failure?.message).toBe('ship: nothing was sent: connection refused (127.0.0.1:1)');
  expect(server.requests).toEqual([]);
});
