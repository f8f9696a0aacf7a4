// Lower case alone: an id becomes a file name on systems that do not tell cases apart.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** `length` letters and digits, safe in URLs and file names. `random` gives 0 up to but not including 1. */
export function randomText(length: number, random: () => number): string {
  let made = '';
  while (made.length < length) made += ALPHABET.charAt(Math.floor(random() * ALPHABET.length));
  return made;
}

/** An id that is not taken yet: with a seed and a kept file, a restart would mint the same ones again. */
export function freshId(prefix: string, random: () => number, isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = `${prefix}_${randomText(16, random)}`;
    if (!isTaken(id)) return id;
  }
}
