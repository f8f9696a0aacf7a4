// Lists of orders: for a courier, or for a shop. A list is recorded before it is written, so that no order is on two lists. It is marked
// as written when its file is whole on the disk or all of it was shown. A list without this mark is written again, under its number, once
// its process is gone.

import { randomUUID } from 'node:crypto';
import type { Holder } from '../booking/booking.ts';
import type { Listing, Recorder } from '../booking/questions.ts';
import { isRecord } from '../contract/paths.ts';
import { damaged } from '../errors.ts';
import { parseJson } from '../json.ts';
import { leaseEnd } from './claim.ts';
import { type Database, type Db, raw, type Sql, sql } from './database.ts';
import { lockAlone } from './settle.ts';

/** The claim of a list that this process is writing. */
export interface ListClaim {
  id: string;
  number: number;
}

/** A list that was recorded and not marked as written. `isHeld`: a process is writing it. */
interface UnwrittenList {
  number: number;
  isHeld: boolean;
}

/** The ids of claims of lists begin with this; ids of bookings do not. */
const PREFIX = 'ls_';

const WRITTEN = raw('writing = NULL, writing_by = NULL, writing_until = NULL');

/** The lists of a journal. Its promises resolve and reject as those of `Journal`. */
export class ListBook {
  constructor(private readonly database: Pick<Database, 'read' | 'write' | 'leases'>) {}

  /**
   * Records a list of these bookings and claims it: no other list of the name gets its number, and nobody else writes it until `end`.
   * `undefined`: another list of the name has one of `bookings` or `keptBack`, or one of `bookings` does not exist any more; then nothing
   * is recorded.
   */
  record(
    name: string,
    recorder: Recorder,
    bookings: readonly string[],
    keptBack: readonly string[] = [],
  ): Promise<ListClaim | undefined> {
    return this.claim(async (db, id) => {
      const isToBeListed = db.isOneOf('id', bookings);
      const listed = db.isOneOf('booking', [...bookings, ...keptBack]);
      const refused = sql`SELECT booking FROM listed WHERE name = ${name} AND ${listed}
        UNION ALL SELECT id FROM bookings WHERE ${isToBeListed} AND state NOT IN ('created', 'partial') LIMIT 1`;
      if (await db.first(refused)) return undefined;
      // The number of a list that was taken back is not used again: a command with the number, said twice, must not meet another list.
      const last = await db.first<{ number: number | null }>(
        sql`SELECT CAST(MAX(number) AS float8) AS number FROM lists WHERE name = ${name} AND number > 0`,
      );
      const number = (last?.number ?? 0) + 1;
      await db.run(sql`INSERT INTO lists (name, number, at, person, run, writing, writing_by, writing_until)
        VALUES (${name}, ${number}, ${db.now}, ${recorder.by}, ${recorder.run}, ${id}, ${JSON.stringify(db.own)}, ${leaseEnd(db)})`);
      await db.run(sql`INSERT INTO listed (booking, name, number)
        SELECT id, ${name}, CAST(${number} AS bigint) FROM bookings WHERE ${isToBeListed}`);
      return number;
    });
  }

  /** The lists of a name that were recorded and not marked as written, the oldest first. */
  unwritten(name: string): Promise<UnwrittenList[]> {
    return this.database.read(db => unwrittenIn(db, name));
  }

  /** Claims a list that was recorded and not written. `undefined`: the list was written or taken back, or another process writes it. */
  takeUp(name: string, number: number): Promise<ListClaim | undefined> {
    return this.claim(async (db, id) => {
      const lists = await unwrittenIn(db, name);
      if (!lists.some(unwritten => unwritten.number === number && !unwritten.isHeld)) return undefined;
      await db.run(sql`UPDATE lists SET writing = ${id}, writing_by = ${JSON.stringify(db.own)},
        writing_until = ${leaseEnd(db)} WHERE name = ${name} AND number = ${number}`);
      return number;
    });
  }

  /** Marks a claimed list as written, or frees it for others. `false`: the list was taken back, or claimed by another process, before. */
  async end(claim: Pick<ListClaim, 'id'>, isWritten: boolean): Promise<boolean> {
    const end = isWritten ? WRITTEN : raw('writing_until = 0');
    try {
      const write = (db: Db) => db.run(sql`UPDATE lists SET ${end} WHERE writing = ${claim.id}`);
      return (await this.database.write(write)) > 0;
    } finally {
      this.database.leases.release(claim.id);
    }
  }

  /** Takes a list back, so that its orders are on none. `false`: it was taken back before. */
  takeBack(listing: Listing): Promise<boolean> {
    const isIt = sql`name = ${listing.name} AND number = ${listing.number}`;
    return this.database.write(async db => {
      await lockAlone(db, 'put on a list');
      await db.run(sql`UPDATE lists SET ${WRITTEN} WHERE ${isIt}`);
      return (await db.run(sql`DELETE FROM listed WHERE ${isIt}`)) > 0;
    });
  }

  /** Makes a claim with a new id and a lease. `claiming` writes the id into a list, and gives the number of the list. */
  private async claim(
    claiming: (db: Db, id: string) => Promise<number | undefined>,
  ): Promise<ListClaim | undefined> {
    const id = PREFIX + randomUUID().replaceAll('-', '');
    try {
      const number = await this.database.write(async db => {
        // One claim at a time: each list gets its own number and one process that writes it, and an order gets on one list of a name.
        await lockAlone(db, 'put on a list');
        return claiming(db, id);
      });
      if (number === undefined) return undefined;
      this.database.leases.hold(id);
      // step: list claimed
      return { id, number };
    } catch (error) {
      // The server may have recorded the claim although its answer was lost: it is freed, so that nobody need wait for the end of the
      // lease.
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

async function unwrittenIn(db: Db, name: string): Promise<UnwrittenList[]> {
  const rows = await db.rows<Row>(
    sql`SELECT CAST(number AS float8) AS number, writing_by AS holder,
        CAST(writing_until AS float8) AS "until", CAST(${db.now} AS float8) AS now
      FROM lists WHERE name = ${name} AND writing IS NOT NULL ORDER BY number`,
  );
  return rows.map(({ number, holder: text, until, now }) => {
    const holder = parseJson(text ?? '');
    if (!isRecord(holder)) throw damaged({ part: 'list', list: number });
    return { number, isHeld: !db.hasEnded(holder as unknown as Holder, until, now) };
  });
}

/**
 * Records that imported orders were on a list of another machine. An order that is on a list of that name stays there. Orders with one
 * time are on one list, whose number is the negative time.
 */
export async function listElsewhere(db: Db, listing: Omit<Listing, 'number'>, isListed: Sql): Promise<void> {
  const { name, at, by, run } = listing;
  const number = sql`CAST(${-at} AS bigint)`;
  await db.run(sql`INSERT INTO lists (name, number, at, person, run)
    VALUES (${name}, ${number}, ${at}, ${by}, ${run}) ON CONFLICT DO NOTHING`);
  await db.run(sql`INSERT INTO listed (booking, name, number)
    SELECT id, ${name}, ${number} FROM bookings WHERE ${isListed} ON CONFLICT DO NOTHING`);
}

/** Renews the leases that a process holds: of pending bookings, and of lists that are being written. */
export async function renewAll(db: Db, ids: readonly string[]): Promise<void> {
  const lists = ids.filter(id => id.startsWith(PREFIX));
  const bookings = ids.filter(id => !id.startsWith(PREFIX));
  if (lists.length > 0)
    await db.run(sql`UPDATE lists SET writing_until = ${leaseEnd(db)} WHERE ${db.isOneOf('writing', lists)}`);
  if (bookings.length > 0)
    await db.run(sql`UPDATE bookings SET lease_until = ${leaseEnd(db)}
      WHERE ${db.unlocked(sql`${db.isOneOf('id', bookings)} AND state = 'pending'`)}`);
}
