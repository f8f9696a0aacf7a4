// Which service and credentials a command would use, and whether that service can be worked with.

import { OPERATIONS, type Operation, type OperationCommand } from '../../contract/operations.ts';
import type { Money } from '../../contract/read.ts';
import { sampleOf } from '../../contract/shapes.ts';
import { PARTIES } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { isBookable, proposalsIn } from '../../order/carrier.ts';
import { limitLeft } from '../../order/desk.ts';
import type { View } from '../../output/print.ts';
import { anyTable, table } from '../../output/table.ts';
import { isOn, setting } from '../../profile/environment.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { economyNote, endMilestonesOf, RESERVABLE } from '../../profile/settings.ts';
import { exposureWarning, type Profile } from '../../profile/store.ts';
import { CREDENTIAL_VARIABLES, FIELD_SETTINGS, OPTION_SETTINGS } from '../../profile/table.ts';
import { onLoopback, type Target } from '../../profile/target.ts';
import { unknownNamed } from '../../profile/unknown.ts';
import { messageWords } from '../../say/person.ts';
import { certificateFiles, certificatesOf, refuseUnpresentable } from '../../service/credentials.ts';
import { pageIn } from '../../service/response.ts';
import { declare, operand } from '../../session/command.ts';
import { openSession, type Session } from '../../session/session.ts';

export const whoami = declare({
  examples: ['# Before the first booking of a day. Nothing is sent.', 'waybill profile whoami'],
  output: {
    table: 'one line for each fact, with the reason',
    quiet: 'the profile; without one, the address',
    json: 'the facts by name, their reasons under …From; defaults is what the profile gives each request, limits has leftOfDay',
  },
  run: showTarget,
});

/** What a command would use, and why; it sends nothing. */
async function showTarget(session: Session): Promise<void> {
  const target = session.target();
  const { name, profile, from, sandbox, sources, credentials } = target;
  const { authority, cert } = certificateFiles(session.globals.cacert, target, session.host);
  const about = {
    profile: name ?? null,
    profileFrom: sources.profile,
    address: from === 'nowhere' ? null : session.address(),
    addressFrom: sources.address,
    environment: from === 'nowhere' ? null : environmentOf(target),
    environmentFrom: sandboxSource(session, target),
    sandbox,
    credentials:
      from === 'demo'
        ? 'built in'
        : credentials
          ? describeCredentials(credentials.stored, session.host.cwd)
          : null,
    credentialsFrom: sources.credentials,
    clientCert: cert?.path ?? null,
    caCert: authority?.path ?? null,
    caCertFrom: authority?.by ?? 'none',
    account: profile.account ?? null,
    economyCarriers: session.rules().economyCarriers,
    endMilestones: endMilestonesOf(profile),
    defaults: defaultsOf(profile),
    ...(await limitsOf(session, target)),
    ignored: ignoredVariables(session, target),
  };
  if (from !== 'nowhere' && about.economyCarriers.length === 0) {
    const command = name === undefined ? undefined : `waybill profile set ${name} economyCarriers=ID`;
    await session.printer.note(economyNote(command ?? 'export WAYBILL_ECONOMY_CARRIERS=ID'));
  }
  await session.printer.result(about, {
    essential: body => [body.profile ?? body.address ?? ''],
    table: (body, look) => anyTable(look, body),
  });
}

/** What it gives a request: the saved parties by their fields, and options as they are set. */
const defaultsOf = (profile: Profile): Record<string, unknown> =>
  Object.fromEntries(
    [...PARTIES, ...FIELD_SETTINGS, ...OPTION_SETTINGS].flatMap(name =>
      profile[name] === undefined ? [] : [[name, profile[name]]],
    ),
  );

/** The limits in force, what is left of the day, and why a command would fail. */
async function limitsOf(session: Session, target: Target) {
  const trouble = (await troubleOf(session, target)) ?? null;
  const { policy = {} } = target.profile;
  try {
    const { maxPrice, maxPerDay, requireKey } = session.limits();
    const limits = {
      maxPrice: numbersOf(maxPrice),
      maxPerDay: numbersOf(maxPerDay),
      leftOfDay: numbersOf(await limitLeft(session)),
      requireKey,
      ...Object.fromEntries(RESERVABLE.map(limit => [limit, policy[limit] ?? null])),
    };
    const isAny = Object.values(limits).some(limit => limit !== null && limit !== false);
    return { limits: isAny ? limits : null, trouble };
  } catch (error) {
    // Nothing can be booked with a limit that cannot be read, or without the journal.
    if (error instanceof Failure) return { limits: null, trouble: trouble ?? error.message };
    throw error;
  }
}

const numbersOf = (amounts: readonly Money[] | undefined): Record<string, number> | null =>
  amounts === undefined
    ? null
    : Object.fromEntries(amounts.map(({ amount, currency }) => [currency, Number(amount)]));

function environmentOf(target: Target): string {
  if (target.from === 'demo') return 'emulator';
  if (target.sandbox) return 'sandbox';
  return onLoopback(target) ? 'loopback' : 'production';
}

function sandboxSource({ globals, host }: Session, { name, profile }: Target): string {
  if (globals.sandbox !== undefined) return globals.sandbox ? '--sandbox' : '--no-sandbox';
  if (isOn(host.env, 'WAYBILL_SANDBOX')) return 'WAYBILL_SANDBOX';
  return profile.sandbox === true ? `profile ${name}` : 'default';
}

/** Variables that hold credentials but are not used, and those that nobody knows. */
function ignoredVariables({ host: { env }, config }: Session, { from }: Target): string[] {
  const unused = from === 'environment' ? [] : CREDENTIAL_VARIABLES.filter(name => setting(env, name));
  return [...unused, ...unknownNamed(env, config)];
}

/** Why a command that reads would fail before it sends anything. */
async function troubleOf(session: Session, target: Target): Promise<string | undefined> {
  const { host } = session;
  try {
    session.service.requireReachable(OPERATIONS.getShipment);
    await certificatesOf(session.globals.cacert, target, host);
    if (target.credentials) refuseUnpresentable(target.credentials, host);
    const exposure = target.from === 'profile' && exposureWarning(host, target.profile);
    return exposure ? messageWords(exposure) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

// Whether it can be worked with, as far as that can be seen without a booking: each operation that reads is called once, and
// its answer is read as the commands read it.

// No service gives this id to anything: a "not found" proves that address and credentials work.
export const NO_ID = 'waybill-profile-test-0';

/** What one operation answered. */
interface Check {
  operation: OperationCommand;
  /** `POST /v1/carriers/proposal` */
  request: string;
  httpStatus: number | null;
  result: 'ok' | 'failed' | 'skipped';
  message: string;
}

interface Report {
  ok: boolean;
  address: string;
  /** Which credentials were sent; secrets are not in it. */
  credentials: string;
  operations: readonly Check[];
}

export const test = declare({
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
    // Refuses what has no address or no credential before anything is sent.
    await tested.service.check(OPERATIONS.getShipment);
    const reads = Object.values(OPERATIONS).filter(({ books }) => !books);
    const checks = await Promise.all(reads.map(operation => checked(tested, operation)));
    const failed = checks.flatMap(({ failure }) => failure ?? []);
    // A service that no operation can be used with is one failure, and no list of them. Rates ask for no credential.
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

type Checked = Check & Pick<Operation, 'scope'> & { failure?: Failure };

async function checked(session: Session, operation: Operation): Promise<Checked> {
  const { command, method, path, sandbox, scope } = operation;
  const about = { operation: command, request: `${method} ${path}`, scope };
  if (session.target().sandbox && !sandbox)
    return { ...about, httpStatus: null, result: 'skipped', message: 'the sandbox does not have it' };
  const input = operation.body
    ? { body: sampleOf(operation.body) }
    : { parameters: Object.fromEntries(Object.keys(operation.parameters).map(name => [name, NO_ID])) };
  const exchange = await session.service.call(operation, input);
  const httpStatus = exchange.kind === 'answer' ? exchange.status : null;
  try {
    const body = session.service.bodyOf(operation, exchange);
    return { ...about, httpStatus, result: 'ok', message: found(operation, body) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isPage = exchange.kind === 'answer' && pageIn(exchange.text) !== undefined;
    // "Not found" is the right answer to an id that nothing has; some services refuse such an id.
    if (method === 'GET' && !isPage && ['not_found', 'rejected'].includes(error.code))
      return { ...about, httpStatus, result: 'ok', message: 'nothing has the id that was asked for' };
    const message = isPage
      ? `${error.message}. A web page is not an answer of the service: check the address, ${session.address()}`
      : error.message;
    const failure = new Failure(error.code, message, error.facts);
    return { ...about, httpStatus, result: 'failed', message, failure };
  }
}

function found(operation: Operation, body: unknown): string {
  if (!operation.body) return `something has the id ${NO_ID}`;
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
  items: ({ operations }) => [...operations],
  essential: ({ ok, operations }) =>
    ok ? ['ok'] : operations.flatMap(({ result, request }) => (result === 'failed' ? [request] : [])),
  async table({ ok, address, credentials, operations }, look) {
    const rows = operations.map(({ request, httpStatus, result, message }) => [
      request,
      httpStatus ?? '-',
      // The error has the message of what failed.
      result === 'failed' ? { text: result, paint: look.red } : message,
    ]);
    const drawn = await table(look, { head: ['request', 'answer', 'result'], rows });
    return `${ok ? 'ok: ' : ''}${address}; credentials: ${credentials}\n\n${drawn}`;
  },
};
