// Two journals where there should be one: what books with each of them does not see what the other has booked.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import { SECRET } from '../rig/oracles.ts';
import { describeShared, ownDatabase, sharedPlace } from '../rig/postgres.ts';
import { bareEnvironment, builtCommand, createWorld, start } from '../rig/process.ts';
import { asProduction } from '../rig/production.ts';
import { errorOf, posted, SHIPMENT } from '../rig/service.ts';
import { sampled } from '../torture/size.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K-1 --json';

describeShared('One database', () => {
  async function database() {
    const place = await ownDatabase();
    const rig = await createRig({ journalLost: true });
    const at = (WAYBILL_JOURNAL: string) => (argv: string) =>
      rig.run(argv, { stdin, env: { WAYBILL_JOURNAL } });
    const books = async (address: string) => {
      const ran = await at(address)(SHIP);
      expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
    };
    const knows = async (address: string) =>
      expect(await at(address)(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
    const refuses = async (address: string, message: RegExp) => {
      for (const argv of [
        SHIP,
        'history check --json',
        'history check --new-journal --json',
        'history list --json',
      ]) {
        const ran = await at(address)(argv);
        expect(ran).toMatchObject({ exitCode: 10, requests: [] });
        expect(errorOf(ran).message).toMatch(message);
      }
    };
    const refusesAt = async (address: string) => {
      const ran = await at(address)(SHIP);
      expect(ran).toMatchObject({ exitCode: 10, requests: [] });
      return errorOf(ran).message;
    };
    return { ...place, books, knows, refuses, refusesAt };
  }

  test('has tables in a schema that one address names: who names none is refused, whoever came first', async () => {
    const { ask, as, role, books, knows, refuses } = await database();
    const [anna, ben] = [await role(), await role()];
    await ask(`CREATE SCHEMA shipping AUTHORIZATION ${ben}`);
    await books(as(ben, 'shipping'));
    const second = /would make tables in the schema public, and there are tables of waybill in shipping;/;
    for (const address of [as(anna), as(ben), as(anna, '"$user"', 'public')]) await refuses(address, second);
    await ask('ALTER SCHEMA shipping RENAME TO archive');
    await ask(`ALTER ROLE ${ben} SET search_path = archive`);
    await refuses(as(anna), /there are tables of waybill in archive;/);
    await ask('DROP SCHEMA archive CASCADE');
    await books(as(anna));
    await ask(`CREATE SCHEMA dispatch AUTHORIZATION ${ben}`);
    await books(as(ben, 'dispatch'));
    await refuses(as(anna), /is not the only one in its database: the schemas dispatch and public/);
    await knows(as(anna, 'public'));
    await knows(as(ben, 'dispatch'));
  });

  test('gets tables in another schema while a command that names none waits to make its own: it is refused', async () => {
    const { ask, address, refusesAt } = await database();
    await ask('CREATE SCHEMA shipping');
    const other = new pg.Client({ connectionString: address });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock(8027011)');
    await other.query('CREATE TABLE shipping.waybill_schema (version integer)');
    const refused = refusesAt(address);
    while ((await ask("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length === 0);
    await other.query('COMMIT');
    expect(await refused).toMatch(/would make tables in the schema public, .* waybill in shipping;/);
    expect(await ask("SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});

describe('The file of a journal', () => {
  const noMounts = spawnSync('unshare', ['--mount', 'true']).status !== 0 && 'this user may not mount a file';
  describe.skipIf(noMounts)(titled('on Linux', noMounts), () => {
    const command = builtCommand();

    test('that is mounted by itself is refused; a mounted folder is not', async () => {
      const world = await createWorld({ journalLost: true });
      const folder = (name: string) => join(world.folder, name);
      const mounted = (what: string, where: string) =>
        start(
          'unshare',
          [
            ...['--mount', 'sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', what, where],
            ...[process.execPath, command(), ...SHIP.split(' ')],
          ],
          { env: { ...world.env, WAYBILL_STATE_DIR: folder('other place') }, cwd: world.folder, stdin },
        ).ended;
      expect(
        (await start(process.execPath, [command(), ...SHIP.split(' ')], { env: world.env, stdin }).ended)
          .code,
      ).toBe(0);
      mkdirSync(folder('other place'));
      writeFileSync(folder('other place/journal.db'), '');
      const file = await mounted(folder('state/journal.db'), folder('other place/journal.db'));
      expect([file.code, errorOf({ stderr: file.stderr, exitCode: 10 }).message]).toEqual([
        10,
        expect.stringMatching(/journal\.db is mounted by itself.*nothing was sent.*mount its folder/i),
      ]);
      expect(await mounted(folder('state'), folder('other place'))).toMatchObject({ code: 0 });
      expect(world.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });
  });
});

describeShared('Two commands at one moment, one with the local journal and one with a shared one', () => {
  const command = builtCommand();

  test.each(sampled([1, 2, 3], 3))(
    'book one key once, and one of the two is exit 10 (round %i)',
    async () => {
      const { address } = await sharedPlace();
      const rig = await createRig({ journalLost: true });
      const seen: string[] = [];
      const env = { ...bareEnvironment(rig.folder), ...(await asProduction(rig)), WAYBILL_TOKEN: SECRET };
      const begun = ['', address, '', address].map(journal =>
        start(process.execPath, [command(), ...SHIP.split(' ')], {
          env: { ...env, WAYBILL_JOURNAL: journal },
          cwd: rig.folder,
          stdin,
        }),
      );
      const ended = await Promise.all(begun.map(one => one.ended));
      for (const { code, stderr, stdout } of ended) {
        expect([0, 10]).toContain(code);
        if (code === 0) seen.push(JSON.parse(stdout).id);
        else
          expect(errorOf({ stderr, exitCode: 10 }).message).toMatch(
            /was booked last in the journal .*; nothing was sent/,
          );
      }
      // The two with one journal are one booking.
      expect(ended.map(({ code }) => code).sort()).toEqual([0, 0, 10, 10]);
      expect(new Set(seen).size).toBe(1);
    },
  );
});
