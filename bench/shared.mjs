// Finds PostgreSQL for the benchmark: at WAYBILL_TEST_POSTGRES or on this machine.
import { userInfo } from 'node:os';
import pg from 'pg';

const HERE = 'postgres://127.0.0.1:5432/test';

/** A schema that is emptied before each run and dropped in the end, or undefined if no server answers. */
export async function sharedJournal() {
  const named = process.env.WAYBILL_TEST_POSTGRES;
  if (named === 'none') return undefined;
  const url = new URL(named || HERE);
  url.username ||= process.env.PGUSER ?? userInfo().username;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  // The next statement says that a server has gone away.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    if (named) throw new Error(`no PostgreSQL answers at WAYBILL_TEST_POSTGRES: ${error.message}`);
    return undefined;
  }
  const schema = `waybill_bench_${process.pid}`;
  const drop = () => client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  const address = new URL(url);
  address.searchParams.set('options', `-csearch_path=${schema}`);
  return {
    /** For WAYBILL_JOURNAL. */
    address: address.href,
    async empty() {
      await drop();
      await client.query(`CREATE SCHEMA ${schema}`);
    },
    async close() {
      await drop();
      await client.end();
    },
  };
}
