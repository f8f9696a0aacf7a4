import type { Reply } from './candidate.ts';

/** How a shell asks, and how it is answered. */
export interface Shell {
  /** What a user loads into the shell, with words on how. */
  script: string;
  /**
   * The words after `waybill` as data, the last one being typed, out of what the script hands over. `undefined` where
   * a file is being named that is none of the command's words.
   */
  read(args: readonly string[]): readonly string[] | undefined;
  /** The answer as the script takes it. */
  write(reply: Reply, args: readonly string[]): string;
}
