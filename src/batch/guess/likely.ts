// Which of the columns that no header explains may hold a field: by what is in their cells.
import { countriesNamed } from '../../contract/country-names.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import type { Field } from '../../contract/fields.ts';
import { numberOf } from '../../request/number.ts';
import { decimal } from '../cells.ts';
import type { Sample } from './guess.ts';

/** A field that a person is asked for. */
export interface Wanted {
  path: string;
  kind: Field['kind'] | undefined;
  /** Its value in the first order, if it follows from other fields. */
  expected: string | undefined;
  hasComma: boolean;
}

export interface RankedColumn {
  title: string;
  /** The first value that is not blank. */
  first: string;
  fits: boolean;
  isLikely: boolean;
}

type Test = (cell: string) => boolean;

const matches =
  (pattern: RegExp): Test =>
  cell =>
    pattern.test(cell);

// By the end of the path.
const TEXTS: readonly (readonly [end: RegExp, test: Test])[] = [
  [/^key$/, matches(/\d/)],
  [/email$/, matches(/^[^\s@]+@[^\s@]+$/)],
  [/(country\.code|countryOfOrigin)$/, cell => countriesNamed(cell).length === 1],
  [/phone\.(code|number)$/, matches(/^[+\d][\d\s()./-]+$/)],
  [/zipCode$/, matches(/^(?=.*\d)[\p{L}\d\s-]{3,10}$/u)],
  [/hsCode$/, matches(/^\d{4}[\d.]{2,8}$/)],
  [/currency$/, cell => CURRENCIES.has(cell)],
  [/(firstName|lastName|city)$/, matches(/^[\p{L}\p{M}\s.,'\u2019()-]+$/u)],
  [/line1$/, matches(/\p{L}.*\d|\d.*\p{L}/u)],
  [/$/, matches(/\p{L}/u)],
];

export const MONEY = /(unitPrice|totalPrice|totalGoodsValue)$/;
const INITIALS = { length: 'l', width: 'wb', height: 'h' };

/** The columns that fit the field, then the others; each in the order of the file. */
export function rankColumns(
  titles: readonly string[],
  { header, rows }: Sample,
  wanted: Wanted,
): RankedColumn[] {
  const ranked = titles.map((title): RankedColumn => {
    const at = header.indexOf(title);
    const cells = rows.map(row => row[at]?.trim() ?? '').filter(cell => cell !== '');
    const fits = cells.length > 0 && cells.every(testOf(wanted));
    const isLikely = fits && (wanted.kind !== 'number' || isLikelyNumber(title, cells, wanted));
    return { title, first: cells[0] ?? '', fits, isLikely };
  });
  const rank = ({ fits, isLikely }: RankedColumn) => Number(fits) + Number(isLikely);
  return ranked.toSorted((one, other) => rank(other) - rank(one));
}

function testOf({ path, kind, hasComma }: Wanted) {
  if (kind === 'number') return (cell: string) => isAmount(cell) && readNumber(cell, hasComma) !== undefined;
  const test = TEXTS.find(([end]) => end.test(path))?.[1];
  return (cell: string) => test?.(cell) === true;
}

/** Neither `01067`, a postal code, nor `610910`, a number of the customs tariff. */
const isAmount = (cell: string): boolean => !/^(0\d|\d{6,}$)/.test(cell);

const readNumber = (cell: string, hasComma: boolean) => numberOf(decimal(cell, hasComma));

/** A wrong column is worse than none, so a number alone is no sign. */
function isLikelyNumber(
  title: string,
  cells: readonly string[],
  { path, expected, hasComma }: Wanted,
): boolean {
  if (expected !== undefined) return readNumber(cells[0] ?? '', hasComma) === Number(expected);
  if (MONEY.test(path)) return cells.every(cell => /[.,]\d\d$/.test(cell));
  const [side] = /(length|width|height)$/.exec(path) ?? [];
  return (
    side !== undefined &&
    title.length === 1 &&
    INITIALS[side as keyof typeof INITIALS].includes(title.toLowerCase())
  );
}
