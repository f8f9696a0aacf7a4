import { shortened } from '../errors.ts';

/** What was given, for a message about it: as JSON, and not all of what is long. */
export const shown = (given: unknown): string =>
  shortened(typeof given === 'number' ? String(given) : (JSON.stringify(given) ?? String(given)));
