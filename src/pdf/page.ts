// Rows of text on pages: a row has cells side by side, each with as many lines as its text needs. A full page is followed by a new one.
import type { PageSize } from '../paper.ts';
import type { Font } from './font.ts';

export const A4: PageSize = { width: 595.28, height: 841.89 };

/** What is drawn on a page; places in points from the lower left corner. */
export type Drawn =
  | { kind: 'text'; text: string; x: number; y: number; size: number; isBold: boolean }
  | { kind: 'rule'; x: number; y: number; width: number; thickness: number };

export interface Page extends PageSize {
  drawn: Drawn[];
}

export interface Cell {
  /** The lines of the cell. A line that is too long is broken. */
  lines: readonly string[];
  /** The share of the page's width that the cell takes. The shares of a row are at most 1 together. */
  share: number;
  isRight?: boolean;
  isBold?: boolean;
}

export interface Pages {
  /**
   * Adds a row with as many lines as its longest cell. It stays on one page if a page has room for it. `size`: letters are that many times
   * as large as usual.
   */
  row(cells: readonly Cell[], size?: number): void;
  /** Draws a line across the page. */
  rule(thickness?: number): void;
  /** Leaves room without text, as high as that many lines. */
  space(lines: number): void;
  /** Begins a new page, unless this page has room for that many lines. */
  keep(lines: number): void;
  /** Gives all pages, each with its number at its foot. `name`: also stands at each foot, as far as there is room. */
  finish(name: string): Page[];
}

const LEADING = 1.35;
/** The gap behind each cell except the last, as a multiple of the size of letters. */
const GAP = 0.9;

/** Creates pages that are filled row by row. `head`: draws the beginning of each page. */
export function createPages(
  font: Font,
  paper: PageSize,
  letters: number,
  head: (pages: Pick<Pages, 'row' | 'rule' | 'space'>) => void,
): Pages {
  const { width, height } = paper;
  const margin = letters + width * 0.04;
  const innerWidth = width - 2 * margin;
  const foot = margin + letters * LEADING;
  const all: Page[] = [];
  let y = 0;
  let isInHead = false;
  const begin = () => {
    all.push({ width, height, drawn: [] });
    y = height - margin;
    isInHead = true;
    head(pages);
    isInHead = false;
  };
  const draw = (drawn: Drawn) => void all.at(-1)?.drawn.push(drawn);
  const hasRoom = (needed: number) => all.length > 0 && y - needed >= foot;
  const pages: Pages = {
    row(cells, size = 1) {
      const points = letters * size;
      const leading = points * LEADING;
      const placed = placedCells(cells, font, points, margin, innerWidth);
      const count = Math.max(...placed.map(({ broken }) => broken.length));
      const needed = count * leading;
      if (!isInHead && !hasRoom(needed)) {
        const fits = needed < (height - margin - foot) * 0.7;
        if (all.length === 0 || fits || !hasRoom(leading)) begin();
      }
      for (let index = 0; index < count; index += 1) {
        // A row that is longer than a page continues on the next page.
        if (!isInHead && !hasRoom(leading)) begin();
        y -= leading;
        for (const { broken, left, room, isRight = false, isBold = false } of placed) {
          const text = broken[index];
          if (text === undefined || text === '') continue;
          const shift = isRight ? room - font.widthOf(text, points) : 0;
          draw({ kind: 'text', text, x: left + shift, y: y + points * 0.25, size: points, isBold });
        }
      }
    },
    rule(thickness = 0.4) {
      draw({ kind: 'rule', x: margin, y: y - letters * 0.2, width: innerWidth, thickness });
      y -= letters * 0.4;
    },
    space(lines) {
      y -= lines * letters * LEADING;
    },
    keep(lines) {
      if (!hasRoom(lines * letters * LEADING)) begin();
    },
    finish(name) {
      const size = letters * 0.85;
      for (const [index, { drawn }] of all.entries()) {
        const text = footText(font, name, `Page ${index + 1} of ${all.length}`, size, innerWidth);
        drawn.push({ kind: 'text', text, x: margin, y: margin - letters * 0.6, size, isBold: false });
      }
      return all;
    },
  };
  return pages;
}

/** The cells of a row, each with its left edge, the width for its text, and its lines broken at that width. */
function placedCells(cells: readonly Cell[], font: Font, points: number, margin: number, innerWidth: number) {
  let left = margin;
  return cells.map((cell, index) => {
    const room = cell.share * innerWidth - (index < cells.length - 1 ? GAP * points : 0);
    const broken = cell.lines.flatMap(line => brokenAt(font, line, points, room));
    const placed = { ...cell, left, room, broken };
    left += cell.share * innerWidth;
    return placed;
  });
}

/** The text at the foot of a page: the name as far as there is room, and the number of the page. */
function footText(font: Font, name: string, number: string, size: number, innerWidth: number): string {
  const [fits] = brokenAt(font, name, size, innerWidth - font.widthOf(`…   ${number}`, size));
  return name === '' ? number : `${fits === name ? name : `${fits}…`}   ${number}`;
}

/** A text as lines of at most that width, broken between words, and within a word that is wider than a line. */
export function brokenAt(font: Font, line: string, size: number, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const end = () => {
    lines.push(current);
    current = '';
    used = 0;
  };
  for (const word of line.split(' ')) {
    const next = current === '' ? word : ` ${word}`;
    const needed = font.widthOf(next, size);
    if (used + needed <= width) {
      current += next;
      used += needed;
      continue;
    }
    if (current !== '') end();
    for (const letter of word) {
      const wide = font.widthOf(letter, size);
      if (current !== '' && used + wide > width) end();
      current += letter;
      used += wide;
    }
  }
  return [...lines, current];
}
