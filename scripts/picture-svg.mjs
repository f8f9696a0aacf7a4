// A screen of a terminal as an SVG: text that can be read and searched, in a window that looks the same on light and dark
// pages.

const CELL = { width: 8.4, height: 19, font: 14 };
const PAD = { side: 18, top: 42, bottom: 16 };
const INK = { back: '#161b22', text: '#d7dde5', frame: '#30363d', button: '#484f58' };
const PALETTE = [
  ...['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#d7dde5'],
  ...['#8b949e', '#ffa198', '#7ee787', '#f2cc60', '#a5d6ff', '#e2c5ff', '#8be3ea', '#f0f6fc'],
];

/** @param {{title: string, columns: number, lines: {column: number, text: string, look: object}[][]}} picture */
export function svg({ title, columns, lines }) {
  const width = Math.ceil(columns * CELL.width + 2 * PAD.side);
  const height = PAD.top + lines.length * CELL.height + PAD.bottom;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${INK.back}" stroke="${INK.frame}"/>`,
    ...[0, 1, 2].map(at => `<circle cx="${PAD.side + 6 + at * 20}" cy="20" r="6" fill="${INK.button}"/>`),
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${CELL.font}" fill="${INK.text}" xml:space="preserve" style="white-space:pre">`,
    ...lines.flatMap((runs, row) => lineOf(runs, PAD.top + row * CELL.height)),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

/** A line of a screen is one text, so that a reader can copy it whole; its runs stand where their cells are. */
function lineOf(runs, top) {
  if (runs.length === 0) return [];
  const boxes = runs.flatMap(({ column, text, look }) =>
    look.back === undefined
      ? []
      : `<rect x="${x(column)}" y="${top}" width="${round(text.length * CELL.width)}" height="${CELL.height}" fill="${look.back}"/>`,
  );
  const spans = runs.map(
    ({ column, text, look }) =>
      `<tspan x="${x(column)}" textLength="${round([...text].length * CELL.width)}"${attributes(look)}>${escaped(text)}</tspan>`,
  );
  return [...boxes, `<text y="${top + 14}">${spans.join('')}</text>`];
}

const attributes = ({ ink, bold, dim, underlined }) =>
  [
    ...(ink === undefined ? [] : [` fill="${ink}"`]),
    ...(bold ? [' font-weight="bold"'] : []),
    ...(dim ? [' fill-opacity="0.65"'] : []),
    ...(underlined ? [' text-decoration="underline"'] : []),
  ].join('');

const round = number => Math.round(number * 10) / 10;
const x = column => round(PAD.side + column * CELL.width);
const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The runs of cells that look the same, of a line of xterm's buffer; blanks at its end are left out. */
export function runsOf(line) {
  const end = line.translateToString(true).trimEnd().length;
  const runs = [];
  for (let column = 0; column < end; column += 1) {
    const cell = line.getCell(column);
    const text = cell.getChars() || ' ';
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (last && JSON.stringify(last.look) === JSON.stringify(look)) last.text += text;
    else runs.push({ column, text, look });
  }
  return runs;
}

function lookOf(cell) {
  const fore = cell.isFgDefault() ? undefined : colorOf(cell.isFgRGB(), cell.getFgColor());
  const back = cell.isBgDefault() ? undefined : colorOf(cell.isBgRGB(), cell.getBgColor());
  const [ink, behind] = cell.isInverse() ? [back ?? INK.back, fore ?? INK.text] : [fore, back];
  return {
    ...(ink !== undefined && { ink }),
    ...(behind !== undefined && { back: behind }),
    ...(cell.isBold() && { bold: true }),
    ...(cell.isDim() && { dim: true }),
    ...(cell.isUnderline() && { underlined: true }),
  };
}

function colorOf(isRgb, color) {
  if (isRgb) return `#${color.toString(16).padStart(6, '0')}`;
  if (color in PALETTE) return PALETTE[color];
  throw new Error(`no color ${color} in the palette of the pictures`);
}
