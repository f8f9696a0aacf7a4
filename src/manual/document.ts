// What a page of the manual is made of; help on a terminal and the man pages are two ways of writing it down.

export type Row = readonly [term: string, description: string];

/** A paragraph; lines that stay as they are; or terms with what is to be said of each. */
export type Block = string | { lines: readonly string[] } | { rows: readonly Row[]; pad?: number };

export interface Section {
  /** As a heading of help reads, without its colon: `Exit codes`. */
  title: string;
  blocks: readonly Block[];
}

/** How wide the terms of a list are, in characters. */
export const padOf = (rows: readonly Row[]): number => Math.max(0, ...rows.map(([term]) => term.length));
