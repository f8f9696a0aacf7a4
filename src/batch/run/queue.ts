// Which records come next, and when they may start.

import type { Ids } from '../../booking/booking.ts';
import type { Host } from '../../host.ts';
import { Json } from '../../json.ts';
import type { PreparedRecord } from './job.ts';
import { SeenTexts, WaitingTexts } from './waiting-texts.ts';

/** How many records are looked up together if other runners work on the same input, or the run was stopped. */
const LOOK_AHEAD = 500;

interface QueueTerms {
  /** Gives the records that no other runner has created or is sending; records that another runner is sending are put back. */
  left(records: readonly QueuedRecord[]): Promise<QueuedRecord[]>;
  /** How many records may start in a second, at most. */
  perSecond: number | undefined;
  /** Is called when records may start again after a wait. */
  onOpen(): void;
}

/**
 * The records in the order of the input. Several runners of one input would all try the same record: so a runner that meets others goes on
 * at another place, and leaves out records that they have created. Pauses are counted, and no clock is read: a clock may be put back.
 */
export class RecordQueue {
  readonly #spool: Pick<Spool, 'next' | 'putBack'>;
  readonly #terms: QueueTerms;
  readonly #host: Pick<Host, 'sleep' | 'interrupted' | 'random'>;
  #ahead: QueuedRecord[] = [];
  /** Do other runners work on this input? `#isStale`: may they have done more since the records of `#ahead` were looked up? */
  #isShared = false;
  #isStale = false;
  #isEmpty = false;
  #waits = 0;

  constructor(
    spool: Pick<Spool, 'next' | 'putBack'>,
    terms: QueueTerms,
    host: Pick<Host, 'sleep' | 'interrupted' | 'random'>,
  ) {
    this.#spool = spool;
    this.#terms = terms;
    this.#host = host;
  }

  get isOpen(): boolean {
    return this.#waits === 0 && !this.#isEmpty;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  async next(): Promise<QueuedRecord | undefined> {
    const [first] = this.#ahead;
    // By now the other runner has most likely finished a record that was put back.
    const isOld = this.#isStale || first === undefined || first.wasPutBack;
    if (this.#isShared && isOld) await this.#lookAhead();
    const record = this.#ahead.shift() ?? this.#spool.next();
    // This is set before the caller goes on: a record that is put back meanwhile must not be overlooked.
    this.#isEmpty = record === undefined;
    const { perSecond } = this.#terms;
    if (record && perSecond !== undefined) this.pause(1000 / perSecond);
    return record;
  }

  /** Puts back a record that another runner is sending at this moment: it comes again, after all others. */
  putBack(record: QueuedRecord): void {
    this.#spool.putBack({ ...record, wasPutBack: true });
    this.#isEmpty = false;
  }

  /** Notes that another runner works on these records, too. */
  metOthers(): void {
    this.#isShared = true;
    this.#isStale = true;
  }

  /** Starts no record for so many milliseconds. */
  pause(ms: number): void {
    this.#waits += 1;
    const end = () => {
      this.#waits -= 1;
      this.#terms.onOpen();
    };
    this.#host.sleep(ms, this.#host.interrupted).then(end, end);
  }

  /** Takes the next records that wait, without starting them: some at each call, none when all were taken. */
  rest(): QueuedRecord[] {
    const records = this.#ahead.splice(0);
    while (records.length < LOOK_AHEAD) {
      const record = this.#spool.next();
      if (record === undefined) break;
      records.push(record);
    }
    return records;
  }

  async #lookAhead(): Promise<void> {
    do {
      this.#isStale = false;
      const records = this.rest();
      if (records.length === 0) return;
      const left = await this.#terms.left(records);
      const fresh = left.filter(record => !record.wasPutBack);
      const again = left.filter(record => record.wasPutBack);
      const start = Math.floor(this.#host.random() * fresh.length);
      this.#ahead = [...fresh.slice(start), ...fresh.slice(0, start), ...again];
    } while (this.#ahead.length === 0);
  }
}

export interface QueuedRecord extends PreparedRecord {
  line: number;
  /** The record as the input has it, if it may have to be written to the `--failed` file. */
  text: string | undefined;
  /** The shipments of a record that is booked and lacks only its label. */
  booked?: Ids | undefined;
  /** Was it put back to the end, because another runner was sending it? */
  wasPutBack?: true;
}

export class Spool {
  size = 0;
  readonly #texts: WaitingTexts;
  readonly #keys = new SeenTexts();
  /** The records of the text that was read last, in reverse: the next record is the last one. */
  #ahead: QueuedRecord[] = [];

  constructor(host: ConstructorParameters<typeof WaitingTexts>[0], mostInMemory?: number) {
    this.#texts = new WaitingTexts(host, mostInMemory);
  }

  /** Notes a key with its line; gives the line on which it was noted before, if any. */
  noteKey(key: string, line: number): number | undefined {
    return this.#keys.note(key, line);
  }

  /** Adds records at the end. Throws `storage` if they must wait in a file, and there is no room for it. */
  add(records: readonly QueuedRecord[]): void {
    if (records.length === 0) return;
    this.#texts.add(spoolText(records));
    this.size += records.length;
  }

  /** Puts back a record that was taken: it comes again, after all others. */
  putBack(record: QueuedRecord): void {
    this.#texts.add(spoolText([record]));
  }

  /** The next record in the order of the input. */
  next(): QueuedRecord | undefined {
    if (this.#ahead.length === 0) this.#ahead = recordsIn(this.#texts.next());
    return this.#ahead.pop();
  }

  /** All records that were added, in the order of the input: to look at them before one is taken. */
  *all(): Generator<QueuedRecord> {
    for (const text of this.#texts.all()) yield* recordsIn(text).reverse();
  }

  close(): void {
    this.#texts.close();
  }
}

/** Records as text, two lines for each: the text of the body is a line of its own, so that it is neither written nor parsed again. */
const spoolText = (records: readonly QueuedRecord[]): string =>
  records.map(({ body, ...rest }) => `${JSON.stringify(rest)}\n${body.text}\n`).join('');

/** The records in a text, the last one first. */
function recordsIn(text = ''): QueuedRecord[] {
  const lines = text.split('\n');
  const records: QueuedRecord[] = [];
  for (let at = lines.length - 3; at >= 0; at -= 2)
    records.push({ ...JSON.parse(lines[at] ?? ''), body: Json.read(lines[at + 1] ?? '') });
  return records;
}
