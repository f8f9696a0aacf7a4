// A call of the service, from top to bottom: what may be asked, what each request has, and what a person is told of the
// call. What "sent" means is decided in transport.ts, and when a request is sent again in repeat.ts.

import { commandName, type Operation, type OperationCommand } from '../contract/operations.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { Failure, type FailureFacts, NOTHING_SENT } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import { createRedactor, type Redactor } from '../mask.ts';
import { setting } from '../profile/environment.ts';
import { describeCredentials } from '../profile/secrets.ts';
import { settingInForce } from '../profile/settings.ts';
import { exposureWarning } from '../profile/store.ts';
import { TOKEN_VARIABLES } from '../profile/table.ts';
import type { Target } from '../profile/target.ts';
import { type Notice, sayingOf } from '../say/notices.ts';
import { commandsOf } from '../say/sentence.ts';
import { STRICT } from '../say/service.ts';
import { parsedUrl } from '../text.ts';
import { type Credentials, certificatesOf, credentialsOf, type Post } from './credentials.ts';
import type { FileRequest } from './download.ts';
import { type Retry, repeat } from './repeat.ts';
import {
  type Exchange,
  isSuccess,
  LONGEST_ANSWER,
  readBody,
  retryTime,
  ServiceResponse,
  withoutSecrets,
} from './response.ts';
import type { Outgoing, Purpose, Transport } from './transport.ts';

const RESPONSE_BYTES = 2 * 1024 * 1024;
const LABEL_BYTES = 20 * 1024 * 1024;
const TOKEN_BYTES = 64 * 1024;

/** In ms: the time for the file of a label, which may come from another host. */
const LABEL_TIMEOUT = 30_000;

/** The input of an operation: placeholders of the path, and the body. */
interface CallInput {
  parameters?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The body as JSON text, if the text is written already. */
  text?: string;
  /** The booking that the call sends, for the log. */
  booking?: { id: string; key: string | null };
  /** Called before each attempt. The function that it gives is asked when the first byte is about to be written. Its errors are thrown. */
  fence?: () => Promise<() => boolean>;
  /** The key of the order that a read is about, for the log. */
  key?: string | null | undefined;
}

/** What happens on the wire, for --verbose and the log. */
export type WireEvent =
  | { event: 'sending'; request: Outgoing }
  | { event: 'request'; request: Outgoing; exchange: Exchange; ms: number }
  | { event: 'retry'; purpose: Purpose; retry: Retry };

/** The caller of many calls in quick succession: it tells people of its calls itself, and there are no notes about single requests. */
export interface Many {
  /** A request of this operation was sent, whatever the outcome. */
  onSent(command: OperationCommand): void;
  onRetry(retry: Retry): void;
}

/** A running emulator. */
interface Demo {
  address: string;
  close(): Promise<void>;
}

/** The settings of a Service. Each function may throw `usage`, and is called when it is first needed. */
interface ServiceSettings {
  target(): Target;
  /** The address of the service, for messages: `demo`, or a URL. */
  address(): string;
  /** How many further attempts there may be where one is safe, and the time for an attempt, in ms. */
  attempts(): { retries: number; timeout: { read: number; booking: number } };
  /** The file that --cacert names. */
  cacert: string | undefined;
  /** Is a secret that other users can read an error, and not only a warning? */
  strict: boolean;
  /** True if the command writes nothing: then a fetched token is not saved. */
  isLooking: boolean;
  /** Variables that are set, but that waybill does not know. */
  unknownVariables?: () => readonly string[];
  /** Name and version, for the User-Agent header. */
  agent: string;
  startDemo(): Promise<Demo>;
  note(notice: Notice): Promise<void>;
  warn(notice: Notice): Promise<void>;
  /** Called before and after each request, and for each wait. */
  watch: ((event: WireEvent) => void) | undefined;
  /** Does --verbose already show each request to a person? */
  isVerbose: boolean;
}

/** What is made for the first request, and serves all requests. */
interface Opened extends ReturnType<ServiceSettings['attempts']> {
  base: URL;
  transport: Transport;
  /** Makes the credential of each call. Absent: the requests are sent without a credential, as for operations that list no 401. */
  credentials: (() => Credentials) | undefined;
  /** The name of a header with which each request gets an id of its own. */
  idHeader: string | undefined;
}

/** The parts of a call that are the same in each attempt. */
interface Call {
  operation: Operation;
  url: URL;
  /** The body as JSON text. */
  text: string | undefined;
  fence: CallInput['fence'];
  /** What the requests of the call are sent with; absent: without any credential. */
  credentials?: Credentials | undefined;
  about: Omit<Purpose, 'attempt'>;
}

/** What the Services of one command share. */
interface Shared {
  opening?: Promise<Opened>;
  transport?: Transport;
  demo?: Demo;
  /** The notes that were given, because each note is given only once. */
  noted: Set<string>;
}

/** The service of a command. It reads the config, opens files and connects only when it is first asked for something. */
export class Service {
  readonly #host: Host;
  readonly #settings: ServiceSettings;
  readonly #many: Many | undefined;
  readonly #shared: Shared;
  readonly #interrupted: AbortSignal;
  /** How many requests were sent, or may have been: `bookings` create something, `reads` are all others. */
  readonly #sent: { bookings: number; reads: number };

  constructor(
    host: Host,
    settings: ServiceSettings,
    many?: Many,
    shared: Shared = { noted: new Set() },
    interrupted = host.interrupted,
    sent = { bookings: 0, reads: 0 },
  ) {
    this.#host = host;
    this.#settings = settings;
    this.#many = many;
    this.#shared = shared;
    this.#interrupted = interrupted;
    this.#sent = sent;
  }

  /** The same service for many calls, over the same connections: even a booking may use a connection that was used just now. */
  forMany(many: Many): Service {
    return new Service(this.#host, this.#settings, many, this.#shared, this.#interrupted, this.#sent);
  }

  /** The same service for a caller that `interrupted` stops, perhaps earlier than the process. */
  stoppedBy(interrupted: AbortSignal): Service {
    return new Service(this.#host, this.#settings, this.#many, this.#shared, interrupted, this.#sent);
  }

  /** The same service with its own count of requests: its `unsent` tells of these requests alone. */
  apart(): Service {
    return new Service(this.#host, this.#settings, this.#many, this.#shared, this.#interrupted);
  }

  /** In words, that nothing was sent until now or, for a caller that `books`, that nothing was booked; `undefined` if neither is sure. */
  unsent(books: boolean): string | undefined {
    const { bookings, reads } = this.#sent;
    if (bookings + reads === 0) return NOTHING_SENT;
    return books && bookings === 0 ? 'nothing was booked' : undefined;
  }

  /** Refuses an operation that has no address, no sandbox or no credential. Throws `sandbox_unavailable`, `unauthorized`. */
  requireReachable(operation: Operation): void {
    const { name, from, sandbox, base, credentials, tls } = this.#settings.target();
    const refused = (code: FailureCode, notice: Notice) =>
      new Failure(code, notice, { operation: operation.command });
    const command = commandName(operation);
    if (sandbox && !operation.sandbox) throw refused('sandbox_unavailable', { kind: 'no-sandbox', command });
    if (from === 'demo') return;
    const unknownVariables = this.#settings.unknownVariables?.() ?? [];
    if (from === 'nowhere')
      throw refused('unauthorized', { kind: 'no-profile-and-no-address', command, unknownVariables });
    const owner = from === 'environment' ? { unknownVariables } : { profile: name ?? '' };
    if (base === undefined)
      throw refused(sandbox ? 'sandbox_unavailable' : 'unauthorized', {
        kind: 'address-missing',
        address: sandbox ? 'sandbox' : 'production',
        ...owner,
      });
    if (operation.scope !== null && credentials === undefined && tls.clientCert === undefined) {
      const unused = TOKEN_VARIABLES.filter(variable => setting(this.#host.env, variable) !== undefined);
      throw refused('unauthorized', { kind: 'credentials-missing', unused, ...owner });
    }
  }

  /**
   * Refuses what `requireReachable` refuses, and a credential or certificates that cannot be read, before anything is asked or
   * sent. Throws `storage` and `usage`, too.
   */
  async check(operation: Operation): Promise<void> {
    this.requireReachable(operation);
    await this.#open();
  }

  /**
   * Sends the request, again if that is safe, and gives the last exchange. A booking is repeated only if it provably
   * did not reach the service, was refused unprocessed (429), or met one 401 with a token that can be renewed, and if the
   * answer names nothing that the booking may have made.
   * Throws what `check` throws, `interrupted`, and what fetching the credentials and the fence throw.
   */
  async call(operation: Operation, input: CallInput): Promise<Exchange> {
    this.requireReachable(operation);
    const opened = await this.#open();
    const interrupted = this.#interrupted;
    stopIfInterrupted({ interrupted });
    const { command, books } = operation;
    const { body, text = body === undefined ? undefined : JSON.stringify(body), booking, fence } = input;
    const call: Call = {
      operation,
      url: operationUrl(opened.base, operation, input.parameters),
      text,
      fence,
      credentials: opened.credentials?.(),
      about: { operation: command, booking: booking?.id, key: booking?.key ?? input.key },
    };

    // A person who presses Ctrl-C needs to know why nothing happens, and what a second Ctrl-C does.
    const onInterrupt = () =>
      void this.#settings.note({ kind: 'stopping-after-booking', command: commandName(operation) });
    if (books && this.#many === undefined) interrupted.addEventListener('abort', onInterrupt);
    try {
      const exchange = await this.#repeat(opened, call, attempt => this.#attempt(opened, call, attempt));
      // The outcome of a booking is shown even after an interruption.
      if (!books) stopIfInterrupted({ interrupted });
      if (exchange.kind === 'answer' || exchange.sent) this.#many?.onSent(command);
      if (exchange.kind === 'answer') {
        await this.#noteOnce(originNote(this.#settings.target()));
      }
      return exchange;
    } finally {
      interrupted.removeEventListener('abort', onInterrupt);
    }
  }

  /** Sends the request of a call once. */
  async #attempt(opened: Opened, call: Call, attempt: number): Promise<Exchange> {
    const { operation, url, text, fence, credentials, about } = call;
    const { method, books, made } = operation;
    const interrupted = this.#interrupted;
    const secrets = (await credentials?.headers()) ?? {};
    const redactor = redactorOf(secrets, credentials?.fetchedWith);
    const maySend = await fence?.();
    // A person may have interrupted while a token was fetched.
    if (books && this.#many === undefined) stopIfInterrupted({ interrupted });
    // step: claim confirmed
    const { headers, requestId } = this.#introduction(opened);
    let isRefused = false;
    const kind = books ? 'bookings' : 'reads';
    this.#sent[kind] += 1;
    const exchange = await this.#exchange(opened, {
      method,
      url,
      headers: {
        ...headers,
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...secrets,
      },
      body: text,
      timeout: books ? opened.timeout.booking : opened.timeout.read,
      maxBytes: Object.keys(made.labels).length > 0 ? LONGEST_ANSWER : RESPONSE_BYTES,
      fresh: books && this.#many === undefined,
      identified: true,
      // The answer to a booking is always waited for: a booking whose request is given up would be unknown.
      cancel: books ? undefined : interrupted,
      maySend:
        maySend &&
        (() => {
          isRefused = !maySend();
          return !isRefused;
        }),
      purpose: { ...about, attempt, requestId, redactor },
    });
    if (exchange.kind === 'none' && !exchange.sent) this.#sent[kind] -= 1;
    // `fence` is asked again, even after the last attempt, because it throws if the claim is lost.
    if (isRefused) await fence?.();
    return exchange.kind === 'none' ? exchange : answerWithoutSecrets(operation, exchange, redactor);
  }

  /** The body of a read; throws what `call` throws, and the Failure of a read that went wrong. */
  async read(operation: Operation, input: CallInput): Promise<unknown> {
    const exchange = await this.call(operation, input);
    const [id] = Object.values(input.parameters ?? {});
    return this.bodyOf(operation, exchange, id);
  }

  /** The body of the answer; throws the Failure of a read that went wrong. `id`: the id that was asked for. */
  bodyOf(operation: Operation, exchange: Exchange, id?: string): unknown {
    try {
      return readBody(operation, exchange, this.#settings.address(), id);
    } catch (error) {
      throw error instanceof Failure ? error.with(this.advice(operation, exchange)) : error;
    }
  }

  /** Notes that demo or sandbox is meant, if no answer of the service has led to this note: a recorded answer, or nothing, is shown. */
  async noteOrigin(): Promise<void> {
    const target = this.#settings.target();
    if (!this.#shared.noted.has(JSON.stringify(originNote(target))))
      await this.#noteOnce(originNote(target, false));
  }

  /** What to do about an answer that is a failure: when to come again, and which credential was refused. */
  advice(
    operation: Operation,
    exchange: Exchange,
  ): Pick<FailureFacts, 'retryAt' | 'next'> & { hint?: Notice } {
    if (exchange.kind === 'none') return {};
    const retryAt = retryTime(exchange, this.#host.now());
    const hint = refusedCredential(exchange.status, operation, this.#settings.target());
    return {
      ...(retryAt !== undefined && { retryAt }),
      // Replaces the `next` of the failure: no command for the booking helps without a credential.
      ...(hint && { hint, next: commandsOf(sayingOf(hint).what) }),
    };
  }

  /** The bytes behind a link to a label that the service gave. Throws `unavailable`. */
  async download(link: string): Promise<Buffer> {
    const opened = await this.#open();
    const { base, credentials } = opened;
    // Loaded only here: few commands download a label, and the module takes time to load.
    const { downloadLabel } = await import('./download.ts');
    const ofDemo = this.#settings.target().from === 'demo' ? parsedUrl(link) : undefined;
    return downloadLabel(
      // A link of the demo is followed at its present address: the emulator has another port in each command.
      ofDemo ? new URL(ofDemo.pathname, base).href : link,
      {
        base,
        credentials: credentials?.(),
        get: (request, credential) => this.#getFile(opened, request, credential),
      },
    );
  }

  async close(): Promise<void> {
    await this.#shared.transport?.close();
    await this.#shared.demo?.close();
  }

  #open(): Promise<Opened> {
    // After an error the next call tries again: an agent asks again after a person has mended the fault.
    this.#shared.opening ??= this.#opened().catch(error => {
      delete this.#shared.opening;
      throw error;
    });
    return this.#shared.opening;
  }

  async #opened(): Promise<Opened> {
    const { cacert, strict, isLooking, note, warn } = this.#settings;
    const target = this.#settings.target();
    const { from, sandbox, profile } = target;
    let { base } = target;
    if (from === 'demo') {
      this.#shared.demo ??= await this.#settings.startDemo();
      const { address } = this.#shared.demo;
      base = new URL(sandbox ? `${address}/sandbox` : address);
    }
    if (base === undefined) throw new Error('an operation that cannot be reached is called');
    // The certificates are read before anything is sent.
    const certificates = await certificatesOf(cacert, target, this.#host);
    const exposure = from === 'profile' && exposureWarning(this.#host, profile);
    if (exposure && strict) throw new Failure('storage', exposure, { hint: STRICT });
    const attempts = this.#settings.attempts();
    const header = settingInForce('requestIdHeader', this.#host.env, profile);
    // Loaded only here, because a command that sends nothing does not need the transport.
    const { createTransport } = await import('./transport.ts');
    const transport = createTransport(this.#host, certificates);
    this.#shared.transport = transport;
    const credentials = credentialsOf(
      target,
      base,
      { post: this.#postForToken, isLooking, note },
      this.#host,
    );
    if (exposure) await warn(exposure);
    return { ...attempts, base, transport, credentials, idHeader: header?.toLowerCase() };
  }

  /** Gets a file, and tries again after a failure: a link may be followed as often as needed. */
  #getFile(opened: Opened, request: FileRequest, credentials: Credentials | undefined): Promise<Exchange> {
    const send = async (attempt: number) =>
      this.#exchange(opened, {
        ...request,
        method: 'GET',
        headers: { accept: 'application/pdf, */*;q=0.5', ...(await credentials?.headers()) },
        timeout: LABEL_TIMEOUT,
        maxBytes: LABEL_BYTES,
        fresh: true,
        cancel: this.#interrupted,
        // Without a redactor --verbose shows nothing: a link may be a secret.
        purpose: { operation: 'label', isFile: true, attempt },
      });
    return this.#repeat(opened, { credentials, about: { operation: 'label', isFile: true } }, send);
  }

  /** Asks for a token, and tries again after a failure: the request creates nothing that costs money. */
  readonly #postForToken: Post = async (url, headers, redactor) => {
    const opened = await this.#open();
    const send = (attempt: number) => {
      const introduction = this.#introduction(opened);
      const { requestId } = introduction;
      return this.#exchange(opened, {
        method: 'POST',
        url,
        headers: { ...introduction.headers, ...headers },
        body: '',
        timeout: opened.timeout.read,
        maxBytes: TOKEN_BYTES,
        fresh: true,
        identified: true,
        cancel: this.#host.interrupted,
        purpose: { operation: 'token', attempt, requestId, redactor, isSecret: true },
      });
    };
    // All calls share the token: only the end of the process stops the request, not the end of one call.
    return this.#repeat(opened, { about: { operation: 'token' } }, send, this.#host.interrupted);
  };

  /** The headers by which every request names this program, and an id of the request, if the service wants one. */
  #introduction(opened: Opened): { headers: Record<string, string>; requestId: string | undefined } {
    const headers = { accept: 'application/json', 'user-agent': this.#settings.agent };
    const { idHeader } = opened;
    if (idHeader === undefined) return { headers, requestId: undefined };
    const requestId = uuid(this.#host);
    return { headers: { ...headers, [idHeader]: requestId }, requestId };
  }

  #repeat(
    opened: Opened,
    call: Pick<Call, 'credentials' | 'about'> & { operation?: Operation },
    send: (attempt: number) => Promise<Exchange>,
    interrupted = this.#interrupted,
  ): Promise<Exchange> {
    const { credentials, operation, about } = call;
    const onRetry = (retry: Retry) => this.#tellRetry({ ...about, attempt: retry.attempt }, retry);
    return repeat(
      send,
      { retries: opened.retries, credentials, ...(operation && { operation }), interrupted, onRetry },
      this.#host,
    );
  }

  #tellRetry(purpose: Purpose, retry: Retry): void {
    const { watch, isVerbose, note } = this.#settings;
    watch?.({ event: 'retry', purpose, retry });
    // A label file may come from another host: the wait that this host asks for is not meant for the other requests.
    if (this.#many) this.#many.onRetry({ ...retry, asked: retry.asked && !purpose.isFile });
    // A person wonders why the command takes so long; --verbose shows each retry anyway.
    else if (this.#host.stderr.isTerminal && !isVerbose) void note({ kind: 'trying-again', ...retry });
  }

  async #exchange(opened: Opened, request: Outgoing): Promise<Exchange> {
    const { watch } = this.#settings;
    if (!watch) return opened.transport.exchange(request);
    watch({ event: 'sending', request });
    const start = this.#host.monotonic();
    const exchange = await opened.transport.exchange(request);
    watch({ event: 'request', request, exchange, ms: this.#host.monotonic() - start });
    return exchange;
  }

  async #noteOnce(notice: Notice | undefined): Promise<void> {
    const { noted } = this.#shared;
    const text = JSON.stringify(notice);
    if (notice === undefined || noted.has(text)) return;
    noted.add(text);
    await this.#settings.note(notice);
  }
}

const redactors = new WeakMap<object, Redactor>();

/** Keeps the redactor for equal headers: all requests of a batch have the same headers, and making a redactor takes time. */
function redactorOf(secrets: Record<string, string>, fetchedWith: Credentials['fetchedWith']): Redactor {
  const redactor = redactors.get(secrets) ?? createRedactor({ ...fetchedWith, ...secrets });
  redactors.set(secrets, redactor);
  return redactor;
}

/**
 * The answer of an operation without the credential of the request. What the service gives only once stays as it came: such a
 * secret is not the credential, and nothing else has it.
 */
function answerWithoutSecrets(
  operation: Operation,
  response: ServiceResponse,
  redactor: Redactor,
): ServiceResponse {
  const masked = withoutSecrets(response, redactor);
  const { givenOnce = [] } = operation.made;
  if (givenOnce.length === 0 || masked === response || !isSuccess(response.status)) return masked;
  const { within } = response.contentFor(operation);
  const body = givenOnce
    .map(path => [...within, ...(parsePath(path) ?? [])])
    .filter(path => getAt(response.json, path) !== undefined)
    .reduce((left, path) => setAt(left, path, getAt(response.json, path)), masked.json);
  return body === masked.json
    ? masked
    : new ServiceResponse({ ...masked, bytes: Buffer.from(JSON.stringify(body)) });
}

/** The address of an operation. Placeholders are encoded, so that an id stays one segment of the path. */
export function operationUrl(
  base: URL,
  operation: Operation,
  parameters: Readonly<Record<string, string>> = {},
): URL {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    // `.` and `..` vanish from a URL path even when they are encoded; half a surrogate pair cannot be encoded.
    if (value.trim() === '' || /^\.{1,2}$|\p{Cs}/u.test(value))
      throw new Failure(
        'invalid_request',
        { kind: 'id-not-allowed', id: value },
        { issues: [{ path: name, message: 'must be an id as the service gave it' }] },
      );
    return encodeURIComponent(value);
  });
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/** A UUID of version 4. */
const uuid = (host: Pick<Host, 'random'>): string =>
  'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place =>
    Math.floor(place === 'x' ? 16 * host.random() : 8 + 4 * host.random()).toString(16),
  );

// What a person is told about where an answer came from.

/** What people must know if the service is not the production service. `isAnswer`: an answer came just now. */
const originNote = (target: Target, isAnswer = true): Notice | undefined =>
  target.from === 'demo' || target.sandbox
    ? { kind: 'not-of-production', isDemo: target.from === 'demo', isSandbox: target.sandbox, isAnswer }
    : undefined;

/** Which credential the service refused, and what to do about that; `undefined` if the service refused no credential. */
function refusedCredential(status: number, operation: Operation, target: Target): Notice | undefined {
  const { from, name = '', credentials, sources } = target;
  if ((status !== 401 && status !== 403) || credentials === undefined || from === 'demo') return undefined;
  const { stored } = credentials;
  const { scope } = operation;
  return {
    kind: 'credential-refused',
    status,
    command: commandName(operation),
    source: sources.credentials,
    way: stored.kind,
    profile: from === 'environment' ? undefined : { name, credential: describeCredentials(stored) },
    scope: scope === null || scope === 'any' ? undefined : scope,
  };
}
