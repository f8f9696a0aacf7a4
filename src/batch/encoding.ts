// The bytes of an input as text.
import { Failure } from '../errors.ts';
import { encodingShown, shown } from '../text.ts';
import { likelyEncoding } from './code-pages.ts';

export const BYTE_ORDER_MARK = '\ufeff';

export const UTF_8 = 'utf-8';

export interface Encoding {
  /** The name in the standard: `windows-1252` for `latin1`. */
  name: string;
  /** Decodes a part of the input; a byte order mark stays. Throws for bytes that are no text in this encoding. */
  decode(chunk?: Uint8Array): string;
}

/** The encoding with this name. Throws `usage` if there is none. */
export function encodingNamed(label: string): Encoding {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return {
      name: decoder.encoding,
      decode: chunk => (chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })),
    };
  } catch {
    throw new Failure('usage', `--encoding ${shown(label)} is not an encoding that waybill knows`, {
      hint: 'Such names are windows-1254 (Turkish), windows-1252 (Western), windows-1250 (Central European) and utf-16le',
    });
  }
}

/** How many characters a record may have: a longer record is refused before it fills the memory. */
export const MAX_RECORD_LENGTH = 1024 * 1024;

/** Says why a record with more than `longest` characters is refused. */
export const tooLongWords = (longest: number): string =>
  `the record is larger than ${longest / 1024 / 1024} MiB`;

export const lineFailure = (name: string, line: number, why: string): Failure =>
  new Failure('invalid_request', `${name}, line ${line}: ${why}`);

/** What reading an input has shown: its byte order mark and its encoding. */
export interface Beginning {
  hasMark: boolean;
  /** The encoding in which the input is read. */
  encoding?: string;
}

/**
 * The text as it comes, without its byte order mark; `beginning` notes the mark and the encoding. The mark of UTF-8 or UTF-16 counts more
 * than `encodingGiven`: so the file of `--failed`, in UTF-8, is read with the options of its input. `name`: the name of the file, for
 * messages. Throws `invalid_request`.
 */
export async function* decodedText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  encodingGiven: Encoding = encodingNamed(UTF_8),
  beginning: Beginning = { hasMark: false },
): AsyncGenerator<string> {
  let encoding = encodingGiven;
  let line = 1;
  let isFirst = true;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return encoding.decode(chunk);
    } catch {
      throw lineFailure(
        name,
        line,
        encoding.name === UTF_8
          ? `this line or a later one has bytes that are not UTF-8 text; save it as UTF-8 (in a spreadsheet: "CSV UTF-8") or, unless it is a product table, name its encoding, such as --encoding ${chunk === undefined ? 'windows-1254' : likelyEncoding(chunk)}`
          : `this line or a later one has bytes that are not ${encoding.name} text; leave out --encoding if it is UTF-8`,
      );
    }
  };
  const withoutMark = (text: string): string => {
    if (!isFirst || text === '') return text;
    isFirst = false;
    beginning.hasMark = text.startsWith(BYTE_ORDER_MARK);
    return beginning.hasMark ? text.slice(1) : text;
  };
  for await (const chunk of bytes) {
    const shownFirst = isFirst ? encodingShown(chunk) : undefined;
    if (shownFirst && (shownFirst.isMarked || encoding.name === UTF_8))
      encoding = encodingNamed(shownFirst.name);
    beginning.encoding = encoding.name;
    const text = withoutMark(decoded(chunk));
    if (text !== '') yield text;
    line += lineFeedsIn(text);
  }
  const end = withoutMark(decoded());
  if (end !== '') yield end;
}

export const byteOrderMark = (beginning: Beginning): string => (beginning.hasMark ? BYTE_ORDER_MARK : '');

export function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
