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

/** A token, and until when it may be used (ms since 1970; left out: until it is refused). */
export interface Token {
  token: string;
  until?: number;
}

export interface TokenSource {
  fetch(): Promise<Token>;
  /** The one that an earlier process saved. */
  saved?(): Token | undefined;
  /** Saves one for the next process. */
  save?(token: Token): Promise<void>;
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
