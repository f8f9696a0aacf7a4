// Which bookings may fulfil a search, by the table of words. They are read afterwards, so one too many does no harm.
import type { Dialect } from './dialect.ts';
import { firstOf, raw, type Sql, type Steps, sql } from './sql.ts';
import { partWords, type Term, word } from './words.ts';

/** If more bookings have a word, the newest bookings are read first: some of them probably fit. */
const FEW = 5000;

/** Numbers of bookings: all that fit and are above `end`. */
interface Found {
  numbers: Set<number>;
  end: number;
}

/** What is known of a frequent word before its numbers are collected. */
const NOTHING_KNOWN: Found = { numbers: new Set(), end: Number.POSITIVE_INFINITY };

/**
 * The numbers below `below` of bookings that may fulfil all terms, the highest first: all that are above `end`. Frequent
 * words are left out if `most` is 0; if there is no other, `end` is infinite. `most`: so many of their numbers are
 * collected. `indexed`: up to which number bookings are indexed.
 */
export function* candidates(
  db: Dialect,
  terms: readonly Term[],
  below: number,
  { most, indexed }: { most: number; indexed: number },
): Steps<{ numbers: number[]; end: number }> {
  const read = (selection: Sql) => numbersIn(db, sql`${selection} AND number < ${below}`, most);
  const found: Found[] = [];
  for (const term of terms)
    found.push(
      'exact' in term ? yield* eitherOf(exactWaysOf(term.exact, indexed)) : yield* beginning(term.beginning),
    );
  const { numbers, end } = found.reduce(both);
  return { numbers: [...numbers].sort((a, b) => b - a), end };

  function* eitherOf(ways: readonly Sql[]): Steps<Found> {
    const all: Found[] = [];
    for (const way of ways) all.push(yield* read(way));
    return all.reduce(either);
  }

  function* beginning(piece: string): Steps<Found> {
    const found = yield* eitherOf(waysOf(db, piece));
    const parts = partWords(piece);
    return parts.length === 0 ? found : either(found, yield* allOf(parts));
  }

  /** The words of a receiver: a frequent one is only collected if there is no other. */
  function* allOf(parts: readonly string[]): Steps<Found> {
    const found: Found[] = [];
    for (const part of parts)
      found.push(yield* numbersIn(db, sql`${beginsWith(part)} AND number < ${below}`, 0));
    const common = found.reduce(both);
    return common.end === 0 || most === 0 ? common : yield* read(beginsWith(longestOf(parts)));
  }
}

function* numbersIn(db: Dialect, selection: Sql, most: number): Steps<Found> {
  const few = yield* listOf(db, sql`${selection} LIMIT ${FEW + 1}`);
  if (few.length <= FEW) return { numbers: new Set(few), end: 0 };
  if (most === 0) return NOTHING_KNOWN;
  const highest = yield* listOf(db, sql`${selection} ORDER BY number DESC LIMIT ${most}`);
  const end = highest.length < most ? 0 : highest.reduce((lowest, one) => Math.min(lowest, one)) - 1;
  return { numbers: new Set(highest), end };
}

/** A side that is complete is not cut short by one that is not. */
function both(one: Found, other: Found): Found {
  const [smaller, larger] = one.end <= other.end ? [one, other] : [other, one];
  const mayFit = (number: number) =>
    larger.numbers.has(number) || (smaller.end === 0 && number <= larger.end);
  const numbers = new Set([...smaller.numbers].filter(mayFit));
  return { numbers, end: smaller.end === 0 ? 0 : larger.end };
}

function either(one: Found, other: Found): Found {
  const end = Math.max(one.end, other.end);
  return { numbers: new Set([...one.numbers, ...other.numbers].filter(number => number > end)), end };
}

function* listOf(db: Dialect, numbers: Sql): Steps<number[]> {
  const found = yield* firstOf<{ list: string }>(
    sql`SELECT ${db.listOfNumbers} AS list FROM (${numbers}) AS found`,
  );
  return JSON.parse(found?.list ?? '[]');
}

const longestOf = (words: readonly string[]): string =>
  words.reduce((longest, one) => (one.length > longest.length ? one : longest));

/** Sorts after every text that begins with the same. */
const END = '\u{10ffff}';

const begins = (column: Sql, beginning: string): Sql =>
  sql`${column} >= ${beginning} AND ${column} < ${beginning + END}`;

const WORD = raw('word');

const beginsWith = (beginning: string): Sql => sql`SELECT number FROM words WHERE ${begins(WORD, beginning)}`;

function exactWaysOf(exact: string, indexedEnd: number): Sql[] {
  const own = sql`SELECT number FROM words WHERE word = ${exact}`;
  if (!exact.startsWith('#')) return [own];
  // A run that only made labels is that of the labels' bookings, some of which may not be indexed.
  return [
    own,
    shipmentsLabelledBy(withWord(sql`${WORD} = ${exact}`)),
    shipmentsLabelledBy(sql`SELECT id, number FROM bookings WHERE number > ${indexedEnd}`),
  ];
}

/** Bookings by the beginning of a key, a tracking number or a shipment id. */
function waysOf({ madeId }: Dialect, piece: string): Sql[] {
  const tracking = word('~', piece);
  const ids = new Set([piece, piece.toUpperCase(), piece.toLowerCase()]);
  return [
    beginsWith(word('', piece)),
    beginsWith(tracking),
    shipmentsLabelledBy(withWord(begins(WORD, tracking))),
    ...[...ids].map(
      one => sql`SELECT number FROM made CROSS JOIN bookings WHERE bookings.id = made.booking
        AND ${begins(madeId, one)}`,
    ),
  ];
}

/** The shipments whose labels were made by these bookings. */
const shipmentsLabelledBy = (labelling: Sql): Sql =>
  sql`SELECT number FROM (SELECT shipped.number AS number FROM (${labelling}) AS labelling
    CROSS JOIN labels CROSS JOIN made CROSS JOIN bookings AS shipped
    WHERE labels.booking = labelling.id AND made.id = labels.shipment
      AND shipped.id = made.booking AND shipped.number <> labelling.number) AS shipped WHERE true`;

const withWord = (condition: Sql): Sql =>
  sql`SELECT id, bookings.number FROM words CROSS JOIN bookings WHERE bookings.number = words.number AND ${condition}`;
