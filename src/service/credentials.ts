// What a request is sent with: a credential that is stored, printed by a program, or fetched; and certificates.
import { getAt, isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import { createRedactor, type Redactor } from '../mask.ts';
import { setting } from '../profile/environment.ts';
import {
  cachedToken,
  cacheToken,
  credentialHeaders,
  fetchMark,
  headerValues,
  secretVariables,
  tokenInFile,
  tokenPrinted,
} from '../profile/secrets.ts';
import type { KeptToken, SecretSource } from '../profile/store.ts';
import { type PresentedCredential, type Target, tokenUrl } from '../profile/target.ts';
import type { Notice } from '../say/notices.ts';
import type { TokenFault } from '../say/service.ts';
import { messageOf } from '../system-errors.ts';
import { codeOfStatus, type Exchange, isSuccess, responseMessage, withoutSecrets } from './response.ts';
import type { CertificateFiles, NamedFile, SecureContexts } from './tls.ts';

/** A credential, as headers. The headers are made only when they are sent, so that nothing keeps them. */
export interface Credentials {
  /** Where the credential comes from, for messages: `WAYBILL_TOKEN`, `profile live`. */
  source: string;
  /** The headers by lower-case names; the values are secrets. */
  headers(): Promise<Record<string, string>>;
  /** The headers with which the tokens of this credential are fetched. They are secrets, too, which the service may repeat. */
  fetchedWith?: Readonly<Record<string, string>>;
  /**
   * Fetches another token in place of the present one. False if it is the same token, which would be refused again. Absent if
   * nothing can be renewed. Throws what fetching throws.
   */
  renew?(): Promise<boolean>;
}

interface TokenSource {
  fetch(): Promise<KeptToken>;
  /** The token that an earlier process saved. */
  saved?(): KeptToken | undefined;
  /** Saves a token for the next process. */
  save?(token: KeptToken): Promise<void>;
}

/** Asks for a token with these headers, and asks again where that is useful. */
export type Post = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
) => Promise<Exchange>;

/** What fetching a token needs beside the target. */
interface TokenMeans {
  post: Post;
  /** True if the command writes nothing: then a fetched token is not saved. */
  isLooking: boolean;
  /** Writes a note for a person. */
  note(notice: Notice): Promise<void>;
}

/**
 * Gives a function that makes the credential of each call; `undefined` if the target has no credential. A stored credential is
 * read at once, so that a missing secret is an error before anything begins. Throws `unauthorized`.
 */
export function credentialsOf(
  target: Target,
  base: URL,
  means: TokenMeans,
  host: Host,
): (() => Credentials) | undefined {
  const { credentials, from, sources } = target;
  const source = sources.credentials;
  if (from === 'demo') return () => ({ source, headers: async () => ({ authorization: 'Bearer demo' }) });
  if (credentials === undefined) return undefined;
  const { stored } = credentials;
  if (stored.kind === 'token' || stored.kind === 'headers') {
    const headers = credentialHeaders({ ...credentials, stored }, host);
    return () => ({ source, headers: async () => headers });
  }
  const also = 'also' in stored && stored.also ? { also: stored.also } : {};
  const headersWith = (token: string) =>
    credentialHeaders({ ...credentials, stored: { kind: 'token', token, ...also } }, host);
  const renewable = renewableCredentials(
    tokenSource(target, credentials, base, means, host),
    headersWith,
    host,
  );
  const fetchedWith = stored.kind === 'url' ? readableValues(stored.headers, host) : {};
  return () => ({ source, ...renewable(), fetchedWith });
}

/** The values of the headers that can be read now. The others are left out: while a saved token is good, no header is needed. */
const readableValues = (
  headers: Readonly<Record<string, SecretSource>>,
  host: Host,
): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(headers).map(([name, source]) => {
      try {
        return headerValues({ [name]: source }, host);
      } catch {
        return {};
      }
    }),
  );

/** Reads what is stored without sending anything or running a program. Throws `unauthorized`. */
export function refuseUnpresentable(presented: PresentedCredential, host: Host): void {
  const { stored } = presented;
  if (stored.kind === 'file') tokenInFile(stored.file, host);
  else if (stored.kind === 'token' || stored.kind === 'headers')
    credentialHeaders({ ...presented, stored }, host);
  else headerValues({ ...stored.also, ...(stored.kind === 'url' && stored.headers) }, host);
}

function tokenSource(
  target: Target,
  { stored }: PresentedCredential,
  base: URL,
  { post, note, isLooking }: TokenMeans,
  host: Host,
): TokenSource {
  const { name = '', profile } = target;
  if (stored.kind === 'command')
    return {
      fetch: async () => ({
        token: await tokenPrinted(stored.command, name, line => void note({ kind: 'program-said', line }), {
          ...host,
          without: secretVariables(profile),
        }),
      }),
    };
  if (stored.kind === 'file') {
    // The token is read here, because a pipe can be read only once. The file is read again only after the token was refused.
    let first: string | undefined = tokenInFile(stored.file, host);
    return {
      async fetch() {
        const token = first ?? tokenInFile(stored.file, host);
        first = undefined;
        return { token };
      },
    };
  }
  if (stored.kind !== 'url') throw new Error('this credential is not a source of tokens');
  const owner = { profile: name, address: base.href, stored };
  const url = tokenUrl(stored.url, base);
  return {
    fetch: () => fetchToken(target, url, headerValues(stored.headers, host), post, host),
    saved: () => cachedToken(host, owner),
    ...(!isLooking && {
      save: token =>
        cacheToken(host, owner, token).catch((error: unknown) =>
          note({ kind: 'token-not-saved', why: messageOf(error) }),
        ),
    }),
  };
}

/**
 * Gives a function that makes the credential of each call from a token that is fetched once for all calls. A renewal gives up
 * the token that its call was sent with, and not a newer token.
 */
export function renewableCredentials(
  source: TokenSource,
  headersWith: (token: string) => Record<string, string>,
  host: Pick<Host, 'now'>,
): () => Required<Pick<Credentials, 'headers' | 'renew'>> {
  const refused = new Set<string>();
  let held: KeptToken | undefined;
  let fetching: Promise<KeptToken> | undefined;
  const isGood = (kept: KeptToken | undefined): kept is KeptToken =>
    kept !== undefined && !refused.has(kept.token) && (kept.until === undefined || kept.until > host.now());

  async function fetched(): Promise<KeptToken> {
    try {
      held = await source.fetch();
      await source.save?.(held);
      return held;
    } finally {
      fetching = undefined;
    }
  }

  /** A token that may be used; concurrent calls wait for the same token. Throws what `fetch` throws. */
  async function current(): Promise<string> {
    if (!fetching && !isGood(held)) {
      const saved = source.saved?.();
      if (isGood(saved)) held = saved;
      else fetching = fetched();
    }
    return (fetching ? await fetching : held)?.token ?? '';
  }

  return () => {
    let used = '';
    return {
      async headers() {
        used = await current();
        return headersWith(used);
      },
      async renew() {
        const before = used;
        refused.add(before);
        used = await current();
        return used !== before;
      },
    };
  };
}

// Tokens that are fetched with a credential of the profile.

/** A token is not used in the last minute of its life, nor in the second half of a life that is shorter. */
const MARGIN_MS = 60_000;

/** The paths where services put the token, if the profile names no path. */
const USUAL_PATHS = ['token', 'access_token', 'accessToken', 'data.token'];

const MOST_NAMES = 20;
const LONGEST_NAME = 40;

/** Fetches a token by POST. Throws `unauthorized` if the token is refused, `rate_limited`, `unavailable`, `interrupted`. */
async function fetchToken(
  target: Target,
  url: URL,
  headers: Readonly<Record<string, string>>,
  post: Post,
  host: Pick<Host, 'now' | 'interrupted'>,
): Promise<KeptToken> {
  const redactor = createRedactor(headers);
  const exchange = await post(url, headers, redactor);
  stopIfInterrupted(host);
  const refuse = (code: FailureCode, fault: TokenFault) =>
    new Failure(
      code,
      { kind: 'token-not-fetched', source: target.sources.credentials, url: url.href, ...fault },
      exchange.kind === 'answer' ? { httpStatus: exchange.status } : {},
    );
  if (exchange.kind === 'none') throw refuse('unavailable', { fault: 'no-answer', why: exchange.fault });
  const { status, fault } = exchange;
  const masked = withoutSecrets(exchange, redactor);
  if (!isSuccess(status)) {
    const code = codeOfStatus(status);
    const answer = { status, message: responseMessage(masked) };
    if (code === 'rate_limited' || code === 'unavailable') throw refuse(code, { fault: 'failed', ...answer });
    throw refuse('unauthorized', { fault: 'refused', ...answer });
  }
  if (fault !== undefined) throw refuse('unavailable', { fault: 'incomplete', status, why: fault });
  // The unmasked body: the credentials of the client may be a part of the token.
  const { body } = exchange;
  const paths = target.profile.tokenField === undefined ? USUAL_PATHS : [target.profile.tokenField];
  const found = paths.flatMap(path => {
    const value = getAt(body, path);
    return typeof value === 'string' && value.trim() !== '' ? [{ path, token: value.trim() }] : [];
  });
  const [token, ...others] = new Set(found.map(field => field.token));
  const fields = () => fieldNames(masked.body).slice(0, MOST_NAMES);
  if (token === undefined)
    throw refuse('unavailable', { fault: 'no-token', status, paths, fields: fields() });
  if (others.length > 0) {
    const different = found.map(({ path }) => path);
    throw refuse('unavailable', { fault: 'several-tokens', status, paths: different, fields: fields() });
  }
  const until = tokenEnd(getAt(body, target.profile.expiryField ?? 'expires_in'), host.now());
  return { token, ...(until !== undefined && { until }), fetchedBy: fetchMark(token, headers) };
}

/** The paths of the fields in a body, without their values, which may be secrets. */
function fieldNames(body: unknown, depth = 3): string[] {
  if (!isRecord(body) || depth === 0) return [];
  return Object.entries(body).flatMap(([key, value]) => {
    const name = key.slice(0, LONGEST_NAME);
    const inner = fieldNames(value, depth - 1).map(field => `${name}.${field}`);
    return inner.length > 0 ? inner : [name];
  });
}

/** The time until which a token may be used, from its lifetime in seconds or its end as a date; `undefined` for nonsense. */
function tokenEnd(expiry: unknown, now: number): number | undefined {
  const seconds = Number(expiry);
  const life = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(expiry)) - now;
  return expiry !== null && life > 0 ? now + Math.max(life - MARGIN_MS, life / 2) : undefined;
}

/**
 * The files of the certificates that are trusted and shown, from flag, environment and profile, in that order. The files of
 * the profile are used only with the address of the profile. `cacert`: the file that the flag names.
 */
export function certificateFiles(
  cacert: string | undefined,
  { name, tls: { caCert, clientCert, clientKey } }: Target,
  { env }: Pick<Host, 'env'>,
): CertificateFiles {
  const file = (path: string | undefined, source: string): NamedFile | undefined =>
    path === undefined ? undefined : { path, by: source };
  return {
    authority:
      file(cacert, '--cacert') ??
      file(setting(env, 'WAYBILL_CACERT'), 'WAYBILL_CACERT') ??
      file(caCert, `caCert of profile ${name}`),
    cert: file(clientCert, `clientCert of profile ${name}`),
    key: file(clientKey, `clientKey of profile ${name}`),
  };
}

/** Reads the files of the certificates; `undefined` if no file is named. Throws `storage`, `usage`. */
export async function certificatesOf(
  cacert: string | undefined,
  target: Target,
  host: Pick<Host, 'env' | 'cwd'>,
): Promise<SecureContexts | undefined> {
  const files = certificateFiles(cacert, target, host);
  if (!files.authority && !files.cert && !files.key) return undefined;
  // Loaded only here, because few runs have certificates.
  const { secureContexts } = await import('./tls.ts');
  return secureContexts(files, host);
}
