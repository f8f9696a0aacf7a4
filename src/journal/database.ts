// What the journal needs of a database: SQLite and PostgreSQL each have a `Database`; the rest of the journal is the same for both.

import {
  type Booking,
  type Holder,
  type Intent,
  LEASE_MS,
  type Outcome,
  type Scope,
} from '../booking/booking.ts';
import type { Amended, Claim } from '../booking/questions.ts';
import type { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

/** An intent, and the booking that it is to become. */
export interface Claiming {
  id: string;
  intent: Intent;
  booking: Booking;
}

/** Runs statements, and gives the SQL that the two databases write in different ways. */
export interface Db {
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** The first row of a SELECT; `undefined`: there is none. */
  first<Row>(statement: Sql): Promise<Row | undefined>;
  /** Gives how many rows the statement wrote. */
  run(statement: Sql): Promise<number>;

  /** The SQL of the present time in ms since 1970, by the clock of the journal. */
  readonly now: Sql;
  isOneOf(column: string, values: readonly string[]): Sql;
  /** A condition: is the value of the column among the rows of a SELECT? These rows are few, and looked up first. */
  isIn(column: string, selection: Sql): Sql;
  /** A condition: does the column contain the text? */
  contains(column: Sql, text: string): Sql;
  /** The end of a SELECT that locks its rows: no other process changes them until the transaction ends. */
  readonly forUpdate: Sql;
  /** As `forUpdate`, but the SELECT leaves out rows that another process is writing. */
  readonly skipLocked: Sql;
  /** The SQL of a table `rows` for the FROM of a statement, made of columns of texts, which all have the same length. */
  rowsOf(columns: Readonly<Record<string, readonly (string | null)[]>>): Sql;
  /** Narrows a condition to rows that no other process is writing: a write of several rows waits for none of them. */
  unlocked(condition: Sql): Sql;
  /** Locks names at an address and account until the transaction ends: whoever locks one of the names, too, waits. */
  lock(scope: Scope, names: readonly string[]): Promise<void>;
  /**
   * Makes pending bookings unknown if their process is gone or their lease has ended. To be called before bookings are read. Does nothing
   * in a journal that is only read.
   */
  recordLost(): Promise<void>;
  /** The address of the shared journal into which the bookings of this one were moved, all but those of demo. */
  readonly movedTo?: string | undefined;
  /** This process, as the holder of what it claims. */
  readonly own: Holder;
  /** See `isAlive` of `Processes`. */
  isAlive(holder: Holder): boolean | undefined;
  /** Is a claim or a list abandoned: is its process gone, or has its lease ended? `now`: by the clock of the journal. */
  hasEnded(holder: Holder, leaseUntil: number, now: number): boolean;
  /** The ids of the bookings that `recordLost` would make unknown. */
  lost(): Promise<string[]>;
  /** Writes claims, without their labels, and gives the ids of the written ones: a claim whose key is held is not written. */
  writeClaims(claimings: readonly Claiming[]): Promise<ReadonlySet<string>>;
  /** The SQL of the number of bookings. */
  readonly bookings: Sql;
  /** The SQL of how many bytes all tables have on the disk. */
  readonly bytes: Sql;
  /** The SQL of the name and version of the engine, as text: `SQLite 3.53.0`. */
  readonly engine: Sql;
}

export interface ReadOptions {
  /** Everything that `work` reads is of one moment. */
  isAtomic?: boolean;
}

/** Each method rejects with a `storage` failure that names the journal. */
export interface Database {
  /** An id that no other journal has, wherever the tables are; a copy has the id of its original. */
  readonly identity: string;
  /** The address, without a password, of the shared journal into which the bookings of this one were moved. */
  readonly movedTo?: string | undefined;
  /** This user or role cannot write to the journal, or nobody can on its server: the journal was opened `toRead`. */
  readonly isReadOnly: boolean;
  /** `work` may run again after a failure: it must have no effect outside of the database. */
  read<T>(work: (db: Db) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** All that `work` writes takes effect, or nothing. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** See the methods of `Journal`. */
  claim(intent: Intent): Promise<Claim>;
  fence(id: string): Promise<() => boolean>;
  finish(id: string, outcome: Outcome): Promise<Amended | undefined>;
  backup(file: string): Promise<void>;
  clean(): Promise<boolean>;
  /** The leases of bookings that are being sent, and of lists that are being written. */
  readonly leases: Pick<Leases, 'hold' | 'release'>;
  /** Gives other processes their turn to write. */
  pause(): Promise<void>;
  /** Is there a pooler that gives one session several connections to the server? */
  isPooled?(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The `Database` of a journal that is only read. `failure`: why this user or role cannot write; all that would write rejects with it.
 * `undefined`: the journal was opened to be looked at.
 */
export function readingDatabase(
  journal: Pick<Database, 'identity' | 'movedTo' | 'read' | 'isPooled' | 'close'>,
  failure: Failure | undefined,
): Database {
  const refuse = async (): Promise<never> => {
    throw failure ?? new Error('the journal was opened to be looked at');
  };
  return {
    ...journal,
    isReadOnly: failure !== undefined,
    write: refuse,
    claim: refuse,
    fence: refuse,
    finish: refuse,
    backup: refuse,
    clean: refuse,
    // A journal that is only read has no claims.
    leases: { hold() {}, release() {} },
    async pause() {},
  };
}

// SQL for both databases is written once, with `sql`. What differs between the two is in a `Db`.

export type Value = string | number | boolean | null | Uint8Array | readonly (string | null)[];

/** A statement, or a part of a statement: texts, with a value or another part between each two. */
export interface Sql {
  texts: readonly string[];
  parts: readonly (Value | Sql)[];
}

/** A value between the texts becomes a parameter of the statement; an `Sql` becomes a part of the statement. */
export const sql = (texts: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql => ({ texts, parts });

const raws = new Map<string, Sql>();

/** Makes an SQL of a text as it is, once for each text. Never for text that comes from outside. */
export function raw(text: string): Sql {
  const known = raws.get(text) ?? { texts: [text], parts: [] };
  raws.set(text, known);
  return known;
}

const lists = new Map<number, readonly string[]>();

/** Values or parts with commas between them. */
export function list(parts: readonly (Value | Sql)[]): Sql {
  const texts = lists.get(parts.length) ?? ['', ...(parts.slice(1).fill(', ') as string[]), ''];
  lists.set(parts.length, texts);
  return { texts, parts };
}

/** A condition that holds if all of these conditions hold. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.reduce((before, condition) => sql`${before} AND ${condition}`, raw('true'));

const isSql = (part: Value | Sql): part is Sql =>
  typeof part === 'object' && part !== null && 'texts' in part;

/**
 * Makes a function that gives a statement as a database takes it: its text, and then its values. `parameter`: the text of the nth
 * parameter, from 1; `storable`: a value as the driver takes it. The text of the same templates is composed once, which saves a tenth of
 * the processor's time for a booking.
 */
export function composer<Stored>(parameter: (number: number) => string, storable: (value: Value) => Stored) {
  const first = new Composed();
  return (statement: Sql): [string, ...Stored[]] => {
    const values: Stored[] = [];
    const composed = collectParts(statement, first, value => values.push(storable(value)));
    composed.text ??= statementText(statement, [], parameter);
    return [composed.text, ...values];
  };
}

/** The text of a statement, found by its sequence of templates and values; `next`: by their next member, the longer sequences. */
class Composed {
  text?: string;
  private readonly next = new Map<Sql['texts'] | 'value', Composed>();

  followedBy(part: Sql['texts'] | 'value'): Composed {
    const found = this.next.get(part);
    if (found) return found;
    const added = new Composed();
    this.next.set(part, added);
    return added;
  }
}

function collectParts(statement: Sql, before: Composed, add: (value: Value) => void): Composed {
  let composed = before.followedBy(statement.texts);
  for (const part of statement.parts)
    if (isSql(part)) composed = collectParts(part, composed, add);
    else {
      composed = composed.followedBy('value');
      add(part);
    }
  return composed;
}

function statementText(statement: Sql, values: Value[], parameter: (number: number) => string): string {
  let [text = ''] = statement.texts;
  statement.parts.forEach((part, index) => {
    text += isSql(part) ? statementText(part, values, parameter) : parameter(values.push(part));
    text += statement.texts[index + 1];
  });
  return text;
}

// What both databases share: leases, and writes in groups.

/** How long after its lease a claim, or after its start a print, counts as under way if its process is known to run but may be stopped. */
export const RUNNING_MS = 60 * 60 * 1000;

/** The leases of the bookings that this process is sending, and of the lists that it is writing. */
interface Leases {
  /** Renews a lease until it is released. */
  hold(id: string): void;
  release(id: string): void;
  /** Ends all renewals. */
  close(): void;
}

/** Renews leases each third of their time. `renew` may reject: the next renewal is early enough. */
export function createLeases(
  renew: (ids: readonly string[]) => Promise<unknown>,
  host: Pick<Host, 'deadline'>,
): Leases {
  const held = new Set<string>();
  let stop = () => {};
  function renewLater(): void {
    stop();
    stop = host.deadline(LEASE_MS / 3, async () => {
      if (held.size > 0) await renew([...held]).catch(() => {});
      if (held.size > 0) renewLater();
    });
  }
  return {
    hold(id) {
      held.add(id);
      if (held.size === 1) renewLater();
    },
    release(id) {
      held.delete(id);
      if (held.size === 0) stop();
    },
    close() {
      held.clear();
      stop();
    },
  };
}

/**
 * Makes a function that measures the ms since now, by the clock that says more: the wall clock may be set, and the steady clock may stand
 * still while the machine sleeps.
 */
export function stopwatch(host: Pick<Host, 'now' | 'monotonic'>): () => number {
  const [wall, steady] = [host.now(), host.monotonic()];
  return () => Math.max(Math.abs(host.now() - wall), host.monotonic() - steady);
}

/** The service counts as slow if its answers usually take more ms than this. */
const LONG_MS = 20;
/** How many items a group has at most while the service is slow. */
const BOUNDED = 12;

/** How long the service usually takes to answer a booking. */
interface Pace {
  /** To be called when the first byte of the request is about to be written. */
  sent(id: string): void;
  answered(id: string): void;
  /** How many items may be written together: fewer while the service is slow, so that it answers some bookings while others are written. */
  most(): number;
}

export function createPace(host: Pick<Host, 'monotonic'>): Pace {
  const sentAt = new Map<string, number>();
  let usualMs = 0;
  return {
    sent: id => void sentAt.set(id, host.monotonic()),
    answered(id) {
      const at = sentAt.get(id);
      if (at !== undefined) usualMs += (host.monotonic() - at - usualMs) / 10;
      sentAt.delete(id);
    },
    most: () => (usualMs > LONG_MS ? BOUNDED : Number.POSITIVE_INFINITY),
  };
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Groups<Item, Result> extends Pick<Host, 'turn'> {
  /** Writes all items or nothing, and gives a result for each. */
  write(items: readonly Item[]): Promise<readonly Result[]>;
  /** May one item alone have caused the error of a group? Then each item is written by itself. */
  mayBeOfOne(error: unknown): boolean;
  /** How many items may be in a group now. */
  most(): number;
}

/**
 * Writes items in groups, in the order in which they come. What comes during a write, and as long as each turn of the event loop brings
 * more, is the next group, so that nothing waits for a timer.
 */
export function inGroups<Item, Result>(groups: Groups<Item, Result>): (item: Item) => Promise<Result> {
  const { write, mayBeOfOne, most, turn } = groups;
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  async function writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => void resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && mayBeOfOne(error)) for (const item of group) await writeGroup([item]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      for (let count = 0; waiting.length > count; await turn()) count = waiting.length;
      const group = waiting.slice(0, most());
      waiting = waiting.slice(group.length);
      await writeGroup(group);
    }
    isWriting = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
}
