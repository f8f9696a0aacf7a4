// The journal, with a line of the log for each change that it records.
import { Failure } from '../errors.ts';
import type { Booking, RecordedOutcome } from '../journal/booking.ts';
import type { Journal } from '../journal/journal.ts';
import type { Events, LogEntry } from './events.ts';

/** The same journal. The log is told when something is recorded, and why something could not be. */
export function watchedJournal(journal: Journal, { log, logName }: Pick<Events, 'log' | 'logName'>): Journal {
  const claimed = new Map<string, Pick<Booking, 'operation' | 'key'>>();
  const awaited = new Set<string>();
  const namesOf = (id: string) => ({ booking: id, ...claimed.get(id) });

  /** Of a booking that was perhaps made by another command. */
  async function recordedNames(id: string) {
    const found = logName === undefined ? undefined : await journal.byId(id);
    return { booking: id, ...(found && { operation: found.operation, key: found.key }) };
  }

  async function told<T>(entry: Omit<LogEntry, 'level'>, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log({ ...entry, level: 'error', error: error instanceof Failure ? error.code : 'internal' });
      throw error;
    }
  }

  // It is looked at again and again until it is sent.
  function noteWait({ id, operation, key, state }: Booking): void {
    if (state !== 'pending') return void awaited.delete(id);
    if (!awaited.has(id)) log({ event: 'wait', level: 'info', operation, key, booking: id });
    awaited.add(id);
  }

  return {
    ...journal,
    async obstacle(intent) {
      const obstacle = await journal.obstacle(intent);
      if (obstacle) noteWait(obstacle.booking);
      return obstacle;
    },
    async claim(intent) {
      const { operation, key: own, orderKey } = intent;
      const key = own ?? orderKey ?? null;
      const names = { event: 'claim', operation, key } as const;
      const claim = await told(names, () => journal.claim(intent));
      if (claim.kind === 'claimed') {
        claimed.set(claim.id, { operation, key });
        log({ ...names, level: 'info', booking: claim.id });
      } else noteWait(claim.booking);
      return claim;
    },
    async recordOutcome(id, outcome) {
      const entry = { event: 'outcome', ...namesOf(id), ...outcomeOf(outcome) } as const;
      // Its file is saved later.
      if (entry.operation !== 'label') claimed.delete(id);
      const late = await told(entry, () => journal.recordOutcome(id, outcome));
      const isTooDear = outcome.state === 'created' && outcome.overPrice === true;
      if (isTooDear) log({ ...entry, level: 'warning', error: 'over_price' });
      else log({ ...entry, level: LEVELS[outcome.state] ?? 'warning' });
      return late;
    },
    async settle(settlements) {
      const obstacles = await told({ event: 'settlement' }, () => journal.settle(settlements));
      if (obstacles.length === 0)
        for (const { id, state } of settlements)
          log({ event: 'settlement', level: 'info', ...(await recordedNames(id)), state });
      return obstacles;
    },
    async saveLabel(id, leg, pdf, labelFile) {
      const entry = { event: 'label', ...namesOf(id), operation: 'label', labelFile } as const;
      await told(entry, () => journal.saveLabel(id, leg, pdf, labelFile));
      log({ ...entry, level: 'info' });
    },
  };
}

const LEVELS: Partial<Record<RecordedOutcome['state'], LogEntry['level']>> = {
  created: 'info',
  unknown: 'error',
};

const outcomeOf = ({ state, code, httpStatus }: RecordedOutcome) => ({ state, error: code, httpStatus });
