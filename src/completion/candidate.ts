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

export const NO_CANDIDATES: Reply = { candidates: [], head: '' };

/** The lines of an answer. */
export const asLines = (...lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/** No blank follows the word. */
export const continuesWord = ({ candidates }: Reply): boolean =>
  candidates.length > 0 && candidates.every(candidate => candidate.continues === true);

/**
 * The first line of an answer, before the candidates: what to offer if there are none, whether a blank follows, whether
 * the candidates begin with `word` or are only meant by it, and the head.
 */
export const directive = (reply: Reply, word: string): string =>
  [
    reply.fallback ?? 'none',
    continuesWord(reply) ? 'nospace' : 'space',
    reply.candidates.every(({ value }) => startsWith(value, word)) ? 'begun' : 'meant',
    reply.head,
  ].join('\t');

/** Upper and lower case are the same. */
export const startsWith = (value: string, prefix: string): boolean =>
  value.toLowerCase().startsWith(prefix.toLowerCase());

export const startingWith = (prefix: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }) => startsWith(value, prefix));
