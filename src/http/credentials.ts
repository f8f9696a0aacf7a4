/** Where the headers that prove who we are come from. They are fetched late, so that nothing holds them. */
export interface Credentials {
  /** For messages: `WAYBILL_TOKEN`, `profile live`. */
  source: string;
  /** Lower-case names; values are secrets. */
  headers(): Promise<Record<string, string>>;
  /** Drops what was kept, so that `headers` fetches anew; absent where there is nothing to renew. */
  renew?(): void;
}
