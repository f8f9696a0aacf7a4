// An international and a domestic shipment may have one number, because the service reads them at two addresses: each is followed
// by itself. That their labels are two, and that an id belongs to one order, is in test/promises/labels-and-ids.test.ts.
import { expect, test } from 'vitest';
import { numberedService } from '../rig/numbered.ts';
import { describeBoth } from '../rig/postgres.ts';
import { DUAL } from '../rig/service.ts';

describeBoth('Shipments of two legs with one number', journal => {
  test('are under way, and waited for, each by itself', async () => {
    const { rig, deliver } = await numberedService({ journal });
    await rig.run('ship-dual -f - --key P', { stdin: JSON.stringify(DUAL) });
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
