// The box around all that is drawn on a page, for `--crop auto`. It is never too small: a doubt makes it larger, or unknown.
import { decodePDFRawStream, type PDFDict, PDFName, type PDFObject, PDFRawStream } from '@cantoo/pdf-lib';
import { BEGIN, changed, resourceAt, type State, UNMOVED } from './graphics.ts';
import { type Operand, operatorsIn, Untellable } from './operators.ts';
import { type Box, composed, type Matrix, moved, numbersIn, operatorsOf, visibleBox } from './seen.ts';

const name = PDFName.of;

/** The deepest nesting of forms within forms that is followed. */
const DEEPEST = 6;

/** The box around what is drawn, in units of the page; `undefined` if nobody can tell, or nothing is drawn. */
export function drawnBox(page: PDFDict): Box | undefined {
  const drawing = new Drawing();
  try {
    const content = operatorsOf(page, stream => decodePDFRawStream(stream).decode());
    drawing.run(content, page.lookup(name('Resources')), BEGIN, 0);
  } catch {
    return undefined;
  }
  const visible = visibleBox(page);
  return visible && drawing.box;
}

type Point = readonly [x: number, y: number];

/** Where the next letter stands, and where its line begins. */
interface TextPlace {
  text: Matrix;
  line: Matrix;
}

const BEGIN_OF_TEXT: TextPlace = { text: UNMOVED, line: UNMOVED };

const nextLine = (place: TextPlace, x: number, y: number): TextPlace => {
  const next = composed([1, 0, 0, 1, x, y], place.line);
  return { text: next, line: next };
};

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

  /** Follows the operators of a page or form. `begin`: the state before the first operator. Throws if nobody can tell where they draw. */
  run(content: Uint8Array, resources: PDFObject | undefined, begin: State, depth: number): void {
    let state = begin;
    const saved: State[] = [];
    let place = BEGIN_OF_TEXT;
    let path: Point[] = [];
    for (const [operator, operands] of operatorsIn(content)) {
      if (PAINTING.test(operator)) {
        this.#paint(operator, path, state);
        path = [];
        continue;
      }
      path.push(...pointsOf(operator, operands));
      state = changed(state, operator, operands, resources);
      switch (operator) {
        case 'q':
          saved.push(state);
          break;
        case 'Q':
          state = saved.pop() ?? state;
          break;
        case 'TD':
        case '"':
          state = { ...state, ...alsoSetBy(operator, operands) };
          break;
        case 'Do':
          this.#place(resources, String(operands[0]), state, depth);
          break;
        case 'inline image':
          this.#add(UNIT, state.matrix);
          break;
        case 'sh':
          throw new Untellable();
      }
      place = placedBy(operator, operands, place, state);
      const words = wordsOf(operator, operands);
      if (words) place = { ...place, text: this.#show(words, place.text, state) };
    }
  }

  #paint(operator: string, path: readonly Point[], state: State): void {
    const isSeen = (paint: State['fill']) => !paint.isWhite || state.isWhiteChanged;
    const isStroked = /^[sb]/i.test(operator) && isSeen(state.stroke);
    const isFilled = /^[fb]/i.test(operator) && isSeen(state.fill);
    if (path.length === 0 || (!isStroked && !isFilled)) return;
    const around = isStroked ? state.lineWidth / 2 : 0;
    const across = path.map(([x]) => x);
    const upward = path.map(([, y]) => y);
    const [x, y] = [leastOf(across) - around, leastOf(upward) - around];
    const [width, height] = [mostOf(across) + around - x, mostOf(upward) + around - y];
    this.#add({ x, y, width, height }, state.matrix);
  }

  /** Adds the box around letters to what is drawn. Gives the place of the next letter. */
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
    // Letters reach above and below their line, and a little beyond their width.
    const size = Math.abs(fontSize);
    const around = state.isOutlined ? state.lineWidth / 2 : 0;
    const letters = {
      x: Math.min(0, width) - 0.1 * size - around,
      y: rise - (fontSize < 0 ? 1.05 : 0.35) * size - around,
      width: Math.abs(width) + 0.2 * size + 2 * around,
      height: 1.4 * size + 2 * around,
    };
    if (!state.isInvisible && width !== 0) this.#add(letters, composed(start, state.matrix));
    return composed([1, 0, 0, 1, width, 0], start);
  }

  #place(resources: PDFObject | undefined, key: string, state: State, depth: number): void {
    const object = resourceAt(resources, 'XObject', key);
    if (!(object instanceof PDFRawStream)) return;
    const kind = object.dict.lookup(name('Subtype'));
    if (!(kind instanceof PDFName) || kind.decodeText() !== 'Form') {
      this.#add(UNIT, state.matrix);
      return;
    }
    if (depth === DEEPEST) throw new Untellable();
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] =
      numbersIn(object.dict.lookup(name('Matrix')), object.dict.context) ?? [];
    const formResources = object.dict.lookup(name('Resources')) ?? resources;
    // A form begins with the state of the place where it is drawn.
    const inside = { ...state, matrix: composed([a, b, c, d, e, f], state.matrix) };
    this.run(decodePDFRawStream(object).decode(), formResources, inside, depth + 1);
  }
}

/** The operators that end a path, and may paint it. */
const PAINTING = /^([SsFBbn]|[fBb]\*?)$/;

/** The points that an operator adds to a path. */
function pointsOf(operator: string, operands: readonly Operand[]): Point[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbersAmong(operands);
  switch (operator) {
    case 'm':
    case 'l':
      return [[a, b]];
    case 'c':
      return [
        [a, b],
        [c, d],
        [e, f],
      ];
    case 'v':
    case 'y':
      return [
        [a, b],
        [c, d],
      ];
    case 're':
      return [
        [a, b],
        [a + c, b + d],
      ];
    default:
      return [];
  }
}

const numbersAmong = (operands: readonly Operand[]): number[] =>
  operands.filter(operand => typeof operand === 'number');

/** What `TD` and `"` set in the state, beside moving or showing text. */
function alsoSetBy(operator: 'TD' | '"', operands: readonly Operand[]): Partial<State> {
  const [a = 0, b = 0] = numbersAmong(operands);
  return operator === 'TD' ? { leading: -b } : { wordSpace: a, charSpace: b };
}

/** The place of text after an operator has moved it, and before the operator shows any. */
function placedBy(operator: string, operands: readonly Operand[], place: TextPlace, state: State): TextPlace {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbersAmong(operands);
  switch (operator) {
    case 'BT':
      return BEGIN_OF_TEXT;
    case 'Td':
    case 'TD':
      return nextLine(place, a, b);
    case 'Tm':
      return { text: [a, b, c, d, e, f], line: [a, b, c, d, e, f] };
    case 'T*':
    case "'":
    case '"':
      return nextLine(place, 0, -state.leading);
    default:
      return place;
  }
}

/** The text that an operator shows; `undefined` if it shows no text. */
function wordsOf(operator: string, operands: readonly Operand[]): readonly Operand[] | undefined {
  switch (operator) {
    case 'Tj':
      return operands;
    case "'":
    case '"':
      return operands.slice(-1);
    case 'TJ':
      return Array.isArray(operands[0]) ? operands[0] : [];
    default:
      return undefined;
  }
}

const UNIT: Box = { x: 0, y: 0, width: 1, height: 1 };
const SPACE = 32;

const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
