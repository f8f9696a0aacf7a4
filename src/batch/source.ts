import { Failure, messageOf } from '../errors.ts';

/** One record as it stands in the input; `text` is complete in itself. */
export interface Piece {
  /** Of its first row, from 1, as an editor counts. */
  line: number;
  /** The JSON text of the record; of CSV, its rows as a JSON array of arrays of cells. */
  text: string;
}

/** A larger record is no record of ours: it is refused before it fills the memory. */
export const LARGEST = 1024 * 1024;

export const refused = (name: string, line: number, why: string): Failure =>
  new Failure('invalid_request', `${name}, line ${line}: ${why}; nothing was sent`);

/** Bytes as text, UTF-8 with or without a byte order mark, as they come. Throws `invalid_request`. */
export async function* textOf(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw refused(
        name,
        line,
        `here or after it are bytes that are not UTF-8 text (${messageOf(error)}); save it as UTF-8 (in a spreadsheet: "CSV UTF-8")`,
      );
    }
  };
  for await (const chunk of bytes) {
    const text = decoded(chunk);
    if (text !== '') yield text;
    line += linesIn(text);
  }
  const rest = decoded();
  if (rest !== '') yield rest;
}

export function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
