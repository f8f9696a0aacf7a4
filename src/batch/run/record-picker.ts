import type { QueuedRecord, Spool } from './spool.ts';

/** Records that are looked up together, and from which one is picked. */
const LOOK_AHEAD = 500;

/** Picks the record to start next. */
export interface RecordPicker {
  /** To be awaited before each `next`. */
  refill(): Promise<void>;
  /** In the order of the input, until another runner is met. */
  next(): QueuedRecord | undefined;
  /** Another runner is sending it at this moment: it comes again, after all others. */
  putBack(record: QueuedRecord): void;
  /** Another runner works on these records, too. */
  metOthers(): void;
}

/**
 * Several runners of one input would all try the same record, one after the other. A runner that meets others picks one
 * of the next records at random, and leaves out those that others have created by then: `left` gives the rest.
 */
export function createRecordPicker(
  spool: Pick<Spool, 'next' | 'putBack'>,
  left: (records: readonly QueuedRecord[]) => Promise<QueuedRecord[]>,
  random: () => number,
): RecordPicker {
  // The next one is the last.
  let ahead: QueuedRecord[] = [];
  let isShared = false;
  let isStale = false;
  let filling: Promise<void> | undefined;

  async function fill(): Promise<void> {
    do {
      isStale = false;
      const records = ahead;
      ahead = [];
      while (records.length < LOOK_AHEAD) {
        const record = spool.next();
        if (record === undefined) break;
        records.push(record);
      }
      if (records.length === 0) return;
      const rest = shuffled(await left(records), random);
      ahead = [...rest.filter(one => one.wasPutBack), ...rest.filter(one => !one.wasPutBack)];
    } while (ahead.length === 0);
  }

  return {
    async refill() {
      // The other runner has most likely finished a record that was put back.
      const isFresh = ahead.length > 0 && !ahead.at(-1)?.wasPutBack;
      if (!isShared || (isFresh && !isStale)) return;
      filling ??= fill().finally(() => {
        filling = undefined;
      });
      await filling;
    },
    // Another worker may have taken the last of them; the spool may still have more.
    next: () => ahead.pop() ?? spool.next(),
    putBack: record => spool.putBack({ ...record, wasPutBack: true }),
    metOthers() {
      isShared = true;
      isStale = true;
    },
  };
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const places = list.map(one => ({ one, place: random() }));
  return places.sort((a, b) => a.place - b.place).map(({ one }) => one);
}
