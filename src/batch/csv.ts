import { escapeFormula } from '../output/text.ts';
import { titlesOf } from '../shops/shops.ts';
import { type CellIssue, cellSettings } from './cells.ts';
import { type Column, columnOf, isNote, recordColumns } from './columns.ts';
import { lineFeedsIn, MAX_RECORD_LENGTH, refused, tooLong } from './encoding.ts';
import { type KeyedRecord, wholeOrders } from './gather.ts';
import { contradictions, lackingCells, rowKind } from './left-out.ts';
import { missingColumns, refuseWithoutGoods, titlesIn } from './map.ts';
import { SHOPS } from './maps.ts';
import { decimalSign } from './money.ts';
import { isBlank, miscounted, repeatedLines } from './repeated.ts';
import { parseNamed, UNSORTED } from './rows.ts';
import {
  type BatchInput,
  ERROR_COLUMN,
  givenRecordName,
  type InputMap,
  type InputSettings,
  type NamedRow,
  newRecordName,
  type RawRecord,
  RECORD_COLUMN,
  type RowKind,
  TEXT_SUMS,
} from './source.ts';

export function openCsv(text: AsyncIterable<string>, settings: InputSettings): BatchInput {
  const { name, map, packages, keyColumn } = settings;
  const shop = SHOPS.get(map?.extends);
  let header: readonly string[] = [];
  /** The headers of the map that those of the file mean. */
  let titles: readonly string[] = [];
  let columns: Column[] = [];
  let style: CsvStyle = { delimiter: ',' };
  /** The column whose equal cells make one order of several rows. */
  let keyAt: number | undefined;
  const rows = csvRecords(text, {
    name,
    longest: settings.longest,
    footer: shop?.footer,
    onHeader(found, foundStyle) {
      header = found;
      style = foundStyle;
      const title = titlesOf(shop, map && titlesIn(map));
      const meant = header.map(title);
      titles = meant.map((one, index) => (meant.indexOf(one) < index ? (header[index] ?? '') : one));
      const unknown = titles.filter(title => !('kind' in columnOf(title, settings)));
      const warnings = missingColumns(map, { header: titles, unknown, name }, settings.ignoresOthers);
      if (warnings.length > 0) settings.onWarnings?.(warnings);
      columns = recordColumns(titles, settings);
      refuseWithoutGoods({ header, titles, columns }, settings);
      const key = columns.findIndex(({ kind }) => kind === 'key');
      // Rows of one key are one record only if a column adds something for each row; else the key is there twice.
      const adds =
        titles.includes(map?.lookup?.by ?? '') ||
        columns.some(one => (one.kind === 'field' && one.inner) || (one.kind === 'package' && one.each));
      // The rows of an order that was written for another operation say nothing here but its key.
      if (key < 0 || !(adds || settings.ignoresOthers)) return undefined;
      keyAt = key;
      const receiver = columns.flatMap((one, at) =>
        one.kind === 'field' && one.path[0] === 'receiver' ? [at] : [],
      );
      const isOrder = (cells: readonly string[]) => receiver.some(at => !isBlank(cells[at]));
      return { key, isOrder: receiver.length > 0 ? isOrder : () => true };
    },
  });
  type Rows = readonly (readonly string[])[];
  const named =
    (cells: readonly string[]): NamedRow =>
    title =>
      cells[titles.indexOf(title)];
  const headerOf = (title: string) => header[titles.indexOf(title)] ?? title;
  const kindOf = (cells: readonly string[]) => (map === undefined ? 'item' : rowKind(named(cells), map));
  const lacksIn = (cells: readonly string[], row: number, map: InputMap): CellIssue[] =>
    lackingCells(named(cells), map).map(title => ({
      path: headerOf(title),
      message: `is empty in row ${row + 1} of the order, which has an item; fill it in, or remove the row if nothing of it is to be sent`,
    }));
  /** What shows that an order has rows of another order in it, or a line twice. */
  const misreadIn = ({ line, lines = [] }: RawRecord, rows: Rows, kinds: readonly RowKind[]) => {
    const lineOf = (row: number) => lines[row] ?? line;
    const problems = rows.flatMap((cells, row) => swallowedIn(cells, header, style, lineOf(row)) ?? []);
    if (problems.length > 0 || settings.ignoresOthers) return { problems, warnings: [] };
    return repeatedLines(rows, kinds, { header, titles, columns, lineOf }, map);
  };
  /** What is wrong with the goods of an order, or with its state. */
  const goodsIssues = (rows: Rows, kinds: readonly RowKind[]): CellIssue[] => [
    ...miscounted(rows, kinds, columns, header),
    ...contradictions(rows.map(named), map, headerOf),
    ...(map ? rows.flatMap((cells, row) => lacksIn(cells, row, map)) : []),
  ];
  /** Of an order, one column is read for all of its rows. */
  const isToldBefore = ({ after = [], ...column }: Column, rows: Rows, cells: readonly string[]) =>
    after.some(index =>
      (column.kind === 'field' && !column.inner ? rows : [cells]).some(one => !isBlank(one[index])),
    );
  const productIn = (cells: readonly string[]) =>
    cells[titles.indexOf(map?.lookup?.by ?? '')]?.trim() || undefined;
  /** As the shop shows it: its exports have entities of HTML in any text. */
  const clean = (cell: string) => (shop && cell.includes('&') ? (settings.decode?.(cell) ?? cell) : cell);
  const reading = { keyColumn, packages, values: cellSettings(settings), isText: true };
  const givenNames = (rows: Rows) => {
    const at = header.indexOf(RECORD_COLUMN);
    return rows.map(cells => cells[at]);
  };
  const namedCells = (cells: readonly string[]) =>
    header.flatMap((title, index) =>
      title === '' || isNote(titles[index] ?? title, map) ? [] : [[title, cells[index] ?? '']],
    );
  const nameOf = (rows: Rows) => givenRecordName(givenNames(rows), []) ?? newRecordName(rows.map(namedCells));
  // In front: behind a row that is too short they would stand under another header.
  const rowWith = (error: string, name: string, cells: readonly string[]) => {
    const others = cells.filter((_, index) => ![ERROR_COLUMN, RECORD_COLUMN].includes(header[index] ?? ''));
    return csvRow([error, name, ...others], style);
  };
  return {
    records: settings.host ? wholeOrders(rows, name, settings.host) : rows,
    part: 'column',
    header: () => JSON.stringify(header),
    headerOf,
    isMisread(record) {
      const rows: Rows = JSON.parse(record.text);
      return misreadIn(record, rows, rows.map(kindOf)).problems.length > 0;
    },
    parse(raw) {
      const { text, parts } = raw;
      const rows = (JSON.parse(text) as Rows).map(cells => cells.map(clean));
      const kinds = rows.map(kindOf);
      const amounts = columns.flatMap((column, index) =>
        (column.kind === 'sum' && !TEXT_SUMS.includes(column.name)) ||
        (column.kind === 'field' && column.transform === 'money')
          ? rows.map(cells => decimalSign(cells[index] ?? ''))
          : [],
      );
      const values = { ...reading.values, sign: map?.decimal ?? amounts.find(sign => sign !== undefined) };
      const issues = rows.flatMap((cells): CellIssue[] =>
        cells.length === header.length
          ? []
          : [
              {
                path: '',
                message: `has ${cells.length} cells, but the header has ${header.length}${hasQuotes(style) || cells.length < header.length ? '' : ' (a tab ends a cell, in quotes, too)'}`,
              },
            ],
      );
      const said = columns.map((column, index) => ({
        title: header[index] ?? '',
        column,
        cells: rows.map(cells =>
          isBlank(cells[index]) || isToldBefore(column, rows, cells) ? undefined : cells[index],
        ),
      }));
      const keyless = keyAt === undefined ? -1 : rows.findIndex(cells => isBlank(cells[keyAt ?? 0]));
      if (keyless > 0)
        issues.push({
          path: header[keyAt ?? 0] ?? '',
          message: `is empty in row ${keyless + 1} of the order: nobody knows whose row it is. Fill it in, or remove the row`,
        });
      if (!settings.ignoresOthers) issues.push(...goodsIssues(rows, kinds));
      const lineAt = titles.indexOf(map?.line ?? '');
      const lineIds = lineAt < 0 ? [] : rows.map(cells => cells[lineAt]?.trim() ?? '');
      const products = map?.lookup && rows.map(productIn);
      const order = { values: said, kinds, products, lineIds };
      const record = parseNamed(order, { ...reading, values }, issues);
      // Any other problem of the order may come of rows that are elsewhere in the file, or are not its own.
      const { problems, warnings } = misreadIn(raw, rows, kinds);
      const misread = parts ? [apartIssue(header[keyAt ?? 0] ?? '', parts)] : problems;
      if (misread.length > 0) record.issues = misread;
      const recordName = givenRecordName(givenNames(rows), record.issues);
      const nameInFailed = () => recordName ?? newRecordName(rows.map(namedCells));
      const isPart = kinds.includes('unshipped');
      return {
        ...record,
        recordName,
        nameInFailed,
        readingWarnings: [...(record.readingWarnings ?? []), ...warnings],
        ...(isPart && { isPart }),
        ...(misread.length > 0 && { isMisread: true }),
      };
    },
    rowsOf: ({ text }) => (JSON.parse(text) as Rows).map(named),
    failed: {
      head: () => rowWith(ERROR_COLUMN, RECORD_COLUMN, header),
      record({ text }, error) {
        const rows: Rows = JSON.parse(text);
        const given = givenNames(rows);
        const name = nameOf(rows);
        return rows
          .map((cells, index) =>
            rowWith(index === 0 ? escapeFormula(error) : '', given[index]?.trim() || name, cells),
          )
          .join('');
      },
      foot: () => '',
    },
  };
}

/** Of an order with rows that would be missing in it, or that it would have twice. */
function apartIssue(path: string, parts: NonNullable<RawRecord['parts']>): CellIssue {
  const lines = parts.map(({ line }) => line);
  const before = lines.slice(0, -1).slice(0, 10).join(', ');
  return {
    path,
    message: `is on lines ${before} and ${lines.at(-1)}: ${UNSORTED}, or remove what is in the file twice`,
  };
}

interface CsvSettings {
  name: string;
  /** Its first row is a record, too, and its columns are called 1, 2, 3. */
  hasNoHeader?: boolean;
  /** In characters; longer records are refused. */
  longest?: number | undefined;
  /** What rows say that are no records, in lower case. */
  footer?: readonly string[] | undefined;
  /**
   * Called before the first record; gives the column, if any, whose equal cells in adjacent rows make one record. `isOrder`: may
   * a row without that cell be an order of its own?
   */
  onHeader(
    header: readonly string[],
    style: CsvStyle,
  ): { key: number; isOrder(cells: readonly string[]): boolean } | undefined;
}

/** How the rows of a file are written. */
export interface CsvStyle {
  delimiter: string;
  /** All cells are in quotes, and not only those that need them. */
  isQuoted?: boolean;
  /** By default CR and LF. */
  lineEnd?: string;
}

/** Does a quote begin a cell? With tabs, only in a file that quotes all: no report of a shop does. */
const hasQuotes = ({ delimiter, isQuoted = false }: CsvStyle): boolean => delimiter !== '\t' || isQuoted;

/** Each record as its rows. Throws `invalid_request`. */
export async function* csvRecords(
  text: AsyncIterable<string>,
  { name, hasNoHeader = false, footer = [], longest = MAX_RECORD_LENGTH, onHeader }: CsvSettings,
): AsyncGenerator<KeyedRecord> {
  const { style, rest } = await withStyle(text);
  let header: readonly string[] | undefined;
  let merged: ReturnType<CsvSettings['onHeader']>;
  let record: { lines: number[]; key: string | undefined; rows: string[][] } | undefined;
  const rawOf = ({ lines, key, rows }: NonNullable<typeof record>): KeyedRecord => {
    const isStray = key === '' && !merged?.isOrder(rows[0] ?? []);
    const text = JSON.stringify(rows);
    return { line: lines[0] ?? 1, lines, text, ...(key && { key }), ...(isStray && { isStray }) };
  };
  for await (const { line, cells } of rowsOf(rest, style, name, longest)) {
    if (cells.every(cell => cell.trim() === '')) continue;
    if (header === undefined) {
      header = cells.map((cell, index) => (hasNoHeader ? String(index + 1) : cell.trim()));
      const swallowed = swallowedIn(cells, header, style, line);
      if (swallowed) throw refused(name, line, `the first row ${swallowed.message}`);
      merged = onHeader(header, style);
      if (!hasNoHeader) continue;
    }
    if (isFooter(cells, footer) || (!hasNoHeader && isHeader(cells, header))) continue;
    const key = merged && cells[merged.key]?.trim();
    // A row of nobody is told with the order above it, which may lack it.
    if (record?.key && (key === record.key || (key === '' && !merged?.isOrder(cells)))) {
      record.rows.push(cells);
      record.lines.push(line);
    } else {
      if (record) yield rawOf(record);
      record = { lines: [line], key, rows: [cells] };
    }
    if (record.rows.length > MAX_ROWS) throw refused(name, line, `an order has more than ${MAX_ROWS} rows`);
  }
  if (record) yield rawOf(record);
  if (header === undefined)
    throw refused(name, 1, `the file is empty${hasNoHeader ? '' : '; it needs a header'}`);
}

const MAX_ROWS = 1000;

/** Of the second of two files that were joined. */
const isHeader = (cells: readonly string[], header: readonly string[]): boolean =>
  cells.length === header.length && cells.every((cell, index) => cell.trim() === header[index]);

/** An order says more than the end of a report, whatever words it has. */
function isFooter(cells: readonly string[], footer: readonly string[]): boolean {
  const said = cells.filter(cell => cell.trim() !== '').map(cell => cell.toLowerCase());
  return said.length < 10 && said.slice(0, 2).some(cell => footer.some(words => cell.includes(words)));
}

async function* rowsOf(text: AsyncIterable<string>, style: CsvStyle, name: string, longest: number) {
  // Commands that read no CSV know this file, too.
  const { CsvError, parse } = await import('csv-parse');
  const { Readable } = await import('node:stream');
  const { pipeline } = await import('node:stream/promises');
  const isQuoting = hasQuotes(style);
  /** The line on which the row begins that is being read. */
  let begun = 1;
  const parser = parse({
    on_record(cells, { lines }) {
      begun = lines + 1;
      return cells;
    },
    delimiter: style.delimiter,
    bom: true,
    // Both, always: line ends may change within files that were put together, and rows would run into each other.
    record_delimiter: isQuoting ? ['\r\n', '\n'] : '\n',
    relax_column_count: true,
    quote: isQuoting ? '"' : false,
    max_record_size: longest,
  });
  // An error of the source ends the parser with the same error, which is caught below.
  pipeline(Readable.from(text), parser).catch(() => {});
  let line = 1;
  try {
    for await (const cells of isQuoting ? (parser as AsyncIterable<string[]>) : unquotedRows(parser)) {
      yield { line, cells };
      line += cells.reduce((count, cell) => count + lineFeedsIn(cell), 1);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, lines } = error;
    const end = Number(lines) > begun ? ` on line ${Number(lines)}` : '';
    throw refused(
      name,
      begun,
      code === 'CSV_MAX_RECORD_SIZE' ? tooLong(longest) : `it is not CSV: ${faultWords(code, end)}`,
    );
  }
}

/**
 * The problem of a row with a cell that begins with a quote which only a later row ends. The cell has all between in it: its first
 * line is the rest of its own row, and its last line the beginning of the later one.
 */
function swallowedIn(
  cells: readonly string[],
  header: readonly string[],
  { delimiter }: CsvStyle,
  line: number,
): CellIssue | undefined {
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

/** The cells of a record of one row. Throws `invalid_request` if it has other rows in a cell. */
export function cellsOfRow(
  { line, text }: RawRecord,
  { name, header, style }: { name: string; header: readonly string[]; style: CsvStyle },
): string[] {
  const [cells = []] = JSON.parse(text) as string[][];
  const swallowed = swallowedIn(cells, header, style, line);
  if (swallowed) throw refused(name, line, `${swallowed.path} ${swallowed.message}`);
  return cells;
}

const QUOTED = /^"([^"]*(?:""[^"]*)*)"$/;
const OPENED = /^"[^"]*(?:""[^"]*)*$/;
const CONTINUED = /^[^"]*(?:""[^"]*)*("?)$/;

/** More is no cell. */
const MAX_CELL_LINES = 100;

/**
 * Rows from lines of cells with tabs between them, if the header has no quotes. Reports quote nothing, and have quotes in texts; a
 * spreadsheet quotes a cell that has one. So a tab ends a cell, whatever quotes it has: a text that only begins with one would take
 * other orders with it. A quoted cell may have more lines if no tab stands between its quotes.
 */
async function* unquotedRows(lines: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  /** Lines of which the first ends in a cell that may go on. */
  let held: string[][] = [];
  for await (const line of lines) {
    let cells = line;
    const [first = ''] = withoutReturn(line);
    const [, end] = (held.length > 0 && CONTINUED.exec(first)) || [];
    if (end === '' && line.length === 1 && held.length < MAX_CELL_LINES) {
      held.push(line);
      continue;
    }
    if (end === '"') {
      const whole = [...held.map(one => one.at(-1)), first].join('\n');
      cells = [...(held[0]?.slice(0, -1) ?? []), whole, ...line.slice(1)];
    } else yield* held.map(unquoted);
    held = OPENED.test(cells.at(-1) ?? '') ? [cells] : [];
    if (held.length === 0) yield unquoted(cells);
  }
  yield* held.map(unquoted);
}

const withoutReturn = (line: readonly string[]): string[] =>
  line.map((cell, index) => (index === line.length - 1 ? cell.replace(/\r$/, '') : cell));

const unquoted = (line: readonly string[]): string[] =>
  withoutReturn(line).map(cell => QUOTED.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell);

// In place of the parser's messages, which name its own options and show text that may be an address.
const QUOTE_HINT = 'write a quote within a quoted cell twice, as in "35"" screen"';
const PARSER_FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text follows the closing quote of a cell',
  INVALID_OPENING_QUOTE: 'a quote is within a cell that does not begin with a quote',
};

/** `end`: where the fault was seen, if it is not the line on which its row begins. */
const faultWords = (code: string, end: string): string =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? `a quote is never closed: remove it, or ${QUOTE_HINT}`
    : `${PARSER_FAULTS[code] ?? 'its quotes cannot be read'}${end}; ${QUOTE_HINT}`;

/**
 * How the first line is written, and all of the text. Its delimiter is a tab if it has one, else that which it has most often outside
 * quotes.
 */
async function withStyle(
  text: AsyncIterable<string>,
): Promise<{ style: CsvStyle; rest: AsyncIterable<string> }> {
  const chunks = text[Symbol.asyncIterator]();
  let begun = '';
  while (begun.length < MAX_RECORD_LENGTH && !outsideQuotes(begun).includes('\n')) {
    const { done, value } = await chunks.next();
    if (done) break;
    begun += value;
  }
  const outside = outsideQuotes(begun);
  // Some programs end lines with CR alone.
  const hasReturns = outside.includes('\r') && !outside.includes('\n');
  const lined = (text: string) => (hasReturns ? text.replaceAll('\r', '\n') : text);
  const [line = ''] = lined(outside).split('\n');
  const count = (mark: string) => line.split(mark).length - 1;
  const [best = ','] = [',', ';', '|'].sort((a, b) => count(b) - count(a));
  const delimiter = line.includes('\t') ? '\t' : best;
  async function* rest(): AsyncGenerator<string> {
    yield lined(begun);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield lined(next.value);
  }
  return {
    style: {
      delimiter,
      // Nothing but delimiters is outside the quotes.
      isQuoted: begun.trimStart().startsWith('"') && line.trim().replaceAll(delimiter, '') === '',
      lineEnd: line.endsWith('\r') || !begun.includes('\n') ? '\r\n' : '\n',
    },
    rest: rest(),
  };
}

// A quote that is still open may end in the next chunk.
const outsideQuotes = (text: string) => text.trimStart().replace(/"[^"]*(?:"|$)/g, '');

/** A row of a file, written like the others. */
export const csvRow = (
  cells: readonly string[],
  { delimiter, isQuoted = false, lineEnd = '\r\n' }: CsvStyle,
): string =>
  `${cells.map(cell => (isQuoted || /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}${lineEnd}`;
