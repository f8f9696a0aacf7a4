// The words by which bookings are found, as the table `found_by` has them: each with a blank before and behind it. A phone number
// begins with a plus, and a fact, which is equal or is not, with a tab, which no word has: `\t=de` is a country, `\t@exp` a
// carrier, `\t#night` a run.
import { createHash } from 'node:crypto';
import { type Booking, type Outcome, shipmentsIn } from '../booking/booking.ts';
import type { Sought } from '../booking/questions.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { PERSON_NAMES } from '../contract/parties.ts';
import { type Path, textAt } from '../contract/paths.ts';
import { folded } from '../text.ts';
import { type Sql, sql } from './database.ts';
import { indexed } from './tables.ts';

/** A longer word is found by its beginning, so that the table stays narrow. */
const LONGEST = 60;

const clipped = (word: string): string =>
  word.length <= LONGEST ? word : [...word].slice(0, LONGEST).join('');

const piecesIn = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** The words of a name, such as a key: what stands between blanks, and a number also without them. */
function wordsOfName(text: string): string[] {
  const pieces = piecesIn(folded(text));
  const joined = pieces.length > 1 && /\d/.test(text) ? [pieces.join('')] : [];
  return [...pieces, ...joined].map(clipped);
}

const APOSTROPHE = /['\u2018\u2019\u02bc`\u00b4]/;
const APOSTROPHES = new RegExp(APOSTROPHE, 'g');

/** The words of a text that people write: letters and digits. An apostrophe parts nothing. */
const writtenWords = (text: string): string[] =>
  (folded(text.replace(APOSTROPHES, '')).match(/[\p{Letter}\p{Number}]+/gu) ?? []).map(clipped);

/** Letters and digits alone, as a postal code is compared. */
const compact = (text: string): string => clipped(writtenWords(text).join(''));

/** A fact is compared as a whole: a longer one, such as the address of a CI job, by its hash. */
function fact(kind: '=' | '@' | '#', text: string): string {
  const plain = folded(text.trim()).replace(/\s+/g, '\t');
  return `\t${kind}${plain.length <= LONGEST ? plain : createHash('sha256').update(plain).digest('hex')}`;
}

function wordList(words: readonly string[]): string {
  const all = new Set(words);
  all.delete('');
  return all.size === 0 ? '' : ` ${[...all].join(' ')} `;
}

/** The fields that have words of the receiver, its country, and those that have a carrier. */
const WORDS = [
  ...[...PERSON_NAMES, 'companyName'].map(name => ['receiver', name]),
  ...['city', 'line1', 'line2'].map(name => ['receiver', 'address', name]),
];
const COUNTRY = ['receiver', 'address', 'country', 'code'];
const CARRIERS = [[], ['international'], ['domestic']].map(leg =>
  leg.length === 0 ? ['carrier', 'id'] : ['carriers', ...leg, 'id'],
);

/** What the request says about the receiver and the carriers; it ends when the booking is pruned. */
export function searchedWords(request: unknown): string {
  const texts = (paths: readonly Path[]) => paths.map(path => textAt(request, path) ?? '').filter(Boolean);
  const of = (...path: string[]) => textAt(request, ['receiver', ...path]) || '';
  // All at once, because a claim waits for it.
  const text = texts(WORDS).join(' ');
  return wordList([
    ...writtenWords(text),
    // Of `O'Neill` the name is found, too.
    ...(APOSTROPHE.test(text) ? writtenWords(text.replaceAll(APOSTROPHES, ' ')) : []),
    compact(of('address', 'zipCode')),
    ...wordsOfName(of('email')),
    ...phoneWords(of('phone', 'number')),
    ...texts([COUNTRY]).map(code => fact('=', code)),
    ...texts(CARRIERS).map(id => fact('@', id)),
  ]);
}

const digitsIn = (text: string): string => text.replace(/\D/g, '');

/** As it is dialled in its country, without zeros before it. */
const dialled = (digits: string): string => digits.replace(/^0+/, '');

function phoneWords(number: string): string[] {
  const digits = dialled(digitsIn(number));
  return digits === '' ? [] : [clipped(`+${digits}`)];
}

/** What is known when it is claimed. The number of an order is found without the # that some shops write before it. */
export const claimNames = (booking: Pick<Booking, 'key' | 'run'>): string => {
  const names = wordsOfName(booking.key ?? '');
  return wordList([
    ...names,
    ...names.flatMap(name => /^#(.+)/.exec(name)?.[1] ?? []),
    ...(booking.run ? [fact('#', booking.run)] : []),
  ]);
};

/** What the service gave, as it is looked up (tracking numbers without case and marks), and the words that it adds. */
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

/** Carriers print it in groups, so blanks do not count. */
export const trackingName = (trackingNumber: string): string =>
  `~${clipped(folded(trackingNumber.replace(/\s+/g, '')))}`;

/** What a booking must have: a text in one of the two columns, any of several, or all of them. */
export type SoughtText =
  | { column: 'names' | 'person'; text: string }
  | { any: readonly SoughtText[] }
  | { all: readonly SoughtText[] };

const inNames = (text: string): SoughtText => ({ column: 'names', text });
const inPerson = (text: string): SoughtText => ({ column: 'person', text });

/** Each of them must be found. */
export const soughtTexts = ({ search = '', country, carrier, run }: Sought): SoughtText[] => [
  ...(country === undefined ? [] : [inPerson(` ${fact('=', country)} `)]),
  ...(carrier === undefined ? [] : [inPerson(` ${fact('@', carrier)} `)]),
  ...(run === undefined ? [] : [inNames(` ${fact('#', run)} `)]),
  ...runsIn(piecesIn(search)).map(soughtRun),
];

/** People write numbers with blanks: neighbours that may be parts of one are a run. */
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
  // Each way costs time for each booking, and what begins as a phone number does is one number.
  if (pieces.length === 1 || !/\d/.test(joined)) return all;
  return { any: [...(DIALLED.test(joined) ? [] : [all]), ...waysOf(joined)] };
}

/** A number behind a prefix, as people dial it. */
const DIALLED = /^(\+|0)[\d()./-]+$/;

/** A phone number of fewer digits is not looked for: an order may have that number. */
const FEWEST_DIGITS = 5;

/** What may have been dialled in the country: behind + or 00 it follows the code of a country, and without a 0 it may. */
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

/** How a piece may be meant: as the beginning of a name, of words of the receiver, of an e-mail address, a phone number or a postal code. */
function waysOf(piece: string): SoughtText[] {
  const whole = clipped(folded(piece));
  if (piece.includes('@')) return [inNames(` ${whole}`), inPerson(` ${whole}`)];
  const ways = [inNames(` ${whole}`)];
  const [first, ...rest] = writtenWords(piece).map(word => inPerson(` ${word}`));
  const phones = /^[+\d()./-]+$/.test(piece) ? phonesOf(piece) : [];
  const numbers = phones.map(digits => inPerson(` +${digits}`));
  // To look into the column of the receiver takes most of the time: what several ways have in common is looked for first.
  if (first && rest.length > 0 && /\d/.test(piece))
    ways.push({ all: [first, { any: [{ all: rest }, inPerson(` ${compact(piece)}`)] }] });
  else if (first && numbers.length > 0 && /^\d+$/.test(piece) && whole === piece) numbers.push(first);
  else if (first) ways.push({ all: [first, ...rest] });
  // The last one is the end of the others.
  const shared = phones.at(-1);
  if (shared !== undefined) ways.push({ all: [inPerson(shared), { any: numbers }] });
  return ways;
}
