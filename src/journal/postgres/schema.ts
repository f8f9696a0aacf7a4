import { Failure } from '../../errors.ts';
import { type Opening, refuse } from '../opening.ts';
import { holdingList } from '../row.ts';
import { firstOf, raw, type Steps, sql } from '../sql.ts';
import type { Postgres, PostgresSettings } from './connection.ts';
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

/** Gives who may book the right to write a new table, too. */
const grantToBookers = (rights: string, table: string) => `DO $$
   DECLARE role text;
   BEGIN
     FOR role IN SELECT DISTINCT rolname FROM pg_class, aclexplode(relacl) AS given, pg_roles
       WHERE pg_class.oid = 'bookings'::regclass AND pg_roles.oid = given.grantee AND privilege_type = 'INSERT'
     LOOP
       EXECUTE format('GRANT ${rights} ON ${table} TO %I', role);
     END LOOP;
   END $$;`;

// The same rows as in SQLite: times are milliseconds since 1970, requests, answers and ids JSON as text.
export const MIGRATIONS = [
  `CREATE TABLE bookings (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text NOT NULL UNIQUE,
     address text NOT NULL,
     account text NOT NULL,
     operation text NOT NULL,
     key_space text NOT NULL,
     key text,
     fingerprint text NOT NULL,
     source text,
     state text NOT NULL,
     profile text,
     sandbox boolean NOT NULL,
     at bigint NOT NULL,
     settled_at bigint,
     lease_until bigint NOT NULL,
     holder text NOT NULL,
     request text,
     code text,
     why text NOT NULL DEFAULT '',
     http_status integer,
     answer text,
     ids text NOT NULL DEFAULT '{}',
     labels text NOT NULL DEFAULT '{}',
     files text NOT NULL DEFAULT '{}'
   );
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN (${holdingList});
   CREATE INDEX keys ON bookings (key) WHERE key IS NOT NULL;
   CREATE INDEX same_input ON bookings (fingerprint);
   CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key IS NULL;
   CREATE INDEX pending ON bookings (lease_until) WHERE state = 'pending';
   CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
   CREATE TABLE labels (
     address text NOT NULL,
     account text NOT NULL,
     shipment text NOT NULL,
     leg text NOT NULL,
     booking text NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (address, account, shipment)
   );
   CREATE INDEX labels_of ON labels (booking);
   CREATE INDEX labelled ON labels (shipment);
   CREATE TABLE made (
     id text NOT NULL,
     booking text NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (id, booking)
   );
   CREATE TABLE label_files (
     booking text NOT NULL REFERENCES bookings (id),
     leg text NOT NULL,
     pdf bytea NOT NULL,
     PRIMARY KEY (booking, leg)
   );`,
  // A booking whose key was booked again before its own answer came does not hold the key.
  `ALTER TABLE bookings ADD COLUMN settlements text NOT NULL DEFAULT '[]', ADD COLUMN overtaken_by text;
   DROP INDEX one_key;
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
   CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;
   ALTER TABLE waybill_schema ADD COLUMN in_use boolean NOT NULL DEFAULT false;`,
  // By which words a booking is found. The empty word has the number up to which readers have added them. The order of
  // the characters' numbers is that of beginnings.
  `CREATE TABLE words (word text COLLATE "C" NOT NULL, number bigint NOT NULL, PRIMARY KEY (word, number));
   CREATE INDEX made_from ON made (id COLLATE "C");
   ${grantToBookers('SELECT, INSERT, DELETE', 'words')}`,
  // Which run booked, who, up to which price, and whether the price is above it.
  `ALTER TABLE bookings ADD COLUMN run text, ADD COLUMN actor text, ADD COLUMN max_price text,
     ADD COLUMN over_price boolean;`,
  // At which milestones that end a journey the shipments of a booking were seen. The index has a line for each 128 pages, and
  // costs a booking nothing.
  `CREATE TABLE seen (
     booking text NOT NULL,
     shipment text NOT NULL,
     milestone text NOT NULL,
     PRIMARY KEY (booking, shipment, milestone)
   );
   CREATE INDEX booked_at ON bookings USING brin (at);
   ${grantToBookers('SELECT, INSERT', 'seen')}`,
  // Where the tables were made, or are as a person says; and what persons said about a journal that was put back.
  `ALTER TABLE waybill_schema ADD COLUMN system text, ADD COLUMN database text, ADD COLUMN timeline text;
   CREATE TABLE restorations (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text NOT NULL UNIQUE,
     at bigint NOT NULL,
     person text NOT NULL,
     reason text NOT NULL,
     run text,
     missing_since bigint
   );
   ${grantToBookers('SELECT', 'restorations')}`,
];

/** The number of the lock for migrations; any number that no other program uses. */
const LOCK = 8_027_011;

/**
 * Makes the tables, or brings them up to date, one process at a time. Throws `storage` if they are of a newer version, if
 * what is written may be lost or cannot be written, or if the journal is not what `opening` wants. Gives a function that
 * remembers a booking as one that this machine has seen. `now`, `at`: by the clock of this machine.
 */
export async function prepare(
  postgres: Postgres,
  { place, memory: folder }: Pick<PostgresSettings, 'place' | 'memory'>,
  opening: Opening,
  now: () => number,
): Promise<(id: string, at: number) => void> {
  const { asNew = false, mustExist, restored, onLost = refuse, warn = () => {} } = opening;
  const server = await postgres.run(askServer()).catch((error: unknown) => {
    if (!isNotForRole(error)) throw error;
    return postgres.run(askServer(IDENTITY_IN_PART));
  });
  checkServer(place, server);
  await postgres.run(checkOneJournal(place, server));
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
  const version = isNew ? 0 : await postgres.run(versionIn(place));
  checkRights(place, server);
  const missing = missingTables(server, version);
  if (missing.length > 0 && !isNew) {
    if (server.tables.some(name => !FORGOTTEN.includes(name)))
      throw new Failure(
        'storage',
        `the journal ${place} has lost the tables ${missing.join(', ')}; nothing was sent. Put them back from a backup. --new-journal continues only if all of them are gone`,
      );
    if (!asNew) throw lost(place, 'has lost its tables', 'gone');
    await postgres.transaction(forget());
  }
  if (version < MIGRATIONS.length || missing.length > 0) await postgres.transaction(migrate(place, server));

  const found = await postgres.run(look(memory.seen));
  const loss = lossIn(place, server, memory.seen, found);
  let { restoration } = found;
  if (restored) {
    restoration = await postgres.transaction(restore(restored, server, memory.seen, found));
    memory.forget();
  } else if (loss && asNew && !found.newest) {
    await postgres.run(recordIdentity(server));
    memory.forget();
  } else if (loss) {
    onLost(loss);
    // What this machine has seen is remembered until a person says that it is lost.
    return () => {};
  } else {
    for (const doubt of doubtsAbout(place, server, memory.seen, found)) warn(doubt);
    // Where the tables are new, the role owns them.
    if (found.newest && !found.inUse && (server.notes || isNew)) await postgres.run(noteUse());
  }
  if (found.newest) memory.remember({ ...found.newest, restoration });
  const behind = found.now - now();
  return (id, at) => memory.remember({ id, at: at + behind, restoration });
}

function* noteUse(): Steps<void> {
  yield sql`UPDATE waybill_schema SET in_use = true`;
}

/** Tables that say nothing about bookings which are gone. */
const FORGOTTEN = ['waybill_schema', 'words', 'seen', 'restorations'];

/** All other tables were dropped. */
function* forget(): Steps<void> {
  yield raw(`DROP TABLE IF EXISTS ${FORGOTTEN.join(', ')}`);
}

function* migrate(place: string, identity: Identity): Steps<void> {
  yield sql`SELECT pg_advisory_xact_lock(${LOCK})`;
  yield sql`CREATE TABLE IF NOT EXISTS waybill_schema (version integer NOT NULL)`;
  const version = yield* versionIn(place);
  for (const step of MIGRATIONS.slice(version)) yield raw(step);
  const { changed } = yield sql`UPDATE waybill_schema SET version = ${MIGRATIONS.length}`;
  if (changed > 0) return;
  yield sql`INSERT INTO waybill_schema (version) VALUES (${MIGRATIONS.length})`;
  yield* recordIdentity(identity);
}

/** 0 if there is nothing yet. Throws `storage` if it is newer than this version of waybill knows. */
function* versionIn(place: string): Steps<number> {
  const row = yield* firstOf<{ version: number }>(sql`SELECT version FROM waybill_schema`);
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length)
    throw new Failure(
      'storage',
      `the journal ${place} was written by a newer version of waybill (${version}, not ${MIGRATIONS.length}); nothing was sent. To use it, update waybill on this machine`,
    );
  return version;
}
