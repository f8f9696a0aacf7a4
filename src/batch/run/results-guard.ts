// Protects what an earlier run, or a run with another journal, wrote to the results file of this run.

import { createHash, type Hash } from 'node:crypto';
import { accessSync, constants, renameSync, rmSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { scopeText } from '../../booking/booking.ts';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { claimFile, claimFolder, type FileClaim, otherClaimant } from '../../host/claim-file.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import type { Journal } from '../../journal/journal.ts';
import { targetFlags } from '../../order/options.ts';
import { isDemo } from '../../profile/target.ts';
import type { Session } from '../../session/session.ts';
import { messageOf, unreadableBecause, unwritableBecause } from '../../system-errors.ts';
import { commandText, numbered, shown } from '../../text.ts';
import type { OutputNames } from './output-names.ts';
import { isUnrecorded, mayBeBooked, resultsIn, saysBooked } from './read-results.ts';

/** Why a file that a batch would replace cannot be read: nobody knows what would be lost with it. */
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

/** Bookings that a results file has and this journal lacks. */
interface KeptBookings {
  /** Where the bookings were made: the first place that is not the place of this run; else the place of this run. */
  place: string;
  count: number;
  /** The first bookings, for messages: by their keys, or else by their shipments. */
  names: string[];
  /** Was the first booking made with this journal, which could not record it? */
  areOurs: boolean;
}

const MOST_NAMED = 5;
const ANOTHER = 'name another file with --results';

/** Keeps an earlier results file from being lost, and two journals from writing one file. */
export class ResultsGuard {
  readonly #session: Session;
  readonly #names: OutputNames;
  readonly #journal: Journal | undefined;
  /** Absent if there is no folder in which the file could be. */
  readonly #path: string | undefined;
  /** Which file was read last, and its state: its device, number, size and time. */
  #seen: string | undefined;
  #claim: FileClaim | undefined;

  /** `journal`: the journal with which this run books. A run that books nothing looks into a journal that exists. */
  constructor(session: Session, names: OutputNames, journal: Journal | undefined) {
    this.#session = session;
    this.#names = names;
    this.#journal = journal;
    const { host } = session;
    const isNowhere = host.cwd === undefined && !isAbsolute(names.results);
    this.#path = isNowhere ? undefined : absolutePath(names.results, host);
  }

  /**
   * Refuses to replace a file that is no results file, that another journal is writing, or that has bookings which this journal lacks: they
   * were made with another journal, or this journal could not record them. Throws `usage`, `duplicate`, `storage`.
   */
  async refuseLoss(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    const isClaimed = this.#claiming(() => otherClaimant(path, undefined)) !== undefined;
    const file = plainFileAt(path, this.#session.host);
    const now = file?.size ? [file.dev, file.ino, file.size, file.mtimeMs].join(' ') : undefined;
    const isUnread = now !== undefined && now !== this.#seen;
    if (!isClaimed && !isUnread) return;
    const journal = this.#journal ?? (await this.#session.openJournal('look'));
    this.#refuseOther(path, journal?.identity);
    if (!isUnread) return;
    const content = createHash('sha256');
    const kept = await this.#keptOnlyThere(await journal?.nameInResults(), content);
    if (kept && (await journal?.hasImported(content.digest('hex'))) !== true) throw this.#wouldLose(kept);
    this.#seen = now;
  }

  /** Claims the file for the journal, before anything is sent. Throws `usage`, `duplicate`, `storage`. */
  async claim(journal: Journal): Promise<void> {
    const { identity } = journal;
    const { run, actor, host } = this.#session;
    const path = this.#path;
    // step: results about to be claimed
    if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile() !== false)
      while (this.#claim === undefined) {
        this.#claim = this.#claiming(() => claimFile(path, identity, run ?? actor, host.process));
        if (this.#claim === undefined) this.#refuseOther(path, identity);
      }
    // step: results claimed
  }

  /** Ends the claim. `isDone`: have all records their lines? Then the claims of killed runs of this journal end, too. */
  release(isDone: boolean): void {
    // step: results about to be released
    this.#claim?.release(isDone);
  }

  /**
   * Is called if other results replaced the results of this run, which are in the file `kept` now. If one of the two files has all records
   * of the other, only that file stays, under the name of the results. Else gives the failure.
   */
  async settle(kept: string): Promise<Failure | undefined> {
    const { host } = this.#session;
    const { results: path, format } = this.#names;
    let why = 'another run has put other records there';
    try {
      const [endsKept, endsThere] = [
        await bookedIdsIn(host, kept, format),
        await bookedIdsIn(host, path, format),
      ];
      if (hasAllRecords(endsKept, endsThere)) return void rmSync(absolutePath(kept, host));
      if (hasAllRecords(endsThere, endsKept))
        return void renameSync(absolutePath(kept, host), absolutePath(path, host));
    } catch (error) {
      why = messageOf(error);
    }
    const message = `${path} was replaced while this run wrote it, whose own lines are in ${kept}: ${why}`;
    return new Failure('storage', message, { operation: this.#names.command });
  }

  #claiming<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const why = `${claimFolder(this.#names.results)} cannot be used: ${unwritableBecause(error)}`;
      throw new Failure('storage', why, { operation: this.#names.command }, { cause: error });
    }
  }

  #refuseOther(path: string, identity: string | undefined): void {
    const claimant = this.#claiming(() => otherClaimant(path, identity));
    if (claimant === undefined) return;
    const { results } = this.#names;
    const name = claimant === '' ? '' : ` (${shown(claimant)})`;
    throw new Failure(
      'duplicate',
      `${results} is claimed by a run with another journal${name}, which may be booking the same orders`,
      {
        hint: `When that run has ended, ${this.#howToImport()}. If it was killed, run it there again first: its last run removes ${claimFolder(results)}. For other orders, ${ANOTHER}`,
        operation: this.#names.command,
        retry: 'later',
      },
    );
  }

  /** The bookings in the file that the named journal lacks. */
  async #keptOnlyThere(journalName: string | undefined, content: Hash): Promise<KeptBookings | undefined> {
    const { results: path, format } = this.#names;
    const here = scopeText(this.#session.scope());
    let kept: KeptBookings | undefined;
    const notResults = () => noResultsFailure(path, this.#names.command);
    for await (const { key, value } of resultsIn(this.#session.host, path, format, notResults, content)) {
      // Bookings in the demo are rehearsals on one machine: they must not stand in the way of a real run.
      if (value === undefined || !mayBeBooked(value) || isDemo(value.place)) continue;
      // step: journals of results compared
      const areOurs = journalName !== undefined && value.journal === journalName;
      if (areOurs && !isUnrecorded(value)) continue;
      kept ??= { place: value.place, count: 0, names: [], areOurs };
      kept.count += 1;
      if (kept.place === here) kept.place = value.place;
      if (kept.names.length < MOST_NAMED) kept.names.push(shown(key ?? value.shipmentId));
    }
    return kept;
  }

  #wouldLose(kept: KeptBookings): Failure {
    const { place, count, names, areOurs } = kept;
    const here = scopeText(this.#session.scope());
    const { results, format } = this.#names;
    const cure =
      place !== here
        ? `This run is for ${here}, and the file may be the only record of them: ${ANOTHER}`
        : format === 'csv'
          ? `A CSV is not imported. ${areOurs ? 'Settle what is unknown with `waybill history resolve REF`' : `To prevent a second booking, ${this.#howToImport()}`}. Then ${ANOTHER}`
          : `To prevent a second booking, ${this.#howToImport()}. If some cannot be imported, ${ANOTHER}`;
    const what = areOurs ? 'that this journal could not record' : 'with another journal';
    const list = names.join(', ') + (count > names.length ? ', …' : '');
    return new Failure(
      'duplicate',
      `${results} has ${numbered(count, 'booking')} made at ${place} ${what} (${list})`,
      { hint: cure, operation: this.#names.command },
    );
  }

  #howToImport(): string {
    const { results, format } = this.#names;
    if (format === 'csv')
      return 'run the batch there again with --results FILE.jsonl, and import that file here';
    const command = commandText(['waybill', 'history', 'import', results, ...targetFlags(this.#session)]);
    return `import its bookings with \`${command}\``;
  }
}

/** For each record of a file, the ids of what was booked; empty if nothing was. */
async function bookedIdsIn(
  host: Host,
  path: string,
  format: OutputNames['format'],
): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  for await (const { key, value } of resultsIn(host, path, format, () => noResultsFailure(path))) {
    if (value === undefined) continue;
    const { operation, place, shipmentId, domesticShipmentId } = value;
    const record = JSON.stringify([operation, place, key ?? Number(value.line)]);
    ends.set(record, saysBooked(value) ? `${shipmentId || ''} ${domesticShipmentId || ''}` : '');
  }
  return ends;
}

/** Does `whole` have all records of the other file (`ends`), with the same bookings? */
const hasAllRecords = (ends: ReadonlyMap<string, string>, whole: ReadonlyMap<string, string>): boolean =>
  [...ends].every(([record, ids]) => whole.has(record) && (ids === '' || whole.get(record) === ids));

const noResultsFailure = (path: string, operation?: OperationCommand): Failure =>
  new Failure('usage', `${path} is not a results file of a batch; ${ANOTHER}`, {
    ...(operation && { operation }),
  });

function plainFileAt(path: string, host: Host) {
  const present = statSync(absolutePath(path, host), { throwIfNoEntry: false });
  return present?.isFile() ? present : undefined;
}
