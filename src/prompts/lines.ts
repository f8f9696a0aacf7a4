import { StringDecoder } from 'node:string_decoder';
import { Aborted, type Terminal } from './terminal.ts';

// By hand and not with node:readline: a secret is typed in raw mode, for which readline would have to be opened again,
// and two readers of one terminal take lines from each other.

/** Gives the next line that is typed. Lines that come too early wait for the next question. Throws `Aborted`. */
type LineReader = () => Promise<string>;

// Enter; in raw mode also Ctrl-C and Ctrl-D, which the terminal handles itself otherwise.
const END = /[\r\n\x03\x04]/;

const readers = new WeakMap<NodeJS.ReadStream, LineReader>();

/** The one reader of a terminal. */
export function lineReader(terminal: Terminal): LineReader {
  const lines = readers.get(terminal.input) ?? createLineReader(terminal);
  readers.set(terminal.input, lines);
  return lines;
}

function createLineReader({ input, interrupted }: Terminal): LineReader {
  const decoder = new StringDecoder('utf8');
  let text = '';

  function take(): string | undefined {
    const end = END.exec(text);
    if (end === null) return undefined;
    const line = text.slice(0, end.index);
    text = text.slice(end.index + end[0].length);
    if (/[\x03\x04]/.test(end[0])) throw new Aborted();
    return applyBackspaces(line);
  }

  const read = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const settle = (how: () => void) => {
        input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
        interrupted.removeEventListener('abort', onEnd);
        input.pause();
        how();
      };
      const onEnd = () => settle(() => reject(new Aborted()));
      const onData = (chunk: Buffer) => {
        text += decoder.write(chunk);
        try {
          const line = take();
          if (line !== undefined) settle(() => resolve(line));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      input.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', onEnd);
      interrupted.addEventListener('abort', onEnd);
      input.resume();
    });

  return async () => {
    if (interrupted.aborted) throw new Aborted();
    const waiting = take();
    if (waiting !== undefined) return waiting;
    if (input.readableEnded || input.destroyed) throw new Aborted();
    return read();
  };
}

/** A line that was typed in raw mode holds its backspaces. */
function applyBackspaces(line: string): string {
  const typed: string[] = [];
  for (const character of line) {
    if (character === '\b' || character === '\x7f') typed.pop();
    else typed.push(character);
  }
  return typed.join('');
}
