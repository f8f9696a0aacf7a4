// What a shop writes in one cell, in the words of the service: `transform` of a map.
import Big from 'big.js';
import { countriesNamed } from '../contract/country-names.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import type { Field } from '../contract/fields.ts';
import type { Path } from '../contract/paths.ts';

/** Values, and where each of them belongs below the path of the column. */
type Parts = readonly (readonly [Path, unknown])[];

interface TransformSettings {
  /** Is the rest given elsewhere: the code of a phone number? */
  isGiven(inner: string): boolean;
}

interface Transform {
  /** What its column must name, for messages. */
  target: string;
  /** What it fills in below the path of the column; absent: the path itself. */
  inner?: readonly string[];
  fits(field: Field | undefined): boolean;
  /** A text: why it cannot be transformed. */
  apply(cell: string, settings: TransformSettings): Parts | string;
}

const isText = (field: Field | undefined) => field?.kind === 'text' || field?.kind === 'country';

/** Exactly so many kg or cm each. */
const UNITS = {
  ...{ kg: '1', g: '0.001', lb: '0.45359237', oz: '0.028349523125' },
  ...{ cm: '1', mm: '0.1', m: '100', in: '2.54' },
} as const;

const unit = (name: keyof typeof UNITS): Transform => ({
  target: 'a number, such as packages[0].weight',
  fits: field => field?.kind === 'number',
  apply(cell) {
    const [, number] = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z"]*)\.?\s*$/i.exec(cell) ?? [];
    const written = /[a-z"]+\.?\s*$/i.exec(cell)?.[0].trim().replace(/\.$/, '').toLowerCase();
    const isOther = written !== undefined && ![name, ...(SPELLINGS[name] ?? [])].includes(written);
    if (number === undefined || isOther) return `must be a number of ${name}`;
    // In decimals: 0.1 + 0.2 of binary numbers would be seen in the request.
    return [[[], Big(number.replace(/\.$/, '')).times(UNITS[name]).toNumber()]];
  },
});

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  g: ['gr', 'gram', 'grams'],
  lb: ['lbs'],
  in: ['inch', 'inches', '"'],
};

// They belong to the last name that follows: Ludwig van Beethoven, Ursula von der Leyen, Ana de la Cruz.
const PARTICLES = new Set(
  "von vom zu zum zur van der den de ter ten di da del della dei do dos das du des la le al el bin ibn ben af av 't".split(
    ' ',
  ),
);
const SUFFIX = /^(jr|sr|ii|iii|iv)\.?$/i;

/** `Mehmet Ali Yilmaz`: the last word is the last name. `Weber, Jonas`: what is before the comma. */
function nameParts(cell: string): Parts | string {
  const [last = '', first = '', ...more] = cell.split(',').map(part => part.trim().replace(/\s+/g, ' '));
  const isSuffix = SUFFIX.test(first);
  if (more.length > 0) return 'has several commas; it must be a first and a last name';
  if (first !== '' && !isSuffix) return named(first, last);
  const words = `${last} ${first}`.trim().split(' ');
  let at = words.length - 1;
  if (at > 1 && SUFFIX.test(words[at] ?? '')) at -= 1;
  while (at > 1 && PARTICLES.has(words[at - 1] ?? '')) at -= 1;
  return named(words.slice(0, at).join(' '), words.slice(at).join(' '));
}

const named = (firstName: string, lastName: string): Parts | string =>
  firstName === '' || lastName === ''
    ? 'must be a first and a last name'
    : [
        [['firstName'], firstName],
        [['lastName'], lastName],
      ];

const CODES: ReadonlySet<string> = new Set([...DIALLING_CODES.values()].map(code => code.slice(1)));

/** `+49 (0)351 5550100` or `0049351…`; no code is the beginning of another one. */
function phoneParts(cell: string, { isGiven }: TransformSettings): Parts | string {
  const [, prefix, rest = ''] = /^\s*(\+|00)?\s*([\d\s()./-]+)$/.exec(cell) ?? [];
  // The 0 in brackets is dialled within the country only.
  const digits = rest.replace('(0)', '').replace(/\D/g, '');
  if (digits === '') return 'must be a phone number';
  if (prefix === undefined)
    return isGiven('code')
      ? [[['number'], cell.trim()]]
      : 'must begin with the prefix of its country, such as +49; or give the code as a constant of the map';
  const code = [1, 2, 3].map(length => digits.slice(0, length)).find(one => CODES.has(one));
  if (code === undefined) return 'does not begin with the prefix of a country';
  if (digits.length === code.length) return 'has nothing after the prefix of its country';
  return [
    [['code'], `+${code}`],
    [['number'], digits.slice(code.length)],
  ];
}

function countryParts(cell: string): Parts | string {
  const codes = countriesNamed(cell);
  const [code] = codes;
  if (code === undefined) return 'must be a country, by its code or its name in any language';
  return codes.length === 1 ? [[[], code]] : `may be ${codes.join(' or ')}; write the code`;
}

const TRANSFORMS = {
  name: {
    target: 'a party, such as receiver',
    inner: ['firstName', 'lastName'],
    fits: field => field?.kind === 'object',
    apply: nameParts,
  },
  country: { target: 'a country, such as receiver.address.country.code', fits: isText, apply: countryParts },
  phone: {
    target: 'a phone, such as receiver.phone',
    inner: ['code', 'number'],
    fits: field => field?.kind === 'object',
    apply: phoneParts,
  },
  /** Taken off before any transform. */
  apostrophe: { target: 'a text', fits: isText, apply: cell => [[[], cell.trim()]] },
  ...{ kg: unit('kg'), g: unit('g'), lb: unit('lb'), oz: unit('oz') },
  ...{ cm: unit('cm'), mm: unit('mm'), m: unit('m'), in: unit('in') },
} satisfies Record<string, Transform>;

export type TransformName = keyof typeof TRANSFORMS;

export const TRANSFORM_NAMES = Object.keys(TRANSFORMS) as TransformName[];

/** The row of the table, with the type that all of them have. */
export const transformOf = (name: TransformName): Transform => TRANSFORMS[name];
