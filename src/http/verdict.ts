import type { Operation } from '../contract/operation.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure, type FailureCode, type FailureFacts } from '../errors.ts';
import type { Answer, Exchange } from './transport.ts';
import { issuesOf, parseJson, wordsOf } from './words.ts';

/** The body of an answer: as JSON, or as text where it is none; `null` where there is none. */
export function bodyOf(answer: Answer): unknown {
  const text = answer.body.toString('utf8');
  return text === '' ? null : (parseJson(text) ?? text);
}

/** The failure that an error status means. */
export function codeOf(status: number): FailureCode {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unavailable';
}

/** `401 (the token is missing or invalid): Token expired` — the document's sentence, then the service's own words. */
export function explain(operation: Operation, answer: Answer): string {
  const { status } = answer;
  const means = (operation.errors as Record<number, string>)[status];
  const words = wordsOf(answer.body.toString('utf8'));
  const redirect = status >= 300 && status < 400 ? 'a redirect, which is never followed' : undefined;
  return `${status}${means || redirect ? ` (${means ?? redirect})` : ''}${words === '' ? '' : `: ${words}`}`;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** What is told of an answer that failed: beside the message, for scripts. */
export function factsOf(operation: Operation, exchange: Exchange): FailureFacts {
  if (exchange.kind === 'none') return { operation: operation.command };
  const body = bodyOf(exchange);
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
  const body = facts.body;
  const missing = operation.essential.find(path => getAt(body, path) === undefined);
  if (exchange.fault !== undefined || !isRecord(body) || missing !== undefined)
    throw new Failure(
      'unavailable',
      `${command}: ${address} answered ${exchange.status} with something that makes no sense: ${
        exchange.fault ?? (isRecord(body) ? `there is no ${missing} in it` : 'it is not a JSON object')
      }`,
      facts,
    );
  if (body.success === false)
    throw new Failure(
      'rejected',
      `${command}: the service said no: ${wordsOf(exchange.body.toString('utf8'))}`,
      facts,
    );
  return body;
}
