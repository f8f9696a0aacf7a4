// Where the tests find PostgreSQL: at WAYBILL_TEST_POSTGRES, else on this machine, else nowhere. Each test has a schema
// of its own, which goes away with it.
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import pg from 'pg';
import { describe, onTestFinished } from 'vitest';

export const NO_POSTGRES = 'no PostgreSQL answers: set WAYBILL_TEST_POSTGRES';

const HERE = 'postgres://127.0.0.1:5432/test';

/** The server, with a user; `undefined`: there is none. One that is named, and does not answer, is an error. */
const server = await found(process.env.WAYBILL_TEST_POSTGRES);

async function found(named: string | undefined): Promise<URL | undefined> {
  if (named === 'none') return undefined;
  const url = new URL(named || HERE);
  url.username ||= process.env.PGUSER ?? userInfo().username;
  try {
    await asked(url, 'SELECT 1');
    return url;
  } catch (error) {
    if (named) throw new Error(`no PostgreSQL answers at ${named}`, { cause: error });
    return undefined;
  }
}

async function asked<Row>(url: URL, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** A part of a journal that no two tests share. */
export interface SharedPlace {
  /** For WAYBILL_JOURNAL. */
  address: string;
  /** Asks the server, in the schema of the journal. */
  ask<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Asks in a transaction of its own, which is open until what is given back is called. */
  hold(sql: string): Promise<() => Promise<void>>;
  /** Makes everything that is recorded so many ms older: the server's clock cannot be set. */
  age(ms: number): Promise<void>;
}

/** An empty schema, dropped when the test ends. */
export async function sharedPlace(): Promise<SharedPlace> {
  if (!server) throw new Error(NO_POSTGRES);
  const schema = `waybill_test_${randomBytes(6).toString('hex')}`;
  await asked(server, `CREATE SCHEMA ${schema}`);
  onTestFinished(async () => void (await asked(server, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)));
  const url = new URL(server);
  url.searchParams.set('options', `-csearch_path=${schema}`);
  const ask = <Row>(sql: string, ...values: unknown[]) => asked<Row>(url, sql, values);
  return {
    address: url.href,
    ask,
    async hold(sql) {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.query('BEGIN');
      await client.query(sql);
      return () => client.end();
    },
    age: async ms => {
      await ask('UPDATE bookings SET at = at - $1::bigint, lease_until = lease_until - $1::bigint', ms);
    },
  };
}

/** Tests that need PostgreSQL; where there is none they are skipped, and their name says why. */
export const describeShared = (name: string, tests: () => void): void =>
  void (server ? describe(name, tests) : describe.skip(`${name} (${NO_POSTGRES})`, tests));

export type JournalKind = 'local' | 'shared';

/** One suite for both journals: the commands do not know which one they have. */
export function describeBoth(name: string, tests: (journal: JournalKind) => void): void {
  describe(`${name}, in the journal of this machine`, () => tests('local'));
  describeShared(`${name}, in a shared journal`, () => tests('shared'));
}
