// Sections of text as a terminal shows them.
import { wrapped } from '../text.ts';

export type Definition = readonly [term: string, description: string];

/** A paragraph; lines that stay as they are; or terms with their descriptions. */
export type Block = string | { lines: readonly string[] } | { rows: readonly Definition[]; pad?: number };

export interface Section {
  /** The heading without its colon: `Exit codes`. */
  title: string;
  blocks: readonly Block[];
}

const INDENT = 2;
// If less than this is left beside the terms, the descriptions stand below them.
const NARROWEST = 40;
const BELOW = 6;

/** Sections, `width` characters wide; lines that stay as they are may be longer. */
export const asText = (sections: readonly Section[], width: number): string =>
  sections
    .map(({ title, blocks }) => {
      const [first, ...rest] = blocks.map(block => blockText(block, width));
      return [`${wrapped(`${title}:`, width).join('\n')}\n${first ?? ''}`, ...rest].join('\n\n');
    })
    .join('\n\n');

/** The width of the longest term, in characters. */
export const padOf = (rows: readonly Definition[]): number =>
  Math.max(0, ...rows.map(([term]) => term.length));

function blockText(block: Block, width: number): string {
  if (typeof block === 'string') return indented(wrapped(block, width - INDENT), INDENT);
  if ('lines' in block) return indented(block.lines, INDENT);
  const pad = block.pad ?? padOf(block.rows);
  return block.rows.map(row => rowText(row, pad, width)).join('\n');
}

function rowText([term, description]: Definition, pad: number, width: number): string {
  const left = INDENT + pad + 2;
  // Short terms, such as exit codes, need no more room than the indentation of a description below.
  if (width - left < NARROWEST && left > BELOW + INDENT)
    return [
      ...wrapped(term, width - INDENT).map(line => indented([line], INDENT)),
      ...wrapped(description, width - BELOW).map(line => indented([line], BELOW)),
    ].join('\n');
  const [first = '', ...rest] = wrapped(description, width - left);
  return [
    `${' '.repeat(INDENT)}${term.padEnd(pad)}  ${first}`.trimEnd(),
    ...rest.map(line => indented([line], left)),
  ].join('\n');
}

const indented = (lines: readonly string[], by: number): string =>
  lines.map(line => (line === '' ? '' : ' '.repeat(by) + line)).join('\n');
