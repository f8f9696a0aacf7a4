// `--map`: a built-in map, or a file with the product table beside it.

import { dirname, isAbsolute, join } from 'node:path';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { didYouMean, nearest } from '../nearest.ts';
import { fingerprint } from '../order/build.ts';
import { inputBytes, readObject } from '../session/files.ts';
import { SHOP_NAMES } from '../shops/shops.ts';
import { shown, someOf } from '../text.ts';
import { inputFormat, readBeginning } from './input.ts';
import { parseMap, type WrittenMap } from './map.ts';
import { SHOPS } from './maps.ts';
import type { InputMap, Lookup } from './source.ts';

/** The map of `--map`: a built-in one by its name, else a file. Throws `usage`, `invalid_request`, `storage`. */
export async function readMap(given: string, host: Host): Promise<InputMap> {
  const shop = SHOPS.get(given.toLowerCase());
  if (shop) return shop.map;
  const { lookup, ...map } = await writtenMap(given, host);
  return lookup ? { ...map, lookup: await readProducts(lookup, given, host) } : map;
}

/** The map in a file. */
async function writtenMap(given: string, host: Host): Promise<WrittenMap> {
  if (!/[./\\]/.test(given) && given !== '-')
    throw new Failure(
      'usage',
      `--map ${shown(given)}: there is no built-in map of that name${didYouMean(given, SHOP_NAMES)}`,
      {
        hint: `The built-in maps are ${someOf(SHOP_NAMES)}; a file is named with a dot or a slash, such as ./${given}`,
      },
    );
  return parseMap(await readObject(given, host), given);
}

/** What a map puts before the number of each order. Throws as `readMap` does; the product table is not read. */
export async function keyPrefixOf(given: string, host: Host): Promise<string> {
  if (SHOPS.has(given.toLowerCase())) return '';
  return (await writtenMap(given, host)).keyPrefix ?? '';
}

/** Reads the product table, which is beside the map. */
async function readProducts(lookup: WrittenMap['lookup'] & object, map: string, host: Host): Promise<Lookup> {
  const { file, key, columns } = lookup;
  const path = isAbsolute(file) || map === '-' ? file : join(dirname(map), file);
  const { header, rows } = await readBeginning(
    inputBytes(path, host),
    { format: inputFormat(path), name: path, encoding: undefined },
    Number.POSITIVE_INFINITY,
  );
  const issues: Issue[] = [];
  for (const title of [key, ...Object.keys(columns)]) {
    const places = header.filter(one => one === title).length;
    if (places === 1) continue;
    const suggestion = places === 0 ? nearest(title, header) : undefined;
    const message =
      places === 0
        ? `is not a column of ${file}; its columns are ${someOf(header)}`
        : `is in the header of ${file} twice; rename one of the columns`;
    issues.push({ path: title, message, ...(suggestion !== undefined && { suggestion }) });
  }
  const keyAt = header.indexOf(key);
  const products = new Map<string, readonly string[]>();
  const twice = new Set<string>();
  const odd: Issue[] = [];
  for (const row of issues.length > 0 ? [] : rows) {
    const name = row[keyAt]?.trim() ?? '';
    // Its cells may stand under other headers.
    if (row.length !== header.length)
      odd.push({
        path: key,
        message: `${shown(name)} has a row of ${row.length} cells, but the header has ${header.length}`,
      });
    if (products.has(name)) twice.add(name);
    if (name !== '')
      products.set(
        name,
        Object.keys(columns).map(title => row[header.indexOf(title)] ?? ''),
      );
  }
  for (const name of twice)
    issues.push({ path: key, message: `is ${shown(name)} in several rows; a product has one row` });
  issues.push(...odd);
  if (products.size === 0 && issues.length === 0)
    issues.push({ path: key, message: 'is empty in all rows, so there is no product' });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      `the product table ${path} of the map ${map} has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      { issues: issues.slice(0, MOST_LISTED) },
    );
  return { ...lookup, products, digest: fingerprint([...products]) };
}

const MOST_LISTED = 50;
