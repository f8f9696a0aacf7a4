// Secrets of a profile: which headers may hold a credential, how it is shown, programs that print a secret, and tokens that are kept.
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

// These headers frame a request or say where it goes: none of them can be a credential.
const OURS = ['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'upgrade'];

export const isOwnHeader = (name: string): boolean => OURS.includes(name.toLowerCase());

const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

/** Why a token cannot be sent; the reason does not show the token. */
const tokenFault = (token: string): SecretFault | undefined =>
  UNFIT.test(token) ? { fault: 'letters' } : undefined;

/** A credential that can be sent as it is; the other kinds must fetch a token first. */
type Ready = Extract<StoredCredentials, { kind: 'token' | 'headers' }>;

/** Why a token cannot be sent behind the word of the scheme: the token begins with that word already. */
export const schemeFault = (token: string, scheme = 'Bearer'): Notice | undefined =>
  scheme !== '' && token.toLowerCase().startsWith(`${scheme.toLowerCase()} `)
    ? { kind: 'token-with-scheme', scheme }
    : undefined;

/** The headers that send a credential: names in lower case, with secret values. Throws `unauthorized`. */
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

/** May the text be a token that was given instead of the path of a file? A token of three parts (JWT) begins with `eyJ`. */
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

/** The present values of the headers, read from their sources. Throws `unauthorized`. */
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

/** A warning about a file with a secret that does not exist, or that others may read. */
export function warningAboutSource(source: SecretSource, host: Pick<Host, 'platform'>): Notice | undefined {
  if (!('file' in source)) return undefined;
  const { file } = source;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'secret-file-missing', file };
  return host.platform !== 'win32' && stat.mode & 0o044
    ? { kind: 'secret-file-open-to-others', file }
    : undefined;
}

/** The part of stdin that reads all of it at once. */
type Stdin = { stdin: Pick<Host['stdin'], 'isTerminal' | 'read'> };

/** Reads `NAME=@env:VAR`, `NAME=@FILE` or `NAME=@-`. The secret itself is never accepted on the command line. Throws `usage`. */
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

/** Reads a secret from stdin, without the line break at its end. Throws `usage` if stdin has no secret. */
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

/** A profile as it is shown: secrets are masked, and the sources of secrets are named. */
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

/** The source of a credential, in a few words. `cwd`: the folder to which the path of a token file is relative. */
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

// Programs that print a secret: the token command and the password command of a profile. No shell runs these programs, so that they work
// the same on every platform, and in an image that has no shell.

// A quoted part, an escaped character, a run of plain characters, blanks, or the beginning of a part that does not end.
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)|(.)/gs;

/**
 * A program and its arguments, split at blanks. Single quotes keep their content; so do double quotes, except `\"` and `\\`; a backslash
 * elsewhere keeps the next character. No other character has a special meaning, because no shell runs the program. Throws `usage`; `name`
 * is the option.
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

/** A program and its arguments as one text, which `programWords` and any shell read back. */
export const spelledCommand = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** Makes the relative path of a program absolute, because the program may later be run from another working directory. */
export const withAbsoluteProgram = (
  [program = '', ...args]: readonly string[],
  host: Pick<Host, 'cwd'>,
): string[] => [/[/\\]/.test(program) ? absolutePath(program, host) : program, ...args];

/** The variables that hold secrets of a profile. The programs that waybill runs do not get them. */
export const secretVariables = (profile: Pick<Profile, 'credentials'>): string[] =>
  profile.credentials
    ? headerSources(profile.credentials).flatMap(from => ('env' in from ? from.env : []))
    : [];

const LIMITS = { ms: 10_000, maxBytes: 64 * 1024 };

interface Runner extends Pick<Host, 'capture' | 'env' | 'cwd'> {
  /** The variables that the program does not get. */
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
 * The first line that a program prints on stdout, trimmed. `note` gets the lines of stderr. Throws the failure that `refused` makes, and
 * `interrupted`.
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

/** A word on stdout that is shorter than this is masked only if it is the whole first line. */
const LONG_WORD = 8;

/** A line of stderr, with all words masked that are on stdout: they may be the secret, even if the program fails. */
function withoutPrinted(line: string, printed: Buffer): string {
  const words = printed.toString('utf8').split(/\s+/);
  return [firstLine(printed), ...words.filter(word => word.length >= LONG_WORD)]
    .filter(secret => secret !== '')
    .sort((first, second) => second.length - first.length)
    .reduce((left, secret) => left.replaceAll(secret, MASK), line);
}

// A fetched token is saved beside the credentials that fetched it, because it is as private as they are, and is removed with them.

/** The profile and the address to which a token belongs. */
export interface Owner {
  profile: string;
  address: string;
  /** The credentials that fetch the token: a token that other credentials fetched is not used. */
  stored: Extract<StoredCredentials, { kind: 'url' }>;
}

type Kept = Owner['stored'];

/** A mark of the header values that fetched a token, which does not reveal them. It shows whether a variable or a file has changed. */
export const fetchMark = (token: string, values: Readonly<Record<string, string>>): string =>
  // Every command computes this: with the small N it takes 3 ms, and not the 60 ms of the default.
  scryptSync(JSON.stringify(Object.entries(values)), token, 32, { N: 1024 }).toString('base64');

/** The token that an earlier process saved, unless other header values fetched it. Throws `storage`. */
export function cachedToken(host: FolderHost & Pick<Host, 'env'>, owner: Owner): KeptToken | undefined {
  const kept = storedFor(owner, readConfig(host))?.kept?.[owner.address];
  if (kept === undefined) return undefined;
  let values: Record<string, string>;
  try {
    values = headerValues(owner.stored.headers, host);
  } catch {
    // While a saved token is good, no header value is needed.
    return kept;
  }
  return kept.fetchedBy === fetchMark(kept.token, values) ? kept : undefined;
}

/** Saves a token, unless the credentials of the profile have changed. Throws `storage`. */
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
