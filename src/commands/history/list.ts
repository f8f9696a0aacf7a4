import { type Command, InvalidArgumentError, Option } from 'commander';
import { COUNTRIES } from '../../contract/countries.ts';
import { countryFault } from '../../contract/country-names.ts';
import { OPERATIONS, type OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { STATES, type State } from '../../journal/booking.ts';
import type { OrderFilter } from '../../journal/types.ts';
import type { Act } from '../../session/command.ts';
import { atLeastOne, someText } from '../../session/globals.ts';
import { addPage } from '../../session/page.ts';
import type { Session } from '../../session/session.ts';
import { type Moment, parseMoment } from '../../session/time.ts';
import { FIRST_PAGE, showPages } from './pages.ts';
import { pagesOf, placeIn } from './read-orders.ts';

interface ListOptions {
  state?: State[];
  since?: Moment;
  until?: Moment;
  key?: string;
  operation?: OperationCommand;
  search?: string;
  country?: string;
  carrier?: string;
  limit?: number;
  before?: string;
}

const BOOKING_COMMANDS = Object.values(OPERATIONS).flatMap(({ books, command }) => (books ? command : []));

export function defineList(command: Command, act: Act): void {
  command
    .option('--state <state>', `only these; repeatable (${STATES.join(', ')})`, states)
    .option('--since <time>', 'booked since then: 7d, 12h, or a date', parseMoment)
    .option('--until <time>', 'booked until then', parseMoment)
    .option('--key <key>', 'with this key', someText)
    .addOption(new Option('--operation <name>', 'of this operation').choices(BOOKING_COMMANDS))
    .option(
      '--search <text>',
      'with these words of the receiver, or a key, shipment id or tracking number, by their beginnings',
      someText,
    )
    .option('--country <cc>', 'to this country')
    .option('--carrier <carrier>', 'with this carrier', someText)
    .option('--limit <n>', `at most this many (a table on a terminal: ${FIRST_PAGE})`, atLeastOne)
    .option('--before <booking>', 'only those before this booking: the next page')
    .action(act<ListOptions>(list));
  addPage(command, {
    examples: [
      '# List the orders since yesterday.',
      'waybill history list --since 1d',
      '# Find an order by how names begin, in any case and without accents.',
      'waybill history list --search "mul munch"',
      '# List the bookings that may or may not exist. Resolve them.',
      'waybill history list --state unknown',
    ],
    output: {
      table: `a line for each order, on a terminal the first ${FIRST_PAGE}; times of this machine. A price above --max-price is marked with !`,
      quiet: 'the id of each booking',
      json: 'a list, as `waybill schema history` describes it; times are UTC',
    },
    exits: { not_found: 'the journal has no booking with the id of --before' },
    notes: {
      'What is listed': `A label that was made is a part of its shipment; one that failed or is unknown has its own row. Bookings of the profile demo are listed where it is in force, all others elsewhere; --profile and --run on the command line list those of that profile and run.

CSV always has the same columns: key, state, at, receiver, country, carrier, price, currency, overPrice, shipmentId, trackingNumber, domesticShipmentId, domesticTrackingNumber, labelFile, reason, httpStatus, run, actor, profile, operation, id, resolution.`,
    },
  });
}

function states(written: string, before: State[] = []): State[] {
  const state = STATES.find(known => known === written);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${STATES.join(', ')}.`);
  return [...before, state];
}

/** Throws `usage`. */
function countryCode(written: string): string {
  const code = written.trim().toUpperCase();
  if (COUNTRIES.has(code)) return code;
  const { message, suggestion } = countryFault(written);
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  throw new Failure('usage', `history list: --country ${message}${hint}`);
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { state, since, until, before, limit, country, ...named } = options;
  const toCountry = country === undefined ? {} : { country: countryCode(country) };
  const journal = await session.openJournal('look');
  if (before !== undefined && !(await journal?.byId(before)))
    throw new Failure(
      'not_found',
      `the journal has no booking ${JSON.stringify(before)} to continue from. --before takes the id of a booking that \`waybill history list --json\` shows`,
    );
  const filter: Omit<OrderFilter, 'limit'> = {
    ...named,
    ...toCountry,
    ...placeIn(session),
    ...(session.globals.run !== undefined && { run: session.globals.run }),
    ...(state && { states: state }),
    ...(since && { since: since(session.host.now()) }),
    ...(until && { until: until(session.host.now()) }),
    ...(before !== undefined && { before }),
  };
  await showPages(session, limit, most => pagesOf(session, journal, filter, most));
}
