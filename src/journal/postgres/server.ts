// Whether a server keeps what it confirms, can hold what will be written, and has tables with all that makes a key unique. It is
// asked when the journal is opened.
import { Failure } from '../../errors.ts';
import { raw, sql } from '../database.ts';
import {
  FOUND_TWICE,
  notUnique,
  ONE_KEY_INDEX,
  TABLE_LIST,
  type Table,
  type UniqueIndex,
} from '../tables.ts';
import type { Statements } from './connection.ts';

/** The failure of a journal that cannot be used, and what to do then. */
export const unusable = (journalName: string, why: string, cure: string): Failure =>
  new Failure('storage', `the journal ${journalName} ${why}`, { hint: cure });

const namesOf = (isMeant: (table: Table) => boolean): string[] =>
  TABLE_LIST.flatMap(([name, table]) => (isMeant(table) ? name : []));

/** The tables that a role writes which books, and those that only their owner writes. */
const WRITTEN = namesOf(({ isOwners }) => !isOwners);
const OWNERS = ['waybill_schema', ...namesOf(({ isOwners = false }) => isOwners)];
export const SHARED_TABLES = [...WRITTEN, ...OWNERS];

export interface Server {
  role: string;
  readonly: boolean;
  /** Is it a standby? What it has may be older than what was confirmed. */
  standby: boolean;
  commit: string;
  fsync: string;
  encoding: string;
  isolation: string;
  /** Where the tables are or would be made, as SQL writes it. */
  schema: string;
  /** Is that schema there, and not for this role? Then it does not see the tables. */
  closed: boolean;
  /** The tables that are there. */
  tables: string[];
  /** Rights to these tables that the role lacks (`INSERT ON labels`), and tables of which it may not see all rows. */
  lacking: string[];
  hidden: string[];
  /** Tables whose rows a crash of the server takes. */
  unlogged: string[];
  /** Those that compare all text byte by byte. */
  indexes: UniqueIndex[];
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE'];
const needed = [
  ...WRITTEN.flatMap(table => ['SELECT', ...WRITES].map(right => [table, right])),
  ...OWNERS.map(table => [table, 'SELECT']),
]
  .map(([table, right]) => `('${table}', '${right}')`)
  .join(', ');

/** With any other collation than "C" an update of the system may change the order in an index. */
const INDEXES = `COALESCE((SELECT json_agg(json_build_object('name', indexrelid::regclass::text, 'table', present.name,
    'columns', (SELECT string_agg(attname, ', ' ORDER BY nth) FROM unnest(indkey) WITH ORDINALITY AS keys (number, nth)
      JOIN pg_attribute ON attrelid = indrelid AND attnum = number),
    'isPartial', indpred IS NOT NULL, 'isValid', indisvalid))
  FROM present JOIN pg_index ON indrelid = present.oid
  WHERE indisunique AND indislive AND NOT EXISTS (SELECT FROM unnest(indcollation) AS compared
    WHERE compared NOT IN (0, (SELECT oid FROM pg_collation WHERE collname = 'C' AND collnamespace = 'pg_catalog'::regnamespace)))), '[]') AS indexes`;

/**
 * Asks the server, in one round trip. `to_regclass` knows a table that was made after the statement began, whose indexes the
 * statement does not see: `pg_class` is asked for it, too.
 */
export async function askServer(db: Statements): Promise<Server> {
  const server = await db.first<Server>(
    sql`WITH needed (name, privilege) AS (VALUES ${raw(needed)}),
        present AS (SELECT DISTINCT name, oid FROM needed JOIN pg_class ON oid = to_regclass(name))
      SELECT current_user::text AS role,
        current_setting('transaction_read_only')::boolean AS readonly, pg_is_in_recovery() AS standby,
        current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
        current_setting('server_encoding') AS encoding, current_setting('transaction_isolation') AS isolation,
        current_setting('search_path') AS schema, EXISTS (SELECT FROM pg_namespace
          WHERE quote_ident(nspname) = current_setting('search_path') AND NOT has_schema_privilege(oid, 'USAGE')) AS closed,
        ARRAY (SELECT name FROM present ORDER BY name) AS tables, ${raw(INDEXES)},
        ARRAY (SELECT privilege || ' ON ' || name FROM needed JOIN present USING (name)
          WHERE NOT has_table_privilege(oid, privilege) ORDER BY name, privilege) AS lacking,
        ARRAY (SELECT name FROM present WHERE row_security_active(oid) ORDER BY name) AS hidden,
        ARRAY (SELECT name FROM present JOIN pg_class USING (oid) WHERE relpersistence <> 'p' ORDER BY name) AS unlogged`,
  );
  if (!server) throw new Error('it gave no answer');
  return server;
}

/** Throws `storage` if what is there cannot be seen, or what is written may be lost or cannot be held, with what mends it. */
export function checkServer(journalName: string, server: Server): void {
  const { standby, closed, readonly, role, schema, commit, fsync, encoding, isolation } = server;
  if (standby)
    throw unusable(
      journalName,
      'is that of a standby server, which may lack what was booked last',
      'Name its primary, the server that accepts writes',
    );
  if (closed)
    throw unusable(
      journalName,
      `cannot be read: the role ${quoted(role)} lacks USAGE on the schema ${schema}`,
      `As the owner of the schema: GRANT USAGE ON SCHEMA ${schema} TO ${quoted(role)}`,
    );
  if (readonly) return;
  const faults: [boolean, string, string][] = [
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
  for (const [isSo, why, cure] of faults) if (isSo) throw unusable(journalName, why, cure);
}

/** Throws `storage` if the role may not read all of it. To be called once the version of the tables is known. */
export function checkReading(journalName: string, { role, schema, tables, lacking, hidden }: Server): void {
  const unreadable = lacking.filter(right => right.startsWith('SELECT'));
  if (unreadable.length > 0)
    throw unusable(
      journalName,
      `cannot be read completely: the role ${quoted(role)} lacks ${lacking.join(', ')}`,
      grants(schema, tables, role),
    );
  if (hidden.length > 0)
    throw unusable(
      journalName,
      `may hide bookings from the role ${quoted(role)}, because ${hidden.join(', ')} has row security`,
      `As the owner of the tables: ${hidden.map(name => `ALTER TABLE ${schema}.${name} DISABLE ROW LEVEL SECURITY`).join('; ')}`,
    );
}

/** Why nothing can be booked, although it can be read; `isMeant`: server or role are for reading alone. */
export interface Unwritable {
  failure: Failure;
  isMeant: boolean;
}

export function unwritable(journalName: string, server: Server): Unwritable | undefined {
  const { role, schema, tables, lacking, readonly } = server;
  if (readonly)
    return {
      failure: unusable(journalName, 'is read-only', 'Name the server that accepts writes'),
      isMeant: true,
    };
  if (lacking.length > 0)
    return {
      failure: unusable(
        journalName,
        `cannot be written completely: the role ${quoted(role)} lacks ${lacking.join(', ')}`,
        grants(schema, tables, role),
      ),
      isMeant: lacking.length === WRITES.length * tables.filter(name => WRITTEN.includes(name)).length,
    };
  const failure = notKept(journalName, server) ?? mayBookTwice(journalName, server);
  return failure && { failure, isMeant: false };
}

const quoted = (role: string): string => `"${role.replaceAll('"', '""')}"`;

const grants = (schema: string, tables: readonly string[], role: string): string =>
  `As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map(table => `${schema}.${table}`).join(', ')} TO ${quoted(role)}`;

/** What a crash of the server must leave. */
function notKept(journalName: string, { schema, unlogged }: Server): Failure | undefined {
  if (unlogged.length === 0) return undefined;
  return unusable(
    journalName,
    `would lose bookings in a crash of its server, because these tables are UNLOGGED: ${unlogged.join(', ')}`,
    `As the owner of the tables: ${unlogged.map(name => `ALTER TABLE ${schema}.${name} SET LOGGED`).join('; ')}`,
  );
}

/** What makes a key unique, and is not there. */
function mayBookTwice(journalName: string, { schema, tables, indexes }: Server): Failure | undefined {
  const missing = notUnique(tables, indexes);
  if (missing === undefined) return undefined;
  const { table, columns, isPartial, invalid } = missing;
  const compared = columns.replace(/\b(?!number\b)\w+/g, '$& COLLATE "C"');
  const target = ` ON ${schema}.${table} (${compared})`;
  const remade = isPartial
    ? `DROP INDEX IF EXISTS ${schema}.one_key; ${ONE_KEY_INDEX.replace(` ON ${table} (${columns})`, target)}`
    : `CREATE UNIQUE INDEX${target}`;
  return unusable(
    journalName,
    `may book a key twice, because its table ${table} has ${invalid === undefined ? 'no unique index with the collation "C"' : `an index that is not valid (${invalid})`} for ${columns}`,
    `As the owner of the tables: ${invalid === undefined ? remade : `REINDEX INDEX ${invalid}`}. ${FOUND_TWICE}`,
  );
}
