// Environment variables with misspelt names.

import { typedName } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { nearest } from '../nearest.ts';
import { setting } from '../profile/environment.ts';

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
  'ACCESSIBLE ACTOR CACERT CONFIG_DIR DEBUG ECONOMY_CARRIERS ENTRY JOURNAL LOG OUTPUT PROFILE REQUEST_ID_HEADER REQUIRE_JOURNAL RETRIES RUN SANDBOX STATE_DIR TIMEOUT VERSION';
const KNOWN = [...CREDENTIAL_VARIABLES, ...OTHERS.split(' ').map(name => `WAYBILL_${name}`)];

const unknownIn = (env: Host['env']): string[] =>
  Object.keys(env).filter(
    name => /^way?bil/i.test(name) && !KNOWN.includes(name) && setting(env, name) !== undefined,
  );

/** The variables that are probably misspelt: `WAYBILL_URL (did you mean WAYBILL_BASE_URL?)`. */
export const misspeltVariables = (env: Host['env']): string[] =>
  unknownIn(env).flatMap(name => {
    const guess = nearest(name, CREDENTIAL_VARIABLES) ?? alike(name);
    return guess === undefined ? [] : [`${name} (did you mean ${guess}?)`];
  });

/** One letter of three, so that WAYBILL_BIN of a script is not taken for WAYBILL_RUN. */
const mostWrong = (name: string): number => Math.floor((name.length - 'WAYBILL_'.length) / 3);

/**
 * A warning for each that is all but a known one. `command`: as it is typed. Throws `usage` where it would book:
 * WAYBILL_SANBOX would book at production.
 */
export function variableWarnings(
  env: Host['env'],
  command: string,
  { dryRun = false, strict = false }: { dryRun?: boolean; strict?: boolean | undefined },
): string[] {
  const slips = slipsIn(env);
  const name = command.replace(/^waybill (batch )?/, '');
  const books = !dryRun && Object.values(OPERATIONS).some(one => one.books && typedName(one) === name);
  if (slips.length === 0 || !(books || strict)) return slips;
  const cause = books ? '. Correct its name, or unset it' : ', because --strict makes an error of it';
  throw new Failure('usage', `${slips.join('; ')}; nothing was sent${cause}`);
}

const slipsIn = (env: Host['env']): string[] =>
  unknownIn(env).flatMap(name => {
    const meant = nearest(name, KNOWN, mostWrong(name));
    return meant === undefined
      ? []
      : [`the variable ${name} is set, but it is unknown and has no effect (did you mean ${meant}?)`];
  });

/** The one whose last word is in the name: `WAYBILL_API_URL` is meant as `WAYBILL_BASE_URL`. */
const alike = (name: string): string | undefined => {
  const words = name.toUpperCase().split('_');
  return CREDENTIAL_VARIABLES.find(known => words.includes(known.split('_').at(-1) ?? ''));
};

/** The same as a sentence for the end of an error; empty if there are none. */
export function misspeltHint(env: Host['env']): string {
  const strange = misspeltVariables(env);
  return strange.length === 0 ? '' : `. These variables are set, but unknown: ${strange.join(', ')}`;
}
