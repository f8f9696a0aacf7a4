// Tests of a copy without one of the wings (`npm run wings`): what a test asks of that wing fails with these words, and counts as a
// test of the wing.

/** What the wing adds: commands and other words that are typed, and whether it is what asks a person. */
interface Missing {
  words: readonly string[];
  asks: boolean;
}

const MISSING: Missing | undefined = process.env.WAYBILL_MISSING && JSON.parse(process.env.WAYBILL_MISSING);

const NEEDED = 'a wing that is not here';

/** Throws if a command line, or a file that it reads, needs the wing. `isAnswered`: a person answers what is asked. */
export function refuseMissing(text: string, isAnswered = false): void {
  if (MISSING === undefined) return;
  const word = MISSING.words.find(word => ` ${text} `.includes(` ${word} `));
  if (word !== undefined || (MISSING.asks && isAnswered))
    throw new Error(`${NEEDED}: ${word ?? 'questions'}`);
}
