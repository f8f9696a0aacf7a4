// What a person may write about the paper for labels: its size, the part of a page that is cut out, and the line below a label.

/** A size in points: 72 points are an inch. */
export interface PageSize {
  width: number;
  height: number;
}

/** A part of a page, in mm from the upper left corner. */
export interface PagePart extends PageSize {
  x: number;
  y: number;
}

/** The part of a page that is kept. `auto`: the part on which something is drawn. */
export type Crop = 'auto' | PagePart;

export const POINTS_PER_MM = 72 / 25.4;

const MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: 25.4 };

/** The sizes of paper by name, in mm. */
const NAMED: Readonly<Record<string, readonly [width: number, height: number]>> = {
  a4: [210, 297],
  a5: [148, 210],
  a6: [105, 148],
  a7: [74, 105],
  letter: [215.9, 279.4],
};

/** The least and the most length of a side in mm: nothing smaller is a label, and nothing larger a page. */
export const LEAST_MM = 20;
const MOST_MM = 1000;

/** The size that a text such as `100x150mm`, `4x6in` or `a6` means; `undefined` for anything else. */
export function paperIn(text: string): PageSize | undefined {
  const word = text.trim().toLowerCase();
  const [, width, height, unit = 'mm'] = /^(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)(mm|cm|in)?$/.exec(word) ?? [];
  const sides = Object.hasOwn(NAMED, word)
    ? NAMED[word]
    : width !== undefined && height !== undefined
      ? ([Number(width) * (MM[unit] ?? 1), Number(height) * (MM[unit] ?? 1)] as const)
      : undefined;
  if (sides === undefined || sides.some(side => side < LEAST_MM || side > MOST_MM)) return undefined;
  return { width: sides[0] * POINTS_PER_MM, height: sides[1] * POINTS_PER_MM };
}

export const PAPER_RULE = `a size of ${LEAST_MM} to ${MOST_MM} mm such as 100x150mm or 4x6in, or one of ${Object.keys(NAMED).join(', ')}`;

/** `auto`, or `10,20,100x150` in mm from the upper left; `undefined` for anything else, such as a part that is too small for a label. */
export function cropIn(text: string): Crop | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'auto') return 'auto';
  const number = '(\\d+(?:\\.\\d+)?)';
  const [, x, y, width, height] =
    new RegExp(`^${number},${number},${number}x${number}(?:mm)?$`).exec(word) ?? [];
  const part = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
  return part.width >= LEAST_MM && part.height >= LEAST_MM ? part : undefined;
}

export const CROP_RULE = `auto, or X,Y,WxH in mm from the upper left, such as 10,10,100x150, and at least ${LEAST_MM}x${LEAST_MM} mm large`;

const PLACEHOLDER = /\{[^{}]*\}/g;

/** Is the text one line, in which every word in braces stands for something? */
export const isStamp = (text: string): boolean =>
  text.trim() !== '' &&
  !/\p{Cc}/u.test(text) &&
  (text.match(PLACEHOLDER) ?? []).every(word => word === '{key}' || word === '{receiver}');

export const STAMP_RULE = 'one line, in which {key} and {receiver} stand for those of the order';

/** The line below the labels of one order. */
export const stampOf = (stamp: string, order: { key: string; receiver: string }): string =>
  stamp.replace(PLACEHOLDER, word => (word === '{key}' ? order.key : order.receiver)).trim();
