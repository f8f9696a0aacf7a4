// Variables and settings that nobody knows: what a person took for a limit, or for the sandbox, must not be without effect.

import { mayBook } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Notice } from '../say/notices.ts';
import { filled, isSwitchedOn } from './environment.ts';
import { secretVariables } from './secrets.ts';
import { type Config, findProfile, unknownSettings } from './store.ts';
import { CREDENTIAL_VARIABLES, VARIABLES } from './table.ts';

const PREFIX = /^waybill_/i;
/** Of two that are as near, one for address and credentials is meant, else the first by the alphabet. */
const OURS = [...new Set<string>([...CREDENTIAL_VARIABLES, ...VARIABLES.toSorted()])].filter(name =>
  PREFIX.test(name),
);

/** A whole part of a name, for which a variable that has no effect stops a booking. */
const SAFETY = /(^|_)(MAX|LIMIT|PRICE|POLICY|DRY|SANDBOX|PRODUCTION|DUPLICATE|STRICT)(_|$)/i;

/** Parts of names of a limit: there 0 is a value, and not a switch that is off. */
const OF_LIMIT = /(^|_)(MAX|LIMIT|PRICE|POLICY)(_|$)/i;

/** For another program, or for a script around this one. */
const OF_OTHERS = /_(TOKEN|URL|SECRET|FILE|ID|VERSION)$/i;

/** What Kubernetes makes of a service whose name begins with `waybill`, and what our own build and tests need. */
const KNOWN_FORMS =
  /^WAYBILL_(((\w+_)?(SERVICE_HOST|SERVICE_PORT|PORT))(_\w*)?|TEST_\w+|EXECUTABLE|ENTRY|VERSION)$/;

/** The variables that are set and that nobody knows. A name that a profile uses for a secret is known. */
export function unknownVariables(env: Host['env'], config: Pick<Config, 'profiles'>): string[] {
  const names = Object.keys(env).filter(
    name =>
      PREFIX.test(name) &&
      !OURS.includes(name) &&
      !KNOWN_FORMS.test(name) &&
      (OF_LIMIT.test(name) ? filled(env[name]) !== undefined : isSwitchedOn(env[name])),
  );
  if (names.length === 0) return names;
  const ofProfiles = new Set(Object.values(config.profiles).flatMap(secretVariables));
  return names.filter(name => !ofProfiles.has(name));
}

/** Each with the one that may be meant for addresses and credentials: `WAYBILL_API_URL (did you mean WAYBILL_BASE_URL?)`. */
export const unknownNamed = (env: Host['env'], config: Pick<Config, 'profiles'>): string[] =>
  unknownVariables(env, config).map(name => `${name}${didYouMean(name, CREDENTIAL_VARIABLES)}`);

/** The known variable of which a name is all but some letters, or a part: `MAX_PRICE` or `MAXPRICE` of `POLICY_MAX_PRICE`. */
function meantBy(name: string): string | undefined {
  const rest = name.replace(PREFIX, '').toUpperCase();
  const known = OURS.map(variable => variable.replace(PREFIX, ''));
  const isPart = (whole: string) =>
    whole.endsWith(`_${rest}`) ||
    (rest.length > 3 && withoutUnderscores(whole).endsWith(withoutUnderscores(rest)));
  const meant = nearest(rest, known) ?? known.find(isPart);
  return meant && `WAYBILL_${meant}`;
}

const withoutUnderscores = (name: string): string => name.replaceAll('_', '');

/** A name that nobody knows, and the known one that is probably meant. */
interface UnknownName {
  name: string;
  meant?: string;
}

const unknownName = (name: string, meant: string | undefined): UnknownName => ({
  name,
  ...(meant !== undefined && { meant }),
});

function variablesIn(env: Host['env'], config: Config): UnknownName[] {
  return unknownVariables(env, config).map(name => unknownName(name, meantBy(name)));
}

/** May it have been meant to hold a booking back? */
const isGrave = (variable: UnknownName): boolean =>
  !OF_OTHERS.test(variable.name) && (variable.meant !== undefined || SAFETY.test(variable.name));

/** Settings of the profile in force that no version wrote. Each may have been meant to hold a booking back. */
function settingsIn(config: Config, profileName: string | undefined): UnknownName[] {
  const profile = profileName === undefined ? undefined : findProfile(config, profileName);
  return unknownSettings(profile ?? {}).map(({ name, known }) => unknownName(name, nearest(name, known)));
}

/** `command`: as it is typed. Would it book something with these options? */
function books(command: string, options: Readonly<Record<string, unknown>>): boolean {
  return !options.dryRun && options.plan === undefined && !options.unprinted && mayBook(command) === true;
}

/** What is warned of, for all variables once, and for all settings. */
interface Unknown {
  variables: Notice | undefined;
  settings: Notice | undefined;
  /** Would something be booked, and is one of them about money? */
  isAboutMoney: boolean;
}

/**
 * What is set and nobody knows, in the environment and in the profile in force (`name`). Throws `usage` where something would be
 * booked and one of them may have been meant to prevent that.
 */
export function checkUnknownNames(
  env: Host['env'],
  config: Config,
  name: string | undefined,
  command: string,
  options: Readonly<Record<string, unknown>>,
): Unknown {
  const variables = variablesIn(env, config);
  const settings = settingsIn(config, name);
  const isBooked = books(command, options);
  if (isBooked) refuseUnknownNames(variables.filter(isGrave), settings, name);
  return {
    variables: variables.length === 0 ? undefined : { kind: 'unknown-variables', variables },
    settings: settings.length === 0 ? undefined : { kind: 'unknown-settings', settings, profile: name ?? '' },
    isAboutMoney: isBooked && variables.some(variable => OF_LIMIT.test(variable.name)),
  };
}

/** The names that are set and that nobody knows, each with the known one that is probably meant. `profileName`: the profile in force. */
export const unknownNamesIn = (env: Host['env'], config: Config, profileName: string | undefined) => ({
  variables: variablesIn(env, config),
  settings: settingsIn(config, profileName),
});

/** Throws `usage` if the profile `name` of a config that was changed while something is booked has settings that nobody knows. */
export const refuseUnknownSettings = (config: Config, name: string | undefined): void =>
  refuseUnknownNames([], settingsIn(config, name), name);

function refuseUnknownNames(variables: UnknownName[], settings: UnknownName[], profile = ''): void {
  if (variables.length > 0 || settings.length > 0)
    throw new Failure('usage', { kind: 'unknown-names-refused', variables, settings, profile });
}
