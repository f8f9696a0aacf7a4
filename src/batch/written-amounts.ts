// Reads amounts as shops and invoices write them: `$1,234.50`, `1.234,50 €`, `EUR 12,00`; but no date of a spreadsheet, such as `12.May`.
import { CURRENCIES } from '../contract/currencies.ts';
import { isAmountText } from '../contract/read.ts';

const DOLLARS =
  'USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU DOP BBD BMD BND BSD BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD';

/** The currencies that a sign may mean. Signs stand here in capitals, without a dot. */
const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  EURO: 'EUR',
  '£': 'GBP',
  '₺': 'TRY',
  TL: 'TRY',
  '¥': 'JPY CNY',
  ZŁ: 'PLN',
  KČ: 'CZK',
  FT: 'HUF',
  LEI: 'RON',
  FR: 'CHF',
  SFR: 'CHF',
  KR: 'SEK NOK DKK ISK',
  '₹': 'INR',
  RS: 'INR PKR LKR NPR',
  '₽': 'RUB',
  '₴': 'UAH',
  '₾': 'GEL',
  '₼': 'AZN',
  '₸': 'KZT',
  '₪': 'ILS',
  '₩': 'KRW KPW',
  '₫': 'VND',
  '₱': 'PHP',
  '฿': 'THB',
  RM: 'MYR',
  RP: 'IDR',
  R: 'ZAR',
  R$: 'BRL',
  US$: 'USD',
  AU$: 'AUD',
  A$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  SG$: 'SGD',
  NT$: 'TWD',
  MX$: 'MXN',
  $: DOLLARS,
};

/** What a sign of several currencies, such as `$`, means if nothing else tells which one. */
const USUAL = ['USD', 'JPY'];

/** The number in an amount. Groups behind a blank or an apostrophe have three digits. The dot of `Rs.500` is part of the sign. */
const NUMBER = /\d{1,3}(?:(?:\s\d{3})+|(?:['\u2019]\d{3})+)(?:[.,]\d+)?|(?:(?<!\p{L})[.,])?\d+(?:[.,]\d+)*/u;

interface Written {
  minus: '' | '-';
  /** The digits with dots and commas, without other signs. */
  digits: string;
  /** The currencies that the code or the sign may mean; `undefined` if the amount has neither. */
  currencies: readonly string[] | undefined;
  /** The currency as the cell writes it. */
  sign: string;
}

/** The parts of an amount such as `€ -1.234,50`, `(5.00)` or `5.00-`; `undefined` if what stands beside the number is no currency. */
export function writtenAmount(cell: string): Written | undefined {
  // Marks of direction, which Hebrew and Arabic amounts have, and the apostrophe of a spreadsheet are dropped.
  const text = cell
    .replace(/[\u200e\u200f\u061c]/g, '')
    .trim()
    .replace(/^'/, '');
  const number = NUMBER.exec(text);
  if (number === null) return undefined;
  const beside = [text.slice(0, number.index), text.slice(number.index + number[0].length)];
  const [before = '', after = ''] = beside;
  const isEnclosed = before.includes('(') && after.includes(')');
  const marks = beside.join('').match(/[-+\u2212\u2013()]/g) ?? [];
  if (marks.length > (isEnclosed ? 2 : 1) || (!isEnclosed && /[()]/.test(marks.join('')))) return undefined;
  const words = beside.flatMap(part => wordsIn(part.replace(/[-+\u2212\u2013()]/g, '')));
  const [first, ...others] = words.map(currenciesOf);
  const currencies = first?.filter(code => others.every(codes => codes.includes(code)));
  if (currencies?.length === 0) return undefined;
  return {
    minus: marks.length > 0 && marks[0] !== '+' ? '-' : '',
    digits: number[0].replace(/['\u2019\s]/g, ''),
    currencies,
    sign: words.join(' '),
  };
}

/** The words beside a number: `US $` is one sign, `USD $` are two. */
function wordsIn(text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const whole = words.join('');
  return currenciesOf(whole).length > 0 ? [whole] : words;
}

function currenciesOf(word: string): readonly string[] {
  if (CURRENCIES.has(word)) return [word];
  const sign = word.normalize().toUpperCase().replace(/\.$/, '');
  return Object.hasOwn(SIGNS, sign) ? (SIGNS[sign]?.split(' ') ?? []) : [];
}

/**
 * The currency of an amount, by its code or its sign. `known`: the currency that the record, or the map, says. A sign of several currencies
 * means the known one if it may, else the usual one. If neither fits, gives the sign itself where a currency is known, else `undefined`.
 */
export function currencyIn(cell: string, known?: string): string | undefined {
  const { currencies = [], sign } = writtenAmount(cell) ?? {};
  if (currencies.length < 2) return currencies[0];
  if (known !== undefined && currencies.includes(known)) return known;
  return currencies.find(code => USUAL.includes(code)) ?? (known === undefined ? undefined : sign);
}

/** The decimal sign, if the amount shows it: `,` in `1.234,50` and `12,5`, none in `1.234`. */
export function decimalSign(cell: string): string | undefined {
  const { digits = '' } = writtenAmount(cell) ?? {};
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || new Set(marks).size > 1) return last;
  const [before = '', after = ''] = digits.split(last);
  return marks.length === 1 && (after.length !== 3 || /^0*$/.test(before)) ? last : undefined;
}

/** Digits that may stand in front of decimals: `1.234.567`, and `12,34,567` as in India, but no date. */
const WHOLE = /^\d*$|^\d{1,3}(?:\.\d{2,3})*\.\d{3}$|^\d{1,3}(?:,\d{2,3})*,\d{3}$/;

/** The number with a decimal point and without groups; `undefined` if its groups are not those of a number, or it has too many digits. */
export function decimalText(digits: string, decimal: string | undefined): string | undefined {
  const signAt = decimal === undefined ? -1 : digits.lastIndexOf(decimal);
  const whole = signAt < 0 ? digits : digits.slice(0, signAt);
  if (!WHOLE.test(whole)) return undefined;
  const text = `${whole.replace(/[.,]/g, '') || '0'}${signAt < 0 ? '' : `.${digits.slice(signAt + 1)}`}`;
  return isAmountText(text) ? text : undefined;
}

/** The amount with a decimal point, or why it cannot be read. `sign`: the decimal sign of an amount that does not show its own. */
export function amountIn(cell: string, sign: string | undefined): { amount: string } | string {
  const written = writtenAmount(cell);
  if (written === undefined) return 'must be an amount';
  const { minus, digits } = written;
  const marks = digits.match(/[.,]/g) ?? [];
  let decimal = decimalSign(cell);
  if (decimal === undefined && marks.length === 1) {
    if (sign === undefined)
      return `may be ${digits.replace(/[.,]/, '')} or ${digits.replace(',', '.')}; say "decimal" in the map`;
    if (marks[0] === sign) decimal = sign;
  }
  const amount = decimalText(digits, decimal);
  return amount === undefined ? 'must be an amount' : { amount: `${minus}${amount}` };
}
