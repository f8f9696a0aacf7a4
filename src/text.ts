// The names of the output formats, which help, config and output read; and how text is cut, wrapped and quoted for people.

export const FORMAT_NAMES = ['table', 'json', 'jsonl', 'csv', 'text', 'record'] as const;

export type Format = (typeof FORMAT_NAMES)[number];

/** For each format that writes an item as a row of cells, the separator between two cells. */
export const SEPARATORS = { csv: ',' } as const satisfies Partial<Record<Format, string>>;

/** The bytes of the byte order mark in each encoding that has one. */
const MARKS: readonly [mark: readonly number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** The encoding that the first bytes of a text show: by a byte order mark, or by a 0 in the first letter, which means UTF-16. */
export function encodingShown(bytes: Uint8Array): { name: string; isMarked: boolean } | undefined {
  const [, marked] = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  if (marked !== undefined) return { name: marked, isMarked: true };
  const [first, second] = bytes;
  const name = first === 0 && second ? 'utf-16be' : first && second === 0 ? 'utf-16le' : undefined;
  return name === undefined ? undefined : { name, isMarked: false };
}

/**
 * Parses a URL; `undefined` if the text is none. This function replaces `URL.canParse`, which Node 20 answers with `false` for an
 * address such as https://münchen.example once a process has called it often.
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

/** What was given, for a message about it: as JSON, shortened. A cut text is put in quotes, so that a reader sees where it ends. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  const json = JSON.stringify(value) ?? String(value);
  return json.length > MOST_SHOWN ? JSON.stringify(shortened(json)) : json;
}

/** An id that a service sent, for a message about it: bare, or as JSON if it has characters that an id seldom has. */
export const shownId = (id: string): string => (/^[\w.:/-]+$/.test(id) ? shortened(id) : shown(id));

/** What a service sent: text bare and whole, all else as JSON. */
export const bare = (sent: unknown): string => (typeof sent === 'string' ? sent : shown(sent));

/** Marks that a reader takes for the end of a quotation, and letters that look like them. */
const QUOTES =
  /['`\p{Quotation_Mark}\u00b4\u02b9-\u02bf\u02ca\u02cb\u02d9-\u02df\u02ee\u02f4-\u02f7\u05f3\u05f4\u2032-\u2037\u2057\u275b-\u2760]+/gu;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Format}\p{Surrogate}\p{Private_Use}\p{Unassigned}]+/gu;
const BLANKS = /[\p{White_Space}\p{Control}]+/gu;
/** Combining marks that stand on no letter, or more than three on one letter. */
const LOOSE_MARKS = /(?<![\p{L}\p{N}\p{M}])\p{M}+|(?<=\p{M}{3})\p{M}+/gu;
const MOST_QUOTED = 40;

/**
 * Text that strangers wrote (keys, names, ids, words of the service), in a question that a person answers: in quotation marks that
 * nothing in it ends or imitates, in one line, at most 40 characters.
 */
export const quotedWords = (text: string): string => quotedUpTo(MOST_QUOTED, text);

/** Like `quotedWords`, with up to `most` characters, for a longer text such as an answer of the service. */
export function quotedUpTo(most: number, text: string): string {
  // The text is cut first: the time for normalizing grows with the square of the number of marks in a row.
  const plain = text
    .slice(0, most * 10)
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(LOOSE_MARKS, '');
  const letters = [...plain.replace(BLANKS, ' ').replace(QUOTES, "'").trim()];
  return `"${letters.slice(0, most).join('')}${letters.length > most ? '…' : ''}"`;
}

/** A short name, such as a carrier id, in a question to a person: bare if it has only letters, digits, `_` and `-`, else quoted. */
export const nameWords = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : quotedWords(name));

/** The first of these names, and how many more there are. */
export const someOf = (names: readonly string[], most = 10): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

/** How many examples a message names of many, where its advice is the same for all of them. */
export const EXAMPLES = 2;

/** A number with its noun: `1 booking`, `3 bookings`. */
export const numbered = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

// A command in backticks counts as one word, so that no line break gets into it.
const WORD = /(?:`[^`]*`|\S)+\s*/g;

/**
 * A paragraph in lines of at most `width`, broken between words. A longer word stays whole.
 * `widthOf` counts the columns that a text takes on a terminal; without it every character is one column. `breaksCommands`: where nothing
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

/** The operands of a command, as its last words; `--` comes before them if one begins with a hyphen, which would make it an option. */
export const operandWords = (words: readonly string[]): string[] => [
  ...(words.some(word => word.startsWith('-')) ? ['--'] : []),
  ...words,
];

/** The operands of a command as a person types them. */
export const operands = (words: readonly string[]): string => commandText(operandWords(words));

/** A word as it is typed in a POSIX shell. At its beginning, `=` and `%` have a meaning in some shells: then the word is quoted. */
export const shellWord = (word: string): string =>
  /^[\w.:@/+-][\w.:@/+%=,-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command as a person types it, from its arguments. */
export const commandText = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** A size for people, such as `4.1 MB`. */
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
 * The path of an emulator begins with this if a person is to be asked before a booking, as in production. An address on loopback is
 * nothing real, so this can only make a command stricter.
 */
export const AS_PRODUCTION = '/as-production';

/** The longest text that is normalized: the time for that grows with the square of the number of marks in a row. */
const LONGEST_NORMALIZED = 2000;

/** Letters that Unicode does not split into a plain letter and a mark. */
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
  // The short way for most text takes a twentieth of the time.
  /^[ -~]*$/.test(text) ? text.toLowerCase() : foldedLetters(text);

const foldedLetters = (text: string): string =>
  (text.length > LONGEST_NORMALIZED ? text : text.normalize('NFKD'))
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(SPECIAL, letter => PLAIN[letter] ?? letter)
    .replace(/[\0\p{Surrogate}]/gu, '\ufffd');
