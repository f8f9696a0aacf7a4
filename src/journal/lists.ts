// Lists of orders: for a courier, or for a shop. A list is recorded before it is written, so that no order is on two, and marked
// when its file is whole on the disk or all of it was shown. One without the mark is written again, under its number, once the
// process that was to write it is gone.
import { randomUUID } from 'node:crypto';
import { type Holder, type Listing, type ListName, listNumber } from '../booking/booking.ts';
import { isRecord } from '../contract/paths.ts';
import { parseJson } from '../json.ts';
import { leaseEnd } from './claim.ts';
import { type Database, type Db, raw, sql } from './database.ts';
import { timeNow } from './record.ts';
import { lockAlone } from './settle.ts';
import { columnName } from './tables.ts';

/** A list that this process writes at this moment. */
export interface ListClaim {
  id: string;
  number: number;
}

/** A list without the mark. `isHeld`: a process writes it at this moment. */
interface UnwrittenList {
  number: number;
  isHeld: boolean;
}

/** How the ids of these claims begin: those of prints and bookings begin in other ways. */
const PREFIX = 'ls_';
export const isListClaim = (id: string): boolean => id.startsWith(PREFIX);

const WRITTEN = raw('writing = NULL, writing_by = NULL, writing_until = NULL');

/** The lists of a journal. Its promises are as those of `Journal`. */
export class ListBook {
  constructor(private readonly database: Pick<Database, 'read' | 'write' | 'leases'>) {}

  /**
   * Records that these bookings are on a list, and claims it: no other list of its kind gets its number, and nobody else writes it
   * until `end`. `undefined`: another list has one of them, or one of those that were kept back, or one does not exist any more;
   * nothing is recorded.
   */
  record(
    list: ListName,
    { by, run }: Pick<Listing, 'by' | 'run'>,
    bookings: readonly string[],
    keptBack: readonly string[] = [],
  ): Promise<ListClaim | undefined> {
    const column = raw(columnName(list));
    return this.claim(async (db, id) => {
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
      return number;
    });
  }

  /** The lists of a kind that were recorded and not written to their end, the oldest first. */
  unwritten(list: ListName): Promise<UnwrittenList[]> {
    return this.database.read(db => unwrittenIn(db, list));
  }

  /** Claims a list that was recorded and not written. `undefined`: it was written or taken back, or another process writes it. */
  takeUp(list: ListName, number: number): Promise<ListClaim | undefined> {
    return this.claim(async (db, id) => {
      const lists = await unwrittenIn(db, list);
      if (!lists.some(unwritten => unwritten.number === number && !unwritten.isHeld)) return undefined;
      await db.run(sql`UPDATE lists SET writing = ${id}, writing_by = ${JSON.stringify(db.own)},
        writing_until = ${leaseEnd(db)} WHERE name = ${list} AND number = ${number}`);
      return number;
    });
  }

  /** Marks a claimed list as written, or gives it back. False if it was taken back, or taken up by another process, before. */
  async end({ id }: Pick<ListClaim, 'id'>, isWritten: boolean): Promise<boolean> {
    const end = isWritten ? WRITTEN : raw('writing_until = 0');
    try {
      const write = (db: Db) => db.run(sql`UPDATE lists SET ${end} WHERE writing = ${id}`);
      return (await this.database.write(write)) > 0;
    } finally {
      this.database.leases.release(id);
    }
  }

  /** Takes a list back, so that its orders are on none. `false`: it was taken back before. */
  takeBack(list: ListName, { number, at, by, run }: Listing): Promise<boolean> {
    const column = raw(columnName(list));
    const recorded = JSON.stringify({ number, at, by, run });
    return this.database.write(async db => {
      await lockAlone(db, 'put on a list');
      await db.run(sql`UPDATE lists SET ${WRITTEN} WHERE name = ${list} AND number = ${Number(number)}`);
      return (await db.run(sql`UPDATE bookings SET ${column} = NULL WHERE ${column} = ${recorded}`)) > 0;
    });
  }

  /** `claiming` gives the number of a list that it wrote with that id. */
  private async claim(
    claiming: (db: Db, id: string) => Promise<number | undefined>,
  ): Promise<ListClaim | undefined> {
    const id = PREFIX + randomUUID().replaceAll('-', '');
    try {
      const number = await this.database.write(async db => {
        // Each list has a number of its own, and one process that writes it.
        await lockAlone(db, 'put on a list');
        return claiming(db, id);
      });
      if (number === undefined) return undefined;
      this.database.leases.hold(id);
      // step: list claimed
      return { id, number };
    } catch (error) {
      // The server may have recorded it, and its answer was lost: then the next process need not wait for the lease.
      await this.end({ id }, false).catch(() => {});
      throw error;
    }
  }
}

interface Row {
  number: number;
  holder: string | null;
  until: number;
  now: number;
}

async function unwrittenIn(db: Db, list: ListName): Promise<UnwrittenList[]> {
  const rows = await db.rows<Row>(
    sql`SELECT CAST(number AS float8) AS number, writing_by AS holder,
        CAST(writing_until AS float8) AS "until", CAST(${db.now} AS float8) AS now
      FROM lists WHERE name = ${list} AND writing IS NOT NULL ORDER BY number`,
  );
  return rows.map(({ number, holder: text, until, now }) => {
    const holder = parseJson(text ?? '');
    if (!isRecord(holder))
      throw new Error(`it is damaged: list ${number} has a claim that is not what waybill writes`);
    return { number, isHeld: !db.hasEnded(holder as unknown as Holder, until, now) };
  });
}

/** Gives lists that this process writes another lease. */
export const renewLists = (db: Db, ids: readonly string[]): Promise<number> =>
  db.run(sql`UPDATE lists SET writing_until = ${leaseEnd(db)} WHERE ${db.isOneOf('writing', ids)}`);
