// The driver ends the process with a signal when it reads text that is not UTF-8, as one flipped bit on a disk makes it.
// So text is read as bytes and decoded here.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The same query with all text as bytes. `columns`: the names of its columns. */
export function withBytes(query: string, columns: readonly string[]): string {
  const list = columns.map(
    name => `CASE typeof("${name}") WHEN 'text' THEN CAST("${name}" AS BLOB) ELSE "${name}" END AS "${name}"`,
  );
  return `SELECT ${list.join(', ')} FROM (${query})`;
}

/** The row of these cells, its text decoded. Throws an error that names the column, and the row if that has an id. */
export function rowOf<Row>(names: readonly string[], cells: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  names.forEach((name, index) => {
    const cell = cells[index];
    try {
      row[name] = cell instanceof Uint8Array ? utf8.decode(cell) : cell;
    } catch {
      const id = name !== 'id' && typeof row.id === 'string' ? ` of ${row.id}` : '';
      throw new Error(`it is damaged: the text "${name}"${id} is not UTF-8`);
    }
  });
  return row as Row;
}
