// Reads the orders of a CSV: rows with the same key are one order.

import { escapeFormula } from '../output/text.ts';
import { type CellIssue, cellSettings } from './cells.ts';
import { type Column, columnOf, isNote, recordColumns } from './columns.ts';
import {
  type CsvStyle,
  csvHead,
  csvRow,
  hasQuotes,
  isBlank,
  type Row,
  shownCell,
  swallowedIn,
  tableRows,
} from './csv.ts';
import { lineFailure } from './encoding.ts';
import type { BatchInput, InputSettings, NamedRow, ParsedRecord, RawRecord, RowKind } from './input-types.ts';
import { lackingCells, rowKind, stateContradictions } from './left-out.ts';
import { missingColumns, refuseWithoutGoods, titlesIn } from './map-columns.ts';
import { TEXT_SUMS } from './order-amounts.ts';
import { type NamedValue, parseRecord, UNSORTED } from './parse-record.ts';
import { ERROR_COLUMN, givenRecordName, newRecordName, RECORD_COLUMN } from './record-name.ts';
import { miscounted, repeatedLines } from './repeated-rows.ts';
import { titlesOf } from './shop.ts';
import { type KeyedRecord, wholeOrders } from './whole-orders.ts';
import { decimalSign } from './written-amounts.ts';

type Cells = readonly string[];

/** How the rows of a file are read, by its header and the map. */
interface OrderTable {
  header: Cells;
  /** For each header of the file, the header of the map that means the same. */
  titles: Cells;
  /** The index of the first column with each title. */
  placeOf: ReadonlyMap<string, number>;
  columns: readonly Column[];
  style: CsvStyle;
  /** The index of the key column, if rows with the same key are one order. */
  keyAt: number | undefined;
  /** The indexes of the receiver's columns: a row without a key that fills one of them may be an order of its own. */
  receiverAt: readonly number[];
  reading: Parameters<typeof parseRecord>[1];
  settings: InputSettings;
}

export function openCsv(text: AsyncIterable<string>, settings: InputSettings): BatchInput {
  const { name, host } = settings;
  const file = { table: tableWith([], { delimiter: ',' }, settings) };
  const orders = ordersIn(text, settings, file);
  return {
    records: host ? wholeOrders(orders, name, host) : orders,
    part: 'column',
    header: () => JSON.stringify(file.table.header),
    headerOf: title => headerOf(title, file.table),
    isMisread: record => isMisread(record, file.table),
    parse: record => parsedOrder(record, file.table),
    rowsOf: record => rowsShown(rowsIn(record), file.table).map(cells => namedRow(cells, file.table)),
    failed: {
      head: () =>
        csvHead(
          [ERROR_COLUMN, RECORD_COLUMN, ...cellsOfInput(file.table.header, file.table)],
          file.table.style,
        ),
      record: (record, error) => failedRows(record, error, file.table),
      foot: () => '',
    },
  };
}

// How the header is read.

/** How rows are read under a header. Throws `invalid_request` if the header does not fit the operation, or the map. */
function tableOf(header: Cells, style: CsvStyle, settings: InputSettings): OrderTable {
  const { map, name } = settings;
  const table = tableWith(header, style, settings);
  const { titles } = table;
  const unknown = titles.filter(title => !('kind' in columnOf(title, settings)));
  const warnings = missingColumns(map, { header: titles, unknown, name }, settings.ignoresOthers);
  if (warnings.length > 0) settings.onWarnings?.(warnings);
  const columns = recordColumns(titles, settings);
  refuseWithoutGoods({ header, titles, columns }, settings);
  const keyAt = columns.findIndex(({ kind }) => kind === 'key');
  // Rows with the same key are one record only if a column gives something for each row, such as an item; else each row is a record.
  const addsByRow =
    titles.includes(map?.lookup?.by ?? '') ||
    columns.some(
      column => (column.kind === 'field' && column.inner) || (column.kind === 'package' && column.each),
    );
  // An input that was written for another operation is read for its keys alone.
  const isGrouped = keyAt >= 0 && (addsByRow || settings.ignoresOthers);
  const receiverAt = columns.flatMap((column, at) =>
    column.kind === 'field' && column.path[0] === 'receiver' ? [at] : [],
  );
  return { ...table, columns, keyAt: isGrouped ? keyAt : undefined, receiverAt };
}

/** The table as the header alone gives it: what its columns mean is filled in later. */
function tableWith(header: Cells, style: CsvStyle, settings: InputSettings): OrderTable {
  const { keyColumn, packages, map } = settings;
  const meant = header.map(titlesOf(map?.shop, map && titlesIn(map)));
  const titles = meant.map((title, index) => (meant.indexOf(title) < index ? (header[index] ?? '') : title));
  return {
    header,
    titles,
    placeOf: new Map([...titles.entries()].reverse().map(([place, title]) => [title, place])),
    columns: [],
    style,
    keyAt: undefined,
    receiverAt: [],
    reading: { keyColumn, packages, values: cellSettings(settings), isText: true },
    settings,
  };
}

const headerOf = (title: string, table: OrderTable): string =>
  table.header[table.titles.indexOf(title)] ?? title;

/** Gives the cells of a row by the headers of the map. */
const namedRow =
  (cells: Cells, table: OrderTable): NamedRow =>
  title =>
    cells[table.placeOf.get(title) ?? -1];

// How rows become orders.

const MAX_ROWS = 1000;

/** The orders, each from rows that stand together; `file.table` is set when the header is read. Throws `invalid_request`. */
async function* ordersIn(
  text: AsyncIterable<string>,
  settings: InputSettings,
  file: { table: OrderTable },
): AsyncGenerator<KeyedRecord> {
  const { name, longest, map } = settings;
  const footer = map?.shop?.footer ?? [];
  let order: Row[] = [];
  const rows = tableRows(text, { name, longest }, (header, style) => {
    file.table = tableOf(header, style, settings);
  });
  for await (const row of rows) {
    if (isFooter(row.cells, footer)) continue;
    if (!isNextRow(row, order[0], file.table)) {
      if (order.length > 0) yield rawOrder(order, file.table);
      order = [];
    }
    order.push(row);
    if (order.length > MAX_ROWS) throw lineFailure(name, row.line, `an order has more than ${MAX_ROWS} rows`);
  }
  if (order.length > 0) yield rawOrder(order, file.table);
}

/** The key in a row; `undefined` if each row is an order. */
const keyOfRow = (cells: Cells, table: OrderTable): string | undefined =>
  table.keyAt === undefined ? undefined : shownCell(cells[table.keyAt] ?? '').trim();

/** Does a row belong to the order that begins with `first`? A stray row counts to the order above, which may be the one that lacks it. */
function isNextRow(row: Row, first: Row | undefined, table: OrderTable): boolean {
  const { cells } = row;
  const orderKey = first && keyOfRow(first.cells, table);
  return Boolean(orderKey) && (keyOfRow(cells, table) === orderKey || isStray(cells, table));
}

/** Has a row neither a key nor a cell of a receiver? */
const isStray = (cells: Cells, table: OrderTable): boolean =>
  keyOfRow(cells, table) === '' &&
  table.receiverAt.length > 0 &&
  table.receiverAt.every(at => isBlank(cells[at]));

function rawOrder(rows: readonly Row[], table: OrderTable): KeyedRecord {
  const [{ line, cells } = { line: 1, cells: [] }] = rows;
  const key = keyOfRow(cells, table);
  return {
    line,
    lines: rows.map(row => row.line),
    text: JSON.stringify(rows.map(row => row.cells)),
    ...(key && { key }),
    ...(isStray(cells, table) && { isStray: true }),
  };
}

/** Is a row the end of a report? A row with many cells is an order, whatever words it has. */
function isFooter(cells: Cells, footer: readonly string[]): boolean {
  const filled = cells.filter(cell => !isBlank(cell)).map(cell => cell.toLowerCase());
  return filled.length < 10 && filled.slice(0, 2).some(cell => footer.some(words => cell.includes(words)));
}

const rowsIn = (record: RawRecord): readonly Cells[] => JSON.parse(record.text);

/** The rows with each cell as a spreadsheet shows it; in the export of a shop, without entities of HTML. */
function rowsShown(rows: readonly Cells[], table: OrderTable): Cells[] {
  const { settings } = table;
  const decode = settings.map?.extends ? settings.decode : undefined;
  const cellShown = (cell: string) => {
    const text = shownCell(cell);
    return decode && text.includes('&') ? decode(text) : text;
  };
  return rows.map(cells => cells.map(cellShown));
}

// How the record of an order is read.

function parsedOrder(raw: RawRecord, table: OrderTable): ParsedRecord {
  const { titles, columns, reading, settings } = table;
  const { map } = settings;
  const unshown = rowsIn(raw);
  const rows = rowsShown(unshown, table);
  const kinds = kindsOf(rows, table);
  const issues = [
    ...widthIssues(rows, table),
    ...keylessIssues(rows, table),
    ...(settings.ignoresOthers ? [] : goodsIssues(rows, kinds, table)),
  ];
  const textsIn = (title: string) =>
    rows.map(cells => namedRow(cells, table)(title)).map(cell => String(cell ?? '').trim());
  const order = {
    values: columns.map((column, index) => namedValue(column, index, rows, table)),
    kinds,
    products: map?.lookup && textsIn(map.lookup.by).map(product => product || undefined),
    lineIds: titles.includes(map?.line ?? '') ? textsIn(map?.line ?? '') : [],
  };
  const values = { ...reading.values, sign: map?.decimal ?? signOfAmounts(rows, columns) };
  const record = parseRecord(order, { ...reading, values }, issues);
  // If an order lacks rows, or has rows of another order, only this problem is reported: other problems may follow from it.
  const { problems, warnings } = misreadRows(raw, rows, kinds, table);
  const misread = raw.apart ? [apartIssue(raw.apart, table)] : problems;
  if (misread.length > 0) record.issues = misread;
  const recordName = givenRecordName(recordNamesIn(unshown, table), record.issues);
  return {
    ...record,
    recordName,
    nameInFailed: () => recordName ?? nameByCells(unshown, table),
    readingWarnings: [...(record.readingWarnings ?? []), ...warnings],
    ...(kinds.includes('unshipped') && { isPart: true }),
    ...(misread.length > 0 && { isMisread: true }),
  };
}

const kindsOf = (rows: readonly Cells[], table: OrderTable): RowKind[] => {
  const { map } = table.settings;
  return rows.map(cells => (map === undefined ? 'item' : rowKind(namedRow(cells, table), map)));
};

/** What stands in the rows of an order under one header. */
function namedValue(column: Column, index: number, rows: readonly Cells[], table: OrderTable): NamedValue {
  const { header } = table;
  const { after = [] } = column;
  const isOfOrder = column.kind === 'field' && !column.inner;
  // A field of the whole order comes from one column: if a column that goes first has a cell in any row, this column does not count.
  const isToldBefore = (cells: Cells) =>
    after.some(before => (isOfOrder ? rows : [cells]).some(row => !isBlank(row[before])));
  return {
    title: header[index] ?? '',
    column,
    cells: rows.map(cells => (isBlank(cells[index]) || isToldBefore(cells) ? undefined : cells[index])),
  };
}

/** The decimal sign of an order: the first one that its amounts show. */
function signOfAmounts(rows: readonly Cells[], columns: readonly Column[]): string | undefined {
  const isAmount = (column: Column) =>
    (column.kind === 'sum' && !TEXT_SUMS.includes(column.name)) ||
    (column.kind === 'field' && column.transform === 'money');
  return columns
    .flatMap((column, index) => (isAmount(column) ? rows.map(cells => decimalSign(cells[index] ?? '')) : []))
    .find(sign => sign !== undefined);
}

// How problems of an order are found.

function widthIssues(rows: readonly Cells[], table: OrderTable): CellIssue[] {
  const { header, style } = table;
  return rows.flatMap(({ length }) => {
    if (length === header.length) return [];
    const why = hasQuotes(style) || length < header.length ? '' : ' (a tab ends a cell, in quotes, too)';
    return { path: '', message: `has ${length} cells, but the header has ${header.length}${why}` };
  });
}

function keylessIssues(rows: readonly Cells[], table: OrderTable): CellIssue[] {
  const { header, keyAt } = table;
  const row = keyAt === undefined ? -1 : rows.findIndex(cells => isBlank(cells[keyAt]));
  if (keyAt === undefined || row <= 0) return [];
  const message = `is empty in row ${row + 1} of the order: nobody knows whose row it is. Fill it in, or remove the row`;
  return [{ path: header[keyAt] ?? '', message }];
}

/** Problems with the goods of an order, or with the status that the shop gives the order. */
function goodsIssues(rows: readonly Cells[], kinds: readonly RowKind[], table: OrderTable): CellIssue[] {
  const { header, columns, settings } = table;
  const { map } = settings;
  const namedRows = rows.map(cells => namedRow(cells, table));
  const lacking = namedRows.flatMap((row, index) =>
    (map ? lackingCells(row, map) : []).map(title => ({
      path: headerOf(title, table),
      message: `is empty in row ${index + 1} of the order, which has an item; fill it in, or remove the row if nothing of it is to be sent`,
    })),
  );
  return [
    ...miscounted(rows, kinds, columns, header),
    ...stateContradictions(namedRows, map, title => headerOf(title, table)),
    ...lacking,
  ];
}

function isMisread(record: RawRecord, table: OrderTable): boolean {
  const rows = rowsShown(rowsIn(record), table);
  return misreadRows(record, rows, kindsOf(rows, table), table).problems.length > 0;
}

/** Problems and warnings which show that an order contains rows of another order, or has a line twice. */
function misreadRows(
  record: RawRecord,
  rows: readonly Cells[],
  kinds: readonly RowKind[],
  table: OrderTable,
): ReturnType<typeof repeatedLines> {
  const { line, lines = [] } = record;
  const { header, style, settings } = table;
  const lineOf = (row: number) => lines[row] ?? line;
  const problems = rows.flatMap(
    (cells, row) => swallowedIn({ line: lineOf(row), cells }, header, style) ?? [],
  );
  if (problems.length > 0 || settings.ignoresOthers) return { problems, warnings: [] };
  return repeatedLines(rows, kinds, { ...table, lineOf }, settings.map);
}

function apartIssue(lines: readonly number[], table: OrderTable): CellIssue {
  const { header, keyAt = 0 } = table;
  const before = lines.slice(0, -1).slice(0, 10).join(', ');
  return {
    path: header[keyAt] ?? '',
    message: `is on lines ${before} and ${lines.at(-1)}: ${UNSORTED}, or remove what is in the file twice`,
  };
}

// How an order is written to the file of --failed.

const recordNamesIn = (rows: readonly Cells[], table: OrderTable): (string | undefined)[] =>
  rows.map(cells => cells[table.header.indexOf(RECORD_COLUMN)]);

/** The name for a record that came without one, made from its cells as they stand in the file, without notes. */
const nameByCells = (rows: readonly Cells[], table: OrderTable): string =>
  newRecordName(
    rows.map(cells =>
      table.header.flatMap((title, index) =>
        title === '' || isNote(table.titles[index] ?? title, table.settings.map)
          ? []
          : [[title, cells[index] ?? '']],
      ),
    ),
  );

/** The cells of a row without the two cells that an earlier --failed put in front. */
const cellsOfInput = (cells: Cells, table: OrderTable): string[] =>
  cells.filter((_, index) => ![ERROR_COLUMN, RECORD_COLUMN].includes(table.header[index] ?? ''));

function failedRows(record: RawRecord, error: string, table: OrderTable): string {
  const rows = rowsIn(record);
  const names = recordNamesIn(rows, table);
  const name = givenRecordName(names, []) ?? nameByCells(rows, table);
  return rows
    .map((cells, row) => {
      // Error and name stand in front of the row: behind a row with too few cells they would stand under other headers.
      const notes = [row === 0 ? escapeFormula(error) : '', names[row]?.trim() || name];
      return csvRow([...notes, ...cellsOfInput(cells, table)], table.style);
    })
    .join('');
}
