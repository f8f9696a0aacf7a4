// Whether a server keeps what it confirms, and can hold what will be written. Checked when the journal is opened.
import { Failure } from '../../errors.ts';
import { raw, sql } from '../sql.ts';
import type { Statements } from './connection.ts';
import { IDENTITY, type Identity } from './identity.ts';
import { SCHEMAS, type Schemas } from './schemas.ts';

/** The tables of bookings, and those that say something of the whole journal, which the owner of the tables writes. */
const BOOKINGS = ['bookings', 'labels', 'made', 'label_files', 'found_by'];
const WHOLE = ['waybill_schema', 'restorations'];

export interface Server extends Identity, Schemas {
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
  /** Rights on these that the role lacks, as `INSERT ON labels`. */
  lacking: string[];
  /** May the role note that the journal is in use? One that does not own the tables need not. */
  notes: boolean;
}

const TABLES = [...BOOKINGS, ...WHOLE];
const needed = [
  ...BOOKINGS.flatMap(table => ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(right => [table, right])),
  ...WHOLE.map(table => [table, 'SELECT']),
]
  .map(([table, right]) => `('${table}', '${right}')`)
  .join(', ');

/** Asks the server, in one round trip. `identity`: the columns that say which database it is. */
export async function askServer(db: Statements, identity = IDENTITY): Promise<Server> {
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
        COALESCE(has_table_privilege(to_regclass('waybill_schema'), 'UPDATE'), false) AS notes`,
  );
  if (!server) throw new Error('it gave no answer');
  return server;
}

/** Throws `storage` if what is written may be lost or cannot be written, with what mends it. */
export function checkServer(place: string, server: Server): void {
  const refuse = (why: string, cure: string) => {
    throw new Failure('storage', `the journal ${place} ${why}; nothing was sent. ${cure}`);
  };
  const { readonly, commit, fsync, encoding, isolation } = server;
  if (readonly) refuse('is read-only, like that of a standby server', 'Name the server that accepts writes');
  if (commit === 'off')
    refuse(
      'could lose a booking in a crash, which would then be sent again, because synchronous_commit is off',
      'To switch it on for this role: ALTER ROLE name SET synchronous_commit = on',
    );
  if (fsync === 'off')
    refuse(
      'could lose a booking in a power failure, which would then be sent again, because fsync is off',
      'To switch it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
    );
  if (encoding !== 'UTF8')
    refuse(
      `cannot hold every text, because the encoding of its database is ${encoding}`,
      `Name a database that has UTF8: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'`,
    );
  if (isolation !== 'read committed')
    refuse(
      `has transactions of the kind ${isolation}, although the connection asks for read committed`,
      'A pooler in between must not share connections within a session',
    );
}

/** The same for the rights of the role, once the version of the tables is known. */
export function checkRights(place: string, { role, tables, schema, lacking }: Server): void {
  const owner = `"${role.replaceAll('"', '""')}"`;
  const inSchema = (table: string) => `${schema}.${table}`;
  if (lacking.length > 0)
    throw new Failure(
      'storage',
      `the journal ${place} cannot be written completely: the role ${owner} lacks ${lacking.join(', ')}; nothing was sent. As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map(inSchema).join(', ')} TO ${owner}`,
    );
}

/** The tables that are not there. */
export const missingTables = ({ tables }: Server): string[] => TABLES.filter(name => !tables.includes(name));
