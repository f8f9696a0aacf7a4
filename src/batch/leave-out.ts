// Which orders, and which of their items, a map leaves out: `skip`, `only` and `skipItems`.
import { shown } from '../text.ts';
import type { BatchInput, Cells, InputMap, InputSettings, NamedRow } from './source.ts';

/** Any cell that is not blank. */
const ANY = '*';

/** The columns that these parts of a map read. */
export const columnsOfCells = ({ skip = {}, only = {}, skipItems = {} }: InputMap): string[] => [
  ...Object.keys(skip),
  ...Object.keys(only),
  ...Object.keys(skipItems),
];

/** The orders that the map keeps. */
export async function* keptRecords(
  input: BatchInput,
  map: InputMap,
  { onLeftOut, onLeftOutItems, onIgnored }: InputSettings,
): BatchInput['records'] {
  for await (const record of input.records) {
    const rows = input.rowsOf(record);
    const why = reasonFor(rows, map);
    if (why !== undefined) {
      onLeftOut?.({ key: input.parse(record).key, line: record.line, why });
      continue;
    }
    const items = rows.filter(row => isNoItem(row, map)).length;
    // Of another operation only keys and ids are read.
    if (items > 0 && !onIgnored) onLeftOutItems?.(items);
    yield record;
  }
}

/** Why the map leaves out an order with these rows; `undefined` if it does not. */
function reasonFor(rows: readonly NamedRow[], map: InputMap): string | undefined {
  const { skip = {}, only = {} } = map;
  for (const [column, cells] of Object.entries(skip)) {
    const found = rows.map(row => textOfCell(row(column))).find(cell => isAmong(cell, cells));
    if (found !== undefined) return `${column} is ${cells.includes(ANY) ? 'not empty' : shown(found)}`;
  }
  for (const [column, cells] of Object.entries(only)) {
    const given = rows.map(row => textOfCell(row(column)));
    // A shop has several exports: what one of them cannot say is no condition.
    const isNoColumn = map.extends !== undefined && rows.every(row => row(column) === undefined);
    if (cells.length === 0 || isNoColumn || given.some(cell => isAmong(cell, cells))) continue;
    const [other] = given.filter(cell => cell !== '');
    return `${column} is ${other === undefined ? 'empty' : shown(other)}`;
  }
  if (rows.length === 0 || !rows.every(row => isNoItem(row, map))) return undefined;
  const [column] = rows.flatMap(row => columnsThatMatch(row, map.skipItems));
  return `${column} leaves no item`;
}

/** Is the row no item that is shipped? */
export const isNoItem = (row: NamedRow, { skipItems }: InputMap): boolean =>
  columnsThatMatch(row, skipItems).length > 0;

const columnsThatMatch = (row: NamedRow, cells: Cells = {}): string[] =>
  Object.keys(cells).filter(column => isAmong(textOfCell(row(column)), cells[column] ?? []));

const isAmong = (cell: string, cells: readonly string[]): boolean =>
  cell !== '' && (cells.includes(ANY) || cells.includes(cell.toLowerCase()));

const textOfCell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
