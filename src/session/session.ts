import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure, type FailureCode } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Client } from '../http/client.ts';
import type { OnWait } from '../http/retry.ts';
import { createTransport, type Transport } from '../http/transport.ts';
import { readBody } from '../http/verdict.ts';
import type { Journal, Scope } from '../journal/journal.ts';
import { isLoopback } from '../loopback.ts';
import { createPrinter, type Printer } from '../output/print.ts';
import { setting } from '../profile/environment.ts';
import { type JournalPlace, journalPlace } from '../profile/journal-address.ts';
import { type Config, exposureOf, readConfig } from '../profile/store.ts';
import { resolveTarget, type Target } from '../profile/target.ts';
import { type Asking, createAsking } from './ask.ts';
import { sessionClient } from './client.ts';
import { credentialsOf } from './credentials.ts';
import { count, fromEnvironment, type Globals, outputFormat, positive, printSettings } from './globals.ts';
import { hasLocalJournal, openLocalJournal } from './local-journal.ts';
import { misspeltHint } from './misspelt-variables.ts';
import { addressOf, scopeOf } from './scope.ts';
import { VERSION } from './version.ts';

/** One run of a command: what it was told, how it speaks, and whom it talks to. */
export interface Session extends Asking {
  host: Host;
  globals: Globals;
  printer: Printer;
  config: Config;
  /** Which service, as whom. Throws where flags and environment contradict each other. */
  target(): Target;
  /** Ids of the carrier that the service document calls the economy carrier. */
  economyCarriers(): readonly string[];
  /** The address for messages and for people: `demo`, or a URL. */
  address(): string;
  /**
   * A client for the operation; refuses what has no address, no sandbox or no credential before anything is sent.
   * `onWait`: told of waits, in the place of a person, who is then told nothing of single requests.
   */
  client(operation: Operation, onWait?: OnWait): Promise<Client>;
  /** Calls a read and gives its body; throws the Failure of one that went wrong. */
  read(
    operation: Operation,
    input: { parameters?: Record<string, string>; body?: unknown },
  ): Promise<unknown>;
  transport(): Transport;
  /** Whose bookings these are. */
  scope(): Scope;
  /** The record of every booking. Throws `storage`. `mayBeNew`: goes ahead with a journal that remembers nothing. */
  journal(mayBeNew?: boolean): Promise<Journal>;
  /** The same, but `undefined` where there is none yet: for commands that look back only if they can. */
  journalIfThere(): Promise<Journal | undefined>;
  /** Do other machines keep their bookings there, too? */
  sharesJournal(): boolean;
  /** Further attempts where one is safe. */
  retries: number;
  /** May a person be asked? */
  interactive: boolean;
  /** Do not wait for a booking that another process is sending: throw `BookingInProgress`. */
  noWait?: boolean;
  close(): Promise<void>;
}

/** `config`: in the place of what is saved, for a profile that is not yet. */
export function openSession(host: Host, globals: Globals, config: Config = readConfig(host)): Session {
  const { env } = host;
  let target: Target | undefined;
  let base: URL | undefined;
  let transport: Transport | undefined;
  let journal: Journal | undefined;
  let emulator: { address: string; close(): Promise<void> } | undefined;

  const theTarget = () => {
    target ??= resolveTarget(host, config, globals);
    return target;
  };
  const preferred =
    globals.output || globals.json
      ? undefined
      : (fromEnvironment(env, 'WAYBILL_OUTPUT', outputFormat) ?? preferredOutput(host, config, globals));
  const printer = createPrinter(host, printSettings(globals, preferred));
  const told = new Set<string>();
  let credentialOfCall: ReturnType<typeof credentialsOf>;
  let isReady = false;

  // The worlds of the demo are each machine's own.
  const sharedPlace = (): JournalPlace | undefined =>
    theTarget().from === 'demo' ? undefined : journalPlace(env, theTarget().profile);

  async function baseAddress(): Promise<URL> {
    const { from, sandbox, base: fixed } = theTarget();
    if (fixed !== undefined) return fixed;
    if (from !== 'demo') throw new Error('an operation that cannot be reached is called');
    const { startDemo } = await import('./demo.ts');
    emulator ??= await startDemo(host);
    return new URL(sandbox ? `${emulator.address}/sandbox` : emulator.address);
  }

  const session: Session = {
    ...createAsking(host, globals, printer),
    host,
    globals,
    printer,
    config,
    get retries() {
      return globals.retries ?? fromEnvironment(env, 'WAYBILL_RETRIES', count) ?? 3;
    },
    target: theTarget,
    economyCarriers() {
      const named = setting(env, 'WAYBILL_ECONOMY_CARRIERS')?.split(',');
      return named?.map(id => id.trim()) ?? theTarget().profile.economyCarriers ?? [];
    },
    address: () => addressOf(theTarget()),
    async client(operation, onWait) {
      requireReachable(operation, theTarget(), env);
      base ??= await baseAddress();
      const trace =
        globals.verbose || setting(env, 'WAYBILL_DEBUG')
          ? { trace: (lines: string) => void printer.note(lines) }
          : {};
      const common = { retries: session.retries, agent: `waybill/${VERSION}`, ...trace };
      const timeout = timeouts(globals, env);
      if (!isReady) {
        const exposure = theTarget().from === 'profile' && exposureOf(host, theTarget().profile);
        if (exposure && globals.strict)
          throw new Failure('storage', `${exposure}; nothing was sent, as --strict makes an error of it`);
        const note = (text: string) => void printer.note(text);
        const means = { ...common, timeout: timeout.read, transport: session.transport(), note };
        credentialOfCall = credentialsOf(theTarget(), base, means, host);
        // Before anything is waited for: those who come in the meantime must share the tokens.
        isReady = true;
        if (exposure) await printer.warn(exposure);
      }
      const settings = {
        ...common,
        target: theTarget(),
        transport: session.transport(),
        printer,
        base,
        timeout,
        onWait: onWait ?? (sentence => void printer.progress(sentence)),
        credentialOfCall,
        alone: onWait === undefined,
        told,
      };
      return sessionClient(settings, host);
    },
    async read(operation, input) {
      const client = await session.client(operation);
      const exchange = await client.call(operation, input);
      return readBody(operation, exchange, session.address());
    },
    scope: () => scopeOf(theTarget()),
    async journal(mayBeNew = false) {
      const shared = sharedPlace();
      if (shared) {
        const { openShared } = await import('./shared-journal.ts');
        journal ??= await openShared(shared, text => void printer.note(text), host);
      }
      journal ??= await openLocalJournal(host, { mayBeNew: mayBeNew || !isProduction(theTarget()) });
      return journal;
    },
    sharesJournal: () => sharedPlace() !== undefined,
    async journalIfThere() {
      return journal ?? (sharedPlace() || hasLocalJournal(host) ? session.journal() : undefined);
    },
    transport() {
      transport ??= createTransport(host);
      return transport;
    },
    interactive:
      globals.input && setting(env, 'CI') === undefined && host.stdin.isTerminal && host.stderr.isTerminal,
    async close() {
      await transport?.close();
      await journal?.close();
      await emulator?.close();
    },
  };
  return session;
}

/** The profile's own wish, if it can be told without a fault; faults belong to the command that needs the profile. */
function preferredOutput(host: Host, config: Config, globals: Globals): string | undefined {
  const name = globals.profile ?? setting(host.env, 'WAYBILL_PROFILE') ?? config.current;
  return name !== undefined && Object.hasOwn(config.profiles, name)
    ? config.profiles[name]?.output
    : undefined;
}

/** Refuses, before anything is sent, an operation that cannot be called on this target. */
export function requireReachable(operation: Operation, target: Target, env: Host['env'] = {}): void {
  const { command } = operation;
  const { name, from, sandbox, base, credentials } = target;
  const refuse = (code: FailureCode, message: string) => new Failure(code, message, { operation: command });
  if (sandbox && !operation.sandbox)
    throw refuse(
      'sandbox_unavailable',
      `${command} has no sandbox address, and production is never used in its place; nothing was sent. To call production, give --no-sandbox`,
    );
  if (from === 'demo') return;
  if (from === 'nowhere')
    throw refuse(
      'unauthorized',
      `there is no profile and no address in the environment. Make a profile with \`waybill profile add NAME --base-url URL --token-stdin\`, or set WAYBILL_BASE_URL and WAYBILL_TOKEN; to try it with nothing set up: \`${typedName(operation)} --profile demo\`${misspeltHint(env)}`,
    );
  const mine = from === 'environment';
  if (base === undefined && sandbox)
    throw refuse(
      'sandbox_unavailable',
      mine
        ? 'there is no sandbox address: set WAYBILL_SANDBOX_BASE_URL'
        : `the profile ${name} has no sandbox address; \`waybill profile set ${name} sandboxBaseUrl=URL\` gives it one`,
    );
  if (base === undefined)
    throw refuse(
      'unauthorized',
      mine
        ? `there is no production address: set WAYBILL_BASE_URL${misspeltHint(env)}`
        : `the profile ${name} has no address; \`waybill profile set ${name} baseUrl=URL\` gives it one`,
    );
  if (operation.scope !== null && credentials === undefined)
    throw refuse(
      'unauthorized',
      mine
        ? `the address comes from the environment, but WAYBILL_TOKEN is not set: an address of the environment never gets the credential of a profile${misspeltHint(env)}`
        : `the profile ${name} has no credentials; \`waybill profile set ${name} --token-stdin\` gives it some`,
    );
}

function timeouts(globals: Globals, env: Host['env']): { read: number; booking: number } {
  const { timeout } = globals;
  return {
    read: 1000 * (timeout ?? fromEnvironment(env, 'WAYBILL_TIMEOUT', positive) ?? 30),
    // A short one makes unknowns, so that a variable meant for reads must not reach a booking.
    booking: 1000 * (timeout ?? 180),
  };
}

/** Is the service on loopback, so that a webhook or a label link may be there too? */
export const onLoopback = ({ from, base }: Target): boolean =>
  from === 'demo' || (base !== undefined && isLoopback(base.hostname));

/** Where a booking costs money. */
export const isProduction = (target: Target): boolean => !target.sandbox && !onLoopback(target);
