// What operators of a page set before something is drawn: place, width of lines, font, and whether the colour is white.
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFStream } from '@cantoo/pdf-lib';
import type { Operand } from './operators.ts';
import { composed, type Matrix, numbersIn } from './seen.ts';

const name = PDFName.of;

export const UNMOVED: Matrix = [1, 0, 0, 1, 0, 0];

/** The graphics state: what the operators of a page have set. */
export interface State {
  matrix: Matrix;
  fill: Colour;
  stroke: Colour;
  /** May white be seen on white? A blend mode or a transfer function may turn white into another colour. */
  isWhiteChanged: boolean;
  lineWidth: number;
  font: Font | undefined;
  fontSize: number;
  charSpace: number;
  wordSpace: number;
  scale: number;
  leading: number;
  rise: number;
  isInvisible: boolean;
  /** Are the outlines of letters drawn, too? Then letters are wider, by the width of a line. */
  isOutlined: boolean;
}

interface Colour {
  /** The operands that are white in this colour space; `undefined` if no operands are known to be white. */
  white: White | undefined;
  isWhite: boolean;
}

type White = readonly number[];

/** The widths of letters by their codes, in thousandths of the font size. `bytes`: how many bytes a code has. */
export interface Font {
  bytes: 1 | 2;
  widthOf(code: number): number;
}

const [GREY, RGB, CMYK]: readonly [White, White, White] = [[1], [1, 1, 1], [0, 0, 0, 0]];

const BLACK: Colour = { white: GREY, isWhite: false };

export const BEGIN: State = {
  matrix: UNMOVED,
  fill: BLACK,
  stroke: BLACK,
  isWhiteChanged: false,
  lineWidth: 1,
  font: undefined,
  fontSize: 0,
  charSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  rise: 0,
  isInvisible: false,
  isOutlined: false,
};

const SETTERS: ReadonlyMap<string, (value: number) => Partial<State>> = new Map<
  string,
  (value: number) => Partial<State>
>([
  ['w', lineWidth => ({ lineWidth })],
  ['Tc', charSpace => ({ charSpace })],
  ['Tw', wordSpace => ({ wordSpace })],
  ['Tz', percent => ({ scale: percent / 100 })],
  ['TL', leading => ({ leading })],
  ['Ts', rise => ({ rise })],
  ['Tr', mode => ({ isInvisible: mode === 3 || mode === 7, isOutlined: [1, 2, 5, 6].includes(mode) })],
]);

/** The state after an operator; the same object if the operator sets nothing. */
export function changed(
  state: State,
  operator: string,
  operands: readonly Operand[],
  resources: PDFObject | undefined,
): State {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = operands.filter(operand => typeof operand === 'number');
  const fill = coloured(state.fill, operator, operands, resources);
  if (fill !== undefined) return { ...state, fill };
  // An operator for strokes has the name of the operator for fills, in capitals.
  const stroke =
    operator === operator.toUpperCase()
      ? coloured(state.stroke, operator.toLowerCase(), operands, resources)
      : undefined;
  if (stroke !== undefined) return { ...state, stroke };
  switch (operator) {
    case 'cm':
      return { ...state, matrix: composed([a, b, c, d, e, f], state.matrix) };
    case 'Tf':
      return {
        ...state,
        font: fontOf(resourceAt(resources, 'Font', String(operands[0]))),
        fontSize: a,
      };
    case 'gs':
      return { ...state, ...setBy(resourceAt(resources, 'ExtGState', String(operands[0]))) };
    default:
      return { ...state, ...SETTERS.get(operator)?.(a) };
  }
}

export function resourceAt(
  resources: PDFObject | undefined,
  kind: string,
  key: string,
): PDFObject | undefined {
  const dictionary = resources instanceof PDFDict ? resources.lookup(name(kind)) : undefined;
  return dictionary instanceof PDFDict ? dictionary.lookup(name(key)) : undefined;
}

/** What a graphics state dictionary sets in the state. */
function setBy(settings: PDFObject | undefined): Partial<State> {
  if (!(settings instanceof PDFDict)) return {};
  const width = settings.lookup(name('LW'));
  const font = settings.lookup(name('Font'));
  const size = font instanceof PDFArray ? font.lookup(1) : undefined;
  const blend = settings.lookup(name('BM'));
  // Other blend modes leave white on white as it is.
  const isInverted = blend !== undefined && /Difference|Exclusion/.test(blend.toString());
  const transfers = ['TR', 'TR2'].map(key => settings.lookup(name(key)));
  const isTransferred = transfers.some(value => value && !/^\/(Identity|Default)$/.test(value.toString()));
  return {
    ...(width instanceof PDFNumber && { lineWidth: width.asNumber() }),
    ...(font instanceof PDFArray && {
      font: fontOf(font.lookup(0)),
      fontSize: size instanceof PDFNumber ? size.asNumber() : 0,
    }),
    ...((isInverted || isTransferred) && { isWhiteChanged: true }),
  };
}

// Colours. White leaves no ink on paper. In some colour spaces white is 1, in others 1 is full ink.

/** The colour after an operator for fills; `undefined` if the operator sets no colour. */
function coloured(
  colour: Colour,
  operator: string,
  operands: readonly Operand[],
  resources: PDFObject | undefined,
): Colour | undefined {
  const colourIn = (space: White | undefined): Colour => ({
    white: space,
    isWhite: space?.length === operands.length && space.every((value, index) => value === operands[index]),
  });
  switch (operator) {
    case 'g':
      return colourIn(whiteNamed('DeviceGray', resources));
    case 'rg':
      return colourIn(whiteNamed('DeviceRGB', resources));
    case 'k':
      return colourIn(whiteNamed('DeviceCMYK', resources));
    case 'cs':
      return { white: whiteNamed(String(operands[0]), resources), isWhite: false };
    case 'sc':
    case 'scn':
      return colourIn(colour.white);
    default:
      return undefined;
  }
}

/** The colour spaces that every page has, and the name of the space that a page may have in place of each. */
const DEVICE_SPACES: ReadonlyMap<string, { white: White; instead: string }> = new Map([
  ['DeviceGray', { white: GREY, instead: 'DefaultGray' }],
  ['DeviceRGB', { white: RGB, instead: 'DefaultRGB' }],
  ['DeviceCMYK', { white: CMYK, instead: 'DefaultCMYK' }],
]);

function whiteNamed(key: string, resources: PDFObject | undefined): White | undefined {
  const device = DEVICE_SPACES.get(key);
  const space = resourceAt(resources, 'ColorSpace', device?.instead ?? key);
  return space === undefined ? device?.white : whiteOf(space);
}

function whiteOf(space: PDFObject): White | undefined {
  const [kind, profile] = space instanceof PDFArray ? [space.lookup(0), space.lookup(1)] : [space, undefined];
  if (!(kind instanceof PDFName)) return undefined;
  switch (kind.decodeText()) {
    case 'CalGray':
      return GREY;
    case 'CalRGB':
      return RGB;
    case 'ICCBased':
      return profile instanceof PDFStream ? whiteOfProfile(profile.dict) : undefined;
    default:
      return DEVICE_SPACES.get(kind.decodeText())?.white;
  }
}

/** The white of a colour profile, by how many components it has; `undefined` if their range is not 0 to 1. */
function whiteOfProfile(profile: PDFDict): White | undefined {
  const count = profile.lookup(name('N'));
  if (!(count instanceof PDFNumber) || profile.has(name('Range'))) return undefined;
  return [GREY, RGB, CMYK].find(({ length }) => length === count.asNumber());
}

// Fonts.

/** The font in a dictionary; `undefined` if nobody can tell the places of its letters. */
function fontOf(font: PDFObject | undefined): Font | undefined {
  if (!(font instanceof PDFDict)) return undefined;
  const kind = font.lookup(name('Subtype'));
  const isOf = (type: string) => kind instanceof PDFName && kind.decodeText() === type;
  // The letters of a Type3 font are drawings of any size.
  if (isOf('Type3')) return undefined;
  if (isOf('Type0')) {
    const encoding = font.lookup(name('Encoding'));
    // The letters of a font with a vertical encoding stand below one another.
    if (encoding instanceof PDFName && /(^|-)V$/.test(encoding.decodeText())) return undefined;
    const widths = widthsOfCodes(font);
    return { bytes: 2, widthOf: code => widths.get(code) ?? WIDE };
  }
  const widths = numbersIn(font.lookup(name('Widths')), font.context);
  const first = font.lookup(name('FirstChar'));
  const from = first instanceof PDFNumber ? first.asNumber() : 0;
  return { bytes: 1, widthOf: code => widths?.[code - from] ?? WIDE };
}

/** The width of a letter whose font does not give it: as wide as the font size. */
const WIDE = 1000;

/** The widths of the array `W` of a font: `first [width …]`, or `first last width`. */
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
