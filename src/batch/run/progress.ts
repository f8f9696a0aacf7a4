import { duration } from '../../output/duration.ts';
import { canDraw } from '../../output/look.ts';
import type { Session } from '../../session/session.ts';
import { costWords, type Tally } from './tally.ts';

/** Time between two lines, and between two drawings of the bar, in ms. */
const LINE_MS = 10_000;
const DRAW_MS = 100;
const WIDTH = 12;

/** Shows a bar on a terminal, else a line every ten seconds. `total`: the records to be sent. */
export function showProgress({ host, printer, globals }: Session, tally: Tally, total: number) {
  const drawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  const startedAt = host.now();
  const before = tally.ended;
  let shownAt = Number.NEGATIVE_INFINITY;
  let stop = () => {};

  /** `[####--------] 12/30 done, 1 failed, 0 unknown, 4.1/s, 5 s left, 31.20 EUR` */
  function words(): string {
    const done = tally.ended - before;
    const ms = host.now() - startedAt;
    const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
    const perSecond = ms > 0 ? (done * 1000) / ms : 0;
    return [
      `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total} done`,
      `${tally.failed} failed`,
      `${tally.unknown} unknown`,
      `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`,
      ...(perSecond > 0 && done < total ? [`${duration(((total - done) / perSecond) * 1000)} left`] : []),
      ...[costWords(tally.cost)].filter(Boolean),
    ].join(', ');
  }

  const printLine = () => {
    void printer.note(words());
    stop = host.deadline(LINE_MS, printLine);
  };
  if (!drawn) stop = host.deadline(LINE_MS, printLine);
  return {
    /** A record has ended. */
    tick(): void {
      if (!drawn || host.now() - shownAt < DRAW_MS) return;
      shownAt = host.now();
      void printer.progress(words());
    },
    /** Removes it. */
    async end(): Promise<void> {
      stop();
      await printer.progress('');
    },
  };
}
