import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNTRIES } from '../../src/contract/countries.ts';
import {
  COUNTRY_ALIASES,
  countryFor,
  countryName,
  findCountries,
  loadCountryNames,
} from '../../src/request/countries.ts';
import { COUNTRY_NAMES } from '../../src/request/country-names.ts';

const require = createRequire(import.meta.url);
const NAMES: Record<string, string | string[]> = require('i18n-iso-countries/langs/en.json').countries;
const ALPHA_3: [string, string][] = require('i18n-iso-countries/codes.json');

const codesFor = async (term: string) => (await findCountries(term)).map(({ code }) => code);

test.each([
  ['de', 'DE'],
  ['DEU', 'DE'],
  ['UK', 'GB'],
  ['u.k.', 'GB'],
  ['England', 'GB'],
  ['KSA', 'SA'],
  ['uae', 'AE'],
  ['usa', 'US'],
  ['germ', 'DE'],
  ['Germny', 'DE'],
  ['Turkiye', 'TR'],
  ['Türkiye', 'TR'],
  ['Turkey', 'TR'],
  [' turkey ', 'TR'],
  ["Cote d'Ivoire", 'CI'],
  ['côte d’ivoire', 'CI'],
  ['Ivory', 'CI'],
  ['aland', 'AX'],
  ['Curacao', 'CW'],
  ['trinidad & tobago', 'TT'],
  ['guinea bissau', 'GW'],
  ['China', 'CN'],
  ['kosovo', 'XK'],
])('a search for %j finds %s first', async (term, code) => {
  expect((await findCountries(term))[0]?.code).toBe(code);
});

test('a code comes first, then names that begin with the term, then names with a word that does, then the rest', async () => {
  const found = await codesFor('in');
  expect(found[0]).toBe('IN');
  const places = ['ID', 'IO', 'AR'].map(code => found.indexOf(code));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  expect(await codesFor('guinea')).toEqual(['GN', 'GW', 'GQ', 'PG']);
});

test('a misspelled name finds the nearest country, and a text like no country finds none', async () => {
  expect(await codesFor('Netherlnads')).toEqual(['NL']);
  expect(await codesFor('qqqq')).toEqual([]);
  expect(await codesFor('__proto__')).toEqual([]);
  expect(await codesFor('constructor')).toEqual([]);
});

test.each(['', '  '])('a search for %j finds all countries once, sorted by name', async term => {
  const found = await findCountries(term);
  expect(new Set(found.map(({ code }) => code))).toEqual(COUNTRIES);
  expect(found).toHaveLength(COUNTRIES.size);
  expect(found[0]?.name).toBe('Afghanistan');
  // A letter with a mark is sorted like the letter.
  expect(found.slice(1, 3).map(({ name }) => name)).toEqual(['Åland Islands', 'Albania']);
});

test('every code finds itself first, in both lengths and in any case', async () => {
  const codes = ALPHA_3.flatMap(([code, long]) => [code, long].map(written => ({ code, written })));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...codes), fc.boolean(), async ({ code, written }, lower) => {
      const [first] = await findCountries(lower ? written.toLowerCase() : written);
      expect(first?.code).toBe(code);
    }),
  );
});

test('every name finds its code first, with or without marks', async () => {
  // Two countries are called Congo.
  const names = Object.entries(NAMES)
    .flatMap(([code, name]) => [name].flat().map(one => ({ code, name: one })))
    .filter(({ name }) => name !== 'Congo');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.boolean(), async ({ code, name }, marked) => {
      const written = marked ? name : name.normalize('NFD').replace(/\p{Mark}/gu, '');
      expect((await findCountries(written))[0]?.code).toBe(code);
    }),
    { numRuns: names.length },
  );
  expect((await codesFor('Congo')).toSorted()).toEqual(['CD', 'CG']);
});

test('every found country has a valid code, and is found once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 8 }), async term => {
      const found = await codesFor(term);
      expect(new Set(found).size).toBe(found.length);
      for (const code of found) expect(COUNTRIES).toContain(code);
    }),
  );
});

test.each([
  ['Almanya', 'DE'],
  ['almany', 'DE'],
  ['vereinigtes', 'GB'],
  ['Suudi', 'SA'],
])('a search for %j finds a name of another language: %s', async (term, code) => {
  expect(await codesFor(term)).toContain(code);
});

test('every country has a unique name, which identifies it', async () => {
  const names = await Promise.all([...COUNTRIES].map(countryName));
  expect(new Set(names).size).toBe(COUNTRIES.size);
  expect(names.filter(name => /^[A-Z]{2}$/.test(name))).toEqual([]);
  expect(await countryName('XK')).toBe('Kosovo');
  expect(await countryName('ZZ')).toBe('ZZ');
  expect(await countryFor(await countryName('GB'))).toBe('GB');
});

test.each([
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['U.K.', 'GB'],
  ['England', 'GB'],
  ['United Kingdom', 'GB'],
  ['Great Britain', 'GB'],
  ['Germany', 'DE'],
  ['germany', 'DE'],
  [' Germany ', 'DE'],
  ['Germny', 'DE'],
  ['DEU', 'DE'],
  ['de', 'DE'],
  ['USA', 'US'],
  ['KSA', 'SA'],
  ['Turkey', 'TR'],
  ['Türkiye', 'TR'],
  ['Netherland', 'NL'],
  ['Austria', 'AT'],
  ['Almanya', 'DE'],
  ['ALLEMAGNE', 'DE'],
  ['Deutschlnad', 'DE'],
  ['Österreich', 'AT'],
  ['Oesterreich', 'AT'],
  ['İNGİLTERE', 'GB'],
  ['Kıbrıs', 'CY'],
  ['KIBRIS', 'CY'],
  ['Çin', 'CN'],
  ['ABD', 'US'],
  ['Niger', 'NE'],
  ['Irak', 'IQ'],
  ['EL', 'GR'],
])('%j is the country %s', async (given, code) => {
  expect(await countryFor(given)).toBe(code);
});

// Not even the nearest one: Austria and Australia, the two of Congo, Iran and Iraq are as near.
test.each([
  'Austraia',
  'Kongo',
  'Iram',
  'Bali',
  'UX',
  '',
  'ZZ',
  'qqq',
  '__proto__',
  'constructor',
  'toString',
  '12345',
])('%j is no one country', async given => {
  expect(await countryFor(given)).toBeUndefined();
});

test('every name in any language is that of its country, or of two', async () => {
  const named = await loadCountryNames();
  for (const [code, names] of COUNTRY_NAMES)
    for (const name of names) {
      // A code of three letters counts before a name: NGA is Nigeria, and Nga Russia in Vietnamese.
      if (/^[A-Z]{2,3}$/i.test(name.replaceAll('.', ''))) continue;
      const codes = named(name);
      expect(codes, name).toContain(COUNTRY_ALIASES[name.toUpperCase()] ?? code);
      expect(codes.length, name).toBeLessThanOrEqual(3);
    }
});

test('every suggested country has a valid code', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 12 }), async given => {
      const code = await countryFor(given);
      expect(code === undefined || COUNTRIES.has(code)).toBe(true);
    }),
  );
});
