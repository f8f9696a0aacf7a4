// What the help of a command says besides its description and its options.
import type { Command } from 'commander';
import type { OperationId } from '../contract/operations.ts';
import type { FailureCode } from '../errors.ts';

export interface Page {
  /**
   * Lines for bash with comments. Pasted into an empty folder they work with the profile `demo`, also after the examples
   * of all other pages: each page has keys, profiles and addresses of its own.
   */
  examples: readonly string[];
  /** What is on stdout; left out for a group of commands, which shows its help. */
  output?: {
    table: string;
    quiet?: string;
    json?: string;
  };
  /** The operations that it may send to the service. */
  asks?: readonly OperationId[];
  /** The meaning of an exit code for this command, if it is more than the general one. */
  exits?: Readonly<Partial<Record<FailureCode, string>>>;
  /** More sections, as Markdown: `## Title`, and below it paragraphs, lists and tables. */
  notes?: string;
}

const pages = new WeakMap<Command, Page>();

export function addPage(command: Command, page: Page): Command {
  pages.set(command, page);
  return command;
}

export const pageOf = (command: Command): Page | undefined => pages.get(command);

/** The output of a command that only writes. */
export const SILENT: Page['output'] & object = { table: 'nothing; a note on stderr says what was done' };

/** Terms with their descriptions, for notes. */
export const markdownTable = (rows: readonly (readonly [term: string, description: string])[]): string =>
  [
    '| | |',
    '|---|---|',
    ...rows.map(row => `| ${row.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n');
