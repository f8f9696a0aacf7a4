import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../contract/paths.ts';
import { Failure, messageOf, systemCode } from '../errors.ts';
import type { Host } from '../host.ts';
import { configFolder } from './folders.ts';

/** Where a secret is taken from, or the secret itself where it was read from stdin. */
export type Source = { env: string } | { file: string } | { value: string };

export type StoredCredentials =
  | { kind: 'token'; token: string }
  | { kind: 'headers'; headers: Record<string, Source> };

/** A named set of addresses, credentials and defaults, as `config.json` keeps it. */
export interface Profile {
  baseUrl?: string;
  sandboxBaseUrl?: string;
  /** Ours: parts the bookings of two accounts at one address. */
  account?: string;
  sandbox?: boolean;
  credentials?: StoredCredentials;
  authHeader?: string;
  /** Empty: the bare token. */
  authScheme?: string;
  output?: string;
  economyCarriers?: string[];
  printCommand?: string;
  sender?: unknown;
  receiver?: unknown;
  invoice?: unknown;
  currency?: string;
  type?: string;
  category?: string;
  deliveryType?: string;
  parties?: Record<string, unknown>;
}

export interface Config {
  current?: string;
  profiles: Record<string, Profile>;
}

export const configPath = (host: Host): string => join(configFolder(host), 'config.json');

/** Reads the config without loading `conf`, whose validation machinery costs more than a request. */
export function readConfig(host: Host): Config {
  const path = configPath(host);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { profiles: {} };
    throw new Failure('storage', `the config ${path} cannot be read: ${messageOf(error)}`);
  }
  const found = parsed(path, text);
  const { current, profiles = {} } = found;
  if (!isRecord(profiles) || !Object.values(profiles).every(isRecord))
    throw damaged(path, 'its profiles are not objects');
  return { ...(typeof current === 'string' && { current }), profiles: profiles as Record<string, Profile> };
}

function parsed(path: string, text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    if (isRecord(found)) return found;
  } catch (error) {
    throw damaged(path, messageOf(error));
  }
  throw damaged(path, 'it is not a JSON object');
}

const damaged = (path: string, why: string) =>
  new Failure(
    'storage',
    `the config ${path} is damaged and was left as it is: ${why}. Mend it, or move it away`,
  );

/** Writes what `change` makes of the config, whole or not at all. */
export async function changeConfig(host: Host, change: (config: Config) => Config): Promise<void> {
  const folder = configFolder(host);
  const next = change(readConfig(host));
  const { default: Conf } = await import('conf');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const conf = new Conf<Config & Record<string, unknown>>({
      cwd: folder,
      configName: 'config',
      configFileMode: 0o600,
      // A profile's name may hold dots; they are no paths.
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
    });
    conf.store = { ...next };
  } catch (error) {
    throw new Failure('storage', `the config ${configPath(host)} cannot be written: ${messageOf(error)}`);
  }
}
