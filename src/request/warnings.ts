import { CURRENCIES } from '../contract/currencies.ts';
import { PARTIES } from '../contract/parties.ts';
import { formatPath, getAt, listAt, type Path, parsePath, textAt } from '../contract/paths.ts';
import { isDiallingCode, normalCode } from './dialling.ts';
import { isPostalCode, postalCodeExample } from './postal-codes.ts';
import { sumWarnings } from './sums.ts';
import { type FoundText, textsIn } from './texts.ts';

/** What reads phone numbers; loaded only for one that is not plain digits behind a plain code. */
export type Phones = typeof import('./phone.ts');

export const phonesFor = async (body: unknown): Promise<Phones | undefined> =>
  PARTIES.some(role => !isPlain(phoneOf(body, role))) ? import('./phone.ts') : undefined;

/** What is probably a mistake, although the service document allows it. `phones`: of `phonesFor` this body. */
export function warningsOf(body: unknown, phones: Phones | undefined): string[] {
  return [...sumWarnings(body), ...unlikely(body, phones), ...severalDocuments(body), ...oddTexts(body)];
}

const phoneOf = (body: unknown, role: string) => ({
  code: textAt(body, `${role}.phone.code`),
  number: textAt(body, `${role}.phone.number`),
  country: textAt(body, `${role}.address.country.code`),
});

const isPlain = ({
  code = '+1',
  number = '1234',
}: {
  code?: string | undefined;
  number?: string | undefined;
}) => /^\+[1-9]\d{0,2}$/.test(code) && /^\d{4,14}$/.test(number);

interface Shape {
  /** `country`: of the place that the text belongs to, if that matters. */
  isLikely(text: string, country: unknown): boolean;
  /** `a currency code, such as EUR` */
  what(country: unknown): string;
}

const pattern = (shape: RegExp, what: string): Shape => ({
  isLikely: text => shape.test(text.trim()),
  what: () => what,
});

const EMAIL = pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address, such as anna@example.com');
const DIALLING: Shape = { isLikely: isDiallingCode, what: () => 'a dialling code, such as +49' };
const SHORT_ADDRESS = pattern(/^[a-z]{4}\s*\d{4}$/i, 'a short address of Saudi Arabia, such as RRRD2929');
const IOSS = pattern(/^IM\d{10}$/i, 'an IOSS number, such as IM0123456789');
const TARIFF = pattern(/^(?:\d[.\s]*){6,12}$/, 'an HS code of at least 6 digits, such as 610910');
const CURRENCY: Shape = {
  isLikely: text => CURRENCIES.has(text),
  what: () => 'a currency code of ISO 4217, such as EUR',
};
const POSTAL_CODE: Shape = {
  isLikely: isPostalCode,
  what: country => `a postal code, such as ${postalCodeExample(country) ?? '10115'}`,
};

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(body: unknown, phones: Phones | undefined): string[] {
  const warnings: string[] = [];
  const check = (written: string | Path, { isLikely, what }: Shape, country?: unknown) => {
    const path = typeof written === 'string' ? (parsePath(written) ?? []) : written;
    const value = getAt(body, path);
    // A spreadsheet's number has its own warning.
    if (typeof value === 'string' && value.trim() !== '' && !isRounded(value) && !isLikely(value, country))
      warnings.push(`${formatPath(path)} is ${JSON.stringify(value)}, which is not ${what(country)}`);
  };
  for (const role of PARTIES) {
    check([role, 'email'], EMAIL);
    check([role, 'phone', 'code'], DIALLING);
    check([role, 'phone', 'number'], phoneShape(phoneOf(body, role), phones));
    const country = getAt(body, [role, 'address', 'country', 'code']);
    check([role, 'address', 'zipCode'], POSTAL_CODE, country);
    if (country === 'SA') check([role, 'address', 'nationalShortAddress'], SHORT_ADDRESS);
  }
  check('postalCode', POSTAL_CODE, getAt(body, ['destinationCountry']));
  check('data.postalCode', POSTAL_CODE, getAt(body, 'data.countryTo'));
  check('customs.currency', CURRENCY);
  check('customs.iossNumber', IOSS);
  for (const index of listAt(body, 'items').keys()) check(['items', index, 'hsCode'], TARIFF);
  for (const name of ['weight', 'quantity'])
    for (const [index, entry] of listAt(body, 'packages').entries())
      if (getAt(entry, [name]) === 0) warnings.push(`packages[${index}].${name} is 0`);
  return warnings;
}

/** A number behind its dialling code, in any usual way of writing. */
function phoneShape(phone: ReturnType<typeof phoneOf>, phones: Phones | undefined): Shape {
  const code = phone.code === undefined ? undefined : normalCode(phone.code);
  const example = phones?.phoneExample(phone) ?? '15123456789';
  return {
    isLikely(text) {
      // A dialling code that is none has its own warning; some have digits of the number.
      if (phones === undefined || isPlain(phone) || !/^\+\d{1,3}$/.test(code ?? '+1')) return true;
      if (!isDiallingCode(code ?? '+1')) return true;
      const read = phones.readPhone(text, phone);
      const isRepeated = /^\s*(\+|00)/.test(text);
      return typeof read !== 'string' && read.isPossible && !isRepeated && (code ?? read.code) === read.code;
    },
    what: () => `a phone number without its dialling code, such as ${example}`,
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
