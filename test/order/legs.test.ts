// An international and a domestic shipment may have one number, because the service reads them at two addresses: they are two
// everywhere. And an id belongs to one order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import type { Rig } from '../rig/command.ts';
import { numberedService } from '../rig/numbered.ts';
import { describeBoth } from '../rig/postgres.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';

const body = (of: Record<string, unknown>, name: string) =>
  JSON.stringify(changed(of, { 'receiver.firstName': name }));
const ship = (rig: Rig, key: string, more = '') =>
  rig.run(`ship -f - --key ${key} ${more}`, { stdin: body(SHIPMENT, key) });
const pair = (rig: Rig, key: string, more = '') =>
  rig.run(`ship-dual -f - --key ${key} ${more}`, { stdin: body(DUAL, key) });
const labelIn = (rig: Rig, name: string) => readFileSync(join(rig.folder, 'state/labels', name), 'latin1');

describeBoth('Shipments of two legs with one number', journal => {
  test('have labels of their own', async () => {
    const { rig, labels } = await numberedService({ journal });
    // The international leg of P1 is 102, and so is the domestic leg of P2.
    await ship(rig, 'S');
    await pair(rig, 'P1');
    await pair(rig, 'P2');
    expect((await rig.run('label P1 --download state/labels')).exitCode).toBe(0);
    expect((await rig.run('label P2 --download state/labels')).exitCode).toBe(0);
    expect(labels).toEqual(['international 102', 'domestic 101', 'international 103', 'domestic 102']);
    expect(labelIn(rig, 'P2.pdf')).toContain('%international 103');
    expect(labelIn(rig, 'P2-2.pdf')).toContain('%domestic 102');
    expect((await rig.run('label P1 P2')).exitCode).toBe(0);
    expect(labels).toHaveLength(4);
  });

  test('are under way, and waited for, each by itself', async () => {
    const { rig, deliver } = await numberedService({ journal });
    await pair(rig, 'P');
    deliver('international', '101');
    expect((await rig.run('track P -q')).stdout).toBe('101 delivered\n101 in_transit\n');
    expect((await rig.run('track P --watch --max-wait 1 --json')).exitCode).toBe(9);
    expect(await rig.json('track --active')).toMatchObject([
      { id: '101', tracking: { trackingNumber: 'd101' } },
    ]);
    deliver('domestic', '101');
    expect((await rig.run('track P --watch --max-wait 1 -q')).stdout).toBe('101 delivered\n101 delivered\n');
    await rig.run('track --active');
    expect(await rig.json('track --active')).toEqual([]);
  });
});

describeBoth('An id that another order has', journal => {
  test('makes the second of two at one moment unknown, and --same-as says that both are one shipment', async () => {
    const { rig, booked } = await numberedService({ journal, sameId: '7' });
    const ran = await Promise.all([ship(rig, 'A-1'), ship(rig, 'A-2')]);
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 8]);
    const [first, second] = ran[0]?.exitCode === 0 ? ['A-1', 'A-2'] : ['A-2', 'A-1'];
    const unknown = ran.find(({ exitCode }) => exitCode === 8);
    expect(unknown?.stderr).toMatch(new RegExp(`"${first}", booking bk_.*--same-as bk_`, 's'));
    expect(unknown?.stderr).not.toContain('--created');
    expect(await rig.json(`history show ${second}`)).toMatchObject({ state: 'unknown', shipmentIds: [] });
    expect(await rig.json('history show 7')).toMatchObject({ key: first });
    expect((await ship(rig, second)).exitCode).toBe(8);
    const said = await rig.run(`history resolve ${second} --same-as ${first} --yes`);
    const [{ id }] = (await rig.json('history list')).filter((row: { key: string }) => row.key === first);
    expect(said.stdout).toContain(`is one shipment as 7 with booking ${id} (key ${first})`);
    expect((await rig.run(`history show ${second}`)).stdout).toContain(`one shipment with booking ${id}`);
    expect(await rig.json(`history show ${second}`)).toMatchObject({ state: 'created', shipmentIds: ['7'] });
    // Its key stays, and the costs are those of one shipment.
    expect((await ship(rig, second)).exitCode).toBe(0);
    expect(booked).toHaveLength(2);
    expect(await rig.json('history summary')).toMatchObject([{ shipments: 1, withoutPrice: 1, unknown: 0 }]);
    expect(await rig.json('track --active')).toHaveLength(1);
  });
});
