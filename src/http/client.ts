import type { Operation } from '../contract/operations.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Host } from '../host.ts';
import { createRedactor, type Redactor } from '../mask.ts';
import type { Credentials } from './credentials.ts';
import { isSuccess } from './failure.ts';
import { ServiceResponse } from './response.ts';
import { sendSafely } from './retry.ts';
import type { Exchange, Outgoing, Transport } from './transport.ts';
import type { Watch } from './watch.ts';

const RESPONSE_BYTES = 2 * 1024 * 1024;
/** Of an answer that may have the labels themselves: two, in base64. */
const LABELS_BYTES = 32 * 1024 * 1024;

/** The header that has an id of its own in each request, and what makes one. */
export interface RequestIds {
  header: string;
  next(): string;
}

export interface ClientSettings {
  /** Where the operations are, production or sandbox. */
  base: URL;
  /** Makes the credential of each call. Absent: the request goes without, as for operations that list no 401. */
  credentials?: () => Credentials;
  /** For one attempt, in milliseconds. */
  timeout: { read: number; booking: number };
  /** Further attempts where one is safe. */
  retries: number;
  /** Name and version, for the User-Agent header. */
  agent: string;
  requestIds?: RequestIds | undefined;
  /** Is told of each wait for a further attempt. The transport tells it of the requests. */
  watch?: Watch;
}

/** The input of an operation: placeholders of the path, and the body. */
export interface Input {
  parameters?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The body as JSON text, if that is written already. */
  text?: string;
  /** One of many calls in quick succession: even a booking may use a connection that was used just now. */
  many?: boolean;
  /** The booking that it sends, for those who watch. */
  booking?: { id: string; key: string | null };
  /** Asked before each attempt, and what it gives when the first byte is about to be written. What it throws is thrown. */
  fence?: () => Promise<() => boolean>;
}

export interface Client {
  /**
   * Sends the request, again if that is safe, and gives the last exchange. A booking is repeated only if it provably
   * did not reach the service, was refused unprocessed (429), or met one 401 with a token that can be renewed.
   * Throws only `interrupted`, and what fetching the credentials and the fence throw.
   */
  call(operation: Operation, input: Input): Promise<Exchange>;
}

type ClientHost = Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>;

export function createClient(transport: Transport, settings: ClientSettings, host: ClientHost): Client {
  const { base, timeout, credentials: credentialsOfCall, retries, watch } = settings;
  // The same for all calls of a batch.
  const fixed = new Map<Operation, URL>();

  function addressOf(operation: Operation, parameters: Input['parameters']): URL {
    const url = (!parameters && fixed.get(operation)) || urlOf(base, operation, parameters);
    if (!parameters) fixed.set(operation, url);
    return url;
  }

  return {
    async call(
      operation,
      {
        parameters,
        body,
        text = body === undefined ? undefined : JSON.stringify(body),
        many,
        booking,
        fence,
      },
    ) {
      stopIfInterrupted(host);
      const { books, made } = operation;
      const credentials = credentialsOfCall?.();
      const about = { operation: operation.command, booking: booking?.id, key: booking?.key };
      const send = async (attempt: number) => {
        const secrets = (await credentials?.headers()) ?? {};
        const redactor = redactorOf(secrets, credentials?.fetchedWith);
        const maySend = await fence?.();
        // step: claim confirmed
        let isRefused = false;
        const { headers, requestId } = introduction(settings);
        const request: Outgoing = {
          method: operation.method,
          url: addressOf(operation, parameters),
          headers: {
            ...headers,
            ...(text !== undefined && { 'content-type': 'application/json' }),
            ...secrets,
          },
          ...(text !== undefined && { body: text }),
          timeout: books ? timeout.booking : timeout.read,
          maxBytes: Object.keys(made.labels).length > 0 ? LABELS_BYTES : RESPONSE_BYTES,
          fresh: books && !many,
          identified: true,
          purpose: { ...about, attempt, requestId, redactor },
          // A booking in flight is waited for: a cancelled one would be unknown.
          ...(!books && { cancel: host.interrupted }),
        };
        if (maySend)
          request.maySend = () => {
            isRefused = !maySend();
            return !isRefused;
          };
        const exchange = await transport.exchange(request);
        // Even if this was the last attempt: a claim that is lost throws.
        if (isRefused) await fence?.();
        return exchange.kind === 'none' ? exchange : answerWithoutSecrets(operation, exchange, redactor);
      };
      const exchange = await sendSafely(send, { credentials, retries, books, watch, about }, host);
      // The outcome of a booking is shown even after an interruption.
      if (!books) stopIfInterrupted(host);
      return exchange;
    },
  };
}

/** What every request to the service says of us, and its own id if the service wants one. */
export function introduction({ agent, requestIds }: Pick<ClientSettings, 'agent' | 'requestIds'>) {
  const requestId = requestIds?.next();
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': agent };
  if (requestIds && requestId !== undefined) headers[requestIds.header] = requestId;
  return { headers, requestId };
}

const redactors = new WeakMap<object, Redactor>();

/** The requests of a batch have the same headers, and it takes time to make a redactor. */
function redactorOf(secrets: Record<string, string>, fetchedWith: Credentials['fetchedWith']): Redactor {
  const redactor = redactors.get(secrets) ?? createRedactor({ ...fetchedWith, ...secrets });
  redactors.set(secrets, redactor);
  return redactor;
}

/** Some services repeat the credential, and an answer is shown and stored in the journal. */
export function withoutSecrets(response: ServiceResponse, redactor: Redactor): ServiceResponse {
  const headers = redactor.texts(response.headers);
  const text = redactor.answer(response.text);
  const isSame = Object.entries(headers).every(([name, value]) => value === response.headers[name]);
  if (text === response.text && isSame) return response;
  // If nothing is masked, bytes that are not UTF-8 stay as they came.
  const bytes = text === response.text ? response.bytes : Buffer.from(text);
  return new ServiceResponse({ ...response, headers, bytes });
}

/**
 * The answer of an operation without the credential of the request. What the service gives once stays as it came: it is a
 * secret of its own, and nothing else has it.
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

export function stopIfInterrupted({ interrupted }: Pick<Host, 'interrupted'>): void {
  if (interrupted.aborted) throw interruption(interrupted, 'nothing further was sent');
}

/** The address of an operation. Placeholders are encoded, so that an id stays one segment of the path. */
export function urlOf(
  base: URL,
  operation: Operation,
  parameters: Readonly<Record<string, string>> = {},
): URL {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    // `.` and `..` vanish from a path in any encoding; half a surrogate pair cannot be encoded.
    if (value.trim() === '' || /^\.{1,2}$|\p{Cs}/u.test(value))
      throw new Failure('invalid_request', `${JSON.stringify(value)} is not an id; nothing was sent`, {
        issues: [{ path: name, message: 'must be an id as the service gave it' }],
      });
    return encodeURIComponent(value);
  });
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}
