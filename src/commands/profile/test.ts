// Whether a service is as the document says, as far as that can be seen without a booking: each operation that reads is
// called once, and its answer is read as the commands read it.
import { unusableIn } from '../../carriers/unusable.ts';
import { contentOf } from '../../contract/content.ts';
import { differencesFrom } from '../../contract/differences.ts';
import type { Issue } from '../../contract/operation.ts';
import { OPERATIONS, type Operation, type OperationCommand } from '../../contract/operations.ts';
import { sampleOf } from '../../contract/sample.ts';
import { Failure } from '../../errors.ts';
import { isSuccess, readBody } from '../../http/failure.ts';
import { pageWords } from '../../http/service-message.ts';
import type { Exchange } from '../../http/transport.ts';
import type { Look } from '../../output/look.ts';
import type { View } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { describeCredentials } from '../../profile/mask.ts';
import { openSession, type Session } from '../../session/session.ts';

// No service gives this id to anything: a "not found" proves that address and credentials work.
const NO_ID = 'waybill-profile-test-0';

type Result = 'as documented' | 'readable' | 'not usable' | 'skipped';

/** What one operation answered. */
interface Check {
  operation: OperationCommand;
  /** `POST /v1/carriers/proposal` */
  request: string;
  httpStatus: number | null;
  ms: number | null;
  result: Result;
  /** What the document has in another way, and waybill reads. */
  differences: readonly Issue[];
  /** What prevents or spoils a command. */
  problems: readonly Issue[];
}

interface Report {
  ok: boolean;
  address: string;
  ms: number;
  /** Which credentials were sent; secrets are not in it. */
  credentials: string;
  operations: readonly Check[];
}

type Checked = Check & { needsCredential: boolean; failure?: Failure };

export async function test(session: Session, _: object, name?: string): Promise<void> {
  const tested =
    name === undefined ? session : openSession(session.host, { ...session.globals, profile: name });
  try {
    const started = tested.host.now();
    // Refuses what has no address or no credential before anything is sent.
    await tested.client(OPERATIONS.getShipment);
    const reads = Object.values(OPERATIONS).filter(({ books }) => !books);
    const checks = await Promise.all(reads.map(operation => checked(tested, operation)));
    throwIfAllFailed(checks);
    const bad = checks.filter(({ problems }) => problems.length > 0);
    const report: Report = {
      ok: bad.length === 0,
      address: tested.address(),
      ms: tested.host.now() - started,
      credentials: credentialWords(tested),
      operations: checks.map(({ failure: _failure, needsCredential: _needs, ...check }) => check),
    };
    await tested.printer.result(report, view);
    if (bad.length > 0)
      throw new Failure(
        'partial',
        `profile test: ${bad.length} of ${checks.length} operations of ${report.address} cannot be used as the service answers now. Ask its provider. \`waybill profile test --help\` says what the results mean`,
        {
          issues: bad.flatMap(({ request, problems }) =>
            problems.map(one => ({ ...one, path: `${request} ${one.path}`.trim() })),
          ),
        },
      );
  } finally {
    if (tested !== session) await tested.close();
  }
}

/** A service that no operation can be used with is one failure, and no list of them. Rates ask for no credential. */
function throwIfAllFailed(checks: readonly Checked[]): void {
  const asked = checks.filter(({ result, needsCredential }) => result !== 'skipped' && needsCredential);
  const [first] = asked;
  if (first?.failure && asked.every(({ failure }) => failure?.code === first.failure?.code))
    throw first.failure;
}

async function checked(session: Session, operation: Operation): Promise<Checked> {
  const { command, method, path, sandbox, scope } = operation;
  const about: Checked = {
    ...{ operation: command, request: `${method} ${path}`, needsCredential: scope !== null },
    ...{ httpStatus: null, ms: null, result: 'skipped', differences: [], problems: [] },
  };
  if (session.target().sandbox && !sandbox) return about;
  const input = operation.body
    ? { body: sampleOf(operation.body) }
    : { parameters: Object.fromEntries(Object.keys(operation.parameters).map(name => [name, NO_ID])) };
  const started = session.host.now();
  const exchange = await (await session.client(operation)).call(operation, input);
  const seen = {
    ...about,
    httpStatus: exchange.kind === 'answer' ? exchange.status : null,
    ms: session.host.now() - started,
  };
  try {
    // That it has another id than the one that nothing has is told below.
    const body = readBody(operation, exchange, session.address());
    const { value: content, within } = contentOf(operation, body);
    const problems = operation === OPERATIONS.proposal ? unusableIn(body) : [];
    const differences = [
      ...unlike(operation, exchange),
      ...(within.length > 0 ? [{ path: '', message: `is inside \`${within.join('.')}\`` }] : []),
      ...differencesFrom(operation.success.schema, content),
      ...(operation.body
        ? emptyLists(content)
        : [{ path: '', message: `finds something with the id ${NO_ID}` }]),
    ].filter(({ path }) => path === '' || problems.every(problem => problem.path !== path));
    return judged(seen, differences, problems);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const differences = unlike(operation, exchange);
    const isPage = exchange.kind === 'answer' && pageWords(exchange.text) !== undefined;
    if (!isPage && isNoSuchThing(operation, error)) return judged(seen, differences, []);
    const message = isPage
      ? `${error.message}. A web page is not an answer of the service: check the address, ${session.address()}`
      : error.message;
    const failure = new Failure(error.code, message, error.facts);
    return { ...judged(seen, differences, [{ path: '', message }]), failure };
  }
}

/** "Not found" is the right answer to an id that nothing has; some services refuse such an id. */
const isNoSuchThing = ({ errors, method }: Operation, { code }: Failure): boolean =>
  (code === 'not_found' && 404 in errors) || (code === 'rejected' && method === 'GET');

function judged(seen: Checked, differences: readonly Issue[], problems: readonly Issue[]): Checked {
  const result = problems.length > 0 ? 'not usable' : differences.length > 0 ? 'readable' : 'as documented';
  return { ...seen, result, differences, problems };
}

/** What is not as documented around the body. */
function unlike({ success, errors }: Operation, exchange: Exchange): Issue[] {
  if (exchange.kind === 'none') return [];
  const { status, packed } = exchange;
  const documented = [success.status, ...Object.keys(errors).map(Number)];
  const expected = isSuccess(status) ? String(success.status) : Object.keys(errors).join(', ');
  return [
    ...(documented.includes(status)
      ? []
      : [{ path: '', message: `is answered with ${status}; the document has ${expected}` }]),
    ...(packed === undefined
      ? []
      : [{ path: '', message: `is packed (${packed}), although that was not asked for` }]),
  ];
}

/** Nothing is known of the elements of an empty list. */
const emptyLists = (content: unknown): Issue[] =>
  Object.entries(content as object).flatMap(([path, value]) =>
    Array.isArray(value) && value.length === 0
      ? [
          {
            path,
            message: 'is empty for the sample (3 kg from TR to DE): nothing can be said about its elements',
          },
        ]
      : [],
  );

function credentialWords(session: Session): string {
  const { from, credentials } = session.target();
  if (from === 'demo' || credentials === undefined) return 'built in';
  const { stored, header, scheme } = credentials;
  const words = describeCredentials(stored);
  return stored.kind === 'headers' ? words : `${words}, sent as ${header}: ${`${scheme} TOKEN`.trim()}`;
}

const view: View<Report> = {
  items: ({ operations }) => [...operations],
  essential: ({ ok, operations }) =>
    ok ? ['ok'] : operations.flatMap(({ result, request }) => (result === 'not usable' ? [request] : [])),
  async table({ ok, address, credentials, operations }, look) {
    const rows = operations.map(({ request, httpStatus, result }) => [
      request,
      httpStatus ?? '-',
      paint(look, result),
    ]);
    const drawn = await table(look, { head: ['request', 'answer', 'result'], rows });
    // The error has the problems.
    const details = operations.flatMap(({ request, differences }) =>
      differences.map(({ path, message }) => `${request}: ${`${path} ${message}`.trim()}`),
    );
    const head = `${ok ? 'ok: ' : ''}${address}; credentials: ${credentials}`;
    return [head, drawn, ...(details.length > 0 ? [details.join('\n')] : [])].join('\n\n');
  },
};

const paint = (look: Look, result: Result) => ({
  text: result,
  paint: result === 'not usable' ? look.red : result === 'as documented' ? look.green : look.bold,
});

/** Reads a shipment that does not exist; `ms` is how long it took. Throws if address or credentials do not work. */
export async function testAccess(session: Session) {
  const started = session.host.now();
  try {
    await session.read(OPERATIONS.getShipment, { parameters: { shipmentId: NO_ID } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return { ok: true, address: session.address(), ms: session.host.now() - started };
}

export const accessWords = ({ address, ms }: { address: string; ms: number }): string =>
  `ok: ${address} accepts the credentials (${ms} ms)`;
