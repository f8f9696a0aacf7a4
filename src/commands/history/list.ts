import { type Command, InvalidArgumentError, Option } from 'commander';
import { OPERATIONS, type OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import { type Filter, type Journal, STATES, type State } from '../../journal/journal.ts';
import type { Act } from '../../session/command.ts';
import { count } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { type HistoryRow, historyRow } from '../../views/booking-row.ts';
import { FIRST_PAGE, showPages } from './pages.ts';
import { type Moment, parseMoment } from './time.ts';

interface ListOptions {
  state?: State[];
  since?: Moment;
  until?: Moment;
  key?: string;
  operation?: OperationCommand;
  limit?: number;
  before?: string;
}

const BOOKING_COMMANDS = Object.values(OPERATIONS).flatMap(({ books, command }) => (books ? command : []));

export function defineList(command: Command, act: Act): void {
  command
    .option('--state <state>', `only these; repeatable (${STATES.join(', ')})`, states)
    .option('--since <time>', 'booked since then: 7d, 12h, or a date', parseMoment)
    .option('--until <time>', 'booked until then', parseMoment)
    .option('--key <key>', 'with this key')
    .addOption(new Option('--operation <name>', 'of this operation').choices(BOOKING_COMMANDS))
    .option('--limit <n>', `at most this many (a table on a terminal: ${FIRST_PAGE})`, count)
    .option('--before <id>', 'only those before this booking: the next page')
    .action(act<ListOptions>(list));
}

function states(written: string, before: State[] = []): State[] {
  const state = STATES.find(known => known === written);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
  return [...before, state];
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { state, since, until, key, operation, before, limit } = options;
  const journal = await session.journalIfThere();
  if (before !== undefined && !(await journal?.byId(before)))
    throw new Failure(
      'not_found',
      `the journal has no booking ${JSON.stringify(before)} to continue from. --before takes the id of a booking that \`waybill history list\` shows`,
    );
  const filter: Filter = {
    ...(state && { states: state }),
    ...(since && { since: since(session.host.now()) }),
    ...(until && { until: until(session.host.now()) }),
    ...(key !== undefined && { key }),
    ...(operation && { operation }),
  };
  await showPages(session, limit, (most, after = before) =>
    pagesOf(session, journal, { ...filter, ...(after !== undefined && { before: after }) }, most),
  );
}

/** How many are read at a time: memory does not grow with the journal. */
const PAGE = 1000;

async function* pagesOf(
  { host }: Session,
  journal: Journal | undefined,
  filter: Filter,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<HistoryRow[]> {
  let { before } = filter;
  for (let left = most; journal !== undefined && left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page = await journal.list({ ...filter, ...(before !== undefined && { before }), limit });
    if (page.length > 0) yield page.map(historyRow);
    if (page.length < limit) return;
    before = page.at(-1)?.id;
    if (host.interrupted.aborted)
      throw interruption(host.interrupted, 'there are more bookings than were shown');
  }
}
