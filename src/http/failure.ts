import { type Schema, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord, type Path } from '../contract/paths.ts';
import { read, readId, saysNo } from '../contract/read.ts';
import { comparable } from '../contract/words.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { shortened, shown, shownId } from '../text.ts';
import type { ServiceResponse } from './response.ts';
import { retryAfterText } from './retry.ts';
import { issuesOf, pageWords, serviceMessage } from './service-message.ts';
import type { Exchange } from './transport.ts';

/** The service's own message, as one sentence; empty if there is none to read. */
export const responseMessage = (response: ServiceResponse): string =>
  // Bytes that do not unpack are no words.
  response.json === undefined && response.coding !== undefined
    ? (whyUnreadable(response) ?? '')
    : serviceMessage(response.text, response.json);

/** Why a 2xx response is a refusal, in the service's own words; `parts` of it may have some if it has none. */
export function refusalOf(response: ServiceResponse, parts: readonly unknown[] = []): string {
  const words = responseMessage(response) || partMessages(parts);
  return words === '' ? 'the service rejected it and gave no reason' : `the service rejected it: ${words}`;
}

/** What the service says in parts of an answer, each sentence once; empty if there is none to read. */
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

/**
 * `401 (the token is missing or invalid): Token expired`: the document's sentence, then the service's own message, and
 * how long it asks to wait if sending again is safe.
 */
export function explain(operation: Operation, response: ServiceResponse): string {
  const { status, headers } = response;
  const means = (operation.errors as Record<number, string>)[status] ?? redirect(response);
  const message = responseMessage(response);
  const words = message === means ? '' : message;
  const patience = status === 429 || !operation.books ? retryAfterText(headers['retry-after']) : undefined;
  return `${status}${means ? ` (${means})` : ''}${words === '' ? '' : `: ${words}`}${patience ? `; ${patience}` : ''}`;
}

function redirect({ status, headers }: ServiceResponse): string | undefined {
  if (!REDIRECTS.includes(status)) return undefined;
  const { location = '' } = headers;
  // The rest of the address may contain personal data or a token.
  const to = URL.canParse(location) ? new URL(location) : undefined;
  return `a redirect${to?.host ? ` to ${shortened(`${to.protocol}//${to.host}`)}` : ''}, which is never followed`;
}

/** Why the response is not one JSON object, for people; `undefined` if it is. */
export function whyUnreadable(response: ServiceResponse): string | undefined {
  if (response.fault !== undefined) return `it is not complete: ${response.fault}`;
  const coding = response.coding;
  if (coding !== undefined) return `it is packed as ${shortened(coding)}, and does not unpack`;
  if (isRecord(response.body)) return undefined;
  if (response.text === '') return 'it is empty';
  const page = pageWords(response.text);
  return page === undefined ? 'it is not a JSON object' : `it is ${page}, not a JSON object`;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The id in the path of a read. */
export const idOf = ({ parameters = {} }: { parameters?: Record<string, string> }): string | undefined =>
  Object.values(parameters)[0];

/** The body of a read that went well; throws the Failure of one that did not. `id` is the one that was asked for. */
export function readBody(operation: Operation, exchange: Exchange, address: string, id?: string): unknown {
  const failed = (code: FailureCode, what: string) =>
    new Failure(code, `${typedName(operation)}: ${what}`, {
      operation: operation.command,
      ...(exchange.kind === 'answer' && {
        httpStatus: exchange.status,
        body: exchange.body,
        issues: issuesOf(exchange.body),
      }),
    });
  if (exchange.kind === 'none') throw failed('unavailable', `no answer from ${address}: ${exchange.fault}`);
  const { status, body } = exchange;
  if (!isSuccess(status))
    throw failed(
      codeOfStatus(status),
      `${address} answered ${explain(operation, exchange)}${status === 404 && id !== undefined ? `. The id was ${shortened(id)}` : ''}`,
    );
  const nonsense = (why: string) =>
    failed('unavailable', `${address} answered ${status}, but the answer cannot be used: ${why}`);
  const why = whyUnreadable(exchange);
  if (why !== undefined) throw nonsense(why);
  if (saysNo(body)) throw failed('rejected', refusalOf(exchange));
  const { value, isFound } = exchange.contentFor(operation);
  if (!isFound) throw nonsense(whyUnfit(operation.needs, body));
  const other = id === undefined ? undefined : otherId(operation, value, id);
  if (other !== undefined)
    throw nonsense(`it is about ${shownId(other)}, and ${shownId(id ?? '')} was asked for`);
  return body;
}

/** The id in the content of a read, if it is not the one that was asked for, nor is that its tracking number. */
function otherId({ parameters }: Operation, content: unknown, asked: string): string | undefined {
  const at = 'subscriptionId' in parameters ? 'data.id' : 'id';
  const found = read(readId, getAt(content, at));
  const names = [found, read(readId, getAt(content, 'tracking.trackingNumber'))];
  const plain = (name: string | undefined) => {
    const word = name && comparable(name);
    return word && /^\d+$/.test(word) ? word.replace(/^0+(?=\d)/, '') : word;
  };
  return names.some(name => plain(name) === plain(asked)) ? undefined : found;
}

/** What the reader cannot read in the body, for people. */
function whyUnfit(reader: Schema, body: unknown): string {
  const [issue] = reader.safeParse(body).error?.issues ?? [];
  if (issue === undefined) return 'it cannot be read';
  const path = formatPath(issue.path);
  const given = getAt(body, issue.path as Path);
  return (given ?? null) === null
    ? `there is no ${path} in it`
    : `its ${path} is ${shown(given)}, which is not what the service document says`;
}
