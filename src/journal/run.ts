import type { Steps } from './sql.ts';

export interface RunOptions {
  /** A message about a failure says that nothing was sent. */
  beforeSending?: boolean;
  /** All of the steps take effect, or none. */
  atomic?: boolean;
}

/** Runs the steps of a method. Takes a function because steps that fail may be run again. Rejects with `storage`. */
export type Run = <T>(doing: 'read' | 'written', steps: () => Steps<T>, options?: RunOptions) => Promise<T>;
