// What is probably a mistake in a body, although the service document allows it.
import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { countryFault } from '../contract/country-names.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { type FoundText, formatPath, getAt, listAt, pathsOf, textAt, textsIn } from '../contract/paths.ts';
import { type Field, fieldsOf, type Meaning, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import {
  hasNoPostalCodes,
  isDiallingCode,
  isPlain,
  isPostalCode,
  NO_POSTAL_CODE,
  normalCode,
  PHONES,
  phoneAt,
  phoneIn,
  postalCodeExample,
} from './complete.ts';

/** What reads phone numbers; loaded only for one that is not plain digits behind a plain code. */
export type Phones = typeof import('./phone.ts');

export const phonesFor = async (body: unknown): Promise<Phones | undefined> =>
  PHONES.some(paths => !isPlain(phoneIn(body, paths))) ? import('./phone.ts') : undefined;

/** What is probably a mistake, although the service document allows it. `phones`: of `phonesFor` this body. */
export function warningsOf(schema: Schema, body: unknown, phones: Phones | undefined): string[] {
  return [
    ...sumWarnings(body),
    ...unlikely(schema, body, phones),
    ...zeros(body),
    ...partPieces(body),
    ...severalDocuments(body),
    ...oddTexts(body),
  ];
}

interface Shape {
  /** `country`: of the place that the text belongs to, if that matters. */
  isLikely(text: string, country: string | undefined): boolean;
  /** `a currency code, such as EUR` */
  what(country: string | undefined): string;
}

const pattern = (shape: RegExp, what: string): Shape => ({
  isLikely: text => shape.test(text.trim()),
  what: () => what,
});

const SHORT_ADDRESS = pattern(/^[a-z]{4}\s*\d{4}$/i, 'a short address of Saudi Arabia, such as RRRD2929');

/** What a customs office or a carrier accepts; of a country the document says it, where it matters. */
const SHAPES: Readonly<Record<Exclude<Judged, 'phone number'>, Shape>> = {
  'e-mail address': pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address, such as anna@example.com'),
  'dialling code': { isLikely: isDiallingCode, what: () => 'a dialling code, such as +49' },
  'postal code': {
    isLikely: isPostalCode,
    what: country =>
      hasNoPostalCodes(country)
        ? `a postal code: where there is none, ${NO_POSTAL_CODE} is usual`
        : `a postal code, such as ${postalCodeExample(country) ?? '10115'}`,
  },
  'short address': {
    ...SHORT_ADDRESS,
    isLikely: (text, country) => country !== 'SA' || SHORT_ADDRESS.isLikely(text, country),
  },
  currency: {
    isLikely: text => CURRENCIES.has(text),
    what: () => 'a currency code of ISO 4217, such as EUR',
  },
  country: {
    isLikely: text => COUNTRIES.has(text.trim().toUpperCase()),
    what: () => "a country's code of two letters, such as TR",
  },
  'IOSS number': pattern(/^IM\d{10}$/i, 'an IOSS number, such as IM0123456789'),
  'HS code': pattern(/^(?:\d[.\s]*){6,12}$/, 'an HS code of at least 6 digits, such as 610910'),
};

/** The country that a text belongs to. */
export const countryOf = ({ countryAt }: Field, path: string, body: unknown): string | undefined =>
  countryAt === undefined ? undefined : textAt(body, path.replace(/\w+$/, countryAt));

type Judged = Meaning;

const judged = new WeakMap<Schema, readonly (readonly [Field, Judged])[]>();

/** A batch asks this for every record. */
function judgedFields(schema: Schema) {
  const fields =
    judged.get(schema) ??
    fieldsOf(schema).flatMap(field => {
      const { means } = field;
      // A code of an address is checked: the document says what it is.
      return means === undefined || field.kind === 'country' ? [] : [[field, means] as const];
    });
  judged.set(schema, fields);
  return fields;
}

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(schema: Schema, body: unknown, phones: Phones | undefined): string[] {
  const warnings: string[] = [];
  for (const [field, means] of judgedFields(schema)) {
    for (const path of pathsOf(field.pattern, body)) {
      const text = textAt(body, path);
      // A spreadsheet's number has its own warning.
      if (text === undefined || text.trim() === '' || isRounded(text)) continue;
      const country = countryOf(field, path, body);
      const shape = means === 'phone number' ? phoneShape(path, body, phones) : SHAPES[means];
      if (shape && !shape.isLikely(text, country)) {
        const { suggestion } = means === 'country' ? countryFault(text) : {};
        const meant = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
        warnings.push(`${path} is ${JSON.stringify(text)}, which is not ${shape.what(country)}${meant}`);
      }
    }
  }
  return warnings;
}

const zeros = (body: unknown): string[] =>
  ['packages[].weight', 'packages[].quantity', 'items[].quantity'].flatMap(pattern =>
    pathsOf(pattern, body).flatMap(path => (getAt(body, path) === 0 ? [`${path} is 0`] : [])),
  );

const partPieces = (body: unknown): string[] =>
  pathsOf('packages[].quantity', body).flatMap(path => {
    const pieces = getAt(body, path);
    return typeof pieces === 'number' && !Number.isInteger(pieces)
      ? [`${path} is ${pieces}, which is no whole number of pieces`]
      : [];
  });

/** A number behind its dialling code, in any usual way of writing; `undefined` for one that is not judged. */
function phoneShape(path: string, body: unknown, phones: Phones | undefined): Shape | undefined {
  if (phones === undefined) return undefined;
  const phone = phoneAt(path, body);
  const code = phone.code === undefined ? undefined : normalCode(phone.code);
  // A dialling code that is none has its own warning; some have digits of the number.
  const isKnown = /^\+\d{1,3}$/.test(code ?? '+1') && isDiallingCode(code ?? '+1');
  if (isPlain(phone) || !isKnown) return undefined;
  return {
    isLikely(text) {
      const read = phones.readPhone(text, phone);
      const isRepeated = /^\s*(\+|00)/.test(text);
      return typeof read !== 'string' && read.isPossible && !isRepeated && (code ?? read.code) === read.code;
    },
    what: () =>
      `a phone number without its dialling code, such as ${phones.phoneExample(phone) ?? '15123456789'}`,
  };
}

/** The document limits a proposal for documents to a quantity of 1, and does not say whether that is one in all. */
export function severalDocuments(body: unknown): string[] {
  const { length } = listAt(body, 'packages');
  return getAt(body, ['packageType']) === 'document' && length > 1
    ? [`packages has ${length} documents, and a proposal may be for one only: ask for each on its own`]
    : [];
}

// Most text, in a fraction of the time.
const PLAIN = /^[\0-\u024f]*$/;
const FOREIGN = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{Letter}/u;

const hasForeignLetters = (text: string) => !PLAIN.test(text) && FOREIGN.test(text);

/** One warning for a party: many labels print Latin letters only. */
const foreignLetters = (texts: readonly FoundText[]): string[] =>
  PARTIES.flatMap(role => {
    const found = texts.filter(({ path, text }) => path[0] === role && hasForeignLetters(text));
    if (found.length === 0) return [];
    const paths = found.map(({ path }) => formatPath(path.slice(1))).join(', ');
    return [`${role} has letters that are not Latin, which labels may not print, in ${paths}`];
  });

const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

const isRounded = (text: string) => text.includes('+') && ROUNDED.test(text.trim());

/** Text such as 1.2E+11: a spreadsheet rounded a long number, and its digits are lost. */
const mangled = (texts: readonly FoundText[]): string[] =>
  texts
    .filter(({ text }) => isRounded(text))
    .map(
      ({ path, text }) =>
        `${formatPath(path)} is ${JSON.stringify(text)}: a spreadsheet seems to have rounded a long number`,
    );

function oddTexts(body: unknown): string[] {
  const texts = textsIn(body, text => isRounded(text) || hasForeignLetters(text));
  return texts.length === 0 ? [] : [...foreignLetters(texts), ...mangled(texts)];
}

/** Warns of totals that are not the sum of their parts, and of a chargeable weight below that of the packages. */
const sumWarnings = (body: unknown): string[] => [...totals(body), ...tooLight(body)];

/** The chargeable weight is never below the weight of the packages: it belongs to other packages. */
function tooLight(body: unknown): string[] {
  const chargeable = numberAt(body, 'chargeableWeight');
  if (chargeable === undefined) return [];
  const weights = listAt(body, 'packages').map(entry => {
    const [weight, quantity] = [numberAt(entry, 'weight'), numberAt(entry, 'quantity')];
    return weight === undefined || quantity === undefined ? NOTHING : ([weight, quantity] as const);
  });
  const rough = weights.reduce((all, [weight, quantity]) => all + weight * quantity, 0);
  if (chargeable > rough && !isNear(chargeable, rough)) return [];
  const sum = weights.reduce((all, [weight, quantity]) => all.plus(Big(weight).times(quantity)), Big(0));
  return sum.gt(chargeable) ? [`chargeableWeight is ${chargeable}, but the packages weigh ${sum} kg`] : [];
}

const NOTHING = [0, 0] as const;

function totals(body: unknown): string[] {
  const items = listAt(body, 'items');
  const warnings = items.flatMap((item, index) => {
    const [quantity, unitPrice] = [numberAt(item, 'quantity'), numberAt(item, 'unitPrice')];
    const total = numberAt(item, 'totalPrice');
    if (quantity === undefined || unitPrice === undefined || total === undefined) return [];
    if (isNear(quantity * unitPrice, total)) return [];
    const product = Big(quantity).times(unitPrice);
    return sameMoney(product, total)
      ? []
      : [`items[${index}].totalPrice is ${total}, but quantity × unitPrice is ${product}`];
  });
  const value = numberAt(getAt(body, ['customs']), 'totalGoodsValue');
  const parts = items.map(item => numberAt(item, 'totalPrice'));
  if (value === undefined || parts.some(part => part === undefined)) return warnings;
  if (
    isNear(
      parts.reduce<number>((all, part = 0) => all + part, 0),
      value,
    )
  )
    return warnings;
  const sum = parts.reduce<Big>((all, part) => all.plus(part ?? 0), Big(0));
  return sameMoney(sum, value)
    ? warnings
    : [...warnings, `customs.totalGoodsValue is ${value}, but the items add up to ${sum}`];
}

function numberAt(value: unknown, name: string): number | undefined {
  const found = getAt(value, [name]);
  return Number.isFinite(found) ? (found as number) : undefined;
}

// A unit price is often rounded itself: a difference below half a cent is not worth a warning.
const sameMoney = (one: Big, other: number) => one.minus(other).abs().lt(0.005);

/** So near that the errors of plain numbers do not matter; decimal arithmetic takes a hundred times as long. */
const isNear = (one: number, other: number) => Math.abs(one) < 1e9 && Math.abs(one - other) < 0.004;
