// The bookings that a person names by whatever they have of them.

import { keyIdentity } from '../contract/key.ts';
import type { Booking } from './booking.ts';
import type { Dialect } from './dialect.ts';
import type { Pace } from './in-steps.ts';
import { indexed } from './indexed.ts';
import { bookingsWhere } from './rules.ts';
import type { Run } from './run.ts';
import { indexAll, indexedUntil, parsed } from './search.ts';
import { rowsOf, type Steps, sql } from './sql.ts';
import { trackingWords, word } from './words.ts';

/** How many bookings that are not indexed are read at a time. */
const READ_AT_ONCE = 5000;

/** Those with this id, key, id from the service or tracking number, the newest first. */
export async function named(
  db: Dialect,
  run: Run,
  pace: Pace,
  ref: string,
  indexing?: (done: number, all: number) => void,
): Promise<Booking[]> {
  const found = await run('read', () => byIndex(db, ref));
  if (found.length > 0 || indexing === undefined) return found;
  // It may be a tracking number that an older version recorded, and that nobody has indexed.
  await indexAll(db, run, pace, indexing);
  const now = await run('read', () => byIndex(db, ref));
  return now.length > 0 ? now : notIndexed(db, run, pace, word('~', ref));
}

// A union, so that each of the four is looked up in its own index. Shops write `#5001`, and people type `5001`.
const byIndex = (db: Dialect, ref: string): Steps<Booking[]> =>
  bookingsWhere(
    db,
    sql`number IN (SELECT number FROM bookings WHERE id = ${ref}
        UNION SELECT number FROM bookings WHERE ${db.isOneOf('key_id', [keyIdentity(ref), withSign(ref)])}
        UNION SELECT number FROM made JOIN bookings ON bookings.id = booking WHERE made.id = ${indexed(ref)}
        UNION SELECT number FROM words WHERE word = ${word('~', ref)})
      ORDER BY number DESC`,
  );

/** The identity of a key that is this one behind a `#`. */
export const withSign = (key: string): string => `#${keyIdentity(key)}`;

async function notIndexed(db: Dialect, run: Run, pace: Pace, tracking: string): Promise<Booking[]> {
  const end = await run('read', indexedUntil);
  const numbers: number[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; below > end + 1; ) {
    const rows = await run('read', () => labelsBetween(end, below));
    for (const { number, labels } of rows)
      if (trackingWords({ labels: parsed(labels) ?? {} }).includes(tracking)) numbers.push(number);
    if (rows.length < READ_AT_ONCE) break;
    below = rows.at(-1)?.number ?? 0;
    await pace.pause();
  }
  return run('read', () => bookingsWhere(db, sql`${db.hasNumber(numbers)} ORDER BY number DESC`));
}

const labelsBetween = (end: number, below: number): Steps<{ number: number; labels: string }[]> =>
  rowsOf(
    sql`SELECT CAST(number AS float8) AS number, labels FROM bookings WHERE number > ${end} AND number < ${below}
      ORDER BY bookings.number DESC LIMIT ${READ_AT_ONCE}`,
  );
