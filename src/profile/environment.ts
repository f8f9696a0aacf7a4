// What the environment says: the variables of waybill, and the folders for config and journal.
import { isAbsolute, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { shellWord } from '../text.ts';
import { SETTINGS, type Variable } from './table.ts';

/** The value of a variable; an empty one is the same as none. */
export const filled = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** Is a switch on? With `0` and `false` it is off, as if the variable were not set. */
export const isSwitchedOn = (value: string | undefined): boolean =>
  !/^(0|false)?$/i.test(value?.trim() ?? '');

export const setting = (env: Host['env'], name: Variable): string | undefined => filled(env[name]);
export const isOn = (env: Host['env'], name: Variable): boolean => isSwitchedOn(env[name]);

/** Text such as `. Here WAYBILL_PROFILE=demo counts`, if the variable names another profile than the current one; else empty. */
export function otherProfileWords(env: Host['env'], current: string): string {
  const name = setting(env, 'WAYBILL_PROFILE');
  return name === undefined || name === current ? '' : `. Here WAYBILL_PROFILE=${shellWord(name)} counts`;
}

/** Is `value` the word with which a person vouches for something? Throws `usage` for any other word. `where`: what has the value. */
export function vouches(value: string | undefined, word: string, where: string): boolean {
  if (value !== undefined && value !== word)
    throw new Failure('usage', { kind: 'vouched-in-other-words', where, value, allowed: word });
  return value !== undefined;
}

/** Does the environment vouch for what the setting says, with the only word that it allows? Throws `usage` for another word. */
export function vouchedFor(env: Host['env'], name: 'stateDisk' | 'journalFailover'): boolean {
  const { variable, values } = SETTINGS[name];
  return vouches(setting(env, variable), values[0], variable);
}

export type FolderHost = Pick<Host, 'env' | 'home' | 'platform' | 'cwd' | 'user'>;

/** For each folder: the variable of waybill; and for each platform its variable, and the folder below the user's home folder. */
const FOLDERS = {
  config: {
    variable: SETTINGS.configFolder.variable,
    linux: ['XDG_CONFIG_HOME', '.config'],
    darwin: ['', 'Library/Preferences'],
    win32: ['APPDATA', 'AppData/Roaming'],
  },
  state: {
    variable: SETTINGS.stateFolder.variable,
    linux: ['XDG_STATE_HOME', '.local/state'],
    darwin: ['', 'Library/Application Support'],
    win32: ['LOCALAPPDATA', 'AppData/Local'],
  },
} as const;
type Purpose = keyof typeof FOLDERS;

/** The folder of `config.json`; none for a user without a home folder. Throws `usage` if its variable has a relative path. */
export const configFolder = (host: FolderHost): string | undefined => folderFor('config', host);
/** The folder of the journal and of the demo's data; none for a user without a home folder. Throws `usage`. */
export const stateFolder = (host: FolderHost): string | undefined => folderFor('state', host);

/** The folder for a config that is to be written. Throws `storage` if there is none. */
export const requiredConfigFolder = (host: FolderHost): string => configFolder(host) ?? missing('config');
export const requiredStateFolder = (host: FolderHost): string => stateFolder(host) ?? missing('state');

function missing(purpose: Purpose): never {
  const holds = purpose === 'state' ? 'journal' : 'config';
  throw new Failure('storage', { kind: 'no-home-folder', holds, variable: FOLDERS[purpose].variable });
}

function folderFor(purpose: Purpose, host: FolderHost): string | undefined {
  const { env, platform, home, cwd } = host;
  const { variable, ...platforms } = FOLDERS[purpose];
  const folder = setting(env, variable);
  if (folder !== undefined) {
    if (isAbsolute(folder)) return folder;
    const example = join(cwd ?? '/', folder);
    throw new Failure('usage', { kind: 'folder-is-relative', variable, value: folder, example });
  }
  const [usualVariable, below] =
    platform === 'darwin' || platform === 'win32' ? platforms[platform] : platforms.linux;
  // Relative paths are ignored, as the XDG specification says: a journal in each working directory would forget bookings.
  const parent = env[usualVariable];
  if (parent !== undefined && isAbsolute(parent)) return join(parent, 'waybill');
  return home === undefined ? undefined : join(home, below, 'waybill');
}
