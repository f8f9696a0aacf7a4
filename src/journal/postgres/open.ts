// Opens a shared journal: its tables are made, or are of this version and can be used; they are where they were made, and hold what this
// machine has seen in them.
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
  // Text is compared byte by byte: an update of the system may change any other order, and an index would no longer find a key.
  .replace(/\btext\b/gi, 'TEXT COLLATE "C"');

/** A journal that can be used. */
interface Prepared {
  /** See `identity` of `Database`. */
  journalIdentity: string;
  /** Why the journal can only be read; `undefined`: it can be written, too. */
  readOnly: Failure | undefined;
  /** Remembers a booking as one that this machine has seen. `at`: by the clock of this machine. */
  remember(id: string, at: number): void;
}

/**
 * Makes the tables, one process at a time, or checks them. Throws `storage` if the tables are of another version, if what is written may
 * be lost or cannot be written, or if the journal is not what `opening` wants. `now`: the clock of this machine.
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
    // Nobody writes to an emptied journal: a new booking would hide that it was emptied.
    if (!opening.onLost || !(opening.toRead || newest)) throw loss;
    opening.onLost(loss);
    // The memory of this machine stays as it is until a person says that the bookings are lost.
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

/** Makes the tables if there are none. Gives why the tables can only be read, if so. `wasSeen`: this machine has seen the journal. */
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
  // A role without this right cannot read the version of the tables.
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
  // The number of this lock is any that no other program uses.
  await db.run(sql`SELECT pg_advisory_xact_lock(8027011)`);
  // Another process may have made the tables by now. A query of `pg_class` makes the server forget that there was no such table.
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
  /** The present time, by the clock of the server. */
  now: number;
  /** The id of the last restoration that a person declared. */
  restoration: string | null;
  hasSeen: boolean;
  hasRestoration: boolean;
  identity: string | null;
  /** The oid that the table `bookings` had when it was made, and the present one. */
  madeOid: string | null;
  oid: string;
}

/**
 * Reads in one round trip what the journal says about itself. `hasSeen`, `hasRestoration`: does it have the booking, and the restoration,
 * that this machine remembers?
 */
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

/** The loss of bookings that the journal shows; `undefined`: none. */
function lossIn(
  settings: PostgresSettings,
  identity: Identity,
  remembered: Remembered | undefined,
  present: Present,
): Failure | undefined {
  // True also if a person has declared since then that the journal was put back: the remembered booking may be missing then.
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
  // This machine misses nothing, but with the change of timeline bookings of other machines may be lost.
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

/** Records that a person declares the journal restored, and gives the id of the restoration. `missed`: a lost booking that was seen. */
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

/** Records where the tables are, if that is not recorded yet. A role that does not own the tables may lack the right, and need not. */
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

// What this machine has seen of shared journals, in a small file for each journal in the state folder. A database that was put back to an
// older state does not know by itself what it has lost.

/** A booking that this machine has seen in the journal. */
interface Remembered {
  id: string;
  /** The time of the booking, in ms since 1970, by the clock of the server. */
  at: number;
  /** The id of the last restoration that the journal had when the booking was seen; `null`: none. */
  restoration: string | null;
}

/** `folder`: `undefined` if this machine has no place for the memory. `identity`: what tells the journal from others and names the file. */
function memoryIn(folder: string | undefined, identity: readonly string[]) {
  const file = folder === undefined ? undefined : fileNamed(folder, identity);
  const before = seenIn(file);
  return {
    /** The newest booking that this machine has seen, if it remembers one. */
    seen: before,
    /** Best effort: without a folder that can be written nothing is remembered, and after a crash the older memory stays. */
    remember(journal: Remembered): void {
      if (file === undefined || (before?.id === journal.id && before.restoration === journal.restoration))
        return;
      try {
        keepFile(file, JSON.stringify(journal));
      } catch {
        // Nothing is remembered now: the next command tries again.
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
