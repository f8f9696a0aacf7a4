// Reads phone numbers as people write them: `030 / 555 01 23`, `+49 (0)30 5550123`, `0049 30 5550123`. The library takes some 30 ms to
// load: `phonesFor` of doubts.ts loads this file only for a number that needs it.

import {
  type CountryCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import EXAMPLES from 'libphonenumber-js/mobile/examples';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { setAt } from '../contract/paths.ts';
import type { PhoneFault } from '../say/request.ts';
import { isDiallingCode, isPlain, normalCode, PHONES, phoneIn } from './phone-fields.ts';

/** A phone as the service takes it (section 2.1): the code such as `+49`, and the number as it is dialled behind the code. */
export interface Phone {
  code: string;
  number: string;
  /** Is a number of that length possible? */
  isPossible: boolean;
}

interface Beside {
  /** The dialling code that is given beside the number. */
  code?: string | undefined;
  /** The country of the address. */
  country?: string | undefined;
}

const WRITTEN = /^\s*(\+|00)?[\d\s()./-]+$/;

/** Reads a number that begins with its dialling code, or a national number by the code or country beside it; or says what is wrong. */
export function readPhone(text: string, beside: Beside = {}): Phone | PhoneFault {
  const [, prefix] = WRITTEN.exec(text) ?? [];
  if (!WRITTEN.test(text)) return 'no-number';
  const region = regionOf(beside);
  if (prefix === undefined && region === undefined) return 'no-country';
  const international = text.trim().replace(/^00/, '+');
  const read = prefix === undefined ? withoutPrefix(text, region) : parsePhoneNumberFromString(international);
  if (read === 'with-or-without-code') return read;
  if (read !== undefined)
    return {
      code: `+${read.countryCallingCode}`,
      number: read.nationalNumber,
      isPossible: read.isPossible(),
    };
  const isKnown =
    prefix === undefined || [...DIALLING_CODES.values()].some(code => beginsWithCode(international, code));
  return isKnown ? 'no-number' : 'no-prefix';
}

/** Reads a number without `+`. It may begin with the code of its country all the same: `4915123456789` in Germany. */
function withoutPrefix(
  text: string,
  region: CountryCode | undefined,
): ReturnType<typeof parsePhoneNumberFromString> | 'with-or-without-code' {
  const national = parsePhoneNumberFromString(text, region);
  const digits = text.replace(/\D/g, '');
  // The library takes off the code. In most countries a number with its code is longer than any number without it; and where people write a
  // zero in front, a number without its code would begin with a zero.
  const mayHaveCode =
    national?.nationalNumber === digits &&
    digits.startsWith(national.countryCallingCode) &&
    national.formatNational().startsWith('0');
  const withCode = mayHaveCode ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  if (!withCode?.isValid()) return national;
  return digits.length > mobileNumber(region).length ? withCode : 'with-or-without-code';
}

const beginsWithCode = (text: string, code: string) => text.replace(/[\s()./-]/g, '').startsWith(code);

/**
 * A body with its phone numbers as they are sent: the dialling code, and the number as it is dialled behind the code. A number that cannot
 * be read, or that begins with another code than the one beside it, stays as it was given.
 */
export function withReadPhones(body: unknown): unknown {
  return PHONES.reduce((target, paths) => {
    const phone = phoneIn(target, paths);
    const { code: given = '', number = '', country } = phone;
    if (number.trim() === '' || isPlain(phone)) return target;
    const code = given.trim() === '' ? undefined : given;
    const read = readPhone(number, { code, country });
    if (typeof read === 'string' || !read.isPossible) return target;
    const isOther = code !== undefined && (!isDiallingCode(code) || normalCode(code) !== read.code);
    if (isOther) return target;
    return setAt(setAt(target, paths.code, read.code), paths.number, read.number);
  }, body);
}

/** The country of the address, if it has the dialling code that is given; else any country with that code. */
function regionOf(beside: Beside): CountryCode | undefined {
  const { code, country } = beside;
  const dialled = code === undefined ? undefined : normalCode(code);
  const hasCode = country !== undefined && (dialled === undefined || DIALLING_CODES.get(country) === dialled);
  const region = hasCode
    ? country
    : [...DIALLING_CODES.keys()].find(candidate => DIALLING_CODES.get(candidate) === dialled);
  return region !== undefined && isSupportedCountry(region) ? region : undefined;
}

/** A number of a mobile phone in the country, without its dialling code. */
export const phoneExample = (beside: Beside): string => mobileNumber(regionOf(beside));

const mobileNumber = (region: CountryCode | undefined): string =>
  (region && getExampleNumber(region, EXAMPLES)?.nationalNumber) ?? '15123456789';
