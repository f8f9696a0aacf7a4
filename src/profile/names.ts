import { Failure } from '../errors.ts';
import { someOf } from '../text.ts';
import type { Config, Profile } from './store.ts';

/** The built-in profile. */
export const DEMO = 'demo';

/** Why a new profile cannot have this name; `undefined` if it can. */
export function takenFault(config: Config, name: string): string | undefined {
  if (name !== DEMO && !findProfile(config, name)) return undefined;
  return `the profile ${name} exists already; \`waybill profile set ${name}\` changes it`;
}

/** Why nothing can be saved under this name; `undefined` if it can. */
export function nameFault(name: string): string | undefined {
  // With a hyphen in front it would be an option.
  const good = /^[\w.@][\w.@-]{0,63}$/.test(name) && name !== '__proto__';
  return good ? undefined : 'a name has up to 64 letters, digits and . _ - @';
}

/** Throws `usage`. */
export function refuseBadName(name: string, what: string): void {
  const fault = nameFault(name);
  if (fault) throw new Failure('usage', `${JSON.stringify(name)} is not a name for ${what}: ${fault}`);
}

/** The saved profile of that name. */
export const findProfile = ({ profiles }: Config, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** The same. Throws `usage` if there is none, with the names that there are; `namedBy` is what gave the name. */
export function requireProfile({ config }: { config: Config }, name: string, namedBy?: string): Profile {
  const profile = findProfile(config, name);
  if (profile) return profile;
  const names = [...new Set([...Object.keys(config.profiles), DEMO])];
  throw new Failure(
    'usage',
    `there is no profile ${JSON.stringify(name)}${namedBy ? ` (named by ${namedBy})` : ''}; there are ${someOf(names)}. \`waybill profile list\` shows them`,
  );
}

/** The same, but `demo` is always there. */
export const profileOrDemo = (session: { config: Config }, name: string): Profile =>
  name === DEMO ? (findProfile(session.config, DEMO) ?? {}) : requireProfile(session, name);
