import { isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host.ts';
import { setting } from './environment.ts';

export type Place = Pick<Host, 'env' | 'home' | 'platform' | 'cwd' | 'user'>;

/** Where `config.json` is kept. */
export const configFolder = (host: Place): string =>
  folder(host, 'WAYBILL_CONFIG_DIR', {
    linux: absolute(host.env.XDG_CONFIG_HOME) ?? join(host.home, '.config'),
    darwin: join(host.home, 'Library', 'Preferences'),
    win32: host.env.APPDATA || join(host.home, 'AppData', 'Roaming'),
  });

/** Where the journal and the world of the demo are kept. */
export const stateFolder = (host: Place): string =>
  folder(host, 'WAYBILL_STATE_DIR', {
    linux: absolute(host.env.XDG_STATE_HOME) ?? join(host.home, '.local', 'state'),
    darwin: join(host.home, 'Library', 'Application Support'),
    win32: host.env.LOCALAPPDATA || join(host.home, 'AppData', 'Local'),
  });

// The XDG specification has relative ones ignored; a journal for each working directory would forget bookings.
const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);

function folder(
  host: Place,
  variable: string,
  platforms: Record<'linux' | 'darwin' | 'win32', string>,
): string {
  const given = setting(host.env, variable);
  if (given !== undefined) return resolve(host.cwd, given);
  const { platform } = host;
  return join(
    platform === 'darwin' || platform === 'win32' ? platforms[platform] : platforms.linux,
    'waybill',
  );
}
