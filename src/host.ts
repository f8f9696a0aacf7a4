import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { constants, homedir, hostname } from 'node:os';
import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Failure, messageOf, systemCode } from './errors.ts';

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
  /** For a run over any number of records: the memory that waits to be tidied up does not grow with the time it takes. */
  keepMemoryFlat(): void;
  /** Calls `late` after that many ms, unless what it gives is called before. */
  deadline(ms: number, late: () => void): () => void;
  /** This process, and whether another one of this machine is there. */
  process: { host: string; id: number; exists(id: number): boolean };
  /** From 0 up to but not including 1. */
  random(): number;
  /** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. */
  interrupted: AbortSignal;
  /** Asks on stderr; the answer is No unless a person says yes. Only where stdin and stderr are terminals. */
  confirm(question: string): Promise<boolean>;
  /**
   * Runs a program, without a shell, on this process's own streams; gives its exit code (128 + n after signal n).
   * A SIGTERM for us is one for it too.
   * Rejects where it cannot be started.
   */
  run(program: string, args: readonly string[], env: Host['env']): Promise<number>;
}

/** What `interrupted` is as a failure. */
export function interruption(interrupted: AbortSignal, consequence: string): Failure {
  const signal = String(interrupted.reason);
  return new Failure('interrupted', `stopped by ${signal}; ${consequence}`, {
    exitCode: signal === 'SIGTERM' ? 143 : 130,
  });
}

// Past this many milliseconds a timer of Node goes off at once: a booking would time out before it was answered.
const LONGEST_TIMER = 2 ** 31 - 1;

/** The host of the running process. */
export function processHost(): Host {
  const { stdin, stdout, stderr } = process;
  const interrupted = firstSignal();
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: {
      isTerminal: stdin.isTTY === true,
      async read() {
        const chunks: Uint8Array[] = [];
        for await (const chunk of chunksOf(stdin, interrupted)) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
      chunks: () => chunksOf(stdin, interrupted),
    },
    stdout: output(stdout),
    stderr: output(stderr),
    now: Date.now,
    sleep: (ms, signal) => delay(Math.min(ms, LONGEST_TIMER), undefined, { ...(signal && { signal }) }),
    turn: () => new Promise(resolve => setImmediate(resolve)),
    // Without it V8 makes room for ever more garbage: a fifth more over a million records, and not faster for it.
    keepMemoryFlat: () => setFlagsFromString('--semi-space-growth-factor=1'),
    deadline: (ms, late) => {
      const timer = setTimeout(late, Math.min(ms, LONGEST_TIMER));
      return () => clearTimeout(timer);
    },
    process: { host: hostname(), id: process.pid, exists },
    random: Math.random,
    interrupted,
    confirm: question => confirm(question, interrupted),
    run: (program, args, env) => run(program, args, env, interrupted),
  };
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
  try {
    for await (const chunk of addAbortSignal(interrupted, stream))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    if (interrupted.aborted) throw interruption(interrupted, 'nothing was sent');
    throw new Failure('storage', `stdin cannot be read: ${messageOf(error)}; nothing was sent`);
  }
}

function output(stream: NodeJS.WriteStream): Output {
  // Without a listener a write to a closed pipe would end the process in the middle of a booking.
  stream.on('error', () => {});
  let closed = false;
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    write: text =>
      new Promise((resolve, reject) => {
        stream.write(text, error => {
          closed ||= systemCode(error) === 'EPIPE';
          if (error && !closed) reject(error);
          else resolve();
        });
      }),
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

async function confirm(message: string, signal: AbortSignal): Promise<boolean> {
  const prompts = await import('./prompts.ts');
  return prompts.confirm(
    { message, default: false },
    { input: process.stdin, output: process.stderr, signal },
  );
}

function run(
  program: string,
  args: readonly string[],
  env: Host['env'],
  interrupted: AbortSignal,
): Promise<number> {
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
