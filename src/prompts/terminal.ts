import { wrapped } from '../text.ts';

/** Where a question is asked. */
export interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Ends a question without an answer. */
  interrupted: AbortSignal;
  /** Resolves when everything that is ready by now has run. */
  turn(): Promise<void>;
}

/** The person left the question: Ctrl-C, Ctrl-D, or a terminal that is gone. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** The text in lines that fit on the terminal, broken at spaces. */
export const fitted = (text: string, { columns }: Pick<NodeJS.WriteStream, 'columns'>): string[] => {
  // Some terminals, as of a container, do not know their width and say 0.
  const width = columns > 0 ? columns : 80;
  return text.split('\n').flatMap(line => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (line.length <= width) return [line];
    return wrapped(line, width - indent.length).map(part => indent + part);
  });
};
