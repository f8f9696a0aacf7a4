// Whether waybill can work with a service, as far as that can be seen without a booking: each operation that reads is called once,
// and its answer is read as the commands read it.

import { OPERATIONS, type Operation, type OperationCommand } from '../../contract/operations.ts';
import { sampleOf } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { isBookable, proposalsIn } from '../../order/proposals.ts';
import type { View } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { type Exchange, pageIn } from '../../service/response.ts';
import { declare, operand } from '../../session/command.ts';
import { openSession, type Session } from '../../session/session.ts';

// No service gives this id to anything: a "not found" proves that address and credentials work.
export const UNKNOWN_ID = 'waybill-profile-test-0';

/** The result of calling one operation. */
interface Check {
  operation: OperationCommand;
  /** Method and path: `POST /v1/carriers/proposal`. */
  request: string;
  httpStatus: number | null;
  result: 'ok' | 'failed' | 'skipped';
  message: string;
}

interface Report {
  ok: boolean;
  address: string;
  /** Words for the credentials that were sent, without a secret. */
  credentials: string;
  operations: readonly Check[];
}

export const command = declare({
  examples: ['# Test a profile by its name; else the current one.', 'waybill profile test demo'],
  output: {
    table: 'each operation that reads, called once: request, status, and what was found',
    quiet: 'ok, or the requests that failed',
    json: 'ok, address, credentials, and operations, each with its request, httpStatus, result and message',
  },
  exits: {
    partial: 'some operations cannot be worked with; the others can',
    unauthorized: 'no credentials, or no operation accepts them',
  },
  operands: [operand('[profile]', 'else the current one')],
  run: testReads,
});

async function testReads(session: Session, _: object, name?: string): Promise<void> {
  const tested =
    name === undefined ? session : openSession(session.host, { ...session.globals, profile: name });
  try {
    // A profile without an address or a credential is refused before anything is sent.
    await tested.service.check(OPERATIONS.getShipment);
    const reads = Object.values(OPERATIONS).filter(({ books }) => !books);
    const checks = await Promise.all(reads.map(operation => checkOperation(tested, operation)));
    const failed = checks.flatMap(({ failure }) => failure ?? []);
    // If all operations fail alike, that one failure is thrown in place of a list. Rates need no credential, and do not count here.
    const asked = checks.filter(({ result, scope }) => result !== 'skipped' && scope !== null);
    const [first] = failed;
    if (first && asked.every(({ failure }) => failure?.code === first.code)) throw first;
    const operations = checks.map(({ failure: _failure, scope: _scope, ...check }) => check);
    const address = tested.address();
    const report = { ok: !first, address, credentials: credentialWords(tested), operations };
    await tested.printer.result(report, view);
    if (first)
      throw new Failure(
        'partial',
        `profile test: ${failed.length} of ${checks.length} operations of ${address} cannot be worked with. Ask its provider`,
        {
          retry: 'after-change',
          issues: operations.flatMap(({ request, result, message }) =>
            result === 'failed' ? [{ path: request, message }] : [],
          ),
        },
      );
  } finally {
    if (tested !== session) await tested.close();
  }
}

type Judged = Check & Pick<Operation, 'scope'> & { failure?: Failure };

async function checkOperation(session: Session, operation: Operation): Promise<Judged> {
  if (session.target().sandbox && !operation.sandbox)
    return {
      ...aboutOf(operation),
      httpStatus: null,
      result: 'skipped',
      message: 'the sandbox does not have it',
    };
  return judgeAnswer(session, operation, await probeOperation(session, operation));
}

const aboutOf = (operation: Operation) => ({
  operation: operation.command,
  request: `${operation.method} ${operation.path}`,
  scope: operation.scope,
});

/** Calls an operation with an example of its body, or with an id that nothing has. Throws what prevents a call. */
export function probeOperation(session: Session, operation: Operation): Promise<Exchange> {
  const input = operation.body
    ? { body: sampleOf(operation.body) }
    : { parameters: Object.fromEntries(Object.keys(operation.parameters).map(name => [name, UNKNOWN_ID])) };
  return session.service.call(operation, input);
}

/** What the answer to `probeOperation` says of the service. */
export function judgeAnswer(session: Session, operation: Operation, exchange: Exchange): Judged {
  const httpStatus = exchange.kind === 'answer' ? exchange.status : null;
  const about = { ...aboutOf(operation), httpStatus };
  try {
    const body = session.service.bodyOf(operation, exchange);
    return { ...about, result: 'ok', message: answerWords(operation, body) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isPage = exchange.kind === 'answer' && pageIn(exchange.text) !== undefined;
    // "Not found" is the right answer to an id that nothing has; some services refuse such an id.
    if (operation.method === 'GET' && !isPage && ['not_found', 'rejected'].includes(error.code))
      return { ...about, result: 'ok', message: 'nothing has the id that was asked for' };
    const message = isPage
      ? `${error.message}. A web page is not an answer of the service: check the address, ${session.address()}`
      : error.message;
    const failure = new Failure(error.code, message, error.facts);
    return { ...about, result: 'failed', message, failure };
  }
}

function answerWords(operation: Operation, body: unknown): string {
  if (!operation.body) return `something has the id ${UNKNOWN_ID}`;
  if (operation !== OPERATIONS.proposal) return 'it can be read';
  const proposals = proposalsIn(body);
  return `${proposals.filter(isBookable).length} of ${proposals.length} proposals can be booked`;
}

function credentialWords(session: Session): string {
  const { from, credentials } = session.target();
  if (from === 'demo' || credentials === undefined) return 'built in';
  const { stored, header, scheme } = credentials;
  const words = describeCredentials(stored, session.host.cwd);
  return stored.kind === 'headers' ? words : `${words}, sent as ${header}: ${`${scheme} TOKEN`.trim()}`;
}

const view: View<Report> = {
  items: report => [...report.operations],
  essential: report =>
    report.ok
      ? ['ok']
      : report.operations.flatMap(({ result, request }) => (result === 'failed' ? [request] : [])),
  async table(report, look) {
    const { ok, address, credentials, operations } = report;
    const rows = operations.map(({ request, httpStatus, result, message }) => [
      request,
      httpStatus ?? '-',
      // The message of an operation that failed is in the error.
      result === 'failed' ? { text: result, paint: look.red } : message,
    ]);
    const drawn = await table(look, { head: ['request', 'answer', 'result'], rows });
    return `${ok ? 'ok: ' : ''}${address}; credentials: ${credentials}\n\n${drawn}`;
  },
};
