import type { Host } from '../../host.ts';

/** The rate is that of about so many ms: long enough to be steady, short enough to be that of now. */
const WINDOW_MS = 10_000;
/** Looks that are kept. */
const MOST = 200;

/** Gives a function that is told from time to time how many are done, and gives how many are done a second now. */
export function paceOf({ monotonic }: Pick<Host, 'monotonic'>): (done: number) => number {
  const looks = [{ at: monotonic(), done: 0 }];
  return done => {
    const now = monotonic();
    looks.push({ at: now, done });
    // One look before the window stays, so that the rate is never that of a moment.
    while (looks.length > MOST || (looks[1] && looks[1].at <= now - WINDOW_MS)) looks.shift();
    const [first] = looks;
    return first && now > first.at ? ((done - first.done) * 1000) / (now - first.at) : 0;
  };
}
