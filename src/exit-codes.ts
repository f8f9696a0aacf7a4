// Every way a command can fail: its exit code, and whether to run it again.

/**
 * Whether to run the same command again. `same`: it is safe, and may do what is left. `after-change`: after a change of the input, the
 * credentials, or what the message names.
 */
export const RETRY_ADVICE = ['same', 'later', 'after-change', 'never'] as const;
export type RetryAdvice = (typeof RETRY_ADVICE)[number];

/**
 * The table of exit codes: every way a command can fail. docs/reference.md shows it. `retry`: the advice, if the failure itself gives
 * none.
 */
export const FAILURES = {
  internal: { exit: 1, retry: 'never', description: 'internal error' },
  usage: { exit: 2, retry: 'after-change', description: 'wrong command line; nothing was sent' },
  invalid_request: { exit: 2, retry: 'after-change', description: 'invalid input; nothing was sent' },
  sandbox_unavailable: {
    exit: 2,
    retry: 'after-change',
    description: 'there is no sandbox for this; nothing was sent',
  },
  duplicate: { exit: 2, retry: 'never', description: 'already booked; nothing was sent' },
  held: {
    exit: 2,
    retry: 'after-change',
    description: 'a rule keeps the order back; nothing was sent',
  },
  unauthorized: {
    exit: 3,
    retry: 'after-change',
    description: 'no credentials, or the service refused them (401, 403)',
  },
  not_found: {
    exit: 4,
    retry: 'after-change',
    description: 'the service does not know it (404), or no carrier matches',
  },
  rejected: { exit: 5, retry: 'after-change', description: 'the service rejected it; nothing was created' },
  rate_limited: { exit: 6, retry: 'later', description: 'too many requests (429), also after the retries' },
  unavailable: {
    exit: 7,
    retry: 'later',
    description: 'no answer, or an answer that cannot be read; nothing was created',
  },
  outcome_unknown: {
    exit: 8,
    retry: 'never',
    description: 'a booking was sent, but no conclusive answer came: it may exist',
  },
  partial: {
    exit: 9,
    retry: 'never',
    description: 'a part failed, the rest is done; the message says what to do',
  },
  storage: {
    exit: 10,
    retry: 'after-change',
    description: 'the journal, the config or a file cannot be read or written',
  },
  over_price: {
    exit: 11,
    retry: 'never',
    description:
      'booked, but above --max-price, or in another currency; `waybill history accept REF` accepts it',
  },
  over_budget: {
    exit: 12,
    retry: 'after-change',
    description:
      'a limit of the profile would be passed, or no price is known to hold it against; nothing was booked',
  },
  interrupted: { exit: 130, retry: 'same', description: 'stopped by SIGINT (SIGTERM: 143, SIGHUP: 129)' },
} as const satisfies Record<string, { exit: number; retry: RetryAdvice; description: string }>;

export type FailureCode = keyof typeof FAILURES;

/** After these failures the same command sends a rejected booking again, because the service did not look at the order itself. */
export const NOT_FINAL: ReadonlySet<FailureCode> = new Set(['unauthorized', 'rate_limited']);
