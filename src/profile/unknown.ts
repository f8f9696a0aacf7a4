// Unknown variables and settings: a person may have meant one as a limit, or for the sandbox, and must hear that it has no effect.

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
/** The known variables. Of two names that are equally near, one for address and credentials is meant, else the first by the alphabet. */
const OURS = [...new Set<string>([...CREDENTIAL_VARIABLES, ...VARIABLES.toSorted()])].filter(name =>
  PREFIX.test(name),
);

/** Parts of a name that sound like safety: an unknown variable with such a part stops a booking. */
const SAFETY = /(^|_)(MAX|LIMIT|PRICE|POLICY|DRY|SANDBOX|PRODUCTION|DUPLICATE|STRICT)(_|$)/i;

/** Parts of a name that sound like a limit: the value 0 is an amount there, and not a switch that is off. */
const OF_LIMIT = /(^|_)(MAX|LIMIT|PRICE|POLICY)(_|$)/i;

/** The ends of names that are probably for another program, or for a script around waybill. */
const OF_OTHERS = /_(TOKEN|URL|SECRET|FILE|ID|VERSION)$/i;

/** The names that Kubernetes makes for a service called `waybill…`, and those that the build and tests of waybill use. */
const KNOWN_FORMS =
  /^WAYBILL_(((\w+_)?(SERVICE_HOST|SERVICE_PORT|PORT))(_\w*)?|TEST_\w+|EXECUTABLE|ENTRY|VERSION)$/;

/** The unknown variables that are set. A variable from which a profile reads a secret is known. */
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

/**
 * The unknown variables, each with the one for address or credentials that may be meant: `WAYBILL_API_URL (did you mean
 * WAYBILL_BASE_URL?)`.
 */
export const unknownNamed = (env: Host['env'], config: Pick<Config, 'profiles'>): string[] =>
  unknownVariables(env, config).map(name => `${name}${didYouMean(name, CREDENTIAL_VARIABLES)}`);

/** The known variable that differs in a few letters, or that ends with the name: `MAX_PRICE` or `MAXPRICE` means `POLICY_MAX_PRICE`. */
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

/** An unknown name, and the known one that is probably meant. */
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

/** May the unknown variable have been meant to prevent a booking? */
const isGrave = (variable: UnknownName): boolean =>
  !OF_OTHERS.test(variable.name) && (variable.meant !== undefined || SAFETY.test(variable.name));

/** The settings of the profile that no version of waybill wrote. Each may have been meant to prevent a booking. */
function settingsIn(config: Config, profileName: string | undefined): UnknownName[] {
  const profile = profileName === undefined ? undefined : findProfile(config, profileName);
  return unknownSettings(profile ?? {}).map(({ name, known }) => unknownName(name, nearest(name, known)));
}

/** Would a command book something with these options? `command`: as it is typed. */
function books(command: string, options: Readonly<Record<string, unknown>>): boolean {
  return !options.dryRun && options.plan === undefined && !options.unprinted && mayBook(command) === true;
}

/** One warning for all unknown variables, and one for all unknown settings. */
interface Unknown {
  variables: Notice | undefined;
  settings: Notice | undefined;
  /** Would the command book something while an unknown variable sounds like a limit? */
  isAboutMoney: boolean;
}

/**
 * The warnings about unknown names in the environment and in the profile `name`. Throws `usage` if the command would book something and one
 * of these names may have been meant to prevent that.
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

/** The unknown names that are set, each with the known one that is probably meant. `profileName`: the profile in force. */
export const unknownNamesIn = (env: Host['env'], config: Config, profileName: string | undefined) => ({
  variables: variablesIn(env, config),
  settings: settingsIn(config, profileName),
});

/** Throws `usage` if the profile `name` has unknown settings, for a config that was changed while a command is booking. */
export const refuseUnknownSettings = (config: Config, name: string | undefined): void =>
  refuseUnknownNames([], settingsIn(config, name), name);

function refuseUnknownNames(variables: UnknownName[], settings: UnknownName[], profile = ''): void {
  if (variables.length > 0 || settings.length > 0)
    throw new Failure('usage', { kind: 'unknown-names-refused', variables, settings, profile });
}
