// A shared journal whose server failed: a standby took over, which may lack what was confirmed last; and a standby that is read.
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
      const later =
        /its server is on timeline 00000002, and was on timeline 00000001, so a standby took over/;
      // The first has seen a booking that is gone, the second one that is there, the others nothing.
      await refuses(at(anna, url), /that this machine saw in it, is not in it any more/);
      for (const one of [ben, carla, job]) await refuses(at(one, url), later);
      const listed = await at(carla, url)('history list --json');
      expect([listed.exitCode, JSON.parse(listed.stdout).length]).toEqual([0, 1]);
      expect(listed.stderr).toMatch(later);
      await refuses(at(anna, url), /that this machine saw in it/, { env: LOSSLESS });
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
      await refuses(anna, /that this machine saw in it, is not in it any more/);
      const older = /its tables are not those that were made: a dump was restored over them/;
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
        expect(ran.stderr).toMatch(/is on timeline 00000002, and was on timeline 00000001: it goes on/);
      else {
        expect(ran.shown).toMatch(/has another server than this run began with: the timeline is 00000002/);
        const unsent = linesIn(rig).filter(({ key }) => !sent.includes(key ?? ''));
        expect(new Set(unsent.map(({ state }) => state))).toEqual(new Set(['not_sent']));
      }
      const there = await asked<{ key: string }>(
        new URL(url),
        "SELECT key FROM bookings WHERE state = 'created' ORDER BY number",
      );
      expect(there.map(({ key }) => key).sort()).toEqual(sent.toSorted());
      // Once it is known, another run books the rest.
      await at(machine(rig, 'state'), url)(RESTORED);
      const rest = await rig.run('batch ship orders.jsonl --json --results rest.jsonl');
      expect([rest.exitCode, bookedIn(rest).concat(sent).sort()]).toEqual([0, keys(12).sort()]);
    });
  });

  test('is read on its standby, which books nothing', async () => {
    await withCluster(async cluster => {
      const rig = await createRig({ journalLost: true });
      const anna = machine(rig, 'anna');
      const primary = at(anna, cluster.socket);
      await books(primary, 'K-1', 'K-2');
      await asked(
        new URL(cluster.url),
        "UPDATE bookings SET state = 'pending', settled_at = NULL, lease_until = 0 WHERE key = 'K-2'",
      );
      const { url } = await cluster.standby({ follows: true });
      await caughtUp(cluster, url);
      const standby = at(anna, url);
      const listed = await standby('history list --json');
      expect([listed.exitCode, listed.stderr]).toEqual([0, '']);
      const states = JSON.parse(listed.stdout).map(
        ({ key, state }: Record<string, string>) => `${key} ${state}`,
      );
      // Nobody sends it any more, and the standby cannot record that.
      expect(states.sort()).toEqual(['K-1 created', 'K-2 unknown']);
      for (const argv of [
        'history show K-1 --json',
        'history summary --json',
        'history list --state unknown --json',
        'track K-1 --json',
        'history check --json',
      ])
        expect([argv, (await standby(argv)).exitCode]).toEqual([argv, 0]);
      const refused = await standby(ship('K-3'), { stdin });
      expect(refused).toMatchObject({ exitCode: 10, requests: [] });
      expect(errorOf(refused).message).toMatch(
        /is that of a standby server, which is read-only; nothing was sent/,
      );
      // One that lags behind does not show whether a claim was renewed since.
      const inASecond = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 1000';
      await asked(new URL(cluster.url), `UPDATE bookings SET lease_until = ${inASecond} WHERE key = 'K-2'`);
      const behind = at(anna, (await cluster.standby()).url);
      await asked(new URL(cluster.url), 'SELECT pg_sleep(1)');
      const pending = JSON.parse((await behind('history list --state pending --json')).stdout);
      expect(pending.map(({ key }: { key: string }) => key)).toEqual(['K-2']);
      expect((await behind('history check --strict --json')).exitCode).toBe(0);
      // What is behind on the standby is not what this machine has seen last.
      await books(primary, 'K-4');
      await knows(primary, 'K-4');
    });
  });
});
