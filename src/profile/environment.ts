// What the environment says: our variables, and the folders for config and journal.
import { isAbsolute, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { shellWord } from '../text.ts';

/** An environment variable; an empty one is the same as none. */
export const setting = (env: Host['env'], name: string): string | undefined => env[name]?.trim() || undefined;

/** Is the switch of that name on? `0` and `false` are off, as if it were not set. */
export const isOn = (env: Host['env'], name: string): boolean =>
  !/^(0|false)?$/i.test(env[name]?.trim() ?? '');

/** `. Here WAYBILL_PROFILE=demo counts`, where the variable names another profile than the current one; else empty. */
export function otherProfileWords(env: Host['env'], current: string): string {
  const name = setting(env, 'WAYBILL_PROFILE');
  return name === undefined || name === current ? '' : `. Here WAYBILL_PROFILE=${shellWord(name)} counts`;
}

export const ADDRESS_VARIABLES = ['WAYBILL_BASE_URL', 'WAYBILL_SANDBOX_BASE_URL'];
/** One of them gives the token. */
export const TOKEN_VARIABLES = ['WAYBILL_TOKEN', 'WAYBILL_TOKEN_FILE'];

/** The variables for addresses and credentials. */
export const CREDENTIAL_VARIABLES = [
  ...ADDRESS_VARIABLES,
  ...TOKEN_VARIABLES,
  'WAYBILL_AUTH_HEADER',
  'WAYBILL_AUTH_SCHEME',
];

/** All variables that we read. */
export const KNOWN_VARIABLES: readonly string[] = [
  ...CREDENTIAL_VARIABLES,
  'WAYBILL_ACCESSIBLE',
  'WAYBILL_ACTOR',
  'WAYBILL_CACERT',
  'WAYBILL_CONFIG_DIR',
  'WAYBILL_DEBUG',
  'WAYBILL_ECONOMY_CARRIERS',
  'WAYBILL_ENTRY',
  'WAYBILL_JOURNAL',
  'WAYBILL_JOURNAL_FAILOVER',
  'WAYBILL_LOG',
  'WAYBILL_OUTPUT',
  'WAYBILL_POLICY_MAX_PER_DAY',
  'WAYBILL_POLICY_MAX_PRICE',
  'WAYBILL_POLICY_REQUIRE_KEY',
  'WAYBILL_PROFILE',
  'WAYBILL_REQUEST_ID_HEADER',
  'WAYBILL_REQUIRE_JOURNAL',
  'WAYBILL_RETRIES',
  'WAYBILL_RUN',
  'WAYBILL_SANDBOX',
  'WAYBILL_STATE_DIR',
  'WAYBILL_STATE_FS',
  'WAYBILL_TIMEOUT',
  'WAYBILL_VERSION',
];

/** Is `value` the word with which somebody vouches for something? Throws `usage` for any other one. `where`: what has the value. */
export function vouches(value: string | undefined, word: string, where: string): boolean {
  if (value !== undefined && value !== word)
    throw new Failure('usage', { kind: 'vouched-in-other-words', where, value, allowed: word });
  return value !== undefined;
}

/** Does somebody vouch that no other machine uses the state folder? Throws `usage`. */
export const trustsStateDisk = (env: Host['env']): boolean =>
  vouches(setting(env, 'WAYBILL_STATE_FS'), 'trusted', 'WAYBILL_STATE_FS');

export type FolderHost = Pick<Host, 'env' | 'home' | 'platform' | 'cwd' | 'user'>;

/** Our variable for a folder, and for each platform its own variable and the folder below that of the user. */
const FOLDERS = {
  config: {
    variable: 'WAYBILL_CONFIG_DIR',
    linux: ['XDG_CONFIG_HOME', '.config'],
    darwin: ['', 'Library/Preferences'],
    win32: ['APPDATA', 'AppData/Roaming'],
  },
  state: {
    variable: 'WAYBILL_STATE_DIR',
    linux: ['XDG_STATE_HOME', '.local/state'],
    darwin: ['', 'Library/Application Support'],
    win32: ['LOCALAPPDATA', 'AppData/Local'],
  },
} as const;
type Purpose = keyof typeof FOLDERS;

/** The folder of `config.json`; none for a user without a home folder. Throws `usage` if it was given as relative. */
export const configFolder = (host: FolderHost): string | undefined => folderFor('config', host);
/** The folder of the journal and of the demo's data; none for a user without a home folder. Throws `usage`. */
export const stateFolder = (host: FolderHost): string | undefined => folderFor('state', host);

/** The folder of what is to be written. Throws `storage` if there is none. */
export const requiredConfigFolder = (host: FolderHost): string => configFolder(host) ?? missing('config');
export const requiredStateFolder = (host: FolderHost): string => stateFolder(host) ?? missing('state');

function missing(purpose: Purpose): never {
  const holds = purpose === 'state' ? 'journal' : 'config';
  throw new Failure('storage', { kind: 'no-home-folder', holds, variable: FOLDERS[purpose].variable });
}

function folderFor(purpose: Purpose, { env, platform, home, cwd }: FolderHost): string | undefined {
  const { variable, ...platforms } = FOLDERS[purpose];
  const given = setting(env, variable);
  if (given !== undefined) {
    if (isAbsolute(given)) return given;
    const example = join(cwd ?? '/', given);
    throw new Failure('usage', { kind: 'folder-is-relative', variable, value: given, example });
  }
  const [named, below] =
    platform === 'darwin' || platform === 'win32' ? platforms[platform] : platforms.linux;
  // The XDG specification says to ignore relative paths; a journal for each working directory would forget bookings.
  const of = env[named];
  if (of !== undefined && isAbsolute(of)) return join(of, 'waybill');
  return home === undefined ? undefined : join(home, below, 'waybill');
}
