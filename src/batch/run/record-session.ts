import type { Operation } from '../../contract/operations.ts';
import type { Client } from '../../http/client.ts';
import { idOf, readBody } from '../../http/failure.ts';
import type { OnWait } from '../../http/retry.ts';
import type { Session } from '../../session/session.ts';
import type { Job } from './job.ts';

/**
 * Makes a session for each record: it asks no questions, collects warnings, and knows whether a request of the record's
 * own kind, a booking or a read, was sent. They share the clients. `onWait`: called for each wait before a retry.
 */
export function recordSessions(session: Session, { operation }: Job<never>, onWait: OnWait) {
  const { globals, printer } = session;
  const clients = new Map<Operation, Promise<Client>>();
  const clientFor = (called: Operation) => {
    const client = clients.get(called) ?? session.client(called, onWait);
    clients.set(called, client);
    return client;
  };
  return (noWait = false) => {
    const warnings: string[] = [];
    let sent = false;
    const own: Session = {
      ...session,
      // The batch has asked once, for all records.
      globals: { ...globals, yes: true },
      interactive: false,
      noWait,
      printer: {
        ...printer,
        warnings: globals.strict ? warnings : [],
        note: async () => {},
        progress: async () => {},
        warn: async text => void warnings.push(text),
      },
      async client(called) {
        const client = await clientFor(called);
        return {
          async call(callee, input) {
            const exchange = await client.call(callee, { ...input, many: true });
            if (called.books === operation.books && (exchange.kind === 'answer' || exchange.sent))
              sent = true;
            return exchange;
          },
        };
      },
      async read(called, input) {
        const client = await own.client(called);
        return readBody(called, await client.call(called, input), session.address(), idOf(input));
      },
    };
    return { session: own, wasSent: () => sent, warnings };
  };
}
