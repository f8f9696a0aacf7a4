import { spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

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
  stdin: { isTerminal: boolean; read(): Promise<Uint8Array> };
  stdout: Output;
  stderr: Output;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `late` after that many ms, unless what it gives is called before. */
  deadline(ms: number, late: () => void): () => void;
  /** From 0 up to but not including 1. */
  random(): number;
  /** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. */
  interrupted: AbortSignal;
  /** Asks on stderr; the answer is No unless a person says yes. Only where stdin and stderr are terminals. */
  confirm(question: string): Promise<boolean>;
  /**
   * Runs a program, without a shell, on this process's own streams; gives its exit code (128 + n after signal n).
   * Rejects where it cannot be started.
   */
  run(program: string, args: readonly string[], env: Host['env']): Promise<number>;
}

/** The host of the running process. */
export function processHost(): Host {
  const { stdin, stdout, stderr } = process;
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: { isTerminal: stdin.isTTY === true, read: () => readAll(stdin) },
    stdout: output(stdout),
    stderr: output(stderr),
    now: Date.now,
    sleep: (ms, signal) => delay(ms, undefined, { ...(signal && { signal }) }),
    deadline: (ms, late) => {
      const timer = setTimeout(late, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    interrupted: interruption(),
    confirm,
    run,
  };
}

async function readAll(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

function output(stream: NodeJS.WriteStream): Output {
  // Without a listener a write to a closed pipe would end the process in the middle of a booking.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    write: text =>
      new Promise((resolve, reject) => {
        stream.write(text, error => {
          if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
          else resolve();
        });
      }),
  };
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      // The second one of its kind meets no listener and ends the process at once.
      controller.abort(name);
    });
  return controller.signal;
}

async function confirm(message: string): Promise<boolean> {
  const prompts = await import('@inquirer/prompts');
  return prompts.confirm({ message, default: false }, { input: process.stdin, output: process.stderr });
}

function run(program: string, args: readonly string[], env: Host['env']): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env });
    child.once('error', reject);
    // Our own listeners keep a Ctrl-C from ending us before the child, which gets it from the terminal too.
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
