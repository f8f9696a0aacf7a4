// A country is found by its code, by its name in any language, and by a name that is misspelt; it is not guessed.
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { COUNTRIES } from '../../src/contract/countries.ts';
import {
  COUNTRY_ALIASES,
  countryName,
  findCountries,
  loadCountryNames,
} from '../../src/request/countries.ts';
import { COUNTRY_NAMES } from '../../src/request/country-names.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, offeredValues } from '../rig/service.ts';

/** What `--to` is told of this text. */
async function suggested(given: readonly string[]): Promise<[string, string | undefined][]> {
  const { run } = await createRig();
  const found: [string, string | undefined][] = [];
  for (const text of given) {
    const ran = await run(['quote', '--from', 'TR', '--to', text, '--package', '1@1x1x1', '--json']);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    found.push([text, errorOf(ran).issues[0]?.suggestion]);
  }
  return found;
}

const MEANT: Readonly<Record<string, readonly string[]>> = {
  GB: ['UK', 'uk', 'U.K.', 'England', 'United Kingdom', 'Great Britain', 'İNGİLTERE'],
  DE: ['DEU', 'Germany', 'germany', ' Germany ', 'Germny', 'Almanya', 'ALLEMAGNE', 'Deutschlnad'],
  US: ['USA', 'ABD'],
  SA: ['KSA'],
  TR: ['Turkey', 'Türkiye'],
  NL: ['Netherland'],
  AT: ['Austria', 'Österreich', 'Oesterreich'],
  CY: ['Kıbrıs', 'KIBRIS'],
  CN: ['Çin'],
  NE: ['Niger'],
  IQ: ['Irak'],
  GR: ['EL'],
};

test('a code is suggested for what people write in its place', async () => {
  for (const [code, given] of Object.entries(MEANT))
    expect(await suggested(given)).toEqual(given.map(text => [text, code]));
});

test('nothing is suggested for a text that may be two countries, or none', async () => {
  // Austria and Australia, the two of Congo, Iran and Iraq are as near.
  const given = ['Austraia', 'Kongo', 'Iram', 'Bali', 'UX', 'ZZ', 'qqq', 'toString', '12345'];
  expect(await suggested(given)).toEqual(given.map(text => [text, undefined]));
});

test.each([
  ['DEU', ['DE']],
  ['KSA', ['SA']],
  ['usa', ['US']],
  ['Turkiye', ['TR']],
  ["Cote d'Ivoire", ['CI']],
  ['côte d’ivoire', ['CI']],
  ['Ivory', ['CI']],
  ['aland', ['AX']],
  ['Curacao', ['CW']],
  ['trinidad & tobago', ['TT']],
  ['guinea', ['GN', 'GW']],
  ['Netherlnads', ['NL']],
  ['vereinigtes', ['GB']],
  ['Suudi', ['SA']],
  ['qqqq', []],
  ['constructor', []],
])('completion of %j offers %j', async (term, codes) => {
  expect(await offeredValues(await createRig(), 'quote', '--to', term)).toEqual(codes);
});

test('a search finds a code first, then names that begin with it, then names with a word that does', async () => {
  const codesOf = async (term: string) => (await findCountries(term)).map(({ code }) => code);
  expect(await codesOf('guinea')).toEqual(['GN', 'GW', 'GQ', 'PG']);
  const found = await codesOf('in');
  const places = ['IN', 'ID', 'IO', 'AR'].map(code => found.indexOf(code));
  expect([places[0], places]).toEqual([0, places.toSorted((one, other) => one - other)]);
  const all = await findCountries(' ');
  expect(new Set(all.map(({ code }) => code))).toEqual(COUNTRIES);
  // A letter with a mark is sorted like the letter.
  expect(all.slice(0, 3).map(({ name }) => name)).toEqual(['Afghanistan', 'Åland Islands', 'Albania']);
});

test('every code and every name is that of its country', async () => {
  const named = await loadCountryNames();
  const codes: [string, string][] = createRequire(import.meta.url)('i18n-iso-countries/codes.json');
  for (const [code, long] of codes)
    expect([named(code), named(long.toLowerCase())]).toEqual([[code], [code]]);
  for (const [code, names] of COUNTRY_NAMES)
    for (const name of names) {
      // A code of three letters counts before a name: NGA is Nigeria, and Nga Russia in Vietnamese.
      if (/^[A-Z]{2,3}$/i.test(name.replaceAll('.', ''))) continue;
      const found = named(name);
      expect(found, name).toContain(COUNTRY_ALIASES[name.toUpperCase()] ?? code);
      expect(found.length, name).toBeLessThanOrEqual(3);
    }
  const english = await Promise.all([...COUNTRIES].map(countryName));
  expect(new Set(english).size).toBe(COUNTRIES.size);
  expect(english.filter(name => /^[A-Z]{2}$/.test(name))).toEqual([]);
});
