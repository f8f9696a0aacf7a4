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

/** What may go wrong, and what the caller sees. A number is a status: it is the answer, and nothing is done. */
export const FAULTS: Readonly<Record<string, string>> = {
  delay: 'the answer comes 1 to 5 seconds later',
  'reset-before': 'the connection breaks before anything is done',
  'reset-after': 'the request is carried out, but the connection breaks without an answer',
  truncate: 'the request is carried out, but the connection breaks in the middle of the answer',
  html: 'the request is carried out, but the answer is an HTML page',
  'label-international': 'the label of the international leg is not made',
  'label-domestic': 'the label of the domestic leg is not made',
};

export interface Fault {
  /** A name of FAULTS, or a status number. */
  kind: string | number;
  /** From 0 (never) to 1 (always). */
  probability: number;
}

/** Parses `KIND:PROBABILITY`, such as `500:0.2` or `reset-after:1`. */
export function parseFault(written: string): Fault {
  const [kind = '', chance = '', ...rest] = written.split(':');
  const status = /^[2-5]\d\d$/.test(kind) ? Number(kind) : undefined;
  const probability = /^(\d+(\.\d*)?|\.\d+)$/.test(chance) ? Number(chance) : Number.NaN;
  if (rest.length > 0 || (status === undefined && !Object.hasOwn(FAULTS, kind)) || !(probability <= 1))
    throw new Error(
      `A fault is KIND:PROBABILITY, with a probability from 0 to 1, not ${JSON.stringify(written)}. ` +
        `Kinds: ${Object.keys(FAULTS).join(', ')}, or a status from 200 to 599.`,
    );
  return { kind: status ?? kind, probability };
}

/** The faults of one request. Every fault takes one random number, so that a seed gives the same faults again. */
export function drawFaults(faults: readonly Fault[], random: () => number): ReadonlySet<string | number> {
  return new Set(faults.filter(fault => random() < fault.probability).map(fault => fault.kind));
}

/** Numbers from 0 up to but not including 1, always the same for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
