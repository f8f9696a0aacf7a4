import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { fleetDivides, fleetKilled, pausedBeyondLease } from './fleet.ts';
import { noCluster } from './postgres-cluster.ts';
import { DIVIDED, FLEET, FULL, SEED } from './size.ts';
import { SHORT_LEASE } from './steps.ts';

const { runners, records, kills, restarts } = FLEET;
const concurrency = 4;

const built = () => build(FULL ? [] : [SHORT_LEASE]);

describe.skipIf(noCluster)(titled('A fleet over one file, with its journal in PostgreSQL', noCluster), () => {
  // These tests wait for the leases of those that are killed or stopped.
  test.concurrent(`${runners} runners, ${records} records, ${kills} kills, ${restarts} restarts of the database: no record is lost or booked twice, and each unknown one is listed (TORTURE_SEED=${SEED})`, async () => {
    const command = await built();
    expect(await fleetKilled(command, { ...FLEET, concurrency, seed: SEED })).toEqual([]);
  });

  test.concurrent('the bookings of a runner that is stopped for longer than its lease are unknown, and are recorded when it continues', async () => {
    expect(await pausedBeyondLease(await built())).toEqual([]);
  });

  test('a restart of the database leaves no unknown booking if no runner is killed', async () => {
    const fleet = { ...FLEET, records: Math.min(records, 1000), kills: 0, concurrency, seed: SEED };
    expect(await fleetKilled(await built(), fleet)).toEqual([]);
  });

  test('runners divide the records among themselves', async () => {
    const command = await built();
    const divide = (among: number) =>
      fleetDivides(command, { runners: among, records: DIVIDED, concurrency });
    const together = await divide(runners);
    expect(together.broken).toEqual([]);
    expect(together.sending).toBeGreaterThan(runners / 2);
    if (!FULL) return;
    const alone = await divide(1);
    expect(alone.broken).toEqual([]);
    process.stdout.write(`${runners} are ${(alone.ms / together.ms).toFixed(1)} times as fast as one\n`);
  });
});
