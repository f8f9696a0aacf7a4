import type { Host } from '../../host.ts';

/** When the next record may start. */
export interface Throttle {
  /** Resolves when it may. */
  turn(): Promise<void>;
  /** Holds everybody back for so many ms, from now. */
  pause(ms: number): void;
}

/** At most so many a second; `undefined`: as fast as they end. Goes by waits alone, as clocks are put back. */
export function createThrottle(
  perSecond: number | undefined,
  { sleep, interrupted }: Pick<Host, 'sleep' | 'interrupted'>,
): Throttle {
  const rest = (ms: number): Promise<void> => sleep(ms, interrupted).catch(() => {});
  let door = Promise.resolve();
  let held = Promise.resolve();
  return {
    async turn() {
      const mine = door;
      if (perSecond !== undefined) door = mine.then(() => rest(1000 / perSecond));
      await mine;
      for (let seen: Promise<void> | undefined; seen !== held; ) {
        seen = held;
        await held;
      }
    },
    pause(ms) {
      const pause = rest(ms);
      held = Promise.all([held, pause]).then(() => {});
    },
  };
}
