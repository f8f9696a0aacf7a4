// A shared journal whose server failed: a standby took over, which may lack what was confirmed last.
import { describe, expect, test } from 'vitest';
import { bookedIn, jsonLines, keys, linesIn, orders } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { machine } from '../rig/journal.ts';
import { titled } from '../rig/needs.ts';
import { asked, relayTo } from '../rig/postgres.ts';
import { errorOf } from '../rig/service.ts';
import { type Cluster, noCluster, withCluster } from '../torture/postgres-cluster.ts';
import { at, books, knows, RESTORED, refuses, ship, stdin } from './machines.ts';

const LOSSLESS = { WAYBILL_JOURNAL_FAILOVER: 'lossless' };
/** Resolves when the standby has all that the server has confirmed. */
async function caughtUp({ url }: Cluster, standby: string): Promise<void> {
  const [position] = await asked<{ now: string }>(new URL(url), 'SELECT pg_current_wal_lsn()::text AS now');
  const isThere = `SELECT pg_last_wal_replay_lsn() >= '${position?.now}' AS yes`;
  while (!(await asked<{ yes: boolean }>(new URL(standby), isThere))[0]?.yes);
}

describe.skipIf(noCluster)(titled('A server', noCluster), () => {
  test('whose standby took over without the last bookings is refused by every machine, until one says that it is known', async () => {
    await withCluster(async cluster => {
      const rig = await createRig({ journalLost: true });
      const [anna, ben, carla, job] = [
        machine(rig, 'anna'),
        machine(rig, 'ben'),
        machine(rig, 'carla'),
        machine(rig, 'job'),
      ];
      await books(at(anna, cluster.url), 'K-1');
      await knows(at(ben, cluster.url), 'K-1');
      const { url, promote } = await cluster.standby();
      await books(at(anna, cluster.url), 'K-2');
      await promote();
      const later = /a standby took over, or it was put back \(timeline 00000002, was 00000001\)/;
      // The first has seen a booking that is gone, the second one that is there, the others nothing.
      await refuses(at(anna, url), /has lost bookings: bk_\w+, seen here at \S+, is gone/);
      for (const one of [ben, carla, job]) await refuses(at(one, url), later);
      const listed = await at(carla, url)('history list --json');
      expect([listed.exitCode, JSON.parse(listed.stdout).length]).toEqual([0, 1]);
      expect(listed.stderr).toMatch(later);
      await refuses(at(anna, url), /has lost bookings: bk_\w+, seen here/, { env: LOSSLESS });
      expect((await at(ben, url)(RESTORED)).exitCode).toBe(0);
      for (const one of [anna, ben, carla, job]) await knows(at(one, url), 'K-1');
      await books(at(job, url), 'K-2');
      await knows(at(anna, url), 'K-2');
    });
  });

  test('whose journal an older dump was restored over is refused by every machine, also by one without a memory', async () => {
    await withCluster(async cluster => {
      const rig = await createRig({ journalLost: true });
      const [anna, job] = [at(machine(rig, 'anna'), cluster.url), at(machine(rig, 'job'), cluster.url)];
      await books(anna, 'K-1');
      const putBack = await cluster.dumped();
      await books(anna, 'K-2');
      await putBack();
      await refuses(anna, /has lost bookings: bk_\w+, seen here at \S+, is gone/);
      const older = /a dump was restored over its tables/;
      await refuses(job, older);
      await refuses(job, older, { env: LOSSLESS });
      expect((await job(RESTORED)).exitCode).toBe(0);
      for (const one of [anna, job]) await knows(one, 'K-1');
      await books(job, 'K-2');
      await knows(anna, 'K-2');
    });
  });

  test.each([
    ['ends with exit 10, and what was sent is recorded there', {}, 10],
    ['goes on with a note where somebody vouches for its failovers', LOSSLESS, 0],
  ])('whose standby takes over in the middle of a batch: the batch %s', async (_, env, exitCode) => {
    await withCluster(async cluster => {
      const relay = await relayTo(cluster.url);
      const rig = await createRig({ env: { WAYBILL_JOURNAL: relay.address, ...env }, journalLost: true });
      await rig.run('history check --new-journal');
      const { url, promote } = await cluster.standby({ follows: true });
      rig.file('orders.jsonl', jsonLines(orders(12)));
      let arrived = 0;
      const takenOver = async () => {
        await caughtUp(cluster, url);
        await promote();
        return url;
      };
      const ran = await rig.run('batch ship orders.jsonl --json --concurrency 1', {
        onRequest() {
          arrived += 1;
          if (arrived === 3) relay.lead(takenOver());
        },
      });
      const sent = bookedIn(ran);
      expect([ran.exitCode, sent.length]).toEqual([exitCode, exitCode === 0 ? 12 : 3]);
      if (exitCode === 0)
        expect(ran.stderr).toMatch(/was taken over \(timeline 00000002, was 00000001\) and goes on/);
      else {
        expect(ran.shown).toMatch(/has another server than before \(timeline 00000002, was/);
        const unsent = linesIn(rig).filter(({ key }) => !sent.includes(key ?? ''));
        expect(new Set(unsent.map(({ state }) => state))).toEqual(new Set(['not_sent']));
      }
      const there = await asked<{ key: string }>(
        new URL(url),
        "SELECT key FROM waybill.bookings WHERE state = 'created' ORDER BY number",
      );
      expect(there.map(({ key }) => key).sort()).toEqual(sent.toSorted());
      // Once it is known, another run books the rest.
      await at(machine(rig, 'state'), url)(RESTORED);
      const rest = await rig.run('batch ship orders.jsonl --json --results rest.jsonl');
      expect([rest.exitCode, bookedIn(rest).concat(sent).sort()]).toEqual([0, keys(12).sort()]);
    });
  });

  test('has a standby, which is refused with its primary named; the primary goes on', async () => {
    await withCluster(async cluster => {
      const rig = await createRig({ journalLost: true });
      const anna = machine(rig, 'anna');
      await books(at(anna, cluster.socket), 'K-1');
      const { url } = await cluster.standby({ follows: true });
      await caughtUp(cluster, url);
      for (const argv of [ship('K-1'), 'history list --json', 'history check --json', 'track K-1 --json']) {
        const ran = await at(anna, url)(argv, { stdin });
        expect([argv, ran.exitCode, ran.requests]).toEqual([argv, 10, []]);
        expect(errorOf(ran).message).toMatch(/is on a standby server, .*Name its primary/);
      }
      await knows(at(anna, cluster.socket), 'K-1');
    });
  });
});
