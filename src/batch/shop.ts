// The description of a shop: the columns of its export, each with a role, and what several columns say together.
import { folded } from '../text.ts';
import type { AmountMeaning, PricedOrder } from './order-amounts.ts';
import type { OrderCells, OrderFact } from './order-facts.ts';

/** Lists of cells by their column; `*` stands for any cell that is not blank, and an empty text for a blank cell. */
export type Cells = Readonly<Record<string, readonly string[]>>;

/**
 * Every column of the export stands in one of these lists. A person is warned of any other column that has values: the column may change
 * what is to be sent.
 */
export interface Shop {
  title: string;
  /** Headers that only the exports of this shop have together. */
  marks: readonly string[];
  /** Columns that give a field, with the path of the field. Of columns with the same path, the first that has a cell counts. */
  fields: Readonly<Record<string, string>>;
  /** Columns with an amount, with the name of its sum: `meaning` finds from the sums what was paid for the goods. */
  amounts: Readonly<Record<string, string>>;
  /** An order with one of these cells in a row is left out. */
  skip?: Cells;
  /** An order without any of these cells is left out. */
  only?: Cells;
  /** Rows with one of these cells are no items of their order. */
  skipItems?: Cells;
  /** By column, the cells that an item may have. An order with another cell is left out: nobody knows what of the item to send. */
  onlyItems?: Cells;
  /** Orders with one of these cells were bought by a company. */
  business?: Cells;
  /** Columns that `facts` reads. */
  decides?: readonly string[];
  /** What several cells, or the name of a method of delivery or payment, say of an order: why the order is not sent, or how. */
  facts?(order: OrderCells): OrderFact[];
  /** Columns that say nothing of the goods, their receiver or their price. */
  saysNothing: readonly string[];
  /** Columns without which the file is another report, each with the words that say which report to download. */
  needs?: Readonly<Record<string, string>>;
  /** The column that numbers the lines of an order. */
  line?: string;
  sku?: string;
  /** A column that only one row of each order fills. */
  once?: string;
  /** Words in the last rows of an export, which are no orders. */
  footer?: readonly string[];
  /** Is the shop a marketplace? Then its orders need the customs numbers of the marketplace. */
  marketplace?: true;
  /** For headers, and parts of headers, in English: the words of other languages, in lower case and without accents. */
  words?: Readonly<Record<string, readonly string[]>>;
  /** What the amounts of an order mean, if their names alone do not say it. */
  meaning?(order: PricedOrder): AmountMeaning;
}

/** The shops whose exports are known, by their word for --map. */
export type Shops = Readonly<Record<string, Shop>>;

/** The columns that give a field or an amount, with the path of the field or the name of the sum. */
export const columnsThatGive = (shop: Shop): Readonly<Record<string, string>> => ({
  ...shop.fields,
  ...shop.amounts,
});

/** Every known column of the exports of a shop. */
export function columnsOfShop(shop: Shop): string[] {
  const { fields, amounts, skip, only, skipItems, onlyItems, business } = shop;
  const byColumn = [fields, amounts, skip, only, skipItems, onlyItems, business];
  const titles = [
    ...byColumn.flatMap(columns => Object.keys(columns ?? {})),
    ...(shop.decides ?? []),
    ...shop.saysNothing,
    ...[shop.line, shop.sku, shop.once].filter(title => title !== undefined),
  ];
  return [...new Set(titles)];
}

/** Gives the column of a shop that a header of a file means: the header may have other capitals, or be in another language. */
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
export function shopOf(header: readonly string[], shops: Shops): { name: string; title: string } | undefined {
  for (const [name, shop] of Object.entries(shops)) {
    const titles = header.map(titlesOf(shop));
    if (shop.marks.every(mark => titles.includes(mark))) return { name, title: shop.title };
  }
  return undefined;
}

/** The columns that a text names, with commas between them. */
export const columnList = (text: string): string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');

/** The words of other languages, by the English one. Each line of the text is `English: word | word`. */
export const translations = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map(line => {
        const [english = '', words = ''] = line.split(': ');
        return [english.trim(), words.split(' | ').map(word => word.trim())];
      }),
  );

/** The columns that describe the receiver or the payer, each with its path. */
export const partyColumns = (
  party: 'receiver' | 'billing',
  titleOf: (name: string) => string,
  paths: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [titleOf(name), path === '' ? party : `${party}.${path}`]),
  );

/** Does the order lack a street and a city of its receiver, though the file has columns for them? */
export function hasNoPlace(shop: Pick<Shop, 'fields'>, order: OrderCells): boolean {
  const { fields } = shop;
  const places = Object.keys(fields).filter(column =>
    /^receiver\.address\.(line|city)/.test(fields[column] ?? ''),
  );
  return places.some(order.has) && places.every(column => order.text(column) === '');
}

// Methods of delivery and payment have names in the language of the shop, with a place or a price behind them.

const PICKUP = new RegExp(
  [
    '^((in[ -]?)?store |curbside |free )?pick[ _-]?up|local[ _-]pick[ _-]?up|click ?(&|and|n|\\+) ?collect',
    '^(collection|collect (in|from|at))\\b|^((lokale|personliche|kostenlose|kostenfreie) )?abholung|selbstabhol',
    '(magazadan|subeden|elden) teslim|yerel teslim|^ritiro (in|presso)|^retrait (en|au)|^recogida en|^(af|op)halen',
    'odbior osobisty',
  ].join('|'),
);
/** Words for pickup points, to which a carrier brings the goods. */
const PICKUP_POINT = /\b(points?|punto|punkt|stations?|lockers?|parcel|paket\w*|packstation|relais|relay)\b/;

/** Does the name of a method say that the customer comes for the goods? */
export const isPickup = (method: string): boolean => {
  const words = folded(method.trim());
  return PICKUP.test(words) && !PICKUP_POINT.test(words);
};

const AT_THE_DOOR =
  /\bcod\b|cash on delivery|pay on delivery|nachnahme|kapida odeme|contrassegno|contre[ -]remboursement|contra ?reembolso|rembours|za pobraniem|dobirk|\u4ee3\u91d1\u5f15\u63db/;
const LATER =
  /bank transfer|\bbacs\b|wire transfer|uberweisung|vorkasse|havale|\beft\b|cheque|check payment|scheck|bonifico|virement|transferencia/;
/** Methods by which a bank confirms at once that it pays. */
const AT_ONCE = /sofort|instant|klarna|online/;

/** When the goods are paid for, by the name of the method: at the door, or later, as by a bank transfer; `undefined` if it is neither. */
export function paysBy(method: string): 'at-the-door' | 'later' | undefined {
  const words = folded(method.trim());
  if (AT_THE_DOOR.test(words)) return 'at-the-door';
  return LATER.test(words) && !AT_ONCE.test(words) ? 'later' : undefined;
}
