import { GLYPHS } from '../output/draw.ts';
import { type Look, measure, type Paint } from '../output/look.ts';
import { duration } from '../output/moment.ts';
import { BLANK, type Cell, grid } from '../output/table.ts';
import { safe } from '../output/text.ts';
import { wrapped } from '../text.ts';

/** An event that the service reported. */
export interface TimelineEvent {
  /** When it was, in words. */
  when: string | undefined;
  /** Milliseconds since 1970; undefined if the date cannot be parsed. */
  time: number | undefined;
  what: string;
  where: string | undefined;
  /** Its description. */
  note: string | undefined;
}

/** `until`: the time to the next one, in words. */
type Point = TimelineEvent & { mark: string; until: string | undefined; paint: Paint };

/** The events, one below the other with the time between them; undefined if nothing can be drawn. Nothing is cut. */
export async function timeline(look: Look, events: readonly TimelineEvent[]): Promise<string | undefined> {
  const { pen, columns } = look;
  if (pen === undefined || columns === undefined || events.length === 0) return undefined;
  const { point, last, line } = GLYPHS[pen];
  const points = events.map((event, index): Point => {
    const next = events[index + 1];
    return {
      ...event,
      mark: next ? point : last,
      until: next && timeBetween(event, next),
      paint: next ? text => text : look.bold,
    };
  });
  return (await inColumns(look, columns, line, points)) ?? (await inLines(look, columns, line, points));
}

function timeBetween({ time: from }: TimelineEvent, { time: to }: TimelineEvent): string | undefined {
  // Less than a second is not worth showing.
  if (from === undefined || to === undefined || to - from < 1000) return undefined;
  return `${duration(to - from)} later`;
}

/** A line for each; undefined if they do not fit. */
function inColumns(look: Look, columns: number, line: string, points: readonly Point[]) {
  const rows = points.flatMap(({ mark, when = '-', what, where, note, until, paint }): Cell[][] => {
    const painted = (text: string | undefined): Cell => (text ? { text, paint } : BLANK);
    const row = [painted(`${mark} ${when}`), painted(what), painted(where), painted(note)];
    return until === undefined ? [row] : [row, [{ text: `${line} ${until}`, paint: look.dim }, ...NOTHING]];
  });
  return grid(rows, columns, ['whole', 'whole', 'whole', 'whole']);
}

const NOTHING = [BLANK, BLANK, BLANK];

/** A line for each fact, for narrow terminals. */
async function inLines(look: Look, columns: number, line: string, points: readonly Point[]): Promise<string> {
  const widthOf = await measure();
  const blocks = points.map(({ mark, when = '-', what, where, note, until, paint }, index) => {
    const edge = index < points.length - 1 ? line : ' ';
    const facts = [what, where, note].filter(fact => fact !== undefined && fact !== '');
    const texts = facts.flatMap(fact => wrapped(safe(String(fact)), columns - 2, widthOf));
    return [
      paint(`${mark} ${safe(when)}`),
      ...texts.map(text => `${edge} ${paint(text)}`),
      ...(until === undefined ? [] : [look.dim(`${edge} ${until}`)]),
    ].join('\n');
  });
  return blocks.join('\n');
}
