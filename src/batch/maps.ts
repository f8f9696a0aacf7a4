// The maps that are built in (shops.json): what the columns of a shop's own export mean, and which of its orders are not to be
// shipped. What an export does not tell has no entry: nothing is assumed for customs.
import { folded } from '../text.ts';
import BUILT_IN from './shops.json';
import type { InputMap } from './source.ts';

interface Shop {
  title: string;
  /** Headers that together only its exports have. */
  marks: readonly string[];
  map: InputMap;
  /** Columns of its exports for which the service has no field. Any other that the map does not name is warned of. */
  unused: readonly string[];
  /** Headers, and parts of them, in other languages: the English ones first. In lower case, without accents. */
  words?: Readonly<Record<string, readonly string[]>>;
  /** What rows at the end of its exports say that are no orders. */
  footer?: readonly string[];
  /** Columns without which an export is another report, and which one to download. */
  needs?: Readonly<Record<string, string>>;
  /** A price of pieces that may be after the discount of the order, and the columns that show whether it is. */
  discounted?: { price: string; telling: string };
  /** Its exports have prices without tax, also where its customers see them with it. */
  isUntaxed?: true;
}

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

type Written = Omit<Shop, 'map'> & Partial<InputMap>;

/** By the words for --map. */
export const SHOPS: ReadonlyMap<unknown, Shop> = new Map(
  Object.entries(BUILT_IN as unknown as Record<string, Written>).map(
    ([name, { title, marks, unused, words, footer, needs, discounted, isUntaxed, ...map }]) => [
      name,
      {
        title,
        marks,
        unused,
        words,
        footer,
        needs,
        discounted,
        isUntaxed,
        map: { ...EMPTY_MAP, ...map, extends: name, others: '_' },
      } as Shop,
    ],
  ),
);

export const SHOP_NAMES = [...SHOPS.keys()] as string[];

/** Gives the header of a shop's map that a header of a file means: in another case of letters, or in another language. */
export function titlesOf(shop: Shop | undefined, own: readonly string[] = []): (header: string) => string {
  if (shop === undefined) return header => header;
  const { map, unused, words = {} } = shop;
  const parts = new Map<string, string>();
  for (const [english, others] of Object.entries(words))
    for (const word of [english, ...others]) parts.set(folded(word), english);
  const known = new Map<string, string>();
  for (const title of [...Object.keys(map.columns), ...unused]) known.set(folded(title), title);
  const english = (part: string) => parts.get(folded(part.trim())) ?? part.trim();
  return header => {
    if (own.includes(header)) return header;
    const [, before = header, inner] = /^(.*?)\s*(?:\((.*)\))?$/s.exec(header) ?? [];
    const whole = inner === undefined ? english(before) : `${english(before)} (${english(inner)})`;
    return known.get(folded(whole)) ?? header;
  };
}

/** The shop whose export has these headers, with its word for --map. */
export function shopOf(header: readonly string[]) {
  const found = [...SHOPS.values()].find(shop => {
    const titles = header.map(titlesOf(shop));
    return shop.marks.every(mark => titles.includes(mark));
  });
  return found && { title: found.title, name: found.map.extends ?? '', map: found.map };
}
