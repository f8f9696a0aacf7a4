// The connections of a process to a shared journal, and which database each of them has reached.
import { readFileSync } from 'node:fs';
import type { ClientBase, Pool, PoolConfig, QueryResult } from 'pg';
import { Failure } from '../../errors.ts';
import type { Notice } from '../../say/notices.ts';
import { messageOf, systemCode } from '../../system-errors.ts';
import { composer, type Db, raw, type Sql } from '../database.ts';

/** The present time in ms, by the server's clock: the clocks of the machines that book may be wrong. */
export const NOW_TEXT = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
export const NOW = raw(NOW_TEXT);

export type Statements = Pick<Db, 'rows' | 'first' | 'run'>;

/** All access to PostgreSQL. Each method rejects with the error of the server or the network. */
export interface Postgres {
  /** Runs statements, each in a transaction of its own. */
  run: Work;
  /** Runs statements in one transaction: all of them take effect, or none. */
  transaction: Work;
  /** The database that the first connection has reached; a connection is made first if there was none. */
  identity(): Promise<Identity>;
  /** Has a connection reached another database, or another timeline, than the first one did? */
  hasChanged(): boolean;
  close(): Promise<void>;
}

/**
 * `isForSent`: the work is for bookings that were sent, and runs even if the server has changed. Other work rejects with `ServerChanged`.
 */
export interface WorkOptions {
  isForSent?: boolean;
}

type Work = <T>(work: (statements: Statements) => Promise<T>, options?: WorkOptions) => Promise<T>;

/** There was no connection, so no statement can have reached the server. */
export class NotReached extends Error {}

/** The server is not the one with which this process began. The `cause` is the failure to show. */
export class ServerChanged extends NotReached {}

/**
 * Is this an error of a server that refused, so that nothing was written? Not if the connection was lost (08) or the server ended (57,
 * 58).
 */
export const isRefusal = (error: unknown): boolean =>
  /^(?!08|57|58)[0-5][0-9A-Z]{4}$/.test(systemCode(error) ?? '');

export interface PostgresSettings {
  /** The address of the journal, as `parseJournalAddress` gives it. */
  url: URL;
  /** The address without secrets, for messages. */
  journalName: string;
  /** Is the server on this machine? Then the connection may be unencrypted. */
  isHere: boolean;
  /** The user, if the URL has none. */
  user?: string | undefined;
  /** Gives the password, if the URL has none. Absent: the driver uses PGPASSWORD or PGPASSFILE. */
  password?: () => Promise<string>;
  /** What the server's list of connections shows for this process. */
  name: string;
  /** The folder where this machine remembers what it has seen of shared journals; absent: it remembers nothing. */
  memory?: string | undefined;
  /** Does somebody vouch that no confirmed commit is lost when a standby takes over? */
  isLossless?: boolean;
  /** Gets notices that a person may know, and need not act on. */
  note?(notice: Notice): void;
}

/** Which database a connection has reached, as texts. `null`: the role may not ask. */
export interface Identity {
  /** The system identifier of the server: a copy by a dump has another one. */
  system: string | null;
  /** The oid of the database in the server. */
  database: string;
  /**
   * The timeline of the server: it changes when a standby takes over, or the server is put back to an earlier moment. A standby has none,
   * and is refused.
   */
  timeline: string | null;
}

const SYSTEM = '(SELECT system_identifier::text FROM pg_control_system()) AS system';
// pg_control_checkpoint() would give the earlier timeline for a while after a standby took over.
const TIMELINE =
  'CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline';
const UNKNOWN = { system: 'NULL::text AS system', timeline: 'NULL::text AS timeline' };

/** The queries by which a connection asks which database it has reached: each for a role that may not run the one before. */
const QUESTIONS = [
  [SYSTEM, TIMELINE],
  [UNKNOWN.system, TIMELINE],
  [SYSTEM, UNKNOWN.timeline],
  [UNKNOWN.system, UNKNOWN.timeline],
].map(
  columns =>
    `SELECT ${columns.join(', ')}, (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database`,
);

/** Was a query refused because the role lacks a right, or because the server (of some services) lacks the function? */
const isNotAllowed = (error: unknown): boolean =>
  ['42501', '42883', '0A000'].includes(systemCode(error) ?? '');

/** The first part of an identity that differs from the `known` one, if both parts are known; `undefined`: none differs. */
export function differenceOf(known: Readonly<Record<keyof Identity, string | null>>, identity: Identity) {
  for (const kind of ['system', 'database', 'timeline'] as const) {
    const [was, is] = [known[kind], identity[kind]];
    // step: identity compared
    if (was !== null && is !== null && was !== is) return { kind, was, is };
  }
  return undefined;
}

const CONNECTIONS = 8;
const CONNECT_SECONDS = 10;
export const QUERY_MS = 20_000;

/**
 * Settings of each connection, because role, database, server or address may have others. In a stricter isolation a claim does not see
 * what was booked while it waited for its turn; and a statement must not go on after this process gave it up.
 */
const OWN_SETTINGS = Object.entries({
  default_transaction_isolation: 'read committed',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  statement_timeout: QUERY_MS,
  lock_timeout: 0,
})
  .map(([name, value]) => `SET ${name} = '${value}'; `)
  .join('');

/** The schema of the tables, unless the address names another one: the search path of a role or a database is not used. */
export const SCHEMA = 'waybill';
const namesSchema = (url: URL): boolean => /search_path/i.test(url.searchParams.get('options') ?? '');

/** Remembers which database the connections of a process have reached: all of them must reach the one that the first has reached. */
function reachedDatabase(settings: PostgresSettings) {
  const { journalName } = settings;
  let known: Identity | undefined;
  let change: Failure | undefined;
  return {
    identity: () => known,
    hasChanged: () => change !== undefined,
    compare(identity: Identity): void {
      known ??= identity;
      const difference = differenceOf(known, identity);
      if (!difference) return;
      const { kind: differs, was, is } = difference;
      if (differs === 'timeline' && settings.isLossless) {
        settings.note?.({ kind: 'journal-taken-over', journal: journalName, was, is });
        known = identity;
        return;
      }
      const kind = 'journal-server-changed';
      change = new Failure('storage', { kind, journal: journalName, differs, was, is });
    },
    refuseChange(): void {
      if (change) throw new ServerChanged(change.message, { cause: change });
    },
  };
}

/** Connects when the first statement runs. */
export async function connect(settings: PostgresSettings): Promise<Postgres> {
  const ownSettings = OWN_SETTINGS + (namesSchema(settings.url) ? '' : `SET search_path = ${SCHEMA}; `);
  const { default: pg } = await import('pg');
  const pool: Pool = new pg.Pool(configOf(settings));
  // Nothing to do: the pool replaces an idle connection that is lost.
  pool.on('error', () => {});
  // A connection that is lost during a query rejects the query, and also emits an event that would end the process.
  pool.on('connect', client => void client.on('error', () => {}));

  const notReached = (error: unknown) => {
    throw new NotReached(unreachableReason(error), { cause: error });
  };
  const isKnown = new WeakSet<ClientBase>();
  const reached = reachedDatabase(settings);
  let question = 0;

  /** Makes the settings of a new connection, and asks in the same round trip which database it has reached. */
  async function introduced(client: ClientBase): Promise<void> {
    const own = question;
    try {
      const results: unknown = await client.query(ownSettings + QUESTIONS[own]);
      const [identity] = (results as QueryResult<Identity>[]).at(-1)?.rows ?? [];
      if (!identity) throw new Error('it does not say which database it is');
      reached.compare(identity);
      isKnown.add(client);
    } catch (error) {
      if (!isNotAllowed(error) || own === QUESTIONS.length - 1) throw error;
      question = Math.max(question, own + 1);
      await introduced(client);
    }
  }

  async function connected<T>(
    work: (client: ClientBase) => Promise<T>,
    options: WorkOptions = {},
  ): Promise<T> {
    if (!options.isForSent) reached.refuseChange();
    const client = await pool.connect().catch(notReached);
    if (!isKnown.has(client))
      await introduced(client).catch((error: unknown) => {
        client.release(true);
        notReached(error);
      });
    try {
      if (!options.isForSent) reached.refuseChange();
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // The state of the connection is not known: the next query gets another one.
      client.release(true);
      throw error;
    }
  }

  return {
    run: (work, options) => connected(client => work(statementsOf(client)), options),
    transaction: (work, options) =>
      connected(async client => {
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
        const result = await work(statementsOf(client));
        await client.query('COMMIT');
        return result;
      }, options),
    async identity() {
      if (!reached.identity()) await connected(async () => {});
      return reached.identity() as Identity;
    },
    hasChanged: reached.hasChanged,
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

// The error for a name with several addresses has an error for each address, and no message of its own.
const unreachableReason = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : messageOf(error);

// A value as PostgreSQL takes it: a text may have every character but NUL.
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

function configOf(settings: PostgresSettings): PoolConfig {
  const { url, isHere, user, password, name } = settings;
  const { hostname, port, pathname, searchParams } = url;
  const username = decodeURIComponent(url.username) || user;
  const given = decodeURIComponent(url.password);
  // The host is always given: without it the driver would use PGHOST, and no TLS.
  const host = searchParams.get('host') || hostname.replace(/^\[|\]$/g, '') || 'localhost';
  // The port of a socket is a parameter, because an address without a host cannot have a port elsewhere.
  const portOf = port || searchParams.get('port') || '';
  const options = searchParams.get('options');
  return {
    host,
    ...(portOf !== '' && { port: Number(portOf) }),
    ...(username !== undefined && { user: username }),
    ...(given !== '' ? { password: given } : password && { password }),
    ...(pathname.length > 1 && { database: decodeURIComponent(pathname.slice(1)) }),
    ...(options !== null && { options }),
    ssl: isHere && !asksForTls(searchParams) ? false : tlsOf(searchParams.get('sslrootcert')),
    application_name: name,
    max: CONNECTIONS,
    connectionTimeoutMillis: Number(searchParams.get('connect_timeout') ?? CONNECT_SECONDS) * 1000,
    query_timeout: QUERY_MS,
    keepAlive: true,
  };
}

const asksForTls = (parameters: URLSearchParams): boolean =>
  parameters.has('sslmode') || parameters.has('sslrootcert');

const tlsOf = (certificates: string | null) => ({
  // The certificate of the server is checked, even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  rejectUnauthorized: true,
  ...(certificates !== null && { ca: readFileSync(certificates, 'utf8') }),
});
