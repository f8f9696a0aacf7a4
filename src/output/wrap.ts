import { measure } from './grid.ts';

/** The text in lines of at most `width` columns, broken between words. A longer word stays whole, to be copied. */
export async function wrapped(text: string, width: number): Promise<string[]> {
  const widthOf = await measure();
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
