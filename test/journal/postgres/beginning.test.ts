import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { composer, type Sql } from '../../../src/journal/database.ts';
import type { Statements } from '../../../src/journal/postgres/connection.ts';
import { askServer } from '../../../src/journal/postgres/server.ts';
import { open } from '../../rig/journal.ts';
import { describeShared, sharedPlace } from '../../rig/postgres.ts';

const compose = composer(
  number => `$${number}`,
  value => value,
);

describeShared('Tables that another process makes in the moment in which the server is asked', () => {
  test('are not there yet, and not there without their indexes', async () => {
    const place = await sharedPlace();
    const client = new pg.Client({ connectionString: place.address });
    await client.connect();
    onTestFinished(() => client.end());
    const server = {
      async first(statement: Sql) {
        const [text, ...values] = compose(statement);
        return (await client.query(text, values)).rows[0];
      },
    } as Statements;
    // What it sees stays that of its first query, as within one statement.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    expect((await askServer(server)).tables).toEqual([]);
    await open(place.address);
    expect(await askServer(server)).toMatchObject({ tables: [], indexes: [] });
    await client.query('COMMIT');
    expect((await askServer(server)).tables).toContain('bookings');
  });
});
