// Proposes a map for the columns of a file: by their headers, and by what is in their cells.
import { type Field, fieldsOf, type Issue, type Schema } from '../contract/shapes.ts';
import { folded } from '../text.ts';
import { EMPTY_MAP } from './built-in-maps.ts';
import type { InputMap } from './input-types.ts';
import { type TransformName, transformNamed, unitNamed } from './transform.ts';
import { amountIn, decimalSign } from './written-amounts.ts';

/** The first rows of a file. */
export interface Sample {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Column {
  header: string;
  /** The cells that are not blank. */
  cells: readonly string[];
  meaning: HeaderMeaning | undefined;
}

export interface GuessedMap {
  map: InputMap;
  /** Questions that headers and cells do not answer. */
  open: Issue[];
  /** The columns that a person is asked about. */
  asked: readonly string[];
}

/** What is known of the columns once each has its meaning. */
interface Guess {
  sample: Sample;
  columns: readonly Column[];
  /** The meanings of columns, by their headers. */
  meanings: Map<string, HeaderMeaning>;
  /** The fields that columns fill, and the headers that need no map. */
  taken: ReadonlySet<string>;
}

/** A question about columns that only a person can answer. */
interface Question {
  path: string;
  titles: readonly string[];
  doubt: string;
}

/** Guesses a map for the columns of a sample. `isOurs`: is the header known without a map? */
export function guessMap(sample: Sample, fields: Schema, isOurs: (header: string) => boolean): GuessedMap {
  const taken = new Set(sample.header.filter(isOurs));
  const columns = guessedColumns(sample, taken);
  const meanings = meaningsOf(columns, taken, fields);
  const guess = { sample, columns, meanings, taken };
  const questions = QUESTIONS.flatMap(question => question(guess) ?? []);
  const asked = questions.flatMap(({ titles }) => titles);
  for (const title of asked) meanings.delete(title);
  const transform = [...meanings].flatMap(([title, meaning]) =>
    meaning.transform ? [[title, meaning.transform] as const] : [],
  );
  const isNumber = (column: Column) =>
    fieldAtPath(fields, meanings.get(column.header)?.path)?.kind === 'number';
  return {
    map: {
      ...EMPTY_MAP,
      columns: Object.fromEntries(
        columns.map(({ header }) => [header, meanings.get(header)?.path ?? `_${header}`]),
      ),
      transform: Object.fromEntries(transform),
      decimal: hasDecimalCommas(columns.filter(isNumber)) ? ',' : undefined,
    },
    open: questions.map(({ path, titles, doubt }) => ({
      path,
      message: `${titles.map(title => JSON.stringify(title)).join(' and ')} ${doubt}`,
    })),
    asked,
  };
}

function guessedColumns(sample: Sample, taken: ReadonlySet<string>): Column[] {
  const { header, rows } = sample;
  return header.flatMap((title, index) => {
    if (title === '' || title.startsWith('_') || taken.has(title)) return [];
    const cells = rows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== '');
    return [{ header: title, cells, meaning: headerMeaning(title) }];
  });
}

const fieldAtPath = (fields: Schema, path = ''): Field | undefined =>
  fieldsOf(fields).find(({ pattern }) => pattern === path.replace(/\[0\]/g, '[]'));

/** The meanings of the columns, by their headers. A field gets the column whose header says it best, and is added to `taken`. */
function meaningsOf(
  columns: readonly Column[],
  taken: Set<string>,
  fields: Schema,
): Map<string, HeaderMeaning> {
  const meanings = new Map<string, HeaderMeaning>();
  for (const { header, meaning, cells } of byRank(withParts(withoutBuyer(columns), taken))) {
    if (meaning === undefined) continue;
    // One word is no full name: `#1001` under `Name` is the number of an order.
    if (meaning.transform === 'name' && cells.length > 0 && !cells.some(cell => /\S[\s,]+\S/.test(cell)))
      continue;
    const targets = guessedTargets(meaning);
    const isPiece = meaning.path.startsWith(PACKAGES) && taken.has('package');
    if (isPiece || targets.some(target => taken.has(target))) continue;
    for (const target of targets) taken.add(target);
    meanings.set(header, withNeededTransform(meaning, fieldAtPath(fields, meaning.path), cells));
  }
  return meanings;
}

const titleOf = (guess: Guess, path: string): string | undefined =>
  [...guess.meanings].find(([, meaning]) => meaning.path === path)?.[0];

/** Headers of columns with amounts that match the pattern. */
const amountsNamed = (guess: Guess, pattern: RegExp): string[] =>
  guess.columns
    .filter(({ header, cells }) => pattern.test(titleWords(header)) && cells.some(isNonZero))
    .map(({ header }) => header);

function piecesQuestion(guess: Guess): Question | undefined {
  const titles = amountsNamed(guess, PIECES);
  return titles.length > 1
    ? { path: QUANTITY, titles, doubt: 'may both be the pieces that are sent' }
    : undefined;
}

/** Asks, unless rows show it, whether a price is of a piece or of a line; a column with prices of lines gets that meaning. */
function priceQuestion(guess: Guess): Question | undefined {
  const price = titleOf(guess, UNIT_PRICE);
  if (price === undefined || !PRICE.test(titleWords(price))) return undefined;
  const total = titleOf(guess, 'items[].totalPrice') ?? titleOf(guess, 'customs.totalGoodsValue');
  const [pieces] = amountsNamed(guess, PIECES);
  const priced = whatPriceIsOf(guess.sample, { key: titleOf(guess, 'key'), pieces, price, total });
  if (priced === 'line') guess.meanings.set(price, { path: 'items[].totalPrice', rank: 0 });
  const doubt = 'may be of one piece (items[].unitPrice) or of a line (items[].totalPrice)';
  return priced === undefined ? { path: UNIT_PRICE, titles: [price], doubt } : undefined;
}

/** Asks about sums that may come off the value of the goods. */
const sumQuestion =
  (header: RegExp, doubt: string) =>
  (guess: Guess): Question | undefined => {
    const titles = amountsNamed(guess, header).filter(
      title => !PIECES.test(titleWords(title)) && !CODE.test(titleWords(title)),
    );
    return titles.length > 0 ? { path: 'customs.totalGoodsValue', titles, doubt } : undefined;
  };

function weightQuestion(guess: Guess): Question | undefined {
  const path = 'packages[0].weight';
  const title = titleOf(guess, path);
  if (title === undefined || !WEIGHT.test(titleWords(title))) return undefined;
  const doubt =
    'may be of the whole order (packages[0].weight), or of each row: then a product table ("lookup") adds it up';
  return isInRows(guess.sample, titleOf(guess, 'key'), title) ? { path, titles: [title], doubt } : undefined;
}

function houseQuestion(guess: Guess): Question | undefined {
  const isOfBill = (title: string) => /billing|rechnung|factura/.test(titleWords(title));
  const street = titleOf(guess, STREET) ?? '';
  const titles = guess.columns
    .filter(
      ({ header, cells }) =>
        HOUSE.test(titleWords(header)) && cells.length > 0 && !guess.meanings.has(header),
    )
    .map(({ header }) => header)
    .filter(title => !WITH_STREET.test(titleWords(title)) && (!isOfBill(title) || isOfBill(street)));
  const doubt =
    'may be missing behind the street: write it there, or map it to "receiver.address.line2" (a third line, "receiver.address.line3", is joined to that)';
  // Without a column for the street the whole address is missing, which is reported elsewhere.
  return titles.length > 0 && guess.taken.has(STREET) ? { path: STREET, titles, doubt } : undefined;
}

const QUANTITY = 'items[].quantity';
const UNIT_PRICE = 'items[].unitPrice';
const PIECES = /(?:^| )(?:quantity|qty|menge|anzahl|cantidad|unidades|uds)(?: |$)/;
/** Headers of a price that do not say whether it is the price of a piece or of a line. */
const PRICE = /^(?:item |product |artikel)?(?:price|preis|precio|importe)$/;
const DISCOUNT = /discount|rabatt|coupon|voucher|gutschein|nachlass|descuento|cupon/;
const REFUND = /refund|erstatt|reembols|devol/;
/** Headers of columns that may have digits alone but no amounts, such as ids and dates. */
const CODE = /(?:(?:^| )(?:id|no|number|date|fecha)|code|nummer|nr|datum|codigo|numero)$/;
/** Headers of a weight that do not say whether it is the weight of an order or of a piece. */
const WEIGHT = /^(?:weight|gewicht|peso)(?: |$)/;
const STREET = 'receiver.address.line1';
const WITH_STREET = /(?:street|strasse) (?:and|und) /;
const HOUSE =
  /(?:^| )(?:house ?(?:number|no)|haus ?(?:nummer|nr)|numero (?:de )?(?:la )?(?:calle|casa|portal)|portal)(?: |$)/;

const QUESTIONS: readonly ((guess: Guess) => Question | undefined)[] = [
  piecesQuestion,
  priceQuestion,
  sumQuestion(DISCOUNT, 'may come off the value: of a line ("discount"), or of an order ("orderDiscount")'),
  sumQuestion(REFUND, 'may be what was paid back of an order: name that in "skip"'),
  weightQuestion,
  houseQuestion,
];

const guessedAmount = (cell: string | undefined): number | undefined => {
  const read = amountIn(cell ?? '', decimalSign(cell ?? '') ?? '.');
  return typeof read === 'string' ? undefined : Number(read.amount);
};

const isNonZero = (cell: string): boolean => (guessedAmount(cell) ?? 0) !== 0;

/** Is a price that of a piece or of a line? The total of an order with one line of several pieces shows it. */
function whatPriceIsOf(
  sample: Sample,
  titles: Record<'key' | 'pieces' | 'price' | 'total', string | undefined>,
): 'piece' | 'line' | undefined {
  const { header, rows } = sample;
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

/** Do several rows of one order have a cell in this column? */
const isInRows = (sample: Sample, key: string | undefined, title: string): boolean => {
  const { header, rows } = sample;
  const [keyAt, at] = [header.indexOf(key ?? 'key'), header.indexOf(title)];
  const keys = rows.filter(row => row[at]?.trim()).map(row => row[keyAt]?.trim());
  return keys.some((name, index) => name && keys.indexOf(name) < index);
};

const byRank = (columns: readonly Column[]): Column[] =>
  columns.toSorted((a, b) => (a.meaning?.rank ?? 0) - (b.meaning?.rank ?? 0));

const PACKAGES = 'packages[';

/** The fields that a transform makes of one cell: first and last name, code and number of a phone. */
const transformParts = (meaning: HeaderMeaning): readonly string[] =>
  (meaning.transform && transformNamed(meaning.transform).inner?.map(part => `${meaning.path}.${part}`)) ??
  [];

/** If a column gives a part of a name or a phone, a column for the whole is the other part: beside `Vorname`, `Name` is the last name. */
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

/** Receiver and buyer are never mixed: beside columns of the receiver, those of the buyer give an e-mail address and a phone only. */
function withoutBuyer(columns: readonly Column[]): Column[] {
  const hasReceiver = columns.some(({ meaning }) => meaning?.of === 'receiver' && !isContact(meaning));
  return columns.map(column =>
    hasReceiver && column.meaning?.of === 'buyer' && !isContact(column.meaning)
      ? { ...column, meaning: undefined }
      : column,
  );
}

const isContact = (meaning: HeaderMeaning): boolean => /\.(email|phone)\b/.test(meaning.path);

/** The fields that a column with this meaning fills. */
function guessedTargets(meaning: HeaderMeaning): readonly string[] {
  const parts = transformParts(meaning);
  return parts.length > 0 ? parts : [meaning.path];
}

/** The meaning with the transform that its cells need: for names of countries, or for digits behind an apostrophe. */
function withNeededTransform(
  meaning: HeaderMeaning,
  field: Field | undefined,
  cells: readonly string[],
): HeaderMeaning {
  if (field?.kind === 'country' || field?.means === 'country') return { ...meaning, transform: 'country' };
  const isMarked = meaning.transform === undefined && cells.some(cell => /^'\d/.test(cell));
  return isMarked && field?.kind !== 'number' ? { ...meaning, transform: 'apostrophe' } : meaning;
}

const hasDecimalCommas = (columns: readonly Column[]): boolean =>
  columns.some(({ cells }) => cells.some(cell => /^\d[\d.]*,\d{1,2}(\D*)$/.test(cell)));

// The meanings of headers in English, German and Spanish.

/** What a header says of its column, before its cells are looked at. */
interface HeaderMeaning {
  /** The path in our record; `package` and `key` are no fields of the body. */
  path: string;
  transform?: TransformName | undefined;
  /** How clearly the header says this meaning: the lower, the clearer. */
  rank: number;
  /** The person that the header names. */
  of?: 'receiver' | 'buyer' | undefined;
}

/** The words of a header, such as `ShippingFirst_Name`, in lower case and without accents. */
const titleWords = (header: string): string =>
  folded(header.replace(/(\p{Lower})(\p{Upper})/gu, '$1 $2'))
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();

const ORDER =
  'key|order id|order number|order no|order name|order|amazon order id|sale id|bestellnummer|bestellnr|bestell nr|bestell id|auftragsnummer|auftragsnr|order reference|numero de pedido|numero pedido|no de pedido|no pedido|id de pedido|pedido|referencia de pedido';

// What stands before or after a field of an address: `Ship City`, `City (Shipping)`, `Lieferort`, `Ciudad de envío`.
const RECEIVER = [
  /^(?:shipping|ship to|shipto|ship|delivery|deliver to|recipient|receiver|consignee|lieferanschrift|lieferadresse|lieferung|versand|empfaenger|empfanger|destinatario|envio|entrega)(?: |$)/,
  /^(?:liefer|versand)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / (?:shipping|delivery|(?:de )?(?:envio|entrega)|(?:del )?destinatario)$/,
];
const BUYER = [
  /^(?:billing|bill to|bill|buyer|customer|rechnungsadresse|rechnung|kunde|kunden|kaufer|cliente|comprador|facturacion)(?: |$)/,
  /^(?:rechnungs|kunden)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / (?:billing|(?:de )?facturacion|(?:del )?(?:cliente|comprador))$/,
];
const PERSONS =
  /^(?:recipient|receiver|consignee|empfaenger|empfanger|destinatario|buyer|customer|kunde|kaufer|cliente|comprador)$/;
const ITEM =
  /^(?:lineitem|line item|line|items|item|product|listing|artikel|produkt|producto|articulo)(?: |(?=bezeichnung|name|preis))/;

const ITEM_FIELDS: readonly Row[] = [
  [
    'description',
    'product|item|title|artikel|artikelbezeichnung|description|beschreibung|producto|articulo|nombre del producto|nombre del articulo|descripcion',
  ],
  [
    'hsCode',
    'hs code|hscode|hs|tariff code|tariff number|commodity code|zolltarifnummer|codigo arancelario|partida arancelaria|codigo taric',
  ],
  [
    'countryOfOrigin',
    'country of origin|origin|origin country|made in|ursprungsland|herkunftsland|pais de origen|origen',
  ],
  ['quantity', 'quantity|qty|quantity purchased|quantity refund|menge|anzahl|cantidad|unidades|uds'],
  ['unitPrice', 'price|unit price|preis|einzelpreis|stuckpreis|precio unitario|precio|importe'],
  ['totalPrice', 'total price|gesamtpreis|precio total'],
];
// Words that mean a field of an item only behind a word such as `item`: alone they mean something else.
const ITEM_WORDS: readonly Row[] = [
  ['description', 'name|title|description|bezeichnung|nombre|descripcion'],
  ['totalPrice', 'total|sum|summe'],
  ['unitPrice', 'cost'],
];

const PERSON_FIELDS: readonly Row[] = [
  ['', 'name|full name|fullname|nombre completo|nombre y apellidos|nombre', 'name'],
  ['firstName', 'first name|firstname|given name|vorname'],
  ['lastName', 'last name|lastname|surname|nachname|apellidos|apellido'],
  ['companyName', 'company|company name|firma|empresa|razon social'],
  ['email', 'email|e mail|email address|e mail address|e mail adresse|correo electronico|correo'],
  [
    'phone',
    'phone|phone number|telephone|tel|mobile|telefon|telefonnummer|handy|mobil|mobilnummer|telefono|telefono movil|movil',
    'phone',
  ],
  ['phone.code', 'phone code|dialling code|vorwahl|prefijo'],
  [
    'address.line1',
    'address 1|address1|address line 1|address line1|street 1|street address|address 1 2|address|street|strasse|street and house number|street house number|strasse und hausnummer|strasse hausnummer|anschrift|adresse 1|adresse|direccion 1|direccion|calle y numero|calle|domicilio',
  ],
  [
    'address.line2',
    'street 2|address 2|address2|address line 2|address line2|adresszusatz|adresse 2|direccion 2|piso',
  ],
  ['address.city', 'city|ort|stadt|wohnort|ciudad|poblacion|localidad|municipio'],
  [
    'address.zipCode',
    'zip|zip code|zipcode|postal code|postcode|plz|postleitzahl|codigo postal|cod postal|cp|c p',
  ],
  ['address.country.code', 'country|country code|land|pais|codigo de pais|codigo pais'],
  ['address.nationalShortAddress', 'national address'],
  ['taxNumber', 'tax number|tax id|vat number|vat id|steuernummer|nif|cif'],
  ['identityNumber', 'identity number'],
];

const ORDER_FIELDS: readonly Row[] = [
  [
    'customs.totalGoodsValue',
    'subtotal|order subtotal|goods value|order value|declared value|warenwert|valor declarado|valor de la mercancia',
  ],
  ['customs.currency', 'currency|currency code|waehrung|wahrung|moneda|divisa'],
  ['customs.iossNumber', 'ioss|ioss number'],
  ['packages[0].weight', 'weight|package weight|order weight|total weight|gewicht|peso'],
  ['packages[0].dimensions.length', 'length|laenge|lange|largo|longitud'],
  ['packages[0].dimensions.width', 'width|breite|ancho|anchura'],
  ['packages[0].dimensions.height', 'height|hoehe|hohe|alto|altura'],
  ['packages[0].quantity', 'parcels|packages|pakete|bultos|numero de bultos'],
  ['package', 'package|parcel|paket|paquete'],
  ['carrier', 'carrier id'],
];

type Row = readonly [name: string, words: string, transform?: TransformName];

/** The meanings of words; the first words of a row say their meaning best. `start` begins each path. */
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

/** A header that names a unit: `Gewicht in g`, `weight (lb)`. */
const MEASURED = /^(.+?)(?: (?:in|en))? (\S+)$/;

// Added to the rank of each column of the buyer: all columns of the receiver then come first.
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

/** The meaning of words, if one of the marks shows that they are about this person. */
function personMeaning(words: string, marks: readonly RegExp[]): HeaderMeaning | undefined {
  const mark = marks.find(start => start.test(words));
  if (mark === undefined) return undefined;
  const unmarked = words.replace(mark, '');
  return PERSON.get(unmarked === '' && PERSONS.test(words) ? 'name' : unmarked);
}
