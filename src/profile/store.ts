import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, lstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { formatPath, isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { makeFolder } from '../host/folder.ts';
import { NameTwice, readJson } from '../json.ts';
import type { Notice } from '../say/notices.ts';
import { NAME_RULE } from '../say/profile.ts';
import { messageOf, systemCode } from '../system-errors.ts';
import { configFolder, type FolderHost, requiredConfigFolder } from './environment.ts';
import { kindOfSetting, SETTING_NAMES, type SETTINGS, type SettingKind, type SettingName } from './table.ts';

/** The source of a secret; or the secret itself, if it was read from stdin. */
const source = z.union([
  z.object({ env: z.string() }),
  z.object({ file: z.string() }),
  z.object({ value: z.string() }),
]);
export type SecretSource = z.infer<typeof source>;

const sources = z.record(z.string(), source);

/** A token that was fetched, and is kept. */
const keptToken = z.object({
  token: z.string(),
  /** Until when the token may be used, in ms since 1970; if missing, until the service refuses it. */
  until: z.exactOptional(z.number()),
  /** The `fetchMark` of the header values that fetched the token. */
  fetchedBy: z.exactOptional(z.string()),
});
export type KeptToken = z.infer<typeof keptToken>;

/** Headers that are sent together with a token. */
const also = z.exactOptional(sources);

const storedCredentials = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string(), also }),
  z.object({ kind: z.literal('headers'), headers: sources }),
  /** A program and its arguments: it prints the token. */
  z.object({ kind: z.literal('command'), command: z.array(z.string()).check(z.minLength(1)), also }),
  z.object({
    kind: z.literal('url'),
    /** The URL that gives a token: a path below the address of the service, or a whole URL. */
    url: z.string(),
    /** Headers that are sent to this URL only. */
    headers: sources,
    also,
    /** The fetched tokens, by the address for which each of them is. */
    kept: z.exactOptional(z.record(z.string(), keptToken)),
  }),
]);
export type StoredCredentials = z.infer<typeof storedCredentials>;

/** How settings of these kinds are kept in the config; all others are kept as text. */
const KEPT = {
  list: z.array(z.string()),
  names: z.array(z.string()),
  program: z.array(z.string()).check(z.minLength(1)),
  switch: z.boolean(),
  'yes-or-no': z.boolean(),
  terminal: z.literal('terminal'),
} as const satisfies Partial<Record<SettingKind, z.ZodMiniType>>;

type Kept<N extends SettingName> = (typeof SETTINGS)[N] extends { kind: infer K extends keyof typeof KEPT }
  ? z.infer<(typeof KEPT)[K]>
  : string;

const KINDS: Readonly<Record<string, z.ZodMiniType>> = KEPT;
const POLICY = /^policy\./;
const kept = (names: readonly SettingName[]): Record<string, z.ZodMiniType> =>
  Object.fromEntries(
    names.map(name => [
      name.replace(POLICY, ''),
      z.exactOptional(KINDS[kindOfSetting(name) ?? ''] ?? z.string()),
    ]),
  );

const policy = z.object(kept(SETTING_NAMES.filter(name => POLICY.test(name))));
type Policy = { [N in SettingName as N extends `policy.${infer Limit}` ? Limit : never]?: Kept<N> };

const anything = z.exactOptional(z.unknown());

/** The parts of a profile that are not settings with a text. */
const others = z.object({
  credentials: z.exactOptional(storedCredentials),
  sender: anything,
  receiver: anything,
  invoice: anything,
  parties: z.exactOptional(z.record(z.string(), z.unknown())),
  /** The saved parcels, each as a SPEC of `--package`. */
  parcels: z.exactOptional(z.record(z.string(), z.string())),
});

const profile = z.extend(others, {
  ...kept(SETTING_NAMES.filter(name => !POLICY.test(name))),
  policy: z.exactOptional(policy),
});

/** A named set of addresses, credentials and defaults, as `config.json` keeps it. */
export type Profile = z.infer<typeof others> & { policy?: Policy } & {
  [N in SettingName as N extends `policy.${string}` ? never : N]?: Kept<N>;
};

const FIELDS: readonly string[] = Object.keys(profile._zod.def.shape);
const LIMITS: readonly string[] = Object.keys(policy._zod.def.shape);

/** The settings of a profile that no version of waybill wrote, such as `policy.maxprice`; each with the known names that may be meant. */
export function unknownSettings(saved: Profile): { name: string; known: readonly string[] }[] {
  const within = (fields: object, known: readonly string[], prefix = '') =>
    Object.keys(fields)
      .filter(name => !known.includes(name))
      .map(name => ({ name: prefix + name, known: known.map(field => prefix + field) }));
  return [...within(saved, FIELDS), ...within(saved.policy ?? {}, LIMITS, 'policy.')];
}

const config = z.object({
  current: z.exactOptional(z.string()),
  profiles: z.record(z.string(), profile),
});

export type Config = z.infer<typeof config> & { profiles: Record<string, Profile> };

/** The path of `config.json`; `undefined` for a user without a home folder. */
const configPath = (host: FolderHost): string | undefined => {
  const folder = configFolder(host);
  return folder === undefined ? undefined : join(folder, 'config.json');
};

/**
 * Reads the config without the library `conf`: loading its schema validator takes longer than a request, it follows links, and its message
 * for a damaged file quotes the text, which has secrets.
 */
export function readConfig(host: FolderHost): Config {
  const path = configPath(host);
  const bytes = path === undefined ? undefined : readConfigFile(path, host.user);
  if (path === undefined || bytes === undefined) return { profiles: {} };
  const found = { profiles: {}, ...parsedConfig(path, bytes) };
  const [fault] = config.safeParse(found).error?.issues ?? [];
  if (fault)
    throw configDamaged(
      path,
      `${formatPath(fault.path)} is not valid (or was written by a newer version of waybill)`,
    );
  // The config as it was read, not as it was parsed: a change must keep what a newer version or a person added.
  return found as Config;
}

/** Reads the config when it is first needed, and again when its file has changed. Throws as `readConfig` does. */
export function configReader(host: FolderHost): () => Config {
  let read: { config: Config; mark: string } | undefined;
  return () => {
    const mark = configMark(configPath(host));
    if (read?.mark !== mark) read = { config: readConfig(host), mark };
    return read.config;
  };
}

/** A mark of the file that differs after each change. */
function configMark(path: string | undefined): string {
  try {
    const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
  } catch {
    // A new mark: the config is read again, and the reading says what is wrong.
    return randomUUID();
  }
}

function readConfigFile(path: string, user: number | undefined): Uint8Array | undefined {
  try {
    const found = lstatSync(path);
    // Only a plain file is accepted: a link could lead a write with secrets to any place, and a pipe would block.
    if (found.isFile()) {
      refuseForeignConfig(path, found, user);
      return readFileSync(path);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof Failure) throw error;
    throw new Failure('storage', { kind: 'config-unreadable', path, why: messageOf(error) });
  }
  throw new Failure('storage', { kind: 'config-is-no-file', path });
}

// A user who can write the config decides where credentials go, and which program runs. Root could do that in any case.
function refuseForeignConfig(path: string, stats: Stats, user: number | undefined): void {
  const { uid, mode } = stats;
  if (user === undefined) return;
  if (uid !== user && uid !== 0)
    throw new Failure('storage', { kind: 'config-of-other-user', path, owner: uid, user });
  if (mode & 0o002) throw new Failure('storage', { kind: 'config-open-to-all', path, mode: modeWords(mode) });
}

const modeWords = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** A warning if other users may read a config that has secrets of the profile. */
export function exposureWarning(host: FolderHost, profile: Profile): Notice | undefined {
  const path = configPath(host);
  const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || stat === undefined || host.user === undefined || !(stat.mode & 0o044))
    return undefined;
  if (profile.credentials === undefined || !holdsSecret(profile.credentials)) return undefined;
  return { kind: 'config-shows-secrets', path, mode: modeWords(stat.mode) };
}

const holdsSecret = (stored: StoredCredentials): boolean =>
  stored.kind === 'token' ||
  (stored.kind === 'url' && stored.kept !== undefined) ||
  headerSources(stored).some(where => 'value' in where);

/** The sources of all header values of a credential. */
export const headerSources = (stored: StoredCredentials): SecretSource[] =>
  [...('headers' in stored ? [stored.headers] : []), ...('also' in stored ? [stored.also] : [])].flatMap(
    headers => Object.values(headers ?? {}),
  );

function parsedConfig(path: string, bytes: Uint8Array): Record<string, unknown> {
  let fault = 'it is not a JSON object in UTF-8';
  try {
    const written = isUtf8(bytes) ? readJson(new TextDecoder().decode(bytes)) : undefined;
    if (isRecord(written)) return written;
  } catch (error) {
    // The message of the parser is not shown: it quotes the text, which has secrets.
    if (error instanceof NameTwice) fault = error.message;
  }
  throw configDamaged(path, fault);
}

const configDamaged = (path: string, why: string) =>
  new Failure('storage', { kind: 'config-damaged', path, why });

/** Replaces the config by what `change` returns: completely or not at all, and one process after the other. */
export async function changeConfig(host: FolderHost, change: (config: Config) => Config): Promise<void> {
  const folder = requiredConfigFolder(host);
  try {
    makeFolder(folder, 0o700);
    const { default: Conf } = await import('conf');
    await whileLocked(join(folder, 'config.lock'), () => {
      const before = readConfig(host);
      const conf = new Conf<Config & Record<string, unknown>>({
        cwd: folder,
        configName: 'config',
        configFileMode: 0o600,
        // The name of a profile may contain dots, which `conf` must not take for paths.
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
        // The config that was read above: `conf` itself cannot read a file that begins with a byte order mark.
        deserialize: () => before,
      });
      const { current: _, profiles: __, ...others } = before;
      conf.store = { ...others, ...change(before) };
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const path = join(folder, 'config.json');
    throw new Failure('storage', { kind: 'config-unwritable', path, why: messageOf(error) });
  }
}

const PATIENCE_MS = 10_000;

/**
 * Runs `work` while no other process locks the same file. `conf` has no lock, and Node has none for files. SQLite uses a lock of the
 * operating system, which ends with its process, even with a killed one: the file that is left behind blocks no other process.
 */
async function whileLocked<T>(file: string, work: () => T): Promise<T> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  // An existing file is not opened here: closing it would drop the locks that this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
    try {
      return work();
    } finally {
      database.exec('ROLLBACK');
    }
  } finally {
    database.close();
  }
}

/** The name of the built-in profile. */
export const DEMO = 'demo';

/** Why a new profile cannot have this name; `undefined` if it can. */
export function takenFault(config: Config, name: string): string | undefined {
  if (name !== DEMO && !findProfile(config, name)) return undefined;
  return `the profile ${name} exists already; \`waybill profile set ${name} KEY=VALUE\` changes it`;
}

/** Why a profile, party or parcel cannot have this name; `undefined` if it can. */
export function nameFault(name: string): string | undefined {
  // With a hyphen in front, the name would be read as an option.
  const good = /^[\w.@][\w.@-]{0,63}$/.test(name) && name !== '__proto__';
  return good ? undefined : NAME_RULE;
}

/** Throws `usage` for a name that is not allowed. `what`: what has the name. */
export function refuseBadName(name: string, what: string): void {
  if (nameFault(name) !== undefined)
    throw new Failure('usage', { kind: 'name-not-allowed', name, noun: what });
}

/** The saved profile of that name; `undefined` if there is none. */
export const findProfile = (config: Config, name: string): Profile | undefined =>
  Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;

/** The saved profile of that name. Throws `usage`, which lists the saved names, if there is none. `namedBy`: what gave the name. */
export function requireProfile(session: { config: Config }, name: string, namedBy?: string): Profile {
  const profile = findProfile(session.config, name);
  if (profile) return profile;
  if (name === DEMO) throw new Failure('usage', { kind: 'demo-is-built-in' });
  const names = [...new Set([...Object.keys(session.config.profiles), DEMO])];
  throw new Failure('usage', { kind: 'profile-unknown', name, names, ...(namedBy && { namedBy }) });
}

/** The saved profile of that name; an empty one for `demo` if it is not saved. Throws `usage`. */
export const profileOrDemo = (session: { config: Config }, name: string, namedBy?: string): Profile =>
  name === DEMO ? (findProfile(session.config, DEMO) ?? {}) : requireProfile(session, name, namedBy);

/** Parties and parcels that a profile saves by name, to be used as `@name`. */
export const SAVED_KINDS = {
  parties: { one: 'party' },
  parcels: { one: 'parcel' },
} as const;

export type SavedKind = keyof typeof SAVED_KINDS;
export type Saved<K extends SavedKind> = NonNullable<Profile[K]>;

/** The party or parcel that is saved under a name. `askedBy` begins the message. Throws `usage`, which lists the saved names. */
export function findSaved<K extends SavedKind>(
  // The name is missing if the environment stands in for a profile.
  target: { profile: Profile; name?: string | undefined },
  kind: K,
  name: string,
  askedBy = '',
): Saved<K>[string] {
  const { profile, name: owner = '(none)' } = target;
  const all: Saved<SavedKind> = profile[kind] ?? {};
  if (Object.hasOwn(all, name)) return all[name] as Saved<K>[string];
  const names = Object.keys(all);
  throw new Failure('usage', { kind: 'saved-unknown', saved: kind, profile: owner, name, names, askedBy });
}
