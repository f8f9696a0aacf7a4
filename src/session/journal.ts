// The journal of a session: the one of this machine, or the one that the profile or the environment shares.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Database } from '../journal/database.ts';
import type { Journal, JournalEvent } from '../journal/journal.ts';
import type { ReadOnlyView } from '../journal/sqlite/read-only.ts';
import type { Opening, Restoring } from '../journal/tables.ts';
import type { Diagnostics } from '../output/print.ts';
import { isOn, otherFolder, requiredStateFolder, setting, stateFolder } from '../profile/environment.ts';
import { secretPrinted, secretVariables, spelledCommand } from '../profile/secrets.ts';
import type { Profile } from '../profile/store.ts';
import {
  isOnThisMachine,
  isProduction,
  productionScope,
  type SharedJournal,
  sharedJournal,
  shownAddress,
  type Target,
  targetWords,
  wholeAddress,
} from '../profile/target.ts';
import type { Events } from './events.ts';
import type { PlaceMemory, RememberedJournal } from './places.ts';
import { VERSION } from './version.ts';

/**
 * `book`: throws if the journal has lost bookings, or must exist and does not. `check`: throws as `book` does, but opens it as
 * `look` does. `add` records earlier bookings: a new one is made if there is none, and a shared one that has lost bookings gets
 * them before anybody books with it. `change` records something of bookings that are
 * there: `undefined` if there is no journal yet. `look` only looks back: the same, and if it has lost bookings that is a warning;
 * who may not write to it can read it.
 */
type Purpose = 'book' | 'check' | 'add' | 'change' | 'look';

/** What a person says about a journal that is new, or was put back. */
interface Said {
  /** It may be new, or have lost bookings: it goes on with what is there. */
  asNew?: boolean | undefined;
  /** It was put back or moved: that is recorded, and what is there counts. */
  restored?: Restoring;
}

export interface Journals {
  /** The record of every booking. Throws `storage`. */
  openJournal(purpose: 'look' | 'check' | 'change'): Promise<Journal | undefined>;
  openJournal(purpose: 'book', said?: Said): Promise<Journal>;
  openJournal(purpose: 'add'): Promise<Journal>;
  /** Throws why nothing may be booked with a journal that was opened to look back. */
  refuseUnfit(): Promise<void>;
  /** Do other machines write to it, too? */
  sharesJournal(): boolean;
  /** Its file, or its address without a password. */
  journalName(): string;
}

/** It is made when it is first asked for. After a failure the next call tries again. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The journal that is open. Calls that come at once share it; after a failure the next call opens it again. */
function connectionBy(open: (opening: Opening) => Promise<Journal>) {
  let opened: Promise<Journal> | undefined;
  const openOnce = (opening: Opening): Promise<Journal> => {
    opened ??= open(opening).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    openOnce,
    /** To be read; `undefined` if there is none. */
    openToRead: (opening: Opening): Promise<Journal | undefined> =>
      openOnce({ ...opening, toRead: true }).catch(async (error: unknown) => {
        const { NoTables } = await import('../journal/tables.ts');
        if (error instanceof NoTables) return undefined;
        throw error;
      }),
    isOpen: () => opened !== undefined,
    present: async () => opened?.catch(() => undefined),
    async close(): Promise<void> {
      const journal = await opened?.catch(() => undefined);
      opened = undefined;
      await journal?.close();
    },
  };
}

/** What this machine knows of the place that is booked; `undefined` where a booking costs nothing. `journal`: the name of that journal. */
async function memoryOf(
  host: Host,
  target: Target,
  journal: string,
  isShared: boolean,
): Promise<PlaceMemory | undefined> {
  const scope = productionScope(target);
  if (scope === undefined) return undefined;
  const { placeMemory } = await import('./places.ts');
  const words = `${targetWords(target)}${scope.account && ` (account ${scope.account})`}`;
  const folder = stateFolder(host);
  return placeMemory({ ...scope, words, journal, folder, mayForget: isShared }, host);
}

/** The database, which takes no claim before this machine remembers that the place is booked in it. */
function keepingPlace(database: Database, memory: () => Promise<PlaceMemory | undefined>): Database {
  let isKept = false;
  return {
    ...database,
    async claim(intent) {
      if (!isKept) (await memory())?.keep(database.identity);
      isKept = true;
      return database.claim(intent);
    },
  };
}

/** Opens the journal when it is first asked for: few commands need it. */
export function createJournals(
  host: Host,
  target: () => Target,
  { note, warn }: Pick<Diagnostics, 'note' | 'warn'>,
  events: Pick<Events, 'log' | 'logName'>,
): Journals & { close(): Promise<void> } {
  // Why nothing may be booked with the journal that is open.
  let lost: Failure | undefined;
  // Each machine has a demo of its own.
  const shared = once(() =>
    target().from === 'demo' ? undefined : sharedJournal(host.env, target().profile),
  );
  const isRequired = isOn(host.env, 'WAYBILL_REQUIRE_JOURNAL');
  const open = async (given: Opening) => {
    const server = shared();
    const opening: Opening = {
      ...given,
      warn: text => void warn(text, { always: true }),
      mustTell: isRequired
        ? 'WAYBILL_REQUIRE_JOURNAL is set, so nothing is booked without knowing that'
        : undefined,
    };
    const database = server
      ? await openShared(server, text => void note(text), host, target().profile, opening)
      : await openLocal(host, opening);
    const { Journal } = await import('../journal/journal.ts');
    const keeping = keepingPlace(database, memory);
    if (events.logName === undefined) return new Journal(keeping);
    const { LOG, bookingRow } = await import('../output/columns.ts');
    const tell = ({ of, ...event }: JournalEvent) => events.log({ ...(of && bookingRow(LOG, of)), ...event });
    return new Journal(keeping, tell);
  };
  const connection = connectionBy(open);
  const { openOnce, openToRead } = connection;
  /** Why a journal that does not exist is not made; `undefined` if it is. */
  const reasonToExist = () => {
    if (isRequired) return 'WAYBILL_REQUIRE_JOURNAL is set, so nothing is booked without one';
    if (isOn(host.env, 'CI') && isProduction(target()))
      return 'CI is set, and a machine that is new in every run does not see what earlier runs booked';
    return undefined;
  };
  /** Then the next call opens it again. */
  async function forgetIf(isUnfit: (journal: Journal) => boolean): Promise<void> {
    const journal = await connection.present();
    if (journal === undefined || !isUnfit(journal)) return;
    await connection.close();
    lost = undefined;
  }
  const warnOf = ({ message }: Failure) => void warn(message, { always: true });
  /** Its name in the memory of this machine. */
  const name = () => {
    const server = shared();
    return server ? wholeAddress(server.url, host.env) : localFile(host);
  };
  const memory = once(() => memoryOf(host, target(), name(), shared() !== undefined));
  /** In which journal the place was booked last. Throws `storage` if this command has another one, which is not made for that. */
  async function rememberedHere(asNew = false): Promise<RememberedJournal | undefined> {
    const before = (await memory())?.read();
    if (before === undefined || before.name === name()) return before;
    const isThere = connection.isOpen() || shared() || (await here(host)) === 'there';
    const present = isThere ? await openToRead({ asNew }) : undefined;
    (await memory())?.refuseOther(before, present?.identity);
    return before;
  }
  /** Why a journal must be there; `undefined` if it may be made. */
  const reasonAfter = (before: RememberedJournal | undefined) =>
    before ? `${targetWords(target())} was booked in it, since ${before.since}` : reasonToExist();
  const checkDisk = once(async () => {
    const file = shared() ? '' : localFile(host);
    if (file === '') return;
    const { stateDiskWarning } = await import('./state-disk.ts');
    const warning = stateDiskWarning(host, file, target().from === 'demo');
    if (warning !== undefined) await warn(warning);
  });
  /** As a person says who knows that it was put back or moved, or that it counts in place of one that is gone. */
  async function openRestored(restored: Restoring): Promise<Journal> {
    const place = await memory();
    let before: Partial<RememberedJournal> | undefined;
    try {
      before = place?.read();
    } catch {
      // What cannot be used is written again.
      before = {};
    }
    const mustExist = 'Only a journal that exists can have been put back';
    const mayBeNew = before !== undefined && before.name !== name();
    const journal = await openOnce({ restored, ...(!mayBeNew && { mustExist }) });
    const { identity } = journal;
    if (place && before && before.identity !== identity) {
      place.follow(identity);
      const old = before.name === undefined ? '' : `, and no more in ${before.name}`;
      await note(`${targetWords(target())} is booked in the journal ${name()} from now on${old}`);
    }
    return journal;
  }
  async function openToBook(asNew: boolean): Promise<Journal> {
    const before = await rememberedHere(asNew);
    await forgetIf(({ isReadOnly }) => isReadOnly || (asNew && lost !== undefined));
    const journal = await openOnce({ asNew, mustExist: asNew ? undefined : reasonAfter(before) });
    if (lost) throw lost;
    const place = await memory();
    // One that was lost in its own place was made anew.
    if (asNew && before?.name === name() && (await journal.size()).bookings === 0)
      place?.follow(journal.identity);
    else place?.refuseOther(before, journal.identity);
    return journal;
  }
  async function openToCheck(): Promise<Journal | undefined> {
    const before = await rememberedHere();
    const mustExist = reasonAfter(before);
    const state = connection.isOpen() || shared() ? 'there' : await here(host);
    if (state === 'none' && mustExist === undefined) return undefined;
    const journal = await (state === 'used' ? openOnce({}) : openToRead({ mustExist }));
    (await memory())?.refuseOther(before, journal?.identity);
    return journal;
  }
  async function openJournal(purpose: Purpose, { asNew = false, restored }: Said = {}) {
    if (purpose !== 'look') await checkDisk();
    if (restored) return openRestored(restored);
    if (purpose === 'book') return openToBook(asNew);
    if (purpose === 'check') return openToCheck();
    if (purpose !== 'add' && !connection.isOpen() && !shared()) {
      const state = await here(host);
      // Of one that is gone nothing can be shown.
      if (state === 'none') return undefined;
      if (state === 'used') return openOnce({});
    }
    if (purpose === 'look')
      return openToRead({
        mustExist: shared() && reasonToExist(),
        onLost(failure) {
          lost = failure;
          // Who looks back sends nothing.
          warnOf(failure);
        },
      });
    await forgetIf(({ isReadOnly }) => isReadOnly);
    const journal = await openOnce(
      shared() ? { mustExist: reasonToExist(), ...(purpose === 'add' && { onLost: warnOf }) } : {},
    );
    if (lost) throw lost;
    return journal;
  }
  return {
    openJournal: openJournal as Journals['openJournal'],
    async refuseUnfit() {
      if (lost) throw lost;
      await checkDisk();
      const before = await rememberedHere();
      const journal = await connection.present();
      // One that could not be opened is told already, and may be the right one.
      if (journal || (!shared() && (await here(host)) === 'none'))
        (await memory())?.refuseOther(before, journal?.identity);
    },
    sharesJournal: () => shared() !== undefined,
    journalName() {
      const server = shared();
      return server ? shownAddress(server.url) : localFile(host);
    },
    close: connection.close,
  };
}

/** The file of the journal of this machine; empty if there is no folder for it. */
function localFile(host: Host): string {
  const folder = stateFolder(host);
  return folder === undefined ? '' : join(folder, 'journal.db');
}

/** The journal of this machine, if there is a folder for it. */
async function here(host: Host) {
  const { journalState } = await import('../journal/sqlite/file.ts');
  const file = localFile(host);
  return file === '' ? 'none' : journalState(file);
}

/** A look into the journal of this machine. Throws what SQLite throws if there is none. */
export async function readOnlyView(host: Host): Promise<ReadOnlyView> {
  const { openReadOnlyView } = await import('../journal/sqlite/read-only.ts');
  return openReadOnlyView(localFile(host));
}

const BOOKINGS_STAY =
  'Repair its disk or its rights: a journal in another folder would not know what this one has, and would book it again';

/** None if it cannot be seen: opening it says why. */
function ownerOf(file: string): number | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}

/** Root may open any file, and would believe what another user wrote into it. Throws `storage`. */
function refuseForeign(file: string, user: number | undefined): void {
  if (user !== 0) return;
  const owner = ownerOf(file);
  if (owner === undefined || owner === 0) return;
  throw new Failure(
    'storage',
    `the journal ${file} belongs to another user (id ${owner}), and this is root`,
    { hint: 'Run the command as that user, or set WAYBILL_STATE_DIR to a folder of root' },
  );
}

/** The journal of this machine. Throws `storage`. */
async function openLocal(host: Host, opening: Opening): Promise<Database> {
  const file = join(requiredStateFolder(host), 'journal.db');
  const { openSqlite } = await import('../journal/sqlite/database.ts');
  const { journalState } = await import('../journal/sqlite/file.ts');
  refuseForeign(file, host.user);
  const isNew = journalState(file) === 'none';
  if (opening.mustExist !== undefined && isNew)
    throw new Failure('storage', `there is no journal at ${file} yet. ${opening.mustExist}`, {
      hint: 'Keep the state folder (WAYBILL_STATE_DIR) from run to run, or give --new-journal if this is the first run',
    });
  const { processesOf } = await import('../journal/claim.ts');
  if (opening.toRead) {
    const { isUnwritable, openUnwritable } = await import('../journal/sqlite/unwritable.ts');
    if (isUnwritable(file)) return openUnwritable(file, processesOf(host, VERSION), host, opening);
  }
  return openSqlite(file, processesOf(host, VERSION), host, opening).catch((error: unknown) => {
    // A defect of the file itself has no code of the system: another folder would only hide it.
    const code = error instanceof Failure ? systemCode(error.cause) : undefined;
    if (!(error instanceof Failure) || code === undefined) throw error;
    // Where a file is in place of the folder there are no bookings.
    const hasNone = code === 'ENOTDIR' || journalState(file) === 'none';
    const advice = hasNone ? otherFolder('state') : BOOKINGS_STAY;
    throw error.with({ hint: advice });
  });
}

/** A journal that many machines share. `note` gets what the password command writes to stderr. Throws `storage`. */
async function openShared(
  { url, passwordCommand, isLossless }: SharedJournal,
  note: (line: string) => void,
  host: Host,
  profile: Profile,
  opening: Opening,
): Promise<Database> {
  const { openPostgres } = await import('../journal/postgres/database.ts');
  const { processesOf } = await import('../journal/claim.ts');
  const folder = stateFolder(host);
  // Several connections open at once, and the program may ask a person; later ones ask again, because passwords change.
  let asked: Promise<string> | undefined;
  const password = (words: readonly string[]) => {
    asked ??= passwordPrinted(words, note, host, profile).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  const settings = {
    url,
    journalName: shownAddress(url),
    isHere: isOnThisMachine(url),
    name: `waybill ${VERSION}`,
    isLossless,
    note,
    // Where this machine remembers what it has seen of shared journals, if it has a folder for that.
    memory: folder === undefined ? undefined : join(folder, 'shared-journals'),
    // PostgreSQL programs do the same if the variable USER is not set, as in cron.
    user: setting(host.env, 'PGUSER') ?? host.process.user,
    ...(passwordCommand && { password: () => password(passwordCommand) }),
  };
  return openPostgres(settings, processesOf(host, VERSION).own, host, undefined, opening);
}

async function passwordPrinted(
  words: readonly string[],
  note: (line: string) => void,
  host: Host,
  profile: Profile,
): Promise<string> {
  const refused = (why: string) =>
    new Failure('storage', `the password of the journal is not available: ${spelledCommand(words)}: ${why}`, {
      hint: 'Run the command by itself to see why, or change it with `waybill profile set NAME journalPasswordCommand=CMD`',
    });
  return secretPrinted(words, refused, note, { ...host, without: secretVariables(profile) });
}
