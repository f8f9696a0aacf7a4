// Faults of the system, for the start too, which loads no sentences of ours.

/** The message of anything thrown; of a fault of the system without its call and its path: `no space left on device (ENOSPC)`. */
export const messageOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const [, words] = /^(?:listen )?E[A-Z0-9]+: ([^,]+?)(?:, \w+.*| \S*:\d+)?$/s.exec(message) ?? [];
  const code = systemCode(error);
  return words === undefined || code === undefined ? message : `${words} (${code})`;
};

/** The system's code (`ENOENT`, …) of anything thrown. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
