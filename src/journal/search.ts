// The table of words. Bookings are indexed by those who search, and not by those who book: a batch has no cost of it.
import type { Dialect, FoundBy } from './dialect.ts';
import { inSteps, type Pace } from './in-steps.ts';
import { seeLost } from './list.ts';
import { IS_OPEN } from './row.ts';
import type { Run } from './run.ts';
import { firstOf, rowsOf, type Sql, type Steps, sql } from './sql.ts';
import { requestWords, wordsOf } from './words.ts';

/** A shorter end of the journal is read, and not indexed. */
const READ_ANYWAY = 100;

export function* newestNumber(): Steps<number> {
  return (
    (yield* firstOf<{ newest: number | null }>(
      sql`SELECT CAST(MAX(number) AS float8) AS newest FROM bookings`,
    ))?.newest ?? 0
  );
}

/** Up to which number bookings are indexed. */
export function* indexedUntil(): Steps<number> {
  return (
    (yield* firstOf<{ newest: number | null }>(
      sql`SELECT CAST(MAX(number) AS float8) AS newest FROM words WHERE word = ''`,
    ))?.newest ?? 0
  );
}

/** Indexes what no search has indexed before. */
export async function indexAll(
  db: Dialect,
  run: Run,
  pace: Pace,
  told: (done: number, all: number) => void,
): Promise<void> {
  const start = await run('read', indexedUntil);
  if ((await run('read', newestNumber)) - start <= READ_ANYWAY) return;
  const end = await run('read', () => lastIndexable(db));
  if (end === undefined) return;
  await inSteps(pace, async count => {
    const done = await run('written', () => indexPage(db, end, count), { atomic: true });
    told(done - start, end - start);
    return done < end;
  });
}

/**
 * Up to which number bookings can be indexed. Older versions add no words when they record an outcome, so no booking that
 * may still get one from them is indexed, nor any above it.
 */
function* lastIndexable(db: Dialect): Steps<number | undefined> {
  yield* seeLost(db);
  const newest = yield* db.newestNumber();
  if (newest === undefined) return undefined;
  const oldest = yield* firstOf<{ number: number }>(
    sql`SELECT CAST(number AS float8) AS number FROM bookings WHERE ${IS_OPEN} AND state = 'pending' ORDER BY number LIMIT 1`,
  );
  return oldest === undefined ? newest : Math.min(newest, oldest.number - 1);
}

interface Indexable {
  number: number;
  key: string | null;
  request: string | null;
  labels: string;
  run: string | null;
}

/** Indexes the next `count` bookings; returns up to which number that is done. */
function* indexPage(db: Dialect, end: number, count: number): Steps<number> {
  yield db.lockWords;
  const start = yield* indexedUntil();
  const rows = yield* rowsOf<Indexable>(
    sql`SELECT CAST(number AS float8) AS number, key, request, labels, run FROM bookings
      WHERE number > ${start} AND number <= ${end} ORDER BY bookings.number LIMIT ${count}`,
  );
  const done = rows.length < count ? Math.max(start, end) : (rows.at(-1)?.number ?? end);
  const found = rows.flatMap(({ number, ...row }) =>
    wordsOf({ ...row, request: parsed(row.request), labels: parsed(row.labels) ?? {} }).map(one => ({
      word: one,
      number,
    })),
  );
  // Rows that lie together are written together.
  found.sort((a, b) => (a.word < b.word ? -1 : a.word > b.word ? 1 : 0));
  yield* add(db, [...found, { word: '', number: done }]);
  yield sql`DELETE FROM words WHERE word = '' AND number < ${done}`;
  return done;
}

function* add(db: Dialect, found: readonly FoundBy[]): Steps<void> {
  yield sql`INSERT INTO words SELECT word, number FROM ${db.wordTable(found)} WHERE true ON CONFLICT DO NOTHING`;
}

/** A damaged text is named when its booking is read, and must not end every search. */
export function parsed(text: string | null) {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Drops what the requests of these bookings say; keys, runs and tracking numbers stay. */
export function* forgetRequests(db: Dialect, bookings: Sql): Steps<void> {
  yield db.lockWords;
  const end = yield* indexedUntil();
  const rows = yield* rowsOf<Pick<Indexable, 'number' | 'request' | 'key'>>(
    sql`SELECT CAST(number AS float8) AS number, key, request FROM bookings WHERE ${bookings} AND number <= ${end}`,
  );
  const found = rows.flatMap(({ number, key, request }) => {
    const kept = new Set(wordsOf({ key, request: null, labels: {}, run: null }));
    return requestWords(parsed(request)).flatMap(one => (kept.has(one) ? [] : { word: one, number }));
  });
  if (found.length === 0) return;
  const numbers = found.map(({ number }) => number);
  // SQLite seeks only the word of a pair, and would read all bookings of a country: a million of them take seconds.
  yield sql`DELETE FROM words WHERE (word, number) IN (SELECT word, number FROM ${db.wordTable(found)})
    AND number >= ${Math.min(...numbers)} AND number <= ${Math.max(...numbers)}`;
}
