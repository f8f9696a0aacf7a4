import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { COUNTRIES, EU_MEMBERS } from '../../src/contract/countries.ts';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { DIALLING_CODES } from '../../src/contract/dialling.ts';
import { COUNTRY_NAMES } from '../../src/request/country-names.ts';

interface DataScript {
  countries: string[];
  euMembers: string[];
  currencies(): Record<string, number>;
  diallingCodes: Record<string, string>;
  countryNames(): Record<string, string[]>;
}

// The script that wrote the lists; an import of it writes nothing.
const computed: DataScript = await import(new URL('../../scripts/data.mjs', import.meta.url).href);

test('the countries are those of i18n-iso-countries today, and XK', () => {
  expect([...COUNTRIES]).toEqual(computed.countries);
  const codes = createRequire(import.meta.url)('i18n-iso-countries/codes.json') as [string][];
  expect([...COUNTRIES].sort()).toEqual([...new Set([...codes.map(([code]) => code), 'XK'])].sort());
});

test('the members of the European Union are those of cldr-core today', () => {
  expect([...EU_MEMBERS]).toEqual(computed.euMembers);
});

test('the currencies and their decimals are those of cldr-core today', () => {
  expect(Object.fromEntries(CURRENCIES)).toEqual(computed.currencies());
});

test('the dialling codes are those of libphonenumber-js today', () => {
  expect(Object.fromEntries(DIALLING_CODES)).toEqual(computed.diallingCodes);
});

test('the names of countries are those of i18n-iso-countries today, in all of its languages', () => {
  expect(Object.fromEntries(COUNTRY_NAMES)).toEqual(computed.countryNames());
  expect(COUNTRY_NAMES.get('DE')).toEqual(expect.arrayContaining(['Germany', 'Deutschland', 'Almanya']));
});

test('the countries are alpha-2 codes, without codes such as UK that people only write', () => {
  expect([...COUNTRIES].every(code => /^[A-Z]{2}$/.test(code))).toBe(true);
  expect(COUNTRIES.size).toBe(250);
  for (const code of ['TR', 'DE', 'GB', 'SA', 'US', 'XK', 'TW', 'AX']) expect(COUNTRIES).toContain(code);
  for (const code of ['UK', 'EU', 'EL', 'XI', 'AN', 'SU', 'ZZ', '']) expect(COUNTRIES).not.toContain(code);
});

test('the European Union has 27 members, all of them countries, and not the United Kingdom', () => {
  expect(EU_MEMBERS.size).toBe(27);
  for (const code of EU_MEMBERS) expect(COUNTRIES).toContain(code);
  for (const code of ['GB', 'CH', 'NO', 'TR', 'IS', 'MC', 'XK']) expect(EU_MEMBERS).not.toContain(code);
});

test('the currencies are alpha-3 codes with the decimals that people write', () => {
  expect([...CURRENCIES.keys()].every(code => /^[A-Z]{3}$/.test(code))).toBe(true);
  expect(['EUR', 'USD', 'GBP', 'TRY', 'SAR', 'JPY', 'KWD'].map(code => CURRENCIES.get(code))).toEqual([
    2, 2, 2, 2, 2, 0, 3,
  ]);
  for (const code of ['DEM', 'XAU', 'XXX', 'BTC']) expect(CURRENCIES.has(code)).toBe(false);
});

test('the dialling codes are those of countries, as people write them', () => {
  for (const [code, dialled] of DIALLING_CODES) {
    expect(COUNTRIES).toContain(code);
    expect(dialled).toMatch(/^\+[1-9]\d{0,2}$/);
  }
  expect(['DE', 'TR', 'GB', 'US', 'SA', 'AE', 'XK'].map(code => DIALLING_CODES.get(code))).toEqual([
    '+49',
    '+90',
    '+44',
    '+1',
    '+966',
    '+971',
    '+383',
  ]);
  expect([...COUNTRIES].filter(code => !DIALLING_CODES.has(code))).toEqual([
    'AQ',
    'BV',
    'GS',
    'HM',
    'PN',
    'TF',
    'UM',
  ]);
});
