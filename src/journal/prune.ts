// Deletes what old bookings hold of persons: requests, answers, labels. Keys and ids stay, so that nothing is booked again.
import type { Dialect } from './dialect.ts';
import { inSteps, type Pace } from './in-steps.ts';
import { pruneSettlements } from './record-settlement.ts';
import { IS_OPEN } from './row.ts';
import type { Run } from './run.ts';
import { firstOf, type Steps, sql } from './sql.ts';

/** `before`: ms since 1970. Gives how many were pruned. */
export async function prune(db: Dialect, run: Run, pace: Pace, before: number): Promise<number> {
  const last = await run('read', () => newestBefore(before));
  let pruned = 0;
  let after = 0;
  await inSteps(pace, async count => {
    const page = { after, end: after + count };
    pruned += await run('written', () => prunePage(db, before, page), { atomic: true });
    after = page.end;
    return after < last;
  });
  return pruned;
}

/** The sum keeps SQLite from reading the newer half of all bookings: the index by time has time and number. */
export function* newestBefore(time: number): Steps<number> {
  const row = yield* firstOf<{ newest: number | null }>(
    sql`SELECT CAST(MAX(number + 0) AS float8) AS newest FROM bookings WHERE at < ${Math.floor(time)}`,
  );
  return row?.newest ?? 0;
}

/** Prunes the bookings with these numbers; gives how many. */
function* prunePage(
  db: Dialect,
  before: number,
  { after, end }: { after: number; end: number },
): Steps<number> {
  const old = sql`number > ${after} AND number <= ${end} AND at < ${Math.floor(before)} AND NOT ${IS_OPEN}`;
  const full = sql`${old} AND (request IS NOT NULL OR answer IS NOT NULL)`;
  yield sql`UPDATE found_by SET person = '' WHERE number IN (SELECT number FROM bookings WHERE ${full})`;
  yield* pruneSettlements(old);
  yield sql`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${full})`;
  const { changed } = yield sql`UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}'
    WHERE ${full}`;
  return changed;
}
