// Records what became of unknown bookings, as a person found out: of some by their names, or of many by the CSV of
// `history list --state unknown`, with the column `resolution` filled in.

import { csvName, csvRows, mangledId } from '../../batch/csv-rows.ts';
import { type Booking, type NewSettlement, NOTHING_MADE, unlabelledBy } from '../../booking/booking.ts';
import { noCountsFrom } from '../../booking/standing.ts';
import { Failure } from '../../errors.ts';
import { FAILURES } from '../../exit-codes.ts';
import type { Journal } from '../../journal/journal.ts';
import { didYouMean } from '../../nearest.ts';
import { idsFor, idsOfOther, mayBe, nothingOf, readAs, saidToBe } from '../../order/created-as.ts';
import { doubtFacts, idsIfCreated, refuseStandIn } from '../../order/failure.ts';
import { findBooking, findBookings } from '../../order/find.ts';
import { targetFlags } from '../../order/options.ts';
import { typedFor } from '../../order/place-flags.ts';
import type { HistoryRow } from '../../output/columns.ts';
import { PLAIN } from '../../output/look.ts';
import { trackTable } from '../../output/shipment.ts';
import { safe, safeLines } from '../../output/text.ts';
import { refuseReserved } from '../../profile/settings.ts';
import { askProvider, createdFlags } from '../../say/booked.ts';
import { obstacleWords } from '../../say/obstacles.ts';
import { timeWords } from '../../say/words.ts';
import { declare, operand } from '../../session/command.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { someText } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { commandText, nameWords, numbered, shown, someOf } from '../../text.ts';
import type { SaidOutcome } from '../../wing.ts';
import { fromWing } from '../../wings.ts';
import {
  journalToSettle,
  recordSettlements,
  refuseObstacles,
  SETTLED,
  settleableFrom,
  showSettled,
  whoSettles,
} from './settle-bookings.ts';

const FLAGS = {
  created: flag('--created <id>', 'it exists: the id that the service gave it', {
    conflicts: ['notCreated', 'reopen'],
    read: someText,
  }),
  domestic: flag('--domestic <id>', 'of a pair: the id of the domestic shipment', { read: someText }),
  sameAs: flag('--same-as <ref>', 'it is one shipment with this other order, which has the costs', {
    conflicts: ['created', 'domestic', 'notCreated', 'reopen'],
    read: someText,
  }),
  notCreated: flag('--not-created', 'they do not exist: their keys may be booked again', {
    conflicts: ['reopen'],
  }),
  reopen: flag('--reopen', 'take back how they were resolved: they are unknown again'),
  file: flag('-f, --file <path>', 'a CSV of `history list --state unknown`, with "resolution"', {
    conflicts: ['created', 'domestic', 'sameAs', 'notCreated', 'reopen'],
  }),
  reason: flag('--reason <text>', 'how you know; it is kept in the record'),
  unchecked: flag('--unchecked', 'do not read the shipment of --created from the service'),
  force: flag('--force', 'record what is not created also while a carrier may still be at work on it'),
};

type ResolveOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# The answer is lost (exit 8). Say that nothing was created, and take it back.',
    'waybill schema ship --example > order.json',
    'waybill emulator --port 0 --fault reset-after:1 -- waybill ship -f order.json --key ORDER-1006 || test $? = 8',
    "waybill history resolve ORDER-1006 --not-created --reason 'support, ticket 4711' --force",
    'waybill history resolve ORDER-1006 --reopen',
  ],
  output: {
    ...SETTLED.output,
    json: `${SETTLED.output.json}; with --file {"file", "created", "notCreated", "left"}`,
  },
  exits: {
    usage:
      'it is not unknown, another booking has the shipment, the shipment goes to another receiver, --not-created comes too early (or --created without a label that was asked for), or --reopen too late',
    outcome_unknown: 'you were asked, and do not know it yet',
  },
  notes: {
    Notes: `With a REF alone it asks on a terminal whether the booking exists. A wrong --not-created books the order a second time: ask the provider of the service first, and believe a no only 15 minutes after the request was sent. Where nobody is asked, --not-created needs --reason, and until then --force; so does --created where a label that was asked for was not made (one of two, or those of a pair with --label), because it may be requested then. If it reads that from the service, it needs no reason. \`waybill help journal\` has all steps.`,
  },
  operands: [operand('[ref...]', SETTLED.refs.help)],
  flags: FLAGS,
  run: resolveBookings,
});

/** A booking, and how a person settles it. */
interface Resolution {
  booking: Booking;
  settlement: NewSettlement;
}

/** What a person says: with options about all bookings of the command, in a row of a file about one booking. */
interface Said extends Omit<SaidOutcome, 'sameAs'>, Pick<ResolveOptions, 'reopen' | 'force'> {
  /** Another booking, which is one shipment with the booking that is resolved. */
  sameAs?: Booking | undefined;
  reason?: string | undefined;
  unchecked?: boolean | undefined;
}

async function resolveBookings(
  session: Session,
  options: ResolveOptions,
  refs: readonly string[],
): Promise<void> {
  refuseReserved(session.limits(), 'resolve', 'history resolve');
  if (options.file !== undefined) return resolveFile(session, options.file, options, refs);
  checkOptions(session, options, refs);
  const { reopen } = options;
  const journal = await journalToSettle(session);
  const bookings = await findBookings(session, journal, refs, reopen ? 'booking' : 'unknown');
  const outcome = hasOutcome(options) ? options : await outcomeAsked(session, journal, bookings);
  const owner =
    outcome.sameAs === undefined ? undefined : await findBooking(session, journal, outcome.sameAs);
  const statement = { ...options, ...outcome, sameAs: owner };
  const resolutions = bookings.map(booking => resolutionFor(session, booking, statement));
  const settlements = resolutions.map(({ settlement }) => settlement);
  refuseObstacles(session, await journal.obstaclesTo(settlements));
  if (!options.unchecked)
    for (const resolution of resolutions)
      await compareWithService(session, resolution, body => showShipment(session, body));
  await confirmResolutions(session, journal, resolutions, `Resolve as ${outcomeWords(statement)}?`);
  const recorded = [...(await recordSettlements(session, journal, settlements)).values()];
  const keyHolders = new Map<string, Booking | undefined>();
  for (const booking of recorded) keyHolders.set(booking.id, await journal.holderOfKey(booking));
  await showSettled(session, recorded, (row, booking) =>
    reopen
      ? `Booking ${row.id} is ${row.state} again.`
      : resolvedWords(session, row, booking, keyHolders.get(row.id), owner),
  );
}

function outcomeWords(outcome: Said): string {
  const { reopen, sameAs, created } = outcome;
  if (reopen) return 'unknown again';
  if (sameAs) return `one shipment with booking ${sameAs.id}`;
  return created === undefined
    ? 'not created, so that it may be booked again'
    : `created as ${nameWords(created)}`;
}

function checkOptions(session: Session, options: ResolveOptions, refs: readonly string[]): void {
  const { created, domestic, sameAs, notCreated, reason } = options;
  const refuse = (why: string) => new Failure('usage', why);
  if (refs.length === 0)
    throw refuse(
      'name the bookings, or a file: `waybill history resolve REF... --not-created`, `waybill history resolve REF --created SHIPMENT_ID` or `waybill history resolve --file FILE`',
    );
  if (created === undefined && domestic !== undefined) throw refuse('--domestic goes with --created');
  if (sameAs !== undefined && refs.length > 1)
    throw refuse('--same-as is about one booking, and there are several: resolve them one by one');
  if (created !== undefined && refs.length > 1)
    throw refuse('--created is the shipment of one booking, and there are several: resolve them one by one');
  if (notCreated) requireReason(session, reason);
}

const hasOutcome = (options: ResolveOptions): boolean =>
  [options.created, options.sameAs, options.notCreated, options.reopen].some(Boolean);

/** Asks what became of the only booking. Throws `usage` where nobody is asked, `outcome_unknown` if the person does not know it yet. */
async function outcomeAsked(
  session: Session,
  journal: Journal,
  [booking, ...more]: readonly Booking[],
): Promise<SaidOutcome> {
  if (booking === undefined) return {};
  const { id } = booking;
  const typed = typedFor(session);
  if (booking.state !== 'unknown') refuseObstacles(session, [{ kind: 'state', id, booking }]);
  const sentAt = (await journal.lastSent([id])).get(id) ?? booking.at;
  const forms = fromWing('forms');
  if (!isAsked(session) || forms === undefined || session.printer.json || more.length > 0)
    throw new Failure(
      'usage',
      `say what became of booking ${id}. It exists: ${typed('resolve', id, ...createdFlags(idsIfCreated(booking)))}. The provider says that it does not (which counts from ${timeWords(noCountsFrom(sentAt))} on): ${typed('resolve', id, '--not-created', '--reason', 'TEXT')}`,
    );
  const askOutcome = await forms.outcome();
  const outcome = await askOutcome(session, booking, sentAt);
  if (outcome !== undefined) return outcome;
  throw new Failure('outcome_unknown', `booking ${id} is unknown as before, and nothing was changed`, {
    hint: askProvider({ ...(await doubtFacts(booking, journal)), booking: id, flags: targetFlags(session) }),
    booking: id,
    created: null,
  });
}

function resolvedWords(
  session: Session,
  row: HistoryRow,
  booking: Booking,
  keyHolder: Booking | undefined,
  owner: Booking | undefined,
): string {
  const { id, key, state, shipmentIds, exitCode } = row;
  if (state !== 'created') return `Booking ${id} is resolved: it was not created${keyWords(key, keyHolder)}.`;
  const unlabelled = unlabelledBy(booking);
  const shown =
    booking.operation === 'label' ? shipmentIds.filter(name => !unlabelled.includes(name)) : shipmentIds;
  const ids = shown.length > 0 ? ` as ${safe(shown.join(' and '))}` : '';
  if (owner)
    return `Booking ${id} is resolved: it is one shipment${ids} with booking ${owner.id}${owner.key === null ? '' : ` (key ${safe(owner.key)})`}, which has the costs.`;
  const price =
    exitCode === FAILURES.over_price.exit
      ? ` Its price is above --max-price, or cannot be compared with it: ${typedFor(session)('accept', id)} accepts it.`
      : '';
  const rest =
    unlabelled.length === 0
      ? ''
      : ` The label of ${safe(unlabelled.join(' and '))} is not recorded as made, and may be requested.`;
  const twice =
    keyHolder === undefined || keyHolder.id === id
      ? ''
      : ` Its key is that of booking ${keyHolder.id} (${keyHolder.state}): if both exist, have the provider cancel one of the two.`;
  return `Booking ${id} is resolved: it was created${ids}.${twice}${rest}${price}`;
}

/** Says that a key may be booked again now, or which booking (`holder`) still has the key. */
function keyWords(key: string | null, holder: Booking | undefined): string {
  if (key === null) return '';
  return holder === undefined
    ? `, and the key ${safe(key)} may be booked again`
    : `. The key ${safe(key)} is that of booking ${holder.id} (${holder.state})`;
}

// What a person says of one booking, with options or in a file.

/** Throws `usage` if what a person says does not fit the booking. */
function resolutionFor(session: Session, booking: Booking, outcome: Said): Resolution {
  const { created, domestic, sameAs, reopen, reason } = outcome;
  refuseStandIn(created);
  refuseStandIn(domestic);
  const ids = sameAs
    ? idsOfOther(booking, sameAs)
    : created === undefined
      ? undefined
      : idsFor(booking, created, domestic);
  if (reopen && booking.state === 'cancelled')
    throw new Failure('usage', `booking ${booking.id} was cancelled by the provider. Nothing was changed`, {
      hint: `${typedFor(session)('cancelled', booking.id, '--reopen')} takes that back`,
    });
  const kind = ids ? 'confirmed' : 'denied';
  const settlement: NewSettlement = {
    id: booking.id,
    kind: reopen ? 'reopened' : kind,
    ...(ids ? (outcome.unchecked || sameAs ? saidToBe : mayBe)(booking, ids) : NOTHING_MADE),
    ...(sameAs && { sameAs: sameAs.id, charged: nothingOf(booking) }),
    ...whoSettles(session, reason),
    mayBeEarly: outcome.force === true || isAsked(session),
  };
  const resolution = { booking, settlement };
  const unlabelled = labelsFreedBy(resolution);
  if (unlabelled.length > 0)
    requireReason(session, reason, `that the label of ${unlabelled.join(' and ')} was not made`);
  return resolution;
}

/** The shipments that may be labelled again after a resolution; none with `sameAs`: they stay with the other order. */
function labelsFreedBy(resolution: Resolution): string[] {
  const { booking, settlement } = resolution;
  return settlement.kind === 'confirmed' && settlement.sameAs === undefined
    ? unlabelledBy(booking, settlement)
    : [];
}

/** Throws `usage` if the reason is missing and nobody is asked for it. */
function requireReason(session: Session, reason: string | undefined, what = 'not created'): void {
  if (reason === undefined && !isAsked(session))
    throw new Failure(
      'usage',
      `${what} needs a reason where nobody is asked (--reason TEXT, or the column reason): who at the provider said so`,
    );
}

/** Puts into the settlement what the service tells of a shipment that a person says was created. Throws as `readAs` does. */
async function compareWithService(
  session: Session,
  resolution: Resolution,
  showBody: (body: unknown) => Promise<void>,
): Promise<void> {
  const { booking, settlement } = resolution;
  // With --same-as, the other booking has the answer of the service already.
  if (settlement.kind !== 'confirmed' || settlement.sameAs !== undefined) return;
  Object.assign(settlement, await readAs(session, booking, settlement.ids, showBody));
}

/** Shows a shipment on stderr, so that people see it before they confirm. */
async function showShipment(session: Session, body: unknown): Promise<void> {
  if (session.printer.json) return session.printer.note(JSON.stringify(body));
  const [first = '', ...rest] = (await trackTable(body, PLAIN, session.host.now())).split('\n');
  await session.printer.note(first, rest);
}

/** Is a person asked before a resolution is recorded? */
const isAsked = (session: Session): boolean => session.interactive && !session.globals.yes;

/** Asks a person to confirm. The question names the bookings, and tells when those were sent that become free. Throws `interrupted`. */
async function confirmResolutions(
  session: Session,
  journal: Journal | undefined,
  resolutions: readonly Resolution[],
  question: string,
): Promise<void> {
  if (!isAsked(session) || resolutions.length === 0) return;
  const { quotedName, sentWords } = await import('../../order/question.ts');
  const freed = resolutions.filter(
    resolution => resolution.settlement.kind === 'denied' || labelsFreedBy(resolution).length > 0,
  );
  const names = someOf((freed.length > 0 ? freed : resolutions).map(({ booking }) => quotedName(booking)));
  const times = [...((await journal?.lastSent(freed.map(({ booking }) => booking.id)))?.values() ?? [])];
  const sent = times.length === 0 ? '' : `${sentWords(times, session.host.now())}. `;
  const text = `${question} ${sent}${names}`;
  if (!(await session.confirm(text)))
    throw new Failure('interrupted', 'the answer was not yes; no booking was changed');
}

// Resolving by a file: all of the file is read and checked before anything is recorded.

async function resolveFile(
  session: Session,
  file: string,
  options: ResolveOptions,
  refs: readonly string[],
): Promise<void> {
  if (refs.length > 0) throw new Failure('usage', '--file names the bookings; leave out the others');
  // If no row of the file resolves a booking, the journal may be missing.
  const journal = await session.openJournal('change');
  const { resolutions, left } = await readFile(session, journal, file, options);
  const created = resolutions.filter(({ settlement }) => settlement.kind === 'confirmed').length;
  const notCreated = resolutions.length - created;
  await confirmResolutions(
    session,
    journal,
    resolutions,
    `Record of ${resolutions.length} bookings that ${created} exist, and that ${notCreated} do not and may be booked again?`,
  );
  refuseObstacles(session, (await journal?.settle(resolutions.map(({ settlement }) => settlement))) ?? []);
  await session.printer.result(
    { file, created, notCreated, left },
    {
      essential: () => [resolutions.length],
      table: () =>
        `Resolved: ${created} created, ${notCreated} not created. Rows without a resolution: ${left}.`,
    },
  );
}

/** Failures that are the fault of one row, and not of the service or the credential. */
const OF_A_ROW: readonly string[] = ['usage', 'not_found', 'invalid_request'];

/** Throws `invalid_request` with the problems of all rows, or the failure of a read that is no fault of a row. */
async function readFile(
  session: Session,
  journal: Journal | undefined,
  path: string,
  options: ResolveOptions,
): Promise<{ resolutions: Resolution[]; left: number }> {
  const problems: { line: number; message: string }[] = [];
  const tried = async (line: number, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure) || !OF_A_ROW.includes(error.code)) throw error;
      problems.push({ line, message: error.message });
    }
  };
  const rows = new Map<string, Resolution & { line: number }>();
  let left = 0;
  for await (const { line, cell } of resolutionRows(session, path)) {
    if (cell('resolution') === '') left += 1;
    else
      await tried(line, async () => {
        const id = cell('id');
        const before = rows.get(id);
        if (before) throw new Failure('usage', `booking ${id} is on line ${before.line} already`);
        const booking = await journal?.byId(id);
        if (booking === undefined)
          throw new Failure('usage', `the journal has no booking with the id ${shown(id)}`);
        const statement = statementIn(session, booking, cell, options);
        rows.set(id, { ...resolutionFor(session, booking, statement), line });
      });
  }
  const resolutions = [...rows.values()];
  const obstacles = (await journal?.obstaclesTo(resolutions.map(({ settlement }) => settlement))) ?? [];
  for (const obstacle of obstacles)
    problems.push({
      line: rows.get(obstacle.id)?.line ?? 0,
      message: obstacleWords(obstacle, typedFor(session)),
    });
  const blocked = new Set(obstacles.map(({ id }) => id));
  for (const resolution of options.unchecked ? [] : resolutions) {
    if (blocked.has(resolution.booking.id)) continue;
    void session.printer.progress(`reading line ${resolution.line}`);
    await tried(resolution.line, () => compareWithService(session, resolution, async () => {}));
  }
  await session.printer.progress('');
  if (problems.length === 0) return { resolutions, left };
  problems.sort((first, second) => first.line - second.line);
  throw new Failure(
    'invalid_request',
    `${csvName(path)} has ${numbered(problems.length, 'problem')}, and nothing was changed`,
    {
      issues: problems.map(({ line, message }) => ({ path: `line ${line}`, message })),
      ...(problems.length === obstacles.length && settleableFrom(obstacles)),
    },
  );
}

type NamedCell = (column: string) => string;

async function* resolutionRows(
  session: Session,
  path: string,
): AsyncGenerator<{ line: number; cell: NamedCell }> {
  let header: readonly string[] = [];
  const list = ['waybill', 'history', 'list', '--state', 'unknown', '-o', 'csv', ...targetFlags(session)];
  const rows = csvRows(session.host, path, titles => {
    header = titles;
    for (const column of ['id', 'resolution'])
      if (!titles.includes(column))
        throw new Failure(
          'invalid_request',
          `${csvName(path)} has no column ${column}. \`${commandText(list)} > unknown.csv\` writes all columns; fill in "resolution", and "shipmentId" of what was created. Nothing was changed`,
        );
  });
  for await (const { line, cell } of rows) yield { line, cell: column => cell(header.indexOf(column)) };
}

const RESOLUTIONS = ['created', 'not-created'];

/** What a row of the file says of a booking. Throws `usage`. */
function statementIn(session: Session, booking: Booking, cell: NamedCell, options: ResolveOptions): Said {
  const refuse = (why: string) => new Failure('usage', why);
  const resolution = cell('resolution').toLowerCase();
  if (!RESOLUTIONS.includes(resolution))
    throw refuse(
      `the resolution is ${shown(resolution)}; it must be ${RESOLUTIONS.join(' or ')}, or empty${didYouMean(resolution, RESOLUTIONS)}`,
    );
  // `history list` writes into this column why the booking is unknown: that text is no reason of a person.
  const written = withoutBreaks(cell('reason'));
  const reason =
    written !== '' && written !== withoutBreaks(safeLines(booking.why)) ? written : options.reason;
  const statement = { reason, force: options.force === true, unchecked: options.unchecked };
  if (resolution === 'not-created') {
    requireReason(session, reason);
    return statement;
  }
  const created = cell('shipmentId');
  const domestic = cell('domesticShipmentId');
  if (created === '') throw refuse('the resolution is created, and there is no shipmentId');
  const mangled = mangledId(created) ?? mangledId(domestic);
  if (mangled) throw refuse(mangled);
  return { ...statement, created, domestic: domestic === '' ? undefined : domestic };
}

/** Spreadsheets may change blanks and line breaks. */
const withoutBreaks = (text: string): string => text.replace(/\s+/g, ' ').trim();
