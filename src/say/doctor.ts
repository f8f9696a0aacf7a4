// What `waybill doctor` says of each part of a set-up.
import { meantWords } from '../nearest.ts';
import { bytesWords, commandText, numbered, shellWord } from '../text.ts';
import { showCommand } from './booked.ts';
import { command, flag, next, pattern, type Saying, say } from './sentence.ts';
import { duration } from './words.ts';

interface Folder {
  folder: string;
  /** The mode as `ls` and `chmod` write it; missing if the folder does not exist yet, or if the system has no modes. */
  mode?: string | undefined;
}

const modeSuffix = (mode: string | undefined): string => (mode === undefined ? '' : `, mode ${mode}`);

/** Why a setting has no effect: what it needs beside itself, and lacks. */
const LACKING = {
  'token-url': say`the credential of the profile is not one of ${flag('--token-url')}`,
  token: say`the profile sends no token`,
  clientCert: say`the profile has no clientCert`,
  journal: say`the profile has no journal, or WAYBILL_JOURNAL names another one`,
};

export type Lacking = keyof typeof LACKING;

interface Bookings {
  count: number;
  /** The options of a command that name the service. */
  flags: readonly string[];
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');

export const DOCTOR = {
  'node-gets-fixes': (notice: Record<'version' | 'until', string>): Saying => ({
    what: say`Node ${notice.version} gets fixes until ${notice.until}`,
  }),
  'node-gets-no-fixes': (notice: Record<'version' | 'since', string>): Saying => ({
    what: say`Node ${notice.version} gets no fixes since ${notice.since}`,
    toDo: say`Install a newer one; of the executable, a newer release`,
  }),
  'node-is-newer': (notice: { version: string }): Saying => ({
    what: say`Node ${notice.version} is newer than this waybill, which does not know until when it gets fixes`,
  }),
  'version-installed': (notice: Record<'version' | 'platform', string>): Saying => ({
    what: say`waybill ${notice.version}, ${notice.platform}`,
  }),
  'folder-ready': (notice: Folder): Saying => ({ what: say`${notice.folder}${modeSuffix(notice.mode)}` }),
  'folder-not-made': (notice: Folder): Saying => ({
    what: say`${notice.folder} is made when it is first needed`,
  }),
  'folder-open-to-others': (notice: Folder & { access: 'read' | 'write' }): Saying => ({
    what: say`other users may ${notice.access === 'write' ? 'put files into' : 'read the names of files in'} ${notice.folder}${modeSuffix(notice.mode)}`,
    toDo: say`Type ${pattern(`chmod 700 ${shellWord(notice.folder)}`)}`,
  }),
  'folder-unusable': (notice: Folder & Record<'why' | 'variable', string>): Saying => ({
    what: say`${notice.folder} cannot be used: ${notice.why}`,
    toDo: say`Mend that, or set ${notice.variable} to another folder`,
  }),
  'not-looked-at': (): Saying => ({ what: say`not looked at before what failed is mended` }),

  'service-meant': (meant: {
    profile?: string | undefined;
    by: string;
    environment: string;
    address: string;
    account?: string | undefined;
  }): Saying => ({
    what: say`${meant.profile ?? 'none'} (${meant.by}): ${meant.environment}, ${meant.address}${meant.account && `, account ${meant.account}`}`,
  }),
  'settings-in-effect': (): Saying => ({ what: say`all have an effect` }),
  'variable-without-effect': (notice: { name: string; meant?: string | undefined }): Saying => ({
    what: say`the variable ${notice.name} is unknown and has no effect${meantWords(notice.meant)}`,
    toDo: say`Unset it`,
  }),
  'variable-beside-profile': (notice: Record<'name' | 'by', string>): Saying => ({
    what: say`the variable ${notice.name} has no effect: address and credential are those of ${notice.by}`,
    toDo: say`Unset it`,
  }),
  'setting-without-effect': (setting: {
    name: string;
    profile: string;
    meant?: string | undefined;
    /** What the setting needs beside itself; missing: the setting is unknown. */
    lacking?: Lacking;
  }): Saying => ({
    what: say`the setting ${setting.name} of the profile ${setting.profile} has no effect: ${
      setting.lacking === undefined
        ? say`it is unknown${meantWords(setting.meant)}`
        : LACKING[setting.lacking]
    }`,
    toDo: say`${command('waybill', 'profile', 'set', setting.profile, `${setting.name}=`)} removes it`,
  }),
  'credential-accepted': (notice: Record<'credential' | 'source', string>): Saying => ({
    what: say`${notice.credential} (${notice.source}) is accepted`,
  }),
  'credential-not-asked': (notice: { credential: string }): Saying => ({
    what: say`${notice.credential}; whether the service accepts it is not known`,
  }),
  'service-answered': (notice: { address: string; id: string; ms: number }): Saying => ({
    what: say`${notice.address} answered in ${Math.round(notice.ms)} ms that it has no shipment ${notice.id}`,
  }),
  'no-service-at-address': (notice: Record<'address' | 'source' | 'request', string>): Saying => ({
    what: say`${notice.address} (${notice.source}) answers 404 (not found) to ${notice.request}, too, so that it is not the address of the service`,
    toDo: say`Check its path with the provider`,
  }),
  'service-built-in': (): Saying => ({ what: say`the built-in emulator: nothing is asked` }),
  'clock-agrees': (): Saying => ({ what: say`that of the service and that of this machine agree` }),
  'clock-not-told': (): Saying => ({ what: say`the service does not say its time` }),
  'clock-differs': (notice: { ms: number }): Saying => ({
    what: say`the clock of this machine is ${duration(Math.abs(notice.ms))} ${notice.ms > 0 ? 'ahead of' : 'behind'} that of the service: limits of a day and duplicates count by it`,
    toDo: say`Set it, for example with ${pattern('timedatectl set-ntp true')}`,
  }),

  'journal-ready': (there: { journal: string; engine: string; bookings: number; bytes: number }): Saying => ({
    what: say`${there.journal}: ${there.engine}, ${numbered(there.bookings, 'booking')}, ${bytesWords(there.bytes)}`,
  }),
  'journal-not-made': (notice: Record<'journal' | 'engine', string>): Saying => ({
    what: say`there is none at ${notice.journal} yet (${notice.engine}): the first booking makes it`,
  }),
  'journal-for-reading': (notice: { journal: string }): Saying => ({
    what: say`${notice.journal} can be read, and this user cannot book with it`,
    toDo: say`Book as the user who owns it`,
  }),
  'journal-behind-pooler': (notice: { journal: string }): Saying => ({
    what: say`the journal ${notice.journal} is behind a pooler that gives one session several connections: it hides that another server took over`,
    toDo: say`Give each session a connection of its own (PgBouncer: pool_mode = session)`,
  }),
  'bookings-unknown': (notice: Bookings): Saying => ({
    what: say`${numbered(notice.count, 'booking')} ${are(notice.count)} unknown: ${notice.count === 1 ? 'it' : 'they'} may exist`,
    toDo: say`${next('waybill', 'history', 'list', '--state', 'unknown', ...notice.flags)} names ${notice.count === 1 ? 'it' : 'them'}`,
  }),
  'prices-to-accept': (notice: Bookings & { booking: string }): Saying => ({
    what: say`${numbered(notice.count, 'booking')} ${are(notice.count)} above the price that was allowed, and nobody has accepted that`,
    toDo: say`${next(...showCommand(notice.booking, notice.flags))} shows ${notice.count === 1 ? 'it' : 'the first one'}`,
  }),
  'bookings-settled': (): Saying => ({ what: say`none waits for a person` }),

  'printer-ready': (notice: Record<'program' | 'path', string>): Saying => ({
    what: say`${notice.program} is ${notice.path}`,
  }),
  'printer-missing': (notice: { program: string; profile: string | undefined }): Saying => ({
    what: say`there is no program ${notice.program} here, which ${notice.profile === undefined ? say`${flag('--print')} uses` : `printCommand of the profile ${notice.profile} names`}`,
    toDo: say`Who prints names one with ${pattern(commandText(['waybill', 'profile', 'set', notice.profile ?? 'NAME', 'printCommand=PROGRAM']))}`,
  }),
  'completion-installed': (notice: Record<'shell' | 'file', string>): Saying => ({
    what: say`${notice.shell} has it in ${notice.file}`,
  }),
  'completion-missing': (notice: { shell: string }): Saying => ({
    what: say`${notice.shell} does not have it`,
    toDo: say`${next('waybill', 'completion', '--help')} says how to install it`,
  }),
  'shell-without-completion': (): Saying => ({
    what: say`SHELL names none that can have it`,
  }),

  'doctor-failed': (notice: { failed: readonly string[]; checks: number }): Saying => ({
    what: say`doctor: ${notice.failed.length} of ${notice.checks} checks failed: ${notice.failed.join(', ')}`,
  }),
  'doctor-warned': (notice: { warned: readonly string[]; checks: number }): Saying => ({
    what: say`doctor: ${notice.warned.length} of ${notice.checks} checks found what a person should mend: ${notice.warned.join(', ')}`,
  }),
};
