import { readFileSync } from 'node:fs';
import type { ClientBase, Pool, PoolConfig } from 'pg';
import { messageOf } from '../../errors.ts';
import { composer, type Db, raw, type Sql } from '../database.ts';

/** In ms, by the server's clock: the clocks of the machines that book may be wrong. */
export const NOW = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

export type Statements = Pick<Db, 'rows' | 'first' | 'run'>;

/** All that is done with PostgreSQL. It rejects with what the server or the network says. */
export interface Postgres {
  /** Statements, each for itself. */
  run<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** All of them or none. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** There was no connection, so no statement can have reached the server. */
export class NotReached extends Error {}

export interface PostgresSettings {
  /** `postgres://user@host:port/database`, with `sslrootcert`, `sslmode=verify-full` and `options` at most. */
  url: URL;
  /** The address without secrets. */
  place: string;
  /** Is the server on this machine? Then the connection may be unencrypted. */
  isHere: boolean;
  /** Used if the URL has no user. */
  user?: string | undefined;
  /** Used if the URL has no password. Absent: the driver uses PGPASSWORD or PGPASSFILE. */
  password?: () => Promise<string>;
  /** Shown in the server's list of connections. */
  name: string;
  /** The folder where this machine remembers what it has seen of shared journals; absent: it does not. */
  memory?: string | undefined;
}

const CONNECTIONS = 8;
const CONNECT_MS = 10_000;
export const QUERY_MS = 20_000;

/**
 * What role, database, server or address may have set differently. In a stricter isolation a claim does not see what was
 * booked while it waited for its turn, and a statement must not go on after this side gave it up.
 */
const OWN_SETTINGS = Object.entries({
  default_transaction_isolation: 'read committed',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  statement_timeout: QUERY_MS,
  lock_timeout: 0,
})
  .map(([name, value]) => `SET ${name} = '${value}'`)
  .join('; ');

/** Connects when the first statement runs. */
export async function connect(settings: PostgresSettings): Promise<Postgres> {
  const { default: pg } = await import('pg');
  const pool: Pool = new pg.Pool(configOf(settings));
  // The pool replaces an idle connection that is lost.
  pool.on('error', () => {});
  // One that is lost during a query rejects the query, and also emits an event that would end the process.
  pool.on('connect', client => void client.on('error', () => {}));

  const notReached = (error: unknown) => {
    throw new NotReached(reasonOf(error), { cause: error });
  };
  const isSet = new WeakSet<ClientBase>();
  async function connected<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(notReached);
    if (!isSet.has(client))
      await client.query(OWN_SETTINGS).catch((error: unknown) => {
        client.release(true);
        notReached(error);
      });
    isSet.add(client);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // Its state is not known: the next query gets another connection.
      client.release(true);
      throw error;
    }
  }

  return {
    run: work => connected(client => work(statementsOf(client))),
    transaction: work =>
      connected(async client => {
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
        const result = await work(statementsOf(client));
        await client.query('COMMIT');
        return result;
      }),
    close: () => pool.end(),
  };
}

const compose = composer(number => `$${number}`, storable);

function statementsOf(client: ClientBase): Statements {
  const query = (statement: Sql) => {
    const [text, ...values] = compose(statement);
    return client.query(text, values);
  };
  return {
    rows: async statement => (await query(statement)).rows,
    first: async statement => (await query(statement)).rows[0],
    run: async statement => (await query(statement)).rowCount ?? 0,
  };
}

// If a name has several addresses, there is an error for each, and the error for all has no message.
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : messageOf(error);

// PostgreSQL accepts every character but NUL.
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

function configOf({ url, isHere, user, password, name }: PostgresSettings): PoolConfig {
  const { hostname, port, pathname, searchParams } = url;
  const username = decodeURIComponent(url.username) || user;
  const given = decodeURIComponent(url.password);
  // Always given: without it the driver would use PGHOST, and no TLS.
  const host = searchParams.get('host') || hostname.replace(/^\[|\]$/g, '') || 'localhost';
  const options = searchParams.get('options');
  return {
    host,
    ...(port !== '' && { port: Number(port) }),
    ...(username !== undefined && { user: username }),
    ...(given !== '' ? { password: given } : password && { password }),
    ...(pathname.length > 1 && { database: decodeURIComponent(pathname.slice(1)) }),
    ...(options !== null && { options }),
    ssl: isHere && !asksForTls(searchParams) ? false : tlsOf(searchParams.get('sslrootcert')),
    application_name: name,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
  };
}

const asksForTls = (given: URLSearchParams): boolean => given.has('sslmode') || given.has('sslrootcert');

const tlsOf = (certificates: string | null) => ({
  // Even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  rejectUnauthorized: true,
  ...(certificates !== null && { ca: readFileSync(certificates, 'utf8') }),
});
