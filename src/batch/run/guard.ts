// The files that a batch writes, and what must not be lost of those that it would replace.
import { createHash, type Hash } from 'node:crypto';
import { accessSync, constants, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, extname, isAbsolute } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure, messageOf, unreadableBecause, unwritableBecause } from '../../errors.ts';
import { claimFile, claimFolder, type FileClaim, otherClaimant } from '../../host/claim-file.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { scopeText } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { targetFlags } from '../../order/options.ts';
import { isDemo } from '../../profile/target.ts';
import { commandText, shown } from '../../text.ts';
import type { BatchDesk } from './job.ts';
import { isUnrecorded, mayBeBooked, resultsIn, saysBooked } from './read-results.ts';

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

/** Keeps the results that are there from being lost, and two journals from writing one file. */
export type ResultsGuard = ReturnType<typeof guardResults>;

/** `journal`: that which this run books with, or looks into; none if there is none yet. `books`: does this run book, and not in the demo? */
export function guardResults(
  desk: BatchDesk,
  operation: OperationCommand,
  names: OutputNames,
  journal: Journal | undefined,
  books: boolean,
) {
  const { results: path } = names;
  const { host } = desk;
  const full = host.cwd === undefined && !isAbsolute(path) ? undefined : absolutePath(path, host);
  // The file when it was read.
  let seen: string | undefined;
  let claim: FileClaim | undefined;
  /**
   * Refuses to replace a file that is not a results file, that another journal is writing, or that has what this journal does not:
   * bookings of another one, and those that it could not record. Throws `usage`, `duplicate`, `storage`.
   */
  async function refuseLoss(): Promise<void> {
    if (full === undefined) return;
    const isClaimed = claiming(() => otherClaimant(full, undefined)) !== undefined;
    const now = versionOf(plainFileAt(path, host));
    if (!isClaimed && (now === undefined || now === seen)) return;
    const known = journal ?? (await desk.openJournal('look'));
    refuseOther(full, known?.identity);
    if (now === undefined) return;
    const content = createHash('sha256');
    const kept = await keptOnlyThere(desk, operation, names, known?.identity, content);
    if (kept && (await known?.hasImported(content.digest('hex'))) !== true)
      throw replacingBookings(desk, operation, names, kept);
    seen = now;
  }
  return {
    refuseLoss,
    /** Claims the file for the journal, before anything is sent that books. Throws `usage`, `duplicate`, `storage`. */
    async claim(): Promise<void> {
      const isFile = full !== undefined && statSync(full, { throwIfNoEntry: false })?.isFile() !== false;
      if (books && isFile && journal) {
        const { identity } = journal;
        // step: results about to be claimed
        while (claim === undefined) {
          claim = claiming(() => claimFile(full, identity, desk.run ?? desk.actor, host.process));
          if (claim === undefined) refuseOther(full, identity);
        }
      }
      // step: results claimed
      try {
        await refuseLoss();
      } catch (error) {
        claim?.release(false);
        throw error;
      }
    },
    /** Ends the claim. `isDone`: all records have their lines, so that killed runs of this journal hold the file no longer, either. */
    release(isDone: boolean): void {
      // step: results about to be released
      claim?.release(isDone);
    },
    /**
     * Other results took the place of those of this run, which are in the file `kept` now. If one of the two has all that the
     * other has, it alone stays, under the name of the results. Else gives the failure.
     */
    async settle(kept: string): Promise<Failure | undefined> {
      const why = await whyBothStay(desk, names, kept);
      if (why === undefined) return undefined;
      const message = `${path} was replaced while this run wrote it, whose own lines are in ${kept}: ${why}`;
      return new Failure('storage', message, { operation });
    },
  };

  function claiming<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const why = `${claimFolder(path)} cannot be used: ${unwritableBecause(error)}`;
      throw new Failure('storage', why, { operation }, { cause: error });
    }
  }

  function refuseOther(file: string, identity: string | undefined): void {
    const claimant = claiming(() => otherClaimant(file, identity));
    if (claimant !== undefined) throw claimedByOther(desk, operation, path, claimant);
  }
}

/** Another text when the file was replaced or changed; `undefined`: it has nothing. */
const versionOf = (file: Stats | undefined): string | undefined =>
  file?.size ? [file.dev, file.ino, file.size, file.mtimeMs].join(' ') : undefined;

/** The failure of a run whose results another journal is writing. `claimant`: who does it, as that run says. */
function claimedByOther(
  desk: BatchDesk,
  operation: OperationCommand,
  path: string,
  claimant: string,
): Failure {
  const by = claimant === '' ? '' : ` (${shown(claimant)})`;
  return new Failure(
    'duplicate',
    `${path} is claimed by a run with another journal${by}, which may be booking the same orders`,
    {
      hint: `When that run has ended, import what it booked: \`${importCommand(desk, path)}\`. If it was killed, run it there again first: its last run removes ${claimFolder(path)}. Or name another file with --results`,
      operation,
      retry: 'later',
    },
  );
}

const importCommand = (desk: BatchDesk, path: string): string =>
  commandText(['waybill', 'history', 'import', path, ...targetFlags(desk)]);

async function whyBothStay(desk: BatchDesk, names: OutputNames, kept: string): Promise<string | undefined> {
  const { host } = desk;
  try {
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

const foreign = (path: string, operation?: OperationCommand): Failure =>
  new Failure('usage', `${path} is not a results file of a batch; name another file with --results`, {
    ...(operation && { operation }),
  });

/** Bookings of one place that are in a results file, and may be nowhere else. */
interface KeptBookings {
  place: string;
  count: number;
  /** The keys, or else the shipments, of the first, as they are shown. */
  names: string[];
  isUnrecorded: boolean;
}

const MOST_NAMED = 5;

/** What a file has of another journal, or of `owner` and not recorded: of this place if there is some. */
async function keptOnlyThere(
  desk: BatchDesk,
  operation: OperationCommand,
  { results: path, format }: OutputNames,
  owner: string | undefined,
  content: Hash,
): Promise<KeptBookings | undefined> {
  const kept = new Map<string, KeptBookings>();
  const notResults = () => foreign(path, operation);
  for await (const { key, value } of resultsIn(desk.host, path, format, notResults, content)) {
    // Each machine has a demo of its own, and its rehearsals must not stand in the way of a real run.
    if (value === undefined || !mayBeBooked(value) || isDemo(value.place)) continue;
    // step: journals of results compared
    const isOurs = owner !== undefined && value.journal === owner;
    if (isOurs && !isUnrecorded(value)) continue;
    const { place } = value;
    const bookings = kept.get(place) ?? { place, count: 0, names: [], isUnrecorded: isOurs };
    kept.set(place, bookings);
    bookings.count += 1;
    if (bookings.names.length < MOST_NAMED) bookings.names.push(shown(key ?? value.shipmentId));
  }
  return kept.get(scopeText(desk.scope())) ?? [...kept.values()][0];
}

/** The failure of a run that would replace a file that may be the only record of bookings. */
function replacingBookings(
  desk: BatchDesk,
  operation: OperationCommand,
  { results: path, format }: OutputNames,
  { place, count, names, isUnrecorded: isOurs }: KeptBookings,
): Failure {
  const here = scopeText(desk.scope());
  const list = names.join(', ') + (count > names.length ? ', …' : '');
  const what = isOurs ? 'that this journal could not record' : 'with another journal';
  const another = 'name another file with --results';
  const cure =
    place !== here
      ? `This run is for ${here}, and the file may be the only record of them: ${another}`
      : format === 'csv'
        ? `A CSV is not imported. ${isOurs ? 'Settle what is unknown with `waybill history resolve`' : 'To prevent a second booking, run the batch there again with --results FILE.jsonl, and import that file here'}. Then ${another}`
        : `To prevent a second booking, import them with \`${importCommand(desk, path)}\`. If some cannot be imported, ${another}`;
  return new Failure(
    'duplicate',
    `${path} has ${count} ${count === 1 ? 'booking' : 'bookings'} made at ${place} ${what} (${list})`,
    { hint: cure, operation },
  );
}

function plainFileAt(path: string, host: Host) {
  const present = statSync(absolutePath(path, host), { throwIfNoEntry: false });
  return present?.isFile() ? present : undefined;
}
