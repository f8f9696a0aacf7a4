// What becomes of an order beside one that the provider cancelled; promises/settling has what a person says.
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { asProduction } from '../../rig/production.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const ORDER = JSON.stringify(SHIPMENT);
const CANCELLED = 'history cancelled --reason phone';

describeBoth('Two desks', journal => {
  test('cancel an order while the other is asked about its label: it gets none', async () => {
    const rig = await createRig({ journal });
    const env = await asProduction(rig);
    await rig.run('ship -f - -q --key K', { stdin: ORDER, env });
    const ran = await rig.run('label K --json', {
      ...{ env, terminal: true },
      async answers() {
        expect((await rig.run(`${CANCELLED} K`, { env })).exitCode).toBe(0);
        return 'yes';
      },
    });
    expect([ran.exitCode, posted(ran), errorOf(ran).code]).toEqual([2, [], 'duplicate']);
  });
});
