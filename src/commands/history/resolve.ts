import { type Command, Option } from 'commander';
import { FAILURES, Failure } from '../../errors.ts';
import { type Booking, type NewSettlement, NOTHING_MADE } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { findBookingsOrLabels } from '../../order/find.ts';
import { type HistoryRow, historyRow } from '../../output/columns.ts';
import { safe } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { type Act, addPage } from '../../session/command.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import {
  type CreatedAs,
  isAsked,
  readAs,
  recordSettlements,
  refuseObstacles,
  saidToBe,
  sentWords,
  showShipment,
  whoSettles,
} from './settle.ts';
import { readResolutions } from './settle-file.ts';

interface ResolveOptions {
  created?: string;
  domestic?: string;
  notCreated?: boolean;
  reopen?: boolean;
  reason?: string;
  unchecked?: boolean;
  force?: boolean;
  file?: string;
}

export function define(command: Command, act: Act): void {
  command
    .argument(
      '[ref...]',
      'bookings, each by its id in the journal, its key, a shipment id or a tracking number',
    )
    .addOption(
      new Option('--created <id>', 'it exists: the id that the service gave it')
        .conflicts(['notCreated', 'reopen'])
        .argParser(someText),
    )
    .option('--domestic <id>', 'of a pair: the id of the domestic shipment', someText)
    .addOption(
      new Option('--not-created', 'they do not exist: their keys may be booked again').conflicts('reopen'),
    )
    .option('--reopen', 'take back how they were resolved: they are unknown again')
    .addOption(
      new Option('-f, --file <path>', 'a CSV of `history list --state unknown`, with "resolution"').conflicts(
        ['created', 'domestic', 'notCreated', 'reopen'],
      ),
    )
    .option('--reason <text>', 'how you know; it is kept in the record')
    .option('--unchecked', 'do not read the shipment of --created from the service')
    .option('--force', 'not created: record it also while a carrier may still be at work on it')
    .action(act<ResolveOptions>(resolve));
  addPage(command, {
    examples: [
      '# The answer is lost (exit 8). Say that nothing was created, and take it back.',
      'waybill schema ship --example > order.json',
      'waybill emulator --port 0 --fault reset-after:1 -- waybill ship -f order.json --key ORDER-1006 || test $? = 8',
      "waybill history resolve ORDER-1006 --not-created --reason 'support, ticket 4711' --force",
      'waybill history resolve ORDER-1006 --reopen',
    ],
    output: {
      table: 'the new state of each booking; with --created, stderr shows the shipment first',
      quiet: 'the id of each booking',
      json: 'a row of `waybill schema history`; a list if several are resolved; with --file {"file", "created", "notCreated", "left"}',
    },
    exits: {
      usage:
        'it is not unknown, another booking has the shipment, the shipment goes to another receiver, --not-created comes too early, or --reopen too late',
      not_found: 'the journal has no such booking, or the service has no such shipment',
    },
    notes: {
      Notes: `A wrong --not-created books the order a second time. Ask the provider of the service first, and believe a no only from 15 minutes after the request was sent: until then --not-created is refused without a terminal and with --yes, unless --force is given, and it needs --reason there. \`waybill help journal\` has all steps, also for a file of many.`,
    },
  });
}

async function resolve(session: Session, options: ResolveOptions, refs: readonly string[]): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history resolve');
  if (options.file !== undefined) return resolveFile(session, options.file, options, refs);
  checkOptions(session, options, refs);
  const journal = await session.openJournal('add');
  const bookings = await meantBy(session, journal, refs, options);
  const settlements = bookings.map(booking => settlementFor(session, booking, options));
  refuseObstacles(await journal.obstaclesTo(settlements));
  const [first] = bookings;
  const [settlement] = settlements;
  // Of several none is created.
  if (first && settlement && options.created !== undefined && !options.unchecked)
    Object.assign(
      settlement,
      await readAs(session, first, asCreated(options), body => showShipment(session, body)),
    );
  await confirm(session, bookings, settlements, options);
  const rows = (await recordSettlements(journal, settlements)).map(historyRow);
  const [row] = rows;
  if (row && rows.length === 1)
    return session.printer.result(row, { essential: ({ id }) => [id], table: one => sentence(one, options) });
  await session.printer.result(rows, {
    essential: all => all.map(({ id }) => id),
    table: all => all.map(one => sentence(one, options)).join('\n'),
  });
}

/** `2 bookings were resolved: 1 created, 1 not created.` */
function countsWords(created: number, notCreated: number): string {
  const all = created + notCreated;
  return `${all} ${all === 1 ? 'booking was' : 'bookings were'} resolved: ${created} created, ${notCreated} not created.`;
}

const FORMS =
  '`waybill history resolve REF... --not-created`, `waybill history resolve REF --created SHIPMENT_ID` or `waybill history resolve --file FILE`';

async function resolveFile(
  session: Session,
  file: string,
  options: ResolveOptions,
  refs: readonly string[],
): Promise<void> {
  if (refs.length > 0) throw new Failure('usage', '--file names the bookings; leave out the others');
  const journal = await session.openJournal('add');
  const { settlements, left, ...read } = await readResolutions(session, journal, file, options);
  const notCreated = read.notCreated.length;
  const created = settlements.length - notCreated;
  await confirmCounts(session, created, read.notCreated);
  await recordSettlements(journal, settlements);
  await session.printer.result(
    { file, created, notCreated, left },
    {
      essential: () => [settlements.length],
      table: () =>
        `${countsWords(created, notCreated)}${left === 0 ? '' : ` ${left} ${left === 1 ? 'row without a resolution was' : 'rows without a resolution were'} left.`}`,
    },
  );
}

async function confirmCounts(
  session: Session,
  created: number,
  notCreated: readonly Booking[],
): Promise<void> {
  const { length } = notCreated;
  if (!isAsked(session) || created + length === 0) return;
  const sent = length === 0 ? '' : `${sentWords(notCreated, session.host.now())}. `;
  const question = `${sent}Record of ${created + length} bookings that ${created} exist, and that ${length} do not and may be booked again?`;
  if (!(await session.confirm(question))) throw new Failure('interrupted', 'no booking was changed');
}

/** Each once. */
async function meantBy(
  session: Session,
  journal: Journal,
  refs: readonly string[],
  options: ResolveOptions,
): Promise<Booking[]> {
  const found = new Map<string, Booking>();
  for (const named of await findBookingsOrLabels(session, journal, refs)) {
    const booking = await meant(journal, named, options);
    found.set(booking.id, booking);
  }
  return [...found.values()];
}

/** A person who names a shipment that is known means its label, if that is what is unknown. */
async function meant(journal: Journal, booking: Booking, { reopen }: ResolveOptions): Promise<Booking> {
  if (reopen || booking.state === 'unknown') return booking;
  for (const shipment of Object.values(booking.ids)) {
    const label = await journal.bookingOfLabel(booking, shipment);
    if (label?.booking.state === 'unknown') return label.booking;
  }
  return booking;
}

function checkOptions(
  session: Session,
  { created, domestic, notCreated, reopen, reason }: ResolveOptions,
  refs: readonly string[],
): void {
  if (refs.length === 0) throw new Failure('usage', `name the bookings, or a file: ${FORMS}`);
  if (created === undefined && !notCreated && !reopen)
    throw new Failure(
      'usage',
      `give --created ID if the booking exists, or --not-created${isAsked(session) ? '' : ' --reason TEXT'} if the provider of the service says that it does not; --reopen takes that back`,
    );
  if (created === undefined && domestic !== undefined)
    throw new Failure('usage', '--domestic goes with --created');
  if (created !== undefined && refs.length > 1)
    throw new Failure(
      'usage',
      '--created is the shipment of one booking, and there are several: resolve them one by one',
    );
  if (notCreated && reason === undefined && !isAsked(session))
    throw new Failure(
      'usage',
      '--not-created needs --reason TEXT where nobody is asked: who at the provider of the service said so',
    );
}

const asCreated = ({ created = '', domestic }: ResolveOptions): CreatedAs => ({ created, domestic });

function settlementFor(session: Session, booking: Booking, options: ResolveOptions): NewSettlement {
  const { created, reopen, reason, force } = options;
  const said = created === undefined ? NOTHING_MADE : saidToBe(booking, asCreated(options));
  const state = reopen ? 'reopened' : created === undefined ? 'rejected' : 'created';
  const mayBeEarly = force === true || isAsked(session);
  return { id: booking.id, state, ...said, ...whoSettles(session, reason), mayBeEarly };
}

async function confirm(
  session: Session,
  bookings: readonly Booking[],
  settlements: readonly NewSettlement[],
  { created, notCreated, unchecked }: ResolveOptions,
): Promise<void> {
  if (!isAsked(session)) return;
  const ids = settlements.map(({ id }) => id);
  const words: Partial<Record<NewSettlement['state'], string>> = {
    created: unchecked ? `it was created as ${created}` : 'it was created, as shown above',
    rejected:
      ids.length > 1
        ? 'they were not created, and may be booked again'
        : 'it was not created, and may be booked again',
    reopened: 'that is taken back',
  };
  const [first] = settlements;
  const what = ids.length > 1 ? `${ids.length} bookings` : `booking ${ids[0]}`;
  const sent = notCreated ? `${sentWords(bookings, session.host.now())}. ` : '';
  if (first && (await session.confirm(`${sent}Resolve ${what}: ${words[first.state]}?`))) return;
  throw new Failure('interrupted', `${what} ${ids.length > 1 ? 'are' : 'is'} unchanged`);
}

function sentence({ id, key, state, shipmentIds, exitCode }: HistoryRow, { reopen }: ResolveOptions): string {
  if (reopen) return `Booking ${id} is ${state} again.`;
  if (state === 'created')
    return `Booking ${id} is resolved: it was created${shipmentIds.length > 0 ? ` as ${safe(shipmentIds.join(' and '))}` : ''}.${exitCode === FAILURES.over_price.exit ? ` Its price is above --max-price, or cannot be compared with it: \`waybill history accept ${id}\` accepts it.` : ''}`;
  return `Booking ${id} is resolved: it was not created${key === null ? '' : `, and the key ${safe(key)} may be booked again`}.`;
}
