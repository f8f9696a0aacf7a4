// The journal of a session, opened for what the command does: book, add earlier bookings, change bookings, look back.
import type { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Database } from '../journal/database.ts';
import type { Journal, JournalEvent } from '../journal/journal.ts';
import type { Opening, Restoring } from '../journal/tables.ts';
import type { Diagnostics } from '../output/print.ts';
import { isOn } from '../profile/environment.ts';
import { isProduction, type Target, targetWords } from '../profile/target.ts';
import type { Notice } from '../say/notices.ts';
import type { MustExist } from '../say/session.ts';
import type { Events } from './events.ts';
import { type JournalHome, journalHome } from './journal-home.ts';
import { once } from './once.ts';
import type { PlaceMemory, RememberedJournal } from './places.ts';

/**
 * Why a journal is opened. `book`: throws if the journal has lost bookings, or must exist and does not. `check`: throws as `book`
 * does, but opens the journal as `look` does. `add` records earlier bookings: makes a new journal if there is none, and opens a shared
 * journal that has lost bookings, to put them back. `change` records something about existing bookings: `undefined` if there is no
 * journal. `look` only reads, even without the right to write: `undefined` if there is no journal, and lost bookings are a warning.
 */
type Purpose = 'book' | 'check' | 'add' | 'change' | 'look';

/** What a person says about a journal that is new, or was put back. */
interface Said {
  /** The journal may be new, or have lost bookings: booking goes on with what is there. */
  asNew?: boolean | undefined;
  /** The journal was put back or moved: this is recorded, and what the journal has counts. */
  restored?: Restoring;
}

export interface Journals {
  /** Opens the journal, the record of every booking. Throws `storage`. */
  openJournal(purpose: 'look' | 'check' | 'change'): Promise<Journal | undefined>;
  openJournal(purpose: 'book', said?: Said): Promise<Journal>;
  openJournal(purpose: 'add'): Promise<Journal>;
  /**
   * Opens the journal that a booking would use, and writes nothing; `undefined` if there is no journal yet. Throws as a booking would.
   * `warn` gets what a person should look into although the journal can be used.
   */
  examineJournal(warn: (notice: Notice) => void): Promise<Journal | undefined>;
  /** Closes the journal. The next call of `openJournal` opens it again. */
  closeJournal(): Promise<void>;
  /** Throws the reason, if nothing may be booked with the journal that was opened to look back. */
  refuseUnfit(): Promise<void>;
  /** Do other machines write to the journal, too? */
  sharesJournal(): boolean;
  /** The file of the journal, or its address without a password. */
  journalName(): string;
}

/** Keeps the open journal. Calls that come at once share it; after a failure to open it, the next call tries again. */
function connectionBy(open: (opening: Opening) => Promise<Journal>) {
  let opened: Promise<Journal> | undefined;
  // Why nothing may be booked with the journal: it has lost bookings.
  let lost: Failure | undefined;
  const openOnce = (opening: Opening): Promise<Journal> => {
    opened ??= open(opening).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const present = async () => opened?.catch(() => undefined);
  async function close(): Promise<void> {
    const journal = await present();
    opened = undefined;
    lost = undefined;
    await journal?.close();
  }
  return {
    openOnce,
    /** Opens the journal to read it; `undefined` if there is none. */
    openToRead: (opening: Opening): Promise<Journal | undefined> =>
      openOnce({ ...opening, toRead: true }).catch(async (error: unknown) => {
        const { NoTables } = await import('../journal/tables.ts');
        if (error instanceof NoTables) return undefined;
        throw error;
      }),
    isOpen: () => opened !== undefined,
    present,
    close,
    /** Remembers that the open journal has lost bookings. */
    lose(failure: Failure) {
      lost = failure;
    },
    refuseLost() {
      if (lost) throw lost;
    },
    /** Closes a journal that is open only for reading or, with `orLost`, has lost bookings, so that the next call opens it again. */
    async closeUnfit(orLost: boolean): Promise<void> {
      if ((await present())?.isReadOnly || (orLost && lost)) await close();
    },
  };
}

/**
 * The database, which takes a claim only if this machine remembers that the place is booked in this journal: while a command runs,
 * a person may say that another journal counts.
 */
const keepingPlace = (database: Database, memory: () => Promise<PlaceMemory>): Database => ({
  ...database,
  async claim(intent) {
    (await memory()).keep(database.identity);
    return database.claim(intent);
  },
});

const requiresJournal = (host: Pick<Host, 'env'>): boolean => isOn(host.env, 'WAYBILL_REQUIRE_JOURNAL');

/** How a doubt about a journal is told, and whether it must be told. */
export const doubtOptions = (
  host: Pick<Host, 'env'>,
  diagnostics: Pick<Diagnostics, 'warn'>,
): Pick<Opening, 'warn' | 'mustTell'> => ({
  warn: notice => void diagnostics.warn(notice, { always: true }),
  mustTell: requiresJournal(host),
});

/** Why a missing journal is not made, but an error; `undefined` if a new journal may be made. */
export function reasonToExist(host: Pick<Host, 'env'>, target: Target): MustExist | undefined {
  if (requiresJournal(host)) return { because: 'required' };
  if (isOn(host.env, 'CI') && isProduction(target)) return { because: 'ci' };
  return undefined;
}

/** The journal of a session, which is opened when it is first asked for: few commands need it. */
export class SessionJournals implements Journals {
  private readonly home: JournalHome;
  private readonly connection = connectionBy(opening => this.open(opening));

  constructor(
    private readonly host: Host,
    private readonly target: () => Target,
    private readonly diagnostics: Pick<Diagnostics, 'note' | 'warn'>,
    private readonly events: Pick<Events, 'log' | 'logName'>,
  ) {
    this.home = journalHome(host, target, diagnostics);
  }

  readonly openJournal = (async (purpose: Purpose, { asNew = false, restored }: Said = {}) => {
    if (purpose === 'look') return this.openToLook();
    await this.checkDisk();
    if (restored) return this.openRestored(restored);
    if (purpose === 'book') return this.openToBook(asNew);
    if (purpose === 'check') return this.openToCheck();
    if (purpose === 'change' && (await this.state()) === 'none') return undefined;
    return this.openToWrite(purpose);
  }) as Journals['openJournal'];

  readonly examineJournal: Journals['examineJournal'] = async warn => {
    const memory = await this.memory();
    const before = memory.read();
    const mustExist =
      before?.name === this.home.name() || before === undefined ? this.reasonAfter(before) : undefined;
    const isThere = (await this.state()) !== 'none' || mustExist !== undefined;
    const opening = { mustExist, isUntouched: true, warn };
    const journal = isThere ? await this.connection.openToRead(opening) : undefined;
    memory.refuseOther(before, journal?.identity);
    return journal;
  };

  readonly refuseUnfit = async (): Promise<void> => {
    this.connection.refuseLost();
    await this.checkDisk();
    const before = await this.remembered();
    const journal = await this.connection.present();
    // A journal that could not be opened was told of already, and may be the right journal.
    if (journal || (await this.state()) === 'none')
      (await this.memory()).refuseOther(before, journal?.identity);
  };

  readonly sharesJournal = (): boolean => this.home.isShared();
  readonly journalName = (): string => this.home.shown();
  readonly closeJournal = (): Promise<void> => this.connection.close();

  private async openToBook(asNew: boolean): Promise<Journal> {
    const { openOnce, closeUnfit, refuseLost } = this.connection;
    const before = await this.remembered(asNew);
    await closeUnfit(asNew);
    const journal = await openOnce({ asNew, mustExist: asNew ? undefined : this.reasonAfter(before) });
    refuseLost();
    const memory = await this.memory();
    // The journal was lost, and a new one was made in the same place: the new journal counts from now on.
    if (asNew && before?.name === this.home.name() && (await journal.size()).bookings === 0)
      memory.follow(journal.identity);
    else memory.refuseOther(before, journal.identity);
    return journal;
  }

  private async openToCheck(): Promise<Journal | undefined> {
    const { openOnce, openToRead } = this.connection;
    const before = await this.remembered();
    const mustExist = this.reasonAfter(before);
    const state = await this.state();
    if (state === 'none' && mustExist === undefined) return undefined;
    const journal = await (state === 'used' ? openOnce({}) : openToRead({ mustExist }));
    (await this.memory()).refuseOther(before, journal?.identity);
    return journal;
  }

  private async openToLook(): Promise<Journal | undefined> {
    const { openOnce, openToRead, lose } = this.connection;
    const state = await this.state();
    // `none`: there is no journal. `used`: the journal is gone, and opening it throws the reason.
    if (state === 'none') return undefined;
    if (state === 'used') return openOnce({});
    return openToRead({
      mustExist: this.home.isShared() ? this.reasonToExist() : undefined,
      onLost: failure => {
        lose(failure);
        // Lost bookings are only a warning here, because a command that looks back sends nothing.
        this.warnOf(failure);
      },
    });
  }

  private async openToWrite(purpose: 'add' | 'change'): Promise<Journal> {
    const { openOnce, closeUnfit, refuseLost } = this.connection;
    await closeUnfit(false);
    const onLost = purpose === 'add' ? { onLost: this.warnOf } : {};
    const journal = await openOnce(
      this.home.isShared() ? { mustExist: this.reasonToExist(), ...onLost } : {},
    );
    refuseLost();
    return journal;
  }

  /** Opens a journal of which a person says that it was put back or moved, or that it counts in the place of a journal that is gone. */
  private async openRestored(restored: Restoring): Promise<Journal> {
    const memory = await this.memory();
    let before: Partial<RememberedJournal> | undefined;
    try {
      before = memory.read();
    } catch {
      // A memory that cannot be read counts as that of another journal, and is written anew.
      before = {};
    }
    const name = this.home.name();
    const mustExist: MustExist = { because: 'restored' };
    const mayBeNew = before !== undefined && before.name !== name;
    const journal = await this.connection.openOnce({ restored, ...(!mayBeNew && { mustExist }) });
    if (before && before.identity !== journal.identity) {
      memory.follow(journal.identity);
      const place = targetWords(this.target());
      await this.diagnostics.note({ kind: 'journal-followed', place, journal: name, before: before.name });
    }
    return journal;
  }

  private async open(opening: Opening): Promise<Journal> {
    const { diagnostics, events } = this;
    const database = await this.home.open({ ...doubtOptions(this.host, diagnostics), ...opening });
    const { Journal } = await import('../journal/journal.ts');
    const keeping = keepingPlace(database, this.memory);
    if (events.logName === undefined) return new Journal(keeping);
    const { LOG, bookingRow } = await import('../output/columns.ts');
    const tell = ({ of, ...event }: JournalEvent) => events.log({ ...(of && bookingRow(LOG, of)), ...event });
    return new Journal(keeping, tell);
  }

  private readonly memory = once(async () => {
    const { placeMemory } = await import('./places.ts');
    return placeMemory(this.host, this.target(), this.home);
  });

  /** The journal in which the place was booked last. Throws `storage` if the journal of this command is another one, without making it. */
  private async remembered(asNew = false): Promise<RememberedJournal | undefined> {
    const memory = await this.memory();
    const before = memory.read();
    if (before === undefined || before.name === this.home.name()) return before;
    const isThere = (await this.state()) === 'there';
    const journal = isThere ? await this.connection.openToRead({ asNew }) : undefined;
    memory.refuseOther(before, journal?.identity);
    return before;
  }

  private readonly checkDisk = once(async () => {
    const file = this.home.isShared() ? '' : this.home.name();
    if (file === '') return;
    const { stateDiskWarning } = await import('./state-disk.ts');
    const warning = stateDiskWarning(this.host, file, this.target().from === 'demo');
    if (warning !== undefined) await this.diagnostics.warn(warning);
  });

  private readonly state = async () => (this.connection.isOpen() ? 'there' : this.home.state());

  private readonly reasonToExist = () => reasonToExist(this.host, this.target());

  /** Why a missing journal is not made: also because this machine remembers bookings of the place. */
  private reasonAfter(before: RememberedJournal | undefined): MustExist | undefined {
    return before
      ? { because: 'booked-before', place: targetWords(this.target()), since: before.since }
      : this.reasonToExist();
  }

  private readonly warnOf = (failure: Failure): void =>
    void this.diagnostics.warn(failure.notice ?? failure.message, { always: true });
}
