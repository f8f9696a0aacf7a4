// What the headers of shops mean: WooCommerce, Amazon, and what people write in English, German, Turkish and
// French.
import { folded } from '../../text.ts';
import { type TransformName, unitNamed } from '../transform.ts';

/** What a header says of its column, before its cells are looked at. */
export interface HeaderMeaning {
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
  'key|order id|order number|order no|order nr|order name|order|amazon order id|sale id|bestellnummer|bestellnr|bestell nr|bestellung|auftragsnummer|auftragsnr|auftrag|siparis no|siparis numarasi|siparis id|siparis kodu|siparis|numero de commande|no commande|commande|order reference|reference';

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
    'product|item|product title|item title|artikel|artikelname|artikelbezeichnung|produkt|produktname|urun|urun adi|title|description|beschreibung|aciklama',
  ],
  [
    'hsCode',
    'hs code|hscode|hs|hs tariff|tariff|tariff code|tariff number|customs tariff number|harmonized code|commodity code|zolltarif|zolltarifnummer|warennummer|statistische warennummer|gtip|gtip kodu|gtip no|code sh',
  ],
  [
    'countryOfOrigin',
    'country of origin|origin|origin country|made in|coo|ursprungsland|herkunftsland|ursprung|mensei|mense|mense ulke|mense ulkesi|pays d origine',
  ],
  [
    'quantity',
    'quantity|qty|quantity purchased|quantity refund|menge|anzahl|stueck|stuck|stueckzahl|adet|miktar|quantite',
  ],
  [
    'unitPrice',
    'price|unit price|preis|einzelpreis|stueckpreis|stuckpreis|birim fiyat|birim fiyati|fiyat|fiyati|satis fiyati|prix|prix unitaire',
  ],
  ['totalPrice', 'total price|line total|row total|gesamtpreis|zeilensumme|positionssumme|satir toplami'],
];
// Only behind a word such as `item`: alone they mean something else.
const ITEM_WORDS: readonly Row[] = [
  ['description', 'name|title|description|bezeichnung|adi|aciklama|designation'],
  ['totalPrice', 'total|sum|summe|toplam'],
  ['unitPrice', 'cost'],
];

const PERSON_FIELDS: readonly Row[] = [
  [
    '',
    'name|full name|fullname|contact name|contact|ad soyad|adi soyadi|ad soyadi|isim soyisim|vor und nachname|nom complet|nom et prenom|adi',
    'name',
  ],
  ['firstName', 'first name|firstname|given name|forename|vorname|ad|isim|prenom'],
  ['lastName', 'last name|lastname|surname|family name|nachname|familienname|soyad|soyadi|soyisim|nom'],
  [
    'companyName',
    'company|company name|firma|firmenname|unternehmen|sirket|sirket adi|firma adi|unvan|entreprise|societe',
  ],
  [
    'email',
    'email|e mail|mail|email address|e mail address|e mail adresse|e posta|eposta|e posta adresi|courriel',
  ],
  [
    'phone',
    'phone|phone number|telephone|tel|mobile|mobile phone|telefon|telefonnummer|mobil|handy|telefon no|telefon numarasi|gsm|cep|cep telefonu|tel no',
    'phone',
  ],
  [
    'phone.code',
    'phone code|dialling code|dial code|country calling code|vorwahl|landesvorwahl|ulke telefon kodu|telefon kodu',
  ],
  [
    'address.line1',
    'address 1|address1|address line 1|address line1|street 1|line 1|street address|address 1 2|address|street|strasse|strasse und hausnummer|strasse hausnummer|strasse nr|anschrift|adresse|adresse 1|adres|adresi|adres 1|adres satiri 1|acik adres|rue',
  ],
  [
    'address.line2',
    'street 2|address 2|address2|address line 2|address line2|line 2|adresszusatz|adresse 2|adres 2|adres satiri 2|complement',
  ],
  ['address.city', 'city|town|ort|stadt|wohnort|sehir|sehri|il|ville'],
  [
    'address.zipCode',
    'zip|zip code|zipcode|postal code|postcode|post code|plz|postleitzahl|posta kodu|code postal',
  ],
  [
    'address.country.code',
    'country|country code|country iso|land|landcode|landercode|laendercode|laenderkuerzel|ulke|ulkesi|ulke kodu|pays|code pays',
  ],
  [
    'address.nationalShortAddress',
    'national address|short address|national short address|saudi national address',
  ],
  ['taxNumber', 'tax number|tax id|vat number|vat id|steuernummer|ust id|ust idnr|vergi no|vergi numarasi'],
  ['identityNumber', 'identity number|id number|tc kimlik no|tckn|ausweisnummer'],
];

const ORDER_FIELDS: readonly Row[] = [
  [
    'customs.totalGoodsValue',
    'subtotal|sub total|order subtotal|goods value|total goods value|order value|declared value|warenwert|zwischensumme|ara toplam|mal bedeli|sous total',
  ],
  ['customs.currency', 'currency|currency code|order currency|waehrung|wahrung|para birimi|doviz|devise'],
  ['customs.iossNumber', 'ioss|ioss number|ioss nummer|ioss no|ioss numarasi'],
  [
    'packages[0].weight',
    'weight|package weight|parcel weight|order weight|total weight|gewicht|paketgewicht|agirlik|paket agirligi|poids',
  ],
  ['packages[0].dimensions.length', 'length|package length|laenge|lange|uzunluk|boy|longueur'],
  ['packages[0].dimensions.width', 'width|package width|breite|genislik|en|largeur'],
  ['packages[0].dimensions.height', 'height|package height|hoehe|hohe|yukseklik|hauteur'],
  [
    'packages[0].quantity',
    'parcels|packages|number of packages|number of parcels|pakete|paketanzahl|koli|koli sayisi|paket sayisi|colis',
  ],
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
export function headerMeaning(header: string): HeaderMeaning | undefined {
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
