// Where the journal of a session is: in a file of this machine, or in a shared database that the profile or the environment names.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Database } from '../journal/database.ts';
import type { ReadOnlyView } from '../journal/sqlite/read-only.ts';
import type { Opening } from '../journal/tables.ts';
import type { Diagnostics } from '../output/print.ts';
import { filled, requiredStateFolder, stateFolder } from '../profile/environment.ts';
import { secretPrinted, secretVariables } from '../profile/secrets.ts';
import type { Profile } from '../profile/store.ts';
import {
  isOnThisMachine,
  type SharedJournal,
  sharedJournal,
  shownAddress,
  type Target,
  wholeAddress,
} from '../profile/target.ts';
import type { SecretFault } from '../say/profile.ts';
import { OTHER_STATE_FOLDER, REPAIR_JOURNAL } from '../say/session.ts';
import { systemCode } from '../system-errors.ts';
import { once } from './once.ts';
import { VERSION } from './version.ts';

export type JournalHome = ReturnType<typeof journalHome>;

/** The journal of a command, which may not exist yet. `shared`: gives the shared journal, if it is not that of profile and environment. */
export function journalHome(
  host: Host,
  target: () => Target,
  diagnostics: Pick<Diagnostics, 'note'>,
  // The demo has no shared journal: each machine has a demo of its own.
  shared = once(() => (target().from === 'demo' ? undefined : sharedJournal(host.env, target().profile))),
) {
  const nameBy = (nameOf: (address: URL) => string) => {
    const server = shared();
    return server ? nameOf(server.url) : localFile(host);
  };
  return {
    /** Do other machines write to the journal, too? Throws `usage` if the address of the journal cannot be read. */
    isShared: () => shared() !== undefined,
    /** The file of the journal, or its address without a password. */
    shown: () => nameBy(shownAddress),
    /** The file of the journal, or its address with everything that tells it from other journals; empty if there is no folder for it. */
    name: () => nameBy(wholeAddress),
    /** Is the journal there? `used`: the journal was there, and is gone or empty. For a shared journal only `open` finds out. */
    async state(): Promise<'none' | 'used' | 'there'> {
      if (shared()) return 'there';
      const { journalState } = await import('../journal/sqlite/marker.ts');
      const file = localFile(host);
      return file === '' ? 'none' : journalState(file);
    },
    /** Opens the journal. Throws `storage`. */
    async open(opening: Opening): Promise<Database> {
      const server = shared();
      return server
        ? openShared(server, diagnostics.note, host, target().profile, opening)
        : openLocal(host, target().from === 'demo' ? { ...opening, evenMoved: true } : opening);
    },
  };
}

/** The file of the journal of this machine; empty if there is no folder for it. */
function localFile(host: Host): string {
  const folder = stateFolder(host);
  return folder === undefined ? '' : join(folder, 'journal.db');
}

/** A read-only view of the journal of this machine. Throws what SQLite throws if there is no journal. */
export async function readOnlyView(host: Host): Promise<ReadOnlyView> {
  const { openReadOnlyView } = await import('../journal/sqlite/read-only.ts');
  const { isAbandoned, processesOf } = await import('../journal/claim.ts');
  const processes = processesOf(host, VERSION);
  return openReadOnlyView(localFile(host), (holder, leaseUntil) =>
    isAbandoned(processes, holder, leaseUntil, host.now()),
  );
}

/** The owner of a file; `undefined` if the file cannot be seen: opening the file says why. */
function fileOwner(file: string): number | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}

/** Refuses a journal of another user to root, who may open any file and would trust what is in it. Throws `storage`. */
function refuseForeignJournal(file: string, user: number | undefined): void {
  if (user !== 0) return;
  const owner = fileOwner(file);
  if (owner === undefined || owner === 0) return;
  throw new Failure('storage', { kind: 'journal-of-other-user', path: file, owner });
}

/** Opens the journal of this machine. Throws `storage`. */
async function openLocal(host: Host, opening: Opening): Promise<Database> {
  const file = join(requiredStateFolder(host), 'journal.db');
  const { openSqlite } = await import('../journal/sqlite/database.ts');
  const { journalState } = await import('../journal/sqlite/marker.ts');
  refuseForeignJournal(file, host.user);
  const isNew = journalState(file) === 'none';
  if (opening.mustExist !== undefined && isNew)
    throw new Failure('storage', { kind: 'journal-must-exist', path: file, reason: opening.mustExist });
  const { processesOf } = await import('../journal/claim.ts');
  if (opening.toRead) {
    const { isUnwritable, openUnwritable } = await import('../journal/sqlite/unwritable.ts');
    if (opening.isUntouched || isUnwritable(file))
      return openUnwritable(file, processesOf(host, VERSION), host, opening);
  }
  return openSqlite(file, processesOf(host, VERSION), host, opening).catch((error: unknown) => {
    // A defect of the file itself has no error code of the system. Advice to use another folder would only hide the defect.
    const code = error instanceof Failure ? systemCode(error.cause) : undefined;
    if (!(error instanceof Failure) || code === undefined) throw error;
    // `ENOTDIR`: there is a file in the place of the folder, so there are no bookings.
    const hasNone = code === 'ENOTDIR' || journalState(file) === 'none';
    throw error.with({ hint: hasNone ? OTHER_STATE_FOLDER : REPAIR_JOURNAL });
  });
}

/** Opens a journal that many machines share. `note` gets what the password command writes to stderr. Throws `storage`. */
async function openShared(
  shared: SharedJournal,
  note: Diagnostics['note'],
  host: Host,
  profile: Profile,
  opening: Opening,
): Promise<Database> {
  const { url, passwordCommand, isLossless } = shared;
  const { openPostgres } = await import('../journal/postgres/database.ts');
  const { processesOf } = await import('../journal/claim.ts');
  const folder = stateFolder(host);
  // Connections that open at once share one password, because the program may ask a person. Later connections ask again: passwords change.
  let asked: Promise<string> | undefined;
  const password = (words: readonly string[]) => {
    asked ??= passwordPrinted(
      words,
      line => void note({ kind: 'program-said', line }),
      host,
      profile,
    ).finally(() => {
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
    // The folder in which this machine remembers what it has seen of shared journals, if there is a state folder.
    memory: folder === undefined ? undefined : join(folder, 'shared-journals'),
    // PostgreSQL programs do the same if the variable USER is not set, as in cron.
    user: filled(host.env.PGUSER) ?? host.process.user,
    ...(passwordCommand && { password: () => password(passwordCommand) }),
  };
  return openPostgres(settings, processesOf(host, VERSION), host, undefined, opening);
}

async function passwordPrinted(
  words: readonly string[],
  note: (line: string) => void,
  host: Host,
  profile: Profile,
): Promise<string> {
  const refused = (fault: SecretFault) =>
    new Failure('storage', { kind: 'journal-password-command-failed', program: words, ...fault });
  return secretPrinted(words, refused, note, { ...host, without: secretVariables(profile) });
}
