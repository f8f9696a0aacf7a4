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
import { doubtful } from '../rig/settling.ts';

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

  test('of one customer and another: the label after a shipment is that of the shipment', async () => {
    const { rig, labels } = await numberedService({ journal });
    await pair(rig, 'P');
    await rig.run('label P');
    await pair(rig, 'P2');
    await rig.run('label P2');
    // 103 is international, and the domestic ones end at 102.
    const ran = await ship(rig, 'S', '--label --download state/labels');
    expect(ran.exitCode).toBe(0);
    await pair(rig, 'P3', '--label');
    expect((await rig.run('label P3 --download state/labels')).exitCode).toBe(0);
    expect(labels).toContain('domestic 103');
    expect(labelIn(rig, 'S.pdf')).toContain('%international 103');
  });

  test('are under way each by itself', async () => {
    const { rig, deliver } = await numberedService({ journal });
    await pair(rig, 'P');
    deliver('international', '101');
    expect((await rig.run('track P -q')).stdout).toBe('101 delivered\n101 in_transit\n');
    const active = await rig.json('track --active');
    expect(active).toMatchObject([{ id: '101', tracking: { trackingNumber: 'd101' } }]);
    deliver('domestic', '101');
    await rig.run('track --active');
    expect(await rig.json('track --active')).toEqual([]);
  });

  test('are waited for each by itself', async () => {
    const { rig, deliver } = await numberedService({ journal });
    await pair(rig, 'P');
    deliver('domestic', '101');
    const early = await rig.run('track P --watch --max-wait 1 --json');
    expect([early.exitCode, JSON.parse(early.stdout).length]).toEqual([9, 2]);
    deliver('international', '101');
    expect((await rig.run('track P --watch --max-wait 1 -q')).stdout).toBe('101 delivered\n101 delivered\n');
  });

  test('are two orders for a REF that is their number', async () => {
    const { rig } = await numberedService({ journal });
    await pair(rig, 'P1');
    await ship(rig, 'S');
    await pair(rig, 'P2');
    // 102 is the shipment of S, and the domestic leg of P2.
    for (const argv of ['label 102', 'track 102', 'history show 102', 'history cancelled 102 --reason x']) {
      const ran = await rig.run(argv);
      expect([argv, ran.exitCode]).toEqual([argv, 2]);
      expect(ran.stderr).toMatch(/"102" names 2 orders\b.*key "(S|P2)".*key "(S|P2)"/);
    }
    expect((await rig.run('track 102 --domestic -q')).stdout).toBe('in_transit\n');
    expect((await rig.json('history list')).map(({ state }: { state: string }) => state)).toEqual(
      Array(3).fill('created'),
    );
  });

  test('are created as one pair, and an unknown pair is resolved as what it is', async () => {
    const { rig } = await numberedService({ journal, lost: 'P2' });
    expect((await pair(rig, 'P1')).exitCode).toBe(0);
    expect(await rig.json('history show P1')).toMatchObject({
      state: 'created',
      shipmentIds: ['101', '101'],
    });
    expect((await pair(rig, 'P2')).exitCode).toBe(8);
    // 102 is an international shipment of another order, too.
    expect((await rig.run('history resolve P2 --created 102 --domestic 102 --yes')).exitCode).toBe(0);
    expect(await rig.json('history show P2')).toMatchObject({
      state: 'created',
      shipmentIds: ['102', '102'],
    });
  });
});

describeBoth('An id that another order has', journal => {
  test('makes the second one unknown, and names the first; --same-as says that both are one shipment', async () => {
    const { rig, booked } = await numberedService({ journal, sameId: '7' });
    const ran = await Promise.all([ship(rig, 'A-1'), ship(rig, 'A-2')]);
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 8]);
    const first = ran[0]?.exitCode === 0 ? 'A-1' : 'A-2';
    const second = first === 'A-1' ? 'A-2' : 'A-1';
    const unknown = ran.find(({ exitCode }) => exitCode === 8);
    expect(unknown?.stderr).toContain(`"${first}", booking bk_`);
    expect(unknown?.stderr).toContain('--same-as bk_');
    expect(unknown?.stderr).not.toContain('--created');
    expect((await rig.run(`history show ${second}`)).stdout).toMatch(
      /one shipment with the order that has it:\n +waybill history resolve A-\d --same-as bk_/,
    );
    expect(await rig.json(`history show ${second}`)).toMatchObject({ state: 'unknown', shipmentIds: [] });
    expect(await rig.json('history show 7')).toMatchObject({ key: first });
    expect((await ship(rig, second)).exitCode).toBe(8);
    const said = await rig.run(`history resolve ${second} --same-as ${first} --yes`);
    expect(said.exitCode).toBe(0);
    const [{ id }] = (await rig.json('history list')).filter((row: { key: string }) => row.key === first);
    expect(said.stdout).toMatch(
      new RegExp(`is one shipment as 7 with booking ${id} \\(key ${first}\\), which has the costs`),
    );
    expect((await rig.run(`history show ${second}`)).stdout).toContain(`one shipment with booking ${id}`);
    expect(await rig.json(`history show ${second}`)).toMatchObject({ state: 'created', shipmentIds: ['7'] });
    // Its key stays, and the costs are those of one shipment.
    expect((await ship(rig, second)).exitCode).toBe(0);
    expect(booked).toHaveLength(2);
    expect(await rig.json('history summary')).toMatchObject([{ shipments: 1, withoutPrice: 1, unknown: 0 }]);
    expect(await rig.json('track --active')).toHaveLength(1);
    expect(await rig.json('history show 7')).toMatchObject({ key: first });
    expect((await rig.run(`history resolve ${second} --reopen --yes`)).exitCode).toBe(0);
    expect(await rig.json(`history show ${second}`)).toMatchObject({ state: 'unknown' });
  });

  test('and is said to be one shipment at the moment in which the other order is reopened: one of the two is refused', async () => {
    const rig = await doubtful({ journal });
    await rig.unknown('A');
    await rig.unknown('C');
    const shipment = await rig.shipment();
    expect((await rig.run(`history resolve C --created ${shipment}`)).exitCode).toBe(0);
    const ran = await Promise.all([
      rig.run('history resolve A --same-as C'),
      rig.run('history resolve C --reopen'),
    ]);
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
    const [same, reopened] = ran;
    if (same?.exitCode === 2) expect(same.stderr).toMatch(/is no shipment of booking bk_\w+ \(key "C"\)/);
    else
      expect(reopened?.stderr).toMatch(
        /resolved as one shipment with booking .* `waybill history resolve bk/,
      );
  });

  test('in the sandbox is a warning', async () => {
    const { rig } = await numberedService({ journal, sameId: '7' });
    await ship(rig, 'A-1', '--sandbox');
    const ran = await ship(rig, 'A-2', '--sandbox');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(
      'the sandbox answered with 7, and that is the shipment of another order ("A-1"',
    );
  });

  test('is a pair whose one leg is that of another pair', async () => {
    const { rig } = await numberedService({ journal, sameId: '7' });
    expect((await pair(rig, 'P1')).exitCode).toBe(0);
    expect((await pair(rig, 'P2')).exitCode).toBe(8);
    expect((await ship(rig, 'S')).exitCode).toBe(8);
    expect((await rig.run('history resolve S --same-as P1 --yes')).exitCode).toBe(0);
    expect((await rig.run('history resolve P2 --same-as S --yes')).exitCode).toBe(2);
  });
});
