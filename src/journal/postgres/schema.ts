import { Failure } from '../../errors.ts';
import { type Opening, refuse, SCHEMA_VERSION, wrongVersion } from '../opening.ts';
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

// The same rows as in SQLite: times are milliseconds since 1970, requests, answers and ids JSON as text.
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
  CREATE TABLE bookings (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    address text NOT NULL,
    account text NOT NULL,
    operation text NOT NULL,
    key_space text NOT NULL,
    key text,
    key_id text,
    fingerprint text NOT NULL,
    source text,
    record_name text,
    state text NOT NULL,
    profile text,
    sandbox boolean NOT NULL,
    run text,
    actor text,
    max_price text,
    expected text,
    at bigint NOT NULL,
    settled_at bigint,
    lease_until bigint NOT NULL,
    holder text NOT NULL,
    code text,
    http_status integer,
    over_price boolean,
    cancelled boolean NOT NULL DEFAULT false,
    overtaken_by text,
    why text NOT NULL DEFAULT '',
    ids text NOT NULL DEFAULT '{}',
    labels text NOT NULL DEFAULT '{}',
    files text NOT NULL DEFAULT '{}',
    settlements text NOT NULL DEFAULT '[]',
    request text,
    answer text
  );
  CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)
    WHERE key_id IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
  CREATE INDEX same_key ON bookings (key_id) WHERE key_id IS NOT NULL;
  CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key_id IS NULL;
  CREATE INDEX record_names ON bookings (record_name) WHERE record_name IS NOT NULL;
  CREATE INDEX pending ON bookings (lease_until) WHERE state = 'pending';
  CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
  CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;
  CREATE INDEX recent ON bookings (at, fingerprint);
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
    printed_at bigint,
    PRIMARY KEY (booking, leg)
  );
  CREATE TABLE found_by (number bigint PRIMARY KEY, person text NOT NULL, names text NOT NULL);
  CREATE TABLE seen (
    booking text NOT NULL,
    shipment text NOT NULL,
    milestone text NOT NULL,
    PRIMARY KEY (booking, shipment, milestone)
  );
  -- What persons said about a journal that was put back.
  CREATE TABLE restorations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    at bigint NOT NULL,
    person text NOT NULL,
    reason text NOT NULL,
    run text,
    missing_since bigint
  );`;

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
  if (!isNew) await postgres.run(checkVersion(place));
  checkRights(place, server);
  const missing = missingTables(server);
  if (missing.length > 0 && !isNew) {
    if (server.tables.some(name => !FORGOTTEN.includes(name)))
      throw new Failure(
        'storage',
        `the journal ${place} has lost the tables ${missing.join(', ')}; nothing was sent. Put them back from a backup. --new-journal continues only if all of them are gone`,
      );
    if (!asNew) throw lost(place, 'has lost its tables', 'gone');
    await postgres.transaction(forget());
  }
  if (missing.length > 0) await postgres.transaction(makeTables(server));

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
const FORGOTTEN = ['waybill_schema', 'found_by', 'seen', 'restorations'];

/** All other tables were dropped. */
function* forget(): Steps<void> {
  yield raw(`DROP TABLE IF EXISTS ${FORGOTTEN.join(', ')}`);
}

function* makeTables(identity: Identity): Steps<void> {
  yield sql`SELECT pg_advisory_xact_lock(${LOCK})`;
  // Another process may have done it by now. To read `pg_class` makes the server forget that there was no such table.
  if (yield* firstOf(sql`SELECT FROM pg_class WHERE oid = to_regclass('bookings')`)) return;
  yield raw(TABLES);
  yield* recordIdentity(identity);
}

function* checkVersion(place: string): Steps<void> {
  const row = yield* firstOf<{ version: number }>(sql`SELECT version FROM waybill_schema`);
  if (row?.version !== SCHEMA_VERSION)
    throw wrongVersion(
      place,
      row?.version ?? 0,
      'Name an empty database, or an empty schema of it with ?options=-csearch_path=NAME: its tables are made by the first booking',
    );
}
