// `--map`: a built-in map, or a file with the product table beside it.

import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { didYouMean } from '../nearest.ts';
import { readObject } from '../session/files.ts';
import { SHOP_NAMES } from '../shops/shops.ts';
import { shown, someOf } from '../text.ts';
import { SHOPS } from './maps.ts';
import { parseMap, type WrittenMap } from './parse-map.ts';
import { readProducts } from './products.ts';
import type { InputMap } from './source.ts';

/** The map of `--map`: a built-in one by its name, else a file. Throws `usage`, `invalid_request`, `storage`. */
export async function readMap(written: string, host: Host): Promise<InputMap> {
  const shop = SHOPS.get(written.toLowerCase());
  if (shop) return shop.map;
  const { lookup, ...map } = await writtenMap(written, host);
  return lookup ? { ...map, lookup: await readProducts(lookup, written, host) } : map;
}

/** The map in a file. */
async function writtenMap(written: string, host: Host): Promise<WrittenMap> {
  if (!/[./\\]/.test(written) && written !== '-')
    throw new Failure(
      'usage',
      `--map ${shown(written)}: there is no built-in map of that name${didYouMean(written, SHOP_NAMES)}`,
      {
        hint: `The built-in maps are ${someOf(SHOP_NAMES)}; a file is named with a dot or a slash, such as ./${written}`,
      },
    );
  return parseMap(await readObject(written, host), written);
}

/** What a map puts before the number of each order. Throws as `readMap` does; the product table is not read. */
export async function keyPrefixOf(written: string, host: Host): Promise<string> {
  if (SHOPS.has(written.toLowerCase())) return '';
  return (await writtenMap(written, host)).keyPrefix ?? '';
}
