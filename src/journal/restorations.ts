// What persons said about a journal that was put back to an older state, or moved: bookings may be missing in it, and it is
// used all the same.
import { randomUUID } from 'node:crypto';
import type { Db } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** Who says it, why, and in which run. */
export interface Restoring {
  by: string;
  reason: string;
  run: string | null;
}

export interface Restoration extends Restoring {
  /** ms since 1970. */
  at: number;
  /** The time of the last booking before those that may be missing; `null` if there is none. */
  missingSince: number | null;
}

/**
 * Records it and gives its id. `now`: the time of the journal's clock. `lastSeen`: the time of a booking that is missing, if
 * one is known; bookings that are there and newer were made after the journal was put back.
 */
export async function recordRestoration(
  db: Pick<Db, 'run'>,
  { by, reason, run }: Restoring,
  now: Sql,
  lastSeen = Number.MAX_SAFE_INTEGER,
): Promise<string> {
  const id = randomUUID();
  await db.run(sql`INSERT INTO restorations (id, at, person, reason, run, missing_since)
    SELECT ${id}, ${now}, ${by}, ${reason}, ${run}, (SELECT MAX(at) FROM bookings WHERE at <= ${lastSeen})`);
  return id;
}

type Row = Restoring & { at: number; since: number | null };

/** The oldest first. */
export async function restorations(db: Db): Promise<Restoration[]> {
  const rows = await db.rows<Row>(
    sql`SELECT CAST(at AS float8) AS at, person AS by, reason, run, CAST(missing_since AS float8) AS since
      FROM restorations ORDER BY number`,
  );
  return rows.map(({ since, ...said }) => ({ ...said, missingSince: since }));
}
