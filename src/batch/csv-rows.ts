// A CSV file that a person filled in, or a provider sent.

import { CURRENCIES } from '../contract/currencies.ts';
import type { Host } from '../host.ts';
import { unescapeFormula } from '../output/text.ts';
import { inputBytes } from '../session/files.ts';
import { folded } from '../text.ts';
import { shownRows } from './csv.ts';
import { decodedText, type Encoding, lineFailure } from './encoding.ts';

export interface CsvRow {
  line: number;
  /** The text in the column at this index; empty if there is no such column. */
  cell(index: number): string;
  cells(): string[];
}

/**
 * The rows below the header; with `hasNoHeader` all rows, whose columns are called 1, 2, 3. `onHeader` is called before the first row, and
 * may throw. Throws `invalid_request` for a row with more or fewer cells than the header: they may stand under other headers.
 */
export async function* csvRows(
  host: Host,
  path: string,
  onHeader: (header: readonly string[]) => void,
  settings: { encoding?: Encoding | undefined; hasNoHeader?: boolean } = {},
): AsyncGenerator<CsvRow> {
  const { encoding, hasNoHeader = false } = settings;
  const name = csvName(path);
  let width = 0;
  const text = decodedText(inputBytes(path, host), name, encoding);
  const rows = shownRows(text, { name, hasNoHeader }, header => {
    width = header.length;
    onHeader(header);
  });
  for await (const row of rows) {
    const cells = row.cells.map(cell => unescapeFormula(cell).trim());
    const { line } = row;
    if (cells.length !== width)
      throw lineFailure(
        name,
        line,
        `it has ${cells.length} cells, but the ${hasNoHeader ? 'first row' : 'header'} has ${width}. Nothing was read of the file`,
      );
    yield { line, cell: index => cells[index] ?? '', cells: () => cells };
  }
}

export const csvName = (path: string): string => (path === '-' ? 'stdin' : path);

/** Says that a spreadsheet has changed an id, such as to `1.23E+12`; `undefined` if it has not. */
export const mangledId = (id: string): string | undefined =>
  /^\d([.,]\d+)?E\+\d+$/i.test(id)
    ? `a spreadsheet has changed ${JSON.stringify(id)}; format its column as text`
    : undefined;

/** A title in lower case, without accents, blanks and signs. */
export const plainTitle = (title: string): string => folded(title).replace(/[^\p{Letter}\p{Number}]/gu, '');

/** A plain title without its currency: `amount` of `Amount (EUR)`. */
export function bareTitle(title: string): string {
  const name = plainTitle(title);
  const isNamed =
    CURRENCIES.has(name.slice(-3).toUpperCase()) && /[^\p{Letter}]\p{Letter}{3}\W*$/u.test(title);
  return isNamed ? name.slice(0, -3) : name;
}
