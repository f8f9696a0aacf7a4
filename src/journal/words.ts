// The words by which bookings are found, as the table `found_by` has them: each with a blank before and behind it. A phone number begins
// with a plus. A fact is only found as a whole, and begins with a tab, which no word has: `\t=de` is a country, `\t@exp` a carrier,
// `\t#night` a run.
import { createHash } from 'node:crypto';
import { type Booking, type Outcome, shipmentsIn } from '../booking/booking.ts';
import type { Sought } from '../booking/questions.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { PERSON_NAMES } from '../contract/parties.ts';
import { type Path, textAt } from '../contract/paths.ts';
import { folded } from '../text.ts';
import { type Sql, sql } from './database.ts';
import { indexed } from './tables.ts';

/** How many letters of a word are kept, so that the table stays narrow: a longer word is found by its beginning. */
const LONGEST = 60;

const clipped = (word: string): string =>
  word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join('');

const piecesIn = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** The words of a name, such as a key: the pieces between blanks, and all pieces as one word if there is a digit. */
function wordsOfName(text: string): string[] {
  const pieces = piecesIn(folded(text));
  const joined = pieces.length > 1 && /\d/.test(text) ? [pieces.join('')] : [];
  return [...pieces, ...joined].map(clipped);
}

const APOSTROPHE = /['\u2018\u2019\u02bc`\u00b4]/;
const APOSTROPHES = new RegExp(APOSTROPHE, 'g');

/** The words of a text that people write: letters and digits. An apostrophe does not end a word. */
const writtenWords = (text: string): string[] =>
  (folded(text.replace(APOSTROPHES, '')).match(/[\p{Letter}\p{Number}]+/gu) ?? []).map(clipped);

/** The letters and digits of a text as one word: so postal codes are compared. */
const compact = (text: string): string => clipped(writtenWords(text).join(''));

/** A fact, such as a country or a run, is compared as a whole. A long one, such as the address of a CI job, is compared by its hash. */
function fact(kind: '=' | '@' | '#', text: string): string {
  const plain = folded(text.trim()).replace(/\s+/g, '\t');
  return `\t${kind}${plain.length <= LONGEST ? plain : createHash('sha256').update(plain).digest('hex')}`;
}

function wordList(words: readonly string[]): string {
  const all = new Set(words);
  all.delete('');
  return all.size === 0 ? '' : ` ${[...all].join(' ')} `;
}

/** The fields of a request with words about the receiver; then the field with the country, and the fields with carriers. */
const WORDS = [
  ...[...PERSON_NAMES, 'companyName'].map(name => ['receiver', name]),
  ...['city', 'line1', 'line2'].map(name => ['receiver', 'address', name]),
];
const COUNTRY = ['receiver', 'address', 'country', 'code'];
const CARRIERS = [[], ['international'], ['domestic']].map(leg =>
  leg.length === 0 ? ['carrier', 'id'] : ['carriers', ...leg, 'id'],
);

/** The words of a request about the receiver and the carriers, which are deleted when the booking is pruned. */
export function searchedWords(request: unknown): string {
  const texts = (paths: readonly Path[]) => paths.map(path => textAt(request, path) ?? '').filter(Boolean);
  const of = (...path: string[]) => textAt(request, ['receiver', ...path]) || '';
  // The texts are split all at once, because a claim waits for this.
  const text = texts(WORDS).join(' ');
  return wordList([
    ...writtenWords(text),
    // So `O'Neill` is also found by `Neill`.
    ...(APOSTROPHE.test(text) ? writtenWords(text.replaceAll(APOSTROPHES, ' ')) : []),
    compact(of('address', 'zipCode')),
    ...wordsOfName(of('email')),
    ...phoneWords(of('phone', 'number')),
    ...texts([COUNTRY]).map(code => fact('=', code)),
    ...texts(CARRIERS).map(id => fact('@', id)),
  ]);
}

const digitsIn = (text: string): string => text.replace(/\D/g, '');

/** A number as it is dialled in its country, without zeros before it. */
const dialled = (digits: string): string => digits.replace(/^0+/, '');

function phoneWords(number: string): string[] {
  const digits = dialled(digitsIn(number));
  return digits === '' ? [] : [clipped(`+${digits}`)];
}

/** The words that a claim knows: of the key, also without the # that some shops write before a number, and of the run. */
export const claimNames = (booking: Pick<Booking, 'key' | 'run'>): string => {
  const names = wordsOfName(booking.key ?? '');
  return wordList([
    ...names,
    ...names.flatMap(name => /^#(.+)/.exec(name)?.[1] ?? []),
    ...(booking.run ? [fact('#', booking.run)] : []),
  ]);
};

/** What the service gave: the names to look up (tracking numbers without case and marks), and the words by which the booking is found. */
export function givenNames(outcome: Pick<Outcome, 'ids' | 'labels'>) {
  const { ids, labels } = outcome;
  const tracking = Object.values(labels).flatMap(({ trackingNumber }) => trackingNumber ?? []);
  return {
    made: shipmentsIn(ids).map(({ leg, shipment }) => ({ leg, shipment: indexed(shipment) })),
    given: [
      ...new Set([
        ...(ids.subscription === undefined ? [] : [indexed(ids.subscription)]),
        ...tracking.map(trackingName),
      ]),
    ],
    names: wordList([...Object.values(ids), ...tracking].flatMap(wordsOfName)),
  };
}

export const givenInserted = (name: string, id: string): Sql =>
  sql`INSERT INTO given VALUES (${name}, ${id}) ON CONFLICT DO NOTHING`;

/** A tracking number as the table `given` has it. Carriers print the number in groups, so blanks do not count. */
export const trackingName = (trackingNumber: string): string =>
  `~${clipped(folded(trackingNumber.replace(/\s+/g, '')))}`;

/** What a booking must have to be found: a text in one of the two columns, any of several texts, or all of them. */
export type SoughtText =
  | { column: 'names' | 'person'; text: string }
  | { any: readonly SoughtText[] }
  | { all: readonly SoughtText[] };

const inNames = (text: string): SoughtText => ({ column: 'names', text });
const inPerson = (text: string): SoughtText => ({ column: 'person', text });

/** The texts of a search: a booking must have each of them. */
export const soughtTexts = ({ search = '', country, carrier, run }: Sought): SoughtText[] => [
  ...(country === undefined ? [] : [inPerson(` ${fact('=', country)} `)]),
  ...(carrier === undefined ? [] : [inPerson(` ${fact('@', carrier)} `)]),
  ...(run === undefined ? [] : [inNames(` ${fact('#', run)} `)]),
  ...runsIn(piecesIn(search)).map(soughtRun),
];

/** Groups neighbours that may be parts of one number, because people write numbers with blanks. */
function runsIn(pieces: readonly string[]): string[][] {
  const runs: string[][] = [];
  const isPart = (piece: string | undefined) => piece !== undefined && (/\d/.test(piece) || piece.length < 4);
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (last && isPart(last.at(-1)) && isPart(piece)) last.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function soughtRun(pieces: readonly string[]): SoughtText {
  const joined = pieces.join('');
  const all: SoughtText = { all: pieces.map(piece => ({ any: waysOf(piece) })) };
  // Each way costs time for each booking: pieces that together begin as a phone number are sought as one number only.
  if (pieces.length === 1 || !/\d/.test(joined)) return all;
  return { any: [...(DIALLED.test(joined) ? [] : [all]), ...waysOf(joined)] };
}

/** A number behind + or 0, as people dial it. */
const DIALLED = /^(\+|0)[\d()./-]+$/;

/** The fewest digits by which a phone number is looked for: a number of fewer digits may be that of an order. */
const FEWEST_DIGITS = 5;

/**
 * The numbers that a piece may mean in a country: behind + or 00 without the code of the country; without a 0, with and without the code.
 */
function phonesOf(piece: string): string[] {
  const digits = dialled(digitsIn(piece.replace('(0)', '')));
  const isForeign = /^(\+|00)/.test(piece);
  const codes = [1, 2, 3].map(length => digits.slice(0, length)).filter(code => CODES.has(`+${code}`));
  const behind = codes.map(code => dialled(digits.slice(code.length)));
  const numbers =
    isForeign && behind.length > 0 ? behind : piece.startsWith('0') ? [digits] : [digits, ...behind];
  return numbers.filter(({ length }) => length >= FEWEST_DIGITS);
}

const CODES = new Set(DIALLING_CODES.values());

/** How a piece may be meant: as the beginning of a name, of words of the receiver, an e-mail address, a phone number or a postal code. */
function waysOf(piece: string): SoughtText[] {
  const whole = clipped(folded(piece));
  if (piece.includes('@')) return [inNames(` ${whole}`), inPerson(` ${whole}`)];
  const ways = [inNames(` ${whole}`)];
  const [first, ...rest] = writtenWords(piece).map(word => inPerson(` ${word}`));
  const phones = /^[+\d()./-]+$/.test(piece) ? phonesOf(piece) : [];
  const numbers = phones.map(digits => inPerson(` +${digits}`));
  // A look into the column of the receiver takes most of the time: what several ways have in common is looked for first.
  if (first && rest.length > 0 && /\d/.test(piece))
    ways.push({ all: [first, { any: [{ all: rest }, inPerson(` ${compact(piece)}`)] }] });
  else if (first && numbers.length > 0 && /^\d+$/.test(piece) && whole === piece) numbers.push(first);
  else if (first) ways.push({ all: [first, ...rest] });
  // The last number is the end of all others: without it a booking has none of them.
  const shared = phones.at(-1);
  if (shared !== undefined) ways.push({ all: [inPerson(shared), { any: numbers }] });
  return ways;
}
