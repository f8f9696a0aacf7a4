// The box around all that is drawn on a page, for `--crop auto`. It is never too small: what cannot be told makes it larger, or unknown.
import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
} from '@cantoo/pdf-lib';
import { type Box, composed, contentOf, type Matrix, moved, numbersIn, visibleBox } from './seen.ts';

const name = PDFName.of;

const UNMOVED: Matrix = [1, 0, 0, 1, 0, 0];

/** A form within a form, and so on. */
const DEEPEST = 6;

/** The box in units of the page; `undefined` if it cannot be told, or nothing is drawn. */
export function drawnBox(page: PDFDict): Box | undefined {
  const drawing = new Drawing();
  try {
    const content = contentOf(page, stream => decodePDFRawStream(stream).decode());
    drawing.run(content, page.lookup(name('Resources')), UNMOVED, 0);
  } catch {
    return undefined;
  }
  const seen = visibleBox(page);
  return seen && drawing.box;
}

type Operand = number | string | readonly Operand[];

/** What the operators of a page have set. */
interface State {
  matrix: Matrix;
  isWhiteFill: boolean;
  isWhiteStroke: boolean;
  lineWidth: number;
  font: Font | undefined;
  fontSize: number;
  charSpace: number;
  wordSpace: number;
  scale: number;
  leading: number;
  rise: number;
  isInvisible: boolean;
}

/** Of a letter by its code, in thousandths of its size; `bytes`: of a code. */
interface Font {
  bytes: 1 | 2;
  widthOf(code: number): number;
}

const BEGIN: State = {
  matrix: UNMOVED,
  isWhiteFill: false,
  isWhiteStroke: false,
  lineWidth: 1,
  font: undefined,
  fontSize: 0,
  charSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  rise: 0,
  isInvisible: false,
};

class Untellable extends Error {}

class Drawing {
  #left = Number.POSITIVE_INFINITY;
  #bottom = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #top = Number.NEGATIVE_INFINITY;

  get box(): Box | undefined {
    const [width, height] = [this.#right - this.#left, this.#top - this.#bottom];
    return width > 0 && height > 0 ? { x: this.#left, y: this.#bottom, width, height } : undefined;
  }

  #add(box: Box, matrix: Matrix): void {
    const { x, y, width, height } = moved(box, matrix);
    this.#left = Math.min(this.#left, x);
    this.#bottom = Math.min(this.#bottom, y);
    this.#right = Math.max(this.#right, x + width);
    this.#top = Math.max(this.#top, y + height);
  }

  /** Follows the operators. Throws if it cannot be told where they draw. */
  run(content: Uint8Array, resources: PDFObject | undefined, matrix: Matrix, depth: number): void {
    let state: State = { ...BEGIN, matrix };
    const saved: State[] = [];
    let text = UNMOVED;
    let line = UNMOVED;
    let path: [x: number, y: number][] = [];
    const nextLine = (x: number, y: number) => {
      line = composed([1, 0, 0, 1, x, y], line);
      text = line;
    };
    const show = (words: readonly Operand[]) => {
      text = this.#show(words, text, state);
    };
    for (const [operator, operands] of operatorsIn(content)) {
      const numbers = operands.filter(operand => typeof operand === 'number');
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers;
      switch (operator) {
        case 'q':
          saved.push(state);
          break;
        case 'Q':
          state = saved.pop() ?? state;
          break;
        case 'cm':
          state = { ...state, matrix: composed([a, b, c, d, e, f], state.matrix) };
          break;
        case 'w':
          state = { ...state, lineWidth: a };
          break;
        case 'g':
        case 'rg':
        case 'k':
        case 'sc':
        case 'scn':
          state = { ...state, isWhiteFill: isWhite(operator, operands) };
          break;
        case 'G':
        case 'RG':
        case 'K':
        case 'SC':
        case 'SCN':
          state = { ...state, isWhiteStroke: isWhite(operator.toLowerCase(), operands) };
          break;
        case 'cs':
          state = { ...state, isWhiteFill: false };
          break;
        case 'CS':
          state = { ...state, isWhiteStroke: false };
          break;
        case 'm':
        case 'l':
          path.push([a, b]);
          break;
        case 'c':
          path.push([a, b], [c, d], [e, f]);
          break;
        case 'v':
        case 'y':
          path.push([a, b], [c, d]);
          break;
        case 're':
          path.push([a, b], [a + c, b + d]);
          break;
        case 'n':
          path = [];
          break;
        case 'S':
        case 's':
        case 'f':
        case 'F':
        case 'f*':
        case 'B':
        case 'B*':
        case 'b':
        case 'b*':
          this.#paint(operator, path, state);
          path = [];
          break;
        case 'BT':
          text = UNMOVED;
          line = UNMOVED;
          break;
        case 'Tf':
          state = { ...state, font: fontAt(resources, String(operands[0])), fontSize: a };
          break;
        case 'Tc':
          state = { ...state, charSpace: a };
          break;
        case 'Tw':
          state = { ...state, wordSpace: a };
          break;
        case 'Tz':
          state = { ...state, scale: a / 100 };
          break;
        case 'TL':
          state = { ...state, leading: a };
          break;
        case 'Ts':
          state = { ...state, rise: a };
          break;
        case 'Tr':
          state = { ...state, isInvisible: a === 3 || a === 7 };
          break;
        case 'Td':
          nextLine(a, b);
          break;
        case 'TD':
          state = { ...state, leading: -b };
          nextLine(a, b);
          break;
        case 'Tm':
          line = [a, b, c, d, e, f];
          text = line;
          break;
        case 'T*':
          nextLine(0, -state.leading);
          break;
        case 'Tj':
          show(operands);
          break;
        case "'":
        case '"':
          nextLine(0, -state.leading);
          show(operands.slice(-1));
          break;
        case 'TJ':
          show(Array.isArray(operands[0]) ? operands[0] : []);
          break;
        case 'Do':
          this.#place(resources, String(operands[0]), state.matrix, depth);
          break;
        case 'inline image':
          this.#add(UNIT, state.matrix);
          break;
        case 'sh':
          throw new Untellable();
      }
    }
  }

  #paint(operator: string, path: readonly [number, number][], state: State): void {
    const isStroked = /^[sb]/i.test(operator) && !state.isWhiteStroke;
    const isFilled = /^[fb]/i.test(operator) && !state.isWhiteFill;
    if (path.length === 0 || (!isStroked && !isFilled)) return;
    const around = isStroked ? state.lineWidth / 2 : 0;
    const across = path.map(([x]) => x);
    const upward = path.map(([, y]) => y);
    const [x, y] = [leastOf(across) - around, leastOf(upward) - around];
    const [width, height] = [mostOf(across) + around - x, mostOf(upward) + around - y];
    this.#add({ x, y, width, height }, state.matrix);
  }

  /** Gives where the next letter stands. */
  #show(words: readonly Operand[], start: Matrix, state: State): Matrix {
    const { font, fontSize, charSpace, wordSpace, scale, rise } = state;
    if (font === undefined) throw new Untellable();
    let width = 0;
    for (const word of words)
      if (typeof word === 'number') width -= (word / 1000) * fontSize * scale;
      else if (typeof word === 'string')
        for (let at = 0; at + font.bytes <= word.length; at += font.bytes) {
          const code =
            font.bytes === 1 ? word.charCodeAt(at) : word.charCodeAt(at) * 256 + word.charCodeAt(at + 1);
          const space = charSpace + (font.bytes === 1 && code === SPACE ? wordSpace : 0);
          width += ((font.widthOf(code) / 1000) * fontSize + space) * scale;
        }
    // Letters reach above and below their line, and a bit beyond their width.
    const letters = {
      x: Math.min(0, width) - 0.1 * fontSize,
      y: rise - 0.35 * fontSize,
      width: Math.abs(width) + 0.2 * fontSize,
      height: 1.4 * fontSize,
    };
    if (!state.isInvisible && width !== 0) this.#add(letters, composed(start, state.matrix));
    return composed([1, 0, 0, 1, width, 0], start);
  }

  #place(resources: PDFObject | undefined, key: string, matrix: Matrix, depth: number): void {
    const objects = resources instanceof PDFDict ? resources.lookup(name('XObject')) : undefined;
    const object = objects instanceof PDFDict ? objects.lookup(name(key)) : undefined;
    if (!(object instanceof PDFRawStream)) return;
    const kind = object.dict.lookup(name('Subtype'));
    if (!(kind instanceof PDFName) || kind.decodeText() !== 'Form') {
      this.#add(UNIT, matrix);
      return;
    }
    if (depth === DEEPEST) throw new Untellable();
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] =
      numbersIn(object.dict.lookup(name('Matrix')), object.dict.context) ?? [];
    const own = object.dict.lookup(name('Resources')) ?? resources;
    this.run(decodePDFRawStream(object).decode(), own, composed([a, b, c, d, e, f], matrix), depth + 1);
  }
}

const UNIT: Box = { x: 0, y: 0, width: 1, height: 1 };
const SPACE = 32;

const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);

/** White is no colour on paper. */
function isWhite(operator: string, operands: readonly Operand[]): boolean {
  const numbers = operands.filter(operand => typeof operand === 'number');
  if (numbers.length < operands.length || numbers.length === 0) return false;
  const isInk = operator === 'k' || numbers.length === 4;
  return numbers.every(value => value === (isInk ? 0 : 1));
}

function fontAt(resources: PDFObject | undefined, key: string): Font | undefined {
  const fonts = resources instanceof PDFDict ? resources.lookup(name('Font')) : undefined;
  const font = fonts instanceof PDFDict ? fonts.lookup(name(key)) : undefined;
  if (!(font instanceof PDFDict)) return undefined;
  const kind = font.lookup(name('Subtype'));
  const isOf = (type: string) => kind instanceof PDFName && kind.decodeText() === type;
  // Its letters are drawings of any size.
  if (isOf('Type3')) return undefined;
  if (isOf('Type0')) {
    const widths = widthsOfCodes(font);
    return { bytes: 2, widthOf: code => widths.get(code) ?? WIDE };
  }
  const widths = numbersIn(font.lookup(name('Widths')), font.context);
  const first = font.lookup(name('FirstChar'));
  const from = first instanceof PDFNumber ? first.asNumber() : 0;
  return { bytes: 1, widthOf: code => widths?.[code - from] ?? WIDE };
}

/** Of a letter whose width is not known: as wide as it is high. */
const WIDE = 1000;

/** `W` of a font: `first [width …]`, or `first last width`. */
function widthsOfCodes(font: PDFDict): Map<number, number> {
  const widths = new Map<number, number>();
  const descendants = font.lookup(name('DescendantFonts'));
  const descendant = descendants instanceof PDFArray ? descendants.lookup(0) : undefined;
  const listed = descendant instanceof PDFDict ? descendant.lookup(name('W')) : undefined;
  if (!(listed instanceof PDFArray)) return widths;
  const parts = listed.asArray().map(part => font.context.lookup(part));
  for (let at = 0; at < parts.length; ) {
    const [first, second, third] = parts.slice(at, at + 3);
    if (!(first instanceof PDFNumber)) break;
    const each = numbersIn(second, font.context);
    if (each) {
      for (const [index, width] of each.entries()) widths.set(first.asNumber() + index, width);
      at += 2;
    } else if (second instanceof PDFNumber && third instanceof PDFNumber) {
      const last = Math.min(second.asNumber(), MOST_CODES);
      for (let code = first.asNumber(); code <= last; code += 1) widths.set(code, third.asNumber());
      at += 3;
    } else break;
  }
  return widths;
}

const MOST_CODES = 0xffff;

// The operators of a page with their operands.

const isDelimiter = (code: number): boolean => '()<>[]{}/%'.includes(String.fromCharCode(code));
const isBlank = (code: number): boolean => code <= SPACE;

function* operatorsIn(content: Uint8Array): Generator<[operator: string, operands: Operand[]]> {
  const text = Buffer.from(content).toString('latin1');
  let operands: Operand[] = [];
  const lists: Operand[][] = [];
  let at = 0;
  const add = (operand: Operand) => void (lists.at(-1) ?? operands).push(operand);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) at += 1;
    else if (text[at] === '%') at = endOfLine(text, at);
    else if (text[at] === '(') {
      const [word, end] = stringAt(text, at + 1);
      add(word);
      at = end;
    } else if (text[at] === '<' && text[at + 1] !== '<') {
      const end = endAt(text, '>', at);
      add(Buffer.from(text.slice(at + 1, end).replace(/\s/g, ''), 'hex').toString('latin1'));
      at = end + 1;
    } else if (text[at] === '[') {
      lists.push([]);
      at += 1;
    } else if (text[at] === ']') {
      const list = lists.pop() ?? [];
      add(list);
      at += 1;
    } else if (isDelimiter(code) && text[at] !== '/') at += 1;
    else {
      const begin = at;
      at += 1;
      while (at < text.length && !isBlank(text.charCodeAt(at)) && !isDelimiter(text.charCodeAt(at))) at += 1;
      const word = text.slice(begin, at);
      if (word.startsWith('/')) add(word.slice(1));
      else if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) add(Number(word));
      else if (word === 'BI') {
        at = endOfInlineImage(text, at);
        yield ['inline image', []];
        operands = [];
      } else {
        yield [word, operands];
        operands = [];
        lists.length = 0;
      }
    }
  }
}

const endAt = (text: string, mark: string, from: number): number => {
  const end = text.indexOf(mark, from);
  if (end < 0) throw new Untellable();
  return end;
};

function endOfLine(text: string, from: number): number {
  const ends = [text.indexOf('\n', from), text.indexOf('\r', from)].filter(end => end >= 0);
  return ends.length === 0 ? text.length : leastOf(ends);
}

function endOfInlineImage(text: string, from: number): number {
  const mark = /\sEI(?=\s|$)/g;
  mark.lastIndex = endAt(text, 'ID', from);
  if (mark.exec(text) === null) throw new Untellable();
  return mark.lastIndex;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text in brackets, of which the first is passed already; and where the next operand may begin. */
function stringAt(text: string, from: number): [string, number] {
  let word = '';
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '\\') {
      const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
      if (octal !== undefined) word += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      else if (!/[\r\n]/.test(text[at + 1] ?? '')) word += ESCAPES[text[at + 1] ?? ''] ?? text[at + 1] ?? '';
      at += octal?.length ?? 1;
      continue;
    }
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth === 0) return [word, at + 1];
    word += letter;
  }
  throw new Untellable();
}
