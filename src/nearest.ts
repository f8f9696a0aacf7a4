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
    const distance = lettersBetween(wanted, word.toLowerCase(), least);
    if (distance > least) continue;
    best = distance < least ? [word] : [...best, word];
    least = distance;
  }
  return best;
}

/** The first of them. */
export const nearest = (given: string, words: Iterable<string>, most?: number): string | undefined =>
  allNearest(given, words, most)[0];

/** How many letters must be added, removed or changed to make one text of the other; more than `most` may be any such number. */
function lettersBetween(one: string, other: string, most: number): number {
  // For the letters of `one` so far: how far they are from each beginning of `other`.
  let distances = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    let least = row;
    for (let at = 1; at <= other.length; at += 1) {
      const changed = (distances[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      const distance = Math.min(changed, (distances[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1);
      next.push(distance);
      least = Math.min(least, distance);
    }
    if (least > most) return least;
    distances = next;
  }
  return distances[other.length] ?? 0;
}

/** ` (did you mean ship?)`, to be put behind a word that is none of these; empty if none of them is near. */
export function didYouMean(given: string, words: Iterable<string>): string {
  const guess = nearest(given, words);
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}
