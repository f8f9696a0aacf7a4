import { type Booking, type Ids, isAt, receiverNamed, shipmentsIn } from '../booking/booking.ts';
import { receiverOf } from '../booking/questions.ts';
import { isSameShipment } from '../booking/standing.ts';
import { contentOf } from '../contract/content.ts';
import { type Leg, OPERATIONS, type Operation } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { comparable, DELIVERED, SHOWN_MILESTONES } from '../contract/read.ts';
import { Failure, isOfOne } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import { didYouMean } from '../nearest.ts';
import { bookedShipments, namedShipments, withMeantOrders } from '../order/find.ts';
import { canDraw } from '../output/look.ts';
import { failureJson, type View } from '../output/print.ts';
import {
  hasReached,
  milestoneSince,
  milestoneWords,
  newestMilestone,
  readMoment,
  toldTime,
  trackingNumberOf,
  trackTable,
  wordsOfShipment,
} from '../output/shipment.ts';
import { type ListColumn, listTable, noteLeftOut, pairs } from '../output/table.ts';
import type { RowText, Scalar } from '../output/text.ts';
import { bookingFacts } from '../output/told.ts';
import { endMilestonesOf } from '../profile/settings.ts';
import { codeWords, duration, timeWords } from '../say/words.ts';
import { failuresInARow } from '../service/response.ts';
import { operationUrl } from '../service/service.ts';
import { declare, operand } from '../session/command.ts';
import { flag, grouped, type OptionsOf } from '../session/flags.ts';
import { type Moment, parseLength, parseMoment, REPEATED, someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';

/** A shipment, with its booking if the journal has one. Until the shipment is read, it has neither body nor content. */
export interface Shipment {
  id: string;
  leg: Leg;
  booking: Booking | undefined;
  /** The answer as the service gave it. */
  body?: unknown;
  /** The body as the contract reads it. */
  content?: unknown;
  /** Why the shipment could not be read. */
  failure?: Failure | undefined;
}

/** How far back --active follows bookings without --since: a shipment that never arrives would be asked for without end. */
const DEFAULT_SINCE = '60d';
const DEFAULT_INTERVAL = 30;
/** A day of the demo passes in ten seconds. */
const DEMO_INTERVAL = 2;

const FLAGS = {
  ...grouped('Shipments:', {
    key: flag('--key <key>', 'a shipment that was booked with this key; repeatable', REPEATED),
    active: flag('--active', 'every booked shipment that was not yet seen at an end of its journey'),
    since: flag('--since <time>', `--active: booked since then (default: ${DEFAULT_SINCE})`, {
      read: parseMoment,
    }),
    stale: flag('--stale <time>', '--active: only with the same milestone for so long, such as 5d', {
      read: parseLength,
    }),
    domestic: flag('--domestic', 'they are domestic shipments'),
  }),
  ...grouped('Waiting:', {
    watch: flag('--watch', 'ask again until every shipment has reached the milestone'),
    interval: flag(
      '--interval <time>',
      `time between two looks, such as 90 or 5m (default: ${DEFAULT_INTERVAL}; ${DEMO_INTERVAL} for demo)`,
      { read: parseLength },
    ),
    until: flag('--until <milestone>', `the milestone to wait for (default: ${DELIVERED}); implies --watch`, {
      read: someText,
    }),
    maxWait: flag('--max-wait <time>', 'give up waiting after this long (exit 9); implies --watch', {
      read: parseLength,
    }),
  }),
};

type TrackOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Book a shipment and wait for a milestone. Then see all that are under way.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1004',
    'waybill track ORDER-1004 --until pending_arrival_at_warehouse --max-wait 1m',
    'waybill track --active',
  ],
  output: {
    table: 'one shipment with its events, the oldest first; of several a line each',
    quiet: 'the newest milestone; of several shipments the id beside it',
    json: 'the answer of the service; of several, and with --active, a list, in which one that failed is {"id","error"}',
  },
  exits: {
    not_found: 'the service knows none of them, or no shipment was booked with this key',
    partial: 'some shipments cannot be read, or --max-wait is over',
  },
  operands: [
    operand('[ref...]', 'shipments, each by its id, its tracking number, or the key of its booking'),
  ],
  flags: FLAGS,
  run: trackShipments,
});

async function trackShipments(session: Session, options: TrackOptions, refs: string[]): Promise<void> {
  const { key: keys = [], active, stale, until, maxWait } = options;
  const named = refs.length + keys.length;
  const waits = options.watch || until !== undefined || maxWait !== undefined;
  refuseContradictions(options, named, waits);
  const wanted = await wantedShipments(session, options, refs);
  for (const shipment of wanted) refuseNoId(shipment);
  const milestone = until?.trim() ?? DELIVERED;
  const interval = options.interval ?? (session.target().from === 'demo' ? DEMO_INTERVAL : DEFAULT_INTERVAL);
  const { shipments, isLate } = waits
    ? await watchShipments(session, wanted, milestone, interval, maxWait)
    : { shipments: await readAll(session, wanted), isLate: false };
  const shown = stale === undefined ? shipments : staleOf(session, shipments, stale);
  await showShipments(session, shown, active || named > 1);
  const failure = commonFailure(shipments);
  if (failure) throw failure;
  if (isLate)
    throw new Failure(
      'partial',
      `track: not every shipment reached ${milestone} within ${maxWait} s; stdout has what is known`,
      { operation: 'track', retry: 'same' },
    );
}

function refuseContradictions(options: TrackOptions, named: number, waits: boolean): void {
  const { active, since, stale, domestic, interval } = options;
  const refuse = (why: string) => {
    throw new Failure('usage', `track: ${why}`);
  };
  if (active && named > 0) refuse('name shipments, or all that are under way with --active, but not both');
  if (active && domestic) refuse('--active knows which shipments are domestic. Leave out --domestic');
  if (!active && (since || stale !== undefined)) refuse('--since and --stale need --active');
  if (interval !== undefined && !waits) refuse('--interval needs --watch, --until or --max-wait');
  if (stale !== undefined && waits)
    refuse('--stale is about one look. Leave out --watch, --until and --max-wait');
}

// Which shipments are tracked.

async function wantedShipments(
  session: Session,
  options: TrackOptions,
  refs: readonly string[],
): Promise<Shipment[]> {
  const { key: keys = [], active, domestic, since = parseMoment(DEFAULT_SINCE) } = options;
  // Without an address and a credential the command ends here, before the journal is asked.
  await session.service.check(OPERATIONS.getShipment);
  if (active) return activeShipments(session, since);
  if (refs.length + keys.length > 0) return shipmentsNamed(session, refs, keys, domestic);
  if (session.interactive) return pickedShipments(session, since);
  throw new Failure(
    'usage',
    'track needs a shipment: its id, its tracking number, or the key of its booking; or --active for all that are under way',
  );
}

/** The shipments that are tracked for a booking, or for ids that no journal has. */
const trackedShipments = (ids: Ids, booking: Booking | undefined): Shipment[] =>
  shipmentsIn(ids).map(({ leg, shipment }) => ({ id: shipment, booking, leg }));

/** A name that tells the two shipments of a pair apart: both may have the same id. */
const legAndId = (shipment: Shipment): string => `${shipment.leg} ${shipment.id}`;

/**
 * The shipments of these names and keys, each once; text that cannot be a name gives a shipment with a failure. A name unknown to the
 * journal is the id of a shipment. `domestic`: such an id is of a domestic shipment, and a name of a pair means its domestic leg.
 */
export async function shipmentsNamed(
  session: Session,
  refs: readonly string[],
  keys: readonly string[],
  domestic = false,
): Promise<Shipment[]> {
  const find = async (name: string, isKey: boolean): Promise<Shipment[]> => {
    try {
      if (isKey) {
        const booking = await bookedShipments(session, name);
        return trackedShipments(booking.ids, booking);
      }
      const known = await namedShipments(session, name, domestic ? 'domestic' : undefined);
      const isOther = domestic && known?.ids.domestic === undefined;
      if (known && !isOther) return trackedShipments(known.ids, known.booking);
      return trackedShipments(domestic ? { domestic: name } : { shipment: name }, undefined);
    } catch (error) {
      if (!(error instanceof Failure && isOfOne(error))) throw error;
      return [{ id: name, leg: 'international', booking: undefined, failure: error }];
    }
  };
  const shipments = new Map<string, Shipment>();
  for (const [at, name] of [...refs, ...keys].entries()) {
    const matches = await find(name, at >= refs.length);
    const ofLeg = domestic ? matches.filter(({ leg }) => leg === 'domestic') : matches;
    for (const shipment of ofLeg.length > 0 ? ofLeg : matches) shipments.set(legAndId(shipment), shipment);
  }
  return [...shipments.values()];
}

/** How many bookings are read at a time. */
const PAGE_SIZE = 500;

/** The shipments of the journal that are under way, the newest first; those of at most `most` bookings. */
async function activeShipments(
  session: Session,
  since: Moment,
  most = Number.POSITIVE_INFINITY,
): Promise<Shipment[]> {
  const { host } = session;
  const journal = await session.openJournal('look');
  const ends = endMilestonesOf(session.target().profile);
  const active: Shipment[] = [];
  let before: string | undefined;
  for (let left = most; journal !== undefined && left > 0; left -= PAGE_SIZE) {
    const limit = Math.min(PAGE_SIZE, left);
    const page = await journal.underWay(session.scope(), { since: since(host.now()), ends, before, limit });
    for (const { booking, ids } of page)
      if (!isSameShipment(booking)) active.push(...trackedShipments(ids, booking));
    if (page.length < limit) break;
    before = page.at(-1)?.booking.id;
    stopIfInterrupted(host);
  }
  return active;
}

/** How many bookings the list for a person offers; an older one has to be named. */
const MOST_OFFERED = 200;

/** The shipments of the booking that a person picks. Throws `usage` if none is under way, `interrupted` if none is picked. */
async function pickedShipments(session: Session, since: Moment): Promise<Shipment[]> {
  const active = await activeShipments(session, since, MOST_OFFERED);
  const bookings = new Map(active.flatMap(({ booking }) => (booking ? [[booking.id, booking]] : [])));
  if (bookings.size === 0)
    throw new Failure('usage', 'no shipment of this account is under way in the journal', {
      hint: 'Name one: `waybill track REF`',
    });
  const { bookingWords, isMeant } = await import('../order/question.ts');
  const choices = [...bookings].map(([value, booking]) => ({ value, name: bookingWords(booking) }));
  const picked = await session.ask({
    kind: 'search',
    id: 'shipment',
    message: 'Which shipment?',
    find: async term => choices.filter(({ name }) => isMeant(name, term)),
    esc: 'leave',
  });
  return active.filter(({ booking }) => booking?.id === picked);
}

// How shipments are read.

const operationOf = (shipment: Shipment): Operation =>
  shipment.leg === 'domestic' ? OPERATIONS.getDomesticShipment : OPERATIONS.getShipment;

/** Refuses text that cannot be an id, before anything is sent. Throws `invalid_request`. */
export function refuseNoId(shipment: Shipment): void {
  if (!shipment.failure)
    operationUrl(new URL('http://localhost'), operationOf(shipment), { shipmentId: shipment.id });
}

/** How many shipments are read at one time. */
const READS_AT_ONCE = 6;

/**
 * Reads all shipments, and records which have ended their journey. After several failures of the service in a row, the other
 * shipments are not asked for and fail alike.
 */
export async function readAll(session: Session, wanted: readonly Shipment[]): Promise<Shipment[]> {
  const { host } = session;
  const read = new Map<Shipment, Shipment>();
  const queue = wanted.values();
  const isFailing = failuresInARow();
  let last: Failure | undefined;
  let isOver = false;
  const readNext = async () => {
    for (const next of queue) {
      const shipment = await readShipment(session, next);
      read.set(next, shipment);
      last = shipment.failure ?? last;
      isOver ||= isFailing(shipment.failure?.code) || host.interrupted.aborted;
      if (isOver) return;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
  const shipments = wanted.map(
    (shipment): Shipment => read.get(shipment) ?? { ...shipment, failure: notAsked(last) },
  );
  await rememberEnds(session, shipments);
  stopIfInterrupted(host);
  return shipments;
}

function notAsked(last = new Failure('internal', 'nothing was read')): Failure {
  return new Failure(last.code, 'it was not read, because several shipments in a row failed', {
    hint: `The last one: ${last.message}`,
    operation: 'track',
  });
}

async function readShipment(session: Session, shipment: Shipment): Promise<Shipment> {
  if (shipment.failure) return shipment;
  const operation = operationOf(shipment);
  try {
    const body = await session.service.read(operation, {
      parameters: { shipmentId: shipment.id },
      key: shipment.booking?.key,
    });
    return { ...shipment, body, content: contentOf(operation, body).value };
  } catch (error) {
    if (!(error instanceof Failure && isOfOne(error))) throw error;
    const isNamed = error.code === 'not_found' && shipment.booking === undefined;
    return {
      ...shipment,
      failure: isNamed ? await withMeantOrders(error, session, shipment.id, ['track']) : error,
    };
  }
}

/** The milestones at which the shipment was seen and that end a journey. */
const endsOf = (session: Session, shipment: Shipment): string[] =>
  endMilestonesOf(session.target().profile).filter(milestone => hasReached(shipment.content, milestone));

/**
 * Records which shipments were seen at the end of their journey, so that `track --active` does not ask for them again. A journal
 * that cannot be written is a warning: what was read is shown all the same.
 */
async function rememberEnds(session: Session, shipments: readonly Shipment[]): Promise<void> {
  const sightings = shipments.flatMap(shipment =>
    shipment.booking && isAt(session.scope(), shipment.booking)
      ? endsOf(session, shipment).map(milestone => ({
          booking: shipment.booking?.id ?? '',
          leg: shipment.leg,
          shipment: shipment.id,
          milestone,
        }))
      : [],
  );
  if (sightings.length === 0) return;
  const journal = await session.openJournal('look');
  if (journal === undefined || journal.isReadOnly) return;
  try {
    await journal.recordSeen(sightings);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await session.printer.warn(
      `it could not be recorded which shipments have arrived, so \`track --active\` asks for them again: ${error.message}`,
    );
  }
}

/** The shipments that are under way and have had the same milestone for so many seconds, and the shipments that could not be read. */
function staleOf(session: Session, shipments: readonly Shipment[], seconds: number): Shipment[] {
  const bound = session.host.now() - seconds * 1000;
  return shipments.filter(
    shipment =>
      shipment.failure !== undefined ||
      (endsOf(session, shipment).length === 0 &&
        (atMilestoneSince(shipment) ?? shipment.booking?.at ?? bound) <= bound),
  );
}

/** The failure of all shipments, if all failed alike; else `partial`, if some failed. */
export function commonFailure(shipments: readonly Shipment[]): Failure | undefined {
  const failed = shipments.flatMap(({ id, failure }) => (failure ? { id, failure } : []));
  const first = failed[0]?.failure;
  if (first === undefined || shipments.length === 1) return first;
  const isAlike =
    failed.length === shipments.length && failed.every(shipment => shipment.failure.code === first.code);
  const issues = failed.map(({ id, failure }) => ({ path: id, message: failure.message }));
  const latest = failed
    .flatMap(({ failure }) => failure.facts.retryAt ?? [])
    .sort()
    .at(-1);
  const again = latest === undefined ? {} : { retryAt: latest };
  return new Failure(
    isAlike ? first.code : 'partial',
    { kind: 'shipments-unread', failed: failed.length, shipments: shipments.length },
    { operation: 'track', issues, ...(isAlike ? again : { retry: 'same' as const }) },
  );
}

// How shipments are waited for.

/** Waits until every shipment has reached the milestone or cannot be read, or until `maxWait` is over (`isLate`); both waits in seconds. */
async function watchShipments(
  session: Session,
  wanted: readonly Shipment[],
  milestone: string,
  interval: number,
  maxWait = Number.POSITIVE_INFINITY,
): Promise<{ shipments: Shipment[]; isLate: boolean }> {
  const { host, printer, globals } = session;
  const end = host.now() + maxWait * 1000;
  const shown = new Set<string>();
  const known = new Map<string, Shipment>();
  const isDrawn = canDraw(host, 'stderr') && !printer.json && !globals.quiet;
  let shownAt = host.now();
  let waited = wanted;
  for (let isFirst = true; ; isFirst = false) {
    for (const shipment of await readAll(session, waited)) {
      await showChange(session, shipment, shown);
      // While the service is away, the state that was read last stays.
      const name = legAndId(shipment);
      if (!known.has(name) || !isPassing(shipment)) known.set(name, shipment);
    }
    const shipments = [...known.values()];
    const open = shipments.filter(shipment => !shipment.failure && !hasReached(shipment.content, milestone));
    const names = new Set(open.map(legAndId));
    waited = wanted.filter(shipment => names.has(legAndId(shipment)));
    if (waited.length === 0) return { shipments, isLate: false };
    if (isFirst) await warnOfUnseen(session, milestone, shipments);
    const now = host.now();
    if (now >= end) return { shipments, isLate: true };
    const pause = Math.min(interval * 1000, end - now);
    const words = `last look ${timeWords(now, now)}, next look in ${duration(pause)}; ${waited.length} under way`;
    if (isDrawn) await printer.progress(words);
    else if (now - shownAt >= LINE_MS) {
      shownAt = now;
      await printer.note(words);
    }
    await host.sleep(pause, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

const isPassing = (shipment: Shipment): boolean =>
  shipment.failure !== undefined && ['unavailable', 'rate_limited'].includes(shipment.failure.code);

async function showChange(session: Session, shipment: Shipment, shown: Set<string>): Promise<void> {
  const news = shipment.failure?.message ?? milestoneWords(shipment.content) ?? 'no status yet';
  const line = `${shipmentWords(shipment)}: ${news}`;
  if (!shown.has(line)) await session.printer.note(line);
  shown.add(line);
}

/** Warns of a milestone that no answer has had: a milestone with a typing error would be waited for without end. */
async function warnOfUnseen(
  session: Session,
  milestone: string,
  shipments: readonly Shipment[],
): Promise<void> {
  const seenWords = shipments.flatMap(({ content }) => wordsOfShipment(content));
  const words = new Map([...SHOWN_MILESTONES, ...seenWords].map(word => [comparable(codeWords(word)), word]));
  if (words.has(comparable(codeWords(milestone)))) return;
  await session.printer.warn(
    `no answer has had the milestone ${JSON.stringify(milestone)} so far${didYouMean(milestone, words.values())}; it is waited for. Known so far: ${[...words.values()].join(', ')}`,
  );
}

/** Where no progress can be drawn, a line after so many ms says that the wait goes on. */
const LINE_MS = 10 * 60_000;

// How shipments are shown.

/** Shows a single shipment as its body, to people as its time line; several as an array, to people as a line each, in the typed order. */
async function showShipments(
  session: Session,
  shipments: readonly Shipment[],
  isList = false,
): Promise<void> {
  const { printer, globals, host } = session;
  const now = host.now();
  const [only] = shipments;
  if (!isList && only && shipments.length === 1) {
    const view: View<unknown> = {
      essential: () => [newestMilestone(only.content)],
      table: (_, look) => trackTable(only.content, look, now),
    };
    if (!only.failure) await printer.result(only.body, view);
    return;
  }
  if (printer.cells !== undefined && !globals.quiet && globals.query === undefined)
    return printer.plain(shipmentRows(shipments, now, printer.cells));
  // A table that has only errors would repeat what stderr says.
  if (!printer.json && shipments.length > 0 && shipments.every(shipment => shipment.failure)) return;
  await printer.result(shipments.map(bodyOrError), {
    essential: () =>
      shipments.map(shipment =>
        shipment.failure ? undefined : `${shipment.id} ${newestMilestone(shipment.content) ?? '-'}`,
      ),
    async table(_, look) {
      if (isList && shipments.length === 0) return 'No such shipment is under way.';
      if (isList) return listTable(shipments, SHIPMENT_COLUMNS, look, now);
      const shown = shipments.map(({ id, content, failure }) =>
        failure
          ? pairs(look, [
              ['Shipment', id],
              ['Error', failure.message],
            ])
          : trackTable(content, look, now),
      );
      return (await Promise.all(shown)).join('\n\n');
    },
  });
  if (isList && shipments.length > 0) await noteLeftOut(host, printer, SHIPMENT_COLUMNS);
}

/** The shipments that these names mean, each read once; and the failure, if some could not be read. */
export async function trackNamed(session: Session, refs: readonly string[]) {
  // Without an address and a credential the command ends here, before the journal is asked.
  await session.service.check(OPERATIONS.getShipment);
  const wanted = await shipmentsNamed(session, refs, []);
  for (const shipment of wanted) refuseNoId(shipment);
  const shipments = await readAll(session, wanted);
  return { shipments, failure: commonFailure(shipments) };
}

/** In a list, a shipment that failed is `{id, error}`. */
export const bodyOrError = (shipment: Shipment): unknown =>
  shipment.failure ? { id: shipment.id, ...failureJson(shipment.failure) } : shipment.body;

// Several shipments, each on a line: where the shipment is, since when, and what the journal knows.

const DAY_MS = 86_400_000;

/** Since when a shipment has been at its milestone, in ms since 1970; `undefined` if the service does not say it. */
const atMilestoneSince = (shipment: Shipment): number | undefined =>
  readMoment(milestoneSince(shipment.content));

/** The receiver of a shipment, from the journal; `undefined` if the journal has no booking of the shipment. */
const recordedReceiver = (shipment: Shipment) =>
  shipment.booking && receiverOf({ booking: shipment.booking, labels: [] });

/** The columns of the CSV: their names are a promise to scripts. */
const FIELDS = {
  key: shipment => shipment.booking?.key,
  shipmentId: shipment => shipment.id,
  leg: shipment => shipment.leg,
  receiver: shipment => recordedReceiver(shipment)?.name ?? receiverNamed(shipment.content).name,
  country: shipment => recordedReceiver(shipment)?.country ?? receiverNamed(shipment.content).country,
  carrier: shipment =>
    (shipment.booking &&
      (shipment.leg === 'domestic'
        ? textAt(shipment.booking.request, 'carriers.domestic.id')
        : bookingFacts(shipment.booking).carrier)) ??
    textAt(shipment.content, 'carrier.name'),
  trackingNumber: shipment => trackingNumberOf(shipment.content),
  milestone: shipment => newestMilestone(shipment.content),
  since: shipment => milestoneSince(shipment.content),
  bookedAt: shipment => shipment.booking && new Date(shipment.booking.at).toISOString(),
  days: (shipment, now) => shipment.booking && Math.floor((now - shipment.booking.at) / DAY_MS),
  error: shipment => shipment.failure?.message,
} satisfies Record<string, (shipment: Shipment, now: number) => Scalar>;

/** CSV: a header, and a line for each shipment. */
function shipmentRows(shipments: readonly Shipment[], now: number, cells: RowText): string {
  const rows = shipments.map(shipment => cells.row(Object.values(FIELDS).map(field => field(shipment, now))));
  return cells.head(Object.keys(FIELDS)) + rows.join('');
}

export const SHIPMENT_COLUMNS: readonly ListColumn<Shipment>[] = [
  {
    head: 'key or id',
    from: 0,
    cell: shipment => (shipment.booking?.key ? legOf(shipment.booking.key, shipment.leg) : shipment.id),
  },
  { head: 'receiver', from: 60, cell: FIELDS.receiver },
  { head: 'to', from: 100, align: 'whole', cell: FIELDS.country },
  { head: 'carrier', from: 120, cell: FIELDS.carrier },
  {
    head: 'milestone',
    from: 0,
    cell: (shipment, look) =>
      shipment.failure
        ? { text: shipment.failure.code.replaceAll('_', ' '), paint: look.red }
        : milestoneWords(shipment.content),
  },
  {
    head: 'since',
    from: 0,
    align: 'whole',
    cell: (shipment, _, now) => toldTime(milestoneSince(shipment.content), now),
  },
  { head: 'days', from: 100, align: 'right', cell: (shipment, _, now) => FIELDS.days(shipment, now) },
  { head: 'tracking', from: 80, align: 'whole', cell: FIELDS.trackingNumber },
  { head: 'shipment', from: 140, align: 'whole', cell: FIELDS.shipmentId },
];

/** The two legs of a pair have one key: the domestic leg is named beside it. */
const legOf = (key: string, leg: Leg): string => (leg === 'domestic' ? `${key} domestic` : key);

/** `ORDER-1, Anna Beispiel (shp_1)`: what the journal knows of a shipment, and its id. */
export function shipmentWords(shipment: Shipment): string {
  const { id, leg, booking } = shipment;
  if (booking === undefined) return id;
  const key = booking.key === null ? undefined : legOf(booking.key, leg);
  const words = [key, receiverOf({ booking, labels: [] }).name].filter(Boolean).join(', ');
  return words === '' ? id : `${words} (${id})`;
}
