import { COUNTRIES } from '../contract/countries.ts';
import type { Issue } from '../contract/operation.ts';
import { allNearest } from '../nearest.ts';
import { shown } from '../text.ts';

// Names and codes that people write but ISO 3166 does not have.
export const COUNTRY_ALIASES: Readonly<Record<string, string>> = {
  UK: 'GB',
  ENGLAND: 'GB',
  SCOTLAND: 'GB',
  WALES: 'GB',
  EL: 'GR',
  HOLLAND: 'NL',
  KSA: 'SA',
  BAE: 'AE',
  INGILTERE: 'GB',
  ISKOCYA: 'GB',
  KIBRIS: 'CY',
  UAE: 'AE',
  TURKEY: 'TR',
};

/** The names of countries; loaded late, because few commands need them. */
async function englishCountries() {
  const { default: countries } = await import('i18n-iso-countries/index.js');
  const { default: english } = await import('i18n-iso-countries/langs/en.json');
  countries.registerLocale(english);
  return countries;
}

/** The codes of the countries that have a name, by that name as `plain` makes it. */
let byName: ReadonlyMap<string, readonly string[]> | undefined;

async function namesInAllLanguages() {
  if (byName) return byName;
  const { COUNTRY_NAMES } = await import('./country-names.ts');
  const found = new Map<string, string[]>();
  for (const [code, names] of COUNTRY_NAMES)
    for (const name of new Set(names.map(plain))) found.set(name, [...(found.get(name) ?? []), code]);
  byName = found;
  return found;
}

/**
 * What gives the codes of exactly a code of two or three letters, an alias, or a name in any language: `DEU`, `UK`,
 * `Almanya`. A few names have several countries: `Kongo`.
 */
export async function loadCountryNames(): Promise<(given: string) => readonly string[]> {
  const [countries, names] = await Promise.all([englishCountries(), namesInAllLanguages()]);
  return given => {
    // With its marks: the Vietnamese name of Austria is no code of Angola.
    const written = given.trim().toUpperCase().replaceAll('.', '');
    if (COUNTRIES.has(written)) return [written];
    const name = plain(given);
    const isAlpha3 = /^[A-Z]{3}$/.test(written);
    const code = COUNTRY_ALIASES[name.toUpperCase()] ?? (isAlpha3 && countries.alpha3ToAlpha2(written));
    return code ? [code] : (names.get(name) ?? []);
  };
}

// In a shorter word one letter is too much: Iran and Irak, Mali and Bali.
const SHORTEST_MISSPELT = 5;

/** The country that was meant, also if the name is misspelt. `undefined` if it may be another one. */
export async function countryFor(given: string): Promise<string | undefined> {
  if (COUNTRIES.has(given.trim().toUpperCase())) return given.trim().toUpperCase();
  const named = (await loadCountryNames())(given);
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  const name = plain(given);
  if (name.length < SHORTEST_MISSPELT) return undefined;
  const names = await namesInAllLanguages();
  const meant = new Set(
    allNearest(name, names.keys(), Math.floor(name.length / SHORTEST_MISSPELT)).flatMap(one =>
      names.get(one),
    ),
  );
  const [code] = meant;
  return meant.size === 1 ? code : undefined;
}

const LONGEST_CODE = 3;

/** What is wrong with what was given as the code of a country. */
export async function countryFault(given: unknown): Promise<Pick<Issue, 'message' | 'suggestion'>> {
  const message = `must be an ISO country code such as DE, not ${shown(given)}`;
  const suggestion = typeof given === 'string' ? await countryFor(given) : undefined;
  if (suggestion === undefined) return { message };
  const isName = String(given).trim().length > LONGEST_CODE;
  const named = isName ? `; the code of ${await countryName(suggestion)} is ${suggestion}` : '';
  return { message: message + named, suggestion };
}

interface CountryFound {
  /** ISO 3166-1 alpha-2, or XK. */
  code: string;
  /** In English. */
  name: string;
}

/** The name of a country in English; for an unknown code, the code itself. */
export async function countryName(code: string): Promise<string> {
  if (!COUNTRIES.has(code)) return code;
  return (await englishCountries()).getName(code, 'en') ?? code;
}

/**
 * The countries that match a code, an alias or a part of the English name, best first; if there are none, those with a name
 * in another language that begins with the term; else the one that `countryFor` gives. A blank term gives all countries, by
 * name.
 */
export async function findCountries(term: string): Promise<CountryFound[]> {
  const countries = await englishCountries();
  const all = [...COUNTRIES].map(code => ({
    code,
    name: countries.getName(code, 'en') ?? code,
    known: (countries.getName(code, 'en', { select: 'all' }) ?? []).map(plain),
    codes: [code, countries.alpha2ToAlpha3(code)],
  }));
  const upper = term.trim().toUpperCase().replaceAll('.', '');
  const wanted = plain(term);
  const rank = ({ code, known, codes }: (typeof all)[number]): number =>
    [
      codes.includes(upper) || COUNTRY_ALIASES[upper] === code,
      known.includes(wanted),
      known.some(name => name.startsWith(wanted)),
      known.some(name => ` ${name}`.includes(` ${wanted}`)),
      known.some(name => name.includes(wanted)),
    ].indexOf(true);
  const found = all
    .map(country => ({ ...country, rank: wanted === '' ? 0 : rank(country) }))
    .filter(country => country.rank >= 0)
    .sort((one, other) => one.rank - other.rank || inOrder(one, other));
  const others = found.length > 0 ? new Set() : await codesInOtherLanguages(wanted);
  const elsewhere = all.filter(({ code }) => others.has(code)).sort(inOrder);
  return [...found, ...elsewhere].map(({ code, name }) => ({ code, name }));
}

async function codesInOtherLanguages(wanted: string): Promise<ReadonlySet<string | undefined>> {
  const named = (await loadCountryNames())(wanted);
  if (named.length > 0) return new Set(named);
  const names = [...(await namesInAllLanguages())];
  const begun = names.filter(([name]) => name.startsWith(wanted)).flatMap(([, codes]) => codes);
  return new Set(begun.length > 0 ? begun : [await countryFor(wanted)]);
}

const inOrder = (one: CountryFound, other: CountryFound): number => one.name.localeCompare(other.name, 'en');

/** Without accents, punctuation and case: `Côte d'Ivoire` -> `cote divoire`. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', ' and ')
    // Not as characters: the build leaves expressions as they are, and the bundle is read as ASCII.
    .replace(/\u0131/g, 'i')
    .replace(/\u00df/g, 'ss')
    // Marks of Indian letters are vowels, and stay.
    .replace(/[\u0300-\u036f'\u2019.]/g, '')
    .replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, ' ')
    .trim();
