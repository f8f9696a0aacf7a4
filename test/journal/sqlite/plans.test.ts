import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newestBefore } from '../../../src/journal/prune.ts';
import { forgetRequests } from '../../../src/journal/search.ts';
import { type Steps, sql } from '../../../src/journal/sql.ts';
import { runIn, sqliteDialect } from '../../../src/journal/sqlite/dialect.ts';
import { SCHEMA } from '../../../src/journal/sqlite/schema.ts';
import { openStore, type Store } from '../../../src/sqlite.ts';
import { ANNA, localHost, NOON } from '../../rig/journal.ts';
import { temporaryFolder } from '../../rig/profile.ts';

/** A journal of one booking. `planOf`: how SQLite does the statement of these steps that begins so. */
async function watchedStore() {
  const store = await openStore(join(temporaryFolder(), 'journal.db'), {
    durability: 'full',
    schema: SCHEMA,
  });
  const request = JSON.stringify({ receiver: { address: { country: { code: 'DE' } } } });
  store.run(
    `INSERT INTO bookings (id, address, account, operation, key_space, fingerprint, state, sandbox, at, lease_until, holder,
       request) VALUES ('b', 'a', '', 'ship', 'shipment', 'f', 'created', 0, 1, 0, '{}', ?)`,
    request,
  );
  function planOf(beginning: string, steps: Steps<unknown>): string[] {
    const plans: string[] = [];
    const watched: Store = {
      ...store,
      execute(text, values, isOne) {
        if (text.startsWith(beginning))
          plans.push(store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)[0]?.detail ?? '');
        return store.execute(text, values, isOne);
      },
    };
    runIn(watched, steps);
    return plans;
  }
  return { store, planOf };
}

test('Words of pruned bookings are sought by word and number, so that other bookings with them are not read', async () => {
  const { store, planOf } = await watchedStore();
  store.run("INSERT INTO words VALUES ('=de', 1), ('=de', 2), ('', 2)");
  const dialect = sqliteDialect(
    { own: ANNA, isAlive: () => true },
    localHost(() => NOON),
  );
  expect(planOf('DELETE', forgetRequests(dialect, sql`number = 1`))).toEqual([
    'SEARCH words USING PRIMARY KEY (word=? AND number>? AND number<?)',
  ]);
  expect(store.all('SELECT word, number FROM words')).toMatchObject([
    { word: '', number: 2 },
    { word: '=de', number: 2 },
  ]);
  store.close();
});

test('The end of a prune is found in the index by time, so that newer bookings are not read', async () => {
  const { store, planOf } = await watchedStore();
  expect(planOf('SELECT', newestBefore(5))).toEqual(['SEARCH bookings USING COVERING INDEX recent (at<?)']);
  store.close();
});
