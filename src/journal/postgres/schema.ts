import { Failure } from '../../errors.ts';
import { type Opening, refuse, wrongVersion } from '../opening.ts';
import { raw, sql } from '../sql.ts';
import { SCHEMA_VERSION, tables } from '../tables.ts';
import type { Postgres, PostgresSettings, Statements } from './connection.ts';
import {
  doubtsAbout,
  IDENTITY_IN_PART,
  type Identity,
  isNotForRole,
  look,
  lossIn,
  lost,
  recordIdentity,
  restore,
} from './identity.ts';
import { memoryIn } from './memory.ts';
import { checkOneJournal } from './schemas.ts';
import { askServer, checkRights, checkServer, missingTables } from './server.ts';

const TABLES = `
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

/** The number of the lock for making the tables; any number that no other program uses. */
const LOCK = 8_027_011;

/**
 * Makes the tables, one process at a time. Throws `storage` if those that are there are of another version, if what is
 * written may be lost or cannot be written, or if the journal is not what `opening` wants. Gives a function that remembers
 * a booking as one that this machine has seen. `now`, `at`: by the clock of this machine.
 */
export async function prepare(
  postgres: Postgres,
  { place, memory: folder }: Pick<PostgresSettings, 'place' | 'memory'>,
  opening: Opening,
  now: () => number,
): Promise<(id: string, at: number) => void> {
  const { asNew = false, mustExist, restored, onLost = refuse, warn = () => {} } = opening;
  const server = await postgres
    .run(db => askServer(db))
    .catch((error: unknown) => {
      if (!isNotForRole(error)) throw error;
      return postgres.run(db => askServer(db, IDENTITY_IN_PART));
    });
  checkServer(place, server);
  await postgres.run(db => checkOneJournal(db, place, server));
  const { system, database, schema } = server;
  const memory = memoryIn(folder, system === null ? [place, schema] : [system, database, schema]);
  const isNew = !server.tables.includes('waybill_schema');
  if (isNew && memory.seen && !asNew) throw lost(place, 'has lost its tables', 'gone');
  if (isNew && mustExist !== undefined)
    throw new Failure(
      'storage',
      `the journal ${place} does not exist yet: its database has no tables of waybill. ${mustExist}; nothing was sent. Check the address, and the schemas in which the role looks for tables (SHOW search_path), or give --new-journal to make them`,
    );
  // Without this right the version cannot be read.
  if (server.lacking.includes('SELECT ON waybill_schema')) checkRights(place, server);
  if (!isNew) await postgres.run(db => checkVersion(db, place));
  checkRights(place, server);
  const missing = missingTables(server);
  if (missing.length > 0 && !isNew) {
    if (server.tables.some(name => !FORGOTTEN.includes(name)))
      throw new Failure(
        'storage',
        `the journal ${place} has lost the tables ${missing.join(', ')}; nothing was sent. Put them back from a backup. --new-journal continues only if all of them are gone`,
      );
    if (!asNew) throw lost(place, 'has lost its tables', 'gone');
    await postgres.transaction(forget);
  }
  if (missing.length > 0) await postgres.transaction(db => makeTables(db, server));

  const found = await postgres.run(db => look(db, memory.seen));
  const loss = lossIn(place, server, memory.seen, found);
  let { restoration } = found;
  if (restored) {
    restoration = await postgres.transaction(db => restore(db, restored, server, memory.seen, found));
    memory.forget();
  } else if (loss && asNew && !found.newest) {
    await postgres.run(db => recordIdentity(db, server));
    memory.forget();
  } else if (loss) {
    onLost(loss);
    // What this machine has seen is remembered until a person says that it is lost.
    return () => {};
  } else {
    for (const doubt of doubtsAbout(place, server, memory.seen, found)) warn(doubt);
    // Where the tables are new, the role owns them.
    if (found.newest && !found.inUse && (server.notes || isNew)) await postgres.run(noteUse);
  }
  if (found.newest) memory.remember({ ...found.newest, restoration });
  const behind = found.now - now();
  return (id, at) => memory.remember({ id, at: at + behind, restoration });
}

async function noteUse(db: Statements): Promise<void> {
  await db.run(sql`UPDATE waybill_schema SET in_use = true`);
}

/** Tables that say nothing about bookings which are gone. */
const FORGOTTEN = ['waybill_schema', 'found_by', 'restorations'];

/** All other tables were dropped. */
async function forget(db: Statements): Promise<void> {
  await db.run(raw(`DROP TABLE IF EXISTS ${FORGOTTEN.join(', ')}`));
}

async function makeTables(db: Statements, identity: Identity): Promise<void> {
  await db.run(sql`SELECT pg_advisory_xact_lock(${LOCK})`);
  // Another process may have done it by now. To read `pg_class` makes the server forget that there was no such table.
  if (await db.first(sql`SELECT FROM pg_class WHERE oid = to_regclass('bookings')`)) return;
  await db.run(raw(TABLES));
  await recordIdentity(db, identity);
}

async function checkVersion(db: Statements, place: string): Promise<void> {
  const row = await db.first<{ version: number }>(sql`SELECT version FROM waybill_schema`);
  if (row?.version !== SCHEMA_VERSION)
    throw wrongVersion(
      place,
      row?.version ?? 0,
      'Name an empty database, or an empty schema of it with ?options=-csearch_path=NAME: its tables are made by the first booking',
    );
}
