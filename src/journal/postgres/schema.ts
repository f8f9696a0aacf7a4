import { Failure } from '../../errors.ts';
import { holdingList } from '../row.ts';
import { firstOf, raw, type Steps, sql } from '../sql.ts';
import type { Postgres } from './connection.ts';

// The same rows as in SQLite: times are milliseconds since 1970, requests, answers and ids JSON as text.
const MIGRATIONS = [
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
];

/** The number of the lock for migrations; any number that no other program uses. */
const LOCK = 8_027_011;

/**
 * Makes the tables, or brings them up to date, one process at a time. Throws `storage` if they are of a newer version,
 * if nothing may be written, or if what is written may be lost.
 */
export async function prepare(postgres: Postgres, place: string): Promise<void> {
  await postgres.run(checkServer(place));
  if ((await postgres.run(versionIn(place))) < MIGRATIONS.length) await postgres.transaction(migrate(place));
}

function* checkServer(place: string): Steps<void> {
  const server = yield* firstOf<{ readonly: boolean; commit: string }>(
    sql`SELECT current_setting('transaction_read_only')::boolean AS readonly,
      current_setting('synchronous_commit') AS commit`,
  );
  if (server?.readonly)
    throw new Failure(
      'storage',
      `the journal ${place} is read-only, like that of a standby server; nothing was sent. Name the server that accepts writes`,
    );
  if (server?.commit === 'off')
    throw new Failure(
      'storage',
      `the journal ${place} could lose a booking in a crash, which would then be sent again, because synchronous_commit is off; nothing was sent. To switch it on for this role: ALTER ROLE name SET synchronous_commit = on`,
    );
}

function* migrate(place: string): Steps<void> {
  yield sql`SELECT pg_advisory_xact_lock(${LOCK})`;
  yield sql`CREATE TABLE IF NOT EXISTS waybill_schema (version integer NOT NULL)`;
  const version = yield* versionIn(place);
  for (const step of MIGRATIONS.slice(version)) yield raw(step);
  yield sql`DELETE FROM waybill_schema`;
  yield sql`INSERT INTO waybill_schema VALUES (${MIGRATIONS.length})`;
}

/** 0 if there is nothing yet. Throws `storage` if it is newer than this version of waybill knows. */
function* versionIn(place: string): Steps<number> {
  const table = yield* firstOf<{ name: string | null }>(
    sql`SELECT to_regclass('waybill_schema')::text AS name`,
  );
  if (table?.name == null) return 0;
  const row = yield* firstOf<{ version: number }>(sql`SELECT version FROM waybill_schema`);
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length)
    throw new Failure(
      'storage',
      `the journal ${place} was written by a newer version of waybill (${version}, not ${MIGRATIONS.length}); nothing was sent. To use it, update waybill on this machine`,
    );
  return version;
}
