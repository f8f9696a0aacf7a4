// The credential of a session: stored, printed by a program, or fetched.
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Credentials, createTokens, renewable, type TokenSource } from '../http/credentials.ts';
import type { TokenRequest } from '../http/token.ts';
import type { Transport } from '../http/transport.ts';
import { cachedToken, cacheToken } from '../profile/cached-token.ts';
import { tokenPrinted } from '../profile/secret-program.ts';
import { headersOf, tokenInFile, valuesOf } from '../profile/secrets.ts';
import type { Source } from '../profile/store.ts';
import { type PresentedCredential, type Target, tokenUrl } from '../profile/target.ts';

/** What the session gives for fetching a token. */
export interface Means extends Pick<TokenRequest, 'timeout' | 'retries' | 'agent' | 'requestIds' | 'watch'> {
  transport: Transport;
  /** Writes a note for a person. */
  note(text: string): void;
}

/**
 * Makes the credential of each call; `undefined` if there is none. A stored credential is read at once, so that a missing
 * secret is an error before anything begins. Throws `unauthorized`.
 */
export function credentialsOf(
  target: Target,
  base: URL,
  means: Means,
  host: Host,
): (() => Credentials) | undefined {
  const { credentials, from, sources } = target;
  const source = sources.credentials;
  if (from === 'demo') return () => ({ source, headers: async () => ({ authorization: 'Bearer demo' }) });
  if (credentials === undefined) return undefined;
  const { stored } = credentials;
  if (stored.kind === 'token' || stored.kind === 'headers') {
    const headers = headersOf({ ...credentials, stored }, host);
    return () => ({ source, headers: async () => headers });
  }
  const tokens = createTokens(tokenSource(target, credentials, base, means, host), host.now);
  const also = 'also' in stored && stored.also ? { also: stored.also } : {};
  const present = (token: string) =>
    headersOf({ ...credentials, stored: { kind: 'token', token, ...also } }, host);
  const fetchedWith = stored.kind === 'url' ? readableValues(stored.headers, host) : {};
  return () => ({ ...renewable(source, tokens, present), fetchedWith });
}

/** Those of the headers that can be read now. None is needed while a saved token is good. */
const readableValues = (headers: Readonly<Record<string, Source>>, host: Host): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(headers).map(([name, source]) => {
      try {
        return valuesOf({ [name]: source }, host);
      } catch {
        return {};
      }
    }),
  );

/** Reads what is stored without sending anything or running a program. Throws `unauthorized`. */
export function refuseUnpresentable(presented: PresentedCredential, host: Host): void {
  const { stored } = presented;
  if (stored.kind === 'file') tokenInFile(stored.file, host);
  else if (stored.kind === 'token' || stored.kind === 'headers') headersOf({ ...presented, stored }, host);
  else valuesOf({ ...stored.also, ...(stored.kind === 'url' && stored.headers) }, host);
}

function tokenSource(
  { name = '', profile, sources }: Target,
  { stored }: PresentedCredential,
  base: URL,
  means: Means,
  host: Host,
): TokenSource {
  if (stored.kind === 'command')
    return {
      fetch: async () => ({ token: await tokenPrinted(stored.command, name, means.note, host) }),
    };
  if (stored.kind === 'file') {
    // A pipe can be read only once, and a token is read again only after it is refused.
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
  const { transport, note, ...request } = means;
  return {
    async fetch() {
      const { fetchToken } = await import('../http/token.ts');
      return fetchToken(
        transport,
        {
          ...request,
          source: sources.credentials,
          url,
          headers: valuesOf(stored.headers, host),
          tokenField: profile.tokenField,
          expiryField: profile.expiryField ?? 'expires_in',
        },
        host,
      );
    },
    saved: () => cachedToken(host, owner),
    save: token =>
      cacheToken(host, owner, token).catch((error: unknown) =>
        note(`the token could not be saved for the next command: ${messageOf(error)}`),
      ),
  };
}
