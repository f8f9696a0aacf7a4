// What a batch, and each record of it, needs of the command that runs it.
import type { Operation } from '../../contract/operations.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Caller, Means, Sources } from '../../order/order.ts';
import { BookingInProgress } from '../../order/place.ts';
import type { Diagnostics } from '../../output/diagnostics.ts';
import type { Printer } from '../../output/print.ts';
import type { Service } from '../../service/service.ts';
import type { Events, RunAndActor } from '../../session/events.ts';
import type { Globals } from '../../session/globals.ts';

export interface BatchDesk extends Sources, RunAndActor {
  globals: Globals;
  printer: Printer;
  service: Service;
  events: Events;
  /** Do other machines write to the journal, too? */
  sharesJournal(): boolean;
  /** Throws if the service cannot be called, or nobody can say yes to bookings that need it. */
  ready(operation: Operation): Promise<void>;
  /**
   * Asks once for all records, if a yes is needed; a person may want the estimate first. Throws `interrupted` if the answer is
   * another.
   */
  confirm(operation: Operation, what: () => string, estimate?: () => Promise<void>): Promise<void>;
  openJournal(purpose: 'look'): Promise<Journal | undefined>;
  /** Opens the journal to book, or to look; for that it is `undefined` if there is none yet. */
  meansToBook(options: { newJournal?: boolean | undefined }): Promise<Means>;
  meansToLook(): Promise<Means | undefined>;
}

/** What one record is done with: as of a command, but nobody is asked anything, and its warnings are collected. */
export interface RecordDesk extends Sources {
  service: Service;
  /** Absent if nothing is booked: for another operation, and in a dry run without a journal. */
  means: Means | undefined;
}

/** Collects the warnings of a record in place of showing them. */
export interface RecordWarnings {
  printer: Pick<Diagnostics, 'note' | 'warn' | 'warnings'>;
  /** Those since the last time. */
  take(): { text: string; always: boolean }[];
}

/** `strict`: `refuseWarnings` sees them. */
export function collectWarnings(strict: boolean | undefined): RecordWarnings {
  let told: { text: string; always: boolean }[] = [];
  return {
    printer: {
      get warnings() {
        return strict ? told.map(({ text }) => text) : [];
      },
      async note() {},
      async warn(text, { always = false } = {}) {
        told.push({ text, always });
      },
    },
    take() {
      const taken = told;
      told = [];
      return taken;
    },
  };
}

/** `waits`: for a booking that another process is sending. */
export const recordDesk = (
  { desk, means }: { desk: BatchDesk; means: Means | undefined },
  { printer }: RecordWarnings,
  service = desk.service,
  waits = true,
): RecordDesk => ({
  ...desk,
  printer,
  interactive: false,
  service,
  means: means && { ...means, service, out: printer, caller: callerOf(means.caller, waits) },
});

/** The batch has asked once, for all records; and the lines of its results say what became of each. */
const callerOf = (caller: Caller, waits: boolean): Caller => ({
  ...caller,
  mustAgree: false,
  async ready() {},
  async agrees() {},
  async wantsAnother() {
    return undefined;
  },
  async wait(look, bookingIn, mustWait = false) {
    if (waits || mustWait) return caller.wait(look, bookingIn);
    const found = await look();
    if (bookingIn(found)?.state === 'pending') throw new BookingInProgress();
    return found;
  },
  placed() {},
  labelSaved() {},
});
