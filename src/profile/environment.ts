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

// Variables that begin with WAYBILL_ and that waybill does not read.

/** The variables for addresses and credentials. */
export const CREDENTIAL_VARIABLES = [
  'WAYBILL_BASE_URL',
  'WAYBILL_SANDBOX_BASE_URL',
  'WAYBILL_TOKEN',
  'WAYBILL_TOKEN_FILE',
  'WAYBILL_AUTH_HEADER',
  'WAYBILL_AUTH_SCHEME',
];

const OTHERS =
  'ACCESSIBLE ACTOR CACERT CONFIG_DIR DEBUG ECONOMY_CARRIERS ENTRY JOURNAL LOG OUTPUT POLICY_MAX_PER_DAY POLICY_MAX_PRICE POLICY_REQUIRE_KEY PROFILE REQUEST_ID_HEADER REQUIRE_JOURNAL RETRIES RUN SANDBOX STATE_DIR TIMEOUT VERSION';
const withoutPrefix = (name: string): string => name.slice('WAYBILL_'.length);
const KNOWN = [...CREDENTIAL_VARIABLES.map(withoutPrefix), ...OTHERS.split(' ')];

const unknownIn = (env: Host['env']): string[] =>
  Object.keys(env).filter(
    name =>
      /^waybill_/i.test(name) &&
      !(name.startsWith('WAYBILL_') && KNOWN.includes(withoutPrefix(name))) &&
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
    const meant = nearest(withoutPrefix(name), KNOWN);
    const guess = `(did you mean WAYBILL_${meant}?)`;
    return meant === undefined
      ? []
      : [`the variable ${name} is set, but it is unknown and has no effect ${guess}`];
  });
  const name = command.replace(/^waybill (batch )?/, '');
  const books = !dryRun && Object.values(OPERATIONS).some(one => one.books && typedName(one) === name);
  if (slips.length === 0 || !(books || strict)) return slips;
  const cause = books ? '. Correct its name, or unset it' : ', because --strict makes an error of it';
  throw new Failure('usage', `${slips.join('; ')}; nothing was sent${cause}`);
}
