// Which records come next, and when they may start.

import { hash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, unwritableBecause } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Ids } from '../../journal/booking.ts';
import { Json } from '../../json.ts';
import type { PreparedRecord } from './job.ts';

/** Records that are looked up together if other runners work on the same input, or when the run was stopped. */
const LOOK_AHEAD = 500;

/**
 * The records in the order of the input. Several runners of one input would all try the same record, one after the other. A
 * runner that meets others goes on at some other place, and leaves out what they have created by then: `left` gives the
 * rest. `perSecond`: so many may start, at most. `onOpen`: records may start again after a wait. Uses waits alone, because a
 * clock may be put back.
 */
export function createQueue(
  spool: Pick<Spool, 'next' | 'putBack'>,
  left: (records: readonly QueuedRecord[]) => Promise<QueuedRecord[]>,
  perSecond: number | undefined,
  onOpen: () => void,
  { sleep, interrupted, random }: Pick<Host, 'sleep' | 'interrupted' | 'random'>,
) {
  let ahead: QueuedRecord[] = [];
  let isShared = false;
  let isStale = false;
  let isEmpty = false;
  let waits = 0;

  async function lookAhead(): Promise<void> {
    do {
      isStale = false;
      const records = ahead;
      ahead = [];
      for (let record = spool.next(); record; record = spool.next()) {
        records.push(record);
        if (records.length >= LOOK_AHEAD) break;
      }
      if (records.length === 0) return;
      const rest = await left(records);
      const fresh = rest.filter(one => !one.wasPutBack);
      const start = Math.floor(random() * fresh.length);
      ahead = [...fresh.slice(start), ...fresh.slice(0, start), ...rest.filter(one => one.wasPutBack)];
    } while (ahead.length === 0);
  }

  async function next(): Promise<QueuedRecord | undefined> {
    // Another runner has most likely finished a record that was put back.
    if (isShared && (isStale || ahead[0]?.wasPutBack !== undefined || ahead.length === 0)) await lookAhead();
    const record = ahead.shift() ?? spool.next();
    // At once: a record that is put back before the caller goes on is not overlooked.
    isEmpty = record === undefined;
    return record;
  }

  function pause(ms: number): void {
    waits += 1;
    const end = () => {
      waits -= 1;
      onOpen();
    };
    sleep(ms, interrupted).then(end, end);
  }

  return {
    /** May records start now? */
    get isOpen() {
      return waits === 0 && !isEmpty;
    },
    get isEmpty() {
      return isEmpty;
    },
    async next(): Promise<QueuedRecord | undefined> {
      const record = await next();
      if (record && perSecond !== undefined) pause(1000 / perSecond);
      return record;
    },
    /** Another runner is sending it at this moment: it comes again, after all others. */
    putBack(record: QueuedRecord): void {
      spool.putBack({ ...record, wasPutBack: true });
      isEmpty = false;
    },
    /** Another runner works on these records, too. */
    metOthers(): void {
      isShared = true;
      isStale = true;
    },
    /** No record starts for so many ms. */
    pause,
    /** What is left when no further record is to be started, some at a time; none in the end. */
    rest(): QueuedRecord[] {
      const records = ahead.splice(0);
      while (records.length < LOOK_AHEAD) {
        const record = spool.next();
        if (record === undefined) break;
        records.push(record);
      }
      return records;
    },
  };
}

/** A record that waits to be sent. */
export interface QueuedRecord extends PreparedRecord {
  line: number;
  /** As the input has it, if it may have to be written to the `--failed` file. */
  text: string | undefined;
  /** What it is booked as, if it lacks only its label. */
  booked?: Ids | undefined;
  /** It was put back to the end because another runner was sending it. */
  wasPutBack?: true;
}

/** Characters of records: some thousand orders, so that most runs need no file. */
const MOST_IN_MEMORY = 4 * 1024 * 1024;

/** Records that are added together: their text, or where it is in the file. */
type Chunk = string | { at: number; length: number };

/** The records of one run that wait to be sent: many of them in a temporary file, so that memory does not grow with them. */
export class Spool {
  /** How many were added. */
  size = 0;
  readonly #host: Pick<Host, 'temporary' | 'platform'>;
  readonly #mostInMemory: number;
  readonly #chunks: Chunk[] = [];
  readonly #keys = new SeenTexts();
  #inMemory = 0;
  /** What is written to the file and read from it. */
  #bytes = Buffer.alloc(0);
  #file: { descriptor: number; path: string; length: number } | undefined;
  /** The rest of the chunk that was taken last; the next record is the last. */
  #ahead: QueuedRecord[] = [];

  constructor(host: Pick<Host, 'temporary' | 'platform'>, mostInMemory = MOST_IN_MEMORY) {
    this.#host = host;
    this.#mostInMemory = mostInMemory;
  }

  /** Notes a key with its line; gives the line on which it was noted before, if any. */
  noteKey(key: string, line: number): number | undefined {
    return this.#keys.note(key, line);
  }

  /** Throws `storage` if there is no room for the file. */
  add(records: readonly QueuedRecord[]): void {
    if (records.length === 0) return;
    this.#append(linesOf(records));
    this.size += records.length;
  }

  /** A record that was taken comes again, after all others. */
  putBack(record: QueuedRecord): void {
    this.#append(linesOf([record]));
  }

  /** The next one in the order of the input. */
  next(): QueuedRecord | undefined {
    if (this.#ahead.length === 0) {
      const chunk = this.#chunks.shift();
      if (typeof chunk === 'string') this.#inMemory -= chunk.length;
      this.#ahead = recordsIn(typeof chunk === 'object' ? this.#read(chunk) : chunk);
    }
    return this.#ahead.pop();
  }

  /** All that were added, in the order of the input: to look at them before one is taken. */
  *all(): Generator<QueuedRecord> {
    for (const chunk of [...this.#chunks])
      yield* recordsIn(typeof chunk === 'object' ? this.#read(chunk) : chunk).reverse();
  }

  close(): void {
    if (!this.#file) return;
    closeSync(this.#file.descriptor);
    // Some systems keep a file that is open.
    rmSync(this.#file.path, { force: true });
  }

  #append(text: string): void {
    if (this.#inMemory + text.length <= this.#mostInMemory) {
      this.#inMemory += text.length;
      this.#chunks.push(text);
      return;
    }
    const { temporary, platform } = this.#host;
    try {
      this.#file ??= openUnlinked(join(temporary, `waybill-${randomUUID()}.orders`));
      const length = Buffer.byteLength(text);
      const bytes = this.#bytesOf(length);
      bytes.write(text);
      const { descriptor, length: at } = this.#file;
      for (let done = 0; done < length; )
        done += writeSync(descriptor, bytes, done, length - done, at + done);
      this.#file.length += length;
      this.#chunks.push({ at, length });
    } catch (error) {
      const variable = platform === 'win32' ? 'TEMP' : 'TMPDIR';
      throw new Failure(
        'storage',
        `the orders do not fit in memory, and cannot be kept in the temporary folder ${temporary}: ${unwritableBecause(error)}; nothing was sent. Set ${variable} to the absolute path of another folder`,
        {},
        { cause: error },
      );
    }
  }

  #read({ at, length }: { at: number; length: number }): string {
    const bytes = this.#bytesOf(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file?.descriptor ?? -1, bytes, done, length - done, at + done);
      if (count === 0) throw new Error('the temporary file of a batch was cut off');
      done += count;
    }
    return bytes.toString('utf8', 0, length);
  }

  #bytesOf(length: number): Buffer {
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length);
    return this.#bytes;
  }
}

/** A new file that has no name any more: orders of customers must not outlive the run. */
function openUnlinked(path: string) {
  // Readable for this user alone.
  const descriptor = openSync(path, 'wx+', 0o600);
  try {
    rmSync(path, { force: true });
  } catch {
    // Some systems keep a file that is open; it is removed in `close`.
  }
  return { descriptor, path, length: 0 };
}

/** Two lines for each record, so that the text of its body is neither written nor parsed again. */
const linesOf = (records: readonly QueuedRecord[]): string =>
  records.map(({ body, ...rest }) => `${JSON.stringify(rest)}\n${body.text}\n`).join('');

/** The last one first. */
function recordsIn(text = ''): QueuedRecord[] {
  const lines = text.split('\n');
  const records: QueuedRecord[] = [];
  for (let at = lines.length - 3; at >= 0; at -= 2)
    records.push({ ...JSON.parse(lines[at] ?? ''), body: Json.read(lines[at + 1] ?? '') });
  return records;
}

/** The lines of many texts, in some 20 bytes each: they are told apart by 52 bits of a hash. */
class SeenTexts {
  /** Each has its places filled before the next is begun: a table that is copied when it grows would need twice the memory. */
  readonly #tables: Float64Array[] = [];
  #count = 0;

  note(text: string, line: number): number | undefined {
    // 13 hexadecimal digits are a whole number, and it is not 0.
    const id = 1 + Number.parseInt(hash('sha256', text).slice(0, 13), 16);
    for (const table of this.#tables) {
      const at = placeOf(id, table);
      if (table[at] === id) return table[at + 1];
    }
    if (this.#count === this.#tables.length * MOST_IN_TABLE) this.#tables.push(new Float64Array(2 * PLACES));
    const last = this.#tables.at(-1);
    last?.set([id, line], placeOf(id, last));
    this.#count += 1;
    return undefined;
  }
}

/** The places of a table; a place is two numbers, a hash and a line, and an empty one has 0. */
const PLACES = 65_536;
const MOST_IN_TABLE = 52_000;

/** Where it is, or where it would be. */
function placeOf(id: number, table: Float64Array): number {
  for (let at = 2 * (id % PLACES); ; at = (at + 2) % table.length)
    if (table[at] === id || table[at] === 0) return at;
}
