// The journal of a session: the one of this machine, or the one that the profile or the environment shares.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { processesOf } from '../journal/holder.ts';
import type { Journal } from '../journal/journal.ts';
import type { ReadOnlyView } from '../journal/sqlite/read-only.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { commandLine } from '../profile/command-words.ts';
import { setting } from '../profile/environment.ts';
import { stateFolder } from '../profile/folders.ts';
import {
  isOnThisMachine,
  type JournalPlace,
  journalPlace,
  shownAddress,
} from '../profile/journal-address.ts';
import type { Target } from '../profile/target.ts';
import { isProduction } from './address.ts';
import { VERSION } from './version.ts';

export interface Journals {
  /** The record of every booking. Throws `storage`. `mayBeNew`: accepts a journal that does not exist yet. */
  journal(mayBeNew?: boolean): Promise<Journal>;
  /** The same, but `undefined` if there is none yet: for commands that only look back. */
  journalIfThere(): Promise<Journal | undefined>;
  /** Do other machines write to it, too? */
  sharesJournal(): boolean;
}

/** Opens the journal when it is first asked for: few commands need it. */
export function createJournals(
  host: Host,
  target: () => Target,
  { note }: Pick<Diagnostics, 'note'>,
): Journals & { close(): Promise<void> } {
  let opened: Promise<Journal> | undefined;
  // Each machine has a demo of its own.
  const shared = () => (target().from === 'demo' ? undefined : journalPlace(host.env, target().profile));
  const open = async (mayBeNew: boolean) => {
    const place = shared();
    return place
      ? openShared(place, text => void note(text), host)
      : openLocal(host, mayBeNew || !isProduction(target()));
  };
  // Calls that come at once share one journal; after a failure the next call tries again.
  const journal = (mayBeNew = false) => {
    opened ??= open(mayBeNew).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    journal,
    journalIfThere: async () => opened ?? (shared() || existsSync(fileOf(host)) ? journal() : undefined),
    sharesJournal: () => shared() !== undefined,
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

const fileOf = (host: Host): string => join(stateFolder(host), 'journal.db');

/** A look into the journal of this machine; `undefined` if there is none. Throws what SQLite throws. */
export async function readOnlyView(host: Host): Promise<ReadOnlyView | undefined> {
  if (!existsSync(fileOf(host))) return undefined;
  const { openReadOnlyView } = await import('../journal/sqlite/read-only.ts');
  return openReadOnlyView(fileOf(host));
}

/** The journal of this machine. Throws `storage`; also in CI, where a new disk has no memory. */
async function openLocal(host: Host, mayBeNew: boolean): Promise<Journal> {
  const file = fileOf(host);
  if (!mayBeNew && setting(host.env, 'CI') !== undefined && !existsSync(file))
    throw new Failure(
      'storage',
      `there is no journal at ${file} yet. A CI machine that is new in every run does not see what earlier runs booked; nothing was sent. Keep the state folder (WAYBILL_STATE_DIR) from run to run, or give --new-journal if this is the first run`,
    );
  const { openJournal } = await import('../journal/sqlite/journal.ts');
  return openJournal(file, processesOf(host, VERSION), host);
}

/** A journal that many machines share. `note` gets what the password command writes to stderr. Throws `storage`. */
async function openShared(
  { url, passwordCommand }: JournalPlace,
  note: (line: string) => void,
  host: Host,
): Promise<Journal> {
  const { openSharedJournal } = await import('../journal/postgres/journal.ts');
  const password = passwordCommand && oneAtATime(() => passwordPrinted(passwordCommand, note, host));
  const settings = {
    ...{ url, place: shownAddress(url), isHere: isOnThisMachine(url) },
    name: `waybill ${VERSION}`,
    // PostgreSQL programs do the same if the variable USER is not set, as in cron.
    user: setting(host.env, 'PGUSER') ?? host.process.user,
    ...(password && { password }),
  };
  return openSharedJournal(settings, processesOf(host, VERSION).own, host);
}

// Several connections open at once, and the program may ask a person; later ones ask again, because passwords change.
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= work().finally(() => {
      current = undefined;
    });
    return current;
  };
}

async function passwordPrinted(
  words: readonly string[],
  note: (line: string) => void,
  host: Host,
): Promise<string> {
  const { secretPrinted } = await import('../profile/token-command.ts');
  const refused = (why: string) =>
    new Failure(
      'storage',
      `the password of the journal is not available: ${commandLine(words)}: ${why}; nothing was sent. Run the command by itself to see why, or change it with \`waybill profile set NAME journalPasswordCommand=CMD\``,
    );
  return secretPrinted(words, refused, note, host);
}
