import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../text.ts';
import { setting } from './environment.ts';
import {
  type Config,
  DEMO,
  findProfile,
  type Profile,
  requireProfile,
  type StoredCredentials,
} from './store.ts';

const DEMO_PROFILE: Profile = { economyCarriers: ['ECO'] };

/** Which service a command talks to, as whom, and why. */
export interface Target {
  /** The profile whose defaults are used; absent if there is none. */
  name?: string;
  profile: Profile;
  /** Where address and credential come from; `demo` is the built-in emulator, which has no address yet. */
  from: 'profile' | 'environment' | 'demo' | 'nowhere';
  sandbox: boolean;
  /** Absent for the demo, and if the address that `--sandbox` selects was not given. */
  base?: URL;
  credentials?: PresentedCredential;
  /** Files of the profile, for its own addresses only. */
  tls: Pick<Profile, 'caCert' | 'clientCert' | 'clientKey'>;
  /** Where each came from, for `profile whoami` and messages. */
  sources: { profile: string; address: string; credentials: string };
}

/** A credential, and the header that sends it: the service document does not say which. */
export interface PresentedCredential {
  stored: Credential;
  header: string;
  /** Empty: the bare token. */
  scheme: string;
}

/** The credential of a profile, or the file with a token that the environment names. */
export type Credential = StoredCredentials | { kind: 'file'; file: string };

/**
 * Where a token for this address is fetched: below the address, like everything of the service, or at another host that
 * is named in full. Throws `usage`.
 */
export function tokenUrl(given: string, base: URL): URL {
  const refuse = (why: string) =>
    new Failure(
      'usage',
      `--token-url accepts a path below the address of the service, such as /oauth/token, or a whole URL, such as https://login.example.com/oauth/token: ${why}`,
    );
  if (/[?#@\\]|^\/\//.test(given))
    throw refuse(
      'it must not contain a user name, a query or a fragment, because a secret might be there; use headers for secrets',
    );
  if (!/^[a-z][a-z\d+.-]*:/i.test(given)) {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${given.replace(/^\//, '')}`;
    return url;
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isLocal = url?.protocol === 'http:' && isLoopback(url.hostname) && isLoopback(base.hostname);
  if (url?.protocol === 'https:' || isLocal) return url;
  throw refuse(`${given} does not begin with https: (http: only on loopback, for a service on loopback)`);
}

export interface TargetFlags {
  profile?: string;
  sandbox?: boolean;
}

type Env = Host['env'];

/** Decides by flag, environment and config, in that order. Sends nothing, reads no secret. */
export function resolveTarget({ env }: Pick<Host, 'env'>, config: Config, flags: TargetFlags): Target {
  const { why, ...chosen } = choose(env, config, flags);
  const sandbox =
    flags.sandbox ?? (setting(env, 'WAYBILL_SANDBOX') !== undefined || chosen.profile.sandbox === true);
  const direct = flags.profile === undefined && [...ADDRESSES, ...TOKENS].some(name => setting(env, name));
  if (direct && setting(env, 'WAYBILL_PROFILE') === DEMO)
    throw new Failure(
      'unauthorized',
      'WAYBILL_PROFILE=demo contradicts the address or token in the environment: unset one of them',
    );
  const rest = { ...chosen, sandbox, tls: {} };
  if (direct) return { ...rest, from: 'environment', ...fromEnvironment(env, sandbox) };
  if (chosen.name === undefined) return { ...rest, from: 'nowhere', sources: NOWHERE };
  if (chosen.name === DEMO) return { ...rest, from: 'demo', sources: fromDemo(why) };
  return { ...rest, from: 'profile', ...fromProfile(chosen.name, chosen.profile, sandbox, why) };
}

const ADDRESSES = ['WAYBILL_BASE_URL', 'WAYBILL_SANDBOX_BASE_URL'];
const TOKENS = ['WAYBILL_TOKEN', 'WAYBILL_TOKEN_FILE'];
const NOWHERE = { profile: 'none', address: 'none', credentials: 'none' };
const fromDemo = (why: string) => ({ profile: why, address: 'built-in emulator', credentials: 'built in' });

function choose(
  env: Env,
  config: Config,
  flags: TargetFlags,
): Pick<Target, 'name' | 'profile'> & { why: string } {
  const [name, why] =
    flags.profile !== undefined
      ? [flags.profile, '--profile']
      : setting(env, 'WAYBILL_PROFILE') !== undefined
        ? [setting(env, 'WAYBILL_PROFILE'), 'WAYBILL_PROFILE']
        : [config.current, 'the current profile'];
  if (name === undefined) return { profile: {}, why: 'none' };
  return name === DEMO
    ? { name, profile: { ...DEMO_PROFILE, ...findProfile(config, DEMO) }, why }
    : { name, profile: requireProfile({ config }, name, why), why };
}

type Found = Pick<Target, 'base' | 'credentials' | 'sources'> & Partial<Pick<Target, 'tls'>>;

// An address from the environment is never combined with a credential from a profile, nor the other way round.
function fromEnvironment(env: Env, sandbox: boolean): Found {
  const variable = sandbox ? 'WAYBILL_SANDBOX_BASE_URL' : 'WAYBILL_BASE_URL';
  const address = setting(env, variable);
  const [given, other] = TOKENS.filter(name => setting(env, name) !== undefined);
  if (other !== undefined)
    throw new Failure(
      'usage',
      `${given} and ${other} are both set, but one token is sent. Unset one of them`,
    );
  if (address === undefined && !ADDRESSES.some(name => setting(env, name)))
    throw new Failure(
      'unauthorized',
      `${given} is set, but WAYBILL_BASE_URL is not. A token from the environment is never sent to the address of a profile. Set both, or name a profile with --profile`,
    );
  return {
    ...presented(credentialIn(env), setting(env, 'WAYBILL_AUTH_HEADER'), setting(env, 'WAYBILL_AUTH_SCHEME')),
    ...(address !== undefined && { base: parseAddress(address, variable) }),
    sources: {
      profile: 'none for address and credentials',
      address: address === undefined ? 'none' : variable,
      credentials: given ?? 'none',
    },
  };
}

function credentialIn(env: Env): Credential | undefined {
  const [token, file] = TOKENS.map(name => setting(env, name));
  if (token !== undefined) return { kind: 'token', token };
  return file === undefined ? undefined : { kind: 'file', file };
}

function fromProfile(name: string, profile: Profile, sandbox: boolean, why: string): Found {
  const { credentials, authHeader, authScheme } = profile;
  const address = sandbox ? profile.sandboxBaseUrl : profile.baseUrl;
  return {
    ...presented(credentials, authHeader, authScheme),
    tls: profile,
    ...(address !== undefined && { base: parseAddress(address, `profile ${name}`) }),
    sources: {
      profile: why,
      address: address === undefined ? 'none' : `profile ${name}`,
      credentials: credentials ? `profile ${name}` : 'none',
    },
  };
}

const presented = (
  stored: Credential | undefined,
  header = 'authorization',
  scheme = 'Bearer',
): Pick<Target, 'credentials'> =>
  // An empty variable is unset, so that the bare token has a word, too.
  stored ? { credentials: { stored, header, scheme: /^none$/i.test(scheme) ? '' : scheme } } : {};

// In bytes. Address, account and key together must fit into an index of PostgreSQL, which holds 2,704.
const LONGEST_ADDRESS = 512;
const LONGEST_ACCOUNT = 256;

/** Throws `usage` for an account that is too long. */
export function checkAccount(account: string, where: string): void {
  const bytes = Buffer.byteLength(account);
  if (bytes > LONGEST_ACCOUNT)
    throw new Failure('usage', `${where} has ${bytes} bytes, but at most ${LONGEST_ACCOUNT} are allowed`);
}

/** An address of the service: https, or http on loopback; nothing but scheme, host, port and path. */
export function parseAddress(given: string, where: string): URL {
  // A user name, a query or a fragment may be a secret.
  const shown = /[@?#]/.test(given) ? '' : `${JSON.stringify(given)} `;
  const refuse = (why: string) => new Failure('usage', `${where}: the address ${shown}${why}`);
  if (!URL.canParse(given)) throw refuse('is not a URL, such as https://api.example.com');
  const url = new URL(given);
  const bytes = Buffer.byteLength(url.href);
  if (bytes > LONGEST_ADDRESS)
    throw new Failure(
      'usage',
      `${where}: the address has ${bytes} bytes, but at most ${LONGEST_ADDRESS} are allowed`,
    );
  if (url.username || url.password) throw refuse('must not contain a user name or password');
  if (/[?#]/.test(url.href)) throw refuse('must not contain a query or a fragment');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw refuse('must begin with https: (http: only on loopback)');
}

/** The address for people and for keys: `demo`, or a URL in one spelling, however it was given. */
export const targetAddress = ({ from, base }: Target): string =>
  from === 'demo' ? 'demo' : base ? spelledOnce(base) : 'nowhere';

/** `//api/`, `/%61pi` and `/api` are one path. What differs for a server stays: `/a%2fb` is not `/a/b`. */
function spelledOnce({ protocol, hostname, port, pathname }: URL): string {
  const host = `${hostname.replace(/\.$/, '')}${port && `:${port}`}`;
  const path = pathname
    .replace(/%[0-9a-f]{2}/gi, code => {
      const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(letter) ? letter : code.toUpperCase();
    })
    .replace(/\/+/g, '/')
    .replace(/\/$/, '');
  return `${protocol}//${host}${path}`;
}

/** The address with the profile that names it: `profile live, https://api.example.com`. */
export const targetWords = (target: Target): string =>
  `${target.from === 'profile' ? `profile ${target.name}, ` : ''}${targetAddress(target)}`;

/** The address and account that own the bookings made on a target. */
export function targetScope(target: Target): { address: string; account: string } {
  const address = target.from === 'demo' && target.sandbox ? 'demo/sandbox' : targetAddress(target);
  // The account of a profile says nothing about a credential from the environment.
  const account = target.from === 'environment' ? '' : (target.profile.account ?? '').normalize('NFC');
  // A config may be edited by hand.
  checkAccount(account, `the account of ${targetWords(target)}`);
  return { address, account };
}

/** Is it the address of the demo? Each machine has a demo of its own. */
export const isDemo = (address: string): boolean => /^demo(\/|$)/.test(address);

/** Is the service on loopback, so that a webhook or a label link may be there too? */
export const onLoopback = ({ from, base }: Target): boolean =>
  from === 'demo' || (base !== undefined && isLoopback(base.hostname));

/** Does a booking cost money there? */
export const isProduction = (target: Target): boolean => !target.sandbox && !onLoopback(target);
