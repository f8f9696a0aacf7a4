// Which service a command uses, with which credential, and which journal it shares.
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { AddressChange, AddressFault, JournalAddressFault } from '../say/profile.ts';
import { AS_PRODUCTION, isLoopback, nameWords, parsedUrl } from '../text.ts';
import { isOn, setting, vouchedFor, vouches } from './environment.ts';
import { type Config, DEMO, type Profile, profileOrDemo, type StoredCredentials } from './store.ts';
import { ADDRESS_VARIABLES, SETTINGS, TOKEN_VARIABLES } from './table.ts';

const DEMO_PROFILE: Profile = { economyCarriers: ['ECO'] };

/** The service that a command uses, with which credential, and why. */
export interface Target {
  /** The name of the profile whose defaults are used; missing if there is none. */
  name?: string;
  profile: Profile;
  /** What gave address and credential; `demo` is the built-in emulator, which has no address yet. */
  from: 'profile' | 'environment' | 'demo' | 'nowhere';
  sandbox: boolean;
  /** The address; missing for the demo, and if the one that `--sandbox` selects was not given. */
  base?: URL;
  credentials?: PresentedCredential;
  /** Files for TLS from the profile, used only for its own addresses. */
  tls: Pick<Profile, 'caCert' | 'clientCert' | 'clientKey'>;
  /** What gave each part, in words for `profile whoami` and messages. */
  sources: { profile: string; address: string; credentials: string };
}

/** A credential and the header that sends it, because the service document does not say which header does. */
export interface PresentedCredential {
  stored: Credential;
  header: string;
  /** The word in front of the token; empty if the token is sent alone. */
  scheme: string;
}

/** The credential of a profile, or the file with a token that the environment names. */
export type Credential = StoredCredentials | { kind: 'file'; file: string };

/**
 * The URL that gives a token for this address: below the address, like everything of the service, or at another host that is named in full.
 * Throws `usage`.
 */
export function tokenUrl(written: string, base: URL): URL {
  if (/[?#@\\]|^\/\//.test(written)) throw new Failure('usage', { kind: 'token-url-with-secret' });
  if (!/^[a-z][a-z\d+.-]*:/i.test(written)) {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${written.replace(/^\//, '')}`;
    return url;
  }
  const url = parsedUrl(written);
  const isLocal = url?.protocol === 'http:' && isLoopback(url.hostname) && isLoopback(base.hostname);
  if (url?.protocol === 'https:' || isLocal) return url;
  throw new Failure('usage', { kind: 'token-url-not-https', url: written });
}

export interface TargetFlags {
  profile?: string;
  sandbox?: boolean;
}

type Env = Host['env'];

/** The profile under which a booking or a line of the log is recorded; `null` if the environment gave the address. */
export const recordedProfile = (target: Target): string | null =>
  target.from === 'environment' ? null : (target.name ?? null);

/** Finds the target by flag, environment and config, in that order. Sends nothing, and reads no secret. */
export function resolveTarget(host: Pick<Host, 'env'>, config: Config, flags: TargetFlags): Target {
  const variable = setting(host.env, 'WAYBILL_PROFILE');
  const name = flags.profile ?? variable ?? config.current;
  const why =
    flags.profile !== undefined ? '--profile' : variable ? 'WAYBILL_PROFILE' : 'the current profile';
  const saved = name === undefined ? {} : profileOrDemo({ config }, name, why);
  const profile = name === DEMO ? { ...DEMO_PROFILE, ...saved } : saved;
  const sandbox = flags.sandbox ?? (isOn(host.env, 'WAYBILL_SANDBOX') || profile.sandbox === true);
  const direct =
    flags.profile === undefined &&
    [...ADDRESS_VARIABLES, ...TOKEN_VARIABLES].some(name => setting(host.env, name));
  if (direct && variable === DEMO) throw new Failure('unauthorized', { kind: 'demo-beside-environment' });
  const target = { ...(name !== undefined && { name }), profile, sandbox, tls: {} };
  if (direct) {
    const access = accessOf(inEnvironment(host.env, sandbox), 'none for address and credentials');
    return { ...target, from: 'environment', ...access };
  }
  const sources = { profile: why, address: 'built-in emulator', credentials: 'built in' };
  if (name === DEMO) return { ...target, from: 'demo', sources };
  if (name === undefined)
    return { ...target, from: 'nowhere', sources: { profile: 'none', address: 'none', credentials: 'none' } };
  const { baseUrl, sandboxBaseUrl } = profile;
  refuseOneAddress(baseUrl, sandboxBaseUrl, { change: 'profile', profile: name });
  const ofProfile: AccessSource = {
    address: sandbox ? sandboxBaseUrl : baseUrl,
    addressBy: `profile ${name}`,
    stored: profile.credentials,
    storedBy: `profile ${name}`,
    header: profile.authHeader,
    scheme: profile.authScheme,
  };
  return { ...target, from: 'profile', tls: profile, ...accessOf(ofProfile, why) };
}

/** An address and a credential, and what gave each of them. */
interface AccessSource {
  address: string | undefined;
  addressBy: string;
  stored: Credential | undefined;
  storedBy: string;
  header: string | undefined;
  scheme: string | undefined;
}

// An address from the environment is never combined with a credential from a profile, nor the other way round.
function inEnvironment(env: Env, sandbox: boolean): AccessSource {
  const [base, sandboxBase] = [setting(env, 'WAYBILL_BASE_URL'), setting(env, 'WAYBILL_SANDBOX_BASE_URL')];
  refuseOneAddress(base, sandboxBase, { change: 'environment' });
  const [token, file] = [setting(env, 'WAYBILL_TOKEN'), setting(env, 'WAYBILL_TOKEN_FILE')];
  if (token !== undefined && file !== undefined)
    throw new Failure('usage', { kind: 'two-tokens', variables: TOKEN_VARIABLES });
  const storedBy = SETTINGS[token === undefined ? 'tokenFile' : 'token'].variable;
  if (base === undefined && sandboxBase === undefined)
    throw new Failure('unauthorized', { kind: 'token-without-address', variable: storedBy });
  const ofFile: Credential | undefined = file === undefined ? undefined : { kind: 'file', file };
  return {
    address: sandbox ? sandboxBase : base,
    addressBy: SETTINGS[sandbox ? 'sandboxBaseUrl' : 'baseUrl'].variable,
    stored: token === undefined ? ofFile : { kind: 'token', token },
    storedBy,
    header: setting(env, 'WAYBILL_AUTH_HEADER'),
    scheme: setting(env, 'WAYBILL_AUTH_SCHEME'),
  };
}

function accessOf(source: AccessSource, profileBy: string): Pick<Target, 'base' | 'credentials' | 'sources'> {
  const { address, addressBy, stored, storedBy, header = 'authorization', scheme = 'Bearer' } = source;
  return {
    ...(address !== undefined && { base: parseAddress(address, addressBy) }),
    // An empty variable counts as unset, so `none` is the word for a token that is sent alone.
    ...(stored && { credentials: { stored, header, scheme: /^none$/i.test(scheme) ? '' : scheme } }),
    sources: {
      profile: profileBy,
      address: address === undefined ? 'none' : addressBy,
      credentials: stored ? storedBy : 'none',
    },
  };
}

// The most bytes. Address, account and key together must fit into an entry of an index of PostgreSQL, which holds 2,704.
const LONGEST_ADDRESS = 512;
const LONGEST_ACCOUNT = 256;

/** Throws `usage` for an account that is too long. */
export const checkAccount = (account: string, where: string): void =>
  refuseLonger(account, LONGEST_ACCOUNT, where);

function refuseLonger(text: string, most: number, where: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) throw new Failure('usage', { kind: 'too-many-bytes', where, bytes, most });
}

/** The address of a service: https, or http on loopback; it has only scheme, host, port and path. Throws `usage`. */
export function parseAddress(written: string, where: string): URL {
  // An address with a user name, a query or a fragment is not shown: each of these may be a secret.
  const address = /[@?#]/.test(written) ? {} : { address: written };
  const refuse = (fault: AddressFault) =>
    new Failure('usage', { kind: 'address-refused', where, ...address, fault });
  const url = parsedUrl(written);
  if (url === undefined) throw refuse('no-url');
  refuseLonger(url.href, LONGEST_ADDRESS, `${where}: the address`);
  if (url.username || url.password) throw refuse('user-name');
  if (/[?#]/.test(url.href)) throw refuse('query');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw refuse('not-https');
}

/**
 * Throws `usage` if production and sandbox have one address: what is meant for the sandbox would cost money. `change`: which addresses a
 * person must change.
 */
export function refuseOneAddress(
  production: string | undefined,
  sandbox: string | undefined,
  change: AddressChange,
): void {
  const [base, second] = [production, sandbox].map(address => parsedUrl(address ?? ''));
  if (base === undefined || second === undefined || looseSpelling(base) !== looseSpelling(second)) return;
  throw new Failure('usage', { kind: 'one-address-for-both', address: spelledOnce(base), ...change });
}

/** One spelling for all addresses that some server may take for the same. Keys of bookings use `spelledOnce`, which is stricter. */
function looseSpelling(address: URL): string {
  const url = new URL(address);
  const [, high = '', low = ''] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(url.hostname) ?? [];
  if (high !== '') url.hostname = String(Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16));
  const path = spelledOnce(url).replace(ENCODED, letterOf).toLowerCase();
  return path.replace(/(?<!:)[/\\]+/g, '/').replace(/\/$/, '');
}

const ENCODED = /%[0-9a-f]{2}/gi;
const letterOf = (code: string): string => String.fromCharCode(Number.parseInt(code.slice(1), 16));

/** The address for people and for keys: `demo`, or a URL that has one spelling, however it was written. */
export const targetAddress = (target: Target): string =>
  target.from === 'demo' ? 'demo' : target.base ? spelledOnce(target.base) : 'nowhere';

/**
 * The URL in one spelling: `//api/`, `/%61pi` and `/api` become one path. Paths that a server may tell apart stay: `/a%2fb` is not `/a/b`.
 */
function spelledOnce(url: URL): string {
  const { protocol, hostname, port, pathname } = url;
  const host = `${hostname.replace(/\.$/, '')}${port && `:${port}`}`;
  const path = pathname
    .replace(ENCODED, code => (/[A-Za-z0-9._~-]/.test(letterOf(code)) ? letterOf(code) : code.toUpperCase()))
    .replace(/\/+/g, '/')
    .replace(/\/$/, '');
  return `${protocol}//${host}${path}`;
}

/** The address, behind the profile that has it: `profile live, https://api.example.com`. */
export const targetWords = (target: Target): string =>
  `${target.from === 'profile' ? `profile ${nameWords(target.name ?? '')}, ` : ''}${targetAddress(target)}`;

/** The address and account to which the bookings of a target belong. */
export function targetScope(target: Target): { address: string; account: string } {
  const address = target.from === 'demo' && target.sandbox ? 'demo/sandbox' : targetAddress(target);
  // The account of a profile does not belong to a credential from the environment.
  const account = target.from === 'environment' ? '' : (target.profile.account ?? '').normalize('NFC');
  // A config that was edited by hand may have an account that is too long.
  checkAccount(account, `the account of ${targetWords(target)}`);
  return { address, account };
}

/** The addresses of a profile, each with its account: the places to which the bookings of the profile belong. */
export const profilePlaces = ({ baseUrl, sandboxBaseUrl, account = '' }: Profile) =>
  [baseUrl, sandboxBaseUrl].flatMap(address => {
    const url = parsedUrl(address ?? '');
    return url ? [{ address: spelledOnce(url), account: account.normalize('NFC') }] : [];
  });

/** Is the address that of the demo? Each machine has a demo of its own. */
export const isDemo = (address: string): boolean => /^demo(\/|$)/.test(address);

/** Does the service run on loopback? Then a webhook or a label link may be there, too. */
export const onLoopback = (target: Target): boolean =>
  target.from === 'demo' || (target.base !== undefined && isLoopback(target.base.hostname));

/** Is the service an emulator in the place of production, with which a person can rehearse? */
const isRehearsal = (target: Target): boolean =>
  target.base !== undefined &&
  isLoopback(target.base.hostname) &&
  `${target.base.pathname}/`.startsWith(`${AS_PRODUCTION}/`);

/** Does a booking at the service cost money, or must it be asked about as if it did? */
export const isProduction = (target: Target): boolean =>
  !target.sandbox && (!onLoopback(target) || isRehearsal(target));

/** The word for the kind of service that a person uses. */
export function environmentOf(target: Target): string {
  if (target.from === 'demo') return 'emulator';
  if (target.sandbox) return 'sandbox';
  if (!onLoopback(target)) return 'production';
  return isProduction(target) ? 'as-production' : 'loopback';
}

/** The place whose bookings cost money; `undefined` for the sandbox, loopback, the demo, and a target without an address. */
export const productionScope = (target: Target): { address: string; account: string } | undefined =>
  target.base !== undefined && isProduction(target) ? targetScope(target) : undefined;

// The journal that several machines share.

/** The address of the shared journal, and how to use it. */
export interface SharedJournal {
  url: URL;
  /** The program, with its arguments, that prints the password; only for an address from a profile. */
  passwordCommand?: readonly string[];
  /** Does a person vouch that no confirmed commit is lost when a standby takes over? */
  isLossless: boolean;
}

const NAMED = 'journal of the profile';

/** The failure of an address with a password: neither the config nor a command line is a place for passwords. */
export const holdsPassword = (where: string): Failure =>
  new Failure('usage', { kind: 'journal-address-with-password', where });

/** The shared journal that the environment names, else the one of the profile; `undefined` means the local journal. Throws `usage`. */
export function sharedJournal(env: Host['env'], profile: Profile): SharedJournal | undefined {
  const { variable } = SETTINGS.journal;
  const named = setting(env, variable);
  const isVouched = vouchedFor(env, 'journalFailover');
  // The other settings of the profile do not belong to a database that the environment names.
  if (named !== undefined) return { url: parseJournalAddress(named, variable), isLossless: isVouched };
  const { journal, journalFailover, journalPasswordCommand: passwordCommand } = profile;
  if (journal === undefined) return undefined;
  const url = parseJournalAddress(journal, NAMED);
  if (url.password !== '') throw holdsPassword(NAMED);
  const [lossless] = SETTINGS.journalFailover.values;
  const isLossless = vouches(journalFailover, lossless, 'journalFailover of the profile') || isVouched;
  return { url, isLossless, ...(passwordCommand && { passwordCommand }) };
}

/**
 * The shared journal at an address from a command line. If the environment or the profile names the same journal, the password comes from
 * there. Throws `usage`.
 */
export function journalAt(address: string, env: Host['env'], profile: Profile): SharedJournal {
  const url = parseJournalAddress(address, 'ADDRESS');
  if (url.password !== '') throw holdsPassword('ADDRESS');
  const named = sharedJournal(env, profile);
  return named && wholeAddress(named.url) === wholeAddress(url)
    ? named
    : { url, isLossless: vouchedFor(env, 'journalFailover') };
}

/** Is the database on this machine: at a local socket, or on loopback? */
export const isOnThisMachine = (url: URL): boolean =>
  (url.searchParams.get('host') ?? url.hostname) === '' ||
  (url.searchParams.get('host')?.startsWith('/') ?? isLoopback(url.hostname));

const PARAMETERS = ['sslmode', 'sslrootcert', 'options', 'host', 'port', 'connect_timeout'];
const LONGEST_CONNECT_SECONDS = 600;

/**
 * Parses the address of a shared journal: `postgres://user@host:port/database`; for a socket, `host` and `port` are parameters. Throws
 * `usage`, and never shows a password. `where`: what gave the address.
 */
export function parseJournalAddress(written: string, where: string): URL {
  const refuse = (fault: JournalAddressFault) =>
    new Failure('usage', { kind: 'journal-address-refused', where, ...fault });
  // The address of a socket may have a user and no host, which no URL may have.
  const whole = written.replace(/^(\w+:\/\/[^/@]+@)\//, '$1localhost/');
  const url = parsedUrl(whole);
  if (!/^postgres(ql)?:\/\//.test(whole) || url === undefined) throw refuse({ fault: 'no-address' });
  // A password with such letters is cut in the wrong place: a message that names the part would show some of the password.
  if (/[/@]/.test(url.pathname.slice(1)) || url.search.includes('@') || url.hash !== '' || !isDecodable(url))
    throw refuse({ fault: 'letters' });
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name)) throw refuse({ fault: 'parameter', name, known: PARAMETERS });
  const host = url.searchParams.get('host');
  if (host !== null && !host.startsWith('/')) throw refuse({ fault: 'host' });
  const port = url.searchParams.get('port');
  if (port !== null && (host === null || url.port !== '' || !isNumberUpTo(port, 65_535)))
    throw refuse({ fault: 'port', port });
  const seconds = url.searchParams.get('connect_timeout');
  if (seconds !== null && !isNumberUpTo(seconds, LONGEST_CONNECT_SECONDS))
    throw refuse({ fault: 'connect_timeout', seconds, most: LONGEST_CONNECT_SECONDS });
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full') throw refuse({ fault: 'sslmode', mode });
  return url;
}

const isNumberUpTo = (text: string, most: number): boolean =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= most;

function isDecodable(url: URL): boolean {
  const { username, password, pathname } = url;
  try {
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}

/** The address without its password, as it is shown. */
export function shownAddress(url: URL): string {
  const { hostname, pathname, searchParams } = url;
  const port = url.port || searchParams.get('port') || '';
  return `postgres://${searchParams.get('host') ?? hostname}${port && `:${port}`}${pathname}`;
}

/** The address with all that selects the tables, such as the user and the schema, but without the password. */
export function wholeAddress(url: URL): string {
  const options = url.searchParams.get('options');
  const user = url.username && `${url.username}@`;
  return `${shownAddress(url).replace('//', `//${user}`)}${options ? `?options=${encodeURIComponent(options)}` : ''}`;
}
