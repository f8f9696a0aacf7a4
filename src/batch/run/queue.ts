// Which records come next, and when they may start.
import type { Host } from '../../host.ts';
import type { QueuedRecord, Spool } from './spool.ts';

/** Records that are looked up together if other runners work on the same input. */
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
    return ahead.shift() ?? spool.next();
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
    async take(most: number): Promise<QueuedRecord[]> {
      const wanted = perSecond === undefined ? most : 1;
      const taken: QueuedRecord[] = [];
      while (taken.length < wanted) {
        const record = await next();
        isEmpty = record === undefined;
        if (record === undefined) break;
        taken.push(record);
      }
      if (perSecond !== undefined && taken.length > 0) pause(1000 / perSecond);
      return taken;
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
    /** What is left when no further record is to be started. */
    rest: (): QueuedRecord | undefined => ahead.shift() ?? spool.next(),
  };
}
