// Countries by what people write: a code, or a name in one of the languages below. Names come from Node; a Node that was
// built with English alone knows English names and all codes.
import { allNearest } from '../nearest.ts';
import { shown } from '../text.ts';
import { ALPHA3, COUNTRIES } from './countries.ts';
import type { Issue } from './shapes.ts';

/** The languages of the names: listed here, because Node does not tell which languages it has. */
const LANGUAGES =
  'af am ar az be bg bn br bs ca cs cy da de el en es et eu fa fi fr ga gl ha he hi hr hu hy id is it ja ka kk km ko ku ky lt lv mk ml mn mr ms mt nb nl nn no pl ps pt ro ru sd sk sl so sq sr sv sw ta te tg th tk tr tt ug uk ur uz vi zh zh-Hant'.split(
    ' ',
  );

/** What people write, but neither ISO 3166 nor Node has: former, official and short names. */
const FURTHER_NAMES: Readonly<Record<string, string>> = {
  AE: 'UAE|BAE',
  BQ: 'Bonaire|Bonaire, Saint Eustatius and Saba|Bonaire, Sint Eustatius and Saba|Karayip Hollanda',
  BY: 'Beyaz Rusya|Wit-Rusland|Weissrussland',
  CD: 'Democratic Republic of the Congo|DR Congo|Demokratische Republik Kongo|République démocratique du Congo|Repubblica Democratica del Congo|República Democrática del Congo|Democratische Republiek Congo',
  CG: 'Republic of the Congo|Republik Kongo|République du Congo|Repubblica del Congo|República del Congo|Republiek Congo',
  CI: "Ivory Coast|Cote d'Ivoire|Elfenbeinküste|Costa de Marfil|Costa d'Avorio|Costa do Marfim|Fildişi Sahili|Wybrzeże Kości Słoniowej",
  CN: "People's Republic of China|PRC|Volksrepublik China",
  CV: 'Cabo Verde',
  CY: 'Kibris|Güney Kibris',
  CZ: 'Czech Republic|Tschechische Republik|République tchèque|República Checa|Repubblica Ceca|Tsjechische Republiek|Çek Cumhuriyeti|Česká republika',
  DE: 'Bundesrepublik Deutschland',
  FK: 'Falkland Islands (Malvinas)',
  FM: 'Micronesia, Federated States of',
  GB: 'UK|England|Scotland|Wales|Northern Ireland|Great Britain|Großbritannien|Grande-Bretagne|Gran Bretaña|Gran Bretagna|Groot-Brittannië|Wielka Brytania|Ingiltere|Iskocya|Büyük Britanya|Birlesik Krallik',
  GM: 'The Gambia|Republic of The Gambia',
  GR: 'EL|Hellas',
  GS: 'South Georgia and the South Sandwich Islands|South Georgia/Sandwich Islands',
  HK: 'Hongkong|Hong Kong',
  HR: 'Republic of Croatia',
  IE: 'Republic of Ireland',
  IR: 'Iran, Islamic Republic of|Islamic Republic of Iran|Irão',
  KN: 'Saint Kitts and Nevis',
  KP: "Korea, Democratic People's Republic of|Democratic People's Republic of Korea",
  KR: 'Korea, Republic of|Republic of Korea|Republik Korea|Corée du Sud|República de Corea',
  LA: "Lao People's Democratic Republic",
  LC: 'Saint Lucia',
  MD: 'Moldova, Republic of|Republic of Moldova|Moldawien',
  MF: 'Saint Martin (French part)',
  MK: 'Macedonia|Republic of North Macedonia|Mazedonien|Makedonya|Macédoine',
  MM: 'Burma|Birma|Birmanie|Birmania',
  MO: 'Macao|Macau',
  NL: 'Holland|The Netherlands|Kingdom of the Netherlands|Netherlands, Kingdom of the|Pays Bas',
  PM: 'Saint Pierre and Miquelon',
  PS: 'State of Palestine|Palestinian Territory|Palestine, State of|Palästina|Palestina|Filistin',
  PW: 'Belau',
  RU: 'Russian Federation|Russische Föderation|Fédération de Russie|Federación Rusa|Rusya Federasyonu',
  SA: 'KSA|Kingdom of Saudi Arabia|Saudi-Arabië',
  SJ: 'Svalbard and Jan Mayen',
  SX: 'Sint Maarten (Dutch part)|Saint Martin (Dutch part)',
  SY: 'Syrian Arab Republic',
  SZ: 'Swaziland|Swasiland|Svaziland',
  TL: 'East Timor',
  TR: 'Turkey|Turkiye Cumhuriyeti',
  TW: 'Taiwan, Province of China',
  TZ: 'Tanzania, United Republic of|United Republic of Tanzania',
  UM: 'United States Minor Outlying Islands|United States (US) Minor Outlying Islands',
  US: "United States of America|America|Vereinigte Staaten von Amerika|États-Unis d'Amérique|Estados Unidos de América|Estados Unidos da América|Stati Uniti d'America|Verenigde Staten van Amerika|ABD|Amerika|Amerika Birleşik Devletleri",
  VA: 'Vatican|Holy See|Holy See (Vatican City State)|Santa Sede|Saint-Siège',
  VC: 'Saint Vincent and the Grenadines',
  VE: 'Venezuela, Bolivarian Republic of',
  BO: 'Bolivia, Plurinational State of',
  VG: 'Virgin Islands, British|British Virgin Islands',
  VI: 'Virgin Islands, U.S.|US Virgin Islands',
};

/** Each of the `FURTHER_NAMES` with the code of its country. */
export const COUNTRY_ALIASES: readonly (readonly [name: string, code: string])[] = Object.entries(
  FURTHER_NAMES,
).flatMap(([code, names]) => names.split('|').map(name => [name, code] as const));

/** For each name, as `comparableName` makes it, the codes of the countries that have the name. */
type Names = ReadonlyMap<string, ReadonlySet<string>>;

// Made once, in some 70 ms: few commands need names, and most of these commands need all names.
let known: Names | undefined;

function namesInAllLanguages(): Names {
  if (known) return known;
  const found = new Map<string, Set<string>>();
  const add = (name: string, code: string) => {
    const written = comparableName(name);
    const codes = found.get(written);
    if (codes) codes.add(code);
    else found.set(written, new Set([code]));
  };
  for (const [name, code] of COUNTRY_ALIASES) add(name, code);
  for (const language of LANGUAGES) {
    const nameOf = countryNamesIn(language);
    for (const code of COUNTRIES) {
      const name = nameOf(code);
      if (name === undefined) continue;
      add(name, code);
      if (language === 'de') add(withoutUmlauts(name), code);
    }
  }
  for (const code of COUNTRIES) add(countryNamesIn('en', 'short')(code) ?? code, code);
  known = found;
  return found;
}

function countryNamesIn(
  language: string,
  style: 'long' | 'short' = 'long',
): (code: string) => string | undefined {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none', style });
  return code => names.of(code);
}

const UMLAUTS: Readonly<Record<string, string>> = { Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ä: 'ae', ö: 'oe', ü: 'ue' };

// Umlauts are escapes here, because the bundle is read as ASCII.
const withoutUmlauts = (name: string) =>
  name.replace(/[\u00c4\u00d6\u00dc\u00e4\u00f6\u00fc]/g, umlaut => UMLAUTS[umlaut] ?? umlaut);

const ALPHA2_OF: ReadonlyMap<string, string> = new Map(
  [...COUNTRIES].map((code, at) => [ALPHA3.slice(4 * at, 4 * at + 3), code]),
);

/**
 * The codes of the countries that a text names exactly, by a code of two or three letters or by a name in any language: `DEU`, `UK`,
 * `Almanya`. A few names have several countries: `Kongo`.
 */
export function countriesNamed(text: string): readonly string[] {
  // Codes are compared with their marks: the Vietnamese name of Austria, `Áo`, is not `AO`, the code of Angola.
  const written = text.trim().toUpperCase().replaceAll('.', '');
  const code = COUNTRIES.has(written) ? written : ALPHA2_OF.get(written);
  if (code) return [code];
  const names = namesInAllLanguages();
  const named = names.get(comparableName(text)) ?? names.get(comparableName(inReadingOrder(text)));
  const [, before, within] = /^([^()]+)\(([^()]+)\)$/.exec(text.trim()) ?? [];
  if (named || before === undefined || within === undefined) return [...(named ?? [])].sort();
  // Both parts must name the same country, as in `United Kingdom (UK)`, but not in `Georgia (US)`.
  const codes = countriesNamed(within);
  return countriesNamed(before).filter(code => codes.includes(code));
}

/** `Korea, South` → `South Korea`. */
const inReadingOrder = (name: string): string => name.split(',').toReversed().join(' ');

// In a shorter word one wrong letter is too much: it makes another name, as with Iran and Irak, Mali and Bali.
const SHORTEST_MISSPELT = 5;

/** The country that was meant, also if the name is misspelt. `undefined` if another country may be meant. */
export function countryFor(written: string): string | undefined {
  const named = countriesNamed(written);
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  const name = comparableName(written);
  if (name.length < SHORTEST_MISSPELT) return undefined;
  const names = namesInAllLanguages();
  const near = allNearest(name, names.keys(), Math.floor(name.length / SHORTEST_MISSPELT));
  const meant = new Set(near.flatMap(candidate => [...(names.get(candidate) ?? [])]));
  const [code] = meant;
  return meant.size === 1 ? code : undefined;
}

/**
 * The code for what a person types behind a flag: for a name, in any language and exactly spelled, that only one country has, the code of
 * this country. Any other text stays as it is, and two letters are a code.
 */
export function countryTyped(text: string): string {
  const [code, another] = text.trim().length > 2 ? countriesNamed(text) : [];
  return code === undefined || another !== undefined ? text : code;
}

/** What is wrong with what was given as the code of a country. */
export function countryFault(written: unknown): Pick<Issue, 'message' | 'suggestion'> {
  const message = `must be an ISO country code such as DE, not ${shown(written)}`;
  const suggestion = typeof written === 'string' ? countryFor(written) : undefined;
  return { message, ...(suggestion !== undefined && { suggestion }) };
}

let english: ((code: string) => string | undefined) | undefined;

/** The name of a country in English; for an unknown code, the code itself. */
export function countryName(code: string): string {
  if (!COUNTRIES.has(code)) return code;
  english ??= countryNamesIn('en');
  return english(code) ?? code;
}

interface CountryFound {
  /** ISO 3166-1 alpha-2, or XK. */
  code: string;
  /** The name in English. */
  name: string;
}

/**
 * The countries whose code or part of whose English name is the term, best first; if there are none, the countries with a
 * name in another language that begins with the term; else the country that `countryFor` gives. A blank term gives all
 * countries, by name.
 */
export function findCountries(term: string): CountryFound[] {
  const all = [...COUNTRIES]
    .map(code => ({ code, name: countryName(code) }))
    .sort((first, second) => first.name.localeCompare(second.name, 'en'));
  const wanted = comparableName(term);
  if (wanted === '') return all;
  const upper = term.trim().toUpperCase().replaceAll('.', '');
  const rank = (country: CountryFound): number => {
    const { code, name } = country;
    const names = [name, ...(FURTHER_NAMES[code]?.split('|') ?? [])].map(comparableName);
    return [
      code === upper || ALPHA2_OF.get(upper) === code || names.includes(wanted),
      names.some(word => word.startsWith(wanted)),
      names.some(word => word.includes(` ${wanted}`)),
      comparableName(name).includes(wanted),
    ].indexOf(true);
  };
  const found = all.filter(country => rank(country) >= 0).sort((first, second) => rank(first) - rank(second));
  if (found.length > 0) return found;
  const others = codesInOtherLanguages(wanted);
  return all.filter(({ code }) => others.has(code));
}

function codesInOtherLanguages(wanted: string): ReadonlySet<string | undefined> {
  const named = countriesNamed(wanted);
  if (named.length > 0) return new Set(named);
  const begun = [...namesInAllLanguages()].filter(([name]) => name.startsWith(wanted));
  return new Set(begun.length > 0 ? begun.flatMap(([, codes]) => [...codes]) : [countryFor(wanted)]);
}

/** A name without accents, punctuation and case: `Côte d'Ivoire` -> `cote divoire`. */
const comparableName = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('&', ' and ')
    // Escapes, because the bundle is read as ASCII, and the build does not escape regular expressions.
    .replace(/\u0131/g, 'i')
    .replace(/\u00df/g, 'ss')
    // Only these marks go: the marks of Indian letters are vowels, and stay.
    .replace(/[\u0300-\u036f'\u2019.]/g, '')
    .replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, ' ')
    .trim();
