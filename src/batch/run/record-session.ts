import type { Operation, OperationCommand } from '../../contract/operations.ts';
import type { Client } from '../../http/client.ts';
import { idOf, readBody } from '../../http/failure.ts';
import type { OnRetry } from '../../http/retry.ts';
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

/** Makes sessions that share the clients. `onRetry`: called for each wait before a retry. */
export function recordSessions(session: Session, { operation }: Job<never>, onRetry: OnRetry) {
  const { globals, printer } = session;
  const clients = new Map<Operation, Promise<Client>>();
  const clientFor = (called: Operation) => {
    const client = clients.get(called) ?? session.client(called, onRetry);
    clients.set(called, client);
    return client;
  };
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
      async client(called) {
        const client = await clientFor(called);
        return {
          async call(callee, input) {
            if (!(await place.mayBeSent)) throw new NotStarted('the run was stopped before it was sent');
            const exchange = await client.call(callee, { ...input, many: true });
            if (exchange.kind === 'answer' || exchange.sent) sent.add(called.command);
            return exchange;
          },
        };
      },
      // Another host may have the labels: how long it asks to wait is not for the requests of the batch.
      download: link => session.download(link, retry => onRetry({ ...retry, asked: false })),
      async read(called, input) {
        const client = await own.client(called);
        return readBody(called, await client.call(called, input), session.address(), idOf(input));
      },
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
