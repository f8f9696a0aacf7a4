/** Where the headers that prove who we are come from. They are fetched late, so that nothing holds them. */
export interface Credentials {
  /** For messages: `WAYBILL_TOKEN`, `profile live`. */
  source: string;
  /** Lower-case names; values are secrets. */
  headers(): Promise<Record<string, string>>;
  /** Drops what was kept, so that `headers` fetches anew; absent where there is nothing to renew. */
  renew?(): void;
}

/** A token, and until when it may be used (ms since 1970; left out: until it is refused). */
export interface Token {
  token: string;
  until?: number;
}

export interface TokenSource {
  fetch(): Promise<Token>;
  /** The one that an earlier process left. */
  kept?(): Token | undefined;
  /** Leaves one for the next process. */
  keep?(token: Token): Promise<void>;
}

export interface Tokens {
  /** One that may be used; whoever asks while it is fetched waits for the same one. Throws what `fetch` throws. */
  current(): Promise<string>;
  /** Not used again, unless it is what is fetched next. */
  refuse(token: string): void;
}

export function createTokens(source: TokenSource, now: () => number): Tokens {
  const refused = new Set<string>();
  let held: Token | undefined;
  let fetching: Promise<Token> | undefined;
  const isGood = (found: Token | undefined): found is Token =>
    found !== undefined && !refused.has(found.token) && (found.until === undefined || found.until > now());

  async function fetched(): Promise<Token> {
    try {
      held = await source.fetch();
      await source.keep?.(held);
      return held;
    } finally {
      fetching = undefined;
    }
  }

  return {
    async current() {
      if (!fetching && !isGood(held)) {
        const kept = source.kept?.();
        if (isGood(kept)) held = kept;
        else fetching = fetched();
      }
      return (fetching ? await fetching : held)?.token ?? '';
    },
    refuse: token => void refused.add(token),
  };
}

/** The credential of one call: what is refused is the token that this call was sent with, and not a newer one. */
export function renewable(
  source: string,
  tokens: Tokens,
  present: (token: string) => Record<string, string>,
): Credentials {
  let used = '';
  return {
    source,
    async headers() {
      used = await tokens.current();
      return present(used);
    },
    renew: () => tokens.refuse(used),
  };
}
