import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Booking, type Filter, STATES, type State } from '../booking/journal.ts';
import type { OperationCommand } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { parseJson } from '../http/words.ts';
import { money, type Price } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { pairs, table } from '../output/table.ts';
import type { Act } from './act.ts';
import { count } from './globals.ts';
import { groupHelp } from './help.ts';
import { findBooking } from './history-find.ts';
import { defineResolve } from './history-resolve.ts';
import { type HistoryRow, historyRow } from './history-row.ts';
import type { Session } from './session.ts';

interface ListOptions {
  state?: State[];
  since?: Moment;
  until?: Moment;
  key?: string;
  operation?: OperationCommand;
  limit?: number;
}

/** A point in time: ms since 1970, or that long ago. */
type Moment = { at: number } | { ago: number };

const BOOKING_COMMANDS = Object.values(OPERATIONS).flatMap(({ books, command }) => (books ? command : []));

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  sub('list', 'the bookings, the newest first')
    .addOption(
      new Option('--state <state>', `only these; repeatable (${STATES.join(', ')})`).argParser(states),
    )
    .option('--since <time>', 'booked since then: 7d, 12h, or a date', moment)
    .option('--until <time>', 'booked until then', moment)
    .option('--key <key>', 'with this key')
    .addOption(new Option('--operation <name>', 'of this operation').choices(BOOKING_COMMANDS))
    .option('--limit <n>', 'at most so many', count)
    .action(act<ListOptions>(list));
  sub('show', 'all that is known of a booking')
    .argument('<id|key>', 'its id in the journal, or its key')
    .option('--show-secret', 'secret and token of a subscription too')
    .action(act<{ showSecret?: boolean }>(show));
  defineResolve(sub('resolve', 'settle a booking whose outcome is unknown'), act);
  sub('prune', 'drop requests, answers and labels of old bookings; keys and ids stay')
    .requiredOption('--older-than <time>', 'such as 365d', moment)
    .action(act<{ olderThan: Moment }>(prune));
  groupHelp(command);
}

function states(written: string, before: State[] = []): State[] {
  const state = STATES.find(known => known === written);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
  return [...before, state];
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

function moment(written: string): Moment {
  const [, number, unit = ''] = /^(\d+)([smhdw])$/.exec(written) ?? [];
  if (number !== undefined) return { ago: Number(number) * (UNITS[unit] ?? 0) };
  const at = Date.parse(written);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be such as 7d, 12h or 2026-03-02.');
  return { at };
}

const timeOf = (moment: Moment, { host }: Session): number =>
  'at' in moment ? moment.at : host.now() - moment.ago;

async function list(
  session: Session,
  { state, since, until, key, operation, limit }: ListOptions,
): Promise<void> {
  const journal = await session.journalIfThere();
  const filter: Filter = {
    ...(state && { states: state }),
    ...(since && { since: timeOf(since, session) }),
    ...(until && { until: timeOf(until, session) }),
    ...(key !== undefined && { key }),
    ...(operation && { operation }),
    ...(limit !== undefined && { limit }),
  };
  await session.printer.result(((await journal?.list(filter)) ?? []).map(historyRow), listView);
}

const listView: View<HistoryRow[]> = {
  essential: rows => rows.map(row => row.id),
  table: async (rows, look) =>
    rows.length === 0
      ? 'No bookings.'
      : table(look, {
          head: ['booking', 'when', 'operation', 'key', 'state', 'shipments', 'price'],
          align: ['whole', 'left', 'left', 'whole', 'left', 'whole', 'right'],
          rows: rows.map(row => [
            row.id,
            row.at,
            row.operation,
            row.key,
            row.state === 'unknown' ? { text: row.state, paint: look.red } : row.state,
            row.shipmentIds.join(' '),
            money(row.price as Price, row.currency),
          ]),
        }),
};

async function show(session: Session, options: { showSecret?: boolean }, name: string): Promise<void> {
  const booking = await findBooking(await session.journalIfThere(), name);
  await session.printer.result(detail(booking, options.showSecret === true), detailView);
}

const SECRETS = ['secret', 'token'];
const MASK = '(shown with --show-secret)';

/** A booking whole; what is given only once is masked unless asked for. */
function detail(booking: Booking, showSecret: boolean) {
  const answer = booking.answer === null ? null : (parseJson(booking.answer) ?? booking.answer);
  const { holder, request, why, httpStatus, settledAt, sandbox, account, labels, files } = booking;
  return {
    ...historyRow(booking),
    account,
    sandbox,
    settledAt: settledAt === null ? null : new Date(settledAt).toISOString(),
    why,
    httpStatus,
    labels,
    files,
    bookedBy: holder,
    request,
    answer: showSecret ? answer : masked(answer),
  };
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRETS.includes(name) && inner !== null ? MASK : masked(inner),
    ]),
  );
}

const detailView: View<ReturnType<typeof detail>> = {
  essential: body => [body.state],
  table: (body, look) =>
    pairs(look, [
      ['Booking', body.id],
      ['Operation', body.operation],
      ['Key', body.key],
      ['State', body.state],
      ['Why', body.why],
      ['Booked', body.at],
      ['Settled', body.settledAt],
      ['Address', body.address],
      ['Profile', body.profile],
      ['Shipments', body.shipmentIds.join(' ')],
      ['Tracking numbers', body.trackingNumbers.join(' ')],
      ['Carrier', body.carrier],
      ['Price', money(body.price as Price, body.currency)],
      ['Label files', Object.values(body.files).join(' ')],
      ['Booked by', `process ${body.bookedBy.process} on ${body.bookedBy.host}`],
      ['Request', body.request === null ? 'pruned' : JSON.stringify(body.request)],
      [
        'Answer',
        body.answer === null
          ? undefined
          : typeof body.answer === 'string'
            ? body.answer
            : JSON.stringify(body.answer),
      ],
    ]),
};

async function prune(session: Session, { olderThan }: { olderThan: Moment }): Promise<void> {
  const journal = await session.journalIfThere();
  const pruned = (await journal?.prune(timeOf(olderThan, session))) ?? 0;
  await session.printer.result(
    { pruned },
    {
      essential: body => [body.pruned],
      table: async body =>
        `${body.pruned} bookings pruned: requests, answers and labels dropped, keys and ids kept.`,
    },
  );
}
