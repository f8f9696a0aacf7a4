import type { OperationId } from '../contract/operations.ts';
import type { FailureCode } from '../errors.ts';
import type { Section } from './document.ts';

/** What the manual says of a command that can be typed, beside what commander knows of it. */
export interface Page {
  /** The sentence that the page opens with. */
  description: string;
  /**
   * Lines for bash, comments included, that work with the profile `demo` as pasted into an empty folder, and into one
   * where the examples of the other pages were pasted before: each page has keys, profiles and addresses of its own.
   */
  examples: readonly string[];
  /** What is on stdout; a command that only has others shows its help. */
  output?: {
    table: string;
    quiet?: string;
    json?: string;
  };
  /** The operations that it may ask of the service. */
  asks?: readonly OperationId[];
  /** What an exit code means here, where it means more than anywhere or comes from elsewhere than an answer. */
  exits?: Readonly<Partial<Record<FailureCode, string>>>;
  /** What else there is to say. */
  more?: readonly Section[];
}

/** The pages of a file, by the command as it is typed without `waybill`. */
export type Pages = Readonly<Record<string, Page>>;
