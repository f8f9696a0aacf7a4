// What the environment says: our variables, those that look like a misspelt one, and the folders for config and journal.
import { isAbsolute, join } from 'node:path';
import { OPERATIONS, typedName } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { didYouMean, nearest } from '../nearest.ts';

/** One of our environment variables; empty, `0` and `false` are the same as unset. */
export function setting(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === '' || value === '0' || value.toLowerCase() === 'false'
    ? undefined
    : value;
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

const PREFIX = 'WAYBILL_';

/** The name of each of our variables behind `WAYBILL_`. */
const KNOWN = [
  ...CREDENTIAL_VARIABLES.map(name => name.slice(PREFIX.length)),
  'ACCESSIBLE',
  'ACTOR',
  'CACERT',
  'CONFIG_DIR',
  'DEBUG',
  'ECONOMY_CARRIERS',
  'ENTRY',
  'JOURNAL',
  'JOURNAL_FAILOVER',
  'LOG',
  'OUTPUT',
  'POLICY_MAX_PER_DAY',
  'POLICY_MAX_PRICE',
  'POLICY_REQUIRE_KEY',
  'PROFILE',
  'REQUEST_ID_HEADER',
  'REQUIRE_JOURNAL',
  'RETRIES',
  'RUN',
  'SANDBOX',
  'STATE_DIR',
  'TIMEOUT',
  'VERSION',
];

const unknownIn = (env: Host['env']): string[] =>
  Object.keys(env).filter(
    name =>
      /^waybill_/i.test(name) &&
      !(name.startsWith(PREFIX) && KNOWN.includes(name.slice(PREFIX.length))) &&
      setting(env, name) !== undefined,
  );

/** Each with the one that may be meant: `WAYBILL_API_URL (did you mean WAYBILL_BASE_URL?)`. */
export const unknownVariables = (env: Host['env']): string[] =>
  unknownIn(env).map(name => `${name}${didYouMean(name, CREDENTIAL_VARIABLES)}`);

/** The unknown variables as a sentence for the end of an error; empty if there are none. */
export function unknownHint(env: Host['env']): string {
  const unknown = unknownVariables(env);
  return unknown.length === 0 ? '' : `. These variables are set, but unknown: ${unknown.join(', ')}`;
}

/**
 * A warning for each that is all but a known one. `command`: as it is typed. Throws `usage` where it would book:
 * WAYBILL_SANBOX would book at production.
 */
export function variableWarnings(
  env: Host['env'],
  command: string,
  { dryRun = false, strict = false }: { dryRun?: boolean; strict?: boolean | undefined },
): string[] {
  const slips = unknownIn(env).flatMap(name => {
    const meant = nearest(name.slice(PREFIX.length), KNOWN);
    return meant === undefined
      ? []
      : `the variable ${name} is set, but it is unknown and has no effect (did you mean ${PREFIX}${meant}?)`;
  });
  if (slips.length === 0) return slips;
  const name = command.replace(/^waybill (batch )?/, '');
  const books = !dryRun && Object.values(OPERATIONS).some(one => one.books && typedName(one) === name);
  if (!books && !strict) return slips;
  const cause = books ? '. Correct its name, or unset it' : ', because --strict makes an error of it';
  throw new Failure('usage', `${slips.join('; ')}; nothing was sent${cause}`);
}

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

/** The end of a message about a folder that cannot be used. */
export const otherFolder = (purpose: Purpose): string =>
  `To use another folder, set ${FOLDERS[purpose].variable} to its absolute path`;

function missing(purpose: Purpose): never {
  throw new Failure(
    'storage',
    `there is no folder for the ${purpose === 'state' ? 'journal' : 'config'}, because this user has no home folder (HOME); nothing was sent or saved. Set ${FOLDERS[purpose].variable} to the absolute path of a folder that can be written`,
  );
}

function folderFor(purpose: Purpose, { env, platform, home, cwd }: FolderHost): string | undefined {
  const { variable, ...platforms } = FOLDERS[purpose];
  const given = setting(env, variable);
  if (given !== undefined) {
    if (isAbsolute(given)) return given;
    const example = join(cwd ?? '/', given);
    throw new Failure(
      'usage',
      `${variable} is ${JSON.stringify(given)}, a relative path: each folder would have a journal of its own, and could book the same key again; nothing was sent. Set it to an absolute path, such as ${variable}=${example}`,
    );
  }
  const [named, below] =
    platform === 'darwin' || platform === 'win32' ? platforms[platform] : platforms.linux;
  // The XDG specification says to ignore relative paths; a journal for each working directory would forget bookings.
  const of = env[named];
  if (of !== undefined && isAbsolute(of)) return join(of, 'waybill');
  return home === undefined ? undefined : join(home, below, 'waybill');
}
