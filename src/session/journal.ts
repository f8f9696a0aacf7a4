// The journal of a session, opened as its commands need it: to book, to add to it, to change it, to look back.
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
 * `book`: throws if the journal has lost bookings, or must exist and does not. `check`: throws as `book` does, but opens it as
 * `look` does. `add` records earlier bookings: a new one is made if there is none, and a shared one that has lost bookings gets
 * them before anybody books with it. `change` records something of bookings that are there: `undefined` if there is no journal
 * yet. `look` only looks back: the same, and if it has lost bookings that is a warning; who may not write to it can read it.
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
  /**
   * The journal that a booking would have, and nothing is written; `undefined` if there is none yet. Throws as a booking would. `warn` gets
   * what a person should look into although it can be used.
   */
  examineJournal(warn: (notice: Notice) => void): Promise<Journal | undefined>;
  /** The next call opens it again. */
  closeJournal(): Promise<void>;
  /** Throws why nothing may be booked with a journal that was opened to look back. */
  refuseUnfit(): Promise<void>;
  /** Do other machines write to it, too? */
  sharesJournal(): boolean;
  /** Its file, or its address without a password. */
  journalName(): string;
}

/** The journal that is open. Calls that come at once share it; after a failure the next call opens it again. */
function connectionBy(open: (opening: Opening) => Promise<Journal>) {
  let opened: Promise<Journal> | undefined;
  // Why nothing may be booked with it.
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
    /** To be read; `undefined` if there is none. */
    openToRead: (opening: Opening): Promise<Journal | undefined> =>
      openOnce({ ...opening, toRead: true }).catch(async (error: unknown) => {
        const { NoTables } = await import('../journal/tables.ts');
        if (error instanceof NoTables) return undefined;
        throw error;
      }),
    isOpen: () => opened !== undefined,
    present,
    close,
    /** The journal has lost bookings, and was opened all the same. */
    lose(failure: Failure) {
      lost = failure;
    },
    refuseLost() {
      if (lost) throw lost;
    },
    /** Closes it, so that the next call opens it again, if it can only be read, or, with `orLost`, has lost bookings. */
    async closeUnfit(orLost: boolean): Promise<void> {
      if ((await present())?.isReadOnly || (orLost && lost)) await close();
    },
  };
}

/**
 * The database, which takes no claim unless this machine remembers that the place is booked in it: while a command runs, a person
 * may say that another journal counts.
 */
const keepingPlace = (database: Database, memory: () => Promise<PlaceMemory>): Database => ({
  ...database,
  async claim(intent) {
    (await memory()).keep(database.identity);
    return database.claim(intent);
  },
});

const requiresJournal = (host: Pick<Host, 'env'>): boolean => isOn(host.env, 'WAYBILL_REQUIRE_JOURNAL');

/** What becomes of a doubt about a journal. */
export const doubtOptions = (
  host: Pick<Host, 'env'>,
  diagnostics: Pick<Diagnostics, 'warn'>,
): Pick<Opening, 'warn' | 'mustTell'> => ({
  warn: notice => void diagnostics.warn(notice, { always: true }),
  mustTell: requiresJournal(host),
});

/** Why a journal that does not exist is not made; `undefined` if it is. */
export function reasonToExist(host: Pick<Host, 'env'>, target: Target): MustExist | undefined {
  if (requiresJournal(host)) return { because: 'required' };
  if (isOn(host.env, 'CI') && isProduction(target)) return { because: 'ci' };
  return undefined;
}

/** Opens the journal when it is first asked for: few commands need it. */
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
    // One that could not be opened is told already, and may be the right one.
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
    // One that was lost in its own place was made anew.
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
    // Of one that is gone nothing can be shown.
    if (state === 'none') return undefined;
    if (state === 'used') return openOnce({});
    return openToRead({
      mustExist: this.home.isShared() ? this.reasonToExist() : undefined,
      onLost: failure => {
        lose(failure);
        // Who looks back sends nothing.
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

  /** As a person says who knows that it was put back or moved, or that it counts in place of one that is gone. */
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

  /** In which journal the place was booked last. Throws `storage` if this command has another one, which is not made for that. */
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

  /** The same, also after what this machine remembers of the place. */
  private reasonAfter(before: RememberedJournal | undefined): MustExist | undefined {
    return before
      ? { because: 'booked-before', place: targetWords(this.target()), since: before.since }
      : this.reasonToExist();
  }

  private readonly warnOf = (failure: Failure): void =>
    void this.diagnostics.warn(failure.notice ?? failure.message, { always: true });
}
