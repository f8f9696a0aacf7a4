// Moves the bookings of this machine into a shared journal: all rows of all tables, each once, also if the move is killed and run again.
// Before the first row, a mark in the source keeps everybody from writing there. A page of bookings and all that belongs to them is
// copied in one transaction: so the target has whole bookings only.
import type { Scope } from '../booking/booking.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { Notice } from '../say/notices.ts';
import { messageWords } from '../say/person.ts';
import { HOLDS_KEY, IS_OPEN } from './claim.ts';
import { type Database, type Db, list, raw, type Sql, sql } from './database.ts';
import { DEMO } from './orders.ts';
import { openPrints } from './prints.ts';
import { lockAlone } from './settle.ts';
import { ONE_KEY, TABLE_LIST, TABLES, type Table, type TableName } from './tables.ts';

/** How many bookings are copied in one transaction. */
const PAGE = 200;

/** How many characters the rows of one statement have at most. */
const MOST_CHARACTERS = 500_000;

/** A condition for the bookings that move. Those of demo stay: each machine has a demo of its own. */
const MOVES = sql`NOT (${DEMO})`;

type Cells = Readonly<Record<string, string | number | null>>;
type Row = Cells & { id: string; number: number };

/** What a move would do, and what prevents it. */
export interface MoveLook {
  /** The addresses and accounts of the bookings that move. */
  places: (Scope & { bookings: number })[];
  bookings: number;
  /** How many of the bookings the target has, from a move that was interrupted. */
  there: number;
  issues: Issue[];
}

/** Looks at all that may prevent a move; writes nothing. `target`: absent if its tables are not made yet. */
export async function lookAtMove(source: Database, target: Database | undefined): Promise<MoveLook> {
  const { isMarked, issues } = await source.read(db => markIn(db, target?.identity));
  const places = new Map<string, MoveLook['places'][number]>();
  let [bookings, there] = [0, 0];
  for await (const page of movingPages<Row & Scope>(source, raw('number, id, address, account'))) {
    bookings += page.length;
    for (const { address, account } of page) {
      const place = JSON.stringify([address, account]);
      places.set(place, { address, account, bookings: (places.get(place)?.bookings ?? 0) + 1 });
    }
    const ids = page.map(({ id }) => id);
    there += (await target?.read(db => rowNumbers(db, ids)))?.size ?? 0;
    // Once a move has begun, what others book in the target does not stop it.
    if (!isMarked) issues.push(...((await target?.read(db => clashes(source, db, ids))) ?? []));
  }
  return { places: [...places.values()], bookings, there, issues };
}

/**
 * Moves the bookings. Gives how many were copied now, and what was left out because others have booked it in the target meanwhile.
 * `name`: the address of the target. `onPage`: gets how many bookings are done, and may end the move. Throws `storage`, `usage`.
 */
export async function moveBookings(
  source: Database,
  target: Database,
  name: string,
  onPage: (done: number) => void,
): Promise<{ copied: number; leftOut: Issue[] }> {
  await source.write(async db => {
    const { isMarked, issues } = await markIn(db, target.identity);
    if (issues.length > 0) throw moveRefused(issues);
    if (!isMarked) await db.run(sql`INSERT INTO moved (identity, name) VALUES (${target.identity}, ${name})`);
    // step: mark of a move written
  });
  // step: source of a move marked
  const leftOut: Issue[] = [];
  let [copied, done] = [0, 0];
  for await (const page of movingPages(source, raw('*'))) {
    const copy = await copyPage(source, target, page);
    leftOut.push(...copy.leftOut);
    copied += copy.copied;
    done += page.length;
    // step: page of a move copied
    onPage(done);
  }
  const lists = await source.read(async db =>
    rowsElsewhere(db, 'lists', await db.rows<Cells>(sql`SELECT * FROM lists`)),
  );
  await target.write(db =>
    insertRows(
      db,
      'lists',
      lists.map(row => ({ ...row, ...WRITTEN_LIST })),
    ),
  );
  // step: move copied
  const { bookings, there } = await lookAtMove(source, target);
  if (there === bookings || leftOut.length > 0) return { copied, leftOut };
  throw new Failure('storage', { kind: 'move-incomplete', to: name, there, bookings }, { retry: 'same' });
}

export const moveRefused = (issues: readonly Issue[], code: 'usage' | 'storage' = 'usage'): Failure =>
  new Failure(code, { kind: 'nothing-moved', reasons: issues.length }, { issues });

const moveIssue = (path: string, notice: Notice): Issue => ({ path, message: messageWords(notice) });

/** Has a move begun in the source, and what prevents a move to the journal with the identity `target`? */
async function markIn(db: Db, target: string | undefined): Promise<{ isMarked: boolean; issues: Issue[] }> {
  const mark = await db.first<{ identity: string; name: string }>(sql`SELECT identity, name FROM moved`);
  if (!mark) return { isMarked: false, issues: await underWay(db) };
  const { identity, name: to } = mark;
  const other = moveIssue('ADDRESS', { kind: 'moved-elsewhere', to, identity });
  return { isMarked: true, issues: identity === target ? [] : [other] };
}

/** What prevents a move in the source: bookings and prints that are under way, and lists that were not finished. */
async function underWay(db: Db): Promise<Issue[]> {
  await db.recordLost();
  const issues: Issue[] = [];
  const add = async (table: TableName, name: string, isMeant: Sql, notice: Notice) => {
    const rows = await db.rows<{ path: string }>(
      sql`SELECT ${raw(name)} AS path FROM ${raw(table)} WHERE ${isMeant}`,
    );
    issues.push(...rows.map(({ path }) => moveIssue(path, notice)));
  };
  const isPending = sql`${IS_OPEN} AND state = 'pending' AND ${MOVES}`;
  await add('bookings', 'COALESCE(key, id)', isPending, { kind: 'booking-under-way' });
  for (const { shipment } of await openPrints(db, 'printing'))
    issues.push(moveIssue(shipment, { kind: 'print-under-way' }));
  // A list without an order that exists is never written: it prevents no move.
  const isOpen = sql`writing IS NOT NULL AND EXISTS (SELECT 1 FROM listed JOIN bookings ON bookings.id = listed.booking
    WHERE listed.name = lists.name AND listed.number = lists.number AND state IN ('created', 'partial') AND ${MOVES})`;
  await add('lists', `name || ' ' || number`, isOpen, { kind: 'list-unfinished' });
  return issues;
}

async function* movingPages<Read extends Row>(source: Database, columns: Sql): AsyncGenerator<Read[]> {
  for (let last = 0; ; ) {
    const page = await source.read(db =>
      db.rows<Read>(
        sql`SELECT ${columns} FROM bookings WHERE number > ${last} AND ${MOVES} ORDER BY number LIMIT ${PAGE}`,
      ),
    );
    yield page;
    if (page.length < PAGE) return;
    last = page.at(-1)?.number ?? last;
  }
}

/** The numbers of the bookings that the target has, by their ids. */
async function rowNumbers(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.rows<Row>(
    sql`SELECT id, CAST(number AS float8) AS number FROM bookings WHERE ${db.isOneOf('id', ids)}`,
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

// What only one booking of an address and account may hold: the kind, and where rows say who holds it. The sandbox may give a shipment
// twice.
const NO_SANDBOX = raw('EXISTS (SELECT 1 FROM bookings WHERE bookings.id = booking AND sandbox = 0)');
const HELD = [
  ['key', 'bookings', ONE_KEY, 'key_id', 'id', HOLDS_KEY],
  ['shipment', 'made', TABLES.made.primaryKey, 'shipment', 'booking', NO_SANDBOX],
  ['label of shipment', 'labels', TABLES.labels.primaryKey, 'shipment', 'booking', NO_SANDBOX],
] as const;

/** What these bookings of the source hold although other bookings of the target hold it, too. */
async function clashes(source: Database, target: Db, ids: readonly string[]): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [kind, table, columns, name, holder, isHeld] of HELD) {
    const query = sql`SELECT ${raw(`${columns}, ${holder} AS holder`)} FROM ${raw(table)}
      WHERE ${isHeld} AND ${raw(name)} IS NOT NULL`;
    const holdersIn = async (db: Db, column: string, values: readonly string[]) => {
      const rows = await db.rows<Cells>(sql`${query} AND ${db.isOneOf(column, values)}`);
      const held = (row: Cells) => JSON.stringify(columns.split(', ').map(part => row[part]));
      return new Map(rows.map(row => [held(row), row]));
    };
    const here = await source.read(db => holdersIn(db, holder, ids));
    const there = await holdersIn(
      target,
      name,
      [...here.values()].map(row => String(row[name])),
    );
    for (const [held, row] of here) {
      const holderThere = there.get(held)?.holder ?? row.holder;
      if (holderThere === row.holder) continue;
      const both = {
        kind: 'held-in-both',
        here: String(row.holder),
        there: String(holderThere),
        address: String(row.address),
        account: String(row.account ?? ''),
      } as const;
      issues.push(moveIssue(`${kind} ${row[name]}`, both));
    }
  }
  return issues;
}

/** Inserts the rows that the target does not have. A number that counts the rows of a table is given anew, in the order of the rows. */
async function insertRows(db: Db, table: TableName, rows: readonly Cells[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const fitting = rows.slice(0, rowsWithin(rows));
  const { primaryKey, bookingIn }: Table = TABLES[table];
  const isCounted = primaryKey === 'number' && bookingIn !== 'number';
  const names = Object.keys(first).filter(name => !(isCounted && name === 'number'));
  const values = list(fitting.map(row => sql`(${list(names.map(name => row[name] ?? null))})`));
  await db.run(
    sql`INSERT INTO ${raw(table)} (${raw(names.join(', '))}) VALUES ${values} ON CONFLICT DO NOTHING`,
  );
  await insertRows(db, table, rows.slice(fitting.length));
}

/** How many of the rows fit into one statement: a slow network must carry them while the statement may run. */
function rowsWithin(rows: readonly Cells[]): number {
  let length = 0;
  const last = rows.findIndex(row => {
    length += JSON.stringify(row).length;
    return length > MOST_CHARACTERS;
  });
  return last < 0 ? rows.length : Math.max(1, last);
}

const WRITTEN_LIST = { writing: null, writing_by: null, writing_until: null };

/** Gives rows of lists a number from the time of the list, below 0: the target has lists of its own with numbers from 1. */
async function rowsElsewhere(db: Db, table: TableName, rows: readonly Cells[]): Promise<readonly Cells[]> {
  if (table !== 'lists' && table !== 'listed') return rows;
  const lists = await db.rows<Cells>(sql`SELECT name, number, at FROM lists WHERE number > 0`);
  const times = new Map(lists.map(({ name, number, at }) => [`${name} ${number}`, Number(at)]));
  return rows.map(row => {
    const at = times.get(`${row.name} ${row.number}`);
    return at === undefined ? row : { ...row, number: -at };
  });
}

/** Copies the bookings of a page that the target does not have yet, with all that belongs to them. */
async function copyPage(
  source: Database,
  target: Database,
  page: readonly Row[],
): Promise<{ copied: number; leftOut: Issue[] }> {
  const ids = page.map(({ id }) => id);
  const idOf = new Map(page.map(({ number, id }) => [number, id]));
  const belonging = await source.read(async db => {
    const isByNumber = db.isOneOf(
      'number',
      page.map(({ number }) => String(number)),
    );
    const tables: [TableName, readonly Cells[]][] = [];
    for (const [table, { bookingIn }] of TABLE_LIST) {
      if (bookingIn === undefined) continue;
      const isMeant = bookingIn === 'number' ? isByNumber : db.isOneOf('booking', ids);
      const rows = await db.rows<Cells>(sql`SELECT * FROM ${raw(table)} WHERE ${isMeant} ORDER BY 1`);
      tables.push([table, await rowsElsewhere(db, table, rows)]);
    }
    return tables;
  });
  return target.write(async db => {
    // Written by one process at a time: an import, or another process with the same move, waits.
    await lockAlone(db, 'settle');
    const there = await rowNumbers(db, ids);
    const missing = page.filter(({ id }) => !there.has(id));
    const missingIds = missing.map(({ id }) => id);
    const leftOut = await clashes(source, db, missingIds);
    await insertRows(db, 'bookings', missing);
    const numbers = await rowNumbers(db, missingIds);
    for (const [table, rows] of belonging) {
      const copied = rows.flatMap((row): Cells[] => {
        const number = numbers.get(String(row.booking ?? idOf.get(Number(row.number))));
        if (number === undefined) return [];
        return ['booking' in row ? row : { ...row, number }];
      });
      await insertRows(db, table, copied);
    }
    // step: page of a move written
    return { copied: numbers.size, leftOut };
  });
}
