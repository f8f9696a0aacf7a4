import leven from 'leven';

/** The word that was probably meant: the nearest one, if at most `most` letters differ. */
export function nearest(
  given: string,
  words: Iterable<string>,
  most = Math.max(1, Math.floor(given.length / 3)),
): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = most + 1;
  for (const word of words) {
    // No text is nearer than the difference in length, and measuring takes time with both lengths.
    if (Math.abs(word.length - given.length) >= least) continue;
    const distance = leven(wanted, word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** ` (did you mean ship?)`, to be put behind a word that is none of these; empty if none of them is near. */
export function didYouMean(given: string, words: Iterable<string>): string {
  const guess = nearest(given, words);
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}
