// A country is found by its code, by its name in any language, and by a name that is misspelt; it is not guessed.
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { countriesNamed, countryName, findCountries } from '../../src/contract/country-names.ts';
import { createRig } from '../rig/command.ts';
import { bodyOf, errorOf, offeredValues } from '../rig/service.ts';

/** What a field is told of this text. */
async function suggested(given: readonly string[]): Promise<[string, string | undefined][]> {
  const { run } = await createRig();
  const found: [string, string | undefined][] = [];
  for (const text of given) {
    const ran = await run([
      'quote',
      '--from',
      'TR',
      '--set',
      `destinationCountry=${text}`,
      '--package',
      '1@1x1x1',
      '--json',
    ]);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    found.push([text, errorOf(ran).issues[0]?.suggestion]);
  }
  return found;
}

/** What people and shops write, in their own language, officially or with a mistake. */
const MEANT: Readonly<Record<string, string>> = {
  AE: 'United Arab Emirates, UAE, BAE, الإمارات العربية المتحدة',
  AT: 'Austria, Österreich, Oesterreich, Autriche, Avusturya',
  BY: 'Weißrussland, Belarus',
  CH: 'Schweiz, Suisse, Svizzera, İsviçre',
  CI: 'Ivory Coast, Elfenbeinküste, Fildişi Sahili',
  CN: 'Çin, 中国, China',
  CY: 'Kıbrıs, KIBRIS',
  CZ: 'Czech Republic, Czechia, Tschechien',
  DE: 'DEU, Germany, germany, Germny, Almanya, ALLEMAGNE, Deutschlnad, Германия, ألمانيا, ドイツ, Saksa',
  EG: 'Aegypten, Mısır',
  GB: 'UK, uk, U.K., England, United Kingdom, Great Britain, İNGİLTERE, Großbritannien, Wales',
  GR: 'EL',
  IQ: 'Irak',
  KR: 'South Korea, 대한민국',
  NE: 'Niger',
  NL: 'Netherland, Pays-Bas',
  RU: 'Russian Federation, Rusya',
  SA: 'KSA',
  TR: 'Turkey, Türkiye, Türkei, Tuerkei, Turquie, Τουρκία',
  US: 'USA, ABD, A.B.D., United States of America, Vereinigte Staaten von Amerika, Estados Unidos',
  VN: 'Viet Nam',
};

test('a code is suggested for what people write in its place', async () => {
  for (const [code, words] of Object.entries(MEANT)) {
    const given = [...words.split(', '), ` ${words.split(', ')[0]} `];
    expect(await suggested(given)).toEqual(given.map(text => [text, code]));
  }
});

test('behind a flag a name that one country has is its code; two letters are a code', async () => {
  const { run } = await createRig();
  const answered = async (text: string) => {
    const ran = await run(['quote', '--from', 'Türkiye', '--to', text, '--package', '1@1x1x1', '--json']);
    return ran.exitCode === 0 ? bodyOf(ran) : errorOf(ran).issues[0]?.suggestion;
  };
  for (const text of ['almanya', 'Deutschland', 'Allemagne', 'DEU', 'de'])
    expect(await answered(text)).toMatchObject({ originCountry: 'TR', destinationCountry: 'DE' });
  expect([await answered('UK'), await answered('Germny'), await answered('Kongo')]).toEqual([
    'GB',
    'DE',
    undefined,
  ]);
});

test('a name with another one in brackets is the country of both, or none', () => {
  const given = ['United States (US)', 'Congo (Kinshasa)', 'Turkey (Türkiye)', 'Georgia (US)', 'Texas (US)'];
  expect(given.map(countriesNamed)).toEqual([['US'], ['CD'], ['TR'], [], []]);
});

test('a name is read with the words of its state before or behind it', () => {
  const given = ['Korea, South', 'Ireland, Republic of', 'Republic of Ireland', 'Croatia, Republic of'];
  expect(given.map(countriesNamed)).toEqual([['KR'], ['IE'], ['IE'], ['HR']]);
});

test('nothing is suggested for a text that may be two countries, or none', async () => {
  // Austria and Australia, the two of Congo, Iran and Iraq are as near.
  const given = ['Austraia', 'Kongo', 'Iram', 'Bali', 'UX', 'ZZ', 'qqq', 'toString', '12345'];
  expect(await suggested(given)).toEqual(given.map(text => [text, undefined]));
});

test.each([
  ['usa', ['US']],
  ['côte d’ivoire', ['CI']],
  ['aland', ['AX']],
  ['trinidad & tobago', ['TT']],
  ['guinea', ['GN', 'GW']],
  ['Netherlnads', ['NL']],
  ['qqqq', []],
  ['constructor', []],
])('completion of %j offers %j', async (term, codes) => {
  expect(await offeredValues(await createRig(), 'quote', '--to', term)).toEqual(codes);
});

test('a country is found by its codes and its English name', () => {
  const codes: [string, string][] = createRequire(import.meta.url)('i18n-iso-countries/codes.json');
  for (const [code, long] of codes)
    expect([countriesNamed(code), countriesNamed(long.toLowerCase())]).toEqual([[code], [code]]);
  // Each word is one that a person may type, and none of them is a country for another one.
  for (const { code, name } of findCountries(' '))
    expect([name, countriesNamed(name)]).toEqual([name, [code]]);
  expect(countryName('XK')).toBe('Kosovo');
  expect(countryName('ZZ')).toBe('ZZ');
});
