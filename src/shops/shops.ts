// The shops whose exports are known, by their word for --map.
import { folded } from '../text.ts';
import { AMAZON } from './amazon.ts';
import { EBAY } from './ebay.ts';
import { ETSY } from './etsy.ts';
import type { Shop } from './shop.ts';
import { SHOPIFY } from './shopify.ts';
import { WOOCOMMERCE } from './woocommerce.ts';

const ALL: Readonly<Record<string, Shop>> = {
  shopify: SHOPIFY,
  etsy: ETSY,
  woocommerce: WOOCOMMERCE,
  amazon: AMAZON,
  ebay: EBAY,
};

export const SHOP_NAMES = Object.keys(ALL);

/** The shop of that name. */
export const shopNamed = (name: string | undefined): Shop | undefined =>
  name !== undefined && Object.hasOwn(ALL, name) ? ALL[name] : undefined;

/** Every column of its exports. */
export const columnsOfShop = ({
  fields,
  amounts,
  decides = [],
  saysNothing,
  line,
  sku,
  once,
  ...shop
}: Shop): string[] => {
  const cells = [shop.skip, shop.only, shop.skipItems, shop.onlyItems, shop.business];
  const titles = [fields, amounts, ...cells].flatMap(columns => Object.keys(columns ?? {}));
  return [
    ...new Set([
      ...titles,
      ...decides,
      ...saysNothing,
      ...[line, sku, once].filter(title => title !== undefined),
    ]),
  ];
};

/** Gives the column of a shop that a header of a file means: in another case of letters, or in another language. */
export function titlesOf(
  shop: Shop | undefined,
  headersOfMap: readonly string[] = [],
): (header: string) => string {
  if (shop === undefined) return header => header;
  const parts = new Map<string, string>();
  for (const [english, words] of Object.entries(shop.words ?? {}))
    for (const word of [english, ...words]) parts.set(folded(word), english);
  const known = new Map(columnsOfShop(shop).map(title => [folded(title), title]));
  const english = (part: string) => parts.get(folded(part.trim())) ?? part.trim();
  return header => {
    if (headersOfMap.includes(header)) return header;
    const [, before = header, inner] = /^(.*?)\s*(?:\((.*)\))?$/s.exec(header) ?? [];
    const whole = inner === undefined ? english(before) : `${english(before)} (${english(inner)})`;
    return known.get(folded(whole)) ?? header;
  };
}

/** The shop whose export has these headers. */
export function shopOf(header: readonly string[]): { name: string; title: string } | undefined {
  const found = Object.entries(ALL).find(([, shop]) => {
    const titles = header.map(titlesOf(shop));
    return shop.marks.every(mark => titles.includes(mark));
  });
  return found && { name: found[0], title: found[1].title };
}
