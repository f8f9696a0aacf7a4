/** Where a question is asked. */
export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Ends a question without an answer. */
  interrupted: AbortSignal;
  /** Resolves when everything that is ready by now has had its turn. */
  turn(): Promise<void>;
}

/** The person went away from the question: Ctrl-C, Ctrl-D, or a terminal that is gone. */
export class Aborted extends Error {
  override readonly name = 'Left';
}
