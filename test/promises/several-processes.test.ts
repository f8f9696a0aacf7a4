// Limits and keys that several processes share, in a journal of this machine and in a shared one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { noPostgres, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);

const JOURNALS = ['local', 'shared'] as const;
const environmentOf = async (journal: (typeof JOURNALS)[number]): Promise<Record<string, string>> =>
  journal === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};

/** Starts `ship` for each of these keys at one moment, each for another receiver; gives how they end. */
async function shipped(keys: readonly string[], env: Record<string, string>) {
  const world = await createWorld({ journalLost: true });
  const { receiver } = SHIPMENT as { receiver: object };
  const ran = keys.map((key, index) => {
    const order = { ...SHIPMENT, receiver: { ...receiver, firstName: `Anna ${key}` } };
    writeFileSync(join(world.folder, `${index}.json`), JSON.stringify(order));
    return waybill(world, `ship -f ${index}.json --key ${key} -q`, { env }).ended;
  });
  const ended = await Promise.all(ran);
  return { ended, booked: world.seen.filter(({ path }) => path === '/v1/shipments').length };
}

for (const journal of JOURNALS) {
  const lack = journal === 'shared' && noPostgres;

  test.skipIf(lack)(
    titled(`several processes never claim more than a day allows together (${journal} journal)`, lack),
    async () => {
      const env = await environmentOf(journal);
      const price = 52.9;
      const limit = { WAYBILL_POLICY_MAX_PER_DAY: `${2 * price}EUR` };
      const { ended, booked } = await shipped(['A', 'B', 'C', 'D'], { ...env, ...limit });
      expect(ended.map(({ code }) => code).sort()).toEqual([0, 0, 12, 12]);
      expect(booked).toBe(2);
    },
  );

  test.skipIf(lack)(
    titled(`two processes with one key book once, and print the same (${journal} journal)`, lack),
    async () => {
      const { ended, booked } = await shipped(['A', 'A'], await environmentOf(journal));
      expect(booked).toBe(1);
      expect(ended.map(({ code }) => code).sort()).toEqual([0, 0]);
      expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    },
  );
}

test.skipIf(noPostgres)(
  titled('WAYBILL_JOURNAL names a journal that machines share', noPostgres),
  async () => {
    const { address, ask } = await sharedPlace();
    const env = { WAYBILL_JOURNAL: address };
    const [desk, other] = [
      await createWorld({ journalLost: true }),
      await createWorld({ journalLost: true }),
    ];
    for (const { folder } of [desk, other])
      writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
    const place = { ...env, WAYBILL_BASE_URL: desk.address };
    const first = await waybill(desk, 'ship -f order.json --key A-1 -q', { env: place }).ended;
    const second = await waybill(other, 'ship -f order.json --key A-1 -q', { env: place }).ended;
    expect([first.code, second.code, second.stdout]).toEqual([0, 0, first.stdout]);
    expect(desk.seen.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);
    expect(await ask('SELECT key FROM bookings')).toEqual([{ key: 'A-1' }]);
  },
);

test('a limit guards against accidents, and the page on security says what it cannot', () => {
  expect(readFileSync('SECURITY.md', 'utf8')).toMatch(/limit guards against accidents.*\n?.*credential/i);
});
