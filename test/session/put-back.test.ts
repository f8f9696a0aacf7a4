// A journal that was put back to an older state, or is in another place than it was: nothing is booked with it until a
// person says that this is known.

import { copyFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { bookedIn, jsonLines, keys, orders } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { machine } from '../rig/journal.ts';
import { describeShared, ownDatabase, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { errorOf, posted } from '../rig/service.ts';
import { books, knows, RESTORED, type Run, refuses, ship, stdin } from './machines.ts';

const GONE = /has lost bookings: .*, seen here .* is gone.*history check --restored/;
type Machine = ReturnType<typeof machine>;

/** When the booking of a key was made, as JSON shows it. */
async function timeOf(run: Run, key: string): Promise<string> {
  const [row] = JSON.parse((await run(`history list --key ${key} --json`)).stdout);
  return row.at;
}

describe('A local journal', () => {
  /** A machine that has booked K-1 and K-2, and a backup from between, by `history backup` and as a plain copy. */
  async function used() {
    const rig = await createRig({ journalLost: true });
    const file = join(rig.folder, 'state/journal.db');
    const run = machine(rig, 'state');
    await books(run, 'K-1');
    merge(file);
    const older = { backup: join(rig.folder, 'backup.db'), copy: join(rig.folder, 'copy.db') };
    expect((await run(['history', 'backup', older.backup])).exitCode).toBe(0);
    copyFileSync(file, older.copy);
    await rig.later(60_000);
    await books(run, 'K-2');
    merge(file);
    return { rig, file, run, older };
  }

  /** The commands of a test have one process, which has not ended. */
  function merge(file: string): void {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }

  /** The state folder as a machine has it that lost its power after these commands. */
  async function crash(rig: Rig, file: string, commands: () => Promise<void>): Promise<string> {
    const held = new DatabaseSync(file);
    held.prepare('SELECT number FROM bookings').all();
    await commands();
    const folder = join(rig.folder, 'crashed');
    cpSync(join(rig.folder, 'state'), folder, { recursive: true });
    rmSync(join(folder, 'journal.db-shm'), { force: true });
    held.close();
    return join(folder, 'journal.db');
  }

  test.each(['backup', 'copy'] as const)(
    'that is an older %s beside the -wal of a crash is exit 10, and neither file is changed',
    async kind => {
      const { rig, file, older } = await used();
      const crashed = await crash(rig, file, () => books(machine(rig, 'state'), 'K-3', 'K-4'));
      const run = machine(rig, 'crashed');
      copyFileSync(older[kind], crashed);
      await refuses(run, /journal\.db is a copy, or older than its -wal.*move its -wal/, { key: 'K-3' });
      expect(await run('history list')).toMatchObject({ exitCode: 10 });
      expect(await run(RESTORED)).toMatchObject({ exitCode: 10 });
      // The right file has lost nothing.
      copyFileSync(file, crashed);
      await knows(run, 'K-1', 'K-2', 'K-3', 'K-4');
    },
  );

  test('that is a copy of a copy is exit 10 from when the first one was made, and so is a copy of one that is in use again', async () => {
    const { rig, older } = await used();
    const putBack = (copy: string, name: string) => {
      mkdirSync(join(rig.folder, name));
      copyFileSync(copy, join(rig.folder, name, 'journal.db'));
      return machine(rig, name);
    };
    const IS_COPY = /journal\.db is a backup of 2026-03-02T09:00:00\.000Z, .*history check --restored/;
    const again = join(rig.folder, 'again.db');
    const copying = await putBack(older.backup, 'second')(['history', 'backup', again, '--json']);
    expect([copying.exitCode, copying.stderr]).toEqual([0, expect.stringMatching(IS_COPY)]);
    const third = putBack(again, 'third');
    await refuses(third, IS_COPY);
    expect((await third(RESTORED)).exitCode).toBe(0);
    // What a person said of one copy is not said of the file that it was made from.
    await refuses(putBack(older.backup, 'beside'), IS_COPY);
    const last = join(rig.folder, 'last.db');
    expect((await third(['history', 'backup', last])).exitCode).toBe(0);
    await refuses(putBack(last, 'fourth'), /is a backup of 2026-03-02T09:01:00/);
  });

  test('goes on after a crash, many times, and where its whole folder was moved or put back with its marker', async () => {
    const { rig, file } = await used();
    const folder = join(rig.folder, 'state');
    cpSync(folder, join(rig.folder, 'earlier'), { recursive: true });
    await crash(rig, file, () => books(machine(rig, 'state'), 'K-3'));
    await knows(machine(rig, 'crashed'), 'K-1', 'K-2', 'K-3');
    await books(machine(rig, 'crashed'), 'K-5');
    renameSync(join(rig.folder, 'crashed'), join(rig.folder, 'moved'));
    await knows(machine(rig, 'moved'), 'K-3', 'K-5');
    await knows(machine(rig, 'earlier'), 'K-1', 'K-2');
  });
});

describeShared('A shared journal', () => {
  /** Two machines, which have booked K-1 and K-2 and have both seen that. */
  async function used() {
    const place = await sharedPlace();
    const rig = await createRig({ journalLost: true, env: { WAYBILL_JOURNAL: place.address } });
    const [anna, ben] = [machine(rig, 'anna'), machine(rig, 'ben')];
    await books(anna, 'K-1', 'K-2');
    await knows(ben, 'K-2');
    return { place, rig, anna, ben, carla: machine(rig, 'carla') };
  }

  const putBack = ({ ask }: SharedPlace, key = 'K-2') =>
    ask(
      `WITH gone AS (SELECT id FROM bookings WHERE key = '${key}'), m AS (DELETE FROM made USING gone WHERE booking = gone.id)
       DELETE FROM bookings USING gone WHERE bookings.id = gone.id`,
    );

  const COPY = /it is a copy \((oid|system identifier) \d+, was \d+\)\. .*history check --restored/;

  test('in a copy of its database is exit 10, and the database itself goes on', async () => {
    const database = await ownDatabase();
    const rig = await createRig({ journalLost: true });
    const [anna, ben] = [machine(rig, 'anna'), machine(rig, 'ben')];
    const at = (address: string) => ({ stdin, env: { WAYBILL_JOURNAL: address } });
    expect((await anna(ship('K-1'), at(database.address))).exitCode).toBe(0);
    const { address } = await ownDatabase(database.name);
    for (const run of [anna, ben]) {
      const ran = await run(ship('K-2'), at(address));
      expect(ran).toMatchObject({ exitCode: 10, requests: [] });
      expect(errorOf(ran).message).toMatch(COPY);
      expect(await run(ship('K-1'), at(database.address))).toMatchObject({ exitCode: 0, requests: [] });
    }
  });

  const LATER = /\(timeline \w+, was 000000AA\).*history check --restored/;

  test('gets what the results of a batch have before one says that it was put back: no other machine can book it first', async () => {
    const { place, rig, anna, carla } = await used();
    const since = await timeOf(anna, 'K-2');
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = 'batch ship orders.jsonl --json';
    expect(bookedIn(await anna(batch))).toEqual(keys(2));
    for (const key of keys(2)) await putBack(place, key);
    await place.ask("UPDATE waybill_schema SET timeline = '000000AA'");
    await rig.later(60_000);
    const imported = await carla('history import orders.results.jsonl --done none --json');
    expect([imported.exitCode, JSON.parse(imported.stdout)]).toMatchObject([0, { taken: 2, held: 0 }]);
    expect(imported.stderr).toMatch(LATER);
    await refuses(anna, GONE);
    await refuses(carla, LATER);
    expect(JSON.parse((await carla(RESTORED)).stdout)).toMatchObject({ missingSince: since });
    const again = await carla(batch);
    expect([again.exitCode, bookedIn(again)]).toEqual([0, []]);
  });

  test('that was emptied is exit 10 for an import, too, which would hide that', async () => {
    const { place, rig, anna, carla } = await used();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    expect(bookedIn(await anna('batch ship orders.jsonl'))).toEqual(keys(1));
    for (const key of ['K-1', 'K-2', ...keys(1)]) await putBack(place, key);
    expect(await carla('history import orders.results.jsonl --done none')).toMatchObject({ exitCode: 10 });
    await refuses(carla, /has lost its bookings\. .*--new-journal/);
  });

  const ASK = ['pg_control_system()', 'pg_walfile_name(pg_lsn)', 'pg_current_wal_lsn()'];

  test.each(ASK)(
    'whose role may not run %s goes on with a warning, and not where a journal is required',
    async name => {
      const database = await ownDatabase();
      await database.ask(`REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`);
      await database.ask('CREATE SCHEMA waybill AUTHORIZATION pg_monitor');
      const rig = await createRig({ journalLost: true, env: { WAYBILL_JOURNAL: database.as('pg_monitor') } });
      const ran = await rig.run(ship('K-1'), { stdin });
      expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
      expect(ran.stderr).toMatch(
        /"warning":.*may not ask its server\. .*GRANT EXECUTE ON FUNCTION pg_control_system/,
      );
      const required = { stdin, env: { WAYBILL_REQUIRE_JOURNAL: '1' } };
      const refused = await rig.run(ship('K-2'), required);
      expect(refused).toMatchObject({ exitCode: 10, requests: [] });
      const { message } = errorOf(refused);
      expect(message).toMatch(
        /may not ask its server, and WAYBILL_REQUIRE_JOURNAL is set; nothing was sent\./,
      );
      expect(await rig.run('history list', required)).toMatchObject({ exitCode: 0 });
      // What it may ask is recorded, and all of it once it may.
      const [before] = await database.ask<Record<string, unknown>>(
        'SELECT system, timeline FROM waybill_schema',
      );
      expect([before?.system === null, before?.timeline === null]).toEqual([
        name === ASK[0],
        name !== ASK[0],
      ]);
      const [, grant = ''] = /: (GRANT .*)$/.exec(message) ?? [];
      await database.ask(grant);
      expect(posted(await rig.run(ship('K-2'), required))).toHaveLength(1);
      const [after] = await database.ask<Record<string, unknown>>(
        'SELECT system, timeline FROM waybill_schema',
      );
      expect(after).toEqual({ system: expect.any(String), timeline: expect.stringMatching(/^\w{8}$/) });
      await database.ask('DELETE FROM made');
      await database.ask('DELETE FROM bookings');
      expect(await rig.run(ship('K-1'), { stdin })).toMatchObject({ exitCode: 10, requests: [] });
    },
  );

  test.each<[string, (rig: Rig, ran: Machine) => unknown]>([
    ['moved', ({ folder }) => renameSync(join(folder, 'anna'), join(folder, 'next'))],
    ['put back to an older one', ({ folder }) => renameSync(join(folder, 'earlier'), join(folder, 'next'))],
    ['not to be written', ({ folder }) => writeFileSync(join(folder, 'next'), '')],
    ['new', () => {}],
    [
      'the same, and the bookings were pruned',
      async ({ folder }, anna) => {
        expect((await anna('history prune --older-than 0s --yes')).exitCode).toBe(0);
        renameSync(join(folder, 'anna'), join(folder, 'next'));
      },
    ],
  ])('goes on where the state folder is %s', async (_, change) => {
    const { rig, anna } = await used();
    cpSync(join(rig.folder, 'anna'), join(rig.folder, 'earlier'), { recursive: true });
    await books(anna, 'K-3');
    await rig.later(1000);
    await change(rig, anna);
    const next = machine(rig, 'next');
    await knows(next, 'K-1', 'K-2', 'K-3');
    await books(next, 'K-4');
    await knows(next, 'K-4');
  });
});
