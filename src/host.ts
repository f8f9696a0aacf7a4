import { closeSync, constants, fstatSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { Failure } from './errors.ts';
import { homeFolder } from './host/folder.ts';
import type { Captured, CaptureLimits, Environment, RunOptions } from './host/programs.ts';
import { Aborted, type Entry, type PromptStyle, type Question, type Terminal } from './host/question.ts';
import { deadline, firstSignal, interruption, sleep, turn } from './host/signals.ts';
import type { ThreadCode } from './host/thread.ts';
import { messageOf, systemCode } from './system-errors.ts';

/** Everything outside the program that a command may touch. A test hands in its own. */
export interface Host {
  env: Environment;
  /** The current folder; `undefined` if it was deleted. */
  cwd?: string | undefined;
  /** The home folder of the user; `undefined` if there is none. */
  home?: string | undefined;
  /** The folder of the system for temporary files. */
  temporary: string;
  platform: NodeJS.Platform;
  /** The version of Node, the processor that Node was built for, and the file that was started: the script, or the executable. */
  runtime: { node: string; arch: string; started: string };
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that nobody sets; the clock may stand still while the machine sleeps. */
  monotonic(): number;
  /** Waits. Rejects with the signal's reason when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when everything that is ready by now has run. */
  turn(): Promise<void>;
  /** Calls `late` after `ms` milliseconds, unless the returned function is called before. */
  deadline(ms: number, late: () => void): () => void;
  /** The number that Linux has for the kind of file system at a path; `undefined` where the system does not tell it. */
  fileSystem(path: string): number | undefined;
  /** The user's id, if the platform has one. */
  user?: number;
  /** This process, its user's name if the system knows it, and whether another process of this machine is running. */
  process: { host: string; id: number; user?: string | undefined; exists(id: number): boolean };
  /** A random number from 0 up to but not including 1. */
  random(): number;
  /**
   * Aborted by the first SIGINT, SIGTERM or SIGHUP; its reason is the signal's name. Node forgets which signals its parent had it
   * ignore: SIGHUP ends the command under `nohup`, too.
   */
  interrupted: AbortSignal;
  /**
   * Asks on stderr; `undefined` means that the person wants to go back. Needs a terminal at stdin and stderr, and one
   * question at a time. Throws `interrupted` when the person leaves or a signal comes.
   */
  ask(question: Question, style: PromptStyle): Promise<Entry>;
  /**
   * Runs a program, without a shell, on this process's own streams, and passes a SIGTERM or SIGHUP on to it. Returns its exit code
   * (128 + n after signal n). Rejects if it cannot be started.
   */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<number>;
  /**
   * Runs a program without a shell and without a stdin, and returns what it printed on stdout. Rejects if it cannot be
   * started. Its environment lacks our secrets. Rejects and ends the program, with every process that it started, if it exceeds the limits
   * or a signal comes.
   */
  capture(program: string, args: readonly string[], limits: CaptureLimits): Promise<Captured>;
  /**
   * Has a thread of its own do a job, and gives its answer. Ends the thread, and rejects, if it takes longer than `ms` or more
   * memory than it may, and, as `interrupted`, if a signal comes.
   */
  inThread(thread: ThreadCode, job: unknown, ms: number): Promise<unknown>;
}

/** The host of the running process. */
export function processHost(): Host {
  const interrupted = firstSignal();
  process.on('exit', closeLostTerminals);
  // The code that runs programs takes longer to load than this whole file, and few commands need it.
  const programs = () => import('./host/programs.ts');
  return {
    env: process.env,
    cwd: currentFolder(),
    home: homeFolder(),
    temporary: tmpdir(),
    platform: process.platform,
    runtime: {
      node: process.versions.node,
      arch: process.arch,
      started: process.argv[1] ?? process.execPath,
    },
    stdin: openInput(interrupted),
    stdout: openOutput(1, () => process.stdout),
    stderr: openOutput(2, () => process.stderr),
    now: Date.now,
    // `performance` would be another module of Node to load.
    monotonic: () => process.uptime() * 1000,
    sleep,
    turn,
    deadline,
    fileSystem,
    ...(process.getuid && { user: process.getuid() }),
    process: {
      host: hostname(),
      id: process.pid,
      // The user name is read only when it is needed: some systems ask a server for it.
      get user() {
        return userName();
      },
      exists,
    },
    random: Math.random,
    interrupted,
    ask: (question, style) =>
      ask(question, style, { input: stdin(), output: process.stderr, interrupted, turn }),
    run: async (program, args, options = {}) => (await programs()).run(program, args, options, interrupted),
    capture: async (program, args, limits) => (await programs()).capture(program, args, limits, interrupted),
    inThread: async (thread, job, ms) =>
      (await import('./host/thread.ts')).inThread(thread, job, ms, interrupted),
  };
}

/** Asks with the prompts of that style, which are loaded only now. */
async function ask(question: Question, style: PromptStyle, terminal: Terminal): Promise<Entry> {
  const { interrupted } = terminal;
  const askInStyle =
    style === 'drawn'
      ? (await import('./host/drawn-prompts.ts')).askDrawn
      : (await import('./host/plain-prompts.ts')).askPlain;
  try {
    return await askInStyle(question, terminal);
  } catch (error) {
    if (interrupted.aborted)
      throw interruption(interrupted, { kind: 'stopped-at-question', question: question.message });
    throw error instanceof Aborted ? abortedAt(question) : error;
  }
}

/** The failure of a command at whose question the person left. */
export const abortedAt = (question: Question): Failure =>
  new Failure('interrupted', { kind: 'left-at-question', question: question.message });

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function fileSystem(path: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // Some of these numbers have 32 bits, and Node may give them as negative: `>>> 0` makes them positive.
    return statfsSync(path).type >>> 0;
  } catch {
    // The error is told when a file is opened at this path.
    return undefined;
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without a name.
    return undefined;
  }
}

function exists(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // A process of another user exists too.
    return systemCode(error) === 'EPERM';
  }
}

/** The host with a stdin that can be read only once: a second reader, who would get nothing, gets `usage` thrown. */
export function readOnce(host: Host): Host {
  const { stdin } = host;
  let isRead = false;
  const once = <T>(read: () => T): T => {
    if (isRead) throw new Failure('usage', { kind: 'stdin-named-twice' });
    isRead = true;
    return read();
  };
  return {
    ...host,
    stdin: {
      get isTerminal() {
        return stdin.isTerminal;
      },
      read: async () => once(() => stdin.read()),
      chunks: () => once(() => stdin.chunks()),
    },
  };
}

export interface Input {
  isTerminal: boolean;
  /** Both throw `storage`, and `interrupted` when a signal comes in the meantime. */
  read(): Promise<Uint8Array>;
  chunks(): AsyncIterable<Uint8Array>;
}

let opened: NodeJS.ReadStream | undefined;

/** The stream behind stdin, which is opened only when it is needed. */
export function stdin(): NodeJS.ReadStream {
  // A terminal that is gone matters only to a reader, who gets the error too.
  opened ??= process.stdin.on('error', () => {});
  return opened;
}

const pipes: Readable[] = [];

/** Opens a named pipe as a socket: a read that waits for a writer can be given up for a socket, but not for a file. */
export async function openPipe(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipes.push(pipe);
  return pipe;
}

/** To be called at the end of the command: an input that its writer keeps open would keep this process running. */
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
    if (interrupted.aborted) throw interruption(interrupted);
    throw new Failure('storage', { kind: 'stdin-unreadable', why: messageOf(error) });
  }
}

export interface Output {
  /** Resolves when the text has left this process. A closed pipe or terminal resolves too; any other error rejects. */
  write(text: string): Promise<void>;
  /** Is the pipe or terminal closed, so that nobody gets what is written to it? */
  readonly isClosed?: boolean;
  isTerminal: boolean;
  /** The width of the terminal in characters; `undefined` if the output is none. */
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
    get isClosed() {
      return isClosed;
    },
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

/** Is the output a device, such as a terminal, even one that is gone? A file, a pipe and /dev/null are not: they need no module. */
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
      // The stream is closed already.
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
