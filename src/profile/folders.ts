import { isAbsolute, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { setting } from './environment.ts';

export type FolderHost = Pick<Host, 'env' | 'home' | 'platform' | 'cwd' | 'user'>;

const VARIABLES = { config: 'WAYBILL_CONFIG_DIR', state: 'WAYBILL_STATE_DIR' } as const;
type Purpose = keyof typeof VARIABLES;

/** The folder of `config.json`; none for a user without a home folder. Throws `usage` if it was given as relative. */
export const configFolder = (host: FolderHost): string | undefined =>
  folder(host, 'config', {
    linux: absolute(host.env.XDG_CONFIG_HOME) ?? below(host.home, '.config'),
    darwin: below(host.home, 'Library', 'Preferences'),
    win32: absolute(host.env.APPDATA) ?? below(host.home, 'AppData', 'Roaming'),
  });

/** The folder of the journal and of the demo's data; none for a user without a home folder. Throws `usage`. */
export const stateFolder = (host: FolderHost): string | undefined =>
  folder(host, 'state', {
    linux: absolute(host.env.XDG_STATE_HOME) ?? below(host.home, '.local', 'state'),
    darwin: below(host.home, 'Library', 'Application Support'),
    win32: absolute(host.env.LOCALAPPDATA) ?? below(host.home, 'AppData', 'Local'),
  });

/** The folder of what is to be written. Throws `storage` if there is none. */
export const requiredConfigFolder = (host: FolderHost): string => configFolder(host) ?? missing('config');
export const requiredStateFolder = (host: FolderHost): string => stateFolder(host) ?? missing('state');

/** The end of a message about a folder that cannot be used. */
export const otherFolder = (purpose: Purpose): string =>
  `To use another folder, set ${VARIABLES[purpose]} to its absolute path`;

function missing(purpose: Purpose): never {
  throw new Failure(
    'storage',
    `there is no folder for the ${purpose === 'state' ? 'journal' : 'config'}, because this user has no home folder (HOME is not set, or is not an absolute path); nothing was sent or saved. Set ${VARIABLES[purpose]} to the absolute path of a folder that this user can write to`,
  );
}

// The XDG specification says to ignore relative paths; a journal for each working directory would forget bookings.
const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);

const below = (home: string | undefined, ...names: string[]) =>
  home === undefined ? undefined : join(home, ...names);

function folder(
  host: FolderHost,
  purpose: Purpose,
  platforms: Partial<Record<Host['platform'], string | undefined>>,
): string | undefined {
  const variable = VARIABLES[purpose];
  const given = setting(host.env, variable);
  if (given !== undefined) {
    if (isAbsolute(given)) return given;
    const example = join(host.cwd ?? '/', given);
    throw new Failure(
      'usage',
      `${variable} is ${JSON.stringify(given)}, a relative path: each folder would have a journal and a config of its own, and could book the same key again; nothing was sent. Set it to an absolute path, such as ${variable}=${example}`,
    );
  }
  return below(host.platform in platforms ? platforms[host.platform] : platforms.linux, 'waybill');
}
