// A product table: what its rows say of each product.

import { dirname, isAbsolute, join } from 'node:path';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { nearest } from '../nearest.ts';
import { fingerprint } from '../order/build.ts';
import { inputBytes } from '../session/files.ts';
import { shown, someOf } from '../text.ts';
import { inputFormat, readBeginning } from './input.ts';
import type { WrittenLookup } from './parse-map.ts';
import type { Lookup } from './source.ts';

type Table = Awaited<ReturnType<typeof readBeginning>>;

/** Reads the table of a lookup, which is beside the map. Throws `invalid_request` with all issues. */
export async function readProducts(lookup: WrittenLookup, map: string, host: Host): Promise<Lookup> {
  const { file, key } = lookup;
  const path = isAbsolute(file) || map === '-' ? file : join(dirname(map), file);
  const table = await readBeginning(
    inputBytes(path, host),
    { format: inputFormat(path), name: path, encoding: undefined },
    Number.POSITIVE_INFINITY,
  );
  const issues = columnIssues(table, lookup);
  if (issues.length === 0) issues.push(...rowIssues(table, lookup));
  const { products, differing } = productsIn(table, lookup);
  if (products.size === 0 && issues.length === 0)
    issues.push({ path: key, message: 'is empty in all rows, so there is no product' });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the product table ${path} of the map ${map} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      { issues: issues.slice(0, MOST_LISTED) },
    );
  return { ...lookup, products, differing, digest: fingerprint([...products, ...differing]) };
}

const MOST_LISTED = 50;

/** Of columns that the lookup names, and the table has not, or twice. */
function columnIssues({ header }: Table, { file, key, columns }: WrittenLookup): Issue[] {
  return [key, ...Object.keys(columns)].flatMap((title): Issue[] => {
    const places = header.filter(name => name === title).length;
    if (places === 1) return [];
    if (places > 1)
      return [{ path: title, message: `is in the header of ${file} twice; rename one of the columns` }];
    const suggestion = nearest(title, header);
    const message = `is not a column of ${file}; its columns are ${someOf(header)}`;
    return [{ path: title, message, ...(suggestion !== undefined && { suggestion }) }];
  });
}

/** Of rows whose cells may stand under other headers. */
const rowIssues = ({ header, rows }: Table, { key }: WrittenLookup): Issue[] =>
  rows
    .filter(({ length }) => length !== header.length)
    .map(row => ({
      path: key,
      message: `${shown(row[header.indexOf(key)]?.trim() ?? '')} has a row of ${row.length} cells, but the header has ${header.length}`,
    }));

/**
 * The cells of each product under the columns that are looked up. It may have several rows, such as one for each place where it is in
 * stock: what they say together counts, and where they contradict each other is told of an order that has it.
 */
function productsIn(
  { header, rows }: Table,
  { key, columns }: WrittenLookup,
): Pick<Lookup, 'products' | 'differing'> {
  const titles = Object.keys(columns);
  const products = new Map<string, string[]>();
  const differing = new Map<string, string>();
  for (const row of rows) {
    const name = row[header.indexOf(key)]?.trim() ?? '';
    if (name === '') continue;
    const cells = titles.map(title => row[header.indexOf(title)]?.trim() ?? '');
    const before = products.get(name) ?? cells;
    const at = cells.findIndex(
      (cell, index) => cell !== '' && before[index] !== '' && cell !== before[index],
    );
    if (at >= 0 && !differing.has(name))
      differing.set(name, `${titles[at]} is ${shown(before[at])} and ${shown(cells[at])}`);
    products.set(
      name,
      before.map((cell, index) => cell || (cells[index] ?? '')),
    );
  }
  return { products, differing };
}
