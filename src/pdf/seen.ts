// A page of a label as a viewer shows it: its visible part, its form fields and notes, and the layers that are on.
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import type { PageSize } from '../paper.ts';
import { Unreadable } from './whole.ts';

const name = PDFName.of;

/** A rectangle, in points from the lower left. */
export interface Box extends PageSize {
  x: number;
  y: number;
}

/** The matrix of an operator `cm`: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The matrix that first moves by `inner`, and then by `outer`. */
export function composed(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** The upright box around a box that a matrix has moved. */
export function moved(box: Box, [a, b, c, d, e, f]: Matrix): Box {
  const { x, y, width, height } = box;
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ] as const;
  const across = corners.map(([left, up]) => a * left + c * up + e);
  const upward = corners.map(([left, up]) => b * left + d * up + f);
  const [left, bottom] = [Math.min(...across), Math.min(...upward)];
  return { x: left, y: bottom, width: Math.max(...across) - left, height: Math.max(...upward) - bottom };
}

export function numbersIn(value: PDFObject | undefined, context: PDFContext): number[] | undefined {
  if (!(value instanceof PDFArray)) return undefined;
  const numbers = value.asArray().map(part => context.lookup(part));
  return numbers.every(part => part instanceof PDFNumber) ? numbers.map(part => part.asNumber()) : undefined;
}

function boxAt(page: PDFDict, key: string): Box | undefined {
  const [x1, y1, x2, y2] = numbersIn(page.lookup(name(key)), page.context) ?? [];
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined;
  const [x, y] = [Math.min(x1, x2), Math.min(y1, y2)];
  return { x, y, width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

/** The part that two boxes share; `undefined` if they share none. */
export function intersection(first: Box, second: Box): Box | undefined {
  const [x, y] = [Math.max(first.x, second.x), Math.max(first.y, second.y)];
  const width = Math.min(first.x + first.width, second.x + second.width) - x;
  const height = Math.min(first.y + first.height, second.y + second.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The visible part of a page, in units of the page; `undefined` if the page does not give its size. */
export function visibleBox(page: PDFDict): Box | undefined {
  const media = boxAt(page, 'MediaBox');
  const crop = boxAt(page, 'CropBox');
  return (media && crop && intersection(media, crop)) ?? media;
}

/** Makes a box, in units of the page, the whole page: some programs print the whole `MediaBox`, and not only what a viewer shows. */
export function showOnly(page: PDFDict, box: Box): void {
  const { x, y, width, height } = box;
  for (const key of ['MediaBox', 'CropBox'])
    page.set(name(key), page.context.obj([x, y, x + width, y + height]));
  // These boxes, which say where paper is cut, would reach beyond the new page.
  for (const key of ['TrimBox', 'BleedBox', 'ArtBox']) page.delete(name(key));
}

const turnsOf = (page: PDFDict): number => {
  const turned = page.lookup(name('Rotate'));
  return turned instanceof PDFNumber ? (((turned.asNumber() / 90) % 4) + 4) % 4 : 0;
};

/** How many points a unit of the page has. */
function unitOf(page: PDFDict): number {
  const unit = page.lookup(name('UserUnit'));
  return unit instanceof PDFNumber && unit.asNumber() > 0 ? unit.asNumber() : 1;
}

/** A page as a viewer shows it: its size, and the matrix that moves units of the page, so that its visible lower left corner is at 0, 0. */
export interface Seen {
  size: PageSize;
  /** The visible part, in units of the page. */
  box: Box;
  matrix: Matrix;
}

/** How a viewer shows a page; `undefined`: the page does not give its size. */
export function seenAs(page: PDFDict): Seen | undefined {
  const box = visibleBox(page);
  if (box === undefined) return undefined;
  const unit = unitOf(page);
  const [left, bottom] = [box.x * unit, box.y * unit];
  const [right, top] = [left + box.width * unit, bottom + box.height * unit];
  const upright = { width: right - left, height: top - bottom };
  const lying = { width: upright.height, height: upright.width };
  switch (turnsOf(page)) {
    case 1:
      return { size: lying, box, matrix: [0, -unit, unit, 0, -bottom, right] };
    case 2:
      return { size: upright, box, matrix: [-unit, 0, 0, -unit, right, top] };
    case 3:
      return { size: lying, box, matrix: [0, unit, -unit, 0, top, -left] };
    default:
      return { size: upright, box, matrix: [unit, 0, 0, unit, -left, -bottom] };
  }
}

// Form fields and notes, which are drawn into their page: a copied page has no form any more that would show its fields.

const HIDDEN = 2;
const NOT_SEEN = 32;

/** Kinds of notes without a picture of their own: what a viewer shows of them is no part of the label. */
const UNSEEN: readonly string[] = [
  'Link',
  'Popup',
  'Text',
  'FileAttachment',
  'Screen',
  'Movie',
  'Sound',
  '3D',
];

/** Draws the form fields and notes of a page into the page. Throws `Unreadable` if only a viewer could draw one of them. */
export function flatten(page: PDFDict): void {
  const { context } = page;
  const notes = page.lookup(name('Annots'));
  page.delete(name('Annots'));
  if (!(notes instanceof PDFArray) || notes.size() === 0) return;
  const pictures: Record<string, PDFRef> = {};
  const drawn: string[] = [];
  for (const note of notes.asArray().map(part => context.lookup(part))) {
    if (!(note instanceof PDFDict) || isHidden(note)) continue;
    const appearance = appearanceOf(note);
    const rectangle = boxAt(note, 'Rect');
    if (appearance === undefined) {
      if (isShownWithout(note)) throw new Unreadable({ fault: 'form-undrawn' });
      continue;
    }
    const box = boxAt(appearance.dict, 'BBox');
    if (rectangle === undefined || box === undefined || rectangle.width === 0 || rectangle.height === 0)
      continue;
    const layer = note.get(name('OC'));
    if (layer && !appearance.dict.has(name('OC'))) appearance.dict.set(name('OC'), layer);
    appearance.dict.set(name('Type'), name('XObject'));
    appearance.dict.set(name('Subtype'), name('Form'));
    const picture = `WaybillNote${drawn.length}`;
    pictures[picture] = context.getObjectRef(appearance) ?? context.register(appearance);
    drawn.push(`q ${matrixOperands(intoRectangle(appearance.dict, box, rectangle))} cm /${picture} Do Q`);
  }
  if (drawn.length > 0) drawOnTop(page, pictures, drawn.join('\n'));
}

export const matrixOperands = (matrix: Matrix): string => matrix.map(value => value.toFixed(5)).join(' ');

function isHidden(note: PDFDict): boolean {
  const flags = note.lookup(name('F'));
  return flags instanceof PDFNumber && (flags.asNumber() & (HIDDEN | NOT_SEEN)) !== 0;
}

/** The picture of a note; if there is one for each state, the picture for the present state. */
function appearanceOf(note: PDFDict): PDFStream | undefined {
  const appearances = note.lookup(name('AP'));
  const normal = appearances instanceof PDFDict ? appearances.lookup(name('N')) : undefined;
  if (normal instanceof PDFStream) return normal;
  const state = note.lookup(name('AS'));
  if (!(normal instanceof PDFDict) || !(state instanceof PDFName)) return undefined;
  const picture = normal.lookup(state);
  return picture instanceof PDFStream ? picture : undefined;
}

/** Would a viewer show a note that has no picture, such as the text of a field? */
function isShownWithout(note: PDFDict): boolean {
  const kind = note.lookup(name('Subtype'));
  if (!(kind instanceof PDFName)) return false;
  if (kind.decodeText() !== 'Widget') return !UNSEEN.includes(kind.decodeText());
  // A button that has no picture for its state is off, and shows nothing.
  const type = inherited(note, 'FT');
  const isButton = type instanceof PDFName && ['Btn', 'Sig'].includes(type.decodeText());
  const value = inherited(note, 'V');
  return !isButton && value !== undefined && !/^\(\s*\)$|^<\s*>$/.test(value.toString());
}

/** The value that a field, or a field above it, has for a key. */
function inherited(field: PDFDict, key: string): PDFObject | undefined {
  const visited = new Set<PDFDict>();
  for (let at: PDFObject | undefined = field; at instanceof PDFDict && !visited.has(at); ) {
    const value = at.lookup(name(key));
    if (value !== undefined) return value;
    visited.add(at);
    at = at.lookup(name('Parent'));
  }
  return undefined;
}

/** The matrix that draws a picture into the rectangle of its note. */
function intoRectangle(picture: PDFDict, box: Box, rectangle: Box): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] =
    numbersIn(picture.lookup(name('Matrix')), picture.context) ?? [];
  const around = moved(box, [a, b, c, d, e, f]);
  const [across, upward] = [
    around.width === 0 ? 1 : rectangle.width / around.width,
    around.height === 0 ? 1 : rectangle.height / around.height,
  ];
  return [across, 0, 0, upward, rectangle.x - around.x * across, rectangle.y - around.y * upward];
}

/** Adds operators behind those of a page, unaffected by what those have set. */
function drawOnTop(page: PDFDict, pictures: Readonly<Record<string, PDFRef>>, drawing: string): void {
  const { context } = page;
  const resources = ownDict(page, 'Resources');
  const known = ownDict(resources, 'XObject');
  for (const [picture, ref] of Object.entries(pictures)) known.set(name(picture), ref);
  const before = page.lookup(name('Contents'));
  const parts =
    before instanceof PDFArray
      ? before.asArray()
      : ([page.get(name('Contents'))].filter(Boolean) as PDFRef[]);
  const stream = (text: string) => context.register(context.flateStream(text));
  page.set(name('Contents'), context.obj([stream('q\n'), ...parts, stream(`\nQ\n${drawing}\n`)]));
}

/** A copy of a dictionary for one owner: pages may share the same dictionary. */
function ownDict(owner: PDFDict, key: string): PDFDict {
  const before = owner.lookup(name(key));
  const copy = before instanceof PDFDict ? before.clone(owner.context) : owner.context.obj({});
  owner.set(name(key), copy);
  return copy;
}

// Layers of a file, some of which may be off.

/** The layers of labels, and those of them that are off. */
export interface Layers {
  all: PDFRef[];
  off: PDFRef[];
}

/** The layers of a file, on or off as when a viewer opens the file. */
export function layersOf(catalog: PDFDict): Layers {
  const properties = catalog.lookup(name('OCProperties'));
  const usual = properties instanceof PDFDict ? properties.lookup(name('D')) : undefined;
  if (!(properties instanceof PDFDict)) return { all: [], off: [] };
  const layers = refsIn(properties, 'OCGs');
  if (!(usual instanceof PDFDict)) return { all: layers, off: [] };
  const [on, off] = [refsIn(usual, 'ON'), refsIn(usual, 'OFF')];
  const base = usual.lookup(name('BaseState'));
  const isOff = base instanceof PDFName && base.decodeText() === 'OFF';
  return { all: layers, off: isOff ? layers.filter(layer => !on.includes(layer)) : off };
}

const refsIn = (dict: PDFDict, key: string): PDFRef[] => {
  const list = dict.lookup(name(key));
  return list instanceof PDFArray ? list.asArray().filter(part => part instanceof PDFRef) : [];
};

/** The contents of a page as one stream of operators. Throws if a part cannot be unpacked. */
export function operatorsOf(page: PDFDict, decode: (stream: PDFRawStream) => Uint8Array): Uint8Array {
  const contents = page.lookup(name('Contents'));
  const streams = contents instanceof PDFArray ? contents.asArray() : [contents];
  const parts = streams.flatMap(part => {
    const stream = part && page.context.lookup(part);
    return stream instanceof PDFRawStream ? [Buffer.from(decode(stream)), Buffer.from('\n')] : [];
  });
  return Buffer.concat(parts);
}
