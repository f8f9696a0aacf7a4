// Only lower case: an id becomes a file name, and some systems ignore case in file names.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** `length` letters and digits, safe in URLs and file names. `random` gives 0 up to but not including 1. */
export function randomText(length: number, random: () => number): string {
  let made = '';
  while (made.length < length) made += ALPHABET.charAt(Math.floor(random() * ALPHABET.length));
  return made;
}

/** An id that is not taken yet: with a seed and stored data, a restart would make the same ids again. */
export function freshId(prefix: string, random: () => number, isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = `${prefix}_${randomText(16, random)}`;
    if (!isTaken(id)) return id;
  }
}
