// The words by which bookings are found, as the table `found_by` has them: each with a blank before and behind it. A fact,
// which is equal or is not, begins with a tab, which no word has: `\t=de` is a country, `\t@exp` a carrier, `\t#night` a run.

import { createHash } from 'node:crypto';
import type { Booking, RecordedOutcome, Sought } from './booking.ts';

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

/** A longer word is found by its beginning, so that the table stays narrow. */
const LONGEST = 60;

const clipped = (word: string): string =>
  word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join('');

/** The words of a name, such as a key: what stands between blanks. */
const namesIn = (text: string): string[] => folded(text).split(/\s+/).filter(Boolean).map(clipped);

/** The words of a text that people write: letters and digits. */
const wordsIn = (text: string): string[] =>
  (folded(text).match(/[\p{Letter}\p{Number}]+/gu) ?? []).map(clipped);

/** It is equal as a whole: a longer one, such as the address of a CI job, is its hash. */
function fact(kind: '=' | '@' | '#', text: string): string {
  const plain = folded(text.trim()).replace(/\s+/g, '\t');
  return `\t${kind}${plain.length <= LONGEST ? plain : createHash('sha256').update(plain).digest('hex')}`;
}

const listed = (words: readonly string[]): string =>
  words.length === 0 ? '' : ` ${[...new Set(words)].join(' ')} `;

/** What the request says about the receiver and the carriers; it ends when the booking is pruned. */
export function personWords(request: unknown): string {
  const { receiver, carrier, carriers } = fieldsOf(request);
  const { firstName, lastName, companyName, address } = fieldsOf(receiver);
  const { city, country } = fieldsOf(address);
  const { international, domestic } = fieldsOf(carriers);
  return listed([
    ...[firstName, lastName, companyName, city].flatMap(one => wordsIn(textOf(one))),
    ...facts('=', [fieldsOf(country).code]),
    ...facts(
      '@',
      [carrier, international, domestic].map(one => fieldsOf(one).id),
    ),
  ]);
}

const facts = (kind: '=' | '@', values: readonly unknown[]): string[] =>
  values
    .map(textOf)
    .filter(text => text !== '')
    .map(text => fact(kind, text));

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const runFacts = (run: string | null): string[] => (run ? [fact('#', run)] : []);

/** What is known when it is claimed. The number of an order is found without the # that some shops write before it. */
export const claimNames = ({ key, run }: Pick<Booking, 'key' | 'run'>): string => {
  const names = namesIn(key ?? '');
  return listed([...names, ...names.flatMap(name => /^#(.+)/.exec(name)?.[1] ?? []), ...runFacts(run)]);
};

type Made = Pick<RecordedOutcome, 'ids' | 'labels'>;

const trackingNumbers = ({ labels }: Pick<RecordedOutcome, 'labels'>): string[] =>
  Object.values(labels).flatMap(({ trackingNumber }) => trackingNumber ?? []);

/** What its outcome adds. */
export const outcomeNames = ({ ids, labels }: Made): string =>
  listed([...Object.values(ids), ...trackingNumbers({ labels })].flatMap(namesIn));

/** What the service gave, as it is looked up; tracking numbers without case and marks. */
export const madeNames = ({ ids, labels }: Made): string[] => [
  ...new Set([...Object.values(ids).map(indexed), ...trackingNumbers({ labels }).map(trackingName)]),
];

export const trackingName = (trackingNumber: string): string => `~${clipped(folded(trackingNumber.trim()))}`;

/** Where to look for a sought text: in the words of `names`, or all of these in those of `person`. */
export interface SoughtText {
  names?: string;
  person: readonly string[];
}

/** Each of them must be found. */
export const soughtTexts = ({ search = '', country, carrier, run }: Sought): SoughtText[] => [
  ...(country === undefined ? [] : [{ person: [` ${fact('=', country)} `] }]),
  ...(carrier === undefined ? [] : [{ person: [` ${fact('@', carrier)} `] }]),
  ...(run === undefined ? [] : [{ names: ` ${fact('#', run)} `, person: [] }]),
  ...search
    .split(/\s+/)
    .filter(Boolean)
    // A piece begins a name, or each of its words begins one of the receiver's.
    .map(piece => ({
      names: ` ${clipped(folded(piece))}`,
      person: wordsIn(piece).map(word => ` ${word}`),
    })),
];

/** In bytes of UTF-8. PostgreSQL refuses a row whose indexed text is longer than 2,704. */
const LONGEST_INDEXED = 200;

/**
 * A text from outside, such as an id that the service gives, as both databases index it: a longer one is replaced by its
 * hash, so that no answer is too long to be recorded. The record itself has the whole text.
 */
export const indexed = (text: string): string =>
  text.length * 3 <= LONGEST_INDEXED || Buffer.byteLength(text) <= LONGEST_INDEXED
    ? text
    : `sha256:${createHash('sha256').update(text).digest('hex')}`;
