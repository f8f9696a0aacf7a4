import leven from 'leven';
import { COUNTRIES } from '../contract/countries.ts';

/** The nearest of the words, where one is near enough to be what was meant: at most `most` letters are others. */
export function nearest(
  given: string,
  words: Iterable<string>,
  most = Math.max(1, Math.floor(given.length / 3)),
): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = most + 1;
  for (const word of words) {
    // No text is nearer than the difference in length, and measuring takes time with both lengths.
    if (Math.abs(word.length - given.length) >= least) continue;
    const distance = leven(wanted, word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

// What people write for a country though ISO 3166 does not.
export const HABITS: Readonly<Record<string, string>> = {
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

/** The names of countries, which few commands need. */
export async function englishCountries() {
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
  const habit = HABITS[upper];
  if (habit !== undefined) return habit;
  const countries = await englishCountries();
  const codeOf = (word: string) =>
    countries.getAlpha2Code(word, 'en') ?? countries.getSimpleAlpha2Code(word, 'en');
  const misspelt = () => nearest(name, Object.values(countries.getNames('en')));
  return countries.alpha3ToAlpha2(upper) ?? codeOf(name) ?? codeOf(misspelt() ?? '');
}
