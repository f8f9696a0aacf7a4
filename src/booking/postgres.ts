import { readFileSync } from 'node:fs';
import type { Pool, PoolConfig } from 'pg';
import { isLoopback } from '../contract/rules.ts';
import { Failure, messageOf } from '../errors.ts';

/** The few things that we do with PostgreSQL. All of it rejects with what the server or the network says. */
export interface Postgres {
  query: Query;
  /** All or nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** No connection was made, so that nothing of a statement can have reached the server. */
export class NotReached extends Error {}

export interface PostgresSettings {
  /** `postgres://user@host:port/database`, with `sslrootcert`, `sslmode=verify-full` and `options` at most. */
  url: URL;
  /** Where the URL has none, and neither PGPASSWORD nor PGPASSFILE is meant to. */
  password?: () => Promise<string>;
  /** For whoever looks at the connections of the server. */
  name: string;
}

const CONNECTIONS = 8;
const CONNECT_MS = 10_000;
const QUERY_MS = 20_000;

/** Connects at the first statement. */
export async function connect(settings: PostgresSettings): Promise<Postgres> {
  const { default: pg } = await import('pg');
  const pool: Pool = new pg.Pool(configOf(settings));
  // One that is idle and lost is replaced by the next that is asked for.
  pool.on('error', () => {});

  async function connected<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new NotReached(messageOf(error), { cause: error });
    });
    try {
      const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows);
      client.release();
      return result;
    } catch (error) {
      // What it is in the middle of is not known: the next one gets another.
      client.release(true);
      throw error;
    }
  }

  return {
    query: (sql, values) => connected(query => query(sql, values)),
    transaction: work =>
      connected(async query => {
        await query('BEGIN');
        const result = await work(query);
        await query('COMMIT');
        return result;
      }),
    close: () => pool.end(),
  };
}

function configOf({ url, password, name }: PostgresSettings): PoolConfig {
  const { hostname, port, username, pathname, searchParams } = url;
  const given = decodeURIComponent(url.password);
  const host = searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, '');
  const options = searchParams.get('options');
  return {
    ...(host !== '' && { host }),
    ...(port !== '' && { port: Number(port) }),
    ...(username !== '' && { user: decodeURIComponent(username) }),
    ...(given !== '' ? { password: given } : password && { password }),
    ...(pathname.length > 1 && { database: decodeURIComponent(pathname.slice(1)) }),
    ...(options !== null && { options }),
    ssl: isHere(url) && !searchParams.has('sslmode') ? false : tlsOf(searchParams.get('sslrootcert')),
    application_name: name,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
  };
}

const tlsOf = (certificates: string | null) => ({
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  rejectUnauthorized: true,
  ...(certificates !== null && { ca: readFileSync(certificates, 'utf8') }),
});

/** On this machine: a socket of its own, or loopback. */
const isHere = ({ hostname, searchParams }: URL): boolean =>
  (searchParams.get('host') ?? hostname) === '' ||
  (searchParams.get('host')?.startsWith('/') ?? isLoopback(hostname));

const PARAMETERS = ['sslmode', 'sslrootcert', 'options', 'host'];

/** Reads the address of a journal. Throws `usage`, without showing a password; `where` is what gave it. */
export function parseJournalAddress(given: string, where: string): URL {
  const refuse = (why: string) => new Failure('usage', `${where} ${why}; nothing was sent`);
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given))
    throw refuse('is no address of a journal: it looks like postgres://waybill@db.example.com/waybill');
  const url = new URL(given);
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw refuse(`has the parameter ${JSON.stringify(name)}; there are ${PARAMETERS.join(', ')}`);
  const host = url.searchParams.get('host');
  if (host !== null && !host.startsWith('/'))
    throw refuse('takes a folder of sockets as host=, such as /run/postgresql');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full')
    throw refuse(
      `asks for sslmode=${mode}, and a connection to another machine is always verified; leave it out, and name the server's own authority with sslrootcert=FILE`,
    );
  if (url.hash !== '') throw refuse('has a #, which has to be written as %23');
  return url;
}

/** The address as it may be shown: without a password. */
export function shownAddress(url: URL): string {
  const { hostname, port, pathname, searchParams } = url;
  return `postgres://${hostname || (searchParams.get('host') ?? '')}${port && `:${port}`}${pathname}`;
}
