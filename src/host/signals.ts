import { setMaxListeners } from 'node:events';
import { Failure, type FailureFacts } from '../errors.ts';
import type { Notice } from '../say/notices.ts';

const EXITS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Aborted by the first SIGINT, SIGTERM or SIGHUP; its reason is the signal's name. */
export function firstSignal(): AbortSignal {
  const controller = new AbortController();
  // Any number of parts of the program may listen at the same time.
  setMaxListeners(0, controller.signal);
  // The listener stays. Without it a signal that arrives during its removal would be lost, and a prompt that is the only
  // listener would send the first signal on and so end the process.
  const stop = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) return controller.abort(name);
    // A terminal that closes sends SIGHUP more than once: from the shell, and from the system.
    if (name === 'SIGHUP') return;
    // The second signal ends the process at once.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.kill(process.pid, name);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  return controller.signal;
}

type WithoutSignal<N> = N extends { signal: string } ? Omit<N, 'signal'> : never;

/** The failure of a command that a signal stopped. `notice`: what the command left undone; the signal is added to it. */
export function interruption(
  interrupted: AbortSignal,
  notice: WithoutSignal<Notice> = { kind: 'stopped' },
  facts: FailureFacts = {},
): Failure {
  const signal = String(interrupted.reason);
  const exitCode = EXITS[signal] ?? 130;
  return new Failure('interrupted', { ...notice, signal } as Notice, { ...facts, exitCode });
}

/** The failure of a command that begins nothing more, if a signal has come. */
export const interruptionOf = (host: { interrupted: AbortSignal }): Failure | undefined =>
  host.interrupted.aborted ? interruption(host.interrupted) : undefined;

/** Throws the failure of a command that begins nothing more, if a signal has come. */
export function stopIfInterrupted(host: { interrupted: AbortSignal }): void {
  const stop = interruptionOf(host);
  if (stop) throw stop;
}

// A timer of Node fires at once above this many milliseconds: a booking would time out before it is answered.
const MAX_TIMER_MS = 2 ** 31 - 1;

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // Loaded only here, because few commands wait for anything.
  const { setTimeout: delay } = await import('node:timers/promises');
  return delay(Math.min(ms, MAX_TIMER_MS), undefined, { ...(signal && { signal }) });
}

export function deadline(ms: number, late: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  // Data that arrived while the process was stopped or starved is read before the deadline counts.
  const timer = setTimeout(
    () => {
      soon = setImmediate(late);
    },
    Math.min(ms, MAX_TIMER_MS),
  );
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
}

export const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
