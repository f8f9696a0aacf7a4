import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';

export interface CaptureLimits {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** For all of it, in milliseconds. */
  ms: number;
  /** Of stdout. */
  maxBytes: number;
  /** Told of each line of its stderr as it comes. */
  said(line: string): void;
}

export interface Captured {
  /** 128 + n after signal n. */
  exitCode: number;
  stdout: Buffer;
}

/** What of the process it needs. */
interface Means {
  /** Calls `late` after that many ms, unless what it gives is called before. */
  deadline(ms: number, late: () => void): () => void;
  /** Ends a process at once; a negative id is a group. */
  kill(id: number): void;
  interrupted: AbortSignal;
}

/** What it leaves running may keep its streams open for good: once it is gone, they are read this much longer. */
const GRACE_MS = 200;

/** Runs a program within its limits; rejects with plain errors that say what it did. */
export function captured(
  program: string,
  args: readonly string[],
  { env, cwd, ms, maxBytes, said }: CaptureLimits,
  { deadline, kill, interrupted }: Means,
): Promise<Captured> {
  return new Promise((resolve, reject) => {
    // Detached: with a group of its own, so that what it starts is ended with it.
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
      cwd,
      detached: true,
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let exitCode: number | undefined;
    let over = false;
    let stopGrace = () => {};
    const settle = (end: () => void) => {
      if (over) return;
      over = true;
      stopClock();
      stopGrace();
      interrupted.removeEventListener('abort', leave);
      child.stdout.destroy();
      child.stderr.destroy();
      end();
    };
    const giveUp = (why: string) =>
      settle(() => {
        endGroup(child, kill);
        reject(new Error(why));
      });
    const leave = () => giveUp('stopped');
    const finish = () => settle(() => resolve({ exitCode: exitCode ?? 0, stdout: Buffer.concat(chunks) }));
    const stopClock = deadline(ms, () => giveUp(`it took longer than ${ms / 1000} s`));
    interrupted.addEventListener('abort', leave, { once: true });
    createInterface(child.stderr).on('line', said);
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) giveUp(`it printed more than ${maxBytes} bytes`);
    });
    child.once('error', error => settle(() => reject(error)));
    child.once('exit', (code, signal) => {
      exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
      stopGrace = deadline(GRACE_MS, finish);
    });
    child.once('close', finish);
    if (interrupted.aborted) leave();
  });
}

function endGroup(child: ChildProcess, kill: Means['kill']): void {
  try {
    if (child.pid !== undefined) kill(-child.pid);
  } catch {
    // There are no groups here, or it has just ended by itself.
    child.kill('SIGKILL');
  }
}
