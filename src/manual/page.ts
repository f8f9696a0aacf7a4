import type { OperationId } from '../contract/operations.ts';
import type { FailureCode } from '../errors.ts';
import type { Section } from './document.ts';

/** The page of a command: what the manual adds to what commander knows about it. */
export interface Page {
  /** The first sentence of the page. */
  description: string;
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
  /** Further sections. */
  more?: readonly Section[];
}

/** The pages of a file, by the command as it is typed without `waybill`. */
export type Pages = Readonly<Record<string, Page>>;
