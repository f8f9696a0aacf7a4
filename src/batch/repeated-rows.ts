// Finds orders that are in a CSV twice, or that lack a row.

import { shown } from '../text.ts';
import type { CellIssue } from './cells.ts';
import type { Column } from './columns.ts';
import { isBlank } from './csv.ts';
import type { InputMap, RowKind } from './input-types.ts';

/** The columns by which an order is read. */
interface OrderColumns {
  header: readonly string[];
  titles: readonly string[];
  columns: readonly Column[];
  /** The line of the file that a row of the order is on. */
  lineOf(row: number): number;
}

/**
 * Reports an order with a line that is there twice, so that its parcel would have double the goods. Ids of lines, and columns that only one
 * row of an order has, prove it: a problem. Equal rows alone are a warning, because an order may have two equal lines.
 */
export function repeatedLines(
  rows: readonly (readonly string[])[],
  kinds: readonly RowKind[],
  order: OrderColumns,
  map: InputMap | undefined,
): { problems: CellIssue[]; warnings: string[] } {
  const { header, titles, columns, lineOf } = order;
  const isLine = rows.map((_, row) => kinds[row] !== 'none');
  const placeOf = (title: string | undefined) => (title === undefined ? -1 : titles.indexOf(title));
  const textsIn = (title: string | undefined) => rows.map(cells => cells[placeOf(title)]?.trim() ?? '');
  /** Two rows with the same text: the later one, and the one before. */
  const repeated = (texts: readonly string[]): [row: number, first: number] | undefined => {
    const row = texts.findIndex((text, row) => text !== '' && texts.indexOf(text) < row);
    return row < 0 ? undefined : [row, texts.indexOf(texts[row] ?? '')];
  };
  const problem = (at: number, says: string, [row, first]: [number, number]) => ({
    problems: [
      {
        path: header[at] ?? '',
        message: `${says} on lines ${lineOf(first)} and ${lineOf(row)}: it is in the file twice; remove one of them`,
      },
    ],
    warnings: [],
  });
  const ids = textsIn(map?.line).map((id, row) => (isLine[row] ? id : ''));
  const sameId = repeated(ids);
  if (sameId) return problem(placeOf(map?.line), `is ${shown(ids[sameId[0]])}`, sameId);
  // Lines with different ids are different lines, whatever else their rows have.
  if (ids.every((id, row) => id !== '' || !isLine[row])) return { problems: [], warnings: [] };
  const [first, again] = textsIn(map?.once).flatMap((cell, row) => (cell === '' ? [] : row));
  if (first !== undefined && again !== undefined)
    return problem(placeOf(map?.once), 'stands', [again, first]);
  const sameRow = repeated(rows.map((cells, row) => (ids[row] === '' ? JSON.stringify(cells) : '')));
  // Where some rows leave out a field of the order, an equal row that repeats the field is the same row again.
  const ofOrder = columns.findIndex(
    (column, at) =>
      sameRow !== undefined &&
      column.kind === 'field' &&
      column.inner === undefined &&
      !isBlank(rows[sameRow[0]]?.[at]) &&
      rows.some(cells => isBlank(cells[at])),
  );
  if (sameRow && ofOrder >= 0) return problem(ofOrder, 'stands in equal rows', sameRow);
  const isDoubt = sameRow !== undefined && isLine[sameRow[0]];
  return { problems: [], warnings: isDoubt ? [EQUAL_ROWS] : [] };
}

/** The problem of an order whose items have more or fewer pieces than a row above them counts. */
export function miscounted(
  rows: readonly (readonly string[])[],
  kinds: readonly RowKind[],
  columns: readonly Column[],
  header: readonly string[],
): CellIssue[] {
  const quantityAt = columns.findIndex(column => column.kind === 'field' && column.inner?.[0] === 'quantity');
  const counts = rows.map(cells => (isBlank(cells[quantityAt]) ? 0 : Number(cells[quantityAt])));
  const pieces = counts.reduce((sum, count, row) => (kinds[row] === 'none' ? sum : sum + count), 0);
  const row = counts.findIndex((count, row) => kinds[row] === 'none' && count > 0 && count !== pieces);
  if (row < 0 || Number.isNaN(pieces)) return [];
  const message = `is ${counts[row]} in row ${row + 1} of the order, but its items have ${pieces}; export the file again, or correct what is wrong`;
  return [{ path: header[quantityAt] ?? '', message }];
}

const EQUAL_ROWS =
  'the order has two equal rows, and so the goods of both; if files were joined, remove what is in the file twice';
