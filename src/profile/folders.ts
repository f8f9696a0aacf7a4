import { isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host.ts';
import { setting } from './environment.ts';

export type Place = Pick<Host, 'env' | 'home' | 'platform' | 'cwd' | 'user'>;

/** The folder of `config.json`. */
export const configFolder = (host: Place): string =>
  folder(host, 'WAYBILL_CONFIG_DIR', {
    linux: absolute(host.env.XDG_CONFIG_HOME) ?? join(host.home, '.config'),
    darwin: join(host.home, 'Library', 'Preferences'),
    win32: host.env.APPDATA || join(host.home, 'AppData', 'Roaming'),
  });

/** The folder of the journal and of the demo's data. */
export const stateFolder = (host: Place): string =>
  folder(host, 'WAYBILL_STATE_DIR', {
    linux: absolute(host.env.XDG_STATE_HOME) ?? join(host.home, '.local', 'state'),
    darwin: join(host.home, 'Library', 'Application Support'),
    win32: host.env.LOCALAPPDATA || join(host.home, 'AppData', 'Local'),
  });

// The XDG specification says to ignore relative paths; a journal for each working directory would forget bookings.
const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);

function folder(
  host: Place,
  variable: string,
  platforms: Partial<Record<Host['platform'], string>> & { linux: string },
): string {
  const given = setting(host.env, variable);
  if (given !== undefined) return resolve(host.cwd, given);
  return join(platforms[host.platform] ?? platforms.linux, 'waybill');
}
