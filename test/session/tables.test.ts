// What the tables of a shared journal and the role need: all that makes a key unique to book, and SELECT alone to look back.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { errorOf, posted } from '../rig/service.ts';
import { books, ship, stdin } from './machines.ts';

async function used() {
  const place = await sharedPlace();
  const rig = await createRig({ env: { WAYBILL_JOURNAL: place.address } });
  await books(rig.run, 'K-1', 'K-2');
  return { place, rig };
}

const BY_HAND =
  'CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id COLLATE "default") WHERE key_id IS NOT NULL';

describeShared('Tables', () => {
  test('compare all text byte by byte', async () => {
    const { place } = await used();
    const columns = await place.ask<{ collation: string }>(
      `SELECT DISTINCT collname AS collation FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
         JOIN pg_collation ON pg_collation.oid = attcollation
       WHERE relnamespace = current_schema::regnamespace AND attnum > 0`,
    );
    expect(columns).toEqual([{ collation: 'C' }]);
  });

  test.each([
    [
      'without the index of keys',
      'DROP INDEX one_key',
      /table bookings has no unique index .* for address, account, key_space, key_id[;.]/,
    ],
    [
      'with an index of keys that also holds those that were released',
      `DROP INDEX one_key; CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)`,
      /has no unique index/,
    ],
    [
      'with an index of keys in another order',
      `DROP INDEX one_key; ${BY_HAND}`,
      /has no unique index with the collation "C"/,
    ],
    [
      'with an index that is not valid',
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'one_key'::regclass`,
      /has an index that is not valid \(one_key\)/,
    ],
    [
      'without a primary key',
      'ALTER TABLE labels DROP CONSTRAINT labels_pkey',
      /table labels has no unique index/,
    ],
    [
      'without the unique index of restorations',
      'ALTER TABLE restorations DROP CONSTRAINT restorations_id_key',
      /table restorations has no unique index .* for id[;.]/,
    ],
    [
      'with a column of keys in another order',
      'ALTER TABLE bookings ALTER COLUMN key_id TYPE text COLLATE "default"',
      /table bookings has no unique index with the collation "C"/,
    ],
    [
      'with columns of a primary key in another order',
      'ALTER TABLE labels ALTER COLUMN shipment TYPE text COLLATE "default", ALTER COLUMN leg TYPE text COLLATE "default"',
      /table labels has no unique index with the collation "C"/,
    ],
    [
      'that a crash of the server empties',
      ['labels', 'label_files', 'listed', 'made', 'given', 'facts', 'bookings']
        .map(table => `ALTER TABLE ${table} SET UNLOGGED`)
        .join('; '),
      /in a crash: 7 of its tables are UNLOGGED.*\.bookings SET.*\.facts SET.*\.given SET.*\.label_files SET.*\.labels SET.*\.listed SET.*\.made SET LOGGED/,
    ],
  ])(
    '%s are exit 10, they can still be read, and the SQL of the message mends them',
    async (_, change, says) => {
      const { place, rig } = await used();
      await place.ask(change);
      let message = '';
      for (const argv of [ship('K-1'), ship('K-3'), 'history check --json']) {
        const refused = await rig.run(argv, { stdin });
        expect([argv, refused.exitCode, refused.requests]).toEqual([argv, 10, []]);
        ({ message } = errorOf(refused));
        expect(message).toMatch(says);
        expect(message).toContain('nothing was sent. As the owner of the tables: ');
      }
      const listed = await rig.run('history list --json');
      expect([listed.exitCode, JSON.parse(listed.stdout).length]).toEqual([0, 2]);
      expect(listed.stderr.replaceAll('\\"', '"')).toMatch(says);
      const [, mend = ''] = /As the owner of the tables: (.*?)(\. If that finds .*)?$/s.exec(message) ?? [];
      await place.ask(mend);
      expect(await rig.run(ship('K-1'), { stdin })).toMatchObject({ exitCode: 0, requests: [] });
      expect(posted(await rig.run(ship('K-3'), { stdin }))).toHaveLength(1);
    },
  );
});

/** The address for a role that has only these rights. */
async function granted(place: SharedPlace, rights: string): Promise<string> {
  await place.ask(`DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor;
    GRANT ${rights} ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`);
  const url = new URL(place.address);
  url.searchParams.set('options', `${url.searchParams.get('options')} -crole=pg_monitor`);
  return url.href;
}

describeShared('A role', () => {
  test('that has SELECT alone looks back as others do, and can record nothing', async () => {
    const { place, rig } = await used();
    await place.ask(
      "UPDATE bookings SET state = 'pending', settled_at = NULL, lease_until = 0 WHERE key = 'K-2'",
    );
    const env = { WAYBILL_JOURNAL: await granted(place, 'SELECT') };
    for (const argv of ['history list --state unknown', 'track --active']) {
      const ran = await rig.run(`${argv} --json`, { env });
      expect([argv, ran.exitCode, ran.stderr]).toEqual([argv, 0, '']);
    }
    expect(await rig.json('history check', { env })).toMatchObject({ bookings: 2, unknown: 1 });
    const states = await rig.json('history list', { env });
    // Its process is gone, and this role cannot record that.
    expect(states.map(({ key, state }: Record<string, string>) => `${key} ${state}`)).toEqual([
      'K-2 unknown',
      'K-1 created',
    ]);
    expect(await place.ask("SELECT state FROM bookings WHERE key = 'K-2'")).toEqual([{ state: 'pending' }]);
    for (const argv of [
      'history resolve K-2 --not-created --force --reason x --json',
      'history cancelled K-1 --reason x --json',
    ]) {
      const refused = await rig.run(argv, { stdin, env });
      expect([argv, refused.exitCode, refused.requests]).toEqual([argv, 10, []]);
      expect(errorOf(refused).message).toMatch(/the role "pg_monitor" lacks .*; nothing was sent\. .*GRANT/);
    }
  });

  test('that has a part of the rights looks back with a warning, and cannot book', async () => {
    const { place, rig } = await used();
    const env = { WAYBILL_JOURNAL: await granted(place, 'SELECT, INSERT, UPDATE') };
    const lacks = /the role "pg_monitor" lacks DELETE ON bookings, /;
    const listed = await rig.run('history list --json', { env });
    expect([listed.exitCode, JSON.parse(listed.stdout).length]).toEqual([0, 2]);
    expect(listed.stderr.replaceAll('\\"', '"')).toMatch(lacks);
    for (const argv of [ship('K-3'), 'history check --json']) {
      const refused = await rig.run(argv, { stdin, env });
      expect([refused.exitCode, refused.requests]).toEqual([10, []]);
      expect(errorOf(refused).message).toMatch(lacks);
    }
  });
});
