// Tokens that are fetched with a credential of the profile.
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import { createRedactor, type Redactor } from '../mask.ts';
import { codeOfStatus, isSuccess, responseMessage } from './failure.ts';
import { type ServiceResponse, withoutSecrets } from './response.ts';
import type { Exchange } from './transport.ts';

/** A token is not used in the last minute of its life, or in the second half of a shorter one. */
const MARGIN_MS = 60_000;

/** A token, and until when it may be used (ms since 1970; left out: until it is refused). */
export interface Token {
  token: string;
  until?: number;
}

interface TokenRequest {
  /** For messages: `profile live`. */
  source: string;
  url: URL;
  /** The headers with the client's credentials: lower-case names, secret values. */
  headers: Readonly<Record<string, string>>;
  /** Paths in the response; without the first one the token is looked for under the usual names. */
  tokenField?: string | undefined;
  expiryField: string;
}

/** Asks for a token with these headers, and again where that is useful. */
export type Post = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
) => Promise<Exchange>;

/** Fetches a token by POST. Throws `unauthorized` if it is refused, `rate_limited`, `unavailable`, `interrupted`. */
export async function fetchToken(
  { source, url, headers, tokenField, expiryField }: TokenRequest,
  post: Post,
  host: Pick<Host, 'now' | 'interrupted'>,
): Promise<Token> {
  const redactor = createRedactor(headers);
  const exchange = await post(url, headers, redactor);
  stopIfInterrupted(host);
  const refused = (code: FailureCode, why: string) =>
    new Failure(code, `no token for ${source}: POST ${url.href}: ${why}`, {
      ...(exchange.kind === 'answer' && { httpStatus: exchange.status }),
    });
  const response = checkedResponse(exchange, redactor, refused);
  const { body } = response;
  const paths = tokenField === undefined ? USUAL_PATHS : [tokenField];
  const tokens = tokensAt(body, paths);
  const [token] = tokens.values();
  if (token === undefined || new Set(tokens.values()).size > 1) {
    const what =
      token === undefined
        ? `there is no token at ${paths.join(', ')}`
        : `there are different tokens at ${[...tokens.keys()].join(', ')}`;
    const names = fieldNames(withoutSecrets(response, redactor).body).slice(0, MOST_NAMES).join(', ');
    throw refused(
      'unavailable',
      `answered ${response.status}, but ${what}; ${names === '' ? 'it is not a JSON object' : `its fields are ${names}`}. Set the path with the setting tokenField of the profile, such as tokenField=data.jwt`,
    );
  }
  const until = endOf(getAt(body, expiryField), host.now());
  return { token, ...(until !== undefined && { until }) };
}

/** Where services put the token, if the profile does not say it. */
const USUAL_PATHS = ['token', 'access_token', 'accessToken', 'data.token'];

/** The tokens at these paths, by the path. */
function tokensAt(body: unknown, paths: readonly string[]): Map<string, string> {
  const found = paths.flatMap((path): [string, string][] => {
    const value = getAt(body, path);
    return typeof value === 'string' && value.trim() !== '' ? [[path, value.trim()]] : [];
  });
  return new Map(found);
}

const MOST_NAMES = 20;
const LONGEST_NAME = 40;

/** The paths of the fields of a body, never their values, which may be secrets. */
function fieldNames(body: unknown, depth = 3): string[] {
  if (!isRecord(body) || depth === 0) return [];
  return Object.entries(body).flatMap(([key, value]) => {
    const name = key.slice(0, LONGEST_NAME);
    const inner = fieldNames(value, depth - 1).map(field => `${name}.${field}`);
    return inner.length > 0 ? inner : [name];
  });
}

/** A good answer, as it came: the credentials of the client may be a part of the token. */
function checkedResponse(
  exchange: Exchange,
  redactor: Redactor,
  refused: (code: FailureCode, why: string) => Failure,
): ServiceResponse {
  if (exchange.kind === 'none') throw refused('unavailable', `no answer: ${exchange.fault}`);
  const { status, fault } = exchange;
  if (!isSuccess(status)) {
    const code = codeOfStatus(status);
    const words = responseMessage(withoutSecrets(exchange, redactor));
    const why = `answered ${status}${words === '' ? '' : `: ${words}`}`;
    const isRefusal = code !== 'rate_limited' && code !== 'unavailable';
    throw refused(
      isRefusal ? 'unauthorized' : code,
      isRefusal ? `${why}. The client headers of the profile, or the address, are not accepted` : why,
    );
  }
  if (fault !== undefined) throw refused('unavailable', `answered ${status}, but not completely: ${fault}`);
  return exchange;
}

/** Until when a token may be used, from its lifetime in seconds or its end as a date; `undefined` for nonsense. */
function endOf(given: unknown, now: number): number | undefined {
  const seconds = Number(given);
  const life = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(given)) - now;
  return given !== null && life > 0 ? now + Math.max(life - MARGIN_MS, life / 2) : undefined;
}
