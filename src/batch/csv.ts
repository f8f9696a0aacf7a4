import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { messageOf } from '../errors.ts';
import { LARGEST, linesIn, type Piece, refused } from './source.ts';

export interface Table {
  header: readonly string[];
  delimiter: string;
}

export interface CsvSettings {
  name: string;
  delimiter: string | undefined;
  /** Told of the header before the first record; gives the column whose adjacent equals make one record, if any. */
  begin(table: Table): number | undefined;
}

interface Row {
  line: number;
  cells: string[];
}

/** Each record as its rows. Throws `invalid_request`. */
export async function* recordsOf(
  text: AsyncIterable<string>,
  { name, delimiter: told, begin }: CsvSettings,
): AsyncGenerator<Piece> {
  const { delimiter = told ?? ',', rest } = await delimiterOf(text, told);
  let header: readonly string[] | undefined;
  let merged: number | undefined;
  let group: Row[] = [];
  const flush = (): Piece[] => {
    const [first] = group;
    const piece = first && { line: first.line, text: JSON.stringify(group.map(({ cells }) => cells)) };
    group = [];
    return piece ? [piece] : [];
  };
  for await (const row of rowsOf(rest, delimiter, name)) {
    if (row.cells.every(cell => cell.trim() === '')) continue;
    if (header === undefined) {
      header = row.cells.map(cell => cell.trim());
      merged = begin({ header, delimiter });
      continue;
    }
    const before = group[0]?.cells[merged ?? 0]?.trim();
    if (merged === undefined || before === undefined || before === '' || before !== row.cells[merged]?.trim())
      yield* flush();
    group.push(row);
    if (group.length > MOST_ROWS) throw refused(name, row.line, `an order has more than ${MOST_ROWS} rows`);
  }
  yield* flush();
  if (header === undefined) throw refused(name, 1, 'it is empty where a header is wanted');
}

const MOST_ROWS = 1000;

async function* rowsOf(text: AsyncIterable<string>, delimiter: string, name: string): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    bom: true,
    // Told, not found: files that were put together change on the way, and rows would run into each other.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: LARGEST,
  });
  // What breaks the source ends the parser with the same error, and that is where it is caught.
  pipeline(Readable.from(text), parser).catch(() => {});
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      line += cells.reduce((count, cell) => count + linesIn(cell), 1);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // What was read before the fault is dropped with the parser: only the fault knows where it is.
    throw refused(
      name,
      Math.max(line, Number(error.lines) || 1),
      error.code === 'CSV_MAX_RECORD_SIZE'
        ? 'the record is larger than 1 MiB'
        : `it is no CSV: ${FAULTS[error.code] ?? messageOf(error)}`,
    );
  }
}

// In the parser's place: it speaks of its own options, and shows what may be an address.
const INSIDE = 'a quote within a quoted cell is written twice, as in "35"" screen"';
const FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: `text follows the closing quote of a cell; ${INSIDE}`,
  INVALID_OPENING_QUOTE: `a quote stands within a cell that does not begin with one; ${INSIDE}`,
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
};

/** The delimiter that the first line has most of, outside quotes; and the text, with what was read of it for that. */
async function delimiterOf(
  text: AsyncIterable<string>,
  told: string | undefined,
): Promise<{ delimiter?: string; rest: AsyncIterable<string> }> {
  if (told !== undefined) return { delimiter: told, rest: text };
  const chunks = text[Symbol.asyncIterator]();
  let begun = '';
  while (begun.length < LARGEST && !outsideQuotes(begun).includes('\n')) {
    const { done, value } = await chunks.next();
    if (done) break;
    begun += value;
  }
  const [line = ''] = outsideQuotes(begun).split('\n');
  const count = (mark: string) => line.split(mark).length - 1;
  const [best = ','] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  async function* rest(): AsyncGenerator<string> {
    yield begun;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { delimiter: best, rest: rest() };
}

// A quote that is still open may end in what comes next.
const outsideQuotes = (text: string) => text.trimStart().replace(/"[^"]*(?:"|$)/g, '');

/** A row as it goes back into a file of that delimiter. */
export const csvRow = (cells: readonly string[], delimiter: string): string =>
  `${cells.map(cell => (/["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\r\n`;
