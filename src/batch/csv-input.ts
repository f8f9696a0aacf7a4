import { cellSettings } from './cells.ts';
import { type Column, columnOf, columnsOf } from './columns.ts';
import { type CsvStyle, csvRow, recordsOf } from './csv.ts';
import { missingColumns, withConstants } from './map.ts';
import { parseRows } from './rows.ts';
import type { Input, InputSettings } from './source.ts';

export function openCsv(text: AsyncIterable<string>, settings: InputSettings): Input {
  const { name, map, packages } = settings;
  let header: readonly string[] = [];
  let columns: Column[] = [];
  let style: CsvStyle = { delimiter: ',' };
  const records = recordsOf(text, {
    name,
    delimiter: map?.delimiter ?? (name.toLowerCase().endsWith('.tsv') ? '\t' : undefined),
    onHeader(found, foundStyle) {
      header = found;
      style = foundStyle;
      const unknown = header.filter(title => !('kind' in columnOf(title, settings)));
      const warnings = missingColumns(map, { header, unknown, name });
      if (warnings.length > 0) settings.onWarnings?.(warnings);
      columns = columnsOf(header, settings);
      const key = columns.findIndex(({ kind }) => kind === 'key');
      // Rows of one key are one record only if a column adds something for each row; else the key is there twice.
      const adds = columns.some(
        one => (one.kind === 'field' && one.inner) || (one.kind === 'package' && one.each),
      );
      // The rows of an order that was written for another operation say nothing here but its key.
      return (adds || settings.onIgnored) && key >= 0 ? key : undefined;
    },
  });
  const addConstants = withConstants(settings);
  const values = cellSettings(settings);
  const rowWith = (error: string, cells: readonly string[]) => {
    const old = header.indexOf('_error');
    // In front: behind a row that is too short it would stand under another header.
    return csvRow([error, ...cells.filter((_, index) => index !== old)], style);
  };
  return {
    records,
    part: 'column',
    parse({ text: rows }) {
      const record = parseRows(JSON.parse(rows), { header, columns, packages, values });
      return { ...record, value: addConstants(record.value) };
    },
    failed: {
      head: () => rowWith('_error', header),
      record: ({ text: rows }, error) =>
        (JSON.parse(rows) as string[][])
          .map((cells, index) => rowWith(index === 0 ? error : '', cells))
          .join(''),
      foot: () => '',
    },
  };
}
