import { type Block, padOf, type Row, type Section } from './document.ts';

const INDENT = 2;
// Where less than this is left, wrapping would make a column of single words.
const NARROWEST = 40;

/** Sections as help shows them, `width` characters wide; lines that stay as they are may be longer. */
export const asText = (sections: readonly Section[], width: number): string =>
  sections
    .map(({ title, blocks }) => {
      const [first, ...rest] = blocks.map(block => blockText(block, width));
      return [`${title}:\n${first ?? ''}`, ...rest].join('\n\n');
    })
    .join('\n\n');

function blockText(block: Block, width: number): string {
  if (typeof block === 'string') return indented(wrapped(block, width - INDENT), INDENT);
  if ('lines' in block) return indented(block.lines, INDENT);
  const pad = block.pad ?? padOf(block.rows);
  return block.rows.map(row => rowText(row, pad, width)).join('\n');
}

function rowText([term, says]: Row, pad: number, width: number): string {
  const left = INDENT + pad + 2;
  const lines = width - left < NARROWEST ? [says] : wrapped(says, width - left);
  const [first = '', ...rest] = lines;
  return [
    `${' '.repeat(INDENT)}${term.padEnd(pad)}  ${first}`.trimEnd(),
    ...rest.map(line => indented([line], left)),
  ].join('\n');
}

const indented = (lines: readonly string[], by: number): string =>
  lines.map(line => (line === '' ? '' : ' '.repeat(by) + line)).join('\n');

/** The lines of a paragraph; a word that is longer than a line has one of its own. */
export function wrapped(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/).filter(Boolean)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
