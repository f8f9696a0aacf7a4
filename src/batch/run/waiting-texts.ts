// Stores for texts that wait, and for texts that were seen: memory grows by a few bytes with each text.

import { hash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { unwritableBecause } from '../../system-errors.ts';

/** How many characters are kept in memory: some thousand orders, so that most runs need no file. */
const MOST_IN_MEMORY = 4 * 1024 * 1024;

/** A text in memory, or the place of a text in the file. */
type Chunk = string | { at: number; length: number };

/** Texts that wait in a queue: if there are many, in a temporary file. */
export class WaitingTexts {
  readonly #host: Pick<Host, 'temporary' | 'platform'>;
  readonly #mostInMemory: number;
  readonly #chunks: Chunk[] = [];
  #inMemory = 0;
  /** The buffer for what is written to the file and read from it. */
  #bytes = Buffer.alloc(0);
  #file: { descriptor: number; path: string; length: number } | undefined;

  constructor(host: Pick<Host, 'temporary' | 'platform'>, mostInMemory = MOST_IN_MEMORY) {
    this.#host = host;
    this.#mostInMemory = mostInMemory;
  }

  /** Takes the first text out of the queue. */
  next(): string | undefined {
    const chunk = this.#chunks.shift();
    if (typeof chunk === 'string') this.#inMemory -= chunk.length;
    return typeof chunk === 'object' ? this.#read(chunk) : chunk;
  }

  *all(): Generator<string> {
    for (const chunk of [...this.#chunks]) yield typeof chunk === 'object' ? this.#read(chunk) : chunk;
  }

  close(): void {
    if (!this.#file) return;
    closeSync(this.#file.descriptor);
    // On some systems the file is still there: `openUnlinked` could not remove it while it was open.
    rmSync(this.#file.path, { force: true });
    this.#file = undefined;
  }

  /** Adds a text at the end. Throws `storage` if there is no room for the file. */
  add(text: string): void {
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
        `the orders do not fit in memory, and cannot be kept in the temporary folder ${temporary}: ${unwritableBecause(error)}`,
        { hint: `Set ${variable} to the absolute path of another folder` },
        { cause: error },
      );
    }
  }

  #read(chunk: { at: number; length: number }): string {
    const { at, length } = chunk;
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

/** A new file whose name is removed at once: orders of customers must not outlive the run. */
function openUnlinked(path: string) {
  // The file is readable for this user alone.
  const descriptor = openSync(path, 'wx+', 0o600);
  try {
    rmSync(path, { force: true });
  } catch {
    // Some systems do not remove a file that is open: `close` removes it.
  }
  return { descriptor, path, length: 0 };
}

/** Keeps the lines of many texts, in some 20 bytes for each text: texts are told apart by 52 bits of a hash. */
export class SeenTexts {
  /** Each table is filled before the next one is begun: a single table that is copied when it grows would need twice the memory. */
  readonly #tables: Float64Array[] = [];
  #count = 0;

  /** Notes a text with its line; gives the line on which it was noted before, if any. */
  note(text: string, line: number): number | undefined {
    // 13 hexadecimal digits fit into a whole number; 1 is added, because 0 marks an empty slot.
    const id = 1 + Number.parseInt(hash('sha256', text).slice(0, 13), 16);
    for (const table of this.#tables) {
      const at = slotOf(id, table);
      if (table[at] === id) return table[at + 1];
    }
    if (this.#count === this.#tables.length * MOST_IN_TABLE) this.#tables.push(new Float64Array(2 * SLOTS));
    const last = this.#tables.at(-1);
    last?.set([id, line], slotOf(id, last));
    this.#count += 1;
    return undefined;
  }
}

/** How many slots a table has. A slot is two numbers, a hash and a line; an empty slot has 0. */
const SLOTS = 65_536;
const MOST_IN_TABLE = 52_000;

/** The place of a hash in a table, or the place where it would be. */
function slotOf(id: number, table: Float64Array): number {
  for (let at = 2 * (id % SLOTS); ; at = (at + 2) % table.length)
    if (table[at] === id || table[at] === 0) return at;
}
