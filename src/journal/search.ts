// The table of words. Bookings are indexed by those who search, and not by those who book: a batch has no cost of it.
import type { Dialect, FoundBy } from './dialect.ts';
import { seeLost } from './list.ts';
import { IS_OPEN } from './row.ts';
import type { Run } from './run.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from './sql.ts';
import { partWords, requestWords, type Term, word, wordsOf } from './words.ts';

/** A shorter end of the journal is read, and not indexed. */
const READ_ANYWAY = 100;

/** Few enough for a commit of less than a tenth of a second: nobody else can write in that time. */
const INDEXED_AT_ONCE = 2000;

/** If more bookings have a word, reading the newest ones finds some of them sooner than all of the index. */
const MANY = 50_000;
/** The same for ids, which have to be looked up one by one. */
const MANY_IDS = 5000;

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
  pause: () => Promise<void>,
  told: (done: number, all: number) => void,
): Promise<void> {
  const start = await run('read', indexedUntil);
  if ((await run('read', newestNumber)) - start <= READ_ANYWAY) return;
  const end = await run('read', () => lastIndexable(db));
  if (end === undefined) return;
  for (let done = start; done < end; ) {
    done = await run('written', () => indexPage(db, end), { atomic: true });
    told(done - start, end - start);
    if (done < end) await pause();
  }
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

/** Indexes the next bookings; returns up to which number that is done. */
function* indexPage(db: Dialect, end: number): Steps<number> {
  yield db.lockWords;
  const start = yield* indexedUntil();
  const rows = yield* rowsOf<Indexable>(
    sql`SELECT CAST(number AS float8) AS number, key, request, labels, run FROM bookings
      WHERE number > ${start} AND number <= ${end} ORDER BY number LIMIT ${INDEXED_AT_ONCE}`,
  );
  const done = rows.length < INDEXED_AT_ONCE ? Math.max(start, end) : (rows.at(-1)?.number ?? end);
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
  if (found.length > 0)
    yield sql`DELETE FROM words WHERE (word, number) IN (SELECT word, number FROM ${db.wordTable(found)})`;
}

/**
 * The numbers of all indexed bookings that may fulfil the terms, the highest first; `undefined` if they are too many to
 * be collected.
 */
export function* candidates(db: Dialect, terms: readonly Term[]): Steps<number[] | undefined> {
  let common: number[] | undefined;
  for (const term of terms) {
    const found = yield* numbersOf(db, term);
    if (found === undefined) continue;
    common = common === undefined ? [...found] : common.filter(number => found.has(number));
    if (common.length === 0) break;
  }
  return common?.sort((a, b) => b - a);
}

function* numbersOf(db: Dialect, term: Term): Steps<Set<number> | undefined> {
  const all = new Set<number>();
  const ways = 'exact' in term ? yield* exactWaysOf(term.exact) : waysOf(db, term.beginning);
  for (const { from, most } of ways) {
    const found = yield* firstOf<{ list: string }>(
      sql`SELECT ${db.listOfNumbers} AS list FROM (${from} LIMIT ${most + 1}) AS found`,
    );
    const numbers: number[] = JSON.parse(found?.list ?? '[]');
    if (numbers.length > most) return undefined;
    for (const number of numbers) all.add(number);
  }
  return all;
}

function* exactWaysOf(exact: string): Steps<Way[]> {
  const own = { from: sql`SELECT number FROM words WHERE word = ${exact}`, most: MANY };
  if (!exact.startsWith('#')) return [own];
  const end = yield* indexedUntil();
  // A run that only made labels is that of the labels' bookings, some of which may not be indexed.
  return [
    own,
    { from: shipmentsLabelledBy(withWord(sql`${WORD} = ${exact}`)), most: MANY_IDS },
    { from: shipmentsLabelledBy(sql`SELECT id, number FROM bookings WHERE number > ${end}`), most: MANY_IDS },
  ];
}

/** Sorts after every text that begins with the same. */
const END = '\u{10ffff}';

const begins = (column: Sql, beginning: string): Sql =>
  sql`${column} >= ${beginning} AND ${column} < ${beginning + END}`;

const WORD = raw('word');

interface Way {
  from: Sql;
  /** If it finds more, the index is of no use. */
  most: number;
}

/** By what a piece of a search finds bookings. */
function waysOf({ madeId }: Dialect, piece: string): Way[] {
  const longest = partWords(piece).reduce((best, one) => (one.length > best.length ? one : best), '');
  const words = new Set([word('', piece), longest].filter(Boolean));
  const ids = new Set([piece, piece.toUpperCase(), piece.toLowerCase()]);
  return [
    ...[...words].map(one => ({
      from: sql`SELECT number FROM words WHERE ${begins(WORD, one)}`,
      most: MANY,
    })),
    { from: sql`SELECT number FROM words WHERE ${begins(WORD, word('~', piece))}`, most: MANY_IDS },
    { from: shipmentsLabelledBy(withWord(begins(WORD, word('~', piece)))), most: MANY_IDS },
    ...[...ids].map(one => ({
      from: sql`SELECT number FROM made CROSS JOIN bookings WHERE bookings.id = made.booking
        AND ${begins(madeId, one)}`,
      most: MANY_IDS,
    })),
  ];
}

/** The shipments whose labels were made by these bookings. */
const shipmentsLabelledBy = (labelling: Sql): Sql =>
  sql`SELECT shipped.number AS number FROM (${labelling}) AS labelling
    CROSS JOIN labels CROSS JOIN made CROSS JOIN bookings AS shipped
    WHERE labels.booking = labelling.id AND made.id = labels.shipment
      AND shipped.id = made.booking AND shipped.number <> labelling.number`;

const withWord = (condition: Sql): Sql =>
  sql`SELECT id, bookings.number FROM words CROSS JOIN bookings WHERE bookings.number = words.number AND ${condition}`;
