// What a profile may say: its settings, and the limits that it sets.
import { isAbsolute } from 'node:path';
import Big from 'big.js';
import { parsePath } from '../contract/paths.ts';
import { boundIn, type DayLimit, DELIVERED, type Money, moneyIn } from '../contract/read.ts';
import { category, deliveryType, type } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { FORMAT_NAMES } from '../text.ts';
import { isOn, setting } from './environment.ts';
import { commandWords, isHeaderName, isOwnHeader } from './secrets.ts';
import type { Profile } from './store.ts';
import { checkAccount, holdsPassword, LOSSLESS, parseAddress, parseJournalAddress } from './target.ts';

/** A key that `profile set NAME KEY=VALUE` accepts. */
interface Setting {
  description: string;
  /** All that it may be. */
  values?: readonly string[];
  /** Else a check of the text, and what passes it. */
  isAllowed?(value: string): unknown;
  what?: string;
  /** What is kept; else the text. Throws `usage`. Parties are parsed by the command, because they are files. */
  read?(value: string, key: string): unknown;
}

const FLAG = { values: ['true', 'false'], read: (value: string) => value === 'true' };
const TERMINAL = { values: ['terminal'] };
const HEADER = { isAllowed: isHeaderName, what: 'the name of a header' };
const PATH = { isAllowed: parsePath, what: 'a path such as data.token' };
// `profile set` and the flags make it absolute, because commands run in any folder.
const FILE = { isAllowed: isAbsolute, what: 'an absolute path' };
const ADDRESS = {
  read: (value: string, key: string) => parseAddress(value, key).href.replace(/\/+$/, ''),
};
const LIST = {
  read: (value: string) =>
    value
      .split(',')
      .map(one => one.trim())
      .filter(one => one !== ''),
};
const AMOUNTS = {
  read: (value: string, key: string) =>
    amountsIn(value, key)
      .map(({ amount, currency }) => amount + currency)
      .join(','),
};

/** Ids with the names that a shop has for them. */
const NAMES = {
  ...LIST,
  isAllowed: (value: string) => value.split(',').every(one => /^[^=]*[^=\s][^=]*=.*\S/.test(one)),
  what: 'ids with names, such as EXP=DHL,ECO=UPS',
};

/** Headers of every request that an id would replace. */
const TAKEN = ['accept', 'accept-encoding', 'authorization', 'user-agent'];

export const SETTINGS = {
  baseUrl: { description: 'address of the service', ...ADDRESS },
  sandboxBaseUrl: { description: 'address of its sandbox', ...ADDRESS },
  account: {
    description: 'name of the account, which has its own keys',
    read(value) {
      const account = value.trim();
      checkAccount(account, 'account');
      return account;
    },
  },
  sandbox: { description: 'use the sandbox by default', ...FLAG },
  caCert: {
    description: 'further trusted authority (PEM file)',
    ...FILE,
  },
  clientCert: {
    description: 'certificate of this client (PEM file)',
    ...FILE,
  },
  clientKey: { description: 'its key (default: in the same file)', ...FILE },
  authHeader: { description: 'header for the token (default: authorization)', ...HEADER },
  authScheme: { description: 'word before the token (default: Bearer; or none)' },
  requestIdHeader: {
    description: 'header for a request id, such as X-Request-Id',
    isAllowed: name => isHeaderName(name) && !isOwnHeader(name) && !TAKEN.includes(name.toLowerCase()),
    what: 'a header without another use',
  },
  tokenField: {
    description: 'path of the token in the answer of --token-url (default: usual names)',
    ...PATH,
  },
  expiryField: {
    description: 'path of its lifetime in seconds, or its end (default: expires_in)',
    ...PATH,
  },
  output: { description: 'output format', values: FORMAT_NAMES },
  economyCarriers: {
    description: 'economy carriers (ids with commas), which need IOSS and marketplace numbers',
    ...LIST,
  },
  endMilestones: {
    description: 'milestones that end a journey, for `track --active` (default: delivered)',
    ...LIST,
  },
  journal: {
    description: 'address of a shared journal, such as postgres://waybill@db.example.com/waybill',
    read(value, key) {
      if (parseJournalAddress(value, key).password !== '') throw holdsPassword(key);
      return value;
    },
  },
  journalPasswordCommand: {
    description: 'program that prints its password, such as `pass show db`',
    read: commandWords,
  },
  journalFailover: {
    description: 'a standby that takes over loses nothing; else a person says so each time',
    values: [LOSSLESS],
  },
  printCommand: { description: 'command that prints a label file (default: lp)' },
  'policy.maxPrice': {
    description: 'limit: price of one order, such as 500EUR,300USD; no other currency',
    ...AMOUNTS,
  },
  'policy.maxPerDay': {
    description: 'limit: price of all orders in 24 hours; no other currency',
    ...AMOUNTS,
  },
  'policy.requireKey': { description: 'limit: nothing is booked without --key', ...FLAG },
  'policy.resolve': { description: 'limit: bookings are resolved only at a terminal', ...TERMINAL },
  'policy.allowDuplicate': { description: 'limit: the same is booked twice only at a terminal', ...TERMINAL },
  'policy.production': { description: 'limit: production is booked only at a terminal', ...TERMINAL },
  currency: { description: 'currency of customs' },
  iossNumber: {
    description: 'IOSS number of orders to the EU, up to iossLimit',
    isAllowed: value => /^IM\d{10}$/.test(value),
    what: 'IM and ten digits, such as IM0123456789',
  },
  iossLimit: {
    description: 'largest value of goods with iossNumber (default: 150EUR)',
    ...AMOUNTS,
  },
  marketplaceNumber: {
    description: 'marketplace number of orders to Great Britain, up to marketplaceLimit',
  },
  marketplaceLimit: {
    description: 'largest value of goods with marketplaceNumber (default: 135GBP)',
    ...AMOUNTS,
  },
  type: { description: 'what is shipped', values: Object.keys(type._zod.def.entries) },
  category: { description: 'why it is shipped', values: Object.keys(category._zod.def.entries) },
  deliveryType: { description: 'who pays duties', values: Object.keys(deliveryType._zod.def.entries) },
  carrier: { description: '--carrier of each shipment: an id, cheapest or fastest' },
  maxPrice: {
    description: '--max-price of each shipment, such as 60EUR',
    isAllowed: value => boundIn(value) !== undefined,
    what: 'an amount above 0 with a currency, such as 60EUR',
  },
  maxDays: {
    description: '--max-days of each shipment',
    isAllowed: value => /^\d{1,4}$/.test(value),
    what: 'a whole number',
  },
  amazonCarriers: { description: 'how Amazon spells each carrier, such as EXP=DHL,ECO=UPS', ...NAMES },
  woocommerceCarriers: {
    description: 'how WooCommerce spells each carrier, such as EXP=dhl,ECO=ups',
    ...NAMES,
  },
  woocommerceDate: {
    description: 'how WooCommerce writes a date',
    values: ['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY', 'DD-MM-YYYY'],
  },
  map: { description: '--map of each batch' },
  label: {
    description: '--label of each shipment (yes, no)',
    isAllowed: value => /^(yes|no|true|false)$/i.test(value),
    what: 'yes or no',
    read: value => /^(yes|true)$/i.test(value),
  },
} satisfies Record<string, Setting>;

/** What it is, and what it may be. */
export function settingWords(name: SettingName): string {
  const { description, values }: Setting = SETTINGS[name];
  return values ? `${description} (${values.join(', ')})` : description;
}

/** Its value as it is kept. `key`: what gave it. Throws `usage`. */
export function readSetting(name: SettingName, value: string, key: string = name): unknown {
  const { values, isAllowed, what, read }: Setting = SETTINGS[name];
  const isGood = values ? values.includes(value) : !isAllowed || isAllowed(value);
  if (isGood) return read ? read(value, key) : value;
  const rule = values ? `one of ${values.join(', ')}` : what;
  throw new Failure('usage', { kind: 'value-not-allowed', where: key, value, allowed: rule ?? '' });
}

/** Settings that give fields of a request, or say when. */
export const FIELD_SETTINGS = [
  'currency',
  'iossNumber',
  'iossLimit',
  'marketplaceNumber',
  'marketplaceLimit',
  'type',
  'category',
  'deliveryType',
] as const satisfies (keyof typeof SETTINGS)[];

/** Settings that are options of commands, by their names in code. */
export const OPTION_SETTINGS = [
  'carrier',
  'maxPrice',
  'maxDays',
  'map',
  'label',
] as const satisfies (keyof typeof SETTINGS)[];
export type OptionSetting = (typeof OPTION_SETTINGS)[number];

/** What is not checked while no setting names the economy carrier. `command`: sets one. */
export const economyNote = (command: string): string =>
  `IOSS and marketplace numbers are not checked until you name the carrier that needs them: \`${command}\``;

/** The milestones at which a journey ends: as the profile says, else what the service document shows. */
export const endMilestonesOf = ({ endMilestones = [] }: Profile): readonly string[] =>
  endMilestones.length > 0 ? endMilestones : [DELIVERED];

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Settings whose value is a path. */
export const FILE_SETTINGS = ['caCert', 'clientCert', 'clientKey'] as const satisfies readonly SettingName[];

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** The profile with `key` set to the parsed `value`. Throws `usage`. */
export function withSetting(profile: Profile, key: SettingName, value: string): Profile {
  // Only for this one an empty value has a meaning; for all others it removes the setting.
  const isRemoved = value === '' && key !== 'authScheme';
  const read = isRemoved ? undefined : readSetting(key, value);
  // `maxPrice` of `policy.maxPrice`.
  const limit = /^policy\.(.*)$/.exec(key)?.[1];
  if (limit === undefined) return withValue(profile, key, read);
  const policy = withValue(profile.policy ?? {}, limit, read);
  return withValue(profile, 'policy', Object.keys(policy).length > 0 ? policy : undefined);
}

function withValue<T extends object>(all: T, key: string, value: unknown): T {
  const { [key as keyof T]: _, ...rest } = all;
  return (value === undefined ? rest : { ...rest, [key]: value }) as T;
}

// The limits of a profile and of the environment. Of several the strictest counts, and no flag loosens one.

/** What a profile may keep for a person at a terminal. */
const RESERVABLE = ['resolve', 'allowDuplicate', 'production'] as const;
type Reservable = (typeof RESERVABLE)[number];

export interface Limits {
  /** Of one order, and of all orders of 24 hours: no more than this, and no other currency. `undefined`: as much as one likes. */
  maxPrice: readonly Money[] | undefined;
  maxPerDay: readonly Money[] | undefined;
  /** Each limit of a day by itself, because other bookings count against it. */
  perDay: readonly DayLimit[];
  requireKey: boolean;
  /** What is refused here, because the profile keeps it for a terminal. */
  refused: ReadonlySet<Reservable>;
}

/** The limits that are in force. Throws `usage` if one cannot be read: then nothing is booked. */
export function readLimits(
  env: Host['env'],
  { policy = {} }: Pick<Profile, 'policy'>,
  isAtTerminal: boolean,
): Limits {
  const limitsOf = (saved: string | undefined, name: string, variable: string) => {
    const given = setting(env, variable);
    return {
      ofProfile: saved === undefined ? undefined : amountsIn(saved, `${name} of the profile`),
      ofEnvironment:
        given === undefined ? undefined : amountsIn(given, `the environment variable ${variable}`),
    };
  };
  const price = limitsOf(policy.maxPrice, 'policy.maxPrice', 'WAYBILL_POLICY_MAX_PRICE');
  const day = limitsOf(policy.maxPerDay, 'policy.maxPerDay', 'WAYBILL_POLICY_MAX_PER_DAY');
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

/** The lesser of two limits in each currency; a currency that only one of the two names has no room. */
function strictest(one: Money[] | undefined, other: Money[] | undefined): Money[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.flatMap(({ amount, currency }) => {
    const same = other.find(money => money.currency === currency);
    return same ? { amount: new Big(same.amount).lt(amount) ? same.amount : amount, currency } : [];
  });
}

/** No amount is larger, so that sums of them can be counted. */
const LARGEST = 1e11;

/** `500EUR,300USD`: an amount of each currency. Throws `usage`. */
export function amountsIn(written: string, where: string): Money[] {
  const refused = { where, value: written };
  const amounts = written.split(',').map(one => {
    const amount = moneyIn(one);
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

/** Throws `usage` if the profile keeps it for a terminal and there is none. `command`: as it is typed. */
export function refuseReserved({ refused }: Limits, reserved: Reservable, command: string): void {
  if (refused.has(reserved)) throw new Failure('usage', { kind: 'kept-for-terminal', command, reserved });
}
