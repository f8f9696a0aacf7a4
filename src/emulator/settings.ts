import { OPERATIONS, type OperationId } from '../contract/operations.ts';

// Tokens and scopes. §5 names two scopes, and says neither how a credential is sent, nor where tokens come from.

/** The scopes of a token; `all` if the token was given without a list of scopes. */
export type Scopes = ReadonlySet<string> | 'all';
export type Tokens = ReadonlyMap<string, Scopes>;

export const DEFAULT_TOKENS: Tokens = new Map([['demo', 'all']]);

/**
 * Parses `TOKEN` or `TOKEN:SCOPE,SCOPE`. Only the first colon separates, because scopes contain colons. `TOKEN:` is a token without any
 * scope: it may only read.
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
 * The token that a request sends, and its scopes. It may be in any header, alone or behind one word (`Bearer demo`), because the document
 * shows neither header nor scheme (§5).
 */
export function grantOf(headers: Readonly<Record<string, string>>, tokens: Tokens): Grant | undefined {
  for (const value of Object.values(headers)) {
    const token = value.trim().replace(/^\S+\s+(?=\S+$)/, '');
    const scopes = tokens.get(token);
    if (scopes) return { token, scopes };
  }
  return undefined;
}

/** Has the token of a request this scope? */
export const isAllowed = (credential: Grant | undefined, scope: string): boolean =>
  credential?.scopes === 'all' || credential?.scopes.has(scope) === true;

/** The faults that may happen, and what the caller sees. A fault that is a number is answered as the status, and nothing else is done. */
export const FAULTS: Readonly<Record<string, string>> = {
  delay: 'the answer comes 1 to 5 seconds later',
  'reset-before': 'the connection breaks before anything is done',
  'reset-after': 'the request is carried out, but the connection breaks without an answer',
  truncate: 'the request is carried out, but the connection breaks in the middle of the answer',
  html: 'the request is carried out, but the answer is an HTML page',
  'label-international': 'the label of the international leg is not made',
  'label-domestic': 'the label of the domestic leg is not made',
};

/** The faults in FAULTS after which a client has no answer that it can read. */
export const TAKE_THE_ANSWER = ['reset-before', 'reset-after', 'truncate', 'html'] as const;

export interface Fault {
  /** The name of a fault in FAULTS, or a status number. */
  kind: string | number;
  /** How often the fault happens: from 0 (never) to 1 (always). */
  probability: number;
  /** The fault happens only to that many requests, the first ones. */
  first?: number;
  /** The fault happens only to requests of these operations. */
  operations?: readonly OperationId[];
}

/** Parses `KIND:PROBABILITY` or `KIND:firstN`, and an operation behind it: `500:0.2`, `reset-after:first1@createShipment`. */
export function parseFault(written: string): Fault {
  const [fault = '', name, ...more] = written.split('@');
  const [kind = '', chance = '', ...rest] = fault.split(':');
  const status = /^[2-5]\d\d$/.test(kind) ? Number(kind) : undefined;
  const first = /^first([1-9]\d*)$/.exec(chance)?.[1];
  const probability = first ? 1 : /^(\d+(\.\d*)?|\.\d+)$/.test(chance) ? Number(chance) : Number.NaN;
  const isKnown = status !== undefined || Object.hasOwn(FAULTS, kind);
  if (rest.length + more.length > 0 || !isKnown || !(probability <= 1))
    throw new Error(
      `A fault is KIND:PROBABILITY, with a probability from 0 to 1, or KIND:firstN, each with @OPERATION behind it or without, not ${JSON.stringify(written)}. ` +
        `Kinds: ${Object.keys(FAULTS).join(', ')}, or a status from 200 to 599.`,
    );
  return {
    kind: status ?? kind,
    probability,
    ...(first && { first: Number(first) }),
    ...(name !== undefined && { operations: operationsNamed(name) }),
  };
}

/** The operations with a name: that of the service document (`createShipment`), or that of the command (`ship`). */
function operationsNamed(name: string): OperationId[] {
  const rows = Object.values(OPERATIONS);
  const named = rows.filter(({ id, command }) => name === id || name === command).map(({ id }) => id);
  if (named.length > 0) return named;
  const names = rows.map(({ id, command }) => `${id} (${command})`).join(', ');
  throw new Error(`There is no operation ${JSON.stringify(name)} for a fault. Operations: ${names}.`);
}

export type Struck = ReadonlySet<Fault['kind']>;

/**
 * Draws the faults of one request after the other. Every fault takes one random number for every request, so that the same seed gives the
 * same faults.
 */
export function faultDrawer(
  faults: readonly Fault[],
  random: () => number,
): (operation: OperationId | undefined) => Struck {
  const counts = new Map(faults.map(fault => [fault, 0]));
  return operation => {
    const struck = faults.filter(fault => {
      const { probability, first = Number.POSITIVE_INFINITY, operations } = fault;
      const isDrawn = random() < probability;
      if (operations && !(operation && operations.includes(operation))) return false;
      const count = (counts.get(fault) ?? 0) + 1;
      counts.set(fault, count);
      return isDrawn && count <= first;
    });
    return new Set(struck.map(({ kind }) => kind));
  };
}

/** Random numbers from 0 up to but not including 1, always the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
