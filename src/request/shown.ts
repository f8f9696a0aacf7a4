const MOST = 60;

/** What was given, for a message about it: as JSON, and not all of what is long. */
export function shown(given: unknown): string {
  return shortened(typeof given === 'number' ? String(given) : (JSON.stringify(given) ?? String(given)));
}

/** The beginning of what is long. */
export const shortened = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);
