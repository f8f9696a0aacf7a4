// The response to a request, and what an answer that is no success says and means.
import { type Content, contentOf } from '../contract/content.ts';
import { commandName, type Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path } from '../contract/paths.ts';
import { comparable, read, readId, saysNo } from '../contract/read.ts';
import type { Issue, Schema } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { parseJson } from '../json.ts';
import { createRedactor, type Redactor } from '../mask.ts';
import type { Notice } from '../say/notices.ts';
import { personWords } from '../say/person.ts';
import {
  type AnswerFault,
  type AskedWait,
  answerFaultText,
  type ErrorAnswer,
  pageWords,
  type WireFault,
} from '../say/service.ts';
import { systemCode } from '../system-errors.ts';
import { parsedUrl, shortened, shown } from '../text.ts';

/** In bytes: the longest answer of an operation with labels, because the answer may have two labels in base64. */
export const LONGEST_ANSWER = 32 * 1024 * 1024;

interface Received {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Why the body is not complete; absent if it is. */
  fault?: WireFault | undefined;
}

/** What the service sent back. The body is decoded and parsed once, when it is first needed. */
export class ServiceResponse implements Received {
  readonly kind = 'answer';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  readonly fault: WireFault | undefined;
  #text: string | undefined;
  #body: { json: unknown } | undefined;
  #content: Content | undefined;

  constructor({ status, headers, bytes, fault }: Received) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.fault = fault;
  }

  get text(): string {
    // The decoder drops a byte order mark, with which some services begin, and which JSON.parse does not accept.
    this.#text ??= new TextDecoder().decode(this.bytes);
    return this.#text;
  }

  /** The body as JSON; `undefined` if it is not JSON. */
  get json(): unknown {
    this.#body ??= { json: parseJson(this.text) };
    return this.#body.json;
  }

  /** The body as JSON, or as text if it is not JSON; `null` if there is no body. */
  get body(): unknown {
    if (this.json !== undefined) return this.json;
    return this.text === '' ? null : this.text;
  }

  /** What the body says, read once for the operation that it answers. */
  contentFor(operation: Operation): Content {
    this.#content ??= contentOf(operation, this.body);
    return this.#content;
  }

  /** How the body is packed, such as `gzip`; `undefined` if it is not packed. */
  get coding(): string | undefined {
    const coding = this.headers['content-encoding']?.trim().toLowerCase() ?? '';
    return coding === '' || coding === 'identity' || this.bytes.length === 0 ? undefined : coding;
  }

  /** Is the body, which is a label file, still packed? A server may name a coding that it did not apply. */
  get isFilePacked(): boolean {
    return this.coding !== undefined && !PLAIN_LABEL.test(this.bytes.subarray(0, 8).toString('latin1'));
  }
}

// How plain labels begin.
const PLAIN_LABEL = /^(?:\s|%PDF|\x89PNG|GIF8|\xff\xd8|[\^~]|CT~)/;

/**
 * The response with its body unpacked (gzip, deflate, br), because a service may pack it although `accept-encoding` asks
 * for none. A body that cannot be unpacked stays as it came, with its `content-encoding`. A body that is larger than
 * `maxBytes` when unpacked has a fault.
 */
export async function unpacked(response: ServiceResponse, maxBytes: number): Promise<ServiceResponse> {
  const { coding, status, fault, bytes } = response;
  if (coding === undefined || fault !== undefined) return response;
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  // Some servers name a coding that they did not apply, or a word that is no coding, such as utf-8.
  if (typeof response.json === 'object' && response.json !== null)
    return new ServiceResponse({ status, headers, bytes });
  try {
    const whole = await unpackedBytes(bytes, coding, maxBytes);
    return whole ? new ServiceResponse({ status, headers, bytes: whole }) : response;
  } catch (error) {
    if (systemCode(error) !== 'ERR_BUFFER_TOO_LARGE') return response;
    return new ServiceResponse({ ...response, fault: { fault: 'too-large', bytes: maxBytes } });
  }
}

async function unpackedBytes(
  packed: Buffer,
  coding: string,
  maxOutputLength: number,
): Promise<Buffer | undefined> {
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(packed, limit);
    case 'br':
      return zlib.brotliDecompressSync(packed, limit);
    case 'deflate': {
      // Some servers leave out the header of the zlib format. The header begins with method 8.
      const hasHeader = ((packed[0] ?? 0) & 0x0f) === 8;
      return hasHeader ? zlib.inflateSync(packed, limit) : zlib.inflateRawSync(packed, limit);
    }
    default:
      return undefined;
  }
}

/** The response with its secrets masked: some services repeat the credential, and an answer is shown and stored in the journal. */
export function withoutSecrets(response: ServiceResponse, redactor: Redactor): ServiceResponse {
  const headers = redactor.texts(response.headers);
  const text = redactor.answer(response.text);
  const isSame = Object.entries(headers).every(([name, value]) => value === response.headers[name]);
  if (text === response.text && isSame) return response;
  // If nothing is masked, the bytes stay as they came, even if they are not UTF-8.
  const bytes = text === response.text ? response.bytes : Buffer.from(text);
  return new ServiceResponse({ ...response, headers, bytes });
}

export interface NoResponse {
  kind: 'none';
  /** Was the head of the request written to a connection? */
  sent: boolean;
  fault: WireFault;
}

export type Exchange = ServiceResponse | NoResponse;

// What an answer that is no success means, and what it says.

/** The message of the service, as one sentence; empty if no message can be read. */
export function responseMessage(response: ServiceResponse): string {
  // A body that cannot be unpacked has no readable words.
  const isPacked = response.json === undefined && response.coding !== undefined;
  const fault = isPacked ? answerFault(response) : undefined;
  return fault ? personWords(answerFaultText(fault)) : serviceMessage(response.text, response.json);
}

/** What the service says in parts of an answer, each sentence once; empty if no message can be read. */
export const partMessages = (parts: readonly unknown[]): string =>
  [...new Set(parts.filter(isRecord).map(part => serviceMessage('', part)))].filter(Boolean).join('; ');

/** The failure that an error status means. */
export function codeOfStatus(status: number): FailureCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unavailable';
}

const REDIRECTS = [300, 301, 302, 303, 307, 308];

/** The sentence of the document for the status, the message of the service, and how long the service asks to wait if a retry is safe. */
export function errorAnswer(operation: Operation, response: ServiceResponse): ErrorAnswer {
  const { status, headers } = response;
  const meaning = (operation.errors as Record<number, string>)[status];
  const message = responseMessage(response);
  return {
    status,
    meaning,
    redirect: REDIRECTS.includes(status) ? redirectOrigin(headers.location) : undefined,
    message: message === meaning ? '' : message,
    wait: status === 429 || !operation.books ? askedWait(headers['retry-after']) : undefined,
  };
}

/** The origin of the address in `location`: the rest of an address may contain personal data or a token. */
function redirectOrigin(location = ''): string {
  const url = parsedUrl(location);
  return url?.host ? shortened(`${url.protocol}//${url.host}`) : '';
}

/** Why the response is not one JSON object; `undefined` if it is. */
export function answerFault(response: ServiceResponse): AnswerFault | undefined {
  if (response.fault !== undefined) return { fault: 'incomplete', why: response.fault };
  const { coding } = response;
  if (coding !== undefined) return { fault: 'packed', coding };
  if (isRecord(response.body)) return undefined;
  if (response.text === '') return { fault: 'empty' };
  const page = pageIn(response.text);
  return page ? { fault: 'page', ...page } : { fault: 'no-object' };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The body of a read that went well; throws the Failure of a read that did not. `id`: the id that was asked for. */
export function readBody(operation: Operation, exchange: Exchange, address: string, id?: string): unknown {
  const command = commandName(operation);
  const failed = (code: FailureCode, notice: Notice) =>
    new Failure(code, notice, {
      operation: operation.command,
      ...(exchange.kind === 'answer' && {
        httpStatus: exchange.status,
        body: exchange.body,
        issues: issuesOf(exchange.body),
      }),
    });
  if (exchange.kind === 'none')
    throw failed('unavailable', { kind: 'no-answer', command, address, why: exchange.fault });
  const { status, body } = exchange;
  if (!isSuccess(status))
    throw failed(codeOfStatus(status), {
      kind: 'error-answered',
      command,
      address,
      ...errorAnswer(operation, exchange),
      ...(status === 404 && { id }),
    });
  const unusable = (fault: AnswerFault) =>
    failed('unavailable', { kind: 'answer-unusable', command, address, status, ...fault });
  const fault = answerFault(exchange);
  if (fault !== undefined) throw unusable(fault);
  if (saysNo(body))
    throw failed('rejected', { kind: 'read-rejected', command, message: responseMessage(exchange) });
  const { value, isFound } = exchange.contentFor(operation);
  if (!isFound) throw unusable(unfitField(operation.needs, body));
  const other = id === undefined ? undefined : otherId(operation, value, id);
  if (other !== undefined) throw unusable({ fault: 'other-id', id: other, asked: id ?? '' });
  return body;
}

/** The id in the content of a read, if neither this id nor the tracking number is what was asked for. */
function otherId(operation: Operation, content: unknown, asked: string): string | undefined {
  const found = read(readId, getAt(content, operation.answerId));
  const names = [found, read(readId, getAt(content, 'tracking.trackingNumber'))];
  const plain = (name: string | undefined) => {
    const word = name && comparable(name);
    return word && /^\d+$/.test(word) ? word.replace(/^0+(?=\d)/, '') : word;
  };
  return names.some(name => plain(name) === plain(asked)) ? undefined : found;
}

/** The field of the body that the reader cannot read. */
function unfitField(reader: Schema, body: unknown): AnswerFault {
  const [issue] = reader.safeParse(body).error?.issues ?? [];
  if (issue === undefined) return { fault: 'unreadable' };
  const field = formatPath(issue.path);
  const value = getAt(body, issue.path as Path);
  return (value ?? null) === null
    ? { fault: 'field-missing', field }
    : { fault: 'field-unexpected', field, value: shown(value) };
}

/** In ms: the longest wait that the service may ask for. A longer wait ends the attempts: after a shorter one the service would refuse. */
export const LONGEST_RETRY_AFTER = 60_000;
const YEAR = 365 * 24 * 60 * 60_000;

/** The wait that `Retry-After` asks for; `undefined` if it asks for no wait, or is nonsense. */
function askedWait(header: string | undefined): AskedWait | undefined {
  const wait = parseRetryAfter(header);
  if (wait === undefined) return undefined;
  if ('at' in wait) return { until: new Date(wait.at).toISOString() };
  const { ms } = wait;
  if (ms === 0) return undefined;
  return {
    ...(ms > YEAR ? { overYear: true } : { seconds: Math.ceil(ms / 1000) }),
    ...(ms > LONGEST_RETRY_AFTER && { mostSeconds: LONGEST_RETRY_AFTER / 1000 }),
  };
}

/** When the service wants to be asked again, as ISO time; `undefined` if it says nothing, or if the failure will not pass. */
export function retryTime(response: ServiceResponse, now: number): string | undefined {
  const wait = parseRetryAfter(response.headers['retry-after']);
  if (wait === undefined || !['rate_limited', 'unavailable'].includes(codeOfStatus(response.status)))
    return undefined;
  const at = 'at' in wait ? wait.at : now + wait.ms;
  return at > now && at - now <= YEAR ? new Date(at).toISOString() : undefined;
}

/** `Retry-After`: milliseconds from now, or a moment in milliseconds since 1970; `undefined` for nonsense. */
export function parseRetryAfter(header: string | undefined): { ms: number } | { at: number } | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return { ms: Number(header) * 1000 };
  // A date must have a time of day, because `Date.parse` accepts almost any word with a number.
  if (!/\d:\d\d:\d\d/.test(header)) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : { at };
}

// The service document does not show the shape of an error body: find the service's own message in any.

const MESSAGE_KEYS = 'message error_description detail error title description reason msg'.split(' ');
const LIST_KEYS = 'errors details detail issues violations fields message error data'.split(' ');
const PATH_KEYS = 'path field property loc param key name'.split(' ');
const LONGEST = 400;
const MOST_ISSUES = 50;
const MOST_SENTENCES = 5;
/** In characters: how much of a web page is searched for its title. */
const PAGE_HEAD = 10_000;

/** The message of the service, as one sentence; empty if no message can be read. */
export function serviceMessage(text: string, json = parseJson(text)): string {
  const words = json === undefined ? textExcerpt(text) : (sentence(json, 0) ?? issueWords(json));
  return shortLine(words);
}

const REASON = /(reason|message|error|warning)s?$/i;

/** The reason in a part of an answer that is no error: the texts of its fields with names such as `reason`; empty if there are none. */
export function reasonIn(value: unknown): string {
  if (!isRecord(value)) return '';
  const words = Object.entries(value).flatMap(([name, field]) =>
    REASON.test(name) ? (sentence(field, 0) ?? []) : [],
  );
  return shortLine([...new Set(words)].join('; '));
}

function shortLine(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

const issueWords = (json: unknown): string =>
  issuesOf(json)
    .slice(0, MOST_SENTENCES)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');

function textExcerpt(text: string): string {
  const page = pageIn(text);
  // The text may be JSON that was cut off, with a secret in it.
  return page ? pageWords(page) : createRedactor({}).body(text.slice(0, PAGE_HEAD));
}

/** The title of the web page, if a text is a web page; `undefined` for other text. */
export function pageIn(text: string): { title?: string } | undefined {
  const head = text.slice(0, PAGE_HEAD);
  if (!/^\s*<|<html/i.test(head)) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(head)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(head)?.[1];
  return title === undefined ? {} : { title: shortLine(title) };
}

function sentence(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > 4) return undefined;
  if (Array.isArray(value)) {
    const all = value.flatMap(entry => sentence(entry, depth + 1) ?? []);
    return all.length > 0 ? all.slice(0, MOST_SENTENCES).join('; ') : undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const key of [...MESSAGE_KEYS, ...LIST_KEYS]) {
    const found = Object.hasOwn(value, key) ? sentence(value[key], depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Issues of single fields, if the body lists them: `{path|field|…, message|…}`, or `{field: [message]}`. */
export function issuesOf(json: unknown, depth = 0): Issue[] {
  if (!isRecord(json) || depth > 3) return [];
  for (const key of LIST_KEYS) {
    const list = Object.hasOwn(json, key) ? json[key] : undefined;
    const issues = Array.isArray(list) ? list.flatMap(issueOf) : mapIssues(key, list);
    if (issues.length > 0) return issues.slice(0, MOST_ISSUES);
    const inner = issuesOf(list, depth + 1);
    if (inner.length > 0) return inner;
  }
  return [];
}

function issueOf(entry: unknown): Issue[] {
  if (!isRecord(entry)) return [];
  const path = PATH_KEYS.map(key => issuePath(entry[key])).find(path => path !== undefined);
  const message = sentence(entry, 2);
  return path === undefined || message === undefined ? [] : issue(path, message);
}

/** The path of an issue, which services write as `zip`, or as `["items", 0, "zip"]`. */
function issuePath(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const plain = (part: unknown) => typeof part === 'string' || typeof part === 'number';
  return Array.isArray(value) && value.every(plain) ? value.join('.') : undefined;
}

function mapIssues(key: string, value: unknown): Issue[] {
  if (key !== 'errors' || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([path, entry]) => {
    const message =
      Array.isArray(entry) && entry.every(part => typeof part === 'string') ? entry.join('; ') : entry;
    return typeof message === 'string' ? issue(path, message) : [];
  });
}

function issue(path: string, message: string): Issue[] {
  const line = shortLine(message);
  return line === '' ? [] : [{ path: shortLine(path), message: line }];
}

/** After so many failures of the service in a row (`SERVICE_CODES`, not those of one request), there is no point in going on. */
const MOST_IN_A_ROW = 5;
const SERVICE_CODES: readonly FailureCode[] = ['unauthorized', 'rate_limited', 'unavailable'];

/** Gives a function that is told the code of each failed request, and `undefined` for others. True: the service fails, send no more. */
export function failuresInARow(): (code: FailureCode | undefined) => boolean {
  let count = 0;
  return code => {
    count = code !== undefined && SERVICE_CODES.includes(code) ? count + 1 : 0;
    return count >= MOST_IN_A_ROW;
  };
}
