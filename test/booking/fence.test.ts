// A process that waits while another one settles its booking: what it sends, and what it says.
import { expect, test } from 'vitest';
import { book } from '../../src/booking/book.ts';
import { failureOf } from '../../src/booking/failure.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { LEASE_MS } from '../../src/journal/leases.ts';
import { rigClient, unanswered } from '../rig/client.ts';
import { booked, ended, journalRig, patient, settle, ship } from '../rig/journal.ts';
import { http, script } from '../rig/sockets.ts';

const operation = OPERATIONS.createShipment;
const intent = ship({ key: 'K' });
const CREATED = http(201, '{"id":"S-9"}');
const SLOW = http(429, '{}');

/** Another process counts the only booking as lost; it settles it, and may book it again. */
async function lose(two: Journal, doing: { settle?: 'created' | 'rejected'; again?: boolean }) {
  const [lost] = await two.list({ states: ['unknown'] });
  if (lost === undefined) throw new Error('no booking is lost');
  if (doing.settle)
    await settle(two, lost.id, doing.settle, doing.settle === 'created' ? { shipment: 'S-1' } : {});
  return doing.again ? booked(two, intent, 'created', { ids: { shipment: 'S-2' } }) : lost.id;
}

/** Books with a 429 first; during the wait the booking is lost to another process. */
async function bookLosing(doing: Parameters<typeof lose>[1]) {
  const { journal, other, later } = await journalRig();
  const two = await other(2);
  let lost = Promise.resolve('');
  const { client, server } = await rigClient(script(SLOW, CREATED));
  const waiting: typeof client = {
    call: (called, input) =>
      client.call(called, {
        ...input,
        async fence() {
          if (server.requests.length > 0) {
            await later(2 * LEASE_MS);
            lost = lose(two, doing);
            await lost;
          }
          return input.fence?.() ?? (() => true);
        },
      }),
  };
  const result = book({ operation, intent }, journal, waiting, patient);
  return { journal, result, server, id: () => lost };
}

test('a booking that was settled and booked again during a wait is not sent: the other one is the answer', async () => {
  const { result, server, id } = await bookLosing({ settle: 'rejected', again: true });
  expect(await result).toMatchObject({ kind: 'taken', booking: { state: 'created' } });
  expect(await result).toMatchObject({ booking: { id: await id() } });
  expect(server.requests).toHaveLength(1);
});

test('a booking that was settled as created during a wait is not sent: the settlement is the answer', async () => {
  const { result, server } = await bookLosing({ settle: 'created' });
  expect(await result).toMatchObject({ kind: 'taken', booking: { ids: { shipment: 'S-1' } } });
  expect(server.requests).toHaveLength(1);
});

test.each([{ settle: 'rejected' }, {}] as const)(
  'a booking that was lost during a wait and not booked again (%j) is not sent, and frees its key',
  async doing => {
    const { journal, result, server } = await bookLosing(doing);
    await expect(result).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^ship: nothing was sent: .*waybill history show bk_/),
    });
    expect(server.requests).toHaveLength(1);
    expect(await journal.list({})).toMatchObject([{ state: 'not_sent' }]);
    expect(await journal.claim(intent)).toMatchObject({ kind: 'claimed' });
  },
);

test('an attempt whose claim is not confirmed in the moment of sending writes no byte', async () => {
  const { client, server } = await rigClient(script(CREATED), { retries: 0 });
  const exchange = await client.call(operation, { body: {}, fence: async () => () => false });
  expect(unanswered(exchange)).toMatchObject({ sent: false });
  await server.quiet();
  expect(server.requests).toEqual([]);
});

test('such an attempt asks again at once, and is tried again', async () => {
  const { client, server, waits } = await rigClient(script(CREATED));
  let asked = 0;
  const fence = async () => {
    asked += 1;
    return () => asked === 3;
  };
  expect(await client.call(operation, { body: {}, fence })).toMatchObject({ status: 201 });
  expect([asked, waits.length, server.requests.length]).toEqual([3, 1, 1]);
});

test('an answer that comes after its booking was settled and booked again is exit 8, and both ids are told', async () => {
  const { journal, other, later } = await journalRig();
  const two = await other(2);
  let again = '';
  const { client } = await rigClient((socket, request, index) => {
    void (async () => {
      await later(2 * LEASE_MS);
      again = await lose(two, { settle: 'rejected', again: true });
      script(CREATED)(socket, request, index);
    })();
  });
  const result = await book({ operation, intent }, journal, client, patient);
  if (result.kind !== 'booked') throw new Error(result.kind);
  const failure = failureOf(operation, result);
  expect(failure).toMatchObject({ code: 'outcome_unknown', exitCode: 8, facts: { booking: result.id } });
  for (const word of ['booked twice', 'S-9', 'S-2', again, `resolve ${result.id} --created S-9`])
    expect(failure?.message).toContain(word);
  expect(await journal.claim(intent)).toMatchObject({ kind: 'taken', booking: { id: again } });
  expect(await journal.recordOutcome(again, ended('created', { ids: { shipment: 'S-2' } }))).toBeUndefined();
});
