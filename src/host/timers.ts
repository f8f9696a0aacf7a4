import { setTimeout as delay } from 'node:timers/promises';

// A timer of Node fires at once above this many milliseconds: a booking would time out before it is answered.
const MAX_TIMER_MS = 2 ** 31 - 1;

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(Math.min(ms, MAX_TIMER_MS), undefined, { ...(signal && { signal }) });

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
