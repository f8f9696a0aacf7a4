// At a terminal a person may see what a batch would cost before they say yes to it.
import { describe, expect, test } from 'vitest';
import { order } from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { asProduction } from '../../rig/production.ts';
import { posted } from '../../rig/service.ts';

const open = (key: string, change: Record<string, unknown> = {}) => {
  const { chargeableWeight: _, ...rest } = order(key, change);
  return rest;
};

async function shop(records: readonly unknown[]): Promise<Rig> {
  const rig = await createRig();
  rig.file('orders.json', records);
  return rig;
}

const answering = async (rig: Rig, ...given: string[]) => {
  const left = [...given];
  return { terminal: true, env: await asProduction(rig), answers: async () => left.shift() };
};

describe('the question of a batch', () => {
  test('offers to estimate first: total, carriers, and what falls out; then it asks again', async () => {
    const rig = await shop([
      open('A', { carrier: 'cheapest' }),
      open('B', { carrier: 'fastest' }),
      open('C', { carrier: 'cheapest', maxPrice: '1EUR' }),
    ]);
    const ran = await rig.run('batch ship orders.json', await answering(rig, 'e', 'no'));
    expect(ran.exitCode).toBe(130);
    expect(ran.asked.at(-1)).toContain('Book this? ship for 3 records');
    expect(posted(ran)).toEqual(Array(3).fill('POST /v1/carriers/proposal'));
    expect(ran.stderr).toMatch(/estimate of 2 of 3 records: [\d.]+ EUR\. By carrier: EXP 2/);
    expect(ran.stderr).toMatch(/1 record falls out:\n {2}line \d, C: .*1 EUR/);
  });

  test('books all of them after the estimate, if the answer is yes', async () => {
    const rig = await shop([open('A', { carrier: 'EXP' }), open('B', { carrier: 'EXP' })]);
    const ran = await rig.run('batch ship orders.json', await answering(rig, 'E', 'yes'));
    expect(ran.exitCode).toBe(0);
    expect(posted(ran).filter(one => one === 'POST /v1/shipments')).toHaveLength(2);
  });

  test('leaves out of the estimate what is booked and lacks only its label', async () => {
    const rig = await shop([open('A', { carrier: 'EXP' })]);
    await rig.run('batch ship orders.json', await answering(rig, 'y'));
    rig.file('orders.json', [open('A', { carrier: 'EXP' }), open('B', { carrier: 'EXP' })]);
    const ran = await rig.run('batch ship orders.json --label', await answering(rig, 'e', 'no'));
    expect(ran.stderr).toContain('estimate of 1 of 2 records');
  });
});
