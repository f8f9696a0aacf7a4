// The built-in maps of `--map`: each is made from the description of one shop (`Shop`).
import { fromWing } from '../wings.ts';
import type { InputMap } from './input-types.ts';
import { columnsThatGive, type Shop, type Shops } from './shop.ts';
import type { TransformName } from './transform.ts';

/** A map without any rule: it names no column, and leaves nothing out. */
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

/** The transform of a column of a shop, by the path of the field that the column fills. */
const TRANSFORMS: readonly [paths: RegExp, transform: TransformName][] = [
  [/^(receiver|billing)$/, 'name'],
  [/\.phone$/, 'phone'],
  [/\.country\.code$/, 'country'],
  [/\.zipCode$/, 'apostrophe'],
  [/(Price|Value)$/, 'money'],
];

const transformOf = (path: string): TransformName | undefined =>
  TRANSFORMS.find(([paths]) => paths.test(path))?.[1];

/** The built-in map for the export of a shop. */
export function mapOf(name: string | undefined, shop: Shop): InputMap {
  const { fields, skip, only, skipItems, onlyItems, business, marketplace, line, sku, once } = shop;
  const transforms = Object.entries(fields).flatMap(([title, path]) => {
    const transform = transformOf(path);
    return transform ? [[title, transform] as const] : [];
  });
  return {
    extends: name,
    shop,
    columns: columnsThatGive(shop),
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

/** The words that `--map` takes for the shops whose exports are known. */
export const SHOP_NAMES = fromWing('shops')?.names ?? [];

/** The shops whose exports are known. */
export const loadShops = async (): Promise<Shops> => (await fromWing('shops')?.load()) ?? {};
