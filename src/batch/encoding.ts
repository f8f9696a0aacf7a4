// The bytes of an input as text.
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { shown } from '../text.ts';

/** The names of the WHATWG's encodings. `TextDecoder` knows further labels of them. */
const NAMES = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'macintosh', 'x-mac-cyrillic', 'ibm866', 'koi8-r', 'koi8-u'],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map(part => `iso-8859-${part}`),
  ...[874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map(page => `windows-${page}`),
  ...['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr'],
];

export const BYTE_ORDER_MARK = '\ufeff';

export const UTF_8 = 'utf-8';

/** Do these bytes begin with the mark of UTF-8? No text of another encoding does. */
export const hasUtf8Mark = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 3)).toString() === BYTE_ORDER_MARK;

export interface Encoding {
  /** As the standard names it: `windows-1252` for `latin1`. */
  name: string;
  /** Throws for bytes that are no text of it. A byte order mark stays. */
  decode(chunk?: Uint8Array): string;
}

/** Throws `usage` for a name that is none. */
export function encodingNamed(label: string): Encoding {
  const decoder = decoderFor(label);
  return {
    name: decoder.encoding,
    decode: chunk => (chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })),
  };
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true });
  } catch {
    const name = label
      .trim()
      .toLowerCase()
      .replace(/^cp-?(?=\d)/, 'windows-');
    const guess = NAMES.includes(name) ? name : nearest(name, NAMES);
    throw new Failure(
      'usage',
      `--encoding ${shown(label)} is not an encoding that waybill knows${guess === undefined ? '' : ` (did you mean ${guess}?)`}; nothing was sent. Such names are windows-1254 (Turkish), windows-1252 (Western), windows-1250 (Central European), iso-8859-9, utf-16le and shift_jis`,
    );
  }
}
