// In which journal this machine booked each place (address and account) last: a small file for each place, in the state folder. Without
// this memory, a shell that lacks WAYBILL_JOURNAL, or a profile with a new shared journal, would book the same keys again.
import { existsSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { fileNamed, keepFile } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { parseJson } from '../json.ts';
import { type FolderHost, stateFolder } from '../profile/environment.ts';
import { productionScope, type Target, targetWords } from '../profile/target.ts';
import type { PlaceFileFault } from '../say/session.ts';
import { messageOf, systemCode } from '../system-errors.ts';
import type { JournalHome } from './journal-home.ts';

/** A journal, as this machine remembers it. */
interface PlaceJournal {
  /** The identity of the journal, `jr_…`; `undefined` if the journal does not exist. */
  identity: string | undefined;
  /** The file of the journal, or its address with everything that tells it from other journals. */
  name: string;
}

/** The journal in which a place was booked last. */
export interface RememberedJournal extends PlaceJournal {
  identity: string;
  /** Since when the place is booked in this journal, in ISO 8601. */
  since: string;
}

/** What this machine knows of a place. */
export interface PlaceMemory {
  /** The journal in which the place was booked last. Throws `storage` if what is remembered cannot be used. */
  read(): RememberedJournal | undefined;
  /**
   * Throws `storage` if the journal of the command is another one than `before`. `identity`: the identity of the command's journal;
   * `undefined` if that journal does not exist.
   */
  refuseOther(before: RememberedJournal | undefined, identity: string | undefined): void;
  /**
   * Remembers, before the first claim, that the place is booked in the journal of the command, and writes that to the disk. Throws
   * `storage` if the place was booked last in another journal: of two processes with two journals, the second is refused.
   */
  keep(identity: string): void;
  /** Remembers that the place is booked in this journal from now on, whatever was remembered. Throws `storage`. */
  follow(identity: string): void;
}

/** The memory of a place. Nothing is remembered where a booking costs nothing, or without a state folder. */
export function placeMemory(
  host: FolderHost & Pick<Host, 'now'>,
  target: Target,
  home: Pick<JournalHome, 'isShared' | 'name'>,
): PlaceMemory {
  const scope = productionScope(target);
  const folder = stateFolder(host);
  const file = scope && folder && fileNamed(join(folder, 'places'), [scope.address, scope.account]);
  const name = home.name();
  const place = `${targetWords(target)}${scope?.account ? ` (account ${scope.account})` : ''}`;

  const unusable = (path: string, fault: PlaceFileFault) =>
    new Failure('storage', { kind: 'place-file-unusable', path, place, fault });

  /** Writes the file of the place. False if another process has written the file, and the file must not be replaced. */
  function write(identity: string, mayReplace: boolean): boolean {
    if (file === undefined) return true;
    const since = new Date(host.now()).toISOString();
    try {
      return keepFile(file, `${JSON.stringify({ ...scope, identity, name, since })}\n`, mayReplace);
    } catch (error) {
      // A machine that cannot write files may still book with a shared journal.
      if (home.isShared()) return true;
      const why = messageOf(error);
      throw new Failure('storage', { kind: 'place-file-unwritable', path: file, place, why });
    }
  }

  function read(): RememberedJournal | undefined {
    const there = file === undefined ? undefined : statOf(file);
    if (file === undefined || there === undefined) return undefined;
    try {
      if (!there.isFile()) throw unusable(file, { because: 'no-file' });
      const owners = [host.user, statSync(join(file, '../..')).uid];
      if (host.user !== undefined && !owners.includes(there.uid))
        throw unusable(file, { because: 'other-user', owner: there.uid });
      const kept = parseJson(readFileSync(file, 'utf8'));
      const isOfPlace = isRecord(kept) && kept.address === scope?.address && kept.account === scope?.account;
      const [identity, since] = ['identity', 'since'].map(key => textAt(kept, key));
      const journal = textAt(kept, 'name');
      if (isOfPlace && identity && since && journal) return { identity, name: journal, since };
      throw unusable(file, { because: 'damaged' });
    } catch (error) {
      throw error instanceof Failure
        ? error
        : unusable(file, { because: 'unreadable', why: messageOf(error) });
    }
  }

  function refuseOther(before: RememberedJournal | undefined, identity: string | undefined): void {
    if (before !== undefined && before.identity !== identity)
      throw otherJournal(place, before, { identity, name });
  }

  return {
    read,
    refuseOther,
    keep(identity) {
      const before = read();
      refuseOther(before, identity);
      if (before?.name === name || write(identity, before !== undefined)) return;
      refuseOther(read(), identity);
    },
    follow: identity => void write(identity, true),
  };
}

/** Each place that this machine booked last in the journal `from` is booked in `to` from now on. Throws `storage`. */
export function followMove(
  host: FolderHost & Pick<Host, 'now'>,
  from: string,
  remembered: Pick<RememberedJournal, 'identity' | 'name'>,
): void {
  const places = join(stateFolder(host) ?? '', 'places');
  const files = existsSync(places) ? readdirSync(places).filter(file => file.endsWith('.json')) : [];
  const since = new Date(host.now()).toISOString();
  for (const file of files) {
    const path = join(places, file);
    try {
      const kept = parseJson(readFileSync(path, 'utf8'));
      if (isRecord(kept) && kept.identity === from)
        keepFile(
          path,
          `${JSON.stringify({ ...kept, identity: remembered.identity, name: remembered.name, since })}\n`,
        );
    } catch (error) {
      const why = messageOf(error);
      throw new Failure('storage', { kind: 'place-file-unchanged', path, why }, { retry: 'same' });
    }
  }
}

/** The facts about a file; `undefined` if there is no file, or its folder cannot be read. */
function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (['ENOTDIR', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function otherJournal(place: string, remembered: RememberedJournal, present: PlaceJournal): Failure {
  const { since, identity, name } = remembered;
  const before = { identity, name };
  // `created: null`: nobody knows whether the order exists, because the other journal may have it.
  return new Failure(
    'storage',
    { kind: 'booked-in-other-journal', place, since, before, present },
    { created: null },
  );
}
