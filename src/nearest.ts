import { distance } from 'fastest-levenshtein';

/** The words that were probably meant: all words that are nearest to what was written, if at most `most` letters differ. */
export function allNearest(
  written: string,
  words: Iterable<string>,
  most = Math.max(1, Math.floor(written.length / 3)),
): string[] {
  const wanted = written.toLowerCase();
  let best: string[] = [];
  let least = most;
  for (const word of words) {
    // Two words differ in at least as many letters as their lengths do; so the slow measuring is left out here.
    if (Math.abs(word.length - written.length) > least) continue;
    const letters = distance(wanted, word.toLowerCase());
    if (letters > least) continue;
    best = letters < least ? [word] : [...best, word];
    least = letters;
  }
  return best;
}

/** The first word that was probably meant. */
export const nearest = (written: string, words: Iterable<string>, most?: number): string | undefined =>
  allNearest(written, words, most)[0];

/** ` (did you mean ship?)`, to be put behind a word that is not one of `words`; empty if no word is near. */
export const didYouMean = (written: string, words: Iterable<string>): string =>
  meantWords(nearest(written, words));

/** ` (did you mean ship?)`, for the word that was meant; empty if there is none. */
export const meantWords = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${meant}?)`;
