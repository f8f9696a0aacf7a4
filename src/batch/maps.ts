// The maps that are built in, made of the tables of the shops.
import type { Shop } from '../shops/shop.ts';
import { SHOP_NAMES, shopNamed } from '../shops/shops.ts';
import type { InputMap } from './source.ts';
import type { TransformName } from './transform.ts';

/** A map that says nothing. */
export const EMPTY_MAP: InputMap = {
  columns: {},
  constants: {},
  transform: {},
  skip: {},
  only: {},
  skipItems: {},
  onlyItems: {},
  business: {},
};

/** What the cells of a shop become, by what they give. */
const TRANSFORMS: readonly [paths: RegExp, transform: TransformName][] = [
  [/^(receiver|billing)$/, 'name'],
  [/\.phone$/, 'phone'],
  [/\.country\.code$/, 'country'],
  [/\.zipCode$/, 'apostrophe'],
  [/(Price|Value)$/, 'money'],
];

const transformOf = (path: string): TransformName | undefined =>
  TRANSFORMS.find(([paths]) => paths.test(path))?.[1];

function mapOf(name: string, shop: Shop): InputMap {
  const { fields, amounts, skip, only, skipItems, onlyItems, business, marketplace, line, sku, once } = shop;
  const transforms = Object.entries(fields).flatMap(([title, path]) => {
    const transform = transformOf(path);
    return transform ? [[title, transform] as const] : [];
  });
  return {
    extends: name,
    columns: { ...fields, ...amounts },
    constants: {},
    transform: Object.fromEntries(transforms),
    others: '_',
    skip: skip ?? {},
    only: only ?? {},
    skipItems: skipItems ?? {},
    onlyItems: onlyItems ?? {},
    business: business ?? {},
    marketplace,
    line,
    sku,
    once,
  };
}

/** The shops, each with its map, by their words for --map. */
export const SHOPS: ReadonlyMap<unknown, Shop & { map: InputMap }> = new Map(
  SHOP_NAMES.flatMap(name => {
    const shop = shopNamed(name);
    return shop ? [[name, { ...shop, map: mapOf(name, shop) }] as const] : [];
  }),
);
