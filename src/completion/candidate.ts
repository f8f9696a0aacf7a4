/** Something that may stand where the cursor is. */
export interface Candidate {
  /** The whole word as data: no shell has quoted it. */
  value: string;
  /** What it is, for people. */
  description?: string;
  /** The word is not over with it: no blank follows. */
  goesOn?: boolean;
}

/** What is told to a shell. */
export interface Reply {
  candidates: readonly Candidate[];
  /** What the shell looks for itself where there are no candidates. */
  otherwise?: 'files' | 'folders';
  /** Of the word, what no name of a file begins with: `--file=`. */
  head: string;
}

export const NOTHING: Reply = { candidates: [], head: '' };

/** No blank is to follow what is put in. */
export const goesOn = ({ candidates }: Reply): boolean =>
  candidates.length > 0 && candidates.every(candidate => candidate.goesOn === true);

/**
 * The first line of an answer, in which no candidate can stand: what to look for where there are none, whether a blank
 * follows, whether candidates begin as `word` does or are only meant by it, and the head.
 */
export const directive = (reply: Reply, word: string): string =>
  [
    reply.otherwise ?? 'none',
    goesOn(reply) ? 'nospace' : 'space',
    reply.candidates.every(({ value }) => begins(value, word)) ? 'begun' : 'meant',
    reply.head,
  ].join('\t');

/** Whatever the case. */
export const begins = (value: string, prefix: string): boolean =>
  value.toLowerCase().startsWith(prefix.toLowerCase());

export const begun = (prefix: string, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }) => begins(value, prefix));
