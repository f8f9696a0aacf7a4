// The names of the output formats, which help, config and output read; and how text is cut, wrapped and quoted for people.

export const FORMAT_NAMES = ['table', 'json', 'jsonl', 'csv', 'text', 'record'] as const;

export type Format = (typeof FORMAT_NAMES)[number];

/** What stands between two cells, of each format that has a row of cells for each item. */
export const SEPARATORS = { csv: ',' } as const satisfies Partial<Record<Format, string>>;

/** The bytes of the mark in each encoding that has one. */
const MARKS: readonly [mark: readonly number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** The encoding that the first bytes of a text show: by a mark, or by a 0 in its first letter, which is UTF-16 without one. */
export function encodingShown(bytes: Uint8Array): { name: string; isMarked: boolean } | undefined {
  const [, marked] = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  if (marked !== undefined) return { name: marked, isMarked: true };
  const [first, second] = bytes;
  const name = first === 0 && second ? 'utf-16be' : first && second === 0 ? 'utf-16le' : undefined;
  return name === undefined ? undefined : { name, isMarked: false };
}

/**
 * The URL that a text is, `undefined` if it is none. It takes the place of `URL.canParse`, which Node 20 answers with `false` for an
 * address such as https://münchen.example once a process has asked it often.
 */
export function parsedUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const MOST_SHOWN = 60;

/** The beginning of a long text, for a message about it. */
export const shortened = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;

/** What was given, for a message about it: as JSON, shortened. Text that is cut is whole JSON all the same, which ends where it ends. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  const json = JSON.stringify(value) ?? String(value);
  return json.length > MOST_SHOWN ? JSON.stringify(shortened(json)) : json;
}

/** An id that a service sent, for a message about it: bare, or as JSON if it could be read as something else. */
export const shownId = (id: string): string => (/^[\w.:/-]+$/.test(id) ? shortened(id) : shown(id));

/** What a service sent, as it is: text bare, all else as JSON. */
export const bare = (sent: unknown): string => (typeof sent === 'string' ? sent : shown(sent));

/** Marks that a reader takes for the end of a quotation, and letters that look like them. */
const QUOTES =
  /['`\p{Quotation_Mark}\u00b4\u02b9-\u02bf\u02ca\u02cb\u02d9-\u02df\u02ee\u02f4-\u02f7\u05f3\u05f4\u2032-\u2037\u2057\u275b-\u2760]+/gu;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Format}\p{Surrogate}\p{Private_Use}\p{Unassigned}]+/gu;
const BLANKS = /[\p{White_Space}\p{Control}]+/gu;
/** A mark stands on a letter, and few on one. */
const LOOSE_MARKS = /(?<![\p{L}\p{N}\p{M}])\p{M}+|(?<=\p{M}{3})\p{M}+/gu;
const MOST_QUOTED = 40;

/**
 * Text that strangers wrote (keys, names, ids, words of the service), in a question that a person answers: in quotation marks that
 * nothing in it ends or imitates, in one line, at most 40 characters.
 */
export const quotedWords = (text: string): string => quotedUpTo(MOST_QUOTED, text);

/** The same of a longer text, such as what a service said. */
export function quotedUpTo(most: number, text: string): string {
  // Normalizing takes time with the square of the marks that follow one another.
  const plain = text
    .slice(0, most * 10)
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(LOOSE_MARKS, '');
  const letters = [...plain.replace(BLANKS, ' ').replace(QUOTES, "'").trim()];
  return `"${letters.slice(0, most).join('')}${letters.length > most ? '…' : ''}"`;
}

/** A short name in such a question, such as a carrier id: bare if it can be nothing else. */
export const nameWords = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : quotedWords(name));

/** The first of these names, and how many more there are. */
export const someOf = (names: readonly string[], most = 10): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

/** How many of many a message names, where what follows is the same for all of them. */
export const EXAMPLES = 2;

/** `1 booking`, `3 bookings`. */
export const numbered = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

// A command in backticks is one word, so that it can be copied.
const WORD = /(?:`[^`]*`|\S)+\s*/g;

/**
 * A paragraph in lines of at most `width`, broken between words. A longer word stays whole.
 * `widthOf` counts the columns that a text takes on a terminal; without it every character is one. `breaksCommands`: where nothing
 * may be longer, a command that does not fit is broken, too.
 */
export function wrapped(
  paragraph: string,
  width: number,
  widthOf = (text: string) => text.length,
  breaksCommands = true,
): string[] {
  const lines: string[] = [];
  const words = (paragraph.match(WORD) ?? []).flatMap(word =>
    !breaksCommands || widthOf(word.trimEnd()) <= width ? [word] : (word.match(/\S+\s*/g) ?? []),
  );
  for (const word of words) {
    const longer = `${lines.at(-1)}${word}`;
    if (lines.length > 0 && widthOf(longer.trimEnd()) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(line => line.trimEnd());
}

/** What a command is about, as its last words: after `--`, a word that begins with a hyphen is no option. */
export const operandWords = (words: readonly string[]): string[] => [
  ...(words.some(word => word.startsWith('-')) ? ['--'] : []),
  ...words,
];

/** These last words as a person types them. */
export const operands = (words: readonly string[]): string => commandText(operandWords(words));

/** A word as a POSIX shell takes it. At the beginning `=` and `%` have a meaning in some shells, and are quoted there. */
export const shellWord = (word: string): string =>
  /^[\w.:@/+-][\w.:@/+%=,-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command as a person types it, from its arguments. */
export const commandText = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** `4.1 MB`: a size for people. */
export const bytesWords = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Text as a number; `undefined` if it is not a number, or if JSON would send a different one: JSON has neither infinity
 * nor a negative zero, and a long whole number would lose its last digits.
 */
export function numberOf(written: string): number | undefined {
  const text = written.trim();
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number) || Object.is(number, -0)) return undefined;
  const [, digits] = /^[+-]?0*(\d+)$/.exec(text) ?? [];
  const loses = digits !== undefined && String(Math.abs(number)) !== digits;
  return loses ? undefined : number;
}

/** Does a host name mean this machine? IPv6 may stand in brackets, as in a URL. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The beginning of the path of an emulator at which bookings are asked about as in production. An address on loopback is nothing real, so
 * that this can only make a command stricter.
 */
export const AS_PRODUCTION = '/as-production';

/** Normalizing takes time with the square of the number of marks that follow one another. A longer text keeps them. */
const LONGEST_NORMALIZED = 2000;

/** Letters that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ı: 'i',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
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
