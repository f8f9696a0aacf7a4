// The clients of a session: each call with its own credential, and with the notes that people need about it.
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Client, createClient, type RequestIds } from '../http/client.ts';
import { type OnRetry, retryWords } from '../http/retry.ts';
import type { Transport } from '../http/transport.ts';
import type { WireEvent } from '../http/watch.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { setting } from '../profile/environment.ts';
import { describeCredentials } from '../profile/mask.ts';
import { SETTINGS } from '../profile/settings.ts';
import { exposureOf, type Profile } from '../profile/store.ts';
import type { Target } from '../profile/target.ts';
import { credentialsOf } from './credentials.ts';
import type { Events } from './events.ts';
import { count, fromEnvironment, type Globals } from './globals.ts';
import { requireReachable } from './reachable.ts';
import { parseLength } from './time.ts';
import { VERSION } from './version.ts';

export interface Clients {
  /**
   * A client for the operation; refuses what has no address, no sandbox or no credential before anything is sent.
   * `onRetry` is called in place of a note for a person, who then gets none about single requests.
   */
  client(operation: Operation, onRetry?: OnRetry): Promise<Client>;
  /** The bytes behind a link to a label that the service gave; `onRetry` as above. Throws `unavailable`. */
  download(link: string, onRetry?: OnRetry): Promise<Buffer>;
}

export function createClients(
  host: Host,
  globals: Globals,
  target: () => Target,
  { transport, certificates }: { transport(): Transport; certificates(): Promise<unknown> },
  printer: Diagnostics,
  events: Events,
): Clients & { close(): Promise<void> } {
  const { env } = host;
  const note = (text: string) => void printer.note(text);
  const noted = new Set<string>();
  const noteOnce = async (text: string | undefined) => {
    if (text === undefined || noted.has(text)) return;
    noted.add(text);
    await printer.note(text);
  };
  let emulator: { address: string; close(): Promise<void> } | undefined;
  // What all clients have in common, made once: they share the tokens and one emulator.
  let common: ReturnType<typeof prepare> | undefined;

  const watch = (onRetry: OnRetry | undefined) => (event: WireEvent) => {
    events.wire(event);
    if (event.event !== 'retry') return;
    if (onRetry) onRetry(event.retry);
    // A person wonders why it takes so long; --verbose says it anyway.
    else if (host.stderr.isTerminal && !events.isVerbose) note(retryWords(event.retry));
  };

  async function baseAddress(): Promise<URL> {
    const { from, sandbox, base } = target();
    if (base !== undefined) return base;
    if (from !== 'demo') throw new Error('an operation that cannot be reached is called');
    const { startDemo } = await import('./demo.ts');
    emulator = await startDemo(host);
    return new URL(sandbox ? `${emulator.address}/sandbox` : emulator.address);
  }

  async function prepare() {
    const base = await baseAddress();
    const { from, profile } = target();
    // Before anything is sent; the connections read them no second time.
    await certificates();
    const exposure = from === 'profile' && exposureOf(host, profile);
    if (exposure && globals.strict)
      throw new Failure('storage', `${exposure}; nothing was sent, because --strict makes an error of it`);
    const request = {
      retries: retriesOf(globals, env),
      agent: `waybill/${VERSION}`,
      requestIds: requestIds(profile, host),
    };
    const timeout = timeouts(globals, env);
    const fetching = {
      ...request,
      timeout: timeout.read,
      transport: transport(),
      note,
      watch: watch(undefined),
    };
    const credentials = credentialsOf(target(), base, fetching, host);
    if (exposure) await printer.warn(exposure);
    return { ...request, base, timeout, credentials };
  }

  return {
    async client(operation, onRetry) {
      requireReachable(operation, target(), env);
      common ??= prepare();
      const { credentials, ...request } = await common;
      const settings = {
        ...{ ...request, watch: watch(onRetry) },
        ...(credentials && { credentials }),
      };
      const client = createClient(transport(), settings, host);
      return {
        async call(called, input) {
          // A person who presses Ctrl-C needs to know why nothing happens, and what a second one does.
          const onInterrupt = () =>
            note(
              `${typedName(called)}: stopping as soon as its outcome is known; a second signal leaves it unknown`,
            );
          if (called.books && onRetry === undefined) host.interrupted.addEventListener('abort', onInterrupt);
          try {
            const exchange = await client.call(called, input);
            if (exchange.kind === 'answer') {
              await noteOnce(originNote(target()));
              await noteOnce(refusalNote(exchange.status, called, target()));
            }
            return exchange;
          } finally {
            host.interrupted.removeEventListener('abort', onInterrupt);
          }
        },
      };
    },
    async download(link, onRetry) {
      common ??= prepare();
      const { base, credentials, retries } = await common;
      if (events.isVerbose && (env.https_proxy || env.HTTPS_PROXY))
        await printer.note(
          'HTTPS_PROXY looks up the host of a label link itself. So waybill cannot ensure that the label comes from the address that it checked',
        );
      // Few commands need it, and it takes time to load.
      const { downloadLabel } = await import('../http/download.ts');
      const isOfDemo = target().from === 'demo' && URL.canParse(link);
      return downloadLabel(
        // The emulator of the demo has another port in each command.
        isOfDemo ? new URL(new URL(link).pathname, base).href : link,
        { transport: transport(), base, credentials: credentials?.(), retries, watch: watch(onRetry) },
        host,
      );
    },
    close: async () => emulator?.close(),
  };
}

/** Further attempts when one is safe. */
export const retriesOf = ({ retries }: Globals, env: Host['env']): number =>
  retries ?? fromEnvironment(env, 'WAYBILL_RETRIES', count) ?? 3;

function timeouts({ timeout }: Globals, env: Host['env']): { read: number; booking: number } {
  return {
    read: 1000 * (timeout ?? fromEnvironment(env, 'WAYBILL_TIMEOUT', parseLength) ?? 30),
    // A short one makes unknowns, so a variable that is meant for reads must not reach a booking.
    booking: 1000 * (timeout ?? 180),
  };
}

/** What people have to know about any response that is not from production. */
function originNote({ from, sandbox }: Target): string | undefined {
  if (from === 'demo')
    return `demo${sandbox ? ' (sandbox)' : ''}: the built-in emulator answered; nothing real was booked or moved`;
  return sandbox ? 'sandbox: answered by the sandbox; nothing real was booked or moved' : undefined;
}

/** Which credential the service refused, and what to do about it. */
function refusalNote(
  status: number,
  operation: Operation,
  { from, name = '', credentials, sources }: Target,
): string | undefined {
  if ((status !== 401 && status !== 403) || credentials === undefined || from === 'demo') return undefined;
  const { stored } = credentials;
  const isProfile = from !== 'environment';
  const credential = `the credential of ${sources.credentials}${isProfile ? ` (${describeCredentials(stored)})` : ''}`;
  const { scope } = operation;
  const needed = scope === null || scope === 'any' ? '' : scope;
  if (status === 403)
    return `${credential} is known, but may not do this${needed && `: ${typedName(operation)} needs the scope ${needed}`}`;
  const cures = {
    token: isProfile ? `\`waybill profile set ${name} --token-stdin\` sets another one` : 'set another one',
    headers: 'check what they contain',
    file: 'the file was read again, and has no other token that is accepted',
    command: 'run the command by itself to see what it prints',
    url: 'a new one was asked for, and none was accepted',
  };
  return `${credential} is not accepted${needed && `, or lacks the scope ${needed}`}; ${cures[stored.kind]}. \`waybill profile whoami\` shows where it comes from`;
}

const REQUEST_ID_HEADER = 'WAYBILL_REQUEST_ID_HEADER';

/**
 * The header that the environment or the profile names, and what makes a fresh id for each request: a UUID of version 4.
 * Throws `usage`.
 */
function requestIds(profile: Profile, { env, random }: Pick<Host, 'env' | 'random'>): RequestIds | undefined {
  const given = setting(env, REQUEST_ID_HEADER);
  const header =
    given === undefined
      ? profile.requestIdHeader
      : String(SETTINGS.requestIdHeader.read(given, REQUEST_ID_HEADER));
  if (header === undefined) return undefined;
  return {
    header: header.toLowerCase(),
    next: () =>
      'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place =>
        digit(place === 'x' ? 16 * random() : 8 + 4 * random()),
      ),
  };
}

const digit = (below16: number): string => Math.floor(below16).toString(16);
