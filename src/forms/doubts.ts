// What a form asks about again, although the service document allows it: checked with libraries that a batch does without.

import { getExampleNumber, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import PHONE_EXAMPLES from 'libphonenumber-js/mobile/examples';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import * as z from 'zod/mini';
import { countryName } from '../contract/country-names.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { isPostalCode, postalCodeExample } from '../request/postal-codes.ts';
import { warningsOf } from '../request/warnings.ts';
import type { ValueChecks } from './engine/form.ts';

/** The checks of the fields of a request. */
export const REQUEST_CHECKS: ValueChecks = { read, refuse, doubt, example };

/** The same for a party that is a body of its own. */
export const PARTY_CHECKS: ValueChecks = {
  read: (path, answer, receiver) => read(`receiver.${path}`, answer, { receiver }),
  refuse,
  doubt: (path, answer, receiver) => doubt(`receiver.${path}`, answer, { receiver }),
  example: (path, receiver) => example(`receiver.${path}`, { receiver }),
};

/** What is doubtful about a whole request, for its review. */
export async function doubtsIn(body: unknown): Promise<string[]> {
  const warnings = warningsOf(body);
  const paths = PARTIES.flatMap(role =>
    ['email', 'phone.code', 'phone.number', 'address.zipCode'].map(name => `${role}.${name}`),
  );
  for (const path of paths) {
    const text = textAt(body, path) ?? '';
    const flaw = text.trim() === '' || isWarned(warnings, path) ? undefined : await flawOf(path, text, body);
    if (flaw !== undefined) warnings.push(`${path} ${flaw}`);
  }
  return warnings;
}

const isWarned = (warnings: readonly string[], path: string) =>
  warnings.some(warning => warning.startsWith(`${path} is `));

/**
 * A dialling code as `+49`, a currency as `EUR`, and a phone number without the dialling code that the field beside it
 * has already. Any other answer as it is.
 */
function read(path: string, answer: string, body: unknown): string {
  if (PHONE_CODE.test(path)) return /^[+\d\s]+$/.test(answer) && isCode(answer) ? normalCode(answer) : answer;
  if (path === CURRENCY)
    return SIGNS.get(answer) ?? (/^[a-z]{3}$/i.test(answer) ? answer.toUpperCase() : answer);
  const number = PHONE.test(path) ? internationalNumber(answer) : undefined;
  return number !== undefined && `+${number.countryCallingCode}` === codeBeside(path, body)
    ? number.nationalNumber
    : answer;
}

/** A sign that several countries use. */
function refuse(path: string, answer: string): string | undefined {
  return path === CURRENCY && /^\p{Sc}$/u.test(answer) && !SIGNS.has(answer)
    ? `${answer} may be a currency of several countries. Type its code, such as USD`
    : undefined;
}

async function doubt(path: string, answer: string, body: unknown): Promise<string | undefined> {
  if (answer.trim() === '') return undefined;
  const taken = read(path, answer, body);
  const flaw =
    (await flawOf(path, taken, body)) ??
    warningsOf(body)
      .find(warning => warning.startsWith(`${path} is `))
      ?.slice(path.length + 1);
  if (flaw !== undefined) return `This ${flaw}. Enter again keeps your answer`;
  return taken === answer || !PHONE.test(path)
    ? undefined
    : `This begins with ${codeBeside(path, body)}, which is its country code already. Enter again takes it as ${taken}`;
}

function example(path: string, body: unknown): string | undefined {
  if (PHONE.test(path)) return phoneExample(path, body);
  const country = postalCountry(path, body);
  return country === undefined ? undefined : postalCodeExample(country);
}

/** What is wrong with a text at a path, as the end of a sentence about it. */
async function flawOf(path: string, text: string, body: unknown): Promise<string | undefined> {
  if (path.endsWith('.email') && !z.email().safeParse(text.trim()).success)
    return 'is not an e-mail address. A right one looks like this: anna@example.com';
  if (PHONE_CODE.test(path) && !isCode(text))
    return 'is not the country code of any country. A right one looks like this: +49';
  if (path.endsWith('.hsCode') && !/^\d{6,10}$/.test(text.replace(/[.\s]/g, '')))
    return 'is not an HS code of 6 to 10 digits. A right one looks like this: 610910';
  if (PHONE.test(path)) return phoneFlaw(path, text, body);
  const country = postalCountry(path, body);
  if (country === undefined || isPostalCodeOf(text, country)) return undefined;
  return `is not a postal code of ${countryName(country)}${suchAs(postalCodeExample(country))}`;
}

const suchAs = (text: string | undefined) =>
  text === undefined ? '' : `. A right one looks like this: ${text}`;

const CURRENCY = 'customs.currency';
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['₺', 'TRY'],
]);
const PHONE = /\.phone\.number$/;
const PHONE_CODE = /\.phone\.code$/;
const CODES: ReadonlySet<string> = new Set(DIALLING_CODES.values());

/** `0049`, `49` and `+49 ` are `+49`. */
const normalCode = (text: string) => `+${text.replace(/\D/g, '').replace(/^00/, '')}`;

const isCode = (text: string) => CODES.has(normalCode(text));

const codeBeside = (path: string, body: unknown) =>
  normalCode(textAt(body, path.replace(PHONE, '.phone.code')) ?? '');

const internationalNumber = (text: string) => {
  const digits = /^\s*(?:\+|00)(.+)$/.exec(text)?.[1];
  return digits === undefined ? undefined : parsePhoneNumberFromString(`+${digits}`);
};

function phoneFlaw(path: string, text: string, body: unknown): string | undefined {
  const code = codeBeside(path, body);
  const other = internationalNumber(text);
  if (other !== undefined) return `begins with +${other.countryCallingCode}, but its country code is ${code}`;
  if (!CODES.has(code) || parsePhoneNumberFromString(`${code}${text}`)?.isValid()) return undefined;
  return `is not a phone number with the country code ${code}${suchAs(phoneExample(path, body))}`;
}

/** Of the party's country if the dialling code is its own; else of any country with that code. */
function phoneExample(path: string, body: unknown): string | undefined {
  const code = codeBeside(path, body);
  const own = textAt(body, path.replace(PHONE, '.address.country.code')) ?? '';
  const country = [own, ...DIALLING_CODES.keys()].find(one => DIALLING_CODES.get(one) === code);
  return country !== undefined && isSupportedCountry(country)
    ? getExampleNumber(country, PHONE_EXAMPLES)?.nationalNumber
    : undefined;
}

/** The country whose postal code is at that path. */
function postalCountry(path: string, body: unknown): string | undefined {
  if (path === 'postalCode') return textAt(body, 'destinationCountry');
  if (path === 'data.postalCode') return textAt(body, 'data.countryTo');
  return path.endsWith('.zipCode')
    ? textAt(getAt(body, path.replace(/\.zipCode$/, '')), 'country.code')
    : undefined;
}

/** Blanks, dashes, case and a country before it do not matter. */
function isPostalCodeOf(text: string, country: string): boolean {
  if (!postcodeValidatorExistsForCountry(country)) return isPostalCode(text, country);
  const code = text.trim().toUpperCase();
  const bare = code.replace(/^[A-Z]{1,3}-/, '');
  const characters = [...bare.replace(/[\s-]/g, '')];
  const model = postalCodeExample(country) ?? '';
  const asModel = model.replace(/[A-Z\d]/g, () => characters.shift() ?? '') + characters.join('');
  return [code, bare, bare.replace(/[\s-]/g, ''), asModel].some(one => postcodeValidator(one, country));
}
