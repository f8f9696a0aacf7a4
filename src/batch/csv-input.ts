import { escapeFormula } from '../output/text.ts';
import { type CellIssue, cellSettings } from './cells.ts';
import { type Column, columnOf, recordColumns } from './columns.ts';
import { type CsvStyle, csvRecords, csvRow } from './csv.ts';
import { isNoItem } from './leave-out.ts';
import { missingColumns, refuseMissing } from './map.ts';
import { parseNamed } from './rows.ts';
import {
  type BatchInput,
  ERROR_COLUMN,
  givenRecordName,
  type InputSettings,
  type NamedRow,
  newRecordName,
  RECORD_COLUMN,
} from './source.ts';

export function openCsv(text: AsyncIterable<string>, settings: InputSettings): BatchInput {
  const { name, map, packages, keyColumn } = settings;
  let header: readonly string[] = [];
  let columns: Column[] = [];
  let style: CsvStyle = { delimiter: ',' };
  const records = csvRecords(text, {
    name,
    delimiter: map?.delimiter ?? (name.toLowerCase().endsWith('.tsv') ? '\t' : undefined),
    onHeader(found, foundStyle) {
      header = found;
      style = foundStyle;
      const unknown = header.filter(title => !('kind' in columnOf(title, settings)));
      if (map && !settings.onIgnored) refuseMissing(map, { header, unknown, name });
      const warnings = missingColumns(map, { header, unknown, name });
      if (warnings.length > 0) settings.onWarnings?.(warnings);
      columns = recordColumns(header, settings);
      const key = columns.findIndex(({ kind }) => kind === 'key');
      // Rows of one key are one record only if a column adds something for each row; else the key is there twice.
      const adds = columns.some(
        one => (one.kind === 'field' && one.inner) || (one.kind === 'package' && one.each),
      );
      // The rows of an order that was written for another operation say nothing here but its key.
      return (adds || settings.onIgnored) && key >= 0 ? key : undefined;
    },
  });
  const named =
    (cells: readonly string[]): NamedRow =>
    title =>
      cells[header.indexOf(title)];
  const isItem = (cells: readonly string[]) => map?.skipItems === undefined || !isNoItem(named(cells), map);
  const productIn = (cells: readonly string[]) =>
    cells[header.indexOf(map?.lookup?.by ?? '')]?.trim() || undefined;
  const reading = { keyColumn, packages, values: cellSettings(settings), isText: true };
  type Rows = readonly (readonly string[])[];
  const givenNames = (rows: Rows) => {
    const at = header.indexOf(RECORD_COLUMN);
    return rows.map(cells => cells[at]);
  };
  const namedCells = (cells: readonly string[]) =>
    header.flatMap((title, index) =>
      title === '' || title.startsWith('_') ? [] : [[title, cells[index] ?? '']],
    );
  const nameOf = (rows: Rows) => givenRecordName(givenNames(rows), []) ?? newRecordName(rows.map(namedCells));
  // In front: behind a row that is too short they would stand under another header.
  const rowWith = (error: string, name: string, cells: readonly string[]) => {
    const others = cells.filter((_, index) => ![ERROR_COLUMN, RECORD_COLUMN].includes(header[index] ?? ''));
    return csvRow([error, name, ...others], style);
  };
  return {
    records,
    part: 'column',
    parse({ text }) {
      const rows: Rows = JSON.parse(text);
      const issues = rows.flatMap((cells): CellIssue[] =>
        cells.length === header.length
          ? []
          : [{ path: '', message: `has ${cells.length} cells, but the header has ${header.length}` }],
      );
      const said = columns.map((column, index) => ({
        title: header[index] ?? '',
        column,
        given: rows.map(cells => (isBlank(cells[index]) ? undefined : cells[index])),
      }));
      const items = {
        rows: rows.flatMap((cells, row) => (isItem(cells) ? row : [])),
        products: map?.lookup && rows.map(productIn),
      };
      const record = parseNamed(said, items, reading, issues);
      const recordName = givenRecordName(givenNames(rows), record.issues);
      return { ...record, recordName, ...(!rows.every(isItem) && { isPart: true }) };
    },
    rowsOf: ({ text }) => (JSON.parse(text) as Rows).map(named),
    nameOf: ({ text }) => nameOf(JSON.parse(text)),
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

const isBlank = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';
