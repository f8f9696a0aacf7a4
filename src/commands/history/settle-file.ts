// Many unknown bookings at once: the CSV of `history list --state unknown`, with the column `resolution` filled in.
import { csvRecords } from '../../batch/csv.ts';
import { decodedText } from '../../batch/encoding.ts';
import type { Issue } from '../../contract/operation.ts';
import { Failure, type FailureFacts, messageOf } from '../../errors.ts';
import { type Booking, type NewSettlement, NOTHING_MADE } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { didYouMean } from '../../nearest.ts';
import { unescapeFormula } from '../../output/csv.ts';
import { safeLines } from '../../output/text.ts';
import { inputBytes } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { shown } from '../../text.ts';
import { type CreatedAs, isAsked, obstacleWords, readAs, retryTime, saidToBe, whoSettles } from './settle.ts';

interface FileOptions {
  reason?: string | undefined;
  unchecked?: boolean | undefined;
  force?: boolean | undefined;
}

/** What a file says, checked. */
interface FileSays {
  settlements: NewSettlement[];
  /** What is said not to exist. */
  notCreated: Booking[];
  /** How many rows have no resolution. */
  left: number;
}

const RESOLUTIONS = ['created', 'not-created'] as const;

/** A row with a resolution. */
interface Row {
  line: number;
  id: string;
  resolution: string;
  created: string;
  domestic: string;
  /** As the file has it: `history list` fills it in with why the booking is unknown. */
  reason: string;
}

interface Known extends Row {
  booking: Booking;
  as: CreatedAs | undefined;
  settlement: NewSettlement;
}

/** Reads all of it before anything is written. Throws `invalid_request` with all problems, and what the reads throw. */
export async function readResolutions(
  session: Session,
  journal: Journal,
  path: string,
  options: FileOptions,
): Promise<FileSays> {
  const name = path === '-' ? 'stdin' : path;
  const issues: Issue[] = [];
  const problem = ({ line }: Pick<Row, 'line'>, message: string) =>
    void issues.push({ path: `line ${line}`, message });
  const { rows, left } = await rowsOf(session, path, name);
  const known: Known[] = [];
  const lines = new Map<string, number>();
  const given = new Map<string, number>();
  for (const row of rows) {
    const before = lines.get(row.id);
    if (before !== undefined) problem(row, `booking ${row.id} is on line ${before} already`);
    lines.set(row.id, before ?? row.line);
    const found = await knownRow(session, journal, row, options).catch(refusal => {
      if (!(refusal instanceof Failure) || !OF_A_ROW.includes(refusal.code)) throw refusal;
      return messageOf(refusal);
    });
    if (typeof found === 'string') problem(row, found);
    else if (before === undefined) {
      const names = shipmentNames(found);
      const twice = names.find(([name]) => given.has(name));
      if (twice) problem(row, `${twice[1]} is given twice: line ${given.get(twice[0])} has it already`);
      else known.push(found);
      for (const [name] of names) if (!given.has(name)) given.set(name, row.line);
    }
  }
  const obstacles = await journal.obstaclesTo(known.map(({ settlement }) => settlement));
  for (const obstacle of obstacles) problem({ line: lines.get(obstacle.id) ?? 0 }, obstacleWords(obstacle));
  const held = new Set(obstacles.map(({ id }) => id));
  if (!options.unchecked)
    for (const row of known) if (!held.has(row.id)) await compareWithService(session, row, problem);
  await session.printer.progress('');
  if (issues.length > 0)
    throw refusalOf(name, issues, issues.length === obstacles.length ? retryTime(obstacles) : {});
  return {
    settlements: known.map(({ settlement }) => settlement),
    notCreated: known.flatMap(({ booking, settlement }) => (settlement.state === 'rejected' ? booking : [])),
    left,
  };
}

/** Each id that a row gives, with its place. */
const shipmentNames = ({ booking: { address, keySpace }, settlement }: Known): [name: string, id: string][] =>
  Object.values(settlement.ids).map(id => [JSON.stringify([address, keySpace, id]), id]);

/** What is wrong with one row, and not with the service or the credential. */
const OF_A_ROW: readonly string[] = ['usage', 'not_found', 'invalid_request'];

async function compareWithService(
  session: Session,
  row: Known,
  problem: (row: Row, message: string) => void,
): Promise<void> {
  if (row.as === undefined) return;
  void session.printer.progress(`reading ${row.created}, line ${row.line}`);
  try {
    Object.assign(row.settlement, await readAs(session, row.booking, row.as, async () => {}));
  } catch (error) {
    if (!(error instanceof Failure) || !OF_A_ROW.includes(error.code)) throw error;
    problem(row, error.message);
  }
}

const MOST_SHOWN = 50;

function refusalOf(name: string, issues: readonly Issue[], retry: Pick<FailureFacts, 'retryAt'>): Failure {
  const lineOf = ({ path }: Issue) => Number(path.slice('line '.length));
  const sorted = issues.toSorted((one, other) => lineOf(one) - lineOf(other));
  const more = issues.length > MOST_SHOWN ? `; these are the first ${MOST_SHOWN}` : '';
  return new Failure(
    'invalid_request',
    `${name} has ${issues.length} ${issues.length === 1 ? 'problem' : 'problems'}, and nothing was changed${more}`,
    { issues: sorted.slice(0, MOST_SHOWN), ...retry },
  );
}

/** The booking of a row and what is said about it. Throws `usage`, `not_found`. */
async function knownRow(session: Session, journal: Journal, row: Row, options: FileOptions): Promise<Known> {
  const { id, resolution, created, domestic } = row;
  const refuse = (why: string) => new Failure('usage', why);
  if (!RESOLUTIONS.some(one => one === resolution))
    throw refuse(
      `the resolution is ${shown(resolution)}; it must be ${RESOLUTIONS.join(' or ')}, or empty${didYouMean(resolution, RESOLUTIONS)}`,
    );
  if (id === '') throw refuse('there is a resolution, and no id of a booking');
  const booking = await journal.byId(id);
  if (booking === undefined) throw refuse(`the journal has no booking with the id ${shown(id)}`);
  const isCreated = resolution === 'created';
  if (isCreated && created === '') throw refuse('the resolution is created, and there is no shipmentId');
  const mangled = [created, domestic].find(one => MANGLED.test(one));
  if (isCreated && mangled)
    throw refuse(`a spreadsheet has changed the shipment id into ${mangled}; format its column as text`);
  const as = isCreated ? { created, ...(domestic !== '' && { domestic }) } : undefined;
  const said = as ? saidToBe(booking, as) : NOTHING_MADE;
  const state = isCreated ? 'created' : 'rejected';
  const isOwnReason = row.reason !== '' && row.reason !== oneLine(safeLines(booking.why));
  const reason = isOwnReason ? row.reason : options.reason;
  if (!isCreated && reason === undefined && !isAsked(session))
    throw refuse(
      'not-created needs a reason where nobody is asked: --reason TEXT for all rows, or its own in the column reason',
    );
  const mayBeEarly = options.force === true || isAsked(session);
  const settlement = { id, state, ...said, ...whoSettles(session, reason), mayBeEarly } as const;
  return { ...row, booking, as, settlement };
}

/** Spreadsheets may change blanks and line breaks. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A long number as spreadsheets write it. */
const MANGLED = /^\d([.,]\d+)?E\+\d+$/i;

async function rowsOf(session: Session, path: string, name: string): Promise<{ rows: Row[]; left: number }> {
  let header: readonly string[] = [];
  const records = csvRecords(decodedText(inputBytes(path, session.host), name), {
    name,
    delimiter: undefined,
    onHeader(found) {
      header = found;
      for (const column of ['id', 'resolution'])
        if (!found.includes(column))
          throw new Failure(
            'invalid_request',
            `${name} has no column ${column}. \`waybill history list --state unknown -o csv > unknown.csv\` writes a file that has all columns; fill in "resolution", and "shipmentId" of what was created. Nothing was changed`,
          );
      return undefined;
    },
  });
  const rows: Row[] = [];
  let left = 0;
  for await (const { line, text } of records) {
    const [cells = []] = JSON.parse(text) as string[][];
    const cell = (column: string) => unescapeFormula(cells[header.indexOf(column)] ?? '').trim();
    const resolution = cell('resolution').toLowerCase();
    if (resolution === '') left += 1;
    else
      rows.push({
        line,
        resolution,
        id: cell('id'),
        created: cell('shipmentId'),
        domestic: cell('domesticShipmentId'),
        reason: oneLine(cell('reason')),
      });
  }
  return { rows, left };
}
