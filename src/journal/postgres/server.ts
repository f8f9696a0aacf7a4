// What a server is asked when the journal is opened: whether it keeps what it confirms, can hold what will be written, and has tables
// with all that makes a key unique.
import { Failure, StoreError } from '../../errors.ts';
import type { Notice } from '../../say/notices.ts';
import { raw, sql } from '../database.ts';
import { notUnique, ONE_KEY_INDEX, TABLE_LIST, type Table, type UniqueIndex } from '../tables.ts';
import type { Postgres, Statements } from './connection.ts';

const tableNames = (isMeant: (table: Table) => boolean): string[] =>
  TABLE_LIST.flatMap(([name, table]) => (isMeant(table) ? name : []));

/** `WRITTEN`: the tables that a role which books writes. `OWNER_WRITTEN`: the tables that only their owner writes. */
const WRITTEN = tableNames(({ isOwners }) => !isOwners);
const OWNER_WRITTEN = ['waybill_schema', ...tableNames(({ isOwners = false }) => isOwners)];
export const SHARED_TABLES = [...WRITTEN, ...OWNER_WRITTEN];

export interface Server {
  role: string;
  readonly: boolean;
  /** Is the server a standby? Its rows may be older than what was confirmed. */
  standby: boolean;
  commit: string;
  fsync: string;
  encoding: string;
  isolation: string;
  /** The schema where the tables are or would be made, as SQL writes it. */
  schema: string;
  /** Is the schema there, but closed to this role? Then the role does not see the tables. */
  closed: boolean;
  /** The tables of the journal that exist. */
  tables: string[];
  /** Rights to these tables that the role lacks (`INSERT ON labels`). `hidden`: tables of which the role may not see all rows. */
  lacking: string[];
  hidden: string[];
  /** Tables whose rows are lost when the server crashes. */
  unlogged: string[];
  /** The unique indexes that compare all text byte by byte. */
  indexes: UniqueIndex[];
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE'];
const needed = [
  ...WRITTEN.flatMap(table => ['SELECT', ...WRITES].map(right => [table, right])),
  ...OWNER_WRITTEN.map(table => [table, 'SELECT']),
]
  .map(([table, right]) => `('${table}', '${right}')`)
  .join(', ');

/** Selects the unique indexes with the collation "C" only: with any other, an update of the system may change the order in an index. */
const INDEXES = `COALESCE((SELECT json_agg(json_build_object('name', indexrelid::regclass::text, 'table', present.name,
    'columns', (SELECT string_agg(attname, ', ' ORDER BY nth) FROM unnest(indkey) WITH ORDINALITY AS keys (number, nth)
      JOIN pg_attribute ON attrelid = indrelid AND attnum = number),
    'isPartial', indpred IS NOT NULL, 'isValid', indisvalid))
  FROM present JOIN pg_index ON indrelid = present.oid
  WHERE indisunique AND indislive AND NOT EXISTS (SELECT FROM unnest(indcollation) AS compared
    WHERE compared NOT IN (0, (SELECT oid FROM pg_collation WHERE collname = 'C' AND collnamespace = 'pg_catalog'::regnamespace)))), '[]') AS indexes`;

/**
 * Asks the server, in one round trip. `to_regclass` knows a table that was made after the statement began, but the statement does not see
 * its indexes: so `pg_class` must have the table, too.
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
  if (!server) throw new StoreError({ fault: 'no-answer' });
  return server;
}

/**
 * Does the server serve one session with several of its processes, as behind a pooler? A pooler may give a connection to whoever asks
 * next: so a second session gets, for its transaction, the connection of the first session, and keeps it.
 */
export async function sharesSession(postgres: Pick<Postgres, 'run' | 'transaction'>): Promise<boolean> {
  const processOf = async (db: Statements) =>
    (await db.first<{ id: number }>(sql`SELECT pg_backend_pid() AS id`))?.id;
  return postgres.run(async first => {
    const before = await processOf(first);
    const during = await postgres.transaction(async second => {
      await processOf(second);
      return processOf(first);
    });
    return before !== during;
  });
}

/** Throws `storage` if the role cannot see the tables, or if the server may lose or cannot hold what is written. */
export function checkServer(journal: string, server: Server): void {
  const { standby, closed, readonly, role, schema, commit, fsync, encoding, isolation } = server;
  const refuse = (notice: Notice) => {
    throw new Failure('storage', notice);
  };
  if (standby) refuse({ kind: 'journal-on-standby', journal });
  if (closed) refuse({ kind: 'journal-schema-closed', journal, role, schema });
  if (readonly) return;
  if (commit === 'off') refuse({ kind: 'journal-setting-unsafe', journal, setting: 'synchronous_commit' });
  if (fsync === 'off') refuse({ kind: 'journal-setting-unsafe', journal, setting: 'fsync' });
  if (encoding !== 'UTF8') refuse({ kind: 'journal-encoding-unusable', journal, encoding });
  if (isolation !== 'read committed') refuse({ kind: 'journal-isolation-unusable', journal, isolation });
}

/** Throws `storage` if the role may not read all tables and rows. To be called once the version of the tables is known. */
export function checkReading(journal: string, server: Server): void {
  const { role, schema, tables, lacking: rights, hidden } = server;
  if (rights.some(right => right.startsWith('SELECT')))
    throw new Failure('storage', {
      kind: 'journal-rights-missing',
      journal,
      doing: 'read',
      role,
      rights,
      schema,
      tables,
    });
  if (hidden.length > 0)
    throw new Failure('storage', { kind: 'journal-rows-hidden', journal, role, schema, tables: hidden });
}

/** Why nothing can be booked although the journal can be read. `isMeant`: the server or the role is for reading alone. */
export interface Unwritable {
  failure: Failure;
  isMeant: boolean;
}

export function unwritable(journal: string, server: Server): Unwritable | undefined {
  const { role, schema, tables, lacking: rights, readonly, unlogged } = server;
  const because = (notice: Notice | undefined, isMeant: boolean): Unwritable | undefined =>
    notice && { failure: new Failure('storage', notice), isMeant };
  if (readonly) return because({ kind: 'journal-read-only', journal }, true);
  if (rights.length > 0)
    return because(
      { kind: 'journal-rights-missing', journal, doing: 'written', role, rights, schema, tables },
      rights.length === WRITES.length * tables.filter(name => WRITTEN.includes(name)).length,
    );
  // A crash of the server must not take the rows of a journal.
  if (unlogged.length > 0)
    return because({ kind: 'journal-tables-unlogged', journal, schema, tables: unlogged }, false);
  return because(keyNotUnique(journal, server), false);
}

/** The notice of a unique index that is missing or was not built; `undefined`: none is missing. */
function keyNotUnique(journal: string, server: Server): Notice | undefined {
  const { schema, tables, indexes } = server;
  const missing = notUnique(tables, indexes);
  if (missing === undefined) return undefined;
  const { table, columns, isPartial, invalid } = missing;
  const compared = columns.replace(/\b(?!number\b)\w+/g, '$& COLLATE "C"');
  const target = ` ON ${schema}.${table} (${compared})`;
  const remade = isPartial
    ? `DROP INDEX IF EXISTS ${schema}.one_key; ${ONE_KEY_INDEX.replace(` ON ${table} (${columns})`, target)}`
    : `CREATE UNIQUE INDEX${target}`;
  return {
    kind: 'journal-key-not-unique',
    journal,
    engine: 'PostgreSQL',
    table,
    columns,
    invalidIndex: invalid,
    statement: invalid === undefined ? remade : `REINDEX INDEX ${invalid}`,
  };
}
