// How a shared journal is opened: its tables are made, or are of this version and can be used, and they are where they were
// made and hold what this machine has seen in them.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { Failure, StoreError } from '../../errors.ts';
import { fileNamed, keepFile } from '../../host/folder.ts';
import type { JournalLoss } from '../../say/journal.ts';
import type { Notice } from '../../say/notices.ts';
import { systemCode } from '../../system-errors.ts';
import { raw, sql } from '../database.ts';
import {
  lostBookings,
  NoTables,
  type Opening,
  otherVersion,
  type Restoring,
  recordRestoration,
  SCHEMA_VERSION,
  tables,
} from '../tables.ts';
import {
  differenceOf,
  type Identity,
  NOW,
  type Postgres,
  type PostgresSettings,
  SCHEMA,
  type Statements,
} from './connection.ts';
import {
  askServer,
  checkReading,
  checkServer,
  type Server,
  SHARED_TABLES,
  type Unwritable,
  unwritable,
} from './server.ts';

const CREATE = `
  -- Which server and database the tables were made in, or are in as a person says, tells a copy from them, and the oid of one
  -- of them a dump that was restored over them. The identity tells this journal from any other.
  CREATE TABLE waybill_schema (
    version integer NOT NULL,
    identity text,
    in_use boolean NOT NULL DEFAULT false,
    system text,
    database text,
    timeline text,
    bookings_oid text
  );
  INSERT INTO waybill_schema (version) VALUES (${SCHEMA_VERSION});
  ${tables({ integer: 'BIGINT', counter: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', end: '', keyed: '' })}`
  // Byte by byte: an update of the system may change any other order under the indexes, which then no longer find a key.
  .replace(/\btext\b/gi, 'TEXT COLLATE "C"');

/** A journal that can be used. */
interface Prepared {
  /** See `Database`. */
  journalIdentity: string;
  /** Why it can only be read, if so. */
  readOnly: Failure | undefined;
  /** Remembers a booking as one that this machine has seen. `at`: by the clock of this machine. */
  remember(id: string, at: number): void;
}

/**
 * Makes the tables, one process at a time. Throws `storage` if those that are there are of another version, if what is
 * written may be lost or cannot be written, or if the journal is not what `opening` wants. `now`: the clock of this machine.
 */
export async function prepareTables(
  postgres: Postgres,
  settings: PostgresSettings,
  opening: Opening,
  now: () => number,
): Promise<Prepared> {
  const { journalName } = settings;
  const identity = await postgres.identity();
  const server = await postgres.run(askServer);
  checkServer(journalName, server);
  const { system, database } = identity;
  const { schema } = server;
  const memory = memoryIn(
    settings.memory,
    system === null ? [journalName, schema] : [system, database, schema],
  );
  const blocked = await readyTables(postgres, server, journalName, {
    ...opening,
    wasSeen: memory.seen !== undefined,
  });
  const present = await postgres.run(db => presentIn(db, memory.seen));
  const { identity: journalIdentity, newest } = present;
  if (journalIdentity === null)
    throw new Failure('storage', { kind: 'journal-identity-lost', journal: journalName });
  const readOnly = blocked?.failure;
  const loss = lossIn(settings, identity, memory.seen, present);
  let { restoration } = present;
  if (opening.restored) {
    const missed = present.hasSeen ? undefined : memory.seen;
    restoration = await restore(postgres, identity, opening.restored, missed);
    memory.forget();
  } else if (loss && opening.asNew && !newest) {
    await postgres.run(db => recordPlace(db, identity));
    memory.forget();
  } else if (loss) {
    // Who adds to one that is empty would hide that it was emptied.
    if (!opening.onLost || !(opening.toRead || newest)) throw loss;
    opening.onLost(loss);
    // What this machine has seen is remembered until a person says that it is lost.
    return { journalIdentity, readOnly, remember() {} };
  } else {
    const [was, is] = [present.timeline, identity.timeline];
    if (differs(was, is)) settings.note?.({ kind: 'journal-taken-over', journal: journalName, was, is });
    if (!blocked && !opening.isUntouched) await noteIdentity(postgres, identity, present);
  }
  if (!blocked?.isMeant && (system === null || identity.timeline === null))
    tellDoubt(journalName, server.role, opening);
  if (newest && !opening.isUntouched) memory.remember({ ...newest, restoration });
  const behind = present.now - now();
  return {
    journalIdentity,
    readOnly,
    remember: (id, at) => memory.remember({ id, at: at + behind, restoration }),
  };
}

/** Makes the tables if there are none, and gives why they can only be read, if so. `wasSeen`: by this machine. */
async function readyTables(
  postgres: Postgres,
  server: Server,
  journalName: string,
  opening: Opening & { wasSeen: boolean },
): Promise<Unwritable | undefined> {
  const { asNew = false, mustExist, toRead = false, onLost, wasSeen } = opening;
  const { schema, tables, lacking } = server;
  const isNew = tables.length === 0;
  if (isNew && wasSeen && !asNew) throw lostBookings(journalName, { loss: 'tables' });
  if (isNew && mustExist !== undefined)
    throw new Failure('storage', {
      kind: 'journal-tables-must-exist',
      journal: journalName,
      schema,
      reason: mustExist,
    });
  if (isNew && toRead) throw new NoTables(journalName);
  // Without this right the version cannot be read.
  if (lacking.includes('SELECT ON waybill_schema')) checkReading(journalName, server);
  if (tables.includes('waybill_schema')) await checkVersion(postgres, journalName);
  checkReading(journalName, server);
  const missing = SHARED_TABLES.filter(name => !tables.includes(name));
  if (!isNew && missing.length > 0)
    throw new Failure('storage', {
      kind: 'journal-tables-missing',
      journal: journalName,
      missing,
      schema,
      tables,
    });
  const blocked = unwritable(journalName, server);
  if (blocked) {
    if (!toRead || !(blocked.isMeant || onLost)) throw blocked.failure;
    if (!blocked.isMeant) onLost?.(blocked.failure);
  }
  if (isNew) {
    const identity = await postgres.identity();
    await postgres.transaction(db => makeTables(db, identity));
  }
  return blocked;
}

async function checkVersion(postgres: Postgres, journalName: string): Promise<void> {
  const row = await postgres.run(db =>
    db.first<{ version: number }>(sql`SELECT version FROM waybill_schema`),
  );
  if (row?.version !== SCHEMA_VERSION) throw otherVersion(journalName, 'PostgreSQL', row?.version ?? 0);
}

async function makeTables(db: Statements, identity: Identity): Promise<void> {
  // Any number that no other program uses.
  await db.run(sql`SELECT pg_advisory_xact_lock(8027011)`);
  // Another process may have done it by now. To read `pg_class` makes the server forget that there was no such table.
  if (await db.first(sql`SELECT FROM pg_class WHERE oid = to_regclass('bookings')`)) return;
  if (
    await db.first(sql`SELECT WHERE current_schema() IS NULL AND current_setting('search_path') = ${SCHEMA}`)
  )
    await db.run(raw(`CREATE SCHEMA ${SCHEMA}`));
  await db.run(raw(CREATE));
  await db.run(sql`UPDATE waybill_schema SET identity = ${`jr_${randomUUID().replaceAll('-', '')}`}`);
  await recordPlace(db, identity);
}

// Whether the tables are where they were made, and hold what this machine has seen in them: a database that was put back to
// an older state does not know what was booked since.

interface Present extends Readonly<Record<keyof Identity, string | null>> {
  /** Is it recorded that the journal held bookings? */
  inUse: boolean;
  newest: Pick<Remembered, 'id' | 'at'> | undefined;
  /** By the clock of the server. */
  now: number;
  /** The id of the last restoration. */
  restoration: string | null;
  hasSeen: boolean;
  hasRestoration: boolean;
  identity: string | null;
  /** The oid that the table of bookings was made with, and the one that it has. */
  madeOid: string | null;
  oid: string;
}

/** Reads it in one round trip. `hasSeen`, `hasRestoration`: is what this machine has seen there? */
async function presentIn(db: Statements, remembered: Remembered | undefined): Promise<Present> {
  const row = await db.first<Omit<Present, 'newest'> & { id: string | null; at: number }>(
    sql`SELECT COALESCE(in_use, false) AS "inUse", identity, system, database, timeline, newest.id, CAST(newest.at AS float8) AS at,
        CAST(${NOW} AS float8) AS now, bookings_oid AS "madeOid", to_regclass('bookings')::oid::text AS oid,
        (SELECT id FROM restorations ORDER BY number DESC LIMIT 1) AS restoration,
        EXISTS (SELECT FROM bookings WHERE id = ${remembered?.id ?? ''}) AS "hasSeen",
        EXISTS (SELECT FROM restorations WHERE id = ${remembered?.restoration ?? ''}) AS "hasRestoration"
      FROM (VALUES (1)) AS always LEFT JOIN waybill_schema ON true
        LEFT JOIN (SELECT id, at FROM bookings ORDER BY number DESC LIMIT 1) AS newest ON true
      LIMIT 1`,
  );
  if (!row) throw new StoreError({ fault: 'no-answer' });
  const { id, at, ...rest } = row;
  return { ...rest, newest: id === null ? undefined : { id, at } };
}

/** What is wrong with the bookings that are there; `undefined` if nothing is. */
function lossIn(
  settings: PostgresSettings,
  identity: Identity,
  remembered: Remembered | undefined,
  present: Present,
): Failure | undefined {
  // A person may have said since then that it was put back.
  const isRemembered =
    remembered === undefined ||
    (remembered.restoration === present.restoration
      ? present.hasSeen
      : remembered.restoration === null || present.hasRestoration);
  const failure = (loss: JournalLoss) => lostBookings(settings.journalName, loss);
  if (!present.newest && (present.inUse || !isRemembered)) return failure({ loss: 'bookings' });
  const difference = differenceOf(present, identity);
  if (difference && difference.kind !== 'timeline') {
    const { kind: loss, was, is } = difference;
    return failure({ loss, was, is });
  }
  if (remembered && !isRemembered)
    return failure({ loss: 'booking', booking: remembered.id, at: new Date(remembered.at).toISOString() });
  if (differs(present.madeOid, present.oid)) return failure({ loss: 'restored-dump' });
  // That this machine misses nothing says nothing of what others have booked.
  if (difference && !settings.isLossless)
    return failure({ loss: 'timeline', was: difference.was, is: difference.is });
  return undefined;
}

const differs = (recorded: string | null, now: string | null): boolean =>
  recorded !== null && now !== null && recorded !== now;

function tellDoubt(journal: string, role: string, opening: Opening): void {
  const { mustTell: isRequired = false, onLost, warn } = opening;
  const doubt: Notice = { kind: 'journal-doubtful', journal, role, isRequired };
  const failure = isRequired ? new Failure('storage', doubt) : undefined;
  if (!failure) warn?.(doubt);
  else if (onLost) onLost(failure);
  else throw failure;
}

/** Records what a person says of it, and gives the id of that. `missed`: the booking that this machine saw, and that is gone. */
const restore = (
  postgres: Postgres,
  identity: Identity,
  restoring: Restoring,
  missed: Remembered | undefined,
) =>
  postgres.transaction(async db => {
    await recordPlace(db, identity);
    return recordRestoration(db, restoring, NOW, missed?.at);
  });

/** Records what is not recorded yet. A role that does not own the tables may lack the right, and need not do it. */
async function noteIdentity(postgres: Postgres, identity: Identity, present: Present): Promise<void> {
  const { system, database, timeline } = identity;
  const noted = { system: system ?? present.system, database, timeline: timeline ?? present.timeline };
  const isNoted = noted.system === present.system && noted.timeline === present.timeline;
  if (isNoted && (present.inUse || !present.newest)) return;
  await postgres
    .run(db => recordPlace(db, noted))
    .catch((error: unknown) => {
      if (systemCode(error) !== '42501') throw error;
    });
}

/** Records where the tables are, and whether they hold bookings. */
async function recordPlace(db: Statements, identity: Identity): Promise<void> {
  const { system, database, timeline } = identity;
  await db.run(sql`UPDATE waybill_schema SET in_use = EXISTS (SELECT FROM bookings),
    system = ${system}, database = ${database}, timeline = ${timeline}, bookings_oid = to_regclass('bookings')::oid::text`);
}

// What this machine has seen of shared journals: for each a small file in the state folder. A database that was put back to
// an older state does not know by itself what it has lost.

/** A booking that was in the journal. */
interface Remembered {
  id: string;
  /** ms since 1970, by the clock of the server. */
  at: number;
  /** The id of the last restoration that was recorded by then. */
  restoration: string | null;
}

/** `folder`: none if this machine has no place for it. `identity`: what tells the journal from others; the file has its name from that. */
function memoryIn(folder: string | undefined, identity: readonly string[]) {
  const file = folder === undefined ? undefined : fileNamed(folder, identity);
  const before = seenIn(file);
  return {
    /** The newest booking that this machine has seen, if it remembers one. */
    seen: before,
    /** Best effort: without a folder that can be written nothing is remembered, and a crash leaves what was remembered before. */
    remember(journal: Remembered): void {
      if (file === undefined || (before?.id === journal.id && before.restoration === journal.restoration))
        return;
      try {
        keepFile(file, JSON.stringify(journal));
      } catch {
        // The next command tries again.
      }
    },
    forget(): void {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function seenIn(file: string | undefined): Remembered | undefined {
  if (file === undefined) return undefined;
  try {
    const { id, at, restoration } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof id === 'string' && typeof at === 'number' ? { id, at, restoration } : undefined;
  } catch {
    return undefined;
  }
}
