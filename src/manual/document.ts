// The parts of a page of the manual. Help on a terminal and man pages are two ways to write it.

export type Definition = readonly [term: string, description: string];

/** A paragraph; lines that stay as they are; or terms with their descriptions. */
export type Block = string | { lines: readonly string[] } | { rows: readonly Definition[]; pad?: number };

export interface Section {
  /** The heading without its colon: `Exit codes`. */
  title: string;
  blocks: readonly Block[];
}

/** The width of the longest term, in characters. */
export const padOf = (rows: readonly Definition[]): number =>
  Math.max(0, ...rows.map(([term]) => term.length));
