// The files that a batch writes, and what must not be lost of those that it would replace.
import { accessSync, constants, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, extname, isAbsolute } from 'node:path';
import { LEGS, OPERATIONS, type OperationCommand, operationNamed } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { strict } from '../../contract/shapes.ts';
import { FAILURES, Failure, messageOf, unreadableBecause } from '../../errors.ts';
import { absolutePath, firstBytes } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { type LegShipment, scopeIn, scopeText } from '../../journal/booking.ts';
import { wordOf } from '../../journal/tables.ts';
import { targetFlags } from '../../order/options.ts';
import { unescapeFormula } from '../../output/text.ts';
import { isDemo } from '../../profile/target.ts';
import { LONGEST_ANSWER } from '../../service/response.ts';
import { inputBytes } from '../../session/files.ts';
import { commandText } from '../../text.ts';
import { openRecords } from '../input.ts';
import { ERROR_COLUMN, RECORD_COLUMN } from '../source.ts';
import type { BatchDesk } from './job.ts';

/** The files that a run writes. */
export type OutputNames = ReturnType<typeof outputNames>;

/**
 * The default name: `orders.results.jsonl` for orders that are booked. Other operations have names of their own, because
 * another machine may know only by that file what is booked.
 */
export const resultsName = (input: string, command: OperationCommand): string =>
  `${input}.${command === 'ship' || command === 'ship-dual' ? 'results' : command}.jsonl`;

/** Throws `usage` if a file would be written over another. */
export function outputNames(
  input: string,
  command: OperationCommand,
  { results, failed, log }: { results?: string; failed?: string; log?: string | undefined },
  { cwd }: Pick<Host, 'cwd'>,
) {
  const stem = input === '-' ? command : basename(input, extname(input));
  const path = results ?? resultsName(stem, command);
  // In a folder that was deleted there is no file to be written over.
  const written = cwd === undefined ? results : path;
  const files = [input === '-' ? undefined : input, written, failed, log].flatMap(name =>
    name === undefined ? [] : identityOf(absolutePath(name, { cwd })),
  );
  if (new Set(files).size < files.length)
    throw new Failure('usage', 'input, --results, --failed and --log must be different files');
  const format: 'jsonl' | 'csv' = extname(path).toLowerCase() === '.csv' ? 'csv' : 'jsonl';
  return { command, results: path, format, failed };
}

/** A file has the same identity under all of its names. */
function identityOf(path: string): string {
  try {
    const present = statSync(path, { throwIfNoEntry: false });
    return present?.isFile() ? `${present.dev}:${present.ino}` : path;
  } catch {
    // The error is reported when the file is opened.
    return path;
  }
}

const CHUNK = 500;

/** The failure of a file that is not written, before anything is sent. `option`: names another one. */
export const refusing = (error: unknown, option: string, operation: OperationCommand): unknown =>
  error instanceof Failure ? error.with({ hint: `Name another file with ${option}`, operation }) : error;

/** Why a file that a batch would replace cannot be read: then no one knows what would be lost with it. */
export function resultsFault(path: string, host: Host): Failure | undefined {
  if (host.cwd === undefined && !isAbsolute(path)) return undefined;
  try {
    if (plainFileAt(path, host)) accessSync(absolutePath(path, host), constants.R_OK);
    return undefined;
  } catch (error) {
    const why = `${path} cannot be read: ${unreadableBecause(error)}`;
    return new Failure('storage', why, {}, { cause: error });
  }
}

/** Holds the results that are there against the journal: before they are replaced, and while they are written. */
export type ResultsGuard = ReturnType<typeof guardResults>;

export function guardResults(desk: BatchDesk, operation: OperationCommand, names: OutputNames) {
  const { results: path } = names;
  const { host } = desk;
  const there = () => (host.cwd === undefined && !isAbsolute(path) ? undefined : plainFileAt(path, host));
  // The file when it was read.
  let seen: ReturnType<typeof there>;
  return {
    /**
     * Refuses to replace a file that is not a results file, or that has bookings which this journal does not know in the place
     * where they were made: another machine made them, and nothing here would prevent that they are made again. Throws `usage`,
     * `duplicate`.
     */
    async refuseUnknown(): Promise<void> {
      const now = there();
      if (!now?.size || (isSame(now, seen) && now.size === seen?.size && now.mtimeMs === seen.mtimeMs))
        return;
      const { unknown, twice } = await notOurs(desk, operation, names);
      if (twice.length > 0)
        throw new Failure('duplicate', `${path} ${twiceWords(twice)}`, {
          hint: 'The file may be the only record of them: name another file with --results',
          operation,
        });
      if (unknown) throw replacingUnknown(desk, operation, names, unknown);
      seen = now;
    },
    /** Has another machine put its bookings in place of the results? One file is read again when it is twice as long. */
    async meetsUnknown(): Promise<boolean> {
      const now = there();
      if (!now?.size || (isSame(now, seen) && seen && now.size < 2 * seen.size)) return false;
      seen = now;
      const { unknown, twice } = await notOurs(desk, operation, names);
      return unknown !== undefined || twice.length > 0;
    },
    /**
     * Other results took the place of those of this run, which are in the file `kept` now. If one of the two has all that the
     * other has, it alone stays, under the name of the results. Else gives the failure.
     */
    async settle(kept: string): Promise<Failure | undefined> {
      const why = await whyBothStay(desk, operation, names, kept);
      if (why === undefined) return undefined;
      const message = `${path} was replaced while this run wrote it, whose own lines are in ${kept}: ${why}`;
      return new Failure('storage', message, { operation });
    },
  };
}

async function whyBothStay(
  desk: BatchDesk,
  operation: OperationCommand,
  names: OutputNames,
  kept: string,
): Promise<string | undefined> {
  const { host } = desk;
  try {
    const { unknown, twice } = await notOurs(desk, operation, names);
    const reasons = [
      twice.length > 0 && `It ${twiceWords(twice)}`,
      unknown &&
        `It has ${unknown.words} that this journal does not know, because another machine books from this folder. ${adviceFor(desk, names, unknown)}`,
    ].filter(Boolean);
    if (reasons.length > 0) return reasons.join('. ');
    const [own, other] = [await endsIn(host, { ...names, results: kept }), await endsIn(host, names)];
    const [from, to] = [absolutePath(kept, host), absolutePath(names.results, host)];
    if (isWithin(own, other)) rmSync(from);
    else if (isWithin(other, own)) renameSync(from, to);
    else return 'another run has put other records there';
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const isSame = (one: Stats, other: Stats | undefined): boolean =>
  one.dev === other?.dev && one.ino === other.ino;

/** For each record of a file the ids of what was booked, if something was. */
async function endsIn(host: Host, { results: path, format }: OutputNames): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  for await (const { key, value } of resultsIn(host, path, format, () => foreign(path))) {
    if (value === undefined) continue;
    const { operation, place, shipmentId, domesticShipmentId } = value;
    const record = JSON.stringify([operation, place, key ?? Number(value.line)]);
    ends.set(record, saysBooked(value) ? `${shipmentId || ''} ${domesticShipmentId || ''}` : '');
  }
  return ends;
}

/** Are they all among the others, and booked there if they are? */
const isWithin = (some: ReadonlyMap<string, string>, all: ReadonlyMap<string, string>): boolean =>
  [...some].every(([record, ids]) => all.has(record) && (ids === '' || all.get(record) === ids));

const twiceWords = (keys: readonly string[]): string =>
  `has other shipments of ${keys.length} ${keys.length === 1 ? 'key' : 'keys'} that this journal has, too (${someKeys(keys)}): these orders were booked twice, so have one of each cancelled`;

const someKeys = (keys: readonly unknown[]): string =>
  `${keys
    .slice(0, 5)
    .map(key => JSON.stringify(key))
    .join(', ')}${keys.length > 5 ? ', …' : ''}`;

const foreign = (path: string, operation?: OperationCommand): Failure =>
  new Failure('usage', `${path} is not a results file of a batch; name another file with --results`, {
    ...(operation && { operation }),
  });

function replacingUnknown(
  desk: BatchDesk,
  operation: OperationCommand,
  names: OutputNames,
  unknown: UnknownBookings,
): Failure {
  return new Failure(
    'duplicate',
    `${names.results} has ${unknown.words} that this journal does not know as created: another machine may have made them, or this journal could not be written when their answers came`,
    { hint: adviceFor(desk, names, unknown), operation },
  );
}

function adviceFor(
  desk: BatchDesk,
  { results: path, format }: OutputNames,
  { place }: UnknownBookings,
): string {
  const here = scopeText(desk.scope());
  const takeOver =
    format === 'jsonl'
      ? `import them with \`${commandText(['waybill', 'history', 'import', path, ...targetFlags(desk)])}\``
      : 'have them as JSON lines, because results in CSV are not imported: where the journal of these bookings is, run the batch again with --results FILE.jsonl, and here `waybill history import FILE.jsonl`. Those that this journal holds as unknown are settled with `waybill history resolve`';
  return place === here
    ? `To prevent a second booking, ${takeOver}`
    : `This run is for ${here}, and the file may be the only record of them: name another file with --results`;
}

/** A booking of which a line says that it was made. */
interface BookedLine {
  place: string;
  keySpace: string;
  key: string | undefined;
  shipments: LegShipment[];
  /** The id of the booking whose outcome could not be recorded. */
  unrecorded: string | undefined;
}

/** Bookings of one place that the journal does not know there as made. */
interface UnknownBookings {
  place: string;
  /** How many, where, and the keys, or else shipments, of the first. */
  words: string;
}

/**
 * What the results have that was not booked with this journal: `unknown`, of this place if there is some; `twice`: keys whose
 * order this journal has as another shipment.
 */
async function notOurs(
  desk: BatchDesk,
  operation: OperationCommand,
  { results: path, format }: OutputNames,
): Promise<{ unknown?: UnknownBookings; twice: string[] }> {
  const here = scopeText(desk.scope());
  const journal = await desk.openJournal('look');
  const unknown = new Map<string, string[]>();
  const twice: string[] = [];
  // Those of one place and one key space are looked up together.
  let group: BookedLine[] = [];
  const lookUp = async ({ place, keySpace }: BookedLine) => {
    const keys = group.flatMap(({ key }) => key ?? []);
    const all = group.flatMap(({ shipments }) => shipments);
    const known = await journal?.knownAmong(scopeIn(place), keySpace, keys, all);
    const open = await journal?.openAmong(group.flatMap(({ unrecorded }) => unrecorded ?? []));
    for (const { key, shipments, unrecorded } of group) {
      const name = key ?? shipments[0]?.shipment;
      const words = [...(key === undefined ? [] : [key]), ...shipments.map(wordOf)];
      const isOpen = unrecorded !== undefined && open?.has(unrecorded) === true;
      // A label may be missing of a leg.
      const isOther = keySpace === 'shipment' && place === here && shipments.length > 0;
      if (key !== undefined && isOther && known?.has(key) && !shipments.some(one => known.has(wordOf(one))))
        twice.push(key);
      if (name === undefined || (!isOpen && words.some(word => known?.has(word)))) continue;
      const found = unknown.get(place) ?? [];
      found.push(name);
      unknown.set(place, found);
    }
    group = [];
  };
  for await (const { key, value } of resultsIn(desk.host, path, format, () => foreign(path, operation))) {
    if (value === undefined || !saysBooked(value)) continue;
    const { place } = value;
    // Each machine has a demo of its own, and its rehearsals must not stand in the way of a real run.
    if (place !== here && isDemo(place)) continue;
    const { command, keySpace } = operationNamed(value.operation);
    const ids = { international: value.shipmentId, domestic: value.domesticShipmentId };
    const shipments = LEGS.flatMap(leg => {
      const shipment = ids[leg];
      return typeof shipment === 'string' && shipment !== '' ? { leg, shipment } : [];
    });
    const unrecorded = unrecordedIn(value);
    const line: BookedLine = { place, keySpace: keySpace ?? command, key, shipments, unrecorded };
    const [first] = group;
    if (first && (group.length >= CHUNK || first.place !== place || first.keySpace !== line.keySpace))
      await lookUp(first);
    group.push(line);
  }
  const [first] = group;
  if (first) await lookUp(first);
  const place = unknown.has(here) ? here : [...unknown.keys()][0];
  if (place === undefined) return { twice };
  const keys = unknown.get(place) ?? [];
  const words = `${keys.length} ${keys.length === 1 ? 'booking' : 'bookings'} made at ${place} (${someKeys(keys)})`;
  return { unknown: { place, words }, twice };
}

/** How every `--failed` file begins: the header of CSV, or the first record of JSON. */
const BEGINNING = new RegExp(
  `^\\ufeff?(?:"?${ERROR_COLUMN}"?[^\\w"]"?${RECORD_COLUMN}\\b|\\[?\\s*\\{\\s*"${ERROR_COLUMN}"\\s*:)`,
);
const LONGEST_BEGINNING = 200;

/** Refuses to replace a file that is not a `--failed` file. Throws `usage`. */
export function guardFailed({ host }: BatchDesk, operation: OperationCommand, path: string): void {
  const unreadable = resultsFault(path, host);
  if (unreadable) throw refusing(unreadable, '--failed', operation);
  if (!hasContent(path, host)) return;
  const start = firstBytes(absolutePath(path, host), LONGEST_BEGINNING).toString();
  if (!BEGINNING.test(start))
    throw new Failure(
      'usage',
      `${path} exists, and a batch did not write it with --failed; name another file with --failed`,
      { operation },
    );
}

/** A device holds nothing that could be lost. */
function hasContent(path: string, host: Host): boolean {
  return (plainFileAt(path, host)?.size ?? 0) > 0;
}

function plainFileAt(path: string, host: Host) {
  const present = statSync(absolutePath(path, host), { throwIfNoEntry: false });
  return present?.isFile() ? present : undefined;
}

// Reads the results of a batch back.

/** A line with the names of `ResultLine`; every other cell of a CSV is text. */
export interface Line extends Record<string, unknown> {
  operation: OperationCommand;
  place: string;
  state: string;
}

/** One line; what is missing is `undefined`. */
interface ParsedLine {
  /** Its line in the file, from 1. */
  line: number;
  key: string | undefined;
  /** `undefined` if a power cut has torn the line, which must then be the last. */
  value: Line | undefined;
  /** False if a part of it is missing. */
  isComplete: boolean;
}

/** Does a line say that something was booked? The ids of an operation that books nothing were only read. */
export const saysBooked = ({ operation, state, shipmentId, domesticShipmentId }: Line): boolean =>
  operationNamed(operation).books &&
  (state === 'created' ||
    state === 'partial' ||
    [shipmentId, domesticShipmentId].some(id => typeof id === 'string' && id !== ''));

/** The id that the booking of a line has in the journal in which it was booked, if the line names it. */
export function bookingIdIn({ error }: Line): string | undefined {
  const text = typeof error === 'string' ? error : textAt(error, ['message']);
  return textAt(error, ['booking']) ?? /\bbk_[0-9a-f]{32}\b/.exec(text ?? '')?.[0];
}

/** That of a booking that was made, and whose journal could not record it. */
export const unrecordedIn = (line: Line): string | undefined =>
  Number(line.exitCode) === FAILURES.storage.exit && saysBooked(line) ? bookingIdIn(line) : undefined;

const COMMANDS: readonly unknown[] = Object.values(OPERATIONS).map(({ command }) => command);

const isResult = ({ operation, place, state }: Record<string, unknown>): boolean =>
  COMMANDS.includes(operation) && typeof place === 'string' && typeof state === 'string';

/** May it be the start of a line of results, torn anywhere? */
function mayBeTorn(text: string): boolean {
  const start = text.replace(/\0+$/, '');
  return start.startsWith(LINE_START) || LINE_START.startsWith(start);
}

const LINE_START = '{"operation":';

/** A line has the whole answer, which may have the labels themselves, and what is told beside it. */
const LONGEST_LINE = 2 * LONGEST_ANSWER;

/** The lines, one after the other. Throws `storage`, and what `foreign` gives if the file is not one of a batch. */
export async function* resultsIn(
  host: Host,
  path: string,
  format: 'jsonl' | 'csv',
  foreign: () => Failure,
): AsyncGenerator<ParsedLine> {
  const input = openRecords(inputBytes(path, host), {
    format,
    name: path,
    longest: LONGEST_LINE,
    keyColumn: 'key',
    allowUnknown: true,
    fields: strict({}),
  });
  const plain = (cell: unknown) =>
    format === 'csv' && typeof cell === 'string' ? unescapeFormula(cell) : cell;
  let torn = false;
  try {
    for await (const raw of input.records) {
      if (torn) throw foreign();
      const { key, value, issues } = input.parse(raw);
      const isLine = isResult(value);
      if (!isLine && (issues.length === 0 || (raw.line === 1 && !mayBeTorn(raw.text)))) throw foreign();
      torn = !isLine;
      const cells = Object.entries(value).map(([name, cell]) => [name, plain(cell)]);
      yield {
        line: raw.line,
        key: key && String(plain(key)),
        value: isLine ? (Object.fromEntries(cells) as Line) : undefined,
        isComplete: isLine && issues.length === 0,
      };
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_request') throw foreign();
    throw error;
  }
}
