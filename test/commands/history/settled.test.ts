// What becomes of an order beside one that the provider cancelled; promises/settling has what a person says.
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../../rig/command.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { asProduction } from '../../rig/production.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const ORDER = JSON.stringify(SHIPMENT);
const CANCELLED = 'history cancelled --reason phone';
const BOOKED = ['POST /v1/shipments'];

async function cancelled(rig: Rig): Promise<void> {
  await rig.run('ship -f - -q --key K', { stdin: ORDER });
  expect((await rig.run(`${CANCELLED} K`)).exitCode).toBe(0);
}

describeBoth('An order that replaces one that was cancelled', journal => {
  test('under another key is not warned of, also with --strict and in a batch', async () => {
    const rig = await createRig({ journal });
    await cancelled(rig);
    const booked = await rig.run('ship -f - -q --key K-2 --strict', { stdin: ORDER });
    expect([booked.exitCode, booked.stderr, posted(booked)]).toEqual([0, '', BOOKED]);
    await rig.run(`${CANCELLED} K-2`);
    const stdin = JSON.stringify({ ...(SHIPMENT as object), key: 'K-3' });
    const batch = await rig.run('batch ship - --format jsonl --strict', { stdin });
    expect([batch.exitCode, posted(batch)]).toEqual([0, BOOKED]);
    // Another one exists: that is told, and not the one that was cancelled.
    const more = await rig.run('ship -f - -q --key K-4', { stdin: ORDER });
    expect(more.stderr).toMatch(/ with the key "K-3" \(bk_\w+, created\): .* is booked once more/);
  });
});

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
