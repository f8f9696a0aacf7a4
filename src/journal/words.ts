// The words by which bookings are found. The first character says what a word is: `=DE` the country, `@EXP` a carrier,
// `#NIGHT` the run, `~1Z999` a tracking number. Words of the receiver, and keys, have none.
import { getAt, textAt } from '../contract/paths.ts';
import type { Booking, RecordedOutcome } from './booking.ts';
import type { Order } from './journal.ts';
import type { Sought } from './sought.ts';

/** Longer words are found by their beginning. PostgreSQL refuses long text in an index. */
const LONGEST = 60;

/** Normalizing takes time with the square of the number of marks that follow one another. A longer text keeps them. */
const LONGEST_NORMALIZED = 2000;

/** Letters that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ı: 'i', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe' },
};

const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');

/** Text without case and marks: `İstanbul` and `Istanbul` are one word. */
export const folded = (text: string): string =>
  // Most text, in a twentieth of the time.
  /^[ -~]*$/.test(text) ? text.toLowerCase() : foldedLetters(text);

const foldedLetters = (text: string): string =>
  (text.length > LONGEST_NORMALIZED ? text : text.normalize('NFKD'))
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(SPECIAL, letter => PLAIN[letter] ?? letter)
    .replace(/[\0\p{Surrogate}]/gu, '\ufffd');

/** A text as it is in the table of words. */
export const word = (kind: '' | '=' | '@' | '#' | '~', text: string): string =>
  kind + beginningOf(folded(text.trim()));

const beginningOf = (text: string): string =>
  text.length <= LONGEST ? text : [...text].slice(0, LONGEST).join('');

/** The tracking numbers of an outcome, which may be recorded after its booking was indexed. */
export const trackingWords = ({ labels }: Pick<RecordedOutcome, 'labels'>): string[] => [
  ...new Set(Object.values(labels).flatMap(({ trackingNumber: one }) => (one ? word('~', one) : []))),
];

type Indexed = Pick<Booking, 'key' | 'request' | 'labels' | 'run'>;

const RECEIVER = ['firstName', 'lastName', 'companyName', 'address.city'];
const CARRIERS = ['carrier.id', 'carriers.international.id', 'carriers.domestic.id'];

const partsOf = (text: string): string[] => folded(text).match(/[\p{Letter}\p{Number}]+/gu) ?? [];
const pieces = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const textsAt = (value: unknown, paths: readonly string[]): string[] =>
  paths.flatMap(path => textAt(value, path) ?? []);

/** The words of a request, which end with it when the booking is pruned. */
export function requestWords(request: unknown): string[] {
  const receiver = textsAt(getAt(request, ['receiver']), RECEIVER).flatMap(partsOf);
  return unique([
    ...receiver.map(one => word('', one)),
    ...textsAt(request, ['receiver.address.country.code']).map(one => word('=', one)),
    ...textsAt(request, CARRIERS).map(one => word('@', one)),
  ]);
}

/** All words of a booking, as the index has them. */
export const wordsOf = ({ key, request, labels, run }: Indexed): string[] =>
  unique([
    ...requestWords(request),
    ...pieces(key ?? '').map(one => word('', one)),
    ...(run ? [word('#', run)] : []),
    ...trackingWords({ labels }),
  ]);

const unique = (words: readonly string[]): string[] => [...new Set(words)].filter(one => one.length > 0);

/** A condition by the index. `beginning` means that longer words fit too. */
export type Term = { exact: string } | { beginning: string };

/** What the index is asked for: each of them must be fulfilled, by one of its ways. */
export const termsOf = ({ search = '', country, carrier, run }: Sought): Term[] => [
  ...(country === undefined ? [] : [{ exact: word('=', country) }]),
  ...(carrier === undefined ? [] : [{ exact: word('@', carrier) }]),
  ...(run === undefined ? [] : [{ exact: word('#', run) }]),
  ...pieces(search).map(beginning => ({ beginning })),
];

/** The words of the receiver that must begin so if a piece of the search is meant as one. */
export const partWords = (piece: string): string[] => partsOf(piece).map(one => word('', one));

/** Whether an order is one that is sought. The index only says which orders may be. */
export function isSought({ search = '', country, carrier, run }: Sought): (order: Order) => boolean {
  const wanted = pieces(search).map(piece => ({ whole: folded(piece), parts: partsOf(piece) }));
  const equal = (given: string | undefined, values: readonly string[]) =>
    given === undefined || values.some(one => folded(one.trim()) === folded(given.trim()));
  return ({ booking, labels }) => {
    const { request } = booking;
    if (!equal(country, textsAt(request, ['receiver.address.country.code']))) return false;
    if (!equal(carrier, textsAt(request, CARRIERS))) return false;
    if (!equal(run, runsOf(booking, labels))) return false;
    const receiver = textsAt(getAt(request, ['receiver']), RECEIVER).flatMap(partsOf);
    const names = namesOf(booking, labels).map(folded);
    const begins = (words: readonly string[], beginning: string) =>
      words.some(one => one.startsWith(beginning));
    return wanted.every(
      ({ whole, parts }) =>
        begins(names, whole) || (parts.length > 0 && parts.every(part => begins(receiver, part))),
    );
  };
}

/** The run that booked it, and those that made its labels. */
const runsOf = (booking: Booking, labels: Order['labels']): string[] =>
  [booking, ...labels.map(one => one.booking)].flatMap(({ run }) => run ?? []);

const namesOf = ({ key, ids, labels }: Booking, made: Order['labels']): string[] => [
  ...pieces(key ?? ''),
  ...Object.values(ids),
  ...[labels, ...made.map(one => one.booking.labels)].flatMap(all =>
    Object.values(all).flatMap(({ trackingNumber }) => trackingNumber ?? []),
  ),
];
