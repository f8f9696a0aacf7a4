// `--map`: a built-in map, or a file with the product table beside it.

import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { didYouMean } from '../nearest.ts';
import { readObject } from '../session/files.ts';
import { shown, someOf } from '../text.ts';
import { loadShops, mapOf, SHOP_NAMES } from './built-in-maps.ts';
import type { InputMap, InputSettings } from './input-types.ts';
import { parseMap, type WrittenMap } from './map-json.ts';
import { readProducts } from './product-table.ts';

/** The map of `--map`: a built-in one by its name, else a file. Throws `usage`, `invalid_request`, `storage`. */
export async function readMap(written: string, host: Host): Promise<InputMap> {
  const name = written.toLowerCase();
  const shops = await loadShops();
  const shop = shops[name];
  if (shop) return mapOf(name, shop);
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
  return parseMap(await readObject(written, host), written, await loadShops());
}

/** The `keyPrefix` of a map, without reading the product table. Throws as `readMap` does. */
export async function keyPrefixOf(written: string, host: Host): Promise<string> {
  if (SHOP_NAMES.includes(written.toLowerCase())) return '';
  return (await writtenMap(written, host)).keyPrefix ?? '';
}

/** Loads the readers that the map needs: for phone numbers, and for entities of HTML, which exports of shops have. */
export async function readersForMap(map: InputMap): Promise<Pick<InputSettings, 'phones' | 'decode'>> {
  const transforms = Object.values(map.transform);
  const hasEntities = map.extends !== undefined || transforms.includes('html');
  const { decode } = hasEntities ? await import('html-entities') : {};
  return {
    phones: transforms.includes('phone') ? await import('../order/phone.ts') : undefined,
    decode: decode && (text => decode(text, { scope: 'strict' })),
  };
}
