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
    const distance = lettersBetween(wanted, word.toLowerCase());
    if (distance > least) continue;
    best = distance < least ? [word] : [...best, word];
    least = distance;
  }
  return best;
}

/** The first of them. */
export const nearest = (given: string, words: Iterable<string>, most?: number): string | undefined =>
  allNearest(given, words, most)[0];

/** How many letters must be added, removed or changed to make one text of the other (Levenshtein). */
function lettersBetween(one: string, other: string): number {
  // For the letters of `one` so far: how far they are from each beginning of `other`.
  let distances = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [row, letter] of one.split('').entries()) {
    const next = [row + 1];
    for (const [at, distance] of distances.slice(0, -1).entries()) {
      const changed = distance + (letter === other[at] ? 0 : 1);
      next.push(Math.min(changed, (distances[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    distances = next;
  }
  return distances.at(-1) ?? 0;
}

/** ` (did you mean ship?)`, to be put behind a word that is none of these; empty if none of them is near. */
export function didYouMean(given: string, words: Iterable<string>): string {
  const guess = nearest(given, words);
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}
