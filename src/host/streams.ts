import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { Failure, messageOf, systemCode } from '../errors.ts';
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

const pipes: Readable[] = [];

/** A pipe with a name. A read of a file that waits for a writer cannot be given up, but that of a socket can. */
export async function openPipe(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipes.push(pipe);
  return pipe;
}

/** For the end of the command: an input that its writer keeps open would keep the process, too. */
export function closeInputs(): void {
  for (const input of [opened, ...pipes]) input?.destroy();
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

export interface Output {
  /** Resolves when the text has left this process. A closed pipe or terminal resolves too; any other error rejects. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Width in characters, if it is a terminal. */
  columns: number | undefined;
}

/** A file or a pipe is written to directly: a stream of Node takes 4 ms to open, a fifth of a whole `--version`. */
export function openOutput(fd: 1 | 2, open: () => NodeJS.WriteStream): Output {
  let opened: NodeJS.WriteStream | undefined;
  let isClosed = false;
  let isDevice: boolean | undefined;
  const stream = () => {
    // Without a listener a write to a closed pipe would end the process in the middle of a booking.
    opened ??= open().on('error', () => {});
    return opened;
  };
  const writesDirectly = () => {
    isDevice ??= isDeviceAt(fd);
    return opened === undefined && !isDevice;
  };
  return {
    get isTerminal() {
      return isTerminalAt(fd);
    },
    get columns() {
      return isTerminalAt(fd) ? stream().columns : undefined;
    },
    write: text =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error | null) => {
          isClosed ||= systemCode(error) === 'EPIPE' || (systemCode(error) === 'EIO' && isDevice === true);
          if (error && !isClosed) reject(error);
          else resolve();
        };
        try {
          const rest = writesDirectly() ? writeNow(fd, Buffer.from(text)) : text;
          if (rest.length > 0) stream().write(rest, finish);
          else resolve();
        } catch (error) {
          finish(error as Error);
        }
      }),
  };
}

/** A file, a pipe and /dev/null are none: no module need be loaded for them. A terminal that is gone still is one. */
function isDeviceAt(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

const isTerminalAt = (fd: number): boolean =>
  isDeviceAt(fd) && process.getBuiltinModule('node:tty').isatty(fd);

/**
 * Closes the streams whose terminal is gone. To be called last: Node resets each terminal when it ends, and aborts the
 * process where that fails.
 */
export function closeLostTerminals(): void {
  for (const fd of [0, 1, 2])
    try {
      if (isDeviceAt(fd) && !isTerminalAt(fd)) closeSync(fd);
    } catch {
      // It is closed already.
    }
}

/** Writes what the system takes without waiting for a slow reader; returns the rest. */
function writeNow(fd: number, bytes: Buffer): Buffer {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    if (systemCode(error) !== 'EAGAIN') throw error;
  }
  return rest;
}
