// The product table that a map names, beside its file.
import { dirname, isAbsolute, join } from 'node:path';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { nearest } from '../nearest.ts';
import { fingerprint } from '../order/build.ts';
import { inputBytes } from '../session/files.ts';
import { shown, someOf } from '../text.ts';
import type { Sample } from './guess-map.ts';
import { inputFormat, readBeginning } from './input.ts';
import type { Lookup } from './input-types.ts';
import type { WrittenMap } from './map-json.ts';

/** Reads the product table, which is beside the map. Rows that contradict each other are reported with the orders of their product. */
export async function readProducts(
  lookup: WrittenMap['lookup'] & object,
  map: string,
  host: Host,
): Promise<Lookup> {
  const { file, key } = lookup;
  const path = isAbsolute(file) || map === '-' ? file : join(dirname(map), file);
  const table = await readBeginning(
    inputBytes(path, host),
    { format: inputFormat(path), name: path, encoding: undefined },
    Number.POSITIVE_INFINITY,
  );
  const issues = headerIssues(lookup, table.header);
  const { products, faults } = productsIn(lookup, issues.length > 0 ? { ...table, rows: [] } : table);
  if (products.size + faults.size === 0 && issues.length === 0)
    issues.push({ path: key, message: 'is empty in all rows, so there is no product' });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the product table ${path} of the map ${map} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      { issues },
    );
  return { ...lookup, products, faults, digest: fingerprint([...products]) };
}

/** The problems of columns that the table does not have, or has twice. */
const headerIssues = (lookup: WrittenMap['lookup'] & object, header: readonly string[]): Issue[] =>
  [lookup.key, ...Object.keys(lookup.columns)].flatMap(title => {
    const places = header.filter(name => name === title).length;
    if (places === 1) return [];
    if (places > 1)
      return { path: title, message: `is in the header of ${lookup.file} twice; rename one of the columns` };
    const suggestion = nearest(title, header);
    const message = `is not a column of ${lookup.file}; its columns are ${someOf(header)}`;
    return { path: title, message, ...(suggestion !== undefined && { suggestion }) };
  });

/**
 * The products by their key. A product may have several rows, such as one for each place of an inventory: their cells are put together, if
 * they do not contradict each other.
 */
function productsIn(
  lookup: WrittenMap['lookup'] & object,
  sample: Sample,
): Pick<Lookup, 'products' | 'faults'> {
  const { header, rows } = sample;
  const { file, key, columns } = lookup;
  const products = new Map<string, readonly string[]>();
  const faults = new Map<string, string>();
  const titles = Object.keys(columns);
  for (const row of rows) {
    const name = row[header.indexOf(key)]?.trim() ?? '';
    const cells = titles.map(title => row[header.indexOf(title)]?.trim() ?? '');
    const before = products.get(name) ?? cells;
    const differsAt = cells.findIndex((cell, index) => cell && before[index] && cell !== before[index]);
    // The cells of a row that is too short or too long may stand under other headers.
    if (row.length !== header.length)
      faults.set(name, `has a row of ${row.length} cells in ${file}, but its header has ${header.length}`);
    else if (differsAt >= 0)
      faults.set(
        name,
        `has rows in ${file} that say two things: ${titles[differsAt]} is ${shown(before[differsAt])} and ${shown(cells[differsAt])}. Correct the table`,
      );
    if (name !== '')
      products.set(
        name,
        before.map((cell, index) => cell || (cells[index] ?? '')),
      );
  }
  for (const name of faults.keys()) products.delete(name);
  return { products, faults };
}
