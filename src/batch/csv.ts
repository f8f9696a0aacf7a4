// A CSV: its text as rows of cells, and rows as text again.

import type { Issue } from '../contract/shapes.ts';
import { lineFailure, lineFeedsIn, MAX_RECORD_LENGTH, tooLongWords } from './encoding.ts';

/** How the rows of a file are written. */
export interface CsvStyle {
  delimiter: string;
  /** Are all cells in quotes? Else only cells that need quotes have them. */
  isQuoted?: boolean;
  /** What ends a row; by default CR and LF. */
  lineEnd?: string;
}

/** A row as it stands in the file. */
export interface Row {
  /** The line of the file on which the row begins, from 1, as an editor counts. */
  line: number;
  cells: readonly string[];
}

interface TableSettings {
  name: string;
  /** Is the first row no header? Then the columns are called 1, 2, 3. */
  hasNoHeader?: boolean;
  /** The length of the longest row that is allowed, in characters. */
  longest?: number | undefined;
}

/**
 * The rows below the header, which `onHeader` gets before the first row. Blank rows are left out, and so is the header of a second
 * file that was joined to the first one. Throws `invalid_request`.
 */
export async function* tableRows(
  text: AsyncIterable<string>,
  settings: TableSettings,
  onHeader: (header: readonly string[], style: CsvStyle) => void,
): AsyncGenerator<Row> {
  const { name, hasNoHeader = false, longest = MAX_RECORD_LENGTH } = settings;
  const begun = await beginCsv(text);
  let header: readonly string[] | undefined;
  for await (const row of parsedRows(begun, name, longest)) {
    const { cells } = row;
    if (cells.every(isBlank)) continue;
    if (header === undefined) {
      header = cells.map((cell, index) => (hasNoHeader ? String(index + 1) : shownCell(cell).trim()));
      const swallowed = swallowedIn(row, header, begun.style);
      if (swallowed) throw lineFailure(name, row.line, `the first row ${swallowed.message}`);
      onHeader(header, begun.style);
      if (!hasNoHeader) continue;
    }
    if (hasNoHeader || !isHeader(cells, header)) yield row;
  }
  if (header === undefined)
    throw lineFailure(name, 1, `the file is empty${hasNoHeader ? '' : '; it needs a header'}`);
}

const isHeader = (cells: readonly string[], header: readonly string[]): boolean =>
  cells.length === header.length && cells.every((cell, index) => shownCell(cell).trim() === header[index]);

// What a cell shows.

export const isBlank = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';

// Marks that keep a spreadsheet from reading digits as a number, or text as a formula. Names may begin with an apostrophe, too.
const MARKED = /^\s*['=]/;
const FORMULA_OF_TEXT = /^\s*=\s*["\u201c\u201d\u201e]([^"\u201c\u201d\u201e]*)["\u201c\u201d]\s*$/;
const APOSTROPHE = /^\s*'(?=[\d=+@-]|\S*\d\S*\s*$)/;

/** The text that a spreadsheet shows for a cell: `0012345` for `="0012345"` and `'0012345`. */
export function shownCell(cell: string): string {
  if (!MARKED.test(cell)) return cell;
  return FORMULA_OF_TEXT.exec(cell)?.[1] ?? cell.replace(APOSTROPHE, '');
}

/** The rows with each cell as a spreadsheet shows it. Throws as `tableRows` does, and for a cell that has other rows in it. */
export async function* shownRows(
  text: AsyncIterable<string>,
  settings: TableSettings,
  onHeader: (header: readonly string[], style: CsvStyle) => void,
): AsyncGenerator<Row> {
  let swallowedBy = (_: Row): Issue | undefined => undefined;
  const rows = tableRows(text, settings, (header, style) => {
    swallowedBy = row => swallowedIn(row, header, style);
    onHeader(header, style);
  });
  for await (const row of rows) {
    const swallowed = swallowedBy(row);
    if (swallowed) throw lineFailure(settings.name, row.line, `${swallowed.path} ${swallowed.message}`);
    yield { line: row.line, cells: row.cells.map(shownCell) };
  }
}

/**
 * Reports a cell that has other rows in it, because it begins with a quote that only a quote in a later row ends. The first line of such a
 * cell is the rest of its own row, and its last line is the beginning of the later row.
 */
export function swallowedIn(row: Row, header: readonly string[], style: CsvStyle): Issue | undefined {
  const { delimiter } = style;
  const { line, cells } = row;
  const width = header.length;
  const marksIn = (text = '') => text.split(delimiter).length - 1;
  const index = cells.findIndex((cell, index) => {
    const lines = cell.includes('\n') ? cell.split('\n') : [];
    const isRest = lines.length > 1 && marksIn(lines[0]) >= width - 1 - index;
    return isRest && (cells.length !== width || marksIn(lines.at(-1)) >= index);
  });
  const cell = cells[index];
  if (cell === undefined) return undefined;
  const first = cells.slice(0, index).reduce((sum, before) => sum + lineFeedsIn(before), line);
  const last = first + lineFeedsIn(cell);
  const message = `begins with a quote on line ${first} that only a quote on line ${last} ends, so that rows are in it: remove both, or ${QUOTE_HINT}`;
  return { path: header[index] ?? '', message };
}

// How a text is written, as its beginning shows.

interface BegunText {
  style: CsvStyle;
  /** The text without a first line `sep=;`. */
  text: AsyncIterable<string>;
  /** The line of the file on which `text` begins. */
  line: number;
}

// A first line such as `sep=;`: some programs write it above the header, to tell spreadsheets the delimiter.
const SEPARATOR = /^"?sep=(\\t|[^\r\n])"?[,;\s]*?(?:\r?\n|\r(?=[^\n]))/i;

async function beginCsv(text: AsyncIterable<string>): Promise<BegunText> {
  const chunks = text[Symbol.asyncIterator]();
  let begun = '';
  while (begun.length < MAX_RECORD_LENGTH && !outsideQuotes(withoutSeparator(begun)).includes('\n')) {
    const { done, value } = await chunks.next();
    if (done) break;
    begun += value;
  }
  const separator = SEPARATOR.exec(begun);
  const below = withoutSeparator(begun);
  const outside = outsideQuotes(below);
  // Some programs end lines with CR alone.
  const hasReturns = outside.includes('\r') && !outside.includes('\n');
  const lined = (part: string) => (hasReturns ? part.replaceAll('\r', '\n') : part);
  const [line = ''] = lined(outside).split('\n');
  const delimiter = separator?.[1]?.replace('\\t', '\t') ?? delimiterIn(line);
  async function* whole(): AsyncGenerator<string> {
    yield lined(below);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield lined(next.value);
  }
  return {
    style: {
      delimiter,
      // All cells are quoted if the header has only delimiters outside of quotes.
      isQuoted: below.trimStart().startsWith('"') && line.trim().replaceAll(delimiter, '') === '',
      lineEnd: line.endsWith('\r') || !below.includes('\n') ? '\r\n' : '\n',
    },
    text: whole(),
    line: separator ? 2 : 1,
  };
}

const withoutSeparator = (begun: string): string => begun.replace(SEPARATOR, '');

// The text without what is in quotes. A quote that is still open counts to the end: the next chunk may close it.
const outsideQuotes = (text: string) => text.trimStart().replace(/"[^"]*(?:"|$)/g, '');

/** The delimiter of a line: a tab if the line has one, else the most frequent of `,`, `;` and `|`. */
function delimiterIn(line: string): string {
  const count = (sign: string) => line.split(sign).length - 1;
  const [best = ','] = [',', ';', '|'].sort((a, b) => count(b) - count(a));
  return line.includes('\t') ? '\t' : best;
}

// How the text becomes rows.

/** Do quotes enclose cells? In a file with tabs only if all its cells are quoted, as in no report of a shop. */
export const hasQuotes = (style: CsvStyle): boolean => style.delimiter !== '\t' || style.isQuoted === true;

async function* parsedRows(begun: BegunText, name: string, longest: number): AsyncGenerator<Row> {
  // The parser is loaded only here: commands that read no CSV import this file, too.
  const { CsvError, parse } = await import('csv-parse');
  const { Readable } = await import('node:stream');
  const { pipeline } = await import('node:stream/promises');
  const { delimiter } = begun.style;
  const isQuoting = hasQuotes(begun.style);
  /** The line of the row that is being read. */
  const reading = { line: begun.line };
  const parser = parse({
    on_record(cells, state) {
      reading.line = begun.line + state.lines;
      return cells;
    },
    delimiter,
    bom: true,
    // Both line ends are accepted: a file that was joined from two may have both, and rows would run into each other.
    record_delimiter: isQuoting ? ['\r\n', '\n'] : '\n',
    relax_column_count: true,
    quote: isQuoting ? '"' : false,
    max_record_size: longest,
  });
  const text = isQuoting ? withFormulasQuoted(begun.text, delimiter, longest) : begun.text;
  // An error of the source ends the parser with the same error, which is caught below.
  pipeline(Readable.from(text), parser).catch(() => {});
  let { line } = begun;
  try {
    for await (const cells of isQuoting ? (parser as AsyncIterable<string[]>) : unquotedRows(parser)) {
      yield { line, cells };
      line += cells.reduce((count, cell) => count + lineFeedsIn(cell), 1);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, lines } = error;
    const end = begun.line - 1 + Number(lines);
    throw lineFailure(
      name,
      reading.line,
      code === 'CSV_MAX_RECORD_SIZE'
        ? tooLongWords(longest)
        : `it is not CSV: ${faultWords(code, end > reading.line ? ` on line ${end}` : '')}`,
    );
  }
}

/** The text in whole rows, with each cell like `="0012345"` put in quotes: the parser reads quotes within a cell only if it is quoted. */
async function* withFormulasQuoted(
  text: AsyncIterable<string>,
  delimiter: string,
  longest: number,
): AsyncGenerator<string> {
  const sign = delimiter.replace(/[^\w\s]/, '\\$&');
  // Quoted text is matched first, so that no formula is looked for in it.
  const cells = new RegExp(`"[^"]*"|(?<=^|${sign})[ ]*=[ ]*"[^"\r\n]*"[ ]*(?=${sign}|\r?$)`, 'gm');
  const quoted = (rows: string) =>
    /=[ ]*"/.test(rows)
      ? rows.replace(cells, cell => (cell.startsWith('"') ? cell : `"${cell.replaceAll('"', '""')}"`))
      : rows;
  let unended = '';
  for await (const chunk of text) {
    unended += chunk;
    const end = unended.length > longest ? unended.length : endOfRows(unended);
    if (end > 0) yield quoted(unended.slice(0, end));
    unended = unended.slice(end);
  }
  if (unended !== '') yield quoted(unended);
}

/** The end of the last whole row, behind the last line break outside of quotes; 0 if there is none. */
function endOfRows(text: string): number {
  let end = 0;
  let isOpen = false;
  for (const { 0: sign, index } of text.matchAll(/["\n]/g))
    if (sign === '"') isOpen = !isOpen;
    else if (!isOpen) end = index + 1;
  return end;
}

const QUOTED = /^"([^"]*(?:""[^"]*)*)"$/;
const OPENED = /^"[^"]*(?:""[^"]*)*$/;
const CONTINUED = /^[^"]*(?:""[^"]*)*("?)$/;

/** How many lines a cell may have. */
const MAX_CELL_LINES = 100;

/**
 * Makes rows of lines whose cells have tabs between them, in a file whose header has no quotes. A tab always ends a cell there: reports of
 * shops have quotes as plain text, and a text that begins with a quote would swallow the next orders. But a spreadsheet quotes a cell that
 * has a quote or a line break: a quoted cell may have several lines, if it has no tab.
 */
async function* unquotedRows(lines: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  /** Lines that may be one row: the last cell of the first line begins with a quote that is not closed yet. */
  let open: string[][] = [];
  for await (const line of lines) {
    let cells = line;
    const [first = ''] = withoutReturn(line);
    const [, end] = (open.length > 0 && CONTINUED.exec(first)) || [];
    if (end === '' && line.length === 1 && open.length < MAX_CELL_LINES) {
      open.push(line);
      continue;
    }
    if (end === '"') {
      const whole = [...open.map(part => part.at(-1)), first].join('\n');
      cells = [...(open[0]?.slice(0, -1) ?? []), whole, ...line.slice(1)];
    } else yield* open.map(unquoted);
    open = OPENED.test(cells.at(-1) ?? '') ? [cells] : [];
    if (open.length === 0) yield unquoted(cells);
  }
  yield* open.map(unquoted);
}

const withoutReturn = (line: readonly string[]): string[] =>
  line.map((cell, index) => (index === line.length - 1 ? cell.replace(/\r$/, '') : cell));

const unquoted = (line: readonly string[]): string[] =>
  withoutReturn(line).map(cell => QUOTED.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell);

// Our words in place of the parser's messages, which name its own options and show text that may be an address.
const QUOTE_HINT = 'write a quote within a quoted cell twice, as in "35"" screen"';
const PARSER_FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text follows the closing quote of a cell',
  INVALID_OPENING_QUOTE: 'a quote is within a cell that does not begin with a quote',
};

/** What is wrong with the quotes. `end`: words for the line of the fault, if the row begins on another line. */
const faultWords = (code: string, end: string): string =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? `a quote is never closed: remove it, or ${QUOTE_HINT}`
    : `${PARSER_FAULTS[code] ?? 'its quotes cannot be read'}${end}; ${QUOTE_HINT}`;

// How rows become text.

/** A row as text, in the style of its file. */
export function csvRow(cells: readonly string[], style: CsvStyle): string {
  const { delimiter, isQuoted = false, lineEnd = '\r\n' } = style;
  const written = cells.map(cell =>
    isQuoted || /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell,
  );
  return written.join(delimiter) + lineEnd;
}

/** The header of a file, below a line that names the delimiter if the header does not show it. */
export function csvHead(header: readonly string[], style: CsvStyle): string {
  const line = csvRow(header, style);
  const { delimiter, lineEnd = '\r\n' } = style;
  return delimiterIn(outsideQuotes(line)) === delimiter ? line : `sep=${delimiter}${lineEnd}${line}`;
}
