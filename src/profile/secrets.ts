// Secrets of a profile: which headers a credential may be, how it is shown, the programs that print one, and tokens that are kept.
import { scryptSync } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { MASK } from '../mask.ts';
import type { Notice } from '../say/notices.ts';
import { HIDDEN_FILE, type SecretFault } from '../say/profile.ts';
import { unreadableBecause, unstartableBecause } from '../system-errors.ts';
import { shellWord } from '../text.ts';
import type { FolderHost } from './environment.ts';
import {
  type Config,
  changeConfig,
  findProfile,
  headerSources,
  type KeptToken,
  type Profile,
  readConfig,
  type SecretSource,
  type StoredCredentials,
} from './store.ts';
import type { Credential, PresentedCredential } from './target.ts';

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

// Headers that frame a request or say where it goes are not credentials.
const OURS = ['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'upgrade'];

export const isOwnHeader = (name: string): boolean => OURS.includes(name.toLowerCase());

const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

/** Why a token cannot be sent, without the token itself. */
const tokenFault = (token: string): SecretFault | undefined =>
  UNFIT.test(token) ? { fault: 'letters' } : undefined;

/** A credential that is sent as it is; the other kinds give a token first. */
type Ready = Extract<StoredCredentials, { kind: 'token' | 'headers' }>;

/** Why a token cannot be sent after this word: it would be there twice. */
export const schemeFault = (token: string, scheme = 'Bearer'): Notice | undefined =>
  scheme !== '' && token.toLowerCase().startsWith(`${scheme.toLowerCase()} `)
    ? { kind: 'token-with-scheme', scheme }
    : undefined;

/** The headers that present a credential: lower-case names, secret values. Throws `unauthorized`. */
export function credentialHeaders(
  credential: PresentedCredential & { stored: Ready },
  host: Pick<Host, 'env'>,
): Record<string, string> {
  const { stored, header, scheme } = credential;
  if (stored.kind === 'headers') return headerValues(stored.headers, host);
  const fault = schemeFault(stored.token, scheme);
  if (fault !== undefined) throw new Failure('unauthorized', fault);
  const token = { [header.toLowerCase()]: scheme === '' ? stored.token : `${scheme} ${stored.token}` };
  return { ...headerValues(stored.also ?? {}, host), ...checkedHeaders(token) };
}

/** The token in the file that `WAYBILL_TOKEN_FILE` names. Throws `unauthorized`. */
export function tokenInFile(path: string, host: Pick<Host, 'cwd'>): string {
  const isHidden = mayBeToken(path, host.cwd);
  const file = isHidden ? path : absolutePath(path, host);
  const refuse = (fault: SecretFault) =>
    new Failure('unauthorized', { kind: 'token-file-unusable', ...fault, ...(!isHidden && { file }) });
  if (isHidden) throw refuse({ fault: 'unreadable', why: 'there is no such file' });
  const token = secretIn(file, refuse);
  const fault = tokenFault(token);
  if (fault !== undefined) throw refuse(fault);
  return token;
}

/** Is it no path of a file that exists, but perhaps the token? A token of three parts (JWT) begins with these letters. */
const mayBeToken = (path: string, cwd: string | undefined): boolean =>
  /^[^/\\.]*$|^eyJ/.test(path) && (cwd === undefined || !existsSync(absolutePath(path, { cwd })));

function secretIn(file: string, refuse: (fault: SecretFault) => Failure): string {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw refuse({ fault: 'unreadable', why: unreadableBecause(error) });
  }
  if (secret === '') throw refuse({ fault: 'empty' });
  return secret;
}

/** What these headers hold now. Throws `unauthorized`. */
export function headerValues(
  headers: Readonly<Record<string, SecretSource>>,
  host: Pick<Host, 'env'>,
): Record<string, string> {
  return checkedHeaders(
    Object.fromEntries(
      Object.entries(headers).map(([name, source]) => [name.toLowerCase(), secretOf(source, name, host)]),
    ),
  );
}

function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const fault = tokenFault(value);
    const problem: Notice | undefined = !isHeaderName(name)
      ? { kind: 'header-name-not-allowed', name }
      : isOwnHeader(name)
        ? { kind: 'header-without-credential', name }
        : fault && { kind: 'header-credential-unusable', name, ...fault };
    if (problem !== undefined) throw new Failure('unauthorized', problem);
  }
  return headers;
}

function secretOf(source: SecretSource, name: string, host: Pick<Host, 'env'>): string {
  if ('value' in source) return source.value;
  const refuse = (fault: SecretFault, file?: string) =>
    new Failure('unauthorized', {
      kind: 'header-credential-unusable',
      name,
      ...fault,
      ...(file !== undefined && { file }),
    });
  if ('env' in source) {
    const value = host.env[source.env]?.trim();
    if (value === undefined || value === '') throw refuse({ fault: 'variable-unset', variable: source.env });
    return value;
  }
  return secretIn(source.file, fault => refuse(fault, source.file));
}

/** A warning about the place of a secret: a file that does not exist, or that others may read. */
export function warningAboutSource(source: SecretSource, host: Pick<Host, 'platform'>): Notice | undefined {
  if (!('file' in source)) return undefined;
  const { file } = source;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'secret-file-missing', file };
  return host.platform !== 'win32' && stat.mode & 0o044
    ? { kind: 'secret-file-open-to-others', file }
    : undefined;
}

/** All of stdin at once. */
type Stdin = { stdin: Pick<Host['stdin'], 'isTerminal' | 'read'> };

/** `NAME=@env:VAR`, `NAME=@FILE` or `NAME=@-`. A secret itself is never accepted on the command line. Throws `usage`. */
export async function parseSource(
  spec: string,
  host: Pick<Host, 'cwd'> & Stdin,
  option = '--header',
): Promise<[string, SecretSource]> {
  const [, name = '', source = ''] = /^([^=]+)=@(.+)$/.exec(spec) ?? [];
  if (!isHeaderName(name) || source === 'env:')
    throw new Failure('usage', { kind: 'secret-source-unknown', option });
  if (isOwnHeader(name)) throw new Failure('usage', { kind: 'header-without-credential', name, option });
  if (source === '-') return [name, { value: await readSecret(host) }];
  if (source.startsWith('env:')) return [name, { env: source.slice(4) }];
  return [name, { file: absolutePath(source, host) }];
}

/** A secret from stdin, without the line break at its end. Throws `usage` if there is none. */
export async function readSecret(host: Stdin): Promise<string> {
  const secret = Buffer.from(await host.stdin.read())
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (/[\r\n]/.test(secret.trim())) throw new Failure('usage', { kind: 'secret-of-several-lines' });
  if (secret.trim() === '') throw new Failure('usage', { kind: 'secret-on-stdin-missing' });
  const fault = tokenFault(secret.trim());
  if (fault !== undefined) throw new Failure('usage', { kind: 'secret-on-stdin-unusable', ...fault });
  return secret;
}

/** A profile to be shown: secrets are masked, the places that secrets are read from are named. */
export function maskProfile(profile: Profile): Record<string, unknown> {
  const { credentials, ...rest } = profile;
  if (credentials === undefined) return rest;
  return { ...rest, credentials: maskedCredentials(credentials) };
}

function maskedCredentials(stored: StoredCredentials): Record<string, unknown> {
  const also = 'also' in stored && stored.also ? { also: sourcesIn(stored.also) } : {};
  switch (stored.kind) {
    case 'token':
      return { kind: 'token', token: MASK, ...also };
    case 'headers':
      return { kind: 'headers', headers: sourcesIn(stored.headers) };
    case 'command':
      return { kind: 'command', command: spelledCommand(stored.command), ...also };
    case 'url':
      return { kind: 'url', url: stored.url, headers: sourcesIn(stored.headers), ...also };
  }
}

const sourcesIn = (headers: Readonly<Record<string, SecretSource>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, source]) => [name, sourceWords(source)]));

const sourceWords = (source: SecretSource): string =>
  'env' in source ? `@env:${source.env}` : 'file' in source ? `@${source.file}` : MASK;

/** Where credentials come from, in a few words. `cwd`: the folder in which a file of the environment is. */
export function describeCredentials(stored: Credential, cwd?: string): string {
  const way = wayWords(stored, cwd);
  return 'also' in stored && stored.also ? `${way}, with the headers ${headerWords(stored.also)}` : way;
}

function wayWords(stored: Credential, cwd: string | undefined): string {
  switch (stored.kind) {
    case 'token':
      return 'a token';
    case 'headers':
      return `headers: ${headerWords(stored.headers)}`;
    case 'command':
      return `the token that ${spelledCommand(stored.command)} prints`;
    case 'file':
      return `the token in ${mayBeToken(stored.file, cwd) ? HIDDEN_FILE : stored.file}`;
    case 'url':
      return `a token from ${stored.url}, fetched with ${headerWords(stored.headers)}`;
  }
}

const headerWords = (headers: Readonly<Record<string, SecretSource>>): string =>
  Object.entries(sourcesIn(headers))
    .map(([name, source]) => `${name} (${source})`)
    .join(', ');

// Programs that print a secret: the token command and the password command of a profile. No shell runs them, so that they
// work the same on every platform and in an image that has no shell.

// A quoted part, an escaped character, a run of plain ones, blanks, or the beginning of a part that does not end.
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)|(.)/gs;

/**
 * A program and its arguments, split at blanks. Single quotes keep their content, double quotes too except `\"` and
 * `\\`, and a backslash elsewhere keeps the next character. Nothing else has a meaning, because no shell runs it.
 * Throws `usage`; `name` is the option.
 */
export function programWords(written: string, name = '--token-command'): string[] {
  const words: string[] = [];
  let isNew = true;
  for (const [, single, double, escaped, plain = '', blanks, unended] of written.matchAll(PART)) {
    if (unended !== undefined)
      throw new Failure('usage', { kind: 'program-unreadable', option: name, unended });
    if (blanks === undefined) {
      const before = isNew ? '' : words.pop();
      words.push(`${before}${single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain}`);
    }
    isNew = blanks !== undefined;
  }
  if (written.includes('\0') || !words[0])
    throw new Failure('usage', { kind: 'program-unreadable', option: name });
  return words;
}

/** The words as `programWords` and any shell parse them. */
export const spelledCommand = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** A relative path means the program in the present working directory, also when it is run from elsewhere later. */
export const withAbsoluteProgram = (
  [program = '', ...args]: readonly string[],
  host: Pick<Host, 'cwd'>,
): string[] => [/[/\\]/.test(program) ? absolutePath(program, host) : program, ...args];

/** The variables that hold secrets of a profile: its programs have no use for them. */
export const secretVariables = (profile: Pick<Profile, 'credentials'>): string[] =>
  profile.credentials
    ? headerSources(profile.credentials).flatMap(from => ('env' in from ? from.env : []))
    : [];

const LIMITS = { ms: 10_000, maxBytes: 64 * 1024 };

interface Runner extends Pick<Host, 'capture' | 'env' | 'cwd'> {
  /** Variables that the program does not get. */
  without: readonly string[];
}

/** The token that a program prints. Throws `unauthorized`, and `interrupted`. */
export async function tokenPrinted(
  words: readonly string[],
  profile: string,
  note: (line: string) => void,
  host: Runner,
): Promise<string> {
  const refused = (fault: SecretFault) =>
    new Failure('unauthorized', { kind: 'token-command-failed', profile, program: words, ...fault });
  const token = await secretPrinted(words, refused, note, host);
  const fault = tokenFault(token);
  if (fault !== undefined) throw refused(fault);
  return token;
}

/**
 * The first line that a program prints on stdout, trimmed. `note` gets the lines of its stderr. Throws the failure that
 * `refused` makes, and `interrupted`.
 */
export async function secretPrinted(
  words: readonly string[],
  refused: (fault: SecretFault) => Failure,
  note: (line: string) => void,
  host: Runner,
): Promise<string> {
  const [program = '', ...args] = words;
  let last = '';
  const captured = await host
    .capture(program, args, {
      ...LIMITS,
      env: host.env,
      without: host.without,
      cwd: host.cwd,
      onLine(coloured, printed) {
        const line = stripVTControlCharacters(coloured);
        if (line.trim() !== '') last = line.trim();
        note(withoutPrinted(line, printed));
      },
    })
    .catch((error: unknown) => {
      throw error instanceof Failure
        ? error
        : refused({ fault: 'unstartable', why: unstartableBecause(program, error) });
    });
  const saying = withoutPrinted(last, captured.stdout).slice(0, 200);
  if (captured.exitCode !== 0)
    throw refused({ fault: 'ended', exitCode: captured.exitCode, ...(saying !== '' && { said: saying }) });
  const secret = firstLine(captured.stdout);
  if (secret === '') throw refused({ fault: 'printed-nothing' });
  return secret;
}

const firstLine = (printed: Buffer): string => (printed.toString('utf8').split('\n', 1)[0] ?? '').trim();

/** A shorter word is masked only if it is the whole first line. */
const LONG_WORD = 8;

/** A line of stderr without what is on stdout: that may be the secret, also if the program fails. */
function withoutPrinted(line: string, printed: Buffer): string {
  const words = printed.toString('utf8').split(/\s+/);
  return [firstLine(printed), ...words.filter(word => word.length >= LONG_WORD)]
    .filter(secret => secret !== '')
    .sort((first, second) => second.length - first.length)
    .reduce((left, secret) => left.replaceAll(secret, MASK), line);
}

// A fetched token is saved beside the credentials that fetched it: it is as private, and is removed with them.

/** The profile and the address that a token is for. */
export interface Owner {
  profile: string;
  address: string;
  /** The credentials that fetch it: a token of other credentials is not used. */
  stored: Extract<StoredCredentials, { kind: 'url' }>;
}

type Kept = Owner['stored'];

/** Which values of headers fetched a token, without these values: a variable or a file may have another one now. */
export const fetchMark = (token: string, values: Readonly<Record<string, string>>): string =>
  // Every command pays for it: 3 ms, and not the 60 of the default.
  scryptSync(JSON.stringify(Object.entries(values)), token, 32, { N: 1024 }).toString('base64');

/** The token that an earlier process saved, unless it was fetched with other values. Throws `storage`. */
export function cachedToken(host: FolderHost & Pick<Host, 'env'>, owner: Owner): KeptToken | undefined {
  const kept = storedFor(owner, readConfig(host))?.kept?.[owner.address];
  if (kept === undefined) return undefined;
  let values: Record<string, string>;
  try {
    values = headerValues(owner.stored.headers, host);
  } catch {
    // None is needed while a saved token is good.
    return kept;
  }
  return kept.fetchedBy === fetchMark(kept.token, values) ? kept : undefined;
}

/** Saves a token if the profile has not changed. Throws `storage`. */
export async function cacheToken(host: FolderHost, owner: Owner, token: KeptToken): Promise<void> {
  if (!storedFor(owner, readConfig(host))) return;
  await changeConfig(host, config => {
    const stored = storedFor(owner, config);
    if (stored === undefined) return config;
    const credentials = { ...stored, kept: { ...stored.kept, [owner.address]: token } };
    const profile = { ...config.profiles[owner.profile], credentials };
    return { ...config, profiles: { ...config.profiles, [owner.profile]: profile } };
  });
}

function storedFor(owner: Owner, config: Config): Kept | undefined {
  const there = findProfile(config, owner.profile)?.credentials;
  const isSame =
    there?.kind === 'url' &&
    JSON.stringify(urlAndHeaders(there)) === JSON.stringify(urlAndHeaders(owner.stored));
  return isSame ? there : undefined;
}

const urlAndHeaders = ({ url, headers }: Kept) => [url, headers];
