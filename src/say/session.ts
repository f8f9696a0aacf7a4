// What is said of the files that a command line names, of the log of a command, and of the journal that a command opens.
import { someOf } from '../text.ts';
import { otherFolder } from './profile.ts';
import { command, flag, forPerson, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

const OTHER_LOG = say`Name another file with ${flag('--log')} or WAYBILL_LOG`;

const unwritableLog = (path: string, why: string): Text => say`the log ${path} cannot be written: ${why}`;

/** What to do if a file of the state folder cannot be written. */
export const OTHER_STATE_FOLDER = otherFolder('WAYBILL_STATE_DIR');

/** What to do if a journal with bookings cannot be opened. */
export const REPAIR_JOURNAL = say`Repair its disk or rights: another journal would book again`;

export const RESTORED = pattern('waybill history check --restored --reason TEXT');

const ONE_OBJECT = 'must be one JSON object';

const TWO_MACHINES = 'two machines would book the same orders, and damage it';

const LOCAL_DISK = say`Set WAYBILL_STATE_DIR to a local folder, or share a journal (WAYBILL_JOURNAL). If no other machine uses this one, say WAYBILL_STATE_FS=trusted`;

/** Why waybill makes no new journal, although the journal does not exist. */
export type MustExist =
  | { because: 'required' | 'ci' | 'restored' }
  /** This machine remembers that orders for the place were booked in the journal. */
  | { because: 'booked-before'; place: string; since: string };

export const REASONS = {
  required: 'WAYBILL_REQUIRE_JOURNAL is set',
  ci: 'CI is set: a new one would not know earlier bookings',
  restored: 'Only a journal that exists can be put back',
};

export const mustExistText = (reason: MustExist): Text =>
  reason.because === 'booked-before'
    ? say`${reason.place} was booked in it since ${reason.since}`
    : say`${REASONS[reason.because]}`;

/** A journal in which orders for a place are booked. */
interface PlaceJournal {
  /** The identity of the journal; `undefined`: it does not exist. */
  identity?: string | undefined;
  name: string;
}

/** The journal in which orders for a place were booked before, and the journal of this command. */
interface OtherJournal {
  place: string;
  /** Since when the earlier journal was used, in ISO 8601. */
  since: string;
  before: PlaceJournal;
  present: PlaceJournal;
}

/** What is wrong with a file that says in which journal orders for a place are booked. */
export type PlaceFileFault =
  | { because: 'no-file' | 'damaged' }
  | { because: 'other-user'; owner: number }
  | { because: 'unreadable'; why: string };

function placeFileFault(fault: PlaceFileFault): string {
  switch (fault.because) {
    case 'no-file':
      return 'it is not a plain file';
    case 'damaged':
      return 'it is damaged';
    case 'other-user':
      return `it belongs to another user (id ${fault.owner})`;
    case 'unreadable':
      return fault.why;
  }
}

const placeFile = (file: { path: string; place: string }): string =>
  `${file.path}, which names the journal of ${file.place},`;

/** A booking that this process waits for, because another process is sending it. */
interface Wait {
  process: number;
  user?: string | undefined;
  machine: string;
  booking: string;
  key: string | null;
  mostSeconds: number;
}

const SAVED = {
  parties: { noun: 'party', option: undefined },
  parcels: { noun: 'parcel', option: '--package' },
};

interface SavedName {
  saved: keyof typeof SAVED;
  name: string;
}

export const SESSION = {
  'file-unreadable': (notice: { path: string; why: string }): Saying => ({
    what: say`the file ${notice.path} cannot be read: ${notice.why}`,
  }),
  'input-too-large': (notice: { input: string; mostMiB: number }): Saying => ({
    what: say`${notice.input} is larger than ${notice.mostMiB} MiB`,
  }),
  'input-in-other-encoding': (text: { input: string; encoding: string; line: number }): Saying => ({
    what: say`${text.input} is not ${text.encoding.toUpperCase()} in line ${text.line}: save it as UTF-8`,
  }),
  'input-empty': (notice: { input: string }): Saying => ({
    what: say`${notice.input} is empty, but ${ONE_OBJECT}`,
  }),
  'input-is-no-json': (notice: { input: string; why: string }): Saying => ({
    what: say`${notice.input} is not JSON: ${notice.why}`,
  }),
  'input-is-no-object': (notice: { input: string; holds: 'list' | 'value' }): Saying => ({
    what: say`${notice.input} holds ${notice.holds === 'list' ? 'a list' : 'a bare value'}, but ${ONE_OBJECT}`,
  }),
  'variable-unreadable': (setting: { variable: string; value: string; rule: string }): Saying => ({
    what: say`the environment variable ${setting.variable} is ${stranger(setting.value)}`,
    toDo: say`${setting.rule}`,
  }),

  'log-is-own-file': (notice: { path: string }): Saying => ({
    what: say`${flag('--log')} cannot be ${stranger(notice.path)}, a file of waybill's journal or config`,
    toDo: OTHER_LOG,
  }),
  'log-is-stdout': (notice: { path: string }): Saying => ({
    what: say`${flag('--log')} cannot be ${stranger(notice.path)}: stdout is for the result`,
    toDo: say`Name a file, or /dev/stderr`,
  }),
  'log-is-other-file': (notice: { path: string }): Saying => ({
    what: unwritableLog(notice.path, 'that file is not a log of waybill'),
    toDo: OTHER_LOG,
  }),
  'log-unwritable': (notice: { path: string; why: string }): Saying => ({
    what: unwritableLog(notice.path, notice.why),
    toDo: OTHER_LOG,
  }),
  /** `why`: why the log ended; missing: the reader of the log is too slow. */
  'log-ended': (notice: { path: string; why?: string | undefined }): Saying => ({
    what: unwritableLog(notice.path, notice.why ?? 'its reader is too slow'),
    toDo: say`The command goes on without it`,
  }),

  'waiting-for-process': (wait: Wait): Saying => ({
    what: say`waiting for process ${wait.process} of ${wait.user && `${wait.user} on `}${wait.machine}, which is sending booking ${wait.booking}${wait.key === null ? '' : ` with the key ${stranger(wait.key)}`}`,
    toDo: say`If that has ended, the booking is unknown in at most ${wait.mostSeconds} s${forPerson(say`. Ctrl-C ends the waiting, and sends nothing twice`, [])}`,
  }),

  'demo-unwritable': (notice: { folder: string; why: string }): Saying => ({
    what: say`the demo cannot save its data in ${notice.folder}: ${notice.why}`,
    toDo: OTHER_STATE_FOLDER,
  }),
  'journal-of-other-user': (notice: { path: string; owner: number }): Saying => ({
    what: say`the journal ${notice.path} belongs to another user (id ${notice.owner}), not root`,
    toDo: say`Run it as that user, or set WAYBILL_STATE_DIR to another folder`,
  }),
  'journal-must-exist': (notice: { path: string; reason: MustExist }): Saying => ({
    what: say`there is no journal at ${notice.path} yet. ${mustExistText(notice.reason)}`,
    toDo: say`Keep the state folder (WAYBILL_STATE_DIR) between runs; the first run needs ${flag('--new-journal')}`,
  }),
  'journal-on-network': (notice: { path: string; fileSystem: string }): Saying => ({
    what: say`the journal ${notice.path} is on ${notice.fileSystem}, in a network: ${TWO_MACHINES}`,
    toDo: LOCAL_DISK,
  }),
  'journal-perhaps-on-network': (notice: { path: string; fileSystem: string }): Saying => ({
    what: say`the journal ${notice.path} is on ${notice.fileSystem}: if that is a network, ${TWO_MACHINES}`,
    toDo: LOCAL_DISK,
  }),
  'journal-followed': (change: { place: string; journal: string; before?: string | undefined }): Saying => ({
    what: say`${change.place} is booked in the journal ${change.journal} from now on${change.before && `, not in ${change.before}`}`,
  }),
  'place-file-unwritable': (file: { path: string; place: string; why: string }): Saying => ({
    what: say`${placeFile(file)} cannot be written: ${file.why}`,
    toDo: OTHER_STATE_FOLDER,
  }),
  'place-file-unusable': (file: { path: string; place: string; fault: PlaceFileFault }): Saying => ({
    what: say`${placeFile(file)} cannot be used: ${placeFileFault(file.fault)}`,
    toDo: say`If this is the journal with the earlier bookings, ${RESTORED} writes it again`,
  }),
  'place-file-unchanged': (notice: { path: string; why: string }): Saying => ({
    what: say`${placeFile({ path: notice.path, place: 'a place' })} cannot be changed: ${notice.why}`,
    toDo: say`Run the command again`,
  }),
  'booked-in-other-journal': (notice: OtherJournal): Saying => {
    const isOneName = notice.before.name === notice.present.name;
    const named = (journal: PlaceJournal) =>
      isOneName ? `${journal.name} (${journal.identity ?? 'gone'})` : journal.name;
    return {
      what: say`${notice.place} is booked in the journal ${named(notice.before)} since ${notice.since.slice(0, 10)}. This command has ${named(notice.present)}, which lacks those bookings`,
      toDo: wayOn(notice.before, notice.present),
    };
  },

  'no-profile-to-save-in': (notice: { saved: keyof typeof SAVED }): Saying => ({
    what: say`${notice.saved} are saved in a profile: name one with ${flag('--profile')}`,
  }),
  saved: (notice: SavedName): Saying => {
    const { noun, option } = SAVED[notice.saved];
    const used = option === undefined ? `@${notice.name}` : flag(option, `@${notice.name}`);
    return { what: say`${noun} ${notice.name} saved; use it as ${used}` };
  },
  'saved-removed': (notice: SavedName): Saying => ({
    what: say`${SAVED[notice.saved].noun} ${notice.name} removed`,
  }),
  'parties-saved-already': (notice: { names: readonly string[] }): Saying => ({
    what: say`${notice.names.length} of these parties ${notice.names.length === 1 ? 'is' : 'are'} saved already: ${someOf(notice.names, 2)}`,
    toDo: say`Nothing was saved; ${flag('--replace')} replaces them`,
  }),
  'party-copy-kept': (notice: Record<'role' | 'profile' | 'party', string>): Saying => ({
    what: say`the ${notice.role} of the profile ${notice.profile} is still the earlier @${notice.party}: ${command('waybill', 'profile', 'set', notice.profile, `${notice.role}=@${notice.party}`)} takes the new one`,
  }),
};

function wayOn(before: PlaceJournal, present: PlaceJournal): Text {
  const isOneName = before.name === present.name;
  if (isOneName && present.identity === undefined)
    return say`Put that journal back, or begin a new one with ${flag('--new-journal')}`;
  const back = isOneName
    ? 'Put that journal back'
    : before.name.startsWith('postgres:')
      ? 'Name the first one in WAYBILL_JOURNAL, or as `journal` of the profile'
      : 'Unset WAYBILL_JOURNAL, and `journal` of the profile';
  return say`${back}. If the first one is gone for good, ${RESTORED} goes on with this one`;
}
