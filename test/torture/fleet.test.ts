import { describe, expect, test } from 'vitest';
import { withBuilt } from './bundle.ts';
import { fleetKilled } from './fleet-kills.ts';
import { fleetDivides, pausedBeyondLease } from './fleet-scenarios.ts';
import { SERVER } from './postgres-cluster.ts';
import { FLEET, FLEET_PATIENCE, SEED } from './size.ts';

const { runners, records, kills, restarts } = FLEET;
const concurrency = 4;

describe.skipIf(SERVER === undefined)(
  'A fleet over one file, with its journal in PostgreSQL (skipped where no server is installed)',
  {
    timeout: FLEET_PATIENCE,
  },
  () => {
    test.concurrent(`${runners} runners, ${records} records, ${kills} kills, ${restarts} restarts of the database: none lost, none doubled, each doubt listed (TORTURE_SEED=${SEED})`, async () => {
      const kill = (command: string) => fleetKilled(command, { ...FLEET, concurrency, seed: SEED });
      expect(await withBuilt(kill)).toEqual([]);
    });

    test.concurrent('a runner that stands still for longer than its lease is told as unknown, and what it sent is recorded when it is back', async () => {
      expect(await withBuilt(pausedBeyondLease)).toEqual([]);
    });

    test('a database that is restarted leaves nothing unknown where no runner is killed', async () => {
      const restart = (command: string) =>
        fleetKilled(command, {
          ...FLEET,
          records: Math.min(records, 1000),
          kills: 0,
          concurrency,
          seed: SEED,
        });
      expect(await withBuilt(restart)).toEqual([]);
    });

    test('eight runners divide the records among themselves, and one alone has all of them', async () => {
      const divide = (among: number) => (command: string) =>
        fleetDivides(command, { runners: among, records: 800, concurrency });
      const alone = await withBuilt(divide(1));
      const together = await withBuilt(divide(8));
      expect([alone.told, together.told]).toEqual([[], []]);
      expect(together.sending).toBeGreaterThan(4);
    });
  },
);
