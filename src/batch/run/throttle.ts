import type { Host } from '../../host.ts';

/** When the next record may start. */
export interface Throttle {
  /** Resolves when it may. */
  turn(): Promise<void>;
  /** Holds back all records for so many ms, from now. */
  pause(ms: number): void;
}

/** At most so many a second; `undefined`: no limit. Uses waits alone, because a clock may be put back. */
export function createThrottle(
  perSecond: number | undefined,
  { sleep, interrupted }: Pick<Host, 'sleep' | 'interrupted'>,
): Throttle {
  const wait = (ms: number): Promise<void> => sleep(ms, interrupted).catch(() => {});
  let nextTurn = Promise.resolve();
  let pauses = Promise.resolve();
  return {
    async turn() {
      const myTurn = nextTurn;
      if (perSecond !== undefined) nextTurn = myTurn.then(() => wait(1000 / perSecond));
      await myTurn;
      // A pause may be added during a pause.
      for (let awaited: Promise<void> | undefined; awaited !== pauses; ) {
        awaited = pauses;
        await awaited;
      }
    },
    pause(ms) {
      const pause = wait(ms);
      pauses = Promise.all([pauses, pause]).then(() => {});
    },
  };
}
