// Proposes a map for the columns of a file: by their headers, and by what is in their cells.
import { type Field, fieldsOf, type Issue, type Schema } from '../contract/shapes.ts';
import { folded } from '../text.ts';
import { EMPTY_MAP } from './maps.ts';
import { amountIn, decimalSign } from './money.ts';
import type { InputMap } from './source.ts';
import { type TransformName, transformNamed, unitNamed } from './transform.ts';

/** The first rows of a file. */
export interface Sample {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Column {
  header: string;
  /** Those that are not blank. */
  cells: readonly string[];
  meaning: HeaderMeaning | undefined;
}

/** `isOurs`: headers that need no map. `open`: what headers and cells do not tell. */
export function guessMap(
  sample: Sample,
  fields: Schema,
  isOurs: (header: string) => boolean,
): { map: InputMap; open: Issue[] } {
  const guess = new Guess(sample, fields, isOurs);
  guess.claimColumns();
  guess.leavePrice(guess.leavePieces());
  guess.leaveSums(
    DISCOUNT,
    'may come off the value: of a line ("discount"), or of an order ("orderDiscount")',
  );
  guess.leaveSums(REFUND, 'may be what was paid back of an order: name that in "skip"');
  guess.leaveWeight();
  guess.leaveHouse();
  return { map: guess.map(), open: guess.open };
}

/** What the columns of a file mean, as far as it is found. */
class Guess {
  readonly open: Issue[] = [];
  readonly #sample: Sample;
  readonly #columns: readonly Column[];
  readonly #fieldOf: (path?: string) => Field | undefined;
  /** Fields that a column gives. */
  readonly #taken: Set<string>;
  readonly #meanings = new Map<string, HeaderMeaning>();

  constructor(sample: Sample, fields: Schema, isOurs: (header: string) => boolean) {
    const { header, rows } = sample;
    this.#sample = sample;
    this.#fieldOf = (path = '') =>
      fieldsOf(fields).find(({ pattern }) => pattern === path.replace(/\[0\]/g, '[]'));
    this.#taken = new Set(header.filter(isOurs));
    this.#columns = header.flatMap((title, index): Column[] => {
      if (title === '' || title.startsWith('_') || this.#taken.has(title)) return [];
      const cells = rows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== '');
      return [{ header: title, cells, meaning: headerMeaning(title) }];
    });
  }

  claimColumns(): void {
    for (const { header, meaning, cells } of byRank(withParts(withoutBuyer(this.#columns), this.#taken))) {
      // One word is no full name: `#1001` under `Name` is the number of an order.
      const isNoName =
        meaning?.transform === 'name' && cells.length > 0 && !cells.some(cell => /\S[\s,]+\S/.test(cell));
      if (meaning && !isNoName) this.#claim(header, adapted(meaning, this.#fieldOf(meaning.path), cells));
    }
  }

  #claim(title: string, meaning: HeaderMeaning): void {
    const targets = guessedTargets(meaning);
    const isPiece = meaning.path.startsWith(PACKAGES) && this.#taken.has('package');
    if (isPiece || targets.some(target => this.#taken.has(target))) return;
    for (const target of targets) this.#taken.add(target);
    this.#meanings.set(title, meaning);
  }

  #leaveOpen(path: string, titles: readonly string[], message: string): void {
    for (const title of titles) this.#meanings.delete(title);
    this.open.push({
      path,
      message: `${titles.map(title => JSON.stringify(title)).join(' and ')} ${message}`,
    });
  }

  #titleOf(path: string): string | undefined {
    return [...this.#meanings].find(([, meaning]) => meaning.path === path)?.[0];
  }

  /** Columns that may be the pieces of a line: two may both be. */
  leavePieces(): string[] {
    const pieces = this.#columns
      .filter(({ header, cells }) => PIECES.test(titleWords(header)) && cells.some(isNonZero))
      .map(column => column.header);
    if (pieces.length > 1) this.#leaveOpen(QUANTITY, pieces, 'may both be the pieces that are sent');
    return pieces;
  }

  /** A price of which only orders of several pieces show whether it is of one of them. */
  leavePrice([pieces]: readonly string[]): void {
    const price = this.#titleOf(UNIT_PRICE);
    if (price === undefined || !/^(item |product |artikel)?(price|preis)$/.test(titleWords(price))) return;
    const total = this.#titleOf('items[].totalPrice') ?? this.#titleOf('customs.totalGoodsValue');
    const is = whatPriceIsOf(this.#sample, { key: this.#titleOf('key'), pieces, price, total });
    if (is === 'line') this.#meanings.set(price, { path: 'items[].totalPrice', rank: 0 });
    const message = 'may be of one piece (items[].unitPrice) or of a line (items[].totalPrice)';
    if (is === undefined) this.#leaveOpen(UNIT_PRICE, [price], message);
  }

  /** Amounts beside the prices that may change the value. */
  leaveSums(words: RegExp, message: string): void {
    const titles = this.#columns
      .filter(({ header, cells }) => words.test(header) && cells.some(isNonZero))
      .map(column => column.header)
      .filter(title => !PIECES.test(titleWords(title)) && !CODE.test(titleWords(title)));
    if (titles.length > 0) this.#leaveOpen('customs.totalGoodsValue', titles, message);
  }

  leaveWeight(): void {
    const path = 'packages[0].weight';
    const weight = this.#titleOf(path);
    if (weight === undefined || !WEIGHT.test(titleWords(weight))) return;
    const message =
      'may be of the whole order (packages[0].weight), or of each row: then a product table ("lookup") adds it up';
    if (isInRows(this.#sample, this.#titleOf('key'), weight)) this.#leaveOpen(path, [weight], message);
  }

  /** A number of a house beside a street. Without a street all of it is missing. */
  leaveHouse(): void {
    const isOfBill = (title: string) => /billing|rechnung/.test(titleWords(title));
    const street = this.#titleOf(STREET) ?? '';
    const houses = this.#columns
      .filter(({ header, cells }) => HOUSE.test(titleWords(header)) && cells.length > 0)
      .map(column => column.header)
      .filter(title => !this.#meanings.has(title) && !WITH_STREET.test(titleWords(title)))
      .filter(title => !isOfBill(title) || isOfBill(street));
    const message =
      'may be missing behind the street: write it there, or map it to "receiver.address.line2" (a third line, "receiver.address.line3", is joined to that)';
    if (houses.length > 0 && this.#taken.has(STREET)) this.#leaveOpen(STREET, houses, message);
  }

  map(): InputMap {
    const meanings = this.#meanings;
    const transforms = [...meanings].flatMap(([title, { transform }]): [string, TransformName][] =>
      transform ? [[title, transform]] : [],
    );
    const numbers = this.#columns.filter(
      ({ header }) => this.#fieldOf(meanings.get(header)?.path)?.kind === 'number',
    );
    return {
      ...EMPTY_MAP,
      columns: Object.fromEntries(
        this.#columns.map(({ header }) => [header, meanings.get(header)?.path ?? `_${header}`]),
      ),
      transform: Object.fromEntries(transforms),
      decimal: hasDecimalCommas(numbers) ? ',' : undefined,
    };
  }
}

const QUANTITY = 'items[].quantity';
const UNIT_PRICE = 'items[].unitPrice';
const PIECES = /(?:^| )(?:quantity|qty|menge|anzahl)(?: |$)/;
const DISCOUNT = /discount|rabatt|coupon|voucher|gutschein|nachlass/i;
const REFUND = /refund|erstatt/i;
/** It may be of digits alone, and is no amount. */
const CODE = /(?:(?:^| )(?:id|no|number|date)|code|nummer|nr|datum)$/;
/** Without a word that says what it is of. */
const WEIGHT = /^(?:weight|gewicht)(?: |$)/;
const STREET = 'receiver.address.line1';
const WITH_STREET = /(?:street|strasse) (?:and|und) /;
const HOUSE = /(?:^| )(?:house ?(?:number|no)|haus ?(?:nummer|nr))(?: |$)/;

const guessedAmount = (cell: string | undefined): number | undefined => {
  const read = amountIn(cell ?? '', decimalSign(cell ?? '') ?? '.');
  return typeof read === 'string' ? undefined : Number(read.amount);
};

const isNonZero = (cell: string): boolean => (guessedAmount(cell) ?? 0) !== 0;

/** Whether a price is of a piece or of a line: by what an order, or a line, of more than one piece costs. */
function whatPriceIsOf(
  { header, rows }: Sample,
  titles: Record<'key' | 'pieces' | 'price' | 'total', string | undefined>,
): 'piece' | 'line' | undefined {
  const cell = (row: readonly string[], title: string | undefined) => row[header.indexOf(title ?? '')];
  for (const row of rows) {
    const isAlone = rows.filter(line => cell(line, titles.key) === cell(row, titles.key)).length === 1;
    const [pieces, price, total] = [titles.pieces, titles.price, titles.total].map(title =>
      guessedAmount(cell(row, title)),
    );
    if (pieces === undefined || pieces <= 1 || price === undefined || total === undefined) continue;
    if (Math.abs(pieces * price - total) < 0.01 && isAlone) return 'piece';
    if (Math.abs(price - total) < 0.01 && isAlone) return 'line';
  }
  return undefined;
}

/** Do several rows of an order say it? */
const isInRows = ({ header, rows }: Sample, key: string | undefined, title: string): boolean => {
  const [keyAt, at] = [header.indexOf(key ?? 'key'), header.indexOf(title)];
  const keys = rows.filter(row => row[at]?.trim()).map(row => row[keyAt]?.trim());
  return keys.some((name, index) => name && keys.indexOf(name) < index);
};

const byRank = (columns: readonly Column[]): Column[] =>
  columns.toSorted((a, b) => (a.meaning?.rank ?? 0) - (b.meaning?.rank ?? 0));

const PACKAGES = 'packages[';

/** The fields that a transform makes of one cell: first and last name, code and number of a phone. */
const transformParts = ({ path, transform }: HeaderMeaning): readonly string[] =>
  (transform && transformNamed(transform).inner?.map(part => `${path}.${part}`)) ?? [];

/** `Vorname` and `Name`: beside a part of a name, or of a phone number, the whole is the other part. */
const withParts = (columns: readonly Column[], taken: ReadonlySet<string>): Column[] =>
  columns.map(column => {
    const parts = column.meaning === undefined ? [] : transformParts(column.meaning);
    const isFree = (part: string) =>
      !taken.has(part) && columns.every(({ meaning }) => meaning?.path !== part);
    const free = parts.filter(isFree);
    if (free.length === parts.length) return column;
    const [path] = free;
    const rank = column.meaning?.rank ?? 0;
    return { ...column, meaning: path === undefined ? undefined : { path, rank } };
  });

/** Two people are never mixed: beside columns of the receiver, the buyer has only an e-mail address and a phone. */
function withoutBuyer(columns: readonly Column[]): Column[] {
  const hasReceiver = columns.some(({ meaning }) => meaning?.of === 'receiver' && !isContact(meaning));
  return columns.map(column =>
    hasReceiver && column.meaning?.of === 'buyer' && !isContact(column.meaning)
      ? { ...column, meaning: undefined }
      : column,
  );
}

const isContact = ({ path }: HeaderMeaning): boolean => /\.(email|phone)\b/.test(path);

/** The fields that a column of that meaning fills. */
function guessedTargets(meaning: HeaderMeaning): readonly string[] {
  const parts = transformParts(meaning);
  return parts.length > 0 ? parts : [meaning.path];
}

/** What must be transformed, and how: a country by any of its names, and digits behind an apostrophe. */
function adapted(meaning: HeaderMeaning, field: Field | undefined, cells: readonly string[]): HeaderMeaning {
  if (field?.kind === 'country' || field?.means === 'country') return { ...meaning, transform: 'country' };
  const isMarked = meaning.transform === undefined && cells.some(cell => /^'\d/.test(cell));
  return isMarked && field?.kind !== 'number' ? { ...meaning, transform: 'apostrophe' } : meaning;
}

const hasDecimalCommas = (columns: readonly Column[]): boolean =>
  columns.some(({ cells }) => cells.some(cell => /^\d[\d.]*,\d{1,2}(\D*)$/.test(cell)));

// What headers mean that people write in English and German.

/** What a header says of its column, before its cells are looked at. */
interface HeaderMeaning {
  /** Of our record; `package` and `key` are no fields of the body. */
  path: string;
  transform?: TransformName | undefined;
  /** The lower it is, the better the header says it. */
  rank: number;
  /** Of whom the header says that it is. */
  of?: 'receiver' | 'buyer' | undefined;
}

/** `ShippingFirst_Name`, `Lieferstra\u00dfe` -> words in lower case, without accents. */
const titleWords = (header: string): string =>
  folded(header.replace(/(\p{Lower})(\p{Upper})/gu, '$1 $2'))
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();

const ORDER =
  'key|order id|order number|order no|order name|order|amazon order id|sale id|bestellnummer|bestellnr|bestell nr|bestell id|auftragsnummer|order reference';

// What stands before or after a field of an address: `Ship City`, `City (Shipping)`, `Lieferort`.
const RECEIVER = [
  /^(?:shipping|ship to|shipto|ship|delivery|deliver to|recipient|receiver|consignee|lieferanschrift|lieferadresse|lieferung|versand|empfaenger|empfanger)(?: |$)/,
  /^(?:liefer|versand)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / (?:shipping|delivery)$/,
];
const BUYER = [
  /^(?:billing|bill to|bill|buyer|customer|rechnungsadresse|rechnung|kunde|kunden|kaufer)(?: |$)/,
  /^(?:rechnungs|kunden)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / billing$/,
];
const PERSONS = /^(?:recipient|receiver|consignee|empfaenger|empfanger|buyer|customer|kunde|kaufer)$/;
const ITEM =
  /^(?:lineitem|line item|line|items|item|product|listing|artikel|produkt)(?: |(?=bezeichnung|name|preis))/;

const ITEM_FIELDS: readonly Row[] = [
  ['description', 'product|item|title|artikel|artikelbezeichnung|description|beschreibung'],
  ['hsCode', 'hs code|hscode|hs|tariff code|tariff number|commodity code|zolltarifnummer'],
  ['countryOfOrigin', 'country of origin|origin|origin country|made in|ursprungsland|herkunftsland'],
  ['quantity', 'quantity|qty|quantity purchased|quantity refund|menge|anzahl'],
  ['unitPrice', 'price|unit price|preis|einzelpreis'],
  ['totalPrice', 'total price|gesamtpreis'],
];
// Only behind a word such as `item`: alone they mean something else.
const ITEM_WORDS: readonly Row[] = [
  ['description', 'name|title|description|bezeichnung'],
  ['totalPrice', 'total|sum|summe'],
  ['unitPrice', 'cost'],
];

const PERSON_FIELDS: readonly Row[] = [
  ['', 'name|full name|fullname', 'name'],
  ['firstName', 'first name|firstname|given name|vorname'],
  ['lastName', 'last name|lastname|surname|nachname'],
  ['companyName', 'company|company name|firma'],
  ['email', 'email|e mail|email address|e mail address|e mail adresse'],
  ['phone', 'phone|phone number|telephone|tel|mobile|telefon|telefonnummer|handy', 'phone'],
  ['phone.code', 'phone code|dialling code|vorwahl'],
  [
    'address.line1',
    'address 1|address1|address line 1|address line1|street 1|street address|address 1 2|address|street|strasse|street and house number|street house number|strasse und hausnummer|strasse hausnummer|anschrift|adresse 1|adresse',
  ],
  ['address.line2', 'street 2|address 2|address2|address line 2|address line2|adresszusatz|adresse 2'],
  ['address.city', 'city|ort|stadt'],
  ['address.zipCode', 'zip|zip code|zipcode|postal code|postcode|plz|postleitzahl'],
  ['address.country.code', 'country|country code|land'],
  ['address.nationalShortAddress', 'national address'],
  ['taxNumber', 'tax number|tax id|vat number|vat id|steuernummer'],
  ['identityNumber', 'identity number'],
];

const ORDER_FIELDS: readonly Row[] = [
  ['customs.totalGoodsValue', 'subtotal|order subtotal|goods value|order value|declared value|warenwert'],
  ['customs.currency', 'currency|currency code|waehrung|wahrung'],
  ['customs.iossNumber', 'ioss|ioss number'],
  ['packages[0].weight', 'weight|package weight|order weight|total weight|gewicht'],
  ['packages[0].dimensions.length', 'length|laenge|lange'],
  ['packages[0].dimensions.width', 'width|breite'],
  ['packages[0].dimensions.height', 'height|hoehe|hohe'],
  ['packages[0].quantity', 'parcels|packages|pakete'],
  ['package', 'package|parcel|paket'],
  ['carrier', 'carrier id'],
];

type Row = readonly [name: string, words: string, transform?: TransformName];

/** What words mean; the first of a row say it best. `start` begins each path. */
const meaningTable = (rows: readonly Row[], start = ''): ReadonlyMap<string, HeaderMeaning> =>
  new Map(
    rows.flatMap(([name, words, transform]) =>
      words
        .split('|')
        .map((word, rank): [string, HeaderMeaning] => [
          word,
          { path: (start + name).replace(/\.$/, ''), transform, rank },
        ]),
    ),
  );

const ORDERS = meaningTable([['key', ORDER]]);
const PERSON = meaningTable(PERSON_FIELDS, 'receiver.');
const ITEMS = meaningTable(ITEM_FIELDS, 'items[].');
const OF_ITEM = meaningTable([...ITEM_FIELDS, ...ITEM_WORDS], 'items[].');
const OTHERS = meaningTable(ORDER_FIELDS);

/** `Gewicht in g`, `weight (lb)` */
const MEASURED = /^(.+?)(?: in)? (\S+)$/;

// Behind every column of the receiver.
const BUYERS_RANK = 1000;

/** What a header means; `undefined` if it is not known. */
function headerMeaning(header: string): HeaderMeaning | undefined {
  const words = titleWords(header);
  const order = ORDERS.get(words);
  if (order) return order;
  const ofReceiver = personMeaning(words, RECEIVER);
  if (ofReceiver) return { ...ofReceiver, of: 'receiver' };
  const ofBuyer = personMeaning(words, BUYER);
  if (ofBuyer) return { ...ofBuyer, rank: ofBuyer.rank + BUYERS_RANK, of: 'buyer' };
  const item = words.replace(ITEM, '');
  if (item !== words) return OF_ITEM.get(item);
  const [, measured = '', word = ''] = MEASURED.exec(words) ?? [];
  const unit = unitNamed(word);
  const withUnit = unit && OTHERS.get(measured);
  if (withUnit) return { ...withUnit, transform: unit === 'kg' || unit === 'cm' ? undefined : unit };
  return OTHERS.get(words) ?? ITEMS.get(words) ?? PERSON.get(words);
}

/** What words mean of a person, if one of the marks says that they are of this person. */
function personMeaning(words: string, marks: readonly RegExp[]): HeaderMeaning | undefined {
  const mark = marks.find(start => start.test(words));
  if (mark === undefined) return undefined;
  const rest = words.replace(mark, '');
  return PERSON.get(rest === '' && PERSONS.test(words) ? 'name' : rest);
}
