// `transform` of a map: turns what a shop writes in a cell into what the service wants.
import Big from 'big.js';
import { countriesNamed } from '../contract/country-names.ts';
import type { Path } from '../contract/paths.ts';
import type { Phones } from '../order/doubts.ts';
import { phoneFaultWords } from '../say/request.ts';
import { amountIn, decimalSign } from './written-amounts.ts';

/** The values that a cell gives, each with its path below the path of the column. */
type Parts = readonly (readonly [Path, unknown])[];

interface TransformSettings {
  /** The reader of phone numbers, if the map transforms them. */
  phones?: Phones | undefined;
  /** For a phone number: the phone code and the country of its party, by the record or the constants of the map. */
  beside?: { code?: string | undefined; country?: string | undefined };
  /** The decimal sign of an amount that does not show its own. */
  sign?: string | undefined;
  /** The decoder of entities of HTML, if the map needs it. */
  decode?: ((text: string) => string) | undefined;
}

interface Transform {
  /** The fields below the path of the column that the transform fills; absent: the transform fills the path itself. */
  inner?: readonly string[];
  /** Gives the values, or a text that says why the cell cannot be transformed. */
  apply(cell: string, settings: TransformSettings): Parts | string;
}

/** How many kg or cm each unit is, exactly. */
const UNITS = {
  kg: '1',
  g: '0.001',
  lb: '0.45359237',
  oz: '0.028349523125',
  cm: '1',
  mm: '0.1',
  m: '100',
  in: '2.54',
} as const;

type Unit = keyof typeof UNITS;

const SPELLINGS: ReadonlyMap<string, Unit> = new Map([
  ['gr', 'g'],
  ['gram', 'g'],
  ['gramm', 'g'],
  ['grams', 'g'],
  ['lbs', 'lb'],
  ['inch', 'in'],
  ['inches', 'in'],
  ['"', 'in'],
]);

/** The unit that a word means; `undefined` if it means none. */
export const unitNamed = (word: string): Unit | undefined =>
  Object.hasOwn(UNITS, word) ? (word as Unit) : SPELLINGS.get(word);

/** Units of which a parcel may have thousands: `1.500 g` may mean 1500 or 1.5. */
const SMALL: readonly Unit[] = ['g', 'mm'];

const unitTransform = (name: Unit): Transform => ({
  apply(cell, settings) {
    const [, number] = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z"]*)\.?\s*$/i.exec(cell) ?? [];
    const written = /[a-z"]+\.?\s*$/i.exec(cell)?.[0].trim().replace(/\.$/, '').toLowerCase();
    const isOther = written !== undefined && unitNamed(written) !== name;
    if (number === undefined || isOther) return `must be a number of ${name}`;
    if (
      SMALL.includes(name) &&
      settings.sign !== '.' &&
      number.includes('.') &&
      decimalSign(number) === undefined
    )
      return `may be ${number.replace('.', '')} or ${number} ${name}; write ${number.replace('.', '')} for a thousand, or say "decimal" in the map`;
    // Calculated in decimals: a binary number may come out as 0.30000000000000004, which would be seen in the request.
    return [[[], Big(number.replace(/\.$/, '')).times(UNITS[name]).toNumber()]];
  },
});

// Particles belong to the last name that follows: Ludwig van Beethoven, Ursula von der Leyen, Ana de la Cruz.
const PARTICLES = new Set(
  "von vom zu zum zur van der den de ter ten di da del della dei do dos das du des la le al el bin ibn ben af av 't".split(
    ' ',
  ),
);
const SUFFIX = /^(jr|sr|ii|iii|iv)\.?$/i;

/** First and last name: in `Mehmet Ali Yilmaz` the last word is the last name, in `Weber, Jonas` what stands before the comma. */
function nameParts(cell: string): Parts | string {
  const [last = '', first = '', ...more] = cell.split(',').map(part => part.trim().replace(/\s+/g, ' '));
  const isSuffix = SUFFIX.test(first);
  if (more.length > 0) return 'has several commas; it must be a first and a last name';
  if (first !== '' && !isSuffix) return nameValues(first, last);
  const words = `${last} ${first}`.trim().split(' ');
  let lastAt = words.length - 1;
  if (lastAt > 1 && SUFFIX.test(words[lastAt] ?? '')) lastAt -= 1;
  while (lastAt > 1 && PARTICLES.has(words[lastAt - 1] ?? '')) lastAt -= 1;
  return nameValues(words.slice(0, lastAt).join(' '), words.slice(lastAt).join(' '));
}

const nameValues = (firstName: string, lastName: string): Parts | string =>
  firstName === '' || lastName === ''
    ? 'must be a first and a last name'
    : [
        [['firstName'], firstName],
        [['lastName'], lastName],
      ];

const EXTENSION = /[\s,;]*(?:extension|ext|x|#|durchwahl|dahili)[\s.:]*\d{1,6}\s*$/i;

/** Code and number of a phone: `+49 (0)351 5550100`, `0049351…`, or `0351 / 5550100` by the country of its address. */
function phoneParts(cell: string, settings: TransformSettings): Parts | string {
  const { phones, beside } = settings;
  const read = phones?.readPhone(cell.replace(EXTENSION, ''), beside) ?? 'no-number';
  if (typeof read === 'string') return phoneFaultWords(read);
  return [
    [['code'], read.code],
    [['number'], read.number],
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
    inner: ['firstName', 'lastName'],
    apply: nameParts,
  },
  country: { apply: countryParts },
  phone: {
    inner: ['code', 'number'],
    apply: phoneParts,
  },
  money: {
    apply(cell, settings) {
      const read = amountIn(cell, settings.sign);
      return typeof read === 'string' ? read : [[[], Number(read.amount)]];
    },
  },
  html: { apply: (cell, settings) => [[[], settings.decode?.(cell) ?? cell]] },
  apostrophe: { apply: cell => [[[], cell.trim().replace(/^'/, '')]] },
  kg: unitTransform('kg'),
  g: unitTransform('g'),
  lb: unitTransform('lb'),
  oz: unitTransform('oz'),
  cm: unitTransform('cm'),
  mm: unitTransform('mm'),
  m: unitTransform('m'),
  in: unitTransform('in'),
} satisfies Record<string, Transform>;

export type TransformName = keyof typeof TRANSFORMS;

export const TRANSFORM_NAMES = Object.keys(TRANSFORMS) as TransformName[];

export const transformNamed = (name: TransformName): Transform => TRANSFORMS[name];
