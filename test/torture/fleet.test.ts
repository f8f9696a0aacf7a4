import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { fleetKilled } from './fleet-kills.ts';
import { fleetDivides, pausedBeyondLease } from './fleet-scenarios.ts';
import { SERVER } from './postgres-cluster.ts';
import { DIVIDED, FLEET, FULL, KILLED_FLEETS, SEED } from './size.ts';

const { runners, records, kills, restarts } = FLEET;
const concurrency = 4;

describe.skipIf(SERVER === undefined)(
  'A fleet over one file, with its journal in PostgreSQL (skipped where no server is installed)',
  () => {
    // Leases of a minute are waited for.
    test
      .runIf(KILLED_FLEETS)
      .concurrent(
        `${runners} runners, ${records} records, ${kills} kills, ${restarts} restarts of the database: none lost, none doubled, each doubt listed (TORTURE_SEED=${SEED})`,
        async () => {
          const command = await build();
          expect(await fleetKilled(command, { ...FLEET, concurrency, seed: SEED })).toEqual([]);
        },
      );

    test
      .runIf(KILLED_FLEETS)
      .concurrent(
        'a runner that stands still for longer than its lease is told as unknown, and what it sent is recorded when it is back',
        async () => {
          expect(await pausedBeyondLease(await build())).toEqual([]);
        },
      );

    test.runIf(KILLED_FLEETS)(
      'a database that is restarted leaves nothing unknown where no runner is killed',
      async () => {
        const fleet = { ...FLEET, records: Math.min(records, 1000), kills: 0, concurrency, seed: SEED };
        expect(await fleetKilled(await build(), fleet)).toEqual([]);
      },
    );

    test('runners divide the records among themselves', async () => {
      const command = await build();
      const divide = (among: number) =>
        fleetDivides(command, { runners: among, records: DIVIDED, concurrency });
      const together = await divide(runners);
      expect(together.told).toEqual([]);
      expect(together.sending).toBeGreaterThan(runners / 2);
      if (!FULL) return;
      const alone = await divide(1);
      expect(alone.told).toEqual([]);
      process.stdout.write(`${runners} are ${(alone.ms / together.ms).toFixed(1)} times as fast as one\n`);
    });
  },
);
