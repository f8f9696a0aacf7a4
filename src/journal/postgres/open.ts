// How a shared journal is opened: its connections, and whether its tables can be used: they are of this version, the server keeps
// what it confirms, there is one set of them, and they hold what this machine has seen in them.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientBase, Pool, PoolConfig } from 'pg';
import { Failure, messageOf, systemCode } from '../../errors.ts';
import { makeFolder } from '../../host/folder.ts';
import { composer, type Db, raw, type Sql, sql } from '../database.ts';
import {
  lostBookings,
  NoTables,
  type Opening,
  recordRestoration,
  SCHEMA_VERSION,
  tables,
  wrongVersion,
} from '../tables.ts';

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

const CREATE = `
  -- Which server and database the tables were made in, or are in as a person says, tells a copy from them.
  CREATE TABLE waybill_schema (
    version integer NOT NULL,
    in_use boolean NOT NULL DEFAULT false,
    system text,
    database text,
    timeline text
  );
  INSERT INTO waybill_schema (version) VALUES (${SCHEMA_VERSION});
  ${tables({ integer: 'BIGINT', counter: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', end: '', keyed: '' })}`;

/**
 * Makes the tables, one process at a time. Throws `storage` if those that are there are of another version, if what is
 * written may be lost or cannot be written, or if the journal is not what `opening` wants. Gives a function that remembers
 * a booking as one that this machine has seen. `now`, `at`: by the clock of this machine.
 */
export async function prepareTables(
  postgres: Postgres,
  { place, memory: folder }: Pick<PostgresSettings, 'place' | 'memory'>,
  opening: Opening,
  now: () => number,
): Promise<(id: string, at: number) => void> {
  const { asNew = false, mustExist, restored } = opening;
  const server = await postgres
    .run(db => askServer(db))
    .catch((error: unknown) => {
      // These functions are refused for lack of a right, or because the server does not have them, as some services.
      if (!['42501', '42883', '0A000'].includes(systemCode(error) ?? '')) throw error;
      return postgres.run(db => askServer(db, IDENTITY_IN_PART));
    });
  checkServer(place, server);
  await postgres.run(db => checkOneJournal(db, place, server));
  const { system, database, schema } = server;
  const memory = memoryIn(folder, system === null ? [place, schema] : [system, database, schema]);
  const isNew = !server.tables.includes('waybill_schema');
  if (isNew && memory.seen && !asNew) throw lost(place, 'has lost its tables', 'gone');
  if (isNew && mustExist !== undefined)
    throw unusable(
      place,
      `does not exist yet: its database has no tables of waybill. ${mustExist}`,
      'Check the address, and the schemas in which the role looks for tables (SHOW search_path), or give --new-journal to make them',
    );
  if (isNew && opening.toRead) throw new NoTables(place);
  // Without this right the version cannot be read.
  if (server.lacking.includes('SELECT ON waybill_schema')) checkRights(place, server);
  if (!isNew) {
    const row = await postgres.run(db =>
      db.first<{ version: number }>(sql`SELECT version FROM waybill_schema`),
    );
    if (row?.version !== SCHEMA_VERSION)
      throw wrongVersion(
        place,
        row?.version ?? 0,
        'Then name another database, and keep this one: the first booking makes the tables of a new journal, which does not know the keys of this one',
      );
  }
  checkRights(place, server);
  const missing = TABLES.filter(name => !server.tables.includes(name));
  if (missing.length > 0 && !isNew) {
    if (server.tables.some(name => !FORGOTTEN.includes(name)))
      throw unusable(
        place,
        `has lost the tables ${missing.join(', ')}`,
        'Put them back from a backup. --new-journal continues only if all of them are gone',
      );
    if (!asNew) throw lost(place, 'has lost its tables', 'gone');
    await postgres.run(db => db.run(raw(`DROP TABLE IF EXISTS ${FORGOTTEN.join(', ')}`)));
  }
  if (missing.length > 0) await postgres.transaction(db => makeTables(db, server));

  const found = await postgres.run(db => look(db, memory.seen));
  const loss = lossIn(place, server, memory.seen, found);
  let { restoration } = found;
  if (restored) {
    restoration = await postgres.transaction(async db => {
      await recordIdentity(db, server);
      return recordRestoration(db, restored, NOW, found.hasSeen ? undefined : memory.seen?.at);
    });
    memory.forget();
  } else if (loss && asNew && !found.newest) {
    await postgres.run(db => recordIdentity(db, server));
    memory.forget();
  } else if (loss) {
    if (!opening.onLost) throw loss;
    opening.onLost(loss);
    // What this machine has seen is remembered until a person says that it is lost.
    return () => {};
  } else {
    const doubt = doubtAbout(place, server, memory.seen, found);
    if (doubt !== undefined) opening.warn?.(doubt);
    // A role that does not own the tables may lack the right, and need not note it.
    if (found.newest && !found.inUse)
      await postgres
        .run(db => db.run(sql`UPDATE waybill_schema SET in_use = true`))
        .catch((error: unknown) => {
          if (systemCode(error) !== '42501') throw error;
        });
  }
  if (found.newest) memory.remember({ ...found.newest, restoration });
  const behind = found.now - now();
  return (id, at) => memory.remember({ id, at: at + behind, restoration });
}

/** The failure of a journal that cannot be used, and what to do then. */
const unusable = (place: string, why: string, cure: string): Failure =>
  new Failure('storage', `the journal ${place} ${why}; nothing was sent. ${cure}`);

/** Tables that say nothing about bookings which are gone. */
const FORGOTTEN = ['waybill_schema', 'found_by', 'restorations'];

async function makeTables(db: Statements, identity: Identity): Promise<void> {
  // Any number that no other program uses.
  await db.run(sql`SELECT pg_advisory_xact_lock(8027011)`);
  // Another process may have done it by now. To read `pg_class` makes the server forget that there was no such table.
  if (await db.first(sql`SELECT FROM pg_class WHERE oid = to_regclass('bookings')`)) return;
  await db.run(raw(CREATE));
  await recordIdentity(db, identity);
}

// Whether the tables are where they were made, and hold what this machine has seen in them: a database that was put back to
// an older state does not know what was booked since.

/** Which database it is, as text. */
interface Identity {
  /** The system identifier of the server, which a copy by a dump does not have; `null` if the role may not ask. */
  system: string | null;
  /** Its oid. */
  database: string;
  /** It changes when a standby takes over, or the server is put back to an earlier moment; `null` if it is not known. */
  timeline: string | null;
}

const DATABASE = '(SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database';

/** Columns of a query. */
const IDENTITY = raw(`${DATABASE}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`);
/** Those of a role that may not ask for the system and its timeline. */
const IDENTITY_IN_PART = raw(`${DATABASE}, NULL::text AS system, NULL::text AS timeline`);

interface FoundTables extends Identity {
  /** Is it recorded that the journal held bookings? */
  inUse: boolean;
  newest: Pick<Seen, 'id' | 'at'> | undefined;
  /** By the clock of the server. */
  now: number;
  /** The last one. */
  restoration: string | null;
  hasSeen: boolean;
  hasRestoration: boolean;
}

/** Reads it in one round trip. `hasSeen`, `hasRestoration`: is what this machine has seen there? */
async function look(db: Statements, seen: Seen | undefined): Promise<FoundTables> {
  const row = await db.first<Omit<FoundTables, 'newest'> & { id: string | null; at: number }>(
    sql`SELECT COALESCE(in_use, false) AS "inUse", system, database, timeline, newest.id, CAST(newest.at AS float8) AS at,
        CAST(${NOW} AS float8) AS now,
        (SELECT id FROM restorations ORDER BY number DESC LIMIT 1) AS restoration,
        EXISTS (SELECT FROM bookings WHERE id = ${seen?.id ?? ''}) AS "hasSeen",
        EXISTS (SELECT FROM restorations WHERE id = ${seen?.restoration ?? ''}) AS "hasRestoration"
      FROM (VALUES (1)) AS always LEFT JOIN waybill_schema ON true
        LEFT JOIN (SELECT id, at FROM bookings ORDER BY number DESC LIMIT 1) AS newest ON true
      LIMIT 1`,
  );
  if (!row) throw new Error('it gave no answer');
  const { id, at, ...found } = row;
  return { ...found, newest: id === null ? undefined : { id, at } };
}

const lost = (place: string, what: string, state: 'gone' | 'put back'): Failure =>
  lostBookings(place, what, 'Put them back from a backup', state);

/** What is wrong with the bookings that are there; `undefined` if nothing is. */
function lossIn(
  place: string,
  { system, database }: Identity,
  seen: Seen | undefined,
  found: FoundTables,
): Failure | undefined {
  // A person may have said since then that it was put back.
  const isRemembered =
    seen === undefined ||
    (seen.restoration === found.restoration
      ? found.hasSeen
      : seen.restoration === null || found.hasRestoration);
  if (!found.newest && (found.inUse || !isRemembered))
    return lost(place, 'has lost its bookings: it held some, and holds none', 'gone');
  const isMoved = differs(found.system, system);
  if (isMoved || differs(found.database, database))
    return lost(
      place,
      `may have lost bookings, because it is a copy: it was made ${
        isMoved
          ? `on a server with the system identifier ${found.system}, and not ${system}`
          : `in a database with the oid ${found.database}, and not ${database}`
      }`,
      'put back',
    );
  if (seen && !isRemembered)
    return lost(
      place,
      `has lost bookings: ${seen.id}, of ${new Date(seen.at).toISOString()}, that this machine saw in it, is not in it any more`,
      'put back',
    );
  return undefined;
}

const differs = (recorded: string | null, present: string | null): boolean =>
  recorded !== null && present !== null && recorded !== present;

/** What a person should look into although nothing is known to be lost. */
function doubtAbout(
  place: string,
  { role, system, timeline }: Server,
  seen: Seen | undefined,
  found: FoundTables,
): string | undefined {
  if (system === null)
    return `waybill cannot tell whether the journal ${place} was put back to another server, because the role "${role}" may not run pg_control_system and pg_walfile_name. As a superuser in its database: GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO "${role}"`;
  if (seen || !found.newest || !differs(found.timeline, timeline)) return undefined;
  return `the server of the journal ${place} is on timeline ${timeline}, and was on timeline ${found.timeline}: a standby took over, or the server was put back to an earlier moment, and bookings may be missing. If none are, \`waybill history check --restored --reason TEXT\` ends this warning`;
}

/** Records where the tables are, and whether they hold bookings. */
async function recordIdentity(db: Statements, { system, database, timeline }: Identity): Promise<void> {
  await db.run(sql`UPDATE waybill_schema SET in_use = EXISTS (SELECT FROM bookings),
    system = ${system}, database = ${database}, timeline = ${timeline}`);
}

// What this machine has seen of shared journals: for each a small file in the state folder. A database that was put back to
// an older state does not know by itself what it has lost.

/** A booking that was in the journal. */
interface Seen {
  id: string;
  /** ms since 1970, by the clock of the server. */
  at: number;
  /** The id of the last restoration that was recorded by then. */
  restoration: string | null;
}

/** `folder`: none if this machine has no place for it. `names`: what tells the journal from others. */
function memoryIn(folder: string | undefined, names: readonly string[]) {
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
  const file = folder === undefined ? undefined : join(folder, `${hash}.json`);
  return {
    /** The newest booking that this machine has seen, if it remembers one. */
    seen: seenIn(file),
    /** It is best effort: without a folder that can be written it is forgotten, and a crash leaves an older memory. */
    remember(seen: Seen): void {
      const known = seenIn(file);
      if (file === undefined || (known?.id === seen.id && known.restoration === seen.restoration)) return;
      const part = `${file}.${randomUUID()}`;
      try {
        makeFolder(dirname(file), 0o700);
        try {
          writeFileSync(part, JSON.stringify(seen), { mode: 0o600, flag: 'wx', flush: true });
          renameSync(part, file);
        } finally {
          rmSync(part, { force: true });
        }
      } catch {
        // The next command tries again.
      }
    },
    forget(): void {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function seenIn(file: string | undefined): Seen | undefined {
  if (file === undefined) return undefined;
  try {
    const { id, at, restoration } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof id === 'string' && typeof at === 'number' ? { id, at, restoration } : undefined;
  } catch {
    return undefined;
  }
}

// Whether the database has one journal: who books with another set of tables does not see what was booked with this one.

const WITH_TABLES = `SELECT nspname::text FROM pg_namespace
  WHERE EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'waybill_schema' AND relkind = 'r')`;

/** The schemas that the search_path of a role or of this database names. */
const NAMED_BY_SETTING = `SELECT btrim(name, ' "') FROM pg_db_role_setting, unnest(setconfig) AS setting,
    unnest(string_to_array(substr(setting, length('search_path=') + 1), ',')) AS name
  WHERE setting LIKE 'search_path=%'
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))`;

/** Which schemas have tables of waybill. */
interface Schemas {
  /** Of the search_path of this connection. */
  inPath: string[];
  /** Those that some role looks into if its address names no schema: public, one of its own name, one of its settings. */
  byDefault: string[];
  /** Where this role makes tables; `null` if it may do so nowhere. */
  current: string | null;
}

/** Columns of a query. */
const SCHEMAS = raw(`current_schema()::text AS current,
  ARRAY (${WITH_TABLES} AND nspname = ANY (current_schemas(false)) ORDER BY nspname) AS "inPath",
  ARRAY (${WITH_TABLES} AND (nspname = 'public' OR nspname IN (SELECT rolname FROM pg_roles) OR nspname IN (${NAMED_BY_SETTING}))
    ORDER BY nspname) AS "byDefault"`);

/**
 * Throws `storage` if there is, or would be, more than one set of tables. A schema that the address names is meant: then
 * others in the same database are those of other journals.
 */
async function checkOneJournal(
  db: Statements,
  place: string,
  { inPath, byDefault, current }: Schemas,
): Promise<void> {
  const [own = current] = inPath;
  const others = [...inPath, ...byDefault].filter(name => name !== own);
  if (own === null || others.length === 0) return;
  // Does the address, or PGOPTIONS, name the search_path?
  const path = await db.first<{ source: string }>(
    sql`SELECT source FROM pg_settings WHERE name = 'search_path'`,
  );
  if (inPath.length <= 1 && path?.source === 'client') return;
  const isNew = inPath.length === 0;
  const all = [...new Set([own, ...others])].sort().join(' and ');
  const what = isNew
    ? `would be a second one in its database: this role would make tables in the schema ${own}, and there are tables of waybill in ${others.join(' and ')}`
    : `is not the only one in its database: the schemas ${all} have tables of waybill`;
  const [named = own] = isNew ? others : inPath;
  throw unusable(
    place,
    `${what}. Which of them a command uses depends on its role and search_path, so a key could be booked in each`,
    `On every machine name the one that is meant, as in ${place}?options=-csearch_path%3D${encodeURIComponent(named)}, or drop the tables of the other one`,
  );
}

// Whether a server keeps what it confirms, and can hold what will be written. Checked when the journal is opened.

/** The tables of bookings, and those that say something of the whole journal, which the owner of the tables writes. */
const BOOKINGS = ['bookings', 'labels', 'made', 'given', 'label_files', 'found_by'];
const WHOLE = ['waybill_schema', 'restorations'];

interface Server extends Identity, Schemas {
  role: string;
  readonly: boolean;
  commit: string;
  fsync: string;
  encoding: string;
  isolation: string;
  /** The tables that are there. */
  tables: string[];
  /** Where they are or would be made, as SQL writes it; empty if that is nowhere. */
  schema: string;
  /** Of these: rights that the role lacks (`INSERT ON labels`), and tables of which it may not see all rows. */
  lacking: string[];
  hidden: string[];
}

const TABLES = [...BOOKINGS, ...WHOLE];
const needed = [
  ...BOOKINGS.flatMap(table => ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(right => [table, right])),
  ...WHOLE.map(table => [table, 'SELECT']),
]
  .map(([table, right]) => `('${table}', '${right}')`)
  .join(', ');

/** Asks the server, in one round trip. `identity`: the columns that say which database it is. */
async function askServer(db: Statements, identity = IDENTITY): Promise<Server> {
  const server = await db.first<Server>(
    sql`WITH needed (name, privilege) AS (VALUES ${raw(needed)}),
        found AS (SELECT DISTINCT name, to_regclass(name)::oid AS oid FROM needed WHERE to_regclass(name) IS NOT NULL)
      SELECT current_user::text AS role, current_setting('transaction_read_only')::boolean AS readonly,
        current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
        current_setting('server_encoding') AS encoding, current_setting('transaction_isolation') AS isolation,
        ARRAY (SELECT name FROM found ORDER BY name) AS tables,
        COALESCE((SELECT min(quote_ident(nspname)) FROM found JOIN pg_class USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace), quote_ident(current_schema()), '') AS schema,
        ${SCHEMAS}, ${identity},
        ARRAY (SELECT privilege || ' ON ' || name FROM needed JOIN found USING (name)
          WHERE NOT has_table_privilege(oid, privilege) ORDER BY name, privilege) AS lacking,
        ARRAY (SELECT name FROM found WHERE row_security_active(oid) ORDER BY name) AS hidden`,
  );
  if (!server) throw new Error('it gave no answer');
  return server;
}

/** Throws `storage` if what is written may be lost or cannot be written, with what mends it. */
function checkServer(place: string, { readonly, commit, fsync, encoding, isolation }: Server): void {
  const faults: [boolean, string, string][] = [
    [readonly, 'is read-only, like that of a standby server', 'Name the server that accepts writes'],
    [
      commit === 'off',
      'could lose a booking in a crash, because synchronous_commit is off',
      'To switch it on for this role: ALTER ROLE name SET synchronous_commit = on',
    ],
    [
      fsync === 'off',
      'could lose a booking in a power failure, because fsync is off',
      'To switch it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
    ],
    [
      encoding !== 'UTF8',
      `cannot hold every text, because the encoding of its database is ${encoding}`,
      `Name a database that has UTF8: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'`,
    ],
    [
      isolation !== 'read committed',
      `has transactions of the kind ${isolation}, although the connection asks for read committed`,
      'A pooler in between must not share connections within a session',
    ],
  ];
  for (const [isSo, why, cure] of faults) if (isSo) throw unusable(place, why, cure);
}

/** Throws if the role lacks a right. To be called once the version of the tables is known. */
function checkRights(place: string, { role, tables, schema, lacking, hidden }: Server): void {
  const owner = `"${role.replaceAll('"', '""')}"`;
  const inSchema = (table: string) => `${schema}.${table}`;
  if (lacking.length > 0)
    throw unusable(
      place,
      `cannot be written completely: the role ${owner} lacks ${lacking.join(', ')}`,
      `As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map(inSchema).join(', ')} TO ${owner}`,
    );
  if (hidden.length > 0)
    throw unusable(
      place,
      `may hide bookings from the role ${owner}, because ${hidden.join(', ')} has row security`,
      `As the owner of the tables: ${hidden.map(name => `ALTER TABLE ${inSchema(name)} DISABLE ROW LEVEL SECURITY`).join('; ')}`,
    );
}
