// Whether the tables are where they were made, and hold what this machine has seen in them: a database that was put back to
// an older state does not know what was booked since.
import { type Failure, systemCode } from '../../errors.ts';
import { lostBookings } from '../opening.ts';
import { type Restoring, recordRestoration } from '../restorations.ts';
import { raw, sql } from '../sql.ts';
import { NOW, type Statements } from './connection.ts';
import type { Seen } from './memory.ts';

/** Which database it is, as text. */
export interface Identity {
  /** The system identifier of the server, which a copy by a dump does not have; `null` if the role may not ask. */
  system: string | null;
  /** Its oid. */
  database: string;
  /** It changes when a standby takes over, or the server is put back to an earlier moment; `null` if it is not known. */
  timeline: string | null;
}

const DATABASE = '(SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database';

/** Columns of a query. */
export const IDENTITY = raw(`${DATABASE}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`);
/** The same for a role that may not ask for all of it. */
export const IDENTITY_IN_PART = raw(`${DATABASE}, NULL::text AS system, NULL::text AS timeline`);

/** Did the server refuse these functions: for lack of a right, or because it does not have them, as some services? */
export const isNotForRole = (error: unknown): boolean =>
  ['42501', '42883', '0A000'].includes(systemCode(error) ?? '');

/** What the tables say. */
export interface Found extends Identity {
  /** Is it recorded that the journal held bookings? */
  inUse: boolean;
  newest: Pick<Seen, 'id' | 'at'> | undefined;
  /** By the clock of the server. */
  now: number;
  /** The last one. */
  restoration: string | null;
  hasSeen: boolean;
  hasRestoration: boolean;
}

/** Reads it in one round trip. `hasSeen`, `hasRestoration`: is what this machine has seen there? */
export async function look(db: Statements, seen: Seen | undefined): Promise<Found> {
  const row = await db.first<Omit<Found, 'newest'> & { id: string | null; at: number }>(
    sql`SELECT COALESCE(in_use, false) AS "inUse", system, database, timeline, newest.id, CAST(newest.at AS float8) AS at,
        CAST(${NOW} AS float8) AS now,
        (SELECT id FROM restorations ORDER BY number DESC LIMIT 1) AS restoration,
        EXISTS (SELECT FROM bookings WHERE id = ${seen?.id ?? ''}) AS "hasSeen",
        EXISTS (SELECT FROM restorations WHERE id = ${seen?.restoration ?? ''}) AS "hasRestoration"
      FROM (VALUES (1)) AS always LEFT JOIN waybill_schema ON true
        LEFT JOIN (SELECT id, at FROM bookings ORDER BY number DESC LIMIT 1) AS newest ON true
      LIMIT 1`,
  );
  if (!row) throw new Error('it gave no answer');
  const { id, at, ...found } = row;
  return { ...found, newest: id === null ? undefined : { id, at } };
}

export const lost = (place: string, what: string, state: 'gone' | 'put back'): Failure =>
  lostBookings(place, what, 'Put them back from a backup', state);

/** What is wrong with the bookings that are there; `undefined` if nothing is. */
export function lossIn(
  place: string,
  { system, database }: Identity,
  seen: Seen | undefined,
  found: Found,
): Failure | undefined {
  // A person may have said since then that it was put back.
  const isRemembered =
    seen === undefined ||
    (seen.restoration === found.restoration
      ? found.hasSeen
      : seen.restoration === null || found.hasRestoration);
  if (!found.newest && (found.inUse || !isRemembered))
    return lost(place, 'has lost its bookings: it held some, and holds none', 'gone');
  const moved = [
    differs(found.system, system) &&
      `on a server with the system identifier ${found.system}, and not ${system}`,
    differs(found.database, database) && `in a database with the oid ${found.database}, and not ${database}`,
  ].filter(one => one !== false);
  if (moved.length > 0)
    return lost(
      place,
      `may have lost bookings, because it is a copy: it was made ${moved.join(', ')}`,
      'put back',
    );
  if (seen && !isRemembered)
    return lost(
      place,
      `has lost bookings: ${seen.id}, of ${new Date(seen.at).toISOString()}, that this machine saw in it, is not in it any more`,
      'put back',
    );
  return undefined;
}

const differs = (recorded: string | null, present: string | null): boolean =>
  recorded !== null && present !== null && recorded !== present;

/** What a person should look into although nothing is known to be lost. */
export function doubtsAbout(
  place: string,
  { role, system, timeline }: Identity & { role: string },
  seen: Seen | undefined,
  found: Found,
): string[] {
  if (system === null)
    return [
      `waybill cannot tell whether the journal ${place} was put back to another server, because the role "${role}" may not run pg_control_system and pg_walfile_name. As a superuser in its database: GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO "${role}"`,
    ];
  if (seen || !found.newest || !differs(found.timeline, timeline)) return [];
  return [
    `the server of the journal ${place} is on timeline ${timeline}, and was on timeline ${found.timeline}: a standby took over, or the server was put back to an earlier moment. This machine has not used the journal before, so it cannot tell whether bookings are missing. If none are, \`waybill history check --restored --reason TEXT\` records that, and ends this warning`,
  ];
}

/** Records where the tables are, and whether they hold bookings. */
export async function recordIdentity(
  db: Statements,
  { system, database, timeline }: Identity,
): Promise<void> {
  await db.run(sql`UPDATE waybill_schema SET in_use = EXISTS (SELECT FROM bookings),
    system = ${system}, database = ${database}, timeline = ${timeline}`);
}

/** Records what a person says about the journal, and gives the id of that. */
export async function restore(
  db: Statements,
  said: Restoring,
  identity: Identity,
  seen: Seen | undefined,
  { hasSeen }: Found,
): Promise<string> {
  await recordIdentity(db, identity);
  return recordRestoration(db, said, NOW, hasSeen ? undefined : seen?.at);
}
