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
export const fitted = (text: string, { columns = 80 }: Pick<NodeJS.WriteStream, 'columns'>): string[] =>
  text.split('\n').flatMap(line => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (line.length <= columns) return [line];
    return wrapped(line, columns - indent.length).map(part => indent + part);
  });
