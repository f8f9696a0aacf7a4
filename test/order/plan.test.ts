// Plans, where test/promises/plans.test.ts does not show them: labels of a pair, bounds that another proposal does not keep, and
// every field of the file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, cannedService, DUAL, PROPOSALS, refused, UNDECIDED } from '../rig/service.ts';

const FILES = { 'order.json': UNDECIDED, 'pair.json': DUAL };
const ORDER = 'ship -f order.json --carrier EXP --key K';

/** Writes plan.json, and gives what it has. */
async function planned(rig: Rig, argv = ORDER) {
  const ran = await rig.run(`${argv} --plan plan.json`);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return JSON.parse(readFileSync(join(rig.folder, 'plan.json'), 'utf8'));
}

describe('A plan', () => {
  test('of a pair without labels is booked without, though the profile has label=true; --label makes them in the call', async () => {
    const shop = await shopRig({ label: true });
    for (const key of ['P-1', 'P-2'])
      shop.file(`${key}.json`, { ...DUAL, receiver: { ...(DUAL.receiver as object), firstName: key } });
    const plan = (key: string) => planned(shop, `ship-dual -f ${key}.json --key ${key} --no-label`);
    const { request } = await plan('P-1');
    const booked = await shop.run('ship-dual -f plan.json');
    expect([booked.exitCode, bodyOf(booked)]).toEqual([0, request]);
    const without = await refused(shop, 'ship-dual -f plan.json --label');
    expect(without).toMatchObject({ code: 'duplicate', message: expect.stringContaining('without labels') });
    expect(without.message).toMatch(/`waybill label --international \S+ --domestic \S+` makes them/);
    await plan('P-2');
    for (const sent of [1, 0]) {
      const labelled = await shop.run('ship-dual -f plan.json --label --json');
      expect([labelled.exitCode, labelled.requests.length]).toEqual([0, sent]);
      expect(JSON.parse(labelled.stdout).international.label.success).toBe(true);
    }
    expect(await shop.run('ship-dual -f plan.json')).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('of a pair without a key is one order with and without labels', async () => {
    const rig = await createRig({ files: FILES });
    for (const name of ['plan.json', 'second.json']) {
      await rig.later(1000);
      await rig.run(`ship-dual -f pair.json --plan ${name}`);
    }
    expect((await rig.run('ship-dual -f plan.json --label')).exitCode).toBe(0);
    for (const again of ['-f second.json', '-f second.json --label', '-f pair.json'])
      expect(await refused(rig, `ship-dual ${again}`)).toMatchObject({ code: 'duplicate' });
  });

  test.each([
    ['another weight, so that its price is for less', ' --chargeable-weight 5', 4, {}],
    ['another service', '', 5, { serviceType: 'economy' }],
  ])('is not booked with a proposal of %s: exit 4', async (_, flags, weight, change) => {
    const terms = { id: 'EXP', isValid: true, deliveryTime: '1-3 days', price: 20, currency: 'EUR' };
    const offers = (chargeableWeight: number, more: object) => ({
      status: 201,
      body: { chargeableWeight, proposals: [{ ...terms, serviceType: 'express', ...more }] },
    });
    const answers = { [PROPOSALS]: offers(5, {}) };
    const service = await cannedService(answers);
    const rig = await createRig({ files: FILES, env: service.env });
    expect(await planned(rig, `${ORDER} --service express${flags}`)).toMatchObject({ service: 'express' });
    answers[PROPOSALS] = offers(weight, change);
    const ran = await rig.run('ship -f plan.json');
    expect([ran.exitCode, service.seen.slice(1)], ran.stderr).toEqual([4, [`POST ${PROPOSALS}`]]);
  });
});
