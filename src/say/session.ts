// What is said of the files that a command line names, of its log, and of the journal that it opens.
import { someOf } from '../text.ts';
import { otherFolder } from './profile.ts';
import { command, flag, forPerson, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

const OTHER_LOG = say`Name another file with ${flag('--log')} or WAYBILL_LOG`;

const unwritableLog = (path: string, why: string): Text => say`the log ${path} cannot be written: ${why}`;

/** What to do if a file of the state folder cannot be written. */
export const OTHER_STATE_FOLDER = otherFolder('WAYBILL_STATE_DIR');

/** What to do if the journal cannot be opened, and has bookings. */
export const REPAIR_JOURNAL = say`Repair its disk or rights: another journal would book again`;

export const RESTORED = pattern('waybill history check --restored --reason TEXT');

const ONE_OBJECT = 'must be one JSON object';

const TWO_MACHINES = 'two machines would book the same orders, and damage it';

const LOCAL_DISK = say`Set WAYBILL_STATE_DIR to a local folder, or share a journal (WAYBILL_JOURNAL). If no other machine uses this one, say WAYBILL_STATE_FS=trusted`;

/** Why a journal that does not exist is not made. */
export type MustExist =
  | { because: 'required' | 'ci' | 'restored' }
  /** This machine remembers that the place is booked in it. */
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

/** A journal in which a place is booked. */
interface PlaceJournal {
  /** `undefined`: it does not exist. */
  identity?: string | undefined;
  name: string;
}

/** The journal in which a place was booked last, and that of the command. */
interface OtherJournal {
  place: string;
  /** ISO 8601 */
  since: string;
  before: PlaceJournal;
  present: PlaceJournal;
}

/** Of a file that says in which journal a place is booked. */
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

const placeFile = ({ path, place }: { path: string; place: string }): string =>
  `${path}, which names the journal of ${place},`;

/** Of a booking that another process is sending. */
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
  'file-unreadable': ({ path, why }: { path: string; why: string }): Saying => ({
    what: say`the file ${path} cannot be read: ${why}`,
  }),
  'input-too-large': ({ input, mostMiB }: { input: string; mostMiB: number }): Saying => ({
    what: say`${input} is larger than ${mostMiB} MiB`,
  }),
  'input-in-other-encoding': (text: { input: string; encoding: string; line: number }): Saying => ({
    what: say`${text.input} is not ${text.encoding.toUpperCase()} in line ${text.line}: save it as UTF-8`,
  }),
  'input-empty': ({ input }: { input: string }): Saying => ({
    what: say`${input} is empty, but ${ONE_OBJECT}`,
  }),
  'input-is-no-json': ({ input, why }: { input: string; why: string }): Saying => ({
    what: say`${input} is not JSON: ${why}`,
  }),
  'input-is-no-object': ({ input, holds }: { input: string; holds: 'list' | 'value' }): Saying => ({
    what: say`${input} holds ${holds === 'list' ? 'a list' : 'a bare value'}, but ${ONE_OBJECT}`,
  }),
  'variable-unreadable': (setting: { variable: string; value: string; rule: string }): Saying => ({
    what: say`the environment variable ${setting.variable} is ${stranger(setting.value)}`,
    toDo: say`${setting.rule}`,
  }),

  'log-is-own-file': ({ path }: { path: string }): Saying => ({
    what: say`${flag('--log')} cannot be ${stranger(path)}, a file of waybill's journal or config`,
    toDo: OTHER_LOG,
  }),
  'log-is-stdout': ({ path }: { path: string }): Saying => ({
    what: say`${flag('--log')} cannot be ${stranger(path)}: stdout is for the result`,
    toDo: say`Name a file, or /dev/stderr`,
  }),
  'log-is-other-file': ({ path }: { path: string }): Saying => ({
    what: unwritableLog(path, 'that file is not a log of waybill'),
    toDo: OTHER_LOG,
  }),
  'log-unwritable': ({ path, why }: { path: string; why: string }): Saying => ({
    what: unwritableLog(path, why),
    toDo: OTHER_LOG,
  }),
  /** `why`: missing if its reader is too slow. */
  'log-ended': ({ path, why }: { path: string; why?: string | undefined }): Saying => ({
    what: unwritableLog(path, why ?? 'its reader is too slow'),
    toDo: say`The command goes on without it`,
  }),

  'waiting-for-process': (wait: Wait): Saying => ({
    what: say`waiting for process ${wait.process} of ${wait.user && `${wait.user} on `}${wait.machine}, which is sending booking ${wait.booking}${wait.key === null ? '' : ` with the key ${stranger(wait.key)}`}`,
    toDo: say`If that has ended, the booking is unknown in at most ${wait.mostSeconds} s${forPerson(say`. Ctrl-C ends the waiting, and sends nothing twice`, [])}`,
  }),

  'demo-unwritable': ({ folder, why }: { folder: string; why: string }): Saying => ({
    what: say`the demo cannot save its data in ${folder}: ${why}`,
    toDo: OTHER_STATE_FOLDER,
  }),
  'journal-of-other-user': ({ path, owner }: { path: string; owner: number }): Saying => ({
    what: say`the journal ${path} belongs to another user (id ${owner}), not root`,
    toDo: say`Run it as that user, or set WAYBILL_STATE_DIR to another folder`,
  }),
  'journal-must-exist': ({ path, reason }: { path: string; reason: MustExist }): Saying => ({
    what: say`there is no journal at ${path} yet. ${mustExistText(reason)}`,
    toDo: say`Keep the state folder (WAYBILL_STATE_DIR) between runs; the first run needs ${flag('--new-journal')}`,
  }),
  'journal-on-network': ({ path, fileSystem }: { path: string; fileSystem: string }): Saying => ({
    what: say`the journal ${path} is on ${fileSystem}, in a network: ${TWO_MACHINES}`,
    toDo: LOCAL_DISK,
  }),
  'journal-perhaps-on-network': ({ path, fileSystem }: { path: string; fileSystem: string }): Saying => ({
    what: say`the journal ${path} is on ${fileSystem}: if that is a network, ${TWO_MACHINES}`,
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
  'place-file-unchanged': ({ path, why }: { path: string; why: string }): Saying => ({
    what: say`${placeFile({ path, place: 'a place' })} cannot be changed: ${why}`,
    toDo: say`Run the command again`,
  }),
  'booked-in-other-journal': ({ place, since, before, present }: OtherJournal): Saying => {
    const isOneName = before.name === present.name;
    const named = ({ identity = 'gone', name }: PlaceJournal) => (isOneName ? `${name} (${identity})` : name);
    return {
      what: say`${place} is booked in the journal ${named(before)} since ${since.slice(0, 10)}. This command has ${named(present)}, which lacks those bookings`,
      toDo: wayOn(before, present),
    };
  },

  'no-profile-to-save-in': ({ saved }: { saved: keyof typeof SAVED }): Saying => ({
    what: say`${saved} are saved in a profile: name one with ${flag('--profile')}`,
  }),
  saved: ({ saved, name }: SavedName): Saying => {
    const { noun, option } = SAVED[saved];
    const used = option === undefined ? `@${name}` : flag(option, `@${name}`);
    return { what: say`${noun} ${name} saved; use it as ${used}` };
  },
  'saved-removed': ({ saved, name }: SavedName): Saying => ({
    what: say`${SAVED[saved].noun} ${name} removed`,
  }),
  'parties-saved-already': ({ names }: { names: readonly string[] }): Saying => ({
    what: say`${names.length} of these parties ${names.length === 1 ? 'is' : 'are'} saved already: ${someOf(names, 2)}`,
    toDo: say`Nothing was saved; ${flag('--replace')} replaces them`,
  }),
  'party-copy-kept': ({ role, profile, party }: Record<'role' | 'profile' | 'party', string>): Saying => ({
    what: say`the ${role} of the profile ${profile} is still the earlier @${party}: ${command('waybill', 'profile', 'set', profile, `${role}=@${party}`)} takes the new one`,
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
