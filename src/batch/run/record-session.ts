import type { OperationCommand } from '../../contract/operations.ts';
import type { Many } from '../../service/service.ts';
import { NO_BOOKING_LINES } from '../../session/booking-lines.ts';
import type { Session } from '../../session/session.ts';
import type { Job } from './job.ts';
import type { WorkerPlace } from './workers.ts';

/** The session of one record after the other: it asks no questions and collects warnings. */
export interface RecordSession {
  session: Session;
  /** Those of this record. `always`: shown with `--quiet`, too. */
  warnings: readonly { text: string; always: boolean }[];
  /** Was a request of this command, by default the batch's own, sent for this record? */
  wasSent(command?: OperationCommand): boolean;
  /** Begins the next record. `waits`: for a booking that another process is sending. */
  begin(place?: WorkerPlace, waits?: boolean): void;
}

/** The record may not be sent, because the run was stopped after it was taken. */
export class NotStarted extends Error {}

const ALONE: WorkerPlace = { mayBeSent: Promise.resolve(true), answered() {} };

/** Makes sessions that share the connections. `onRetry`: called for each wait before a retry. */
export function recordSessions(session: Session, { operation }: Job<never>, onRetry: Many['onRetry']) {
  const { globals, printer } = session;
  return (): RecordSession => {
    const warnings: RecordSession['warnings'][number][] = [];
    const texts: string[] = [];
    const sent = new Set<OperationCommand>();
    let noWait = false;
    let place = ALONE;
    const own: Session = {
      ...session,
      // The batch has asked once, for all records.
      globals: { ...globals, yes: true },
      interactive: false,
      get noWait() {
        return noWait;
      },
      answered: code => place.answered(code),
      bookingLines: NO_BOOKING_LINES,
      printer: {
        ...printer,
        warnings: globals.strict ? texts : [],
        note: async () => {},
        progress: async () => {},
        async warn(text, { always = false } = {}) {
          texts.push(text);
          warnings.push({ text, always });
        },
      },
      service: session.service.forMany({
        async turn() {
          if (!(await place.mayBeSent)) throw new NotStarted('the run was stopped before it was sent');
        },
        onSent: command => void sent.add(command),
        onRetry,
      }),
    };
    return {
      session: own,
      warnings,
      wasSent: (command = operation.command) => sent.has(command),
      begin(begun = ALONE, waits = true) {
        place = begun;
        warnings.length = texts.length = 0;
        sent.clear();
        noWait = !waits;
      },
    };
  };
}
