import { COUNTRIES } from '../contract/countries.ts';
import { nearest } from '../nearest.ts';

// Names and codes that people write but ISO 3166 does not have.
export const COUNTRY_ALIASES: Readonly<Record<string, string>> = {
  UK: 'GB',
  ENGLAND: 'GB',
  SCOTLAND: 'GB',
  WALES: 'GB',
  EL: 'GR',
  HOLLAND: 'NL',
  KSA: 'SA',
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

/** The alpha-2 code for a name (nearly) in English, an alpha-3 code or a habit: `Germany`, `Germny`, `DEU`, `UK`. */
export async function countryFor(given: string): Promise<string | undefined> {
  const name = given.trim();
  const upper = name.toUpperCase().replaceAll('.', '');
  if (COUNTRIES.has(upper)) return upper;
  const habit = COUNTRY_ALIASES[upper];
  if (habit !== undefined) return habit;
  const countries = await englishCountries();
  const codeOf = (word: string) =>
    countries.getAlpha2Code(word, 'en') ?? countries.getSimpleAlpha2Code(word, 'en');
  const misspelt = () => nearest(name, Object.values(countries.getNames('en')));
  return countries.alpha3ToAlpha2(upper) ?? codeOf(name) ?? codeOf(misspelt() ?? '');
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
 * The countries that match a code, an alias or a part of a name, best first; if there are none, the one with the nearest
 * name. A blank term gives all countries, by name.
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
    .sort((one, other) => one.rank - other.rank || byName(one, other));
  const names = found.length > 0 ? [] : all.flatMap(({ known }) => known);
  const meant = nearest(wanted, names);
  const near = all.filter(({ known }) => meant !== undefined && known.includes(meant));
  return [...found, ...near].map(({ code, name }) => ({ code, name }));
}

const byName = (one: CountryFound, other: CountryFound): number => one.name.localeCompare(other.name, 'en');

/** Without accents, punctuation and case: `Côte d'Ivoire` -> `cote divoire`. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', ' and ')
    // Not as a character: the build leaves expressions as they are, and the bundle is read as ASCII.
    .replace(/[\p{Mark}'\u2019.]/gu, '')
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();
