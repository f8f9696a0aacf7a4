// The options that every command takes, and how the texts of options and variables are read.
import { Command, InvalidArgumentError } from 'commander';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { PrintSettings } from '../output/print.ts';
import { type FolderHost, filled, isOn, setting } from '../profile/environment.ts';
import { type Config, findProfile, readConfig } from '../profile/store.ts';
import { SETTINGS, type Setting } from '../profile/table.ts';
import { messageOf } from '../system-errors.ts';
import { FORMAT_NAMES, type Format, numberOf } from '../text.ts';
import { type Flag, flag, type OptionsOf } from './flags.ts';

/** The values of a repeatable option: those before, and this one. */
const collectValues = (value: string, before: string[] = []): string[] => [...before, value];

/** Rules of a flag that may be typed several times. */
export const REPEATED = { read: collectValues, repeats: true } as const;

/** Makes a parser of numbers that throws an error that commander shows. */
const numberParser =
  (parse: (text: string) => number | undefined, isAllowed: (number: number) => boolean, rule: string) =>
  (value: string): number => {
    const number = parse(value);
    if (number === undefined || !isAllowed(number)) throw new InvalidArgumentError(`It must be ${rule}.`);
    return number;
  };

const whole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

export const positive = numberParser(numberOf, number => number > 0, 'a number above 0');
export const readAmount = numberParser(numberOf, number => number >= 0, 'a number, 0 or more');
export const count = numberParser(whole, () => true, 'a whole number, 0 or more');
export const atLeastOne = numberParser(whole, number => number > 0, 'a whole number, 1 or more');
/** The highest number of things that may go on at one time. */
const MOST_AT_ONCE = 256;
export const atOnce = numberParser(
  whole,
  number => number > 0 && number <= MOST_AT_ONCE,
  `a whole number, 1 or more and at most ${MOST_AT_ONCE}`,
);
export const port = numberParser(whole, number => number <= 65_535, 'a whole number, at most 65535');

/** Text that is not blank, as that of an unset variable would be. Throws an error that commander shows. */
export function someText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

/** In characters: the longest name that is recorded with a booking. */
export const LONGEST_NAME = 200;

/** A name as the journal records it. Throws an error that commander shows. */
export function recordedName(value: string): string {
  const name = value.trim();
  if (name === '') throw new InvalidArgumentError('It must not be empty.');
  if (/\p{Cc}/u.test(name)) throw new InvalidArgumentError('It must not hold control characters.');
  if ([...name].length > LONGEST_NAME)
    throw new InvalidArgumentError(`It must have at most ${LONGEST_NAME} characters.`);
  return name;
}

/** The flags that every command takes. */
export const GLOBAL_FLAGS = {
  profile: flag('--profile <profile>', 'which profile; else [WAYBILL_PROFILE], else the current one', {
    setting: 'profile',
  }),
  sandbox: flag('--sandbox', 'use the sandbox address [WAYBILL_SANDBOX=1]', {
    setting: 'sandbox',
    negative: 'use the production address, whatever environment and profile say',
  }),
  output: flag(
    '-o, --output <format>',
    'how the result is shown; else [WAYBILL_OUTPUT], else the profile, else table',
    { choices: FORMAT_NAMES, setting: 'output' },
  ),
  json: flag('--json', 'short for --output json'),
  query: flag('--query <expression>', 'JMESPath over the JSON result, as in the AWS CLI; implies JSON'),
  quiet: flag(
    '-q, --quiet',
    'only the essential value, one per line; no messages but errors, and warnings that guard money',
  ),
  input: flag('--no-input', 'never prompt [CI=true, or no terminal]', { setting: 'input' }),
  yes: flag('-y, --yes', 'answer yes to "Book this?"; never to a duplicate'),
  strict: flag('--strict', 'warnings are errors'),
  /** The time for an attempt, in seconds. */
  timeout: flag(
    '--timeout <time>',
    'for one attempt, such as 90 or 5m [WAYBILL_TIMEOUT, reads only] (default: 30, and 180 for a booking)',
    { read: parseLength, setting: 'timeout' },
  ),
  retries: flag('--retries <n>', 'further attempts where one is safe [WAYBILL_RETRIES] (default: 3)', {
    read: count,
    setting: 'retries',
  }),
  cacert: flag(
    '--cacert <file>',
    'trust the authority in this file, in addition to the usual ones [WAYBILL_CACERT]',
    { setting: 'caCert' },
  ),
  verbose: flag('--verbose', 'show the HTTP exchange on stderr, secrets masked [WAYBILL_DEBUG=1]', {
    setting: 'verbose',
  }),
  log: flag(
    '--log <file>',
    'append a JSON line for each request, booking and label to this file [WAYBILL_LOG]',
    { setting: 'log' },
  ),
  run: flag(
    '--run <name>',
    'recorded with each booking: which run this is [WAYBILL_RUN] (default: in CI the address of the job)',
    { read: recordedName, setting: 'run' },
  ),
  actor: flag(
    '--actor <name>',
    'recorded too: who runs it [WAYBILL_ACTOR] (default: that of CI, or user@host; of an agent with its name)',
    { read: recordedName, setting: 'actor' },
  ),
  color: flag('--no-color', 'no colours [NO_COLOR]', { setting: 'color' }),
};

/** The options that every command takes. */
export type Globals = OptionsOf<typeof GLOBAL_FLAGS>;

/** Does the command show the HTTP exchange, and for an internal error the place in the code? */
export const showsExchange = (globals: Pick<Globals, 'verbose'>, env: Host['env']): boolean =>
  globals.verbose === true || isOn(env, 'WAYBILL_DEBUG');

/** The variable that stands for a flag. */
export function variableOf(flag: Flag): string | undefined {
  const { variable }: Setting = flag.setting === undefined ? {} : SETTINGS[flag.setting];
  return variable;
}

/** The value of a flag, or else of its variable, which is read like the flag. Throws `usage` for a variable that cannot be read. */
export function flagOrVariable<K extends keyof Globals>(
  globals: Pick<Globals, K>,
  env: Host['env'],
  name: K,
): Globals[K] {
  const flag: Flag = GLOBAL_FLAGS[name];
  const { read, choices } = flag;
  const variable = variableOf(flag) ?? '';
  const text = filled(env[variable]);
  if (globals[name] !== undefined || text === undefined) return globals[name];
  try {
    if (choices && !choices.includes(text))
      throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
    return (read ? read(text) : text) as Globals[K];
  } catch (error) {
    throw new Failure('usage', {
      kind: 'variable-unreadable',
      variable,
      value: text,
      rule: messageOf(error),
    });
  }
}

/** The format that environment or profile prefer. A fault of the profile is left to the command that needs the profile. */
export function preferredFormat(
  globals: Pick<Globals, 'output' | 'json' | 'profile'>,
  env: Host['env'],
  config: Config,
): string | undefined {
  if (globals.output || globals.json) return undefined;
  const name = flagOrVariable(globals, env, 'profile') ?? config.current;
  const ofProfile = name === undefined ? undefined : findProfile(config, name)?.output;
  return flagOrVariable(globals, env, 'output') ?? ofProfile;
}

/** How to print: as the flags say, else in the format that environment or profile prefer. */
export function printSettings(globals: Partial<Globals>, preferred: string | undefined): PrintSettings {
  const flag = globals.output ?? (globals.json ? 'json' : undefined);
  const wish = isFormat(preferred) ? preferred : undefined;
  return {
    format: flag ?? wish ?? 'table',
    // A preference for tables does not apply to the result of a query.
    formatGiven: flag !== undefined || (wish !== undefined && wish !== 'table'),
    quiet: globals.quiet === true,
    strict: globals.strict === true,
    query: globals.query,
    color: globals.color,
  };
}

const isFormat = (value: string | undefined): value is Format =>
  FORMAT_NAMES.some(format => format === value);

/** How to print an error of the config, or of the command line, whose options are then not parsed. Never throws. */
export function guessedSettings(argv: readonly string[], host: FolderHost): PrintSettings {
  // Each value is optional here, because the faulty command line may lack a value.
  const flags = new Command().option('-h, --help');
  for (const { typed } of Object.values(GLOBAL_FLAGS)) flags.option(typed.replace(/<(.+)>/, '[$1]'));
  flags.parseOptions([...argv]);
  const { output, ...rest } = flags.opts<Globals & object>();
  const globals = isFormat(output) ? { output, ...rest } : rest;
  let preferred: string | undefined;
  try {
    preferred = preferredFormat(globals, host.env, readConfig(host));
  } catch {
    // A config that cannot be read is the error to print, or a later error than that one.
    preferred = setting(host.env, 'WAYBILL_OUTPUT');
  }
  return printSettings(globals, preferred);
}

/** A point in time: gives its ms since 1970, from the present time in ms since 1970. */
export type Moment = (now: number) => number;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A thousand years: longer times are no dates. */
const LONGEST_MS = 1000 * 365 * 86_400_000;

/** The ms of a length of time, `7d`, `12h`, or `90` in seconds; `undefined` for any other text. */
function durationOf(written: string): number | undefined {
  const [, digits = '', unit = 's'] = /^(\S*?)([smhdw])?$/.exec(written.trim()) ?? [];
  const number = numberOf(digits);
  return number === undefined || number < 0 ? undefined : number * (UNITS[unit] ?? 0);
}

/** Parses a length of time that is not 0; gives seconds. Throws an error that commander shows. */
export function parseLength(written: string): number {
  const ms = durationOf(written) ?? 0;
  if (ms <= 0 || ms > LONGEST_MS)
    throw new InvalidArgumentError('It must be a length of time above 0, such as 90, 90s, 5m, 2h or 7d.');
  return ms / 1000;
}

/** The ms since 1970 of a date. `Date.parse` alone takes 30 February for 2 March, and a day without a time for a day in UTC. */
function dateOf(written: string): number {
  const [, year, month, day] = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})/.exec(written)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return Date.parse(written);
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Number.NaN;
  const isDay = /^\s*[\d-]+\s*$/.test(written);
  return isDay ? new Date(year, month - 1, day).getTime() : Date.parse(written);
}

/** Words for days, and how many days ago each day is. */
const DAYS: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', 1],
]);

/** Parses a length of time before now, a day, or a date; 2026 is a year, not seconds. Throws an error that commander shows. */
export function parseMoment(written: string): Moment {
  const back = DAYS.get(written.trim().toLowerCase());
  if (back !== undefined)
    return now => {
      const day = new Date(now);
      return new Date(day.getFullYear(), day.getMonth(), day.getDate() - back).getTime();
    };
  const ms = /^\s*(19|20)\d\d(\d{4})?\s*$/.test(written) ? undefined : durationOf(written);
  if (ms !== undefined) return now => now - ms;
  // A year must come first: `Date.parse` would take `last 7` for a day of 2001.
  const at = /^\s*\d{4}-/.test(written) ? dateOf(written) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      'It must be a length of time such as 7d or 12h, today, yesterday, or a date such as 2026-03-02.',
    );
  return () => at;
}

/** Parses the end of a span of time like `parseMoment`; if the end is a day, the whole day counts. */
export function parseEnd(written: string): Moment {
  const parsed = parseMoment(written);
  if (!/^\s*(today|yesterday|\d{4}-\d{1,2}-\d{1,2})\s*$/i.test(written)) return parsed;
  return now => {
    const day = new Date(parsed(now));
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime() - 1;
  };
}
