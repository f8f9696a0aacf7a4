// Lists of orders: for a courier, or for a shop. A list is recorded before it is written, so that no order is on two, and marked when
// its file is whole on the disk or all of it was shown. One without the mark is written again, under its number, once the process
// that was to write it is gone.
import { randomUUID } from 'node:crypto';
import { parseJson } from '../json.ts';
import { type Holder, type Listing, type ListName, listNumber } from './booking.ts';
import { leaseEnd } from './claim.ts';
import { type Db, raw, sql } from './database.ts';
import { lockAlone, timeNow } from './settle.ts';
import { columnName, isHolder } from './tables.ts';

/** A list that this process writes at this moment. */
export interface ListClaim {
  id: string;
  number: number;
}

/** A list without the mark. `isHeld`: a process writes it at this moment. */
export interface UnwrittenList {
  number: number;
  isHeld: boolean;
}

/** How the ids of these claims begin: those of prints and bookings begin in other ways. */
const PREFIX = 'ls_';
export const isListClaim = (id: string): boolean => id.startsWith(PREFIX);
export const newListClaim = (): string => PREFIX + randomUUID().replaceAll('-', '');

/** See `Journal`. `id`: of the claim. */
export async function putOn(
  db: Db,
  list: ListName,
  { id, by, run }: Pick<Listing, 'by' | 'run'> & { id: string },
  bookings: readonly string[],
  keptBack: readonly string[],
): Promise<ListClaim | undefined> {
  const column = raw(columnName(list));
  // Each list has a number of its own.
  await lockAlone(db, 'put on a list');
  const isListed = db.isOneOf('id', bookings);
  const refused = sql`${db.isOneOf('id', [...bookings, ...keptBack])} AND ${column} IS NOT NULL
    OR ${isListed} AND state NOT IN ('created', 'partial')`;
  if (await db.first(sql`SELECT id FROM bookings WHERE ${refused} LIMIT 1`)) return undefined;
  // A number stays when its list is taken back: a command with it, said twice, must not meet another list.
  const last = await db.first<{ number: number | null }>(
    sql`SELECT CAST(MAX(number) AS float8) AS number FROM lists WHERE name = ${list}`,
  );
  const number = (last?.number ?? 0) + 1;
  await db.run(sql`INSERT INTO lists (name, number, writing, writing_by, writing_until)
    VALUES (${list}, ${number}, ${id}, ${JSON.stringify(db.own)}, ${leaseEnd(db)})`);
  // The number comes first, so that the newest one is the last of them as text.
  const recorded: Listing = { number: listNumber(number), at: await timeNow(db), by, run };
  await db.run(sql`UPDATE bookings SET ${column} = ${JSON.stringify(recorded)} WHERE ${isListed}`);
  return { id, number };
}

interface Row {
  number: number;
  holder: string | null;
  until: number;
  now: number;
}

/** The lists of a kind that have no mark, the oldest first. */
export async function unwrittenLists(db: Db, list: ListName): Promise<UnwrittenList[]> {
  const rows = await db.rows<Row>(
    sql`SELECT CAST(number AS float8) AS number, writing_by AS holder,
        CAST(writing_until AS float8) AS "until", CAST(${db.now} AS float8) AS now
      FROM lists WHERE name = ${list} AND writing IS NOT NULL ORDER BY number`,
  );
  return rows.map(({ number, holder: text, until, now }) => {
    const holder: unknown = parseJson(text ?? '');
    if (!isHolder(holder))
      throw new Error(`it is damaged: list ${number} has a claim that is not what waybill writes`);
    return { number, isHeld: !db.hasEnded(holder as Holder, until, now) };
  });
}

/** See `Journal`. */
export async function takeUpList(
  db: Db,
  list: ListName,
  number: number,
  id: string,
): Promise<ListClaim | undefined> {
  await lockAlone(db, 'put on a list');
  const lists = await unwrittenLists(db, list);
  if (!lists.some(one => one.number === number && !one.isHeld)) return undefined;
  await db.run(sql`UPDATE lists SET writing = ${id}, writing_by = ${JSON.stringify(db.own)},
    writing_until = ${leaseEnd(db)} WHERE name = ${list} AND number = ${number}`);
  return { id, number };
}

/** Marks a list as written, or gives it back. False if it was taken back, or taken up by another process, before. */
export async function endList(db: Db, { id }: Pick<ListClaim, 'id'>, isWritten: boolean): Promise<boolean> {
  const end = isWritten
    ? raw('writing = NULL, writing_by = NULL, writing_until = NULL')
    : raw('writing_until = 0');
  return (await db.run(sql`UPDATE lists SET ${end} WHERE writing = ${id}`)) > 0;
}

/** See `Journal`. */
export async function takeBackList(
  db: Db,
  list: ListName,
  { number, at, by, run }: Listing,
): Promise<boolean> {
  const column = raw(columnName(list));
  const recorded = JSON.stringify({ number, at, by, run });
  await lockAlone(db, 'put on a list');
  await db.run(sql`UPDATE lists SET writing = NULL, writing_by = NULL, writing_until = NULL
    WHERE name = ${list} AND number = ${Number(number)}`);
  return (await db.run(sql`UPDATE bookings SET ${column} = NULL WHERE ${column} = ${recorded}`)) > 0;
}

/** Gives lists that this process writes another lease. */
export const renewLists = (db: Db, ids: readonly string[]): Promise<number> =>
  db.run(sql`UPDATE lists SET writing_until = ${leaseEnd(db)} WHERE ${db.isOneOf('writing', ids)}`);
