// What each fault does to a command is in docs/emulator.md, which page.test.ts holds against the emulator.
import { expect, test } from 'vitest';
import { drawFaults, parseFault, seededRandom } from '../../src/emulator/faults.ts';
import { DEMO, dualBody, emulator, shipmentBody } from '../rig/emulator.ts';

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

test('a delay is 1 to 5 seconds, and 429 says to wait one', async () => {
  const slept: number[] = [];
  const slow = await emulator({ faults: [parseFault('delay:1')], sleep: async ms => slept.push(ms) });
  expect((await slow.call('POST', '/v1/shipments', shipmentBody())).status).toBe(201);
  expect(slept.map(ms => ms >= 1000 && ms <= 5000)).toEqual([true]);
  const limited = await emulator({ faults: [parseFault('429:1')] });
  const { headers } = await limited.call('POST', '/webhooks/subscriptions', {});
  expect(headers['retry-after']).toBe('1');
});

test('a pair whose labels both fail says no, and has its shipments', async () => {
  const faults = ['label-international:1', 'label-domestic:1'].map(parseFault);
  const { origin } = await emulator({ faults });
  const init = { method: 'POST', headers: DEMO, body: JSON.stringify(dualBody()) };
  const failed = { shipment: { id: expect.any(String) }, label: { success: false } };
  expect(await (await fetch(`${origin}/v2/shipments`, init)).json()).toMatchObject({
    success: false,
    international: failed,
    domestic: failed,
  });
});
