// What a server, a database or a role may have set so that the journal could not keep its promise.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { booked, intentOf, open, sharedRig, ship } from '../../rig/journal.ts';
import { titled } from '../../rig/needs.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';
import { noCluster, withCluster } from '../../torture/postgres-cluster.ts';
import { QUICK } from '../../torture/size.ts';

const twin = intentOf(OPERATIONS.createShipment);

/** The address with further options of the connection. */
function withOption(address: string, option: string): string {
  const url = new URL(address);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${option}`);
  return url.href;
}

const refusal = (message: RegExp) => ({ code: 'storage', message: expect.stringMatching(message) });

describeShared('A setting of the role', () => {
  test.each([
    'default_transaction_isolation=repeatable\\ read',
    'default_transaction_isolation=serializable',
    'default_transaction_deferrable=on',
    'lock_timeout=1',
    'client_encoding=LATIN1',
    'standard_conforming_strings=off',
  ])('(%s) lets no twin through, and loses no text', async option => {
    const { address } = await sharedPlace();
    const journals = await Promise.all(
      [1, 2, 3, 4].map(process => open(withOption(address, `-c${option}`), { process })),
    );
    const claims = await Promise.all(journals.map(journal => journal.claim(twin)));
    expect(claims.map(({ kind }) => kind).sort()).toEqual(['claimed', 'twin', 'twin', 'twin']);
    const [journal] = journals;
    const id = journal && (await booked(journal, ship({ key: 'Ü \\ 日本 😀' })));
    expect((await journals[1]?.byId(id ?? ''))?.key).toBe('Ü \\ 日本 😀');
  });
});

const grant = ({ ask }: SharedPlace, rights: string) =>
  ask(`DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor;
    GRANT ${rights} ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`);

describeShared('A role', () => {
  const limited = async (rights: string, more = '') => {
    const place = await sharedPlace();
    await open(place.address);
    await grant(place, rights);
    if (more) await place.ask(more);
    return open(withOption(place.address, '-crole=pg_monitor'));
  };

  test('that may not see all rows is refused', async () => {
    await expect(
      limited('SELECT, INSERT, UPDATE, DELETE', 'ALTER TABLE bookings ENABLE ROW LEVEL SECURITY'),
    ).rejects.toMatchObject(refusal(/row security of bookings.*DISABLE ROW LEVEL SECURITY/));
  });

  test.each(['', 'REVOKE UPDATE ON waybill_schema FROM pg_monitor'])(
    'with all rights books, though it does not own the tables %s',
    async more => {
      const journal = await limited('SELECT, INSERT, UPDATE, DELETE', more);
      await booked(journal, ship({ key: 'K' }));
    },
  );
});

describeShared('A journal that was used', () => {
  /** Opened once more, it knows that it holds bookings. */
  async function used(): Promise<SharedPlace> {
    const { place, journal } = await sharedRig();
    await booked(journal, ship({ key: 'K' }));
    await journal.close();
    await open(place.address);
    return place;
  }

  test.each(['labels', 'bookings, labels, listed, made, given, facts, label_files'])(
    'and lost the tables %s is refused, also as a new one; without the others it goes on as a new one',
    async names => {
      const place = await used();
      await place.ask(`DROP TABLE ${names} CASCADE`);
      const lost = /has lost the tables .*labels.*\. Put them back .*--new-journal/;
      for (const asNew of [false, true])
        await expect(open(place.address, { asNew })).rejects.toMatchObject(refusal(lost));
      const message = await open(place.address).catch(({ message }: Error) => message);
      await place.ask(/DROP TABLE .* CASCADE/.exec(String(message))?.[0] ?? 'none');
      const fresh = await open(place.address, { asNew: true });
      expect(await fresh.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'claimed' });
      await open(place.address);
    },
  );
});

const notNow = noCluster ?? (QUICK ? 'npm run test:landing runs it' : undefined);

describe.skipIf(notNow)(titled('A server of its own (PostgreSQL)', notNow), () => {
  test('whose database cannot hold every text is refused', async () => {
    await withCluster(async ({ url }) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const encoding of ['LATIN1', 'SQL_ASCII']) {
        await client.query(
          `CREATE DATABASE ${encoding} TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`,
        );
        const address = url.replace(/postgres$/, encoding.toLowerCase());
        await expect(open(address)).rejects.toMatchObject(
          refusal(new RegExp(`cannot hold every text: .* is ${encoding}.*ENCODING 'UTF8'`)),
        );
      }
      await client.end();
    });
  });

  test('that does not sync is refused', async () => {
    await withCluster(
      async ({ url }) =>
        expect(open(url)).rejects.toMatchObject(refusal(/in a power failure: fsync is off.*SET fsync = on/)),
      { fsync: 'off' },
    );
  });
});
