import { expect, test } from 'vitest';
import { drawFaults, parseFault, seededRandom } from '../../src/emulator/faults.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import { Clock, DEMO, dualBody, shipmentBody } from '../rig/emulator.ts';

test('a fault is a kind and a probability', () => {
  expect(parseFault('500:0.2')).toEqual({ kind: 500, probability: 0.2 });
  expect(parseFault('reset-after:1')).toEqual({ kind: 'reset-after', probability: 1 });
});

test.each(['500', '500:', '500:2', '500:-1', '99:1', 'boom:1', 'toString:1', '500:0.1:x', ':1'])(
  '%j is no fault, and the message lists the kinds',
  written => {
    expect(() => parseFault(written)).toThrow(/reset-before, reset-after, truncate, html/);
  },
);

test('a seed always gives the same faults, about as often as their probability', () => {
  const faults = ['500:0.2', 'delay:0.5'].map(parseFault);
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 1000 }, () => [...drawFaults(faults, random)].join());
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  const failed = draw(7).filter(drawn => drawn.includes('500')).length;
  expect(failed).toBeGreaterThan(150);
  expect(failed).toBeLessThan(250);
});

/** Ships once under a fault; tells the answer, or that none came, and whether a shipment was made. */
async function ship(fault: string, path = '/v1/shipments', body: unknown = shipmentBody()) {
  const slept: number[] = [];
  const seen: unknown[] = [];
  const random = seededRandom(3);
  const emulator = await startEmulator({
    ...{ faults: [parseFault(`${fault}:1`)], now: new Clock().now, random },
    sleep: async ms => slept.push(ms),
    onRequest: request => seen.push(request.answered),
  });
  const answer = await fetch(emulator.address + path, {
    ...{ method: 'POST', headers: DEMO, body: JSON.stringify(body), redirect: 'manual' },
  })
    .then(async got => ({ status: got.status, headers: got.headers, text: await got.text() }))
    .catch(() => undefined);
  const spared = await fetch(`${emulator.address}/labels/EXP0000000001.pdf`).catch(() => undefined);
  await emulator.close();
  return { answer, slept, seen: seen[0], labelled: spared?.status === 200, spared: spared !== undefined };
}

test.each([500, 429, 408, 302, 404])('the fault %i is answered, and nothing is created', async status => {
  const { answer, labelled, spared, seen } = await ship(String(status), '/v2/shipments', dualBody());
  expect([answer?.status, seen, labelled, spared]).toEqual([status, status, false, true]);
  if (status === 429) expect(answer?.headers.get('retry-after')).toBe('1');
});

test('reset-before breaks the connection before something is created, reset-after afterwards', async () => {
  const before = await ship('reset-before', '/v2/shipments', dualBody());
  expect([before.answer, before.seen, before.labelled]).toEqual([undefined, 'reset', false]);
  const after = await ship('reset-after', '/v2/shipments', dualBody());
  expect([after.answer, after.seen, after.labelled]).toEqual([undefined, 'reset', true]);
});

test('truncate creates and then breaks the connection in the middle of the answer', async () => {
  const { answer, seen, labelled } = await ship('truncate', '/v2/shipments', dualBody());
  expect([answer, seen, labelled]).toEqual([undefined, 'truncated', true]);
});

test('html creates and then answers with a page', async () => {
  const { answer, labelled } = await ship('html', '/v2/shipments', dualBody());
  expect([answer?.status, answer?.text.startsWith('<!doctype html>'), labelled]).toEqual([201, true, true]);
});

test('delay waits 1 to 5 seconds and then answers', async () => {
  const { answer, slept } = await ship('delay');
  expect(answer?.status).toBe(201);
  expect(slept).toHaveLength(1);
  expect(slept[0]).toBeGreaterThanOrEqual(1000);
  expect(slept[0]).toBeLessThanOrEqual(5000);
});

test('the label of a leg can fail, and the request fails if every label does', async () => {
  const { answer } = await ship('label-international', '/v2/shipments', dualBody());
  expect(answer?.status).toBe(201);
  const { success, international, domestic } = JSON.parse(answer?.text ?? '');
  expect([success, domestic.label.success]).toEqual([true, true]);
  expect(international.label).toEqual({ success: false, operation: 'create', carrier: 'EXP' });

  const faults = ['label-international:1', 'label-domestic:1'].map(parseFault);
  const emulator = await startEmulator({ faults });
  const body = JSON.stringify(dualBody());
  const both = await fetch(`${emulator.address}/v2/shipments`, { method: 'POST', headers: DEMO, body });
  expect(await both.json()).toMatchObject({
    success: false,
    international: { shipment: { id: expect.any(String) }, label: { success: false } },
    domestic: { label: { success: false } },
  });
  await emulator.close();
});
