// Whether the database has one journal: who books with another set of tables does not see what was booked with this one.
import { Failure } from '../../errors.ts';
import { raw, sql } from '../sql.ts';
import type { Statements } from './connection.ts';

const WITH_TABLES = `SELECT nspname::text FROM pg_namespace
  WHERE EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'waybill_schema' AND relkind = 'r')`;

/** The schemas that the search_path of a role or of this database names. */
const NAMED_BY_SETTING = `SELECT btrim(name, ' "') FROM pg_db_role_setting, unnest(setconfig) AS setting,
    unnest(string_to_array(substr(setting, length('search_path=') + 1), ',')) AS name
  WHERE setting LIKE 'search_path=%'
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))`;

/** Which schemas have tables of waybill. */
export interface Schemas {
  /** Of the search_path of this connection. */
  inPath: string[];
  /** Those that some role looks into if its address names no schema: public, one of its own name, one of its settings. */
  byDefault: string[];
  /** Where this role makes tables; `null` if it may do so nowhere. */
  current: string | null;
}

/** Columns of a query. */
export const SCHEMAS = raw(`current_schema()::text AS current,
  ARRAY (${WITH_TABLES} AND nspname = ANY (current_schemas(false)) ORDER BY nspname) AS "inPath",
  ARRAY (${WITH_TABLES} AND (nspname = 'public' OR nspname IN (SELECT rolname FROM pg_roles) OR nspname IN (${NAMED_BY_SETTING}))
    ORDER BY nspname) AS "byDefault"`);

/**
 * Throws `storage` if there is, or would be, more than one set of tables. A schema that the address names is meant: then
 * others in the same database are those of other journals.
 */
export async function checkOneJournal(
  db: Statements,
  place: string,
  { inPath, byDefault, current }: Schemas,
): Promise<void> {
  const [own = current] = inPath;
  const others = [...inPath, ...byDefault].filter(name => name !== own);
  if (own === null || others.length === 0) return;
  if (inPath.length <= 1 && (await isPathNamed(db))) return;
  const isNew = inPath.length === 0;
  const all = [...new Set([own, ...others])].sort().join(' and ');
  const what = isNew
    ? `would be a second one in its database: this role would make tables in the schema ${own}, and there are tables of waybill in ${others.join(' and ')}`
    : `is not the only one in its database: the schemas ${all} have tables of waybill`;
  const [named = own] = isNew ? others : inPath;
  throw new Failure(
    'storage',
    `the journal ${place} ${what}. Which of them a command uses depends on its role and search_path, so a key could be booked in each; nothing was sent. On every machine name the one that is meant, as in ${place}?options=-csearch_path%3D${encodeURIComponent(named)}, or drop the tables of the other one`,
  );
}

/** Does the address, or PGOPTIONS, name the search_path? */
async function isPathNamed(db: Statements): Promise<boolean> {
  const found = await db.first<{ source: string }>(
    sql`SELECT source FROM pg_settings WHERE name = 'search_path'`,
  );
  return found?.source === 'client';
}
