// Finds text that was read in the wrong code page, by letters and signs that no name has: `München`, saved by a Mac, is read as `MŸnchen`,
// `Şişli` as `Þiþli`, `Москва` as `Ìîñêâà`.

import { getAt, textAt, textsIn } from '../contract/paths.ts';
import { shown } from '../text.ts';

interface CodePage {
  name: string;
  /** The countries whose names need this code page. */
  countries: string;
  /** Letters that no name of these countries has. */
  foreign?: RegExp;
}

// The pattern is built from text: the code of the package must be ASCII, and a literal pattern with these letters would not be.
const letterPattern = (signs: string, flags = 'u'): RegExp => new RegExp(`[${signs}]`, flags);

/** The code pages that files are saved in. Of code pages that read a text equally well, the first one is taken. */
const CODE_PAGES: readonly CodePage[] = [
  { name: 'windows-1252', countries: 'IS FO' },
  { name: 'windows-1254', countries: 'TR', foreign: letterPattern('ýþðÝÞÐ') },
  { name: 'macintosh', countries: '' },
  {
    name: 'windows-1250',
    countries: 'PL CZ SK HU RO HR SI BA',
    foreign: letterPattern('øèìùæœñõûãþêðïòØÈÌÙÆÕÛÃÞÐŸ'),
  },
  { name: 'windows-1251', countries: 'RU UA BY BG KZ KG MK RS' },
  { name: 'windows-1253', countries: 'GR CY' },
  { name: 'koi8-r', countries: '' },
];

const SIGNS = '\u0080-\u009f¡-§¨¬¯±¶¸¹¼-¿×÷ƒˆ˜†‡•‰‹›³';
const VOWELS_OF_ICELAND = letterPattern('áéíóúæÁÉÍÓÚÆ');
const ICELANDIC = letterPattern('þðÞÐ', 'gu');

/** Patterns of signs that no name has, with misread names that they find. */
const STRANGE = [
  // `Stra§e`, `Pawe³`, `£ukasz`, `Asunci—n`
  `\\p{L}[${SIGNS}]|[\u0080-\u009f£§¯¹¿³]\\p{L}|\\p{Ll}[—…„“”™]\\p{Ll}`,
  // `MŸnchen`, `CafŽ`
  '\\p{L}(?![A-Z])\\p{Lu}\\p{Ll}|\\p{Ll}(?![A-Z])\\p{Lu}',
  // `Ìîñêâà`
  '(?<!\\p{L})[\u00c0-\u024f]{3,}(?!\\p{L})',
  // Letters of two scripts in one word.
  '\\p{Script=Latin}[\\p{Script=Cyrillic}\\p{Script=Greek}]|[\\p{Script=Cyrillic}\\p{Script=Greek}]\\p{Script=Latin}',
  // Signs of the Mac code page, where other code pages have letters.
  '[ﬁﬂ∂∑∏∫√≈◊]',
  // `Gdañsk`, `Wiœniewski`
  'ñ(?![aeiouáéíóúâêôy])|œ(?![uilh])',
].map(pattern => new RegExp(pattern, 'gu'));

/** In how many places a text has signs that no name has. */
const strangenessOf = (text: string): number =>
  [...STRANGE, ...(VOWELS_OF_ICELAND.test(text) ? [] : [ICELANDIC])]
    .map(pattern => text.match(pattern)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);

/** Decodes bytes as a stream, because Node 20 reads a whole text of windows-1252 as ISO 8859-1. */
const decoded = (bytes: Uint8Array, encoding: string): string =>
  new TextDecoder(encoding).decode(bytes, { stream: true });

/** The most likely encoding of bytes that are not UTF-8. */
export function likelyEncoding(bytes: Uint8Array): string {
  const ranked = CODE_PAGES.map(({ name }) => ({ name, strange: strangenessOf(decoded(bytes, name)) }));
  return ranked.reduce((best, page) => (page.strange < best.strange ? page : best)).name;
}

/** A text that was read in the wrong code page, and the same text in the right code page (`meant`). */
interface Misread {
  text: string;
  meant: string;
  /** The encoding in which the file is read right. */
  encoding: string;
}

/** Says which letters of a record are probably wrong; `undefined` if none are. `file`: the name and the encoding of the input. */
export function misreadWords(
  value: unknown,
  line: number,
  file: { name: string; encoding: string },
): string | undefined {
  const misread = misreadText(value, file.encoding);
  if (misread === undefined) return undefined;
  const { text, meant, encoding } = misread;
  const [was, is] = [shown(text), shown(meant)];
  return isUnicode(file.encoding)
    ? `${file.name} was saved with wrong letters: ${was} on line ${line} is probably ${is}. Export it again, as UTF-8`
    : `${file.name} is not ${file.encoding} text: ${was} on line ${line} is ${is} with --encoding ${encoding}`;
}

const isUnicode = (encoding: string): boolean => encoding.startsWith('utf-');

/** The first text of the receiver that is misread. In a Unicode file, the program that wrote the file may have misread it. */
function misreadText(value: unknown, encoding: string): Misread | undefined {
  const receiver = getAt(value, ['receiver']);
  const texts = textsIn(receiver, text => NOT_ASCII.test(text)).map(({ text }) => text);
  const country = textAt(receiver, ['address', 'country', 'code'])?.toUpperCase() ?? 'none';
  const nativePage = CODE_PAGES.find(({ countries }) => countries.includes(country));
  const foreign = isUnicode(encoding) ? undefined : nativePage?.foreign;
  const isStrange =
    strangenessOf(texts.join('\n')) > 0 || (foreign && texts.some(text => foreign.test(text)));
  if (!isStrange || nativePage?.name === 'windows-1252') return undefined;
  const readAs = isUnicode(encoding) ? 'windows-1252' : encoding;
  const bytes = texts.map(text => encoded(text, readAs));
  // A letter that is not in the code page `readAs` shows that the text was not read in that code page.
  if (bytes.includes(undefined)) return undefined;
  const pages = (nativePage ? [nativePage, ...CODE_PAGES] : CODE_PAGES).filter(({ name }) => name !== readAs);
  for (const { name } of pages) {
    const meant = bytes.map(part => (part ? decoded(part, name) : ''));
    const place = meant.findIndex((text, index) => text !== texts[index]);
    if (place >= 0 && strangenessOf(meant.join('\n')) === 0)
      return { text: texts[place] ?? '', meant: meant[place] ?? '', encoding: name };
  }
  return undefined;
}

const NOT_ASCII = /[\u0080-\uffff]/;

/** The bytes of a text in an encoding with one byte for each sign; `undefined` if a sign is not in the encoding. */
function encoded(text: string, encoding: string): Uint8Array | undefined {
  const signs = decoded(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
    encoding,
  );
  const bytes = Array.from(text, sign => signs.indexOf(sign));
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes);
}
