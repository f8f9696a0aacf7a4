// The audit of a client: what counts as booked twice, and what as sent again after its effect. Clients are requests of the test.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createAudit } from '../../src/emulator/audit.ts';
import { parseFault } from '../../src/emulator/settings.ts';
import {
  DEMO,
  dualBody,
  emulator,
  type Rig,
  type RigOptions,
  shipmentBody,
  subscriptionBody,
} from '../rig/emulator.ts';
import { event } from '../rig/sockets.ts';

interface Audited extends Rig {
  /** Sends a booking; gives its answer, and `undefined` if none came that can be read. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers.
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<any>;
  /** Closes the emulator, and counts what the audit found. */
  found(): Promise<{ booked: number[]; repeated: (string | null)[]; labels: number[]; lost: number }>;
  report(): ReturnType<ReturnType<typeof createAudit>['verdict']>['report'];
}

async function audited(faults: string[] = [], options: RigOptions = {}): Promise<Audited> {
  const audit = createAudit();
  const rig = await emulator({ faults: faults.map(parseFault), onExchange: audit.see, ...options });
  return {
    ...rig,
    post: (path, body, headers) =>
      rig.call('POST', path, body, headers).then(
        ({ status, body: answer }) => (status < 300 ? answer : undefined),
        () => undefined,
      ),
    async found() {
      await rig.close();
      const { report, lost } = audit.verdict();
      return {
        booked: report.booked.map(({ requests }) => requests.length),
        repeated: report.repeated.map(({ fault }) => fault),
        labels: report.labels.map(({ requests }) => requests.length),
        lost,
      };
    },
    report: () => audit.verdict().report,
  };
}

const SHIP = '/v1/shipments';
const PAIR = '/v2/shipments';
const LABEL = '/v2/carriers/create';
const HOOK = '/webhooks/subscriptions';
const CLEAN = { booked: [], repeated: [], labels: [] };

/** Another receiver. */
const orderOf = (firstName: string) => {
  const order = shipmentBody();
  order.receiver.firstName = firstName;
  return order;
};

/** The same content in other letters: fields in another order, more blanks, another carrier. */
function rewritten(): string {
  const { receiver, ...rest } = shipmentBody();
  const fields = Object.entries(receiver).toReversed();
  const again = { receiver: Object.fromEntries(fields), ...rest, carrier: { id: 'ECO' } };
  again.receiver.firstName = ` ${again.receiver.firstName.toUpperCase()} `;
  return JSON.stringify(again, undefined, 4);
}

describe('A booking that is sent again', () => {
  test('after its answer was lost is one for each time, with all that a person needs to find it', async () => {
    const client = await audited(['reset-after:first2@createShipment']);
    expect(await client.post(SHIP, shipmentBody())).toBe(undefined);
    client.clock.pass(200);
    expect(await client.post(SHIP, rewritten())).toBe(undefined);
    client.clock.pass(1500);
    const { id } = await client.post(SHIP, shipmentBody());
    expect(await client.found()).toMatchObject({ booked: [3], repeated: ['reset-after', 'reset-after'] });
    const request = (time: string, status: number | null) => ({
      time: `2025-03-05T12:00:0${time}Z`,
      operation: 'ship',
      status,
    });
    const receiver = { name: 'Layla Mithal', city: 'Riyadh', country: 'SA' };
    const some = expect.stringMatching(/^shp_/);
    expect(client.report()).toEqual({
      booked: [
        {
          receiver,
          shipmentIds: [some, some, id],
          requests: [request('0.000', null), request('0.200', null), request('1.700', 201)],
        },
      ],
      repeated: [
        {
          receiver,
          shipmentIds: [some, some],
          ...{ fault: 'reset-after', afterMs: 200 },
          requests: [request('0.000', null), request('0.200', null)],
        },
        {
          receiver,
          shipmentIds: [some, id],
          ...{ fault: 'reset-after', afterMs: 1500 },
          requests: [request('0.200', null), request('1.700', 201)],
        },
      ],
      labels: [],
    });
  });

  test.each([
    ['truncate', { booked: [2], repeated: ['truncate'] }],
    ['html', { booked: [2], repeated: ['html'] }],
    // Nothing was done.
    ['reset-before', CLEAN],
    ['429', CLEAN],
    ['500', CLEAN],
    ['302', CLEAN],
  ])('after %s is judged by the effect of the first one', async (kind, verdict) => {
    const client = await audited([`${kind}:first1`]);
    await client.post(SHIP, shipmentBody());
    await client.post(SHIP, shipmentBody());
    expect(await client.found()).toMatchObject(verdict);
  });

  test('by a client that does not wait for its answer repeats it, although its effect comes later', async () => {
    const [asked, ask] = event();
    const [late, answer] = event();
    const sleep = () => {
      ask();
      return late;
    };
    const client = await audited(['delay:first1'], { sleep });
    const impatient = new AbortController();
    const first = fetch(client.origin + SHIP, {
      ...{ method: 'POST', headers: DEMO, body: JSON.stringify(shipmentBody()) },
      signal: impatient.signal,
    }).catch(() => 'left');
    await asked;
    impatient.abort();
    expect(await first).toBe('left');
    await client.post(SHIP, shipmentBody());
    answer();
    expect(await client.found()).toEqual({ booked: [2], repeated: ['delay'], labels: [], lost: 1 });
  });

  test('behind another one on the connection that breaks is lost with it, and the emulator ends', async () => {
    const client = await audited(['reset-after:first1']);
    const line = (body: string) =>
      `POST ${SHIP} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer demo\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const [first, second] = ['Anna', 'Berta'].map(name => JSON.stringify(orderOf(name)));
    const socket = connect(Number(new URL(client.origin).port), '127.0.0.1');
    const gone = new Promise(resolve => socket.once('close', resolve));
    socket.on('error', () => {}).write(line(first ?? '') + line(second ?? ''));
    await gone;
    for (const name of ['Anna', 'Berta']) await client.post(SHIP, orderOf(name));
    const { booked, repeated } = await client.found();
    expect([booked, repeated.length]).toEqual([[2, 2], 2]);
  });

  test('as a single shipment, after the pair of the same order was lost, repeats it', async () => {
    const client = await audited(['reset-after:first1@ship-dual']);
    const { receiver, items, packages } = shipmentBody();
    await client.post(PAIR, { ...dualBody(), receiver, items, packages });
    await client.post(SHIP, shipmentBody());
    expect(await client.found()).toMatchObject({ booked: [2], repeated: ['reset-after'] });
    expect(client.report().booked[0]?.shipmentIds).toHaveLength(3);
  });

  test('and answered is done with: the next equal order is another one, as in tests that reuse one address', async () => {
    const client = await audited(['reset-after:first1']);
    for (let count = 0; count < 4; count += 1) await client.post(SHIP, shipmentBody());
    expect(await client.found()).toMatchObject({ booked: [4], repeated: ['reset-after'], lost: 1 });
  });

  test('by another process before the loss repeats nothing', async () => {
    const [both, bothCame] = event();
    let count = 0;
    const sleep = () => {
      count += 1;
      if (count === 2) bothCame();
      return both;
    };
    const client = await audited(['reset-after:first1'], { latency: 1, sleep });
    await Promise.all([client.post(SHIP, shipmentBody()), client.post(SHIP, shipmentBody())]);
    expect(await client.found()).toEqual({ booked: [2], repeated: [], labels: [], lost: 1 });
  });

  test('in the sandbox, for another receiver, or with other goods is no repetition', async () => {
    const client = await audited(['reset-after:first1']);
    await client.post(SHIP, shipmentBody());
    await client.post(`/sandbox${SHIP}`, shipmentBody());
    await client.post(SHIP, orderOf('Zoe'));
    const [item, ...items] = shipmentBody().items;
    await client.post(SHIP, { ...shipmentBody(), items: [{ ...item, quantity: 99 }, ...items] });
    expect(await client.found()).toEqual({ ...CLEAN, lost: 1 });
  });
});

describe('A label', () => {
  const labelled = async (...faults: string[]) => {
    const client = await audited(faults);
    const pair = await client.post(PAIR, { ...dualBody(), label: false });
    const [international, domestic] = [pair.international.shipment.id, pair.domestic.shipment.id];
    return { client, international, domestic };
  };

  test('that is bought again after its answer was lost is repeated; of both legs once', async () => {
    const { client, ...legs } = await labelled('reset-after:first1@createLabels');
    await client.post(LABEL, { international: legs.international });
    await client.post(LABEL, legs);
    expect(await client.found()).toEqual({ booked: [], repeated: ['reset-after'], labels: [2], lost: 1 });
    const { repeated, labels } = client.report();
    expect(repeated[0]).toMatchObject({ receiver: { country: 'SA' }, shipmentIds: [legs.international] });
    expect(labels[0]).toMatchObject({
      shipmentIds: [legs.international],
      trackingNumbers: [expect.any(String), expect.any(String)],
    });
  });

  test('that is bought twice although both answers came is listed alone', async () => {
    const { client, international } = await labelled();
    for (let count = 0; count < 2; count += 1) await client.post(LABEL, { international });
    expect(await client.found()).toEqual({ booked: [], repeated: [], labels: [2], lost: 0 });
  });

  test('that came with its shipments is bought again with them', async () => {
    const client = await audited();
    const pair = await client.post(PAIR, { ...dualBody(), label: true });
    await client.post(LABEL, { domestic: pair.domestic.shipment.id });
    expect(await client.found()).toMatchObject({ labels: [2] });
  });

  test('that was not made may be bought again', async () => {
    const { client, international } = await labelled(
      'label-international:first1@label',
      'truncate:first1@label',
    );
    for (let count = 0; count < 2; count += 1) await client.post(LABEL, { international });
    expect(await client.found()).toMatchObject(CLEAN);
  });

  test('is looked for before it is bought again', async () => {
    const { client, international } = await labelled('reset-after:first1@label');
    await client.post(LABEL, { international });
    const { body } = await client.call('GET', `${SHIP}/${international}`);
    expect(body.tracking.trackingNumber).not.toBe('');
    expect(await client.found()).toEqual({ ...CLEAN, lost: 1 });
  });
});

test('a subscription that is made again after its answer was lost is repeated; one with other events is not', async () => {
  const client = await audited(['reset-after:first2@createSubscription']);
  const [status] = subscriptionBody().events;
  await client.post(HOOK, { ...subscriptionBody(), events: [status] });
  await client.post(HOOK, subscriptionBody());
  const events = subscriptionBody().events.toReversed();
  await client.post(HOOK, { ...subscriptionBody(), events });
  expect(await client.found()).toEqual({ booked: [], repeated: ['reset-after'], labels: [], lost: 2 });
});

test('what books nothing, or cannot be read, is no part of it', async () => {
  const client = await audited(['reset-after:first2@quote', 'reset-after:1@track']);
  for (const body of ['{', '[]', '{}', shipmentBody()]) await client.post(SHIP, body, { authorization: 'x' });
  for (const path of ['/v1/shipments/none', '/openapi.json', '/nowhere'])
    await client.call('GET', path).catch(() => {});
  expect(await client.found()).toEqual({ ...CLEAN, lost: 0 });
});
