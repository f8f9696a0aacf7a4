import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetRequests } from '../../../src/journal/search.ts';
import { sql } from '../../../src/journal/sql.ts';
import { runIn, sqliteDialect } from '../../../src/journal/sqlite/dialect.ts';
import { MIGRATIONS } from '../../../src/journal/sqlite/schema.ts';
import { openStore, type Store } from '../../../src/sqlite.ts';
import { ANNA, localHost, NOON } from '../../rig/journal.ts';
import { temporaryFolder } from '../../rig/profile.ts';

test('Words of pruned bookings are sought by word and number, so that other bookings with them are not read', async () => {
  const store = await openStore(join(temporaryFolder(), 'journal.db'), {
    durability: 'full',
    migrations: MIGRATIONS,
  });
  const request = JSON.stringify({ receiver: { address: { country: { code: 'DE' } } } });
  store.run(
    `INSERT INTO bookings (id, address, account, operation, key_space, fingerprint, state, sandbox, at, lease_until, holder,
       request) VALUES ('b', 'a', '', 'ship', 'shipment', 'f', 'created', 0, 1, 0, '{}', ?)`,
    request,
  );
  store.run("INSERT INTO words VALUES ('=de', 1), ('=de', 2), ('', 2)");
  const plans: string[] = [];
  const watched: Store = {
    ...store,
    execute(text, values, isOne) {
      if (text.startsWith('DELETE'))
        plans.push(store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)[0]?.detail ?? '');
      return store.execute(text, values, isOne);
    },
  };
  const dialect = sqliteDialect(
    { own: ANNA, isAlive: () => true },
    localHost(() => NOON),
  );
  runIn(watched, forgetRequests(dialect, sql`number = 1`));
  expect(plans).toEqual(['SEARCH words USING PRIMARY KEY (word=? AND number>? AND number<?)']);
  expect(store.all('SELECT word, number FROM words')).toMatchObject([
    { word: '', number: 2 },
    { word: '=de', number: 2 },
  ]);
  store.close();
});
