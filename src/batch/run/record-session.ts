import { NO_FACTS } from '../../booking/facts.ts';
import type { Operation } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import type { OnWait as Told } from '../../http/retry.ts';
import { readBody } from '../../http/verdict.ts';
import type { Session } from '../../session/session.ts';
import type { Job, JobResult } from './job.ts';
import { type ResultLine, resultLine, stateOf } from './result-line.ts';
import type { QueuedRecord } from './spool.ts';

/** A session for one record: nobody is asked, what is of interest to one reader is not told, what was sent is seen. */
export interface RecordSession {
  session: Session;
  /** Did a request that counts leave? */
  wasSent(): boolean;
  readonly warnings: readonly string[];
}

/** For one record after the other; what they have in common is made once. */
export function recordSessions(
  session: Session,
  { operation }: Job<never>,
  waiting: Told,
): (noWait?: boolean) => RecordSession {
  const { globals } = session;
  const clients = new Map<Operation, Promise<Client>>();
  const clientFor = (called: Operation) => {
    const client = clients.get(called) ?? session.client(called, waiting);
    clients.set(called, client);
    return client;
  };
  // Asked once, for all of them.
  const shared: Session = { ...session, globals: { ...globals, yes: true }, interactive: false };
  return (noWait = false) => recordSession({ ...shared, noWait }, operation, clientFor);
}

function recordSession(
  session: Session,
  operation: Operation,
  clientFor: (called: Operation) => Promise<Client>,
): RecordSession {
  const { printer, globals } = session;
  const warnings: string[] = [];
  let sent = false;
  const inner: Session = {
    ...session,
    printer: {
      ...printer,
      warnings: globals.strict ? warnings : [],
      note: async () => {},
      progress: async () => {},
      warn: async text => void warnings.push(text),
    },
    async client(called) {
      const client = await clientFor(called);
      return watched(client, called.books === operation.books, () => {
        sent = true;
      });
    },
    async read(called, input) {
      const client = await inner.client(called);
      return readBody(called, await client.call(called, input), session.address());
    },
  };
  return { session: inner, wasSent: () => sent, warnings };
}

const watched = (client: Client, counts: boolean, left: () => void): Client => ({
  async call(operation, input) {
    const exchange = await client.call(operation, { ...input, many: true });
    if (counts && (exchange.kind === 'answer' || exchange.sent)) left();
    return exchange;
  },
});

/** One record, from start to result. Rejects with `BookingInProgress`, or a defect. */
export async function finished<O>(
  job: Job<O>,
  { session, wasSent }: RecordSession,
  record: QueuedRecord,
  doing: { perform(): Promise<JobResult>; estimate: boolean },
): Promise<{ line: ResultLine; failure?: Failure | undefined }> {
  const performed = await doing.perform().catch((error: unknown): JobResult => {
    if (!(error instanceof Failure)) throw error;
    return { facts: NO_FACTS, saved: {}, failure: error };
  });
  const { failure } = performed;
  const line = resultLine(record, {
    ...performed,
    state: doing.estimate && !failure ? 'estimated' : stateOf(job.operation, performed),
    exitCode: failure?.exitCode ?? 0,
    sent: wasSent(),
    sandbox: session.target().sandbox,
  });
  return { line, failure };
}
