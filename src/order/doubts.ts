// Finds what is probably a mistake in a body, although the service document allows it: each doubt is a warning, and the order is sent.
import Big from 'big.js';
import { lacksState, STATE_EXAMPLES, streetWithoutNumber } from '../contract/addresses.ts';
import { COUNTRIES } from '../contract/countries.ts';
import { countryFault } from '../contract/country-names.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { bodyOf, type Operation, type RuleContext } from '../contract/operations.ts';
import { formatPath, getAt, listAt, pathsOf, textAt, textsIn } from '../contract/paths.ts';
import { type Field, fieldsOf, type Meaning, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import type { Diagnostics } from '../output/print.ts';
import type { FieldDoubt, Message } from '../say/notices.ts';
import type { Doubt, Likeness } from '../say/request.ts';
import { readAgain } from './misread.ts';
import { isDiallingCode, isPlain, normalCode, PHONES, phoneAt, phoneIn } from './phone-fields.ts';
import {
  hasNoPostalCodes,
  isPostalCode,
  NO_POSTAL_CODE,
  needsPostalCode,
  postalCodeExample,
} from './postal-codes.ts';
import { isSameMoney } from './value.ts';

/** The module that reads phone numbers; loaded only for a number that is not plain digits behind a plain dialling code. */
export type Phones = typeof import('./phone.ts');

export const phonesFor = async (body: unknown): Promise<Phones | undefined> =>
  PHONES.some(paths => !isPlain(phoneIn(body, paths))) ? import('./phone.ts') : undefined;

/** What is probably a mistake, although the service document allows it. `phones`: what `phonesFor` gives for this body. */
export const doubtsOf = (schema: Schema, body: unknown, phones: Phones | undefined): FieldDoubt[] => [
  ...wrongSums(body),
  ...unlikely(schema, body, phones),
  ...withoutCode(schema, body),
  ...oddAddresses(body),
  ...oddAmounts(body),
  ...oddParcels(body),
  ...oddGoods(body),
  ...severalDocuments(body),
  ...oddTexts(body),
];

/** Warns of what is probably a mistake. `warnings`: those that only this command has. */
export async function warnOfMistakes(
  diagnostics: Pick<Diagnostics, 'warn'>,
  operation: Operation,
  body: unknown,
  warnings: readonly Message[] = [],
): Promise<void> {
  const doubts = doubtsOf(bodyOf(operation), body, await phonesFor(body));
  for (const warning of [...doubts, ...warnings]) await diagnostics.warn(warning);
}

export const doubtAt = (path: string, doubt: Doubt): FieldDoubt => ({
  kind: 'field-doubtful',
  path,
  ...doubt,
});

/** The postal codes that are given and blank, with the countries of their addresses. */
export const emptyCodes = (schema: Schema, body: unknown) =>
  judgedFields(schema)
    .filter(([, means]) => means === 'postal code')
    .flatMap(([field]) => pathsOf(field.pattern, body).map(path => ({ field, path })))
    .filter(({ path }) => textAt(body, path)?.trim() === '')
    .map(({ field, path }) => ({ path, country: countryOf(field, path, body) ?? '' }));

const withoutCode = (schema: Schema, body: unknown): FieldDoubt[] =>
  emptyCodes(schema, body)
    .filter(({ country }) => !needsPostalCode(country) && !hasNoPostalCodes(country))
    .map(({ path, country }) => doubtAt(path, { doubt: 'no-postal-code', country }));

/** Gives what a text with that meaning should look like; `undefined` if it does. `country`: that of the place in which the text is. */
type Judge = (text: string, country: string | undefined) => Likeness | undefined;

const shaped =
  (shape: RegExp, like: 'e-mail-address' | 'short-address' | 'ioss-number' | 'hs-code'): Judge =>
  text =>
    shape.test(text.trim()) ? undefined : { like };

const shortAddress = shaped(/^[a-z]{4}\s*\d{4}$/i, 'short-address');

/** For each meaning of a text: what a customs office or a carrier accepts. */
const JUDGES: Readonly<Record<Exclude<Meaning, 'phone number'>, Judge>> = {
  'e-mail address': shaped(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'e-mail-address'),
  'dialling code': text => (isDiallingCode(text) ? undefined : { like: 'dialling-code' }),
  'postal code': (text, country) => {
    if (isPostalCode(text, country)) return undefined;
    const isUsual = hasNoPostalCodes(country);
    const example = isUsual ? NO_POSTAL_CODE : (postalCodeExample(country) ?? '10115');
    return { like: 'postal-code', example, isUsual };
  },
  'short address': (text, country) => (country === 'SA' ? shortAddress(text, country) : undefined),
  currency: text => (CURRENCIES.has(text) ? undefined : { like: 'currency' }),
  country: text =>
    COUNTRIES.has(text.trim().toUpperCase())
      ? undefined
      : { like: 'country', meant: countryFault(text).suggestion },
  'IOSS number': shaped(/^IM\d{10}$/i, 'ioss-number'),
  // An HS code with an odd number of digits lost its first zero to a spreadsheet: coffee would be declared as a clock.
  'HS code': shaped(/^(?:(?:\d[.\s]*){2}){3,6}$/, 'hs-code'),
};

/** The country that a text belongs to. */
export const countryOf = (field: Field, path: string, body: unknown): string | undefined =>
  field.countryAt === undefined ? undefined : textAt(body, path.replace(/\w+$/, field.countryAt));

const judged = new WeakMap<Schema, readonly (readonly [Field, Meaning])[]>();

/** The fields whose texts are judged. They are kept for each schema, because a batch needs them for every record. */
function judgedFields(schema: Schema) {
  const fields =
    judged.get(schema) ??
    fieldsOf(schema).flatMap(field => {
      const { means } = field;
      // The country of an address is checked elsewhere: the document lists the countries.
      return means === undefined || field.kind === 'country' ? [] : [[field, means] as const];
    });
  judged.set(schema, fields);
  return fields;
}

/** Doubts about texts that the document allows, but that a customs office or a carrier will hardly accept. */
function unlikely(schema: Schema, body: unknown, phones: Phones | undefined): FieldDoubt[] {
  const doubts: FieldDoubt[] = [];
  for (const [field, means] of judgedFields(schema)) {
    for (const path of pathsOf(field.pattern, body)) {
      const text = textAt(body, path);
      // A number that a spreadsheet rounded has a warning of its own.
      if (text === undefined || text.trim() === '' || isRounded(text)) continue;
      if (means === 'phone number') {
        const doubt = phones && judgePhone(text, phoneAt(path, body), phones);
        if (doubt !== undefined) doubts.push(doubtAt(path, doubt));
        continue;
      }
      const wanted = JUDGES[means](text, countryOf(field, path, body));
      if (wanted !== undefined) doubts.push(doubtAt(path, { doubt: 'unlike', text, ...wanted }));
    }
  }
  return doubts;
}

/** The doubt about a phone number. Behind its dialling code a number may be written in any usual way. */
function judgePhone(text: string, phone: ReturnType<typeof phoneAt>, phones: Phones): Doubt | undefined {
  const code = phone.code === undefined ? undefined : normalCode(phone.code);
  // A dialling code that does not exist has a warning of its own; some of them have digits of the number.
  const isKnown = /^\+\d{1,3}$/.test(code ?? '+1') && isDiallingCode(code ?? '+1');
  if (isPlain(phone) || !isKnown) return undefined;
  const read = phones.readPhone(text, phone);
  if (read === 'with-or-without-code' && code !== undefined)
    return { doubt: 'code-repeated', text, code: Number(code) };
  const isRepeated = /^\s*(\+|00)/.test(text);
  const isLikely = typeof read !== 'string' && read.isPossible && (code ?? read.code) === read.code;
  if (isLikely && !isRepeated) return undefined;
  return { doubt: 'unlike', text, like: 'phone-number', example: phones.phoneExample(phone) };
}

/** The doubt about a number that began with its dialling code, which was taken off. `text`: the number as it was written. */
export function takenCode(text: string, code = '', number = ''): Doubt | undefined {
  const isPrefixed = /^\s*(\+|00)/.test(text);
  const isTaken = !isPrefixed && code !== '' && text.replace(/\D/g, '') === `${code.slice(1)}${number}`;
  return isTaken ? { doubt: 'code-taken', text, code: Number(code) } : undefined;
}

/** The doubts about phone numbers whose dialling code was taken off. `typedBody`: the body before it was completed. */
export const takenCodes = (typedBody: unknown, body: unknown): FieldDoubt[] =>
  PHONES.flatMap(paths => {
    const { code, number } = phoneIn(body, paths);
    const doubt = takenCode(phoneIn(typedBody, paths).number ?? '', code, number);
    return doubt ? doubtAt(formatPath(paths.number), doubt) : [];
  });

// Addresses to which a courier comes, and parcels that a courier carries.

/** Labels cut lines that are longer than this. */
const LONGEST_LINE = 35;

const lengthOf = (text: string): number => (text.length > LONGEST_LINE ? Array.from(text).length : 0);

/**
 * Whose addresses a courier comes to: all parties but that of the invoice. The path of a saved party, which is a body of its own, is [].
 */
const VISITED = [[], ...PARTIES.filter(role => role !== 'invoice').map(role => [role])];

function oddAddresses(body: unknown): FieldDoubt[] {
  return VISITED.flatMap(party => {
    const address = [...party, 'address'];
    const at = (name: string) => textAt(body, [...address, name]);
    const country = textAt(body, [...address, 'country', 'code']);
    if (country === undefined) return [];
    const lines = {
      country,
      line1: at('line1'),
      line2: at('line2'),
      city: at('city'),
      others: [at('district'), at('cityCode')],
    };
    const pathOf = (name: string) => formatPath([...address, name]);
    const street = streetWithoutNumber(lines);
    const long = (['line1', 'line2'] as const).filter(name => lengthOf(lines[name] ?? '') > LONGEST_LINE);
    const isLacking = party[0] !== 'sender' && lacksState(lines);
    return [
      ...(street === undefined
        ? []
        : [
            doubtAt(pathOf(street === lines.line1 ? 'line1' : 'line2'), {
              doubt: 'no-house-number',
              text: street,
            }),
          ]),
      ...long.map(name =>
        doubtAt(pathOf(name), { doubt: 'long-line', text: lines[name] ?? '', longest: LONGEST_LINE }),
      ),
      ...(isLacking
        ? [
            doubtAt(pathOf('city'), {
              doubt: 'no-state',
              text: lines.city ?? '',
              example: STATE_EXAMPLES[country] ?? '',
            }),
          ]
        : []),
    ];
  });
}

/** Above these limits a decimal point has probably slipped: few carriers take such a piece. */
const HEAVIEST_KG = 30;
const LONGEST_CM = 150;

/** The length of a unit in centimetres; lengths in any other unit are not judged. */
const IN_CM: ReadonlyMap<string, number> = new Map([
  ['cm', 1],
  ['mm', 0.1],
  ['m', 100],
  ['in', 2.54],
]);

function oddParcels(body: unknown): FieldDoubt[] {
  const doubts: FieldDoubt[] = [];
  for (const path of [
    ...pathsOf('packages[].weight', body),
    ...pathsOf('data.packages[].pieceWeight', body),
  ]) {
    const amount = numberAt(body, path) ?? 0;
    if (amount > HEAVIEST_KG) doubts.push(doubtAt(path, { doubt: 'heavy', amount, most: HEAVIEST_KG }));
  }
  const sides = [
    ...pathsOf('packages[].dimensions', body).map(path => ({ path, names: ['length', 'width', 'height'] })),
    ...pathsOf('data.packages[]', body).map(path => ({ path, names: ['lengthCm', 'width', 'height'] })),
  ];
  for (const { path, names } of sides) {
    const unit = IN_CM.get((textAt(body, `${path}.unit`) ?? 'cm').toLowerCase()) ?? 0;
    const [longest] = names
      .map(name => ({ path: `${path}.${name}`, amount: numberAt(body, `${path}.${name}`) ?? 0 }))
      .sort((first, second) => second.amount - first.amount);
    if (longest !== undefined && longest.amount * unit > LONGEST_CM)
      doubts.push(doubtAt(longest.path, { doubt: 'long-side', amount: longest.amount, most: LONGEST_CM }));
  }
  return doubts;
}

/** Doubts about goods: a value of 0, which customs do not believe, and a description without words. */
function oddGoods(body: unknown): FieldDoubt[] {
  const isNothing = (path: string) => getAt(body, path) === 0;
  const amounts = ['customs.totalGoodsValue', ...pathsOf('items[].unitPrice', body)].filter(isNothing);
  return [
    ...amounts.map(path => doubtAt(path, { doubt: 'worthless' })),
    ...pathsOf('items[].description', body).flatMap(path => {
      const text = textAt(body, path);
      return text === undefined || text.trim() === '' || /\p{Letter}(?:.*?\p{Letter}){2}/su.test(text)
        ? []
        : doubtAt(path, { doubt: 'no-words', text });
    }),
  ];
}

const BOX =
  /\b(?:p\.? ?o\.? ?box|post office box|post(?:al)? box|postfach|postbus|postboks|bo[i\u00ee]te postale|b\.?p\.? ?\d+|apartado(?: de correos| postal)? ?\d+|casella postale|posta kutusu|skrytka pocztowa|caixa postal)\b/iu;

/**
 * Warns of a post office box: only a carrier that hands over to the post delivers to one. `carriers`: those of the international leg.
 * `mayBeEconomy`: may the economy carrier be booked for the order? It is asked only for a box, because few orders go to one.
 */
export function boxWarnings(
  body: unknown,
  context: RuleContext,
  carriers: readonly string[],
  mayBeEconomy: () => boolean,
): FieldDoubt[] {
  const courier = carriers.find(id => !context.economyCarriers.includes(id));
  if (courier === undefined) return [];
  return ['receiver.address.line1', 'receiver.address.line2'].flatMap(path => {
    const text = textAt(body, path);
    return text !== undefined && BOX.test(text)
      ? doubtAt(path, { doubt: 'post-box', text, carrier: courier, mayBeEconomy: mayBeEconomy() })
      : [];
  });
}

function oddAmounts(body: unknown): FieldDoubt[] {
  const amounts = ['packages[].weight', 'packages[].quantity', 'items[].quantity'].flatMap(pattern =>
    pathsOf(pattern, body).map(path => ({ path, amount: getAt(body, path) })),
  );
  return amounts.flatMap(({ path, amount }) => {
    if (amount === 0) return doubtAt(path, { doubt: 'zero' });
    return /^packages.*quantity$/.test(path) && typeof amount === 'number' && !Number.isInteger(amount)
      ? doubtAt(path, { doubt: 'part-of-piece', amount })
      : [];
  });
}

/** The document limits a proposal for documents to a quantity of 1, and does not say whether 1 is for each package or for all. */
export function severalDocuments(body: unknown): FieldDoubt[] {
  const { length: count } = listAt(body, 'packages');
  return getAt(body, ['packageType']) === 'document' && count > 1
    ? [doubtAt('packages', { doubt: 'several-documents', count })]
    : [];
}

// `PLAIN` fits most texts, and is tested much faster than `FOREIGN`.
const PLAIN = /^[\0-\u024f]*$/;
const FOREIGN = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{Letter}/u;

const hasForeignLetters = (text: string) => !PLAIN.test(text) && FOREIGN.test(text);

const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

const isRounded = (text: string) => text.includes('+') && ROUNDED.test(text.trim());

// An entity of HTML, such as `&#39;` or `&amp;`.
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,7});/i;

// A `?` for a letter that the encoding of a spreadsheet lacks, as in `Y?ld?z`; but not that of `www.example.com/a?b`.
const LOST = /(?<!\/\S*)\p{L}\?\p{L}|(?<!\S)\?\p{L}/u;

/** The damage to a text that was converted in the wrong way; `undefined` if there is none. */
function damageIn(text: string): Doubt | undefined {
  if (text.includes('&') && ENTITY.test(text)) return { doubt: 'entities', text };
  if (text.includes('\ufffd') || LOST.test(text)) return { doubt: 'letters-lost', text };
  const meant = readAgain(text);
  return meant === undefined ? undefined : { doubt: 'misread', text, meant };
}

function oddTexts(body: unknown): FieldDoubt[] {
  const texts = textsIn(
    body,
    text => isRounded(text) || hasForeignLetters(text) || damageIn(text) !== undefined,
  );
  if (texts.length === 0) return [];
  return [
    // All fields of a party have one warning together.
    ...PARTIES.flatMap(role => {
      const foreign = texts.filter(({ path, text }) => path[0] === role && hasForeignLetters(text));
      const fields = foreign.map(({ path }) => formatPath(path.slice(1)));
      return fields.length === 0 ? [] : doubtAt(role, { doubt: 'foreign-letters', fields });
    }),
    ...texts.flatMap(({ path, text }) => {
      const damage = damageIn(text);
      return damage === undefined ? [] : doubtAt(formatPath(path), damage);
    }),
    // In text such as 1.2E+11 the digits are lost.
    ...texts.flatMap(({ path, text }) =>
      isRounded(text) ? doubtAt(formatPath(path), { doubt: 'digits-lost', text }) : [],
    ),
  ];
}

/** Doubts about sums: a total that is not the sum of its parts, and a chargeable weight below the weight of the packages. */
function wrongSums(body: unknown): FieldDoubt[] {
  const doubts: FieldDoubt[] = [];
  const add = (path: string, doubt: 'other-product' | 'other-sum' | 'too-light', amount: number, sum: Big) =>
    doubts.push(doubtAt(path, { doubt, amount, sum: String(sum) }));
  let sum: Big | undefined = Big(0);
  for (const [index, item] of listAt(body, 'items').entries()) {
    const [quantity, unitPrice] = [numberAt(item, 'quantity'), numberAt(item, 'unitPrice')];
    const total = numberAt(item, 'totalPrice');
    sum = total === undefined ? undefined : sum?.plus(total);
    if (quantity === undefined || unitPrice === undefined || total === undefined) continue;
    const product = Big(quantity).times(unitPrice);
    if (!isSameMoney(product, total)) add(`items[${index}].totalPrice`, 'other-product', total, product);
  }
  const value = numberAt(body, 'customs.totalGoodsValue');
  if (value !== undefined && sum && !isSameMoney(sum, value))
    add('customs.totalGoodsValue', 'other-sum', value, sum);
  const chargeable = numberAt(body, 'chargeableWeight');
  const weight = listAt(body, 'packages').reduce<Big>(
    (sum, entry) => sum.plus(Big(numberAt(entry, 'weight') ?? 0).times(numberAt(entry, 'quantity') ?? 0)),
    Big(0),
  );
  if (chargeable !== undefined && weight.gt(chargeable))
    add('chargeableWeight', 'too-light', chargeable, weight);
  return doubts;
}

function numberAt(value: unknown, path: string): number | undefined {
  const number = getAt(value, path);
  return Number.isFinite(number) ? (number as number) : undefined;
}
