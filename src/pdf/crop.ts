// The part of a page that is printed: a rectangle in millimetres, or the box around what is drawn on the page.
import type { PDFDict } from '@cantoo/pdf-lib';
import { type Crop, LEAST_MM, POINTS_PER_MM } from '../paper.ts';
import { drawnBox } from './drawn.ts';
import { type Box, intersection, type Matrix, moved, seenAs, showOnly } from './seen.ts';
import { Unreadable } from './whole.ts';

/** The margin that is left around what is drawn, in mm. */
const MARGIN = 2;

/**
 * Makes a part of a page its visible part. Gives `false` if nobody can tell what is drawn: then the whole page stays visible. Throws
 * `Unreadable`.
 */
export function cropPage(page: PDFDict, crop: Crop): boolean {
  const visible = seenAs(page);
  if (visible === undefined) return false;
  const { size, box, matrix } = visible;
  const toPage = inverse(matrix);
  if (crop === 'auto') {
    const drawn = drawnBox(page);
    if (drawn === undefined) return false;
    const part = intersection(box, withMargin(drawn, toPage));
    if (part === undefined) return false;
    showOnly(page, part);
    return true;
  }
  const points = {
    x: crop.x * POINTS_PER_MM,
    y: size.height - (crop.y + crop.height) * POINTS_PER_MM,
    width: crop.width * POINTS_PER_MM,
    height: crop.height * POINTS_PER_MM,
  };
  const part = intersection(box, moved(points, toPage));
  const [width, height] = [size.width / POINTS_PER_MM, size.height / POINTS_PER_MM];
  // A part that shows only a strip at the edge of the page is no label.
  const isOnPage = crop.x + LEAST_MM <= width && crop.y + LEAST_MM <= height;
  if (part === undefined || !isOnPage) {
    // The fault is in mm, as a person writes the part.
    const fault = { fault: 'crop-empty', part: crop, page: { width, height } } as const;
    throw new Unreadable(fault);
  }
  showOnly(page, part);
  return true;
}

function withMargin(box: Box, toPage: Matrix): Box {
  const { x, y, width, height } = box;
  const unit = moved({ x: 0, y: 0, width: 1, height: 1 }, toPage);
  const [across, upward] = [MARGIN * POINTS_PER_MM * unit.width, MARGIN * POINTS_PER_MM * unit.height];
  return { x: x - across, y: y - upward, width: width + 2 * across, height: height + 2 * upward };
}

function inverse([a, b, c, d, e, f]: Matrix): Matrix {
  const area = a * d - b * c;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}
