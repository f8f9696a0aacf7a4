// The parts of a page of help.

export type Definition = readonly [term: string, description: string];

/** A paragraph; lines that stay as they are; or terms with their descriptions. */
export type Block = string | { lines: readonly string[] } | { rows: readonly Definition[]; pad?: number };

export interface Section {
  /** The heading without its colon: `Exit codes`. */
  title: string;
  blocks: readonly Block[];
}

/**
 * Sections that are written as text: `# Title`, then blocks with an empty line before each. Lines of `term   description`
 * with three blanks are rows, indented lines stay as they are, and all others are a paragraph.
 */
export const sectionsOf = (text: string): Section[] =>
  text
    .split(/^# /m)
    .slice(1)
    .map(section => {
      const [title = '', ...blocks] = section.trim().split('\n\n');
      return { title, blocks: blocks.map(blockOf) };
    });

/** Rows in such a text, from terms with their descriptions. */
export const rowsOf = (descriptions: Readonly<Record<string, string>>): string =>
  Object.entries(descriptions)
    .map(row => row.join('   '))
    .join('\n');

function blockOf(text: string): Block {
  const lines = text.split('\n');
  if (text.startsWith('  ')) return { lines: lines.map(line => line.slice(2)) };
  const rows = lines.flatMap((line): Definition[] => {
    const [, term, description] = /^(\S.*?) {3,}(\S.*)$/.exec(line) ?? [];
    return term !== undefined && description !== undefined ? [[term, description]] : [];
  });
  return rows.length === lines.length ? { rows } : text;
}

/** The width of the longest term, in characters. */
export const padOf = (rows: readonly Definition[]): number =>
  Math.max(0, ...rows.map(([term]) => term.length));
