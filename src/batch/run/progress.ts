import type { Host } from '../../host.ts';
import { canDraw } from '../../output/look.ts';
import { duration } from '../../output/moment.ts';
import { costWords } from '../../output/money.ts';
import type { BatchDesk } from './job.ts';
import type { Tally } from './tally.ts';

/** Time between two lines, and between two drawings of the bar, in ms; `IDLE_MS`: if no record ends. */
const LINE_MS = 10_000;
const DRAW_MS = 100;
const IDLE_MS = 1000;
const WIDTH = 12;

/** Shows a bar on a terminal, else a line every ten seconds. `total`: the records to be sent. */
export function showProgress({ host, printer, globals }: BatchDesk, tally: Tally, total: number) {
  const drawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  const before = tally.ended;
  const pace = paceOf(host);
  let begun = 0;
  let retries = 0;
  let back = 0;

  /** `[####--------] 12/30 done, 1 failed, 4 in flight, 4.1/s, 5 s left, 31.20 EUR` */
  function words(): string {
    const done = tally.ended - before;
    const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const perSecond = pace(done);
    return [
      `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total} done`,
      ...(tally.failed > 0 ? [`${tally.failed} failed`] : []),
      ...(tally.unknown > 0 ? [`${tally.unknown} unknown`] : []),
      `${begun - back} in flight`,
      ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
      `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`,
      ...(perSecond > 0 && done < total ? [`${duration(((total - done) / perSecond) * 1000)} left`] : []),
      ...[costWords(tally.booked.cost)].filter(Boolean),
    ].join(', ');
  }

  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    shownAt = host.now();
    void (drawn ? printer.progress(words()) : printer.note(words()));
  };
  // Also if no record ends: a bar that stands still would tell the rate of a service that has stopped.
  const ms = drawn ? IDLE_MS : LINE_MS;
  const showLater = () => {
    show();
    stop = host.deadline(ms, showLater);
  };
  let stop = host.deadline(ms, showLater);
  return {
    /** A record may be sent now. */
    begin(): void {
      begun += 1;
    },
    /** A request is sent again. */
    retry(): void {
      retries += 1;
    },
    /** It has ended, or is put back. */
    end(): void {
      back += 1;
      if (drawn && host.now() - shownAt >= DRAW_MS) show();
    },
    /** Removes the bar. */
    async close(): Promise<void> {
      stop();
      await printer.progress('');
    },
  };
}

/** The rate is that of about so many ms: long enough to be steady, short enough to be that of now. */
const WINDOW_MS = 10_000;
/** Looks that are kept. */
const MOST = 200;

/** Gives a function that is told from time to time how many are done, and gives how many are done a second now. */
function paceOf({ monotonic }: Pick<Host, 'monotonic'>): (done: number) => number {
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
