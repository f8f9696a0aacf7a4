import type { QueuedRecord, Spool } from './spool.ts';

/** Records that are looked up together, and among which one is picked. */
const LOOK_AHEAD = 500;

/** What is begun next. */
export interface RecordPicker {
  /** To be awaited before the next one is taken. */
  refill(): Promise<void>;
  /** In the order of the input, as long as nobody else was met. */
  next(): QueuedRecord | undefined;
  /** Somebody else is sending it at this moment: it comes once more, after the others. */
  putBack(record: QueuedRecord): void;
  /** Somebody else works on these records, too. */
  metOthers(): void;
}

/**
 * Several runners over one input would all go for the same record, one after the other. Who meets others picks one of the
 * next ones at random, and leaves out those that others have made in the meantime: `left` gives the rest.
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
      for (let record = more(records); record; record = more(records)) records.push(record);
      if (records.length === 0) return;
      const rest = shuffled(await left(records), random);
      ahead = [
        ...rest.filter(({ wasPutBack }) => wasPutBack),
        ...rest.filter(({ wasPutBack }) => !wasPutBack),
      ];
    } while (ahead.length === 0);
  }
  const more = ({ length }: readonly QueuedRecord[]) => (length < LOOK_AHEAD ? spool.next() : undefined);

  return {
    async refill() {
      // Whoever was sending one that was put back is through with it by now, most likely.
      const isFresh = ahead.length > 0 && !ahead.at(-1)?.wasPutBack;
      if (!isShared || (isFresh && !isStale)) return;
      filling ??= fill().finally(() => {
        filling = undefined;
      });
      await filling;
    },
    // What another worker has taken in the meantime is no reason to end.
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
