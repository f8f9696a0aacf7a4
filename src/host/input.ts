import { Failure, messageOf } from '../errors.ts';
import { isTerminalAt } from './output.ts';
import { interruption } from './signals.ts';

export interface Input {
  isTerminal: boolean;
  /** Both throw `storage`, and `interrupted` when a signal comes in the meantime. */
  read(): Promise<Uint8Array>;
  chunks(): AsyncIterable<Uint8Array>;
}

let opened: NodeJS.ReadStream | undefined;

/** The stream behind stdin, opened only when it is needed. */
export function stdin(): NodeJS.ReadStream {
  // A terminal that is gone matters only to a reader, who gets the error too.
  opened ??= process.stdin.on('error', () => {});
  return opened;
}

export const openInput = (interrupted: AbortSignal): Input => ({
  get isTerminal() {
    return isTerminalAt(0);
  },
  async read() {
    const chunks: Uint8Array[] = [];
    for await (const chunk of chunksOf(interrupted)) chunks.push(chunk);
    return Buffer.concat(chunks);
  },
  chunks: () => chunksOf(interrupted),
});

async function* chunksOf(interrupted: AbortSignal): AsyncGenerator<Uint8Array> {
  const { addAbortSignal } = await import('node:stream');
  try {
    for await (const chunk of addAbortSignal(interrupted, stdin()))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    if (interrupted.aborted) throw interruption(interrupted, 'nothing was sent');
    throw new Failure('storage', `stdin cannot be read: ${messageOf(error)}; nothing was sent`);
  }
}
