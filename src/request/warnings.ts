import { CURRENCIES } from '../contract/currencies.ts';
import { PARTIES } from '../contract/parties.ts';
import { formatPath, getAt, listAt, type Path, parsePath } from '../contract/paths.ts';
import { isPostalCode, postalCodeExample } from './postal-codes.ts';
import { sumWarnings } from './sums.ts';
import { type FoundText, textsIn } from './texts.ts';

/** What is probably a mistake, although the service document allows it. */
export function warningsOf(body: unknown): string[] {
  return [...sumWarnings(body), ...unlikely(body), ...severalDocuments(body), ...oddTexts(body)];
}

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
const DIALLING = pattern(/^(\+|00)?[\d\s()-]{1,9}$/, 'a dialling code, such as +49');
const PHONE = pattern(
  /^[\s()./-]*(?:\d[\s()./-]*){4,14}$/,
  'a phone number without its dialling code, such as 30 1234567',
);
const SHORT_ADDRESS = pattern(/^[a-z]{4}\s*\d{4}$/i, 'a short address of Saudi Arabia, such as RRRD2929');
const IOSS = pattern(/^IM\d{10}$/i, 'an IOSS number, such as IM0123456789');
const TARIFF = pattern(/^(?:\d[.\s]*){4,12}$/, 'an HS code of at least 4 digits, such as 610910');
const CURRENCY: Shape = {
  isLikely: text => CURRENCIES.has(text),
  what: () => 'a currency code of ISO 4217, such as EUR',
};
const POSTAL_CODE: Shape = {
  isLikely: isPostalCode,
  what: country => `a postal code, such as ${postalCodeExample(country) ?? '10115'}`,
};

/** What the document allows, but a customs office or a carrier will hardly accept. */
function unlikely(body: unknown): string[] {
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
    check([role, 'phone', 'number'], PHONE);
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
