// §5 names two scopes. It does not say how a credential is sent, or where tokens come from.

/** The scopes of a token; `all` if it was given without a list. */
export type Scopes = ReadonlySet<string> | 'all';
export type Tokens = ReadonlyMap<string, Scopes>;

export const DEFAULT_TOKENS: Tokens = new Map([['demo', 'all']]);

/**
 * Parses `TOKEN` or `TOKEN:SCOPE,SCOPE`, split at the first colon, because scopes contain colons.
 * `TOKEN:` is a token without any scope: it may read.
 */
export function parseToken(written: string): [token: string, scopes: Scopes] {
  const colon = written.indexOf(':');
  const token = (colon < 0 ? written : written.slice(0, colon)).trim();
  if (token === '' || /\s/.test(token))
    throw new Error(`A token is TOKEN or TOKEN:SCOPE,SCOPE, without blanks, not ${JSON.stringify(written)}.`);
  if (colon < 0) return [token, 'all'];
  const scopes = written.slice(colon + 1).split(',');
  return [token, new Set(scopes.map(scope => scope.trim()).filter(scope => scope !== ''))];
}

interface Grant {
  token: string;
  scopes: Scopes;
}

/**
 * The credential of a request: any header whose value is a known token, or one word and the token (`Bearer demo`),
 * because the document shows neither header nor scheme (§5).
 */
export function credentialOf(headers: Readonly<Record<string, string>>, tokens: Tokens): Grant | undefined {
  for (const value of Object.values(headers)) {
    const token = value.trim().replace(/^\S+\s+(?=\S+$)/, '');
    const scopes = tokens.get(token);
    if (scopes) return { token, scopes };
  }
  return undefined;
}

/** Has the token of a request the scope? */
export const isAllowed = (credential: Grant | undefined, scope: string): boolean =>
  credential?.scopes === 'all' || credential?.scopes.has(scope) === true;
