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

/** The row with its text decoded, in place. Throws an error that names the column, and the row if that has an id. */
export function decodeText<Row>(row: Row): Row {
  const cells = row as Record<string, unknown>;
  for (const name in cells) {
    const cell = cells[name];
    if (!(cell instanceof ArrayBuffer)) continue;
    try {
      cells[name] = utf8.decode(cell);
    } catch {
      const id = name !== 'id' && typeof cells.id === 'string' ? ` of ${cells.id}` : '';
      throw new Error(`it is damaged: the text "${name}"${id} is not UTF-8`);
    }
  }
  return row;
}
