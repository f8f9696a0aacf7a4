// Whether a server keeps what it confirms, can hold what will be written, and has one set of tables with all that makes a key
// unique. It is asked when the journal is opened.
import { Failure } from '../../errors.ts';
import { raw, sql } from '../database.ts';
import { FOUND_TWICE, notUnique, ONE_KEY_INDEX, type UniqueIndex } from '../tables.ts';
import type { Statements } from './connection.ts';

/** The failure of a journal that cannot be used, and what to do then. */
export const unusable = (journalName: string, why: string, cure: string): Failure =>
  new Failure('storage', `the journal ${journalName} ${why}`, { hint: cure });

/** The tables of bookings, and those that say something of the whole journal, which the owner of the tables writes. */
const BOOKINGS = [
  'bookings',
  'labels',
  'made',
  'given',
  'label_files',
  'found_by',
  'facts',
  'lists',
  'listed',
];
const WHOLE = ['waybill_schema', 'restorations'];

export interface Server extends Schemas {
  role: string;
  readonly: boolean;
  /** Is it a standby? What it shows may be older than what was confirmed. */
  standby: boolean;
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
  /** Tables whose rows a crash of the server takes. */
  unlogged: string[];
  /** Columns of text that are not compared byte by byte. */
  uncompared: { table: string; name: string }[];
  indexes: UniqueIndex[];
}

export const TABLES = [...BOOKINGS, ...WHOLE];
const WRITES = ['INSERT', 'UPDATE', 'DELETE'];
const needed = [
  ...BOOKINGS.flatMap(table => ['SELECT', ...WRITES].map(right => [table, right])),
  ...WHOLE.map(table => [table, 'SELECT']),
]
  .map(([table, right]) => `('${table}', '${right}')`)
  .join(', ');

/** The collation that compares bytes: with any other, an update of the system may change the order in an index. */
const BYTES = `(SELECT oid FROM pg_collation WHERE collname = 'C' AND collnamespace = 'pg_catalog'::regnamespace)`;

const UNCOMPARED = `COALESCE((SELECT json_agg(json_build_object('table', found.name, 'name', attname) ORDER BY found.name, attname)
  FROM found JOIN pg_attribute ON attrelid = found.oid
  WHERE attnum > 0 AND NOT attisdropped AND attcollation NOT IN (0, ${BYTES})), '[]') AS uncompared`;

const INDEXES = `COALESCE((SELECT json_agg(json_build_object('name', indexrelid::regclass::text, 'table', found.name,
    'columns', (SELECT string_agg(attname, ', ' ORDER BY nth) FROM unnest(indkey) WITH ORDINALITY AS keys (number, nth)
      JOIN pg_attribute ON attrelid = indrelid AND attnum = number),
    'isPartial', indpred IS NOT NULL, 'isValid', indisvalid))
  FROM found JOIN pg_index ON indrelid = found.oid
  WHERE indisunique AND indislive AND NOT EXISTS (SELECT FROM unnest(indcollation) AS one WHERE one NOT IN (0, ${BYTES}))), '[]') AS indexes`;

/**
 * Asks the server, in one round trip. `to_regclass` knows a table that was made after the statement began, whose indexes the
 * statement does not see: `pg_class` is asked for it, too.
 */
export async function askServer(db: Statements): Promise<Server> {
  const server = await db.first<Server>(
    sql`WITH needed (name, privilege) AS (VALUES ${raw(needed)}),
        found AS (SELECT DISTINCT name, oid FROM needed JOIN pg_class ON oid = to_regclass(name))
      SELECT current_user::text AS role,
        current_setting('transaction_read_only')::boolean AS readonly, pg_is_in_recovery() AS standby,
        current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
        current_setting('server_encoding') AS encoding, current_setting('transaction_isolation') AS isolation,
        ARRAY (SELECT name FROM found ORDER BY name) AS tables,
        COALESCE((SELECT min(quote_ident(nspname)) FROM found JOIN pg_class USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace), quote_ident(current_schema()), '') AS schema,
        ${SCHEMAS}, ${raw(UNCOMPARED)}, ${raw(INDEXES)},
        ARRAY (SELECT privilege || ' ON ' || name FROM needed JOIN found USING (name)
          WHERE NOT has_table_privilege(oid, privilege) ORDER BY name, privilege) AS lacking,
        ARRAY (SELECT name FROM found WHERE row_security_active(oid) ORDER BY name) AS hidden,
        ARRAY (SELECT name FROM found JOIN pg_class USING (oid) WHERE relpersistence <> 'p' ORDER BY name) AS unlogged`,
  );
  if (!server) throw new Error('it gave no answer');
  return server;
}

/** Throws `storage` if what is written may be lost or cannot be held, with what mends it. */
export function checkServer(journalName: string, { commit, fsync, encoding, isolation }: Server): void {
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
      grants('As the owner of the tables', schema, tables, role),
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
  const { role, schema, tables, lacking, readonly, standby } = server;
  if (readonly)
    return {
      failure: unusable(
        journalName,
        standby ? 'is that of a standby server, which is read-only' : 'is read-only',
        'Name the server that accepts writes',
      ),
      isMeant: true,
    };
  if (lacking.length > 0)
    return {
      failure: unusable(
        journalName,
        `cannot be written completely: the role ${quoted(role)} lacks ${lacking.join(', ')}`,
        grants('As the owner of the tables', schema, tables, role),
      ),
      isMeant: lacking.length === WRITES.length * tables.filter(name => BOOKINGS.includes(name)).length,
    };
  const failure = notKept(journalName, server) ?? mayBookTwice(journalName, server);
  return failure && { failure, isMeant: false };
}

const quoted = (role: string): string => `"${role.replaceAll('"', '""')}"`;

const grants = (who: string, schema: string, tables: readonly string[], role: string): string =>
  `${who}: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map(table => `${schema}.${table}`).join(', ')} TO ${quoted(role)}`;

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
function mayBookTwice(
  journalName: string,
  { schema, tables, uncompared, indexes }: Server,
): Failure | undefined {
  if (uncompared.length > 0)
    return unusable(
      journalName,
      `may book a key twice, because an update of the system may change the order of its indexes: the columns ${uncompared.map(({ table, name }) => `${table}.${name}`).join(', ')} have another collation than "C"`,
      `As the owner of the tables: ${uncompared.map(({ table, name }) => `ALTER TABLE ${schema}.${table} ALTER COLUMN ${name} TYPE text COLLATE "C"`).join('; ')}`,
    );
  const missing = notUnique(tables, indexes);
  if (missing === undefined) return undefined;
  const { table, columns, isPartial, invalid } = missing;
  const made = isPartial
    ? `DROP INDEX IF EXISTS ${schema}.one_key; ${ONE_KEY_INDEX.replace(' ON ', ` ON ${schema}.`)}`
    : `ALTER TABLE ${schema}.${table} ADD ${columns === 'id' ? 'UNIQUE' : 'PRIMARY KEY'} (${columns})`;
  return unusable(
    journalName,
    `may book a key twice, because its table ${table} has ${invalid === undefined ? 'no unique index with the collation "C"' : `an index that is not valid (${invalid})`} for ${columns}`,
    `As the owner of the tables: ${invalid === undefined ? made : `REINDEX INDEX ${invalid}`}. ${FOUND_TWICE}`,
  );
}

// Whether the database has one journal: who books with another set of tables does not see what was booked with this one.

/** The schemas that have tables of waybill. */
const WITH_TABLES = `SELECT nspname::text FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid
  WHERE relname = 'waybill_schema' AND relkind = 'r'`;

interface Schemas {
  /** Those with tables of waybill, and those of them that the search_path of this connection has. */
  inDatabase: string[];
  inPath: string[];
  /** Where this role makes tables; `null` if it may do so nowhere. */
  current: string | null;
  /** Does the address, or PGOPTIONS, name the search_path? */
  isNamed: boolean;
}

/** Columns of a query. */
const SCHEMAS =
  raw(`current_schema()::text AS current, ARRAY (${WITH_TABLES} ORDER BY nspname) AS "inDatabase",
  ARRAY (${WITH_TABLES} AND nspname = ANY (current_schemas(false)) ORDER BY nspname) AS "inPath",
  (SELECT source = 'client' AND strpos(setting, '$user') = 0 FROM pg_settings WHERE name = 'search_path') AS "isNamed"`);

export async function askSchemas(db: Statements): Promise<Schemas> {
  const schemas = await db.first<Schemas>(sql`SELECT ${SCHEMAS}`);
  if (!schemas) throw new Error('it gave no answer');
  return schemas;
}

/**
 * Throws `storage` if there is, or would be, a second set of tables. A schema that the address names is meant: then others in
 * the same database are those of other journals.
 */
export function checkOneJournal(
  journalName: string,
  { inDatabase, inPath, current, isNamed }: Schemas,
): void {
  const [own = current] = inPath;
  const others = inDatabase.filter(name => name !== own);
  if (own === null || others.length === 0 || (isNamed && inPath.length <= 1)) return;
  const isNew = inPath.length === 0;
  throw unusable(
    journalName,
    isNew
      ? `would be a second one in its database: this role would make tables in the schema ${own}, and there are tables of waybill in ${others.join(' and ')}`
      : `is not the only one in its database: the schemas ${[own, ...others].sort().join(' and ')} have tables of waybill`,
    `A key could be booked in each, so name on every machine the schema that is meant, as in ${journalName}?options=-csearch_path%3D${encodeURIComponent((isNew && others[0]) || own)}, or drop the tables of the other one`,
  );
}
