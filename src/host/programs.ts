import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { parsedUrl } from '../text.ts';
import { deadline, interruption } from './signals.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface RunOptions {
  /** The environment of the program. If left out: the environment of this process, without our secrets. */
  env?: Environment;
  /** Further variables of this process that the program must not get. */
  without?: readonly string[];
  /** Where the stdout of the program goes. */
  output?: 'stdout' | 'stderr';
}

export interface CaptureLimits {
  env: Environment;
  without?: readonly string[];
  cwd?: string | undefined;
  /** The time for the whole run, in milliseconds. */
  ms: number;
  /** The most bytes of stdout. */
  maxBytes: number;
  /** Called with each line of the program's stderr as it comes. `printed`: what its stdout has so far. */
  onLine(line: string, printed: Buffer): void;
}

export interface Captured {
  /** The exit code of the program; 128 + n if signal n ended it. */
  exitCode: number;
  stdout: Buffer;
}

/** How much longer a program's streams are read after its end: programs that it leaves running may keep them open for good. */
const GRACE_MS = 200;

/** The environment for a program of the user: all variables but those with our secrets. `named`: secret variables that a profile names. */
export function withoutSecretVariables(env: Environment, named: readonly string[] = []): Environment {
  const secret = ['WAYBILL_TOKEN', 'PGPASSWORD', ...named];
  const isKept = ([name, value]: [string, string | undefined]) =>
    !secret.includes(name) && !(name === 'WAYBILL_JOURNAL' && value !== undefined && hasPassword(value));
  return Object.fromEntries(Object.entries(env).filter(isKept));
}

const PROXY = /_proxy$/i;

/** The environment without user and password in the addresses of proxies: only a program that prints a credential may need these. */
export const withoutProxyUsers = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      PROXY.test(name) ? value?.replace(/^([a-z][a-z\d+.-]*:\/\/)?[^/]*@/i, '$1') : value,
    ]),
  );

/** May an address have a password? A text that is no URL may be anything. */
const hasPassword = (address: string): boolean => {
  const url = parsedUrl(address);
  return url === undefined || url.password !== '' || url.searchParams.has('password');
};

/** `Host.run`, with the signal that interrupts it as a parameter. */
export function run(
  program: string,
  args: readonly string[],
  options: RunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const {
    without,
    env = withoutProxyUsers(withoutSecretVariables(process.env, without)),
    output = 'stdout',
  } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: [0, output === 'stdout' ? 1 : 2, 2], env });
    // A Ctrl-C in the terminal reaches the child, too; any other signal reaches only this process, and is passed on.
    const forward = () => interrupted.reason !== 'SIGINT' && child.kill(interrupted.reason);
    interrupted.addEventListener('abort', forward, { once: true });
    if (interrupted.aborted) forward();
    // If a signal cannot be sent to a program that runs, because another user owns it, its end is awaited: it may print until then.
    child.on('error', error => child.pid === undefined && reject(error));
    child.once('exit', (code, signal) => {
      interrupted.removeEventListener('abort', forward);
      resolve(exitCodeOf(code, signal));
    });
  });
}

/** `Host.capture`, with the signal that interrupts it as a parameter. It rejects with plain errors that say what the program did. */
export function capture(
  program: string,
  args: readonly string[],
  limits: CaptureLimits,
  interrupted: AbortSignal,
): Promise<Captured> {
  const { env, without, cwd, ms, maxBytes, onLine } = limits;
  return new Promise((resolve, reject) => {
    // Detached: the program gets a process group of its own, so that the processes that it starts are ended with it.
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: withoutSecretVariables(env, without),
      ...(cwd !== undefined && { cwd }),
      detached: true,
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let exitCode = 0;
    let isOver = false;
    let stopGrace = () => {};
    const finish = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      stopClock();
      stopGrace();
      interrupted.removeEventListener('abort', stop);
      child.stdout.destroy();
      child.stderr.destroy();
      settle();
    };
    const fail = (error: Error) =>
      finish(() => {
        killGroup(child);
        reject(error);
      });
    const stop = () => fail(interruption(interrupted));
    const succeed = () => finish(() => resolve({ exitCode, stdout: Buffer.concat(chunks) }));
    const stopClock = deadline(ms, () => fail(new Error(`it took longer than ${ms / 1000} s`)));
    interrupted.addEventListener('abort', stop, { once: true });
    createInterface(child.stderr).on('line', line => onLine(line, Buffer.concat(chunks)));
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) fail(new Error(`it printed more than ${maxBytes} bytes`));
    });
    child.once('error', error => finish(() => reject(error)));
    child.once('exit', (code, signal) => {
      exitCode = exitCodeOf(code, signal);
      stopGrace = deadline(GRACE_MS, succeed);
    });
    child.once('close', succeed);
    if (interrupted.aborted) stop();
  });
}

const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal ? constants.signals[signal] : 0);

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The platform has no process groups, or the group has just ended by itself.
    child.kill('SIGKILL');
  }
}
