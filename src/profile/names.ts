import { isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Config, Profile } from './store.ts';
import { DEMO } from './target.ts';

/** Why a new profile cannot have this name. */
export function takenFault({ profiles }: Config, name: string): string | undefined {
  if (name !== DEMO && !Object.hasOwn(profiles, name)) return undefined;
  return `there is a profile ${name} already; \`waybill profile set ${name}\` changes it`;
}

/** Why something cannot be kept under this name. */
export function nameFault(name: string): string | undefined {
  // A hyphen in front would make an option of it.
  const good = /^[\w.@][\w.@-]{0,63}$/.test(name) && name !== '__proto__';
  return good ? undefined : 'up to 64 letters, digits and . _ - @ make a name';
}

/** Throws `usage`. */
export function refuseNoName(name: string, what: string): void {
  const fault = nameFault(name);
  if (fault) throw new Failure('usage', `${JSON.stringify(name)} is no name for ${what}: ${fault}`);
}

/** The profile of that name. Throws `usage`, naming those that are. */
export function requireProfile({ config }: { config: Config }, name: string): Profile {
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (isRecord(profile)) return profile;
  const names = new Set([...Object.keys(config.profiles), DEMO]);
  throw new Failure(
    'usage',
    `there is no profile ${JSON.stringify(name)}; there are ${[...names].join(', ')}`,
  );
}
