import type { Operation } from '../contract/operations.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure, type FailureCode, type FailureFacts } from '../errors.ts';
import type { ServiceResponse } from './response.ts';
import { retryAfterText } from './retry.ts';
import type { Exchange } from './transport.ts';
import { issuesOf, pageWords, serviceMessage } from './words.ts';

/** What the service said, as one sentence; empty where it said nothing readable. */
export const responseMessage = (answer: ServiceResponse): string => serviceMessage(answer.text, answer.json);

/** The failure that an error status means. */
export function codeOf(status: number): FailureCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unavailable';
}

const REDIRECTS = [300, 301, 302, 303, 307, 308];

/**
 * `401 (the token is missing or invalid): Token expired` — the document's sentence, then the service's own words, and
 * how long it wants to be left alone where that makes nothing be sent twice.
 */
export function explain(operation: Operation, answer: ServiceResponse): string {
  const { status, headers } = answer;
  const means = (operation.errors as Record<number, string>)[status] ?? redirect(answer);
  const said = responseMessage(answer);
  const words = said === means ? '' : said;
  const patience = status === 429 || !operation.books ? retryAfterText(headers['retry-after']) : undefined;
  return `${status}${means ? ` (${means})` : ''}${words === '' ? '' : `: ${words}`}${patience ? `; ${patience}` : ''}`;
}

function redirect({ status, headers }: ServiceResponse): string | undefined {
  if (!REDIRECTS.includes(status)) return undefined;
  const { location = '' } = headers;
  // What is behind the host may hold what was asked for, or a token.
  const to = URL.canParse(location) ? new URL(location) : undefined;
  return `a redirect${to?.host ? ` to ${to.protocol}//${to.host}` : ''}, which is never followed`;
}

/** Why the answer is not one JSON object, for people; `undefined` where it is. */
export function unreadable(answer: ServiceResponse): string | undefined {
  if (answer.fault !== undefined) return `it is not whole: ${answer.fault}`;
  if (isRecord(answer.body)) return undefined;
  if (answer.text === '') return 'it is empty';
  const coding = answer.headers['content-encoding'];
  if (coding) return `it is encoded as ${coding.slice(0, 40)}, which was not asked for`;
  const page = pageWords(answer.text);
  return page === undefined ? 'it is not a JSON object' : `it is ${page}, not a JSON object`;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** What is told of an answer that failed: beside the message, for scripts. */
function factsOf(operation: Operation, exchange: Exchange): FailureFacts {
  if (exchange.kind === 'none') return { operation: operation.command };
  const { body } = exchange;
  return { operation: operation.command, httpStatus: exchange.status, body, issues: issuesOf(body) };
}

/** The body of a read that went well; throws the Failure of one that did not. */
export function readBody(operation: Operation, exchange: Exchange, address: string): unknown {
  const facts = factsOf(operation, exchange);
  const { command } = operation;
  if (exchange.kind === 'none')
    throw new Failure('unavailable', `${command}: no answer from ${address}: ${exchange.fault}`, facts);
  if (!isSuccess(exchange.status))
    throw new Failure(
      codeOf(exchange.status),
      `${command}: ${address} answered ${explain(operation, exchange)}`,
      facts,
    );
  const { body } = facts;
  const nonsense = (why: string) =>
    new Failure(
      'unavailable',
      `${command}: ${address} answered ${exchange.status} with something that makes no sense: ${why}`,
      facts,
    );
  const why = unreadable(exchange);
  if (why !== undefined) throw nonsense(why);
  if (getAt(body, ['success']) === false)
    throw new Failure('rejected', `${command}: the service said no: ${responseMessage(exchange)}`, facts);
  const missing = operation.essential.find(path => (getAt(body, path) ?? null) === null);
  if (missing !== undefined) throw nonsense(`there is no ${missing} in it`);
  return body;
}
