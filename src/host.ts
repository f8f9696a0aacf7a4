import { setMaxListeners } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import { constants, homedir, hostname, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, messageOf, systemCode } from './errors.ts';
import type { Captured, CaptureLimits } from './host/capture.ts';
import type { Answer, PromptStyle, Question } from './prompts/question.ts';
import { Aborted, type Terminal } from './prompts/terminal.ts';

export interface Output {
  /** Resolves when the text has left this process; a closed pipe counts as left, any other fault rejects. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Width in characters, where it is a terminal. */
  columns: number | undefined;
}

/** All that a command may touch. A test hands in its own. */
export interface Host {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  platform: NodeJS.Platform;
  /** Both throw `storage`, and `interrupted` when somebody wants to leave in the meantime. */
  stdin: { isTerminal: boolean; read(): Promise<Uint8Array>; chunks(): AsyncIterable<Uint8Array> };
  stdout: Output;
  stderr: Output;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when everything that is ready by now has had its turn. */
  turn(): Promise<void>;
  /** Calls `late` after that many ms, unless what it gives is called before. */
  deadline(ms: number, late: () => void): () => void;
  /** The user's id, where the platform has such. */
  user?: number;
  /** This process, its user's name where the system tells it, and whether another one of this machine is there. */
  process: { host: string; id: number; user?: string | undefined; exists(id: number): boolean };
  /** From 0 up to but not including 1. */
  random(): number;
  /** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. */
  interrupted: AbortSignal;
  /**
   * Asks on stderr, and gives `undefined` for a person who wants to go back. Only where stdin and stderr are terminals.
   * Throws `interrupted` when the person leaves, or a signal comes. One question at a time.
   */
  ask(question: Question, manner: PromptStyle): Promise<Answer>;
  /**
   * Runs a program, without a shell, on this process's own streams; gives its exit code (128 + n after signal n).
   * A SIGTERM for us is one for it too.
   * Rejects where it cannot be started.
   */
  run(program: string, args: readonly string[], env: Host['env']): Promise<number>;
  /**
   * Runs a program without a shell and without a stdin, and gives what it printed on stdout. Rejects where it cannot be
   * started, and where it goes beyond the limits or somebody wants to leave: it is ended then, with all that it started.
   */
  capture(program: string, args: readonly string[], limits: CaptureLimits): Promise<Captured>;
}

/** What `interrupted` is as a failure. */
export function interruption(interrupted: AbortSignal, consequence: string): Failure {
  const signal = String(interrupted.reason);
  return new Failure('interrupted', `stopped by ${signal}; ${consequence}`, {
    exitCode: signal === 'SIGTERM' ? 143 : 130,
  });
}

/** What it is when a person leaves in place of answering. */
export const leaving = ({ message }: Question): Failure =>
  new Failure('interrupted', `left at the question ${JSON.stringify(message)}; nothing was sent`);

// Past this many milliseconds a timer of Node goes off at once: a booking would time out before it was answered.
const LONGEST_TIMER = 2 ** 31 - 1;

/** The host of the running process. */
export function processHost(): Host {
  const interrupted = firstSignal();
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: {
      get isTerminal() {
        return isTerminalAt(0);
      },
      async read() {
        const chunks: Uint8Array[] = [];
        for await (const chunk of chunksOf(stdin(), interrupted)) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
      chunks: () => chunksOf(stdin(), interrupted),
    },
    stdout: output(1, () => process.stdout),
    stderr: output(2, () => process.stderr),
    now: Date.now,
    sleep: (ms, signal) => delay(Math.min(ms, LONGEST_TIMER), undefined, { ...(signal && { signal }) }),
    turn,
    deadline,
    ...(process.getuid && { user: process.getuid() }),
    process: {
      host: hostname(),
      id: process.pid,
      // Asked for only where it is written down: some systems ask a server for it.
      get user() {
        return userName();
      },
      exists,
    },
    random: Math.random,
    interrupted,
    ask: (question, manner) =>
      ask(question, manner, { input: stdin(), output: process.stderr, interrupted, turn }),
    run: (program, args, env) => run(program, args, env, interrupted),
    capture: (program, args, limits) => capture(program, args, limits, interrupted),
  };
}

// Whoever reads is told of a terminal that is gone; where nobody does, it is no reason to end.
const stdin = lazy(() => process.stdin.on('error', () => {}));

function deadline(ms: number, late: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  // What arrived while the process stood still, stopped or starved, is read before anything is late.
  const timer = setTimeout(
    () => {
      soon = setImmediate(late);
    },
    Math.min(ms, LONGEST_TIMER),
  );
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return undefined;
  }
}

function exists(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // Somebody else's process is there too.
    return systemCode(error) === 'EPERM';
  }
}

async function* chunksOf(stream: Readable, interrupted: AbortSignal): AsyncGenerator<Uint8Array> {
  const { addAbortSignal } = await import('node:stream');
  try {
    for await (const chunk of addAbortSignal(interrupted, stream))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    if (interrupted.aborted) throw interruption(interrupted, 'nothing was sent');
    throw new Failure('storage', `stdin cannot be read: ${messageOf(error)}; nothing was sent`);
  }
}

/** A file or a pipe is written to directly: a stream of Node takes 4 ms to open, a fifth of a whole `--version`. */
function output(fd: 1 | 2, open: () => NodeJS.WriteStream): Output {
  let opened: NodeJS.WriteStream | undefined;
  let closed = false;
  const stream = () => {
    // Without a listener a write to a closed pipe would end the process in the middle of a booking.
    opened ??= open().on('error', () => {});
    return opened;
  };
  const isDevice = lazy(() => isDeviceAt(fd));
  return {
    get isTerminal() {
      return isTerminalAt(fd);
    },
    get columns() {
      return isTerminalAt(fd) ? stream().columns : undefined;
    },
    write: text =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error | null) => {
          closed ||= systemCode(error) === 'EPIPE';
          if (error && !closed) reject(error);
          else resolve();
        };
        try {
          const left = opened || isDevice() ? text : writeNow(fd, Buffer.from(text));
          if (left.length > 0) stream().write(left, settle);
          else resolve();
        } catch (error) {
          settle(error as Error);
        }
      }),
  };
}

const isDeviceAt = (fd: number): boolean => fstatSync(fd).isCharacterDevice();

// Not by the stream, whose opening takes 7 ms where it is /dev/null, as it is in CI.
const isTerminalAt = (fd: number): boolean =>
  isDeviceAt(fd) && process.getBuiltinModule('node:tty').isatty(fd);

/** Writes what can be written without waiting for a reader that is behind; gives what is left. */
function writeNow(fd: number, bytes: Buffer): Buffer {
  let left = bytes;
  try {
    while (left.length > 0) left = left.subarray(writeSync(fd, left));
  } catch (error) {
    if (systemCode(error) !== 'EAGAIN') throw error;
  }
  return left;
}

function lazy<T extends NonNullable<unknown>>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function firstSignal(): AbortSignal {
  const controller = new AbortController();
  // Everything that is under way listens.
  setMaxListeners(0, controller.signal);
  // The listener stays: a signal that is under way while it is taken off would be lost, and a prompt that finds itself
  // the only listener would send the first one on, and so end us.
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) return controller.abort(name);
    // The second one, of either kind, ends the process at once.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.kill(process.pid, name);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

async function ask(question: Question, manner: PromptStyle, terminal: Terminal): Promise<Answer> {
  const { interrupted } = terminal;
  const prompts = await (manner === 'drawn' ? import('./prompts/drawn.ts') : import('./prompts/plain.ts'));
  try {
    return await prompts.ask(question, terminal);
  } catch (error) {
    if (interrupted.aborted) throw interruption(interrupted, leaving(question).message);
    throw error instanceof Aborted ? leaving(question) : error;
  }
}

async function run(
  program: string,
  args: readonly string[],
  env: Host['env'],
  interrupted: AbortSignal,
): Promise<number> {
  // Takes longer to load than all the rest of this file, and few commands need it.
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env });
    // A Ctrl-C reaches the child from the terminal; a SIGTERM for us reaches us alone.
    const forward = () => interrupted.reason === 'SIGTERM' && child.kill('SIGTERM');
    interrupted.addEventListener('abort', forward, { once: true });
    if (interrupted.aborted) forward();
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      interrupted.removeEventListener('abort', forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/** `Host.capture`, for an interruption of one's own. */
export async function capture(
  program: string,
  args: readonly string[],
  limits: CaptureLimits,
  interrupted: AbortSignal,
): Promise<Captured> {
  // Loaded by those who need it alone, like the rest of what runs programs.
  const { captured } = await import('./host/capture.ts');
  const kill = (id: number) => process.kill(id, 'SIGKILL');
  try {
    return await captured(program, args, limits, { deadline, kill, interrupted });
  } catch (error) {
    throw interrupted.aborted ? interruption(interrupted, 'nothing further was sent') : error;
  }
}
