// How the text of a setting is read, and the limits that the environment and a profile set.
import { isAbsolute } from 'node:path';
import Big from 'big.js';
import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { parsePath } from '../contract/paths.ts';
import { boundIn, type DayLimit, DELIVERED, type Money, moneyIn } from '../contract/read.ts';
import { type Field, fieldsOf } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isStamp, PAPER_RULE, paperIn, STAMP_RULE } from '../paper.ts';
import { isOn, setting } from './environment.ts';
import { isHeaderName, isOwnHeader, programWords } from './secrets.ts';
import type { Profile } from './store.ts';
import {
  kindOfSetting,
  type OptionSetting,
  SETTINGS,
  type Setting,
  type SettingKind,
  type SettingName,
  TERMINAL_SETTINGS,
  type VariableSetting,
} from './table.ts';
import { checkAccount, holdsPassword, parseAddress, parseJournalAddress } from './target.ts';

/** How the settings of one kind are read from text. */
interface Reading {
  /** All values that are allowed, if they are a list. */
  values?: readonly string[];
  /** For other settings, a check of the text; `rule` says in words which text passes it. */
  isAllowed?(text: string): unknown;
  rule?: string;
  /** Gives the value that is kept; without this, the text is kept. `where`: what gave the text. Throws `usage`. */
  read?(text: string, where: string): unknown;
}

/** Headers that every request has, and that a request id would replace. */
const TAKEN = ['accept', 'accept-encoding', 'authorization', 'user-agent'];

const listIn = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

const READINGS: Readonly<Record<SettingKind, Reading>> = {
  account: {
    read(text) {
      const account = text.trim();
      checkAccount(account, 'account');
      return account;
    },
  },
  address: { read: (text, where) => parseAddress(text, where).href.replace(/\/+$/, '') },
  amounts: {
    read: (text, where) =>
      amountsIn(text, where)
        .map(({ amount, currency }) => amount + currency)
        .join(','),
  },
  bound: {
    isAllowed: text => boundIn(text) !== undefined,
    rule: 'an amount above 0 with a currency, such as 60EUR',
  },
  count: { isAllowed: text => /^\d{1,4}$/.test(text), rule: 'a whole number' },
  // `profile set` and the flags make a path absolute, because commands run in any folder.
  file: { isAllowed: isAbsolute, rule: 'an absolute path' },
  header: { isAllowed: isHeaderName, rule: 'the name of a header' },
  journal: {
    read(text, where) {
      if (parseJournalAddress(text, where).password !== '') throw holdsPassword(where);
      return text;
    },
  },
  list: { read: listIn },
  names: {
    isAllowed: text => text.split(',').every(pair => /^[^=]*[^=\s][^=]*=.*\S/.test(pair)),
    rule: 'ids with names, such as EXP=DHL,ECO=UPS',
    read: listIn,
  },
  // The text is a word or the path of a file: `profile set` finds out which.
  map: {},
  paper: { isAllowed: paperIn, rule: PAPER_RULE },
  path: { isAllowed: parsePath, rule: 'a path such as data.token' },
  // The text is split at blanks only when the program runs.
  'print-command': {},
  program: { read: programWords },
  'request-header': {
    isAllowed: name => isHeaderName(name) && !isOwnHeader(name) && !TAKEN.includes(name.toLowerCase()),
    rule: 'a header without another use',
  },
  stamp: { isAllowed: isStamp, rule: STAMP_RULE },
  switch: { values: ['true', 'false'], read: text => text === 'true' },
  terminal: { values: ['terminal'] },
  'yes-or-no': {
    isAllowed: text => /^(yes|no|true|false)$/i.test(text),
    rule: 'yes or no',
    read: text => /^(yes|true)$/i.test(text),
  },
};

/** The field of a shipment to which the setting gives its value. */
export const fieldOfSetting = (name: string): Field | undefined =>
  fieldsOf(bodyOf(OPERATIONS.createShipment)).find(field => field.setting === name);

function readingOf(name: SettingName): Reading {
  const { values, form }: Setting = SETTINGS[name];
  const kind = kindOfSetting(name);
  if (kind !== undefined) return READINGS[kind];
  if (form !== undefined) return { isAllowed: text => form[0].test(text), rule: form[1] };
  const choices = values ?? Object.keys(fieldOfSetting(name)?.values ?? {});
  return choices.length > 0 ? { values: choices } : {};
}

/** The values that a setting may have; empty if they are no list. */
export const valuesOfSetting = (name: SettingName): readonly string[] => readingOf(name).values ?? [];

/** What a setting means, and which values it may have. */
export function settingWords(name: SettingName): string {
  const { help } = SETTINGS[name];
  const values = valuesOfSetting(name);
  return values.length > 0 ? `${help} (${values.join(', ')})` : help;
}

/** The value of a setting as it is kept. `where`: what gave it. Throws `usage`. */
export function readSetting(name: SettingName, text: string, where: string = name): unknown {
  const { values, isAllowed, rule = '', read } = readingOf(name);
  const isGood = values ? values.includes(text) : !isAllowed || isAllowed(text);
  if (isGood) return read ? read(text, where) : text;
  const allowed = values ? `one of ${values.join(', ')}` : rule;
  throw new Failure('usage', { kind: 'value-not-allowed', where, value: text, allowed });
}

/** The value that a saved setting gives to the option with its name. Throws `usage` for a bound that cannot be read. */
export function optionOfSetting(name: OptionSetting, saved: unknown): unknown {
  const kind = kindOfSetting(name);
  if (kind === 'count') return Number(saved);
  if (kind !== 'bound') return saved;
  // The setting may be older than the check of bounds: a bound that cannot be read must throw, and never be left out.
  return boundIn(String(readSetting(name, String(saved), `${name} of the profile`)));
}

/**
 * The value of a setting: that of its variable, else that of the profile. Throws `usage` if the variable has a value that is not allowed.
 */
export function settingInForce<N extends SettingName & VariableSetting & keyof Profile>(
  name: N,
  env: Host['env'],
  profile: Profile,
): Profile[N] {
  const { variable } = SETTINGS[name];
  const text = setting(env, variable);
  return text === undefined ? profile[name] : (readSetting(name, text, variable) as Profile[N]);
}

/** The note that says what is not checked while no setting names the economy carrier. `command`: the command that names it. */
export const economyNote = (command: string): string =>
  `IOSS and marketplace numbers are not checked until you name the carrier that needs them: \`${command}\``;

/** The milestones at which a journey ends: those of the profile, else the one that the service document shows. */
export const endMilestonesOf = ({ endMilestones = [] }: Profile): readonly string[] =>
  endMilestones.length > 0 ? endMilestones : [DELIVERED];

/** The profile with `key` set to the value that is read from the text `value`. Throws `usage`. */
export function withSetting(profile: Profile, key: SettingName, value: string): Profile {
  // Only `authScheme` may be empty; an empty value removes any other setting.
  const isRemoved = value === '' && key !== 'authScheme';
  return withSettingValue(profile, key, isRemoved ? undefined : readSetting(key, value));
}

/** The profile with a value for `key`, such as `policy.maxPrice`; `undefined` removes the key. */
export function withSettingValue(profile: Profile, key: string, value: unknown): Profile {
  const [, limit] = /^policy\.(.*)$/.exec(key) ?? [];
  if (limit === undefined) return replaced(profile, key, value);
  const policy = replaced(profile.policy ?? {}, limit, value);
  return replaced(profile, 'policy', Object.keys(policy).length > 0 ? policy : undefined);
}

function replaced<T extends object>(settings: T, key: string, value: unknown): T {
  const { [key as keyof T]: _, ...rest } = settings;
  return (value === undefined ? rest : { ...rest, [key]: value }) as T;
}

// The limits of a profile and of the environment. Of several limits the strictest counts, and no flag loosens a limit.

/** An action that a limit of the profile allows only to a person at a terminal: `resolve` for `policy.resolve`. */
type Reservable = (typeof TERMINAL_SETTINGS)[number] extends `policy.${infer Limit}` ? Limit : never;
export const RESERVABLE = TERMINAL_SETTINGS.map(name => name.replace('policy.', '') as Reservable);

export interface Limits {
  /** The most that one order, and that all orders of 24 hours, may cost; no other currency is allowed. `undefined`: no limit. */
  maxPrice: readonly Money[] | undefined;
  maxPerDay: readonly Money[] | undefined;
  /** Each limit of a day by itself, because each counts other bookings. */
  perDay: readonly DayLimit[];
  requireKey: boolean;
  /** The actions that are refused here, because the profile allows them only at a terminal. */
  refused: ReadonlySet<Reservable>;
}

/** The limits that are in force. Throws `usage` if a limit cannot be read: then nothing is booked. */
export function readLimits(
  env: Host['env'],
  profile: Pick<Profile, 'policy'>,
  isAtTerminal: boolean,
): Limits {
  const { policy = {} } = profile;
  const limitsOf = (limit: 'maxPrice' | 'maxPerDay') => {
    const { variable } = SETTINGS[`policy.${limit}`];
    const [saved, named] = [policy[limit], setting(env, variable)];
    return {
      ofProfile: saved === undefined ? undefined : amountsIn(saved, `policy.${limit} of the profile`),
      ofEnvironment:
        named === undefined ? undefined : amountsIn(named, `the environment variable ${variable}`),
    };
  };
  const [price, day] = [limitsOf('maxPrice'), limitsOf('maxPerDay')];
  const required = isOn(env, 'WAYBILL_POLICY_REQUIRE_KEY');
  return {
    maxPrice: strictest(price.ofProfile, price.ofEnvironment),
    maxPerDay: strictest(day.ofProfile, day.ofEnvironment),
    perDay: [
      ...(day.ofProfile ? [{ amounts: day.ofProfile, isOfProfile: true }] : []),
      ...(day.ofEnvironment ? [{ amounts: day.ofEnvironment, isOfProfile: false }] : []),
    ],
    requireKey: required || policy.requireKey === true,
    refused: new Set(isAtTerminal ? [] : RESERVABLE.filter(name => policy[name] !== undefined)),
  };
}

/** The lower of two limits in each currency. A currency that only one of them names is not allowed. */
function strictest(first: Money[] | undefined, second: Money[] | undefined): Money[] | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first.flatMap(({ amount, currency }) => {
    const same = second.find(money => money.currency === currency);
    return same ? { amount: new Big(same.amount).lt(amount) ? same.amount : amount, currency } : [];
  });
}

/** The largest amount of a limit: sums of such amounts can still be counted. */
const LARGEST = 1e11;

/** Reads `500EUR,300USD`: one amount for each currency. Throws `usage`. */
export function amountsIn(written: string, where: string): Money[] {
  const refused = { where, value: written };
  const amounts = written.split(',').map(text => {
    const amount = moneyIn(text);
    if (amount === undefined) throw new Failure('usage', { kind: 'amounts-unreadable', ...refused });
    if (new Big(amount.amount).gt(LARGEST))
      throw new Failure('usage', { kind: 'amount-too-large', ...refused, most: LARGEST });
    return amount;
  });
  const names = amounts.map(({ currency }) => currency);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Failure('usage', { kind: 'currency-twice', ...refused, currency: twice });
  return amounts;
}

/** Throws `usage` if the profile allows an action only at a terminal, and there is none. `command`: the command as it is typed. */
export function refuseReserved(limits: Limits, reserved: Reservable, command: string): void {
  if (limits.refused.has(reserved))
    throw new Failure('usage', { kind: 'kept-for-terminal', command, reserved });
}
