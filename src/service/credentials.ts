// What a request is sent with: a credential that is stored, printed by a program, or fetched; and certificates.
import { messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { setting } from '../profile/environment.ts';
import {
  cachedToken,
  cacheToken,
  credentialHeaders,
  headerValues,
  secretVariables,
  tokenInFile,
  tokenPrinted,
} from '../profile/secrets.ts';
import type { Source } from '../profile/store.ts';
import { type PresentedCredential, type Target, tokenUrl } from '../profile/target.ts';
import type { CertificateFiles, NamedFile, SecureContexts } from './tls.ts';
import type { Post, Token } from './token.ts';

/** The headers of a credential. They are made late, so that nothing keeps them. */
export interface Credentials {
  /** For messages: `WAYBILL_TOKEN`, `profile live`. */
  source: string;
  /** Lower-case names; values are secrets. */
  headers(): Promise<Record<string, string>>;
  /** The headers that its tokens are fetched with: secrets, too, that the service knows. */
  fetchedWith?: Readonly<Record<string, string>>;
  /**
   * Fetches another token in place of the present one, and tells if there is one: the same one is refused again. Absent if
   * nothing can be renewed. Throws what fetching throws.
   */
  renew?(): Promise<boolean>;
}

interface TokenSource {
  fetch(): Promise<Token>;
  /** The one that an earlier process saved. */
  saved?(): Token | undefined;
  /** Saves one for the next process. */
  save?(token: Token): Promise<void>;
}

/** What fetching a token needs beside the target. */
interface Means {
  post: Post;
  /** Writes a note for a person. */
  note(text: string): Promise<void>;
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
    const headers = credentialHeaders({ ...credentials, stored }, host);
    return () => ({ source, headers: async () => headers });
  }
  const tokens = createTokens(tokenSource(target, credentials, base, means, host), host.now);
  const also = 'also' in stored && stored.also ? { also: stored.also } : {};
  const present = (token: string) =>
    credentialHeaders({ ...credentials, stored: { kind: 'token', token, ...also } }, host);
  const fetchedWith = stored.kind === 'url' ? readableValues(stored.headers, host) : {};
  return () => ({ ...renewable(source, tokens, present), fetchedWith });
}

/** The values of the headers that can be read now. None is needed while a saved token is good. */
const readableValues = (headers: Readonly<Record<string, Source>>, host: Host): Record<string, string> =>
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
  { name = '', profile, sources }: Target,
  { stored }: PresentedCredential,
  base: URL,
  means: Means,
  host: Host,
): TokenSource {
  if (stored.kind === 'command')
    return {
      fetch: async () => ({
        token: await tokenPrinted(stored.command, name, means.note, {
          ...host,
          without: secretVariables(profile),
        }),
      }),
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
  return {
    async fetch() {
      const { fetchToken } = await import('./token.ts');
      return fetchToken(
        {
          source: sources.credentials,
          url,
          headers: headerValues(stored.headers, host),
          tokenField: profile.tokenField,
          expiryField: profile.expiryField ?? 'expires_in',
        },
        means.post,
        host,
      );
    },
    saved: () => cachedToken(host, owner),
    save: token =>
      cacheToken(host, owner, token).catch((error: unknown) =>
        means.note(`the token could not be saved for the next command: ${messageOf(error)}`),
      ),
  };
}

export function createTokens(source: TokenSource, now: () => number) {
  const refused = new Set<string>();
  let held: Token | undefined;
  let fetching: Promise<Token> | undefined;
  const isGood = (found: Token | undefined): found is Token =>
    found !== undefined && !refused.has(found.token) && (found.until === undefined || found.until > now());

  async function fetched(): Promise<Token> {
    try {
      held = await source.fetch();
      await source.save?.(held);
      return held;
    } finally {
      fetching = undefined;
    }
  }

  return {
    /** One that may be used; concurrent calls wait for the same one. Throws what `fetch` throws. */
    async current(): Promise<string> {
      if (!fetching && !isGood(held)) {
        const saved = source.saved?.();
        if (isGood(saved)) held = saved;
        else fetching = fetched();
      }
      return (fetching ? await fetching : held)?.token ?? '';
    },
    /** It is not used again, unless it is fetched again. */
    refuse: (token: string) => void refused.add(token),
  };
}

/** The credential of one call: a renewal refuses the token that this call was sent with, not a newer one. */
export function renewable(
  source: string,
  tokens: ReturnType<typeof createTokens>,
  present: (token: string) => Record<string, string>,
): Credentials {
  let used = '';
  return {
    source,
    async headers() {
      used = await tokens.current();
      return present(used);
    },
    async renew() {
      const refused = used;
      tokens.refuse(refused);
      used = await tokens.current();
      return used !== refused;
    },
  };
}

/**
 * The files of the certificates that are trusted and shown: by flag, environment and profile, in that order. Those of the
 * profile go only with its own address. `cacert`: of the flag.
 */
export function certificateFiles(
  cacert: string | undefined,
  { name, tls: { caCert, clientCert, clientKey } }: Target,
  { env }: Pick<Host, 'env'>,
): CertificateFiles {
  const file = (path: string | undefined, by: string): NamedFile | undefined =>
    path === undefined ? undefined : { path, by };
  const ofProfile = (path: string | undefined, key: string) => file(path, `${key} of profile ${name}`);
  return {
    authority:
      file(cacert, '--cacert') ??
      file(setting(env, 'WAYBILL_CACERT'), 'WAYBILL_CACERT') ??
      ofProfile(caCert, 'caCert'),
    cert: ofProfile(clientCert, 'clientCert'),
    key: ofProfile(clientKey, 'clientKey'),
  };
}

/** Reads the files; `undefined` if none is named. Throws `storage`, `usage`. */
export async function certificatesOf(
  cacert: string | undefined,
  target: Target,
  host: Pick<Host, 'env' | 'cwd'>,
): Promise<SecureContexts | undefined> {
  const files = certificateFiles(cacert, target, host);
  if (!files.authority && !files.cert && !files.key) return undefined;
  // Few runs need what it loads.
  const { secureContexts } = await import('./tls.ts');
  return secureContexts(files, host);
}
