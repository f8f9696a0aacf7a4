import { distance } from 'fastest-levenshtein';

/** The words that were probably meant: all that are nearest, if at most `most` letters differ. */
export function allNearest(
  given: string,
  words: Iterable<string>,
  most = Math.max(1, Math.floor(given.length / 3)),
): string[] {
  const wanted = given.toLowerCase();
  let best: string[] = [];
  let least = most;
  for (const word of words) {
    // No text is nearer than the difference in length, and measuring takes time with both lengths.
    if (Math.abs(word.length - given.length) > least) continue;
    const letters = distance(wanted, word.toLowerCase());
    if (letters > least) continue;
    best = letters < least ? [word] : [...best, word];
    least = letters;
  }
  return best;
}

/** The first of them. */
export const nearest = (given: string, words: Iterable<string>, most?: number): string | undefined =>
  allNearest(given, words, most)[0];

/** ` (did you mean ship?)`, to be put behind a word that is not one of these; empty if none is near. */
export const didYouMean = (given: string, words: Iterable<string>): string =>
  meantWords(nearest(given, words));

/** ` (did you mean ship?)`, for the word that was meant; empty if there is none. */
export const meantWords = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${meant}?)`;
