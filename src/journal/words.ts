// The words by which bookings are found. The first character says what a word is: `=DE` the country, `@EXP` a carrier,
// `#NIGHT` the run, `~1Z999` a tracking number. Words of the receiver, and keys, have none.
import type { RecordedOutcome } from './journal.ts';

/** Longer words are found by their beginning. PostgreSQL refuses long text in an index. */
const LONGEST = 60;

/** Letters that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ı: 'i', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe' },
};

/** Text without case and marks: `İstanbul` and `Istanbul` are one word. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[ßıøłđðþæœ]/g, letter => PLAIN[letter] ?? letter)
    .replace(/[\0\p{Surrogate}]/gu, '\ufffd');

/** A text as it is in the table of words. */
export const word = (kind: '' | '=' | '@' | '#' | '~', text: string): string =>
  kind + [...folded(text.trim())].slice(0, LONGEST).join('');

/** The tracking numbers of an outcome, which may be recorded after its booking was indexed. */
export const trackingWords = ({ labels }: Pick<RecordedOutcome, 'labels'>): string[] => [
  ...new Set(Object.values(labels).flatMap(({ trackingNumber: one }) => (one ? word('~', one) : []))),
];
