// Text that is fitted into a box: wrapped, and made smaller until it is all there.

/** In points. */
export interface Box {
  width: number;
  height: number;
}

export interface Fitted {
  /** The size of the font in points. */
  size: number;
  lines: readonly string[];
}

/** From one line to the next, in sizes of the font. */
export const LEADING = 1.2;

const SHRINK = 0.95;

// Thousandths of the size, from space to tilde: the wider of Helvetica and Helvetica-Bold, as Adobe publishes them.
const ASCII_WIDTHS: readonly number[] = (
  '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 ' +
  '584 584 584 611 1015 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 ' +
  '667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 ' +
  '333 611 556 778 556 556 500 389 280 389 584'
)
  .split(' ')
  .map(Number);
const WIDEST = 1015;

// A letter with an accent is as wide as without; what is no letter of ASCII counts as the widest.
const WIDTHS = Array.from({ length: 256 }, (_, code) => {
  const letter = String.fromCharCode(code).normalize('NFD').charCodeAt(0);
  return ASCII_WIDTHS[letter - 32] ?? WIDEST;
});

/** The width of Latin-1 text in thousandths of the size, at most a little more than it is. */
export function widthOf(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) width += WIDTHS[text.charCodeAt(at)] ?? WIDEST;
  return width;
}

/** The lines of Latin-1 in a box: not above `largest` points, and as much smaller as it takes. Nothing is left out. */
export function inBox(lines: readonly string[], { width, height }: Box, largest: number): Fitted {
  // Above it the letters alone have more area than the box.
  const bound = Math.sqrt((width * height * 1000) / (LEADING * widthOf(lines.join('').replaceAll(' ', ''))));
  for (let size = Math.min(largest, bound); ; size *= SHRINK) {
    const wrapped = lines.flatMap(line => wrap(line, (width * 1000) / size));
    if (wrapped.length * size * LEADING <= height) return { size, lines: wrapped };
  }
}

/** Breaks a line between words, and within a word that is wider than a line. */
function wrap(line: string, width: number): string[] {
  const made: string[] = [];
  let current = '';
  let used = 0;
  const flush = () => {
    if (current !== '') made.push(current);
    current = '';
    used = 0;
  };
  for (const word of line.split(' ')) {
    const needed = widthOf(word);
    if (used + widthOf(' ') + needed > width) flush();
    if (current !== '') {
      current += ' ';
      used += widthOf(' ');
    }
    if (used + needed <= width) {
      current += word;
      used += needed;
      continue;
    }
    for (const character of word) {
      if (used + widthOf(character) > width) flush();
      current += character;
      used += widthOf(character);
    }
  }
  flush();
  return made;
}
