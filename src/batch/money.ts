// Amounts as shops write them: `$1,234.50`, `1.234,50 €`, `EUR 12,00`.
import { CURRENCIES } from '../contract/currencies.ts';

const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₺': 'TRY',
  '¥': 'JPY',
  ZŁ: 'PLN',
  US$: 'USD',
  AU$: 'AUD',
  A$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  $: 'USD',
};

/** The currency of an amount: by its code, or by its sign; a `$` alone may be that of several, and is the US one. */
export function currencyIn(cell: string): string | undefined {
  const word = cell.replace(/[\d.,\s'\u2019-]/gu, '').toUpperCase();
  return CURRENCIES.has(word) ? word : SIGNS[word];
}

const NUMBER = /(?:(?<!\p{L})[.,])?\d[\d.,'\u2019\s]*/u;

const digitsIn = (cell: string): string =>
  (NUMBER.exec(cell)?.[0] ?? '').replace(/['\u2019\s]/gu, '').replace(/[.,]$/, '');

/** The sign in front of decimals, if the amount shows it: `,` in `1.234,50` and `12,5`, none in `1.234`. */
export function decimalSign(cell: string): string | undefined {
  const digits = digitsIn(cell);
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || new Set(marks).size > 1) return last;
  const [before = '', after = ''] = digits.split(last);
  return marks.length === 1 && (after.length !== 3 || /^0*$/.test(before)) ? last : undefined;
}

/** What is in front of decimals: `1.234.567`, and `12,34,567` as in India, but no date. */
const WHOLE = /^\d*$|^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/;

/** Decimal text, or why it cannot be read. `sign`: in front of decimals, for an amount that does not show it. */
export function amountIn(cell: string, sign: string | undefined): { amount: string } | string {
  const digits = digitsIn(cell);
  const rest = cell.replace(NUMBER, '');
  if (digits === '' || /\d/.test(rest)) return 'must be an amount';
  const marks = digits.match(/[.,]/g) ?? [];
  let decimal = decimalSign(cell);
  if (decimal === undefined && marks.length === 1) {
    if (sign === undefined)
      return `may be ${digits.replace(/[.,]/, '')} or ${digits.replace(',', '.')}; say "decimal" in the map`;
    if (marks[0] === sign) decimal = sign;
  }
  const at = decimal === undefined ? digits.length : digits.lastIndexOf(decimal);
  const [whole, decimals] = [digits.slice(0, at), digits.slice(at + 1)];
  if (!WHOLE.test(whole)) return 'must be an amount';
  const amount = `${whole.replace(/[.,]/g, '') || '0'}${decimals && `.${decimals}`}`;
  return { amount: /^\s*\(|[-\u2212]/.test(rest) ? `-${amount}` : amount };
}
