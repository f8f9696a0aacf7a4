import type { Reply } from './candidate.ts';

/** How a shell asks for completion, and how it is answered. */
export interface Shell {
  /** The script for the shell, with comments that explain how to install it. */
  script: string;
  /**
   * The words after `waybill`, the last one being typed, from the arguments of the script. `undefined` if the file of a
   * redirection is being typed.
   */
  read(args: readonly string[]): readonly string[] | undefined;
  /** The answer in the form that the script reads. */
  write(reply: Reply, args: readonly string[]): string;
}
