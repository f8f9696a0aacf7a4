// What follows from the rest of a body is filled in: codes in upper case, totals, numbers that are text.
import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import {
  formatPath,
  getAt,
  isRecord,
  listAt,
  type Path,
  parsePath,
  setAt,
  setMissing,
  textAt,
} from '../contract/paths.ts';
import { hasField, partsOf, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { unitPriceOf } from './value.ts';

type Change = (value: unknown) => unknown;

const changes = new WeakMap<Schema, Change>();

/**
 * Fills in what the user may leave out: DAP, cm, one piece of a package, total or unit price of an item, the value of all items, the
 * postal code of a country that has none; countries become upper case.
 */
export function completeBody(schema: Schema, body: unknown): unknown {
  const change = changes.get(schema) ?? wholeChangeOf(schema);
  changes.set(schema, change);
  return change(body);
}

function wholeChangeOf(schema: Schema): Change {
  const change = changeOf(schema) ?? (value => value);
  return hasField(schema, formatPath(GOODS_VALUE)) ? body => withGoodsSum(change(body)) : change;
}

/**
 * What is done with a value of that schema; `undefined`: nothing ever is. A batch does it to every record, so only what may
 * change is looked at, and a value in which nothing changes is not copied.
 */
function changeOf(schema: Schema): Change | undefined {
  const { own, element, shape } = partsOf(schema);
  // Any other text stays as given, for the message that refuses it.
  if (own.kind === 'country')
    return value =>
      typeof value === 'string' && COUNTRIES.has(value.toUpperCase()) ? value.toUpperCase() : value;
  const ofElement = element && changeOf(element);
  if (ofElement)
    return value => {
      if (!Array.isArray(value)) return value;
      const changed = value.map(ofElement);
      return changed.every((entry, index) => entry === value[index]) ? value : changed;
    };
  const inner = Object.entries(shape).flatMap(([name, child]) => {
    const change = changeOf(child);
    return change ? [[name, change] as const] : [];
  });
  const assumed = Object.entries(shape).flatMap(([name, child]) => {
    const value = partsOf(child).own.assumed;
    return value === undefined ? [] : [[name, value] as const];
  });
  const hasTotal = 'totalPrice' in shape;
  const hasCode = 'zipCode' in shape;
  if (inner.length === 0 && assumed.length === 0 && !hasTotal && !hasCode) return undefined;
  return value => {
    if (!isRecord(value)) return value;
    const changed = inner.filter(([name]) => value[name] !== undefined);
    const record = withFields(value, [
      ...changed.map(([name, change]) => [name, change(value[name])] as const),
      ...assumed.filter(([name]) => value[name] === undefined),
    ]);
    const isWithoutCode =
      hasCode && record.zipCode === undefined && hasNoPostalCodes(getAt(record, 'country.code'));
    const whole = isWithoutCode ? withFields(record, [['zipCode', '']]) : record;
    return hasTotal ? withItemPrices(whole) : whole;
  };
}

/** The record with these values; itself if it has them. */
function withFields(
  record: Record<string, unknown>,
  fields: readonly (readonly [name: string, value: unknown])[],
): Record<string, unknown> {
  const differing = fields.filter(([name, value]) => value !== record[name]);
  return differing.length === 0 ? record : { ...record, ...Object.fromEntries(differing) };
}

/** An item with the total of its units, or the price of one, that the others give. */
function withItemPrices(item: Record<string, unknown>): Record<string, unknown> {
  const { quantity, unitPrice, totalPrice } = item;
  if (totalPrice === undefined) return withFields(item, [['totalPrice', totalOf(item)]]);
  const isKnown = unitPrice === undefined && isAmount(totalPrice) && isAmount(quantity) && quantity > 0;
  return isKnown ? withFields(item, [['unitPrice', unitPriceOf(totalPrice, quantity)]]) : item;
}

function totalOf(item: Record<string, unknown>): number | undefined {
  return isAmount(item.quantity) && isAmount(item.unitPrice)
    ? Big(item.quantity).times(item.unitPrice).toNumber()
    : undefined;
}

const GOODS_VALUE = ['customs', 'totalGoodsValue'];

/** What all items cost together; `undefined` if one does not say it. */
function sumOfItems(items: readonly unknown[]): number | undefined {
  const totals = items.map(item => (isRecord(item) ? (item.totalPrice ?? totalOf(item)) : undefined));
  const known = totals.filter(isAmount);
  if (known.length === 0 || known.length < totals.length) return undefined;
  return known.reduce((sum, total) => sum.plus(total), Big(0)).toNumber();
}

/** The body with the value of its goods, if it has none: what its items cost together. */
function withGoodsSum(body: unknown): unknown {
  const sum = getAt(body, GOODS_VALUE) === undefined ? sumOfItems(listAt(body, 'items')) : undefined;
  return sum === undefined ? body : setMissing(body, GOODS_VALUE, sum);
}

/** The body without the value of its goods, if that is what its items cost together. */
export const withoutGoodsSum = (body: unknown): unknown =>
  getAt(body, GOODS_VALUE) !== undefined && getAt(body, GOODS_VALUE) === sumOfItems(listAt(body, 'items'))
    ? setAt(body, GOODS_VALUE, undefined)
    : body;

/** The body without the totals of items that `complete` would fill in again, so that they follow a changed quantity or price. */
export function withoutTotals(body: unknown): unknown {
  const items = listAt(body, 'items');
  if (items.length === 0) return body;
  const changed = items.map(item => {
    if (!isRecord(item)) return item;
    const { totalPrice, ...entry } = item;
    return totalPrice === totalOf(entry) ? entry : item;
  });
  return setAt(body, ['items'], changed);
}

// The product of an invalid amount would cause a second issue, for a value that was not given.
const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

// Dialling codes and postal codes of countries.

/** `0049`, `49` and `+49 ` are `+49`. */
export const normalCode = (text: string): string => `+${text.replace(/\D/g, '').replace(/^00/, '')}`;

const CODES: ReadonlySet<string> = new Set(DIALLING_CODES.values());

/** Is it a dialling code of a country? Of those with +1 also with the first digits of its numbers. */
export const isDiallingCode = (text: string): boolean =>
  /^(\+|00)?[\d\s()-]+$/.test(text.trim()) &&
  (CODES.has(normalCode(text)) || /^\+1\d{3}$/.test(normalCode(text)));

// Phone numbers with their dialling codes, and the countries of their addresses.

interface Phone {
  code: string | undefined;
  number: string | undefined;
  country: string | undefined;
}

type PhonePaths = Readonly<Record<keyof Phone, Path>>;

const phonePaths = (party: Path): PhonePaths => ({
  code: [...party, 'phone', 'code'],
  number: [...party, 'phone', 'number'],
  country: [...party, 'address', 'country', 'code'],
});

/** Where the phones of people are in a body, and of a party that is a body of its own. */
export const PHONES: readonly PhonePaths[] = [[], ...PARTIES.map(role => [role])].map(phonePaths);

export const phoneIn = (body: unknown, paths: PhonePaths): Phone => ({
  code: textAt(body, paths.code),
  number: textAt(body, paths.number),
  country: textAt(body, paths.country),
});

/** The phone whose number has that path. */
export const phoneAt = (path: string, body: unknown): Phone =>
  phoneIn(body, phonePaths((parsePath(path) ?? []).slice(0, -2)));

/**
 * Is it sent as it is? A zero in front may be that of a national number, which is not dialled behind a code; a long number may have
 * the code once more. Of other plain digits nobody knows whose they are if their code is missing.
 */
export const isPlain = ({ code, number = '1234' }: Phone): boolean =>
  /^\+[1-9]\d{0,2}$/.test(code ?? '+1') &&
  /^[1-9]\d{3,13}$/.test(number) &&
  !(code !== undefined && number.length > 8 && number.startsWith(code.slice(1)));

// What postal codes look like, by examples: a digit stands for any digit, a letter for any letter.
const EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map(
  `AT 1010, AU 2000, BE 1000, BG 1000, BR 01310-100, CA K1A 0B1, CH 8001, CN 100000, CY 1010, CZ 110 00, DE 10115, DK 1050,
  EE 10111, ES 28001, FI 00100, FR 75001, GB SW1A 1AA|M1 1AE|M60 1NW|CR2 6XH|DN55 1PT|W1A 0AX, GR 104 31, HR 10000, HU 1011,
  ID 10110, IN 110001, IT 00118, JP 100-0001, KR 04524, LT 01100, LU 1111, LV 1010, MT VLT 1117, MX 06000, MY 50000, NL 1011 AB,
  NO 0150, NZ 6011, PK 44000, PL 00-001, PT 1000-001|1000, RO 010011, RU 101000, SA 11564|11564-1234, SE 111 20, SG 018956,
  SI 1000, SK 811 01, TH 10100, TR 34000, UA 01001, US 10001|10001-1234, ZA 0001`
    .split(/,\s+/)
    .map(row => [row.slice(0, 2), row.slice(3).split('|')]),
);

const shapeOfCode = (code: string): string =>
  code.replace(/[\s-]/g, '').toUpperCase().replace(/\d/g, '9').replace(/[A-Z]/g, 'A');

/** `undefined` for a country that is not known here. */
export const postalCodeExample = (country: unknown): string | undefined => EXAMPLES.get(String(country))?.[0];

const WITHOUT_POSTAL_CODES: ReadonlySet<string> = new Set(
  `AE AG AO AW BF BI BJ BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GD GM GQ GY HK KI KM KN KP LC ML MO MR MW NR NU QA RW SB SC SL
  SR ST SY TD TG TK TL TO TV UG VU YE ZW`.split(/\s+/),
);

/** Has it no postal codes? The service wants a text there all the same. */
export const hasNoPostalCodes = (country: unknown): boolean => WITHOUT_POSTAL_CODES.has(String(country));

/** Is it known to need one? Of others nobody says so here. */
export const needsPostalCode = (country: unknown): boolean => EXAMPLES.has(String(country));

/** With an empty postal code in each address that has none, in a country that may do without. */
export function withEmptyCodes(body: unknown): unknown {
  return PARTIES.reduce((whole: unknown, role) => {
    const address = getAt(whole, [role, 'address']);
    if (!isRecord(address) || address.zipCode !== undefined) return whole;
    const country = textAt(address, 'country.code')?.toUpperCase();
    return country === undefined || !COUNTRIES.has(country) || needsPostalCode(country)
      ? whole
      : setAt(whole, [role, 'address', 'zipCode'], '');
  }, body);
}

/** What senders write where there is none. */
export const NO_POSTAL_CODE = '00000';

/** Does it look like one of the country? Of a country that is not known here it has a digit. */
export function isPostalCode(code: string, country: unknown): boolean {
  const examples = EXAMPLES.get(String(country));
  if (examples === undefined) return /\d/.test(code);
  // `D-10115` and `LV-1010` are usual, too.
  const shapes = [shapeOfCode(code), shapeOfCode(code.trim().replace(/^[a-z]{1,3}-/i, ''))];
  return examples.some(example => shapes.includes(shapeOfCode(example)));
}
