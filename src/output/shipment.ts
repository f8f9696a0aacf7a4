import { chargeIn } from '../booking/answer.ts';
import { getAt, isRecord, listAt, textAt } from '../contract/paths.ts';
import { isSameWord, lacksPrice, read, readId } from '../contract/read.ts';
import { codeWords, duration, money, partyWords, timeWords } from '../say/words.ts';
import { wrapped } from '../text.ts';
import { GLYPHS, type Look, measure, type Paint } from './look.ts';
import { BLANK, type Cell, grid, pairs, table } from './table.ts';
import { safe } from './text.ts';

// How a shipment record is read and shown (service document §2.2). Any field of the record may be missing.

type Entry = Record<string, unknown>;

const statusesOf = (shipment: unknown) => listAt(shipment, ['status']).filter(isRecord);
const eventsOf = (shipment: unknown) => listAt(shipment, ['tracking', 'events']).filter(isRecord);

export const trackingNumberOf = (shipment: unknown): string | undefined =>
  read(readId, getAt(shipment, ['tracking', 'trackingNumber']));

/** A date such as `5.11.2026`: nobody knows which number is the month, and `Date.parse` takes the first. */
const UNCLEAR_DATE = /(?<!\d)\d{1,2}[./-]\d{1,2}[./-]\d{2}/;

/** A time that the service wrote, in ms since 1970; `undefined` if it is not clear. */
export function readMoment(written = ''): number | undefined {
  const time = UNCLEAR_DATE.test(written) ? Number.NaN : Date.parse(written);
  return Number.isNaN(time) ? undefined : time;
}

/** A time that has a time of day, in ms since 1970. A date alone would be shown as midnight in UTC, which may be another day here. */
export const readClock = (written = ''): number | undefined =>
  /\d:\d/.test(written) ? readMoment(written) : undefined;

/** A time that the service wrote, for a person. An unclear time, or a date alone, stays as it is. */
export function toldTime(written: string | undefined, now: number): string | undefined {
  const time = readClock(written);
  return time === undefined ? written : timeWords(time, now);
}

const timeOf = (entry: unknown): number => readMoment(textAt(entry, ['date'])) ?? Number.NEGATIVE_INFINITY;

const byTime = (a: unknown, b: unknown): number =>
  timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0;

/** The statuses and events that have a milestone, the oldest first; those with the same time stay in their order. */
const milestonesOf = (shipment: unknown) =>
  [...eventsOf(shipment), ...statusesOf(shipment)]
    .toSorted(byTime)
    .filter(entry => milestoneOf(entry) !== undefined);

/** The milestone of the newest status or event; of two with the same time, that of the later one in the list. */
export const newestMilestone = (shipment: unknown): string | undefined =>
  milestoneOf(milestonesOf(shipment).at(-1));

/** The newest milestone for a person; `undefined` if there is none yet. */
export function milestoneWords(shipment: unknown): string | undefined {
  const milestone = newestMilestone(shipment);
  return milestone && codeWords(milestone);
}

/** Since when the shipment has been at its newest milestone, as the service wrote it. */
export function milestoneSince(shipment: unknown): string | undefined {
  const milestones = milestonesOf(shipment);
  const newest = newestMilestone(shipment);
  const another = milestones.findLastIndex(entry => !isSameWord(milestoneOf(entry), newest));
  return textAt(milestones[another + 1], ['date']);
}

/** Each status and milestone that the service has written for a shipment. */
export const wordsOfShipment = (shipment: unknown): string[] =>
  [...statusesOf(shipment), ...eventsOf(shipment)].flatMap(entry =>
    ['milestone', 'status'].flatMap(name => textAt(entry, [name]) ?? []),
  );

/** The newest status or event: its status, its milestone, and when it was; `null` where the service does not say it. */
export function newestStatus(shipment: unknown) {
  const newest = milestonesOf(shipment).at(-1);
  return {
    status: textAt(newest, ['status']) ?? null,
    milestone: newestMilestone(shipment) ?? null,
    statusAt: textAt(newest, ['date']) ?? null,
  };
}

const milestoneOf = (entry: unknown) => textAt(entry, ['milestone']) ?? textAt(entry, ['status']);

/** Was the shipment at a milestone, or in a status? `milestone` may also be typed as a person reads it. */
export function hasReached(shipment: unknown, milestone: string): boolean {
  return wordsOfShipment(shipment).some(word => isSameWord(codeWords(word), codeWords(milestone)));
}

/** A shipment for a person: its facts, and its history. `now`: times of the same year are shown without the year. */
export async function trackTable(shipment: unknown, look: Look, now: number): Promise<string> {
  const { price, currency } = chargeIn(shipment);
  const head = await pairs(look, [
    ['Shipment', read(readId, getAt(shipment, ['id']))],
    [
      'Carrier',
      [textAt(shipment, ['carrier', 'name']), !lacksPrice(price) && money(price, currency)]
        .filter(Boolean)
        .join(', '),
    ],
    ['Tracking number', trackingNumberOf(shipment)],
    ['From', partyWords(getAt(shipment, ['sender']))],
    ['To', partyWords(getAt(shipment, ['receiver']))],
    ['Milestone', milestoneWords(shipment)],
  ]);
  return `${head}\n\n${await history(shipment, look, now)}`;
}

/** Has `entry` the same time as `shorter`, and everything that `shorter` says? */
function isRepeated(shorter: Entry, entry: Entry): boolean {
  const [time, date] = [timeOf(entry), textAt(entry, ['date'])];
  const isSameTime = Number.isFinite(time) ? time === timeOf(shorter) : date === textAt(shorter, ['date']);
  const words = statusWordsOf(entry);
  return (
    isSameTime &&
    statusWordsOf(shorter).every(word => words.some(entryWord => isSameWord(entryWord, word))) &&
    ['location', 'description'].every(name => {
      const text = textAt(shorter, [name]);
      return text === undefined || isSameWord(text, textAt(entry, [name]));
    })
  );
}

/** Statuses and events, the oldest first. A step that a service tells both as a status and as an event is here once. */
function entriesOf(shipment: unknown): Entry[] {
  const entries = [...statusesOf(shipment), ...eventsOf(shipment)].toSorted(byTime);
  return entries.filter(
    (entry, index) =>
      // Of two entries that say the same, the first one stays.
      !entries.some(
        (twin, at) => at !== index && isRepeated(entry, twin) && (at < index || !isRepeated(twin, entry)),
      ),
  );
}

async function history(shipment: unknown, look: Look, now: number): Promise<string> {
  const entries = entriesOf(shipment);
  if (entries.length === 0) return 'Nothing has happened yet.';
  const { pen, columns } = look;
  if (pen === undefined || columns === undefined)
    return table(look, {
      head: ['when', 'status', 'where', 'what'],
      align: ['whole', 'whole', 'left', 'left'],
      rows: entries.map(entry => {
        const { when, what, where, note } = happeningOf(entry, now);
        return [when, what, where, note];
      }),
    });
  const { point, last, line } = GLYPHS[pen];
  const points = entries.map((entry, index): Point => {
    const next = entries[index + 1];
    return {
      mark: next ? point : last,
      ...happeningOf(entry, now),
      until: next && timeBetween(timeOf(entry), timeOf(next)),
      paint: next ? text => text : look.bold,
    };
  });
  return (await inColumns(look, columns, line, points)) ?? (await inLines(look, columns, line, points));
}

/** A status or an event, as a point of the time line. */
interface Point {
  mark: string;
  when: string;
  what: string;
  where: string;
  note: string;
  /** The time to the next point, in words. */
  until: string | undefined;
  paint: Paint;
}

function happeningOf(entry: unknown, now: number) {
  const text = (field: string) => textAt(entry, [field]) ?? '';
  return {
    when: toldTime(text('date'), now) || '-',
    what: statusWordsOf(entry).map(codeWords).join(', ') || '-',
    where: text('location'),
    note: text('description'),
  };
}

/** Status and milestone; only one of them if both are the same word, such as delivered and Delivered. */
function statusWordsOf(entry: unknown): string[] {
  const [status, milestone] = [textAt(entry, ['status']), textAt(entry, ['milestone'])];
  return (isSameWord(status, milestone) ? [milestone] : [status, milestone]).flatMap(word => word || []);
}

/** The time from one moment to the next; `undefined` if it is less than a second, or if a moment is not known (infinite). */
const timeBetween = (from: number, to: number): string | undefined =>
  to - from >= 1000 && Number.isFinite(to - from) ? `${duration(to - from)} later` : undefined;

/** The points in columns, with the time between them; `undefined` if they do not fit. Nothing is cut. */
function inColumns(look: Look, columns: number, line: string, points: readonly Point[]) {
  const rows = points.flatMap(({ mark, when, what, where, note, until, paint }): Cell[][] => {
    const row = [`${mark} ${when}`, what, where, note].map(text => (text ? { text, paint } : BLANK));
    return until === undefined
      ? [row]
      : [row, [{ text: `${line} ${until}`, paint: look.dim }, BLANK, BLANK, BLANK]];
  });
  return grid(rows, columns, ['whole', 'whole', 'whole', 'whole']);
}

/** The points with a line for each fact, for narrow terminals. */
async function inLines(look: Look, columns: number, line: string, points: readonly Point[]): Promise<string> {
  const widthOf = await measure();
  return points
    .flatMap(({ mark, when, what, where, note, until, paint }, index) => {
      const edge = index < points.length - 1 ? line : ' ';
      const texts = [what, where, note].flatMap(fact => wrapped(safe(fact), columns - 2, widthOf));
      return [
        paint(`${mark} ${safe(when)}`),
        ...texts.map(text => `${edge} ${paint(text)}`),
        ...(until === undefined ? [] : [look.dim(`${edge} ${until}`)]),
      ];
    })
    .join('\n');
}
