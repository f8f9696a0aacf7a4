/** A word that may stand at the cursor. */
export interface Candidate {
  /** The whole word, not quoted for a shell. */
  value: string;
  /** Its meaning, for people. */
  description?: string;
  /** The word is not complete with it: no blank follows. */
  continues?: boolean;
}

/** The answer to a shell. */
export interface Reply {
  candidates: readonly Candidate[];
  /** What the shell itself offers if there are no candidates. */
  fallback?: 'files' | 'folders';
  /** The beginning of the word that is not part of a file name: `--file=`. */
  head: string;
}

/** How a shell asks for completion, and how it is answered. */
export interface Shell {
  /** The script for the shell, with comments that explain how to install it. */
  script: string;
  /**
   * The words after `waybill`, the last one being typed, from the arguments of the script. `undefined` if the file of a
   * redirection is being typed.
   */
  read(args: readonly string[]): readonly string[] | undefined;
  /** The answer in the form that the script reads. */
  write(reply: Reply, args: readonly string[]): string;
}

export const NO_CANDIDATES: Reply = { candidates: [], head: '' };

/** The lines of an answer. */
export const asLines = (...lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/**
 * The first line of an answer, before the candidates: what to offer if there are none, whether a blank follows, whether
 * the candidates begin with `word` or are only meant by it, and the head.
 */
export const directive = ({ candidates, fallback, head }: Reply, word: string): string =>
  [
    fallback ?? 'none',
    candidates.length > 0 && candidates.every(({ continues }) => continues) ? 'nospace' : 'space',
    candidates.every(({ value }) => startsWith(value, word)) ? 'begun' : 'meant',
    head,
  ].join('\t');

/** Upper and lower case are the same. */
export const startsWith = (value: string, prefix: string): boolean =>
  value.toLowerCase().startsWith(prefix.toLowerCase());

/** Those of the words that begin with the typed one. */
export const startingWith = (prefix: string, words: readonly (string | Candidate)[]): Candidate[] =>
  words
    .map(word => (typeof word === 'string' ? { value: word } : word))
    .filter(({ value }) => startsWith(value, prefix));

export const described = (descriptions: Readonly<Record<string, string>>): Candidate[] =>
  Object.entries(descriptions).map(([value, description]) => ({ value, description }));
