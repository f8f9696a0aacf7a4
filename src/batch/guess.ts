// Proposes a map for the columns of a file: by their headers, and by what is in their cells.
import { type Field, fieldsOf, type Schema } from '../contract/shapes.ts';
import { folded } from '../text.ts';
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

/** `isOurs`: headers that need no map. */
export function guessMap(
  { header, rows }: Sample,
  fields: Schema,
  isOurs: (header: string) => boolean,
): InputMap {
  const fieldOf = (path = ''): Field | undefined =>
    fieldsOf(fields).find(({ pattern }) => pattern === path.replace(/\[0\]/g, '[]'));
  const isNumber = (meaning: HeaderMeaning | undefined) => fieldOf(meaning?.path)?.kind === 'number';
  const taken = new Set(header.filter(isOurs));
  const columns = header.flatMap((title, index): Column[] => {
    if (title === '' || title.startsWith('_') || taken.has(title)) return [];
    const cells = rows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== '');
    return [{ header: title, cells, meaning: headerMeaning(title) }];
  });
  const found = new Map<string, HeaderMeaning>();
  const claim = ({ header: title }: Column, meaning: HeaderMeaning): void => {
    const targets = targetsOf(meaning);
    const isPiece = meaning.path.startsWith(PACKAGES) && taken.has('package');
    if (isPiece || targets.some(target => taken.has(target))) return;
    for (const target of targets) taken.add(target);
    found.set(title, meaning);
  };
  for (const column of byRank(withParts(withoutBuyer(columns), taken))) {
    const { meaning, cells } = column;
    // One word is no full name: `#1001` under `Name` is the number of an order.
    const isOther =
      meaning?.transform === 'name' && cells.length > 0 && !cells.some(cell => /\S[\s,]+\S/.test(cell));
    if (meaning && !isOther) claim(column, adapted(meaning, fieldOf(meaning.path), cells));
  }
  const transform = [...found].flatMap(([title, one]) => (one.transform ? [[title, one.transform]] : []));
  return {
    columns: Object.fromEntries(
      columns.map(({ header: title }) => [title, found.get(title)?.path ?? `_${title}`]),
    ),
    constants: {},
    transform: Object.fromEntries(transform) as Record<string, TransformName>,
    skip: {},
    only: {},
    skipItems: {},
    business: {},
    decimal: hasDecimalCommas(columns.filter(({ header: title }) => isNumber(found.get(title)))) ? ',' : '.',
  };
}

const byRank = (columns: readonly Column[]): Column[] =>
  columns.toSorted((one, other) => (one.meaning?.rank ?? 0) - (other.meaning?.rank ?? 0));

const PACKAGES = 'packages[';

/** The fields that a transform makes of one cell: first and last name, code and number of a phone. */
const partsOf = ({ path, transform }: HeaderMeaning): readonly string[] =>
  (transform && transformNamed(transform).inner?.map(part => `${path}.${part}`)) ?? [];

/** `Vorname` and `Name`: beside a part of a name, or of a phone number, the whole is the other part. */
const withParts = (columns: readonly Column[], taken: ReadonlySet<string>): Column[] =>
  columns.map(column => {
    const parts = column.meaning === undefined ? [] : partsOf(column.meaning);
    const free = parts.filter(part => !taken.has(part) && columns.every(one => one.meaning?.path !== part));
    if (free.length === parts.length) return column;
    const [other] = free;
    const rank = column.meaning?.rank ?? 0;
    return { ...column, meaning: other === undefined ? undefined : { path: other, rank } };
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
function targetsOf(meaning: HeaderMeaning): readonly string[] {
  const parts = partsOf(meaning);
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

// What the headers of shops mean: WooCommerce, Amazon, and what people write in English, German, Turkish and
// French.

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
const wordsIn = (header: string): string =>
  folded(header.replace(/(\p{Lower})(\p{Upper})/gu, '$1 $2'))
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();

const ORDER =
  'key|order id|order number|order no|order name|order|amazon order id|sale id|bestellnummer|bestellnr|auftragsnummer|siparis|siparis no|siparis numarasi|siparis id|numero de commande|commande|order reference';

// What stands before or after a field of an address: `Ship City`, `City (Shipping)`, `Lieferort`.
const RECEIVER = [
  /^(?:shipping|ship to|shipto|ship|delivery|deliver to|recipient|receiver|consignee|lieferanschrift|lieferadresse|lieferung|versand|empfaenger|empfanger|teslimat|alici|gonderi|livraison|destinataire)(?: |$)/,
  /^(?:liefer|versand)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / (?:shipping|delivery)$/,
];
const BUYER = [
  /^(?:billing|bill to|bill|buyer|customer|rechnungsadresse|rechnung|kunde|kunden|kaufer|fatura|musteri|facturation|client)(?: |$)/,
  /^(?:rechnungs|kunden)(?=strasse|ort|plz|land|vorname|nachname|name)/,
  / billing$/,
];
const PERSONS =
  /^(?:recipient|receiver|consignee|empfaenger|empfanger|alici|destinataire|buyer|customer|kunde|kaufer|musteri|client)$/;
const ITEM =
  /^(?:lineitem|line item|line|items|item|product|listing|artikel|produkt|urun|produit|article)(?: |(?=bezeichnung|name|preis))/;

const ITEM_FIELDS: readonly Row[] = [
  [
    'description',
    'product|item|title|artikel|artikelbezeichnung|urun|urun adi|description|beschreibung|aciklama',
  ],
  [
    'hsCode',
    'hs code|hscode|hs|tariff code|tariff number|commodity code|zolltarifnummer|gtip|gtip kodu|code sh',
  ],
  [
    'countryOfOrigin',
    'country of origin|origin|origin country|made in|ursprungsland|herkunftsland|mensei|pays d origine',
  ],
  ['quantity', 'quantity|qty|quantity purchased|quantity refund|menge|anzahl|adet|quantite'],
  [
    'unitPrice',
    'price|unit price|preis|einzelpreis|birim fiyat|birim fiyati|fiyat|fiyati|prix|prix unitaire',
  ],
  ['totalPrice', 'total price|gesamtpreis'],
];
// Only behind a word such as `item`: alone they mean something else.
const ITEM_WORDS: readonly Row[] = [
  ['description', 'name|title|description|bezeichnung|adi|aciklama|designation'],
  ['totalPrice', 'total|sum|summe|toplam'],
  ['unitPrice', 'cost'],
];

const PERSON_FIELDS: readonly Row[] = [
  ['', 'name|full name|fullname|ad soyad|adi soyadi|nom complet|nom et prenom|adi', 'name'],
  ['firstName', 'first name|firstname|given name|vorname|ad|prenom'],
  ['lastName', 'last name|lastname|surname|nachname|soyad|soyadi|nom'],
  ['companyName', 'company|company name|firma|sirket|entreprise'],
  ['email', 'email|e mail|email address|e mail address|e posta|courriel'],
  [
    'phone',
    'phone|phone number|telephone|tel|mobile|telefon|telefonnummer|handy|gsm|telefon no|telefon numarasi|cep|cep telefonu',
    'phone',
  ],
  ['phone.code', 'phone code|dialling code|vorwahl|telefon kodu'],
  [
    'address.line1',
    'address 1|address1|address line 1|address line1|street 1|street address|address 1 2|address|street|strasse|strasse und hausnummer|anschrift|adresse|adres|adresi|adres 1|rue',
  ],
  [
    'address.line2',
    'street 2|address 2|address2|address line 2|address line2|adresszusatz|adres 2|complement',
  ],
  ['address.city', 'city|ort|stadt|sehir|ville'],
  ['address.zipCode', 'zip|zip code|zipcode|postal code|postcode|plz|postleitzahl|posta kodu|code postal'],
  ['address.country.code', 'country|country code|land|ulke|ulkesi|ulke kodu|pays'],
  ['address.nationalShortAddress', 'national address'],
  ['taxNumber', 'tax number|tax id|vat number|vat id|steuernummer|vergi no'],
  ['identityNumber', 'identity number|tc kimlik no|tckn'],
];

const ORDER_FIELDS: readonly Row[] = [
  ['customs.totalGoodsValue', 'subtotal|order subtotal|goods value|order value|declared value|warenwert'],
  ['customs.currency', 'currency|currency code|waehrung|wahrung|para birimi|devise'],
  ['customs.iossNumber', 'ioss|ioss number'],
  ['packages[0].weight', 'weight|package weight|order weight|total weight|gewicht|agirlik|poids'],
  ['packages[0].dimensions.length', 'length|laenge|lange|uzunluk|longueur'],
  ['packages[0].dimensions.width', 'width|breite|genislik|largeur'],
  ['packages[0].dimensions.height', 'height|hoehe|hohe|yukseklik|hauteur'],
  ['packages[0].quantity', 'parcels|packages|pakete|koli|colis'],
  ['package', 'package|parcel|paket'],
  ['carrier', 'carrier id'],
];

type Row = readonly [name: string, words: string, transform?: TransformName];

/** What words mean; the first of a row say it best. `start` begins each path. */
const tableOf = (rows: readonly Row[], start = ''): ReadonlyMap<string, HeaderMeaning> =>
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

const ORDERS = tableOf([['key', ORDER]]);
const PERSON = tableOf(PERSON_FIELDS, 'receiver.');
const ITEMS = tableOf(ITEM_FIELDS, 'items[].');
const OF_ITEM = tableOf([...ITEM_FIELDS, ...ITEM_WORDS], 'items[].');
const OTHERS = tableOf(ORDER_FIELDS);

/** `Gewicht in g`, `weight (lb)` */
const MEASURED = /^(.+?)(?: in)? (\S+)$/;

// Behind every column of the receiver.
const BUYERS_RANK = 1000;

/** What a header means; `undefined` if it is not known. */
function headerMeaning(header: string): HeaderMeaning | undefined {
  const words = wordsIn(header);
  const order = ORDERS.get(words);
  if (order) return order;
  const ofReceiver = partOf(words, RECEIVER);
  if (ofReceiver) return { ...ofReceiver, of: 'receiver' };
  const ofBuyer = partOf(words, BUYER);
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
function partOf(words: string, marks: readonly RegExp[]): HeaderMeaning | undefined {
  const mark = marks.find(one => one.test(words));
  if (mark === undefined) return undefined;
  const rest = words.replace(mark, '');
  return PERSON.get(rest === '' && PERSONS.test(words) ? 'name' : rest);
}
