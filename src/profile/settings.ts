// What a profile may say: its settings, and the limits that it sets.
import { isAbsolute } from 'node:path';
import Big from 'big.js';
import { category, deliveryType, type } from '../contract/goods.ts';
import { parsePath } from '../contract/paths.ts';
import { boundIn, DELIVERED, type Money, moneyIn } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { FORMAT_NAMES } from '../formats.ts';
import type { Host } from '../host.ts';
import { setting } from './environment.ts';
import { commandWords, isHeaderName, isOurs } from './secrets.ts';
import type { Profile } from './store.ts';
import { checkAccount, holdsPassword, parseAddress, parseJournalAddress } from './target.ts';

/** A key that `profile set NAME KEY=VALUE` accepts. */
interface Setting {
  description: string;
  /** Parses a value; throws `usage`. Parties are parsed by the command, because they are files. */
  read(value: string, key: string): unknown;
}

const text = (description: string): Setting => ({ description, read: value => value });

/** A text that must pass a check; `what` describes one that passes. */
const checked = (description: string, isAllowed: (value: string) => unknown, what: string): Setting => ({
  description,
  read(value, key) {
    if (isAllowed(value)) return value;
    throw new Failure('usage', `${key} must be ${what}, not ${JSON.stringify(value)}`);
  },
});

const choice = (description: string, values: readonly string[]): Setting =>
  checked(
    `${description} (${values.join(', ')})`,
    value => values.includes(value),
    `one of ${values.join(', ')}`,
  );

const flag = (about: string): Setting => {
  const { description, read } = choice(about, ['true', 'false']);
  return { description, read: (value, key) => read(value, key) === 'true' };
};

/** Values that are separated by commas. */
const list = (description: string): Setting => ({
  description: `${description}; separated by commas`,
  read: value =>
    value
      .split(',')
      .map(one => one.trim())
      .filter(one => one !== ''),
});

const address = (description: string): Setting => ({
  description,
  read: (value, key) => parseAddress(value, key).href.replace(/\/+$/, ''),
});

/** Amounts as `readLimits` reads them. */
const amounts = (description: string): Setting => ({
  description: `${description}, such as 500EUR,300USD; other currencies are refused`,
  read: (value, key) =>
    amountsIn(value, key)
      .map(({ amount, currency }) => amount + currency)
      .join(','),
});

/** Headers of every request that an id would replace. */
const TAKEN = ['accept', 'accept-encoding', 'authorization', 'user-agent'];
const isFreeHeader = (name: string) =>
  isHeaderName(name) && !isOurs(name) && !TAKEN.includes(name.toLowerCase());

const PATH = 'a path such as data.token';
// `profile set` and the flags make it absolute, because commands run in any folder.
const FILE = 'an absolute path';

export const SETTINGS = {
  baseUrl: address('address of the service'),
  sandboxBaseUrl: address('address of its sandbox'),
  account: {
    description: 'name of the account; separates the keys of two accounts at one address',
    read(value: string) {
      const account = value.trim();
      checkAccount(account, 'account');
      return account;
    },
  },
  sandbox: flag('use the sandbox by default'),
  caCert: checked(
    'file with the certificate of an authority that is trusted in addition to the usual ones (PEM)',
    isAbsolute,
    FILE,
  ),
  clientCert: checked(
    'file with the certificate of this client, for a service that requires one (PEM)',
    isAbsolute,
    FILE,
  ),
  clientKey: checked('file with the key of that certificate (default: the same file)', isAbsolute, FILE),
  authHeader: checked('header for the token (default: authorization)', isHeaderName, 'the name of a header'),
  authScheme: text('word before the token (default: Bearer; none: the bare token)'),
  requestIdHeader: checked(
    'header that gets an id of its own in each request, such as X-Request-Id; --log has it, too',
    isFreeHeader,
    'the name of a header that has no other use',
  ),
  tokenField: checked(
    'path of the token in the answer of --token-url (default: the usual names, such as access_token)',
    parsePath,
    PATH,
  ),
  expiryField: checked(
    'path of its lifetime in seconds, or of its end as a date (default: expires_in)',
    parsePath,
    PATH,
  ),
  output: choice('output format', FORMAT_NAMES),
  economyCarriers: list('ids of the economy carrier, which needs IOSS and marketplace numbers'),
  endMilestones: list(
    'milestones at which a journey ends, for `track --active` (default: delivered), such as delivered,returned',
  ),
  journal: {
    description: 'address of a shared journal, such as postgres://waybill@db.example.com/waybill',
    read(value: string, key: string) {
      if (parseJournalAddress(value, key).password !== '') throw holdsPassword(key);
      return value;
    },
  },
  journalPasswordCommand: {
    description: 'program that prints the password of that journal, such as `pass show waybill-journal`',
    read: (value: string) => commandWords(value, 'journalPasswordCommand'),
  },
  printCommand: text('command that prints a label file (default: lp)'),
  'policy.maxPrice': amounts('limit: the price of one order'),
  'policy.maxPerDay': amounts('limit: what is booked in 24 hours together'),
  'policy.requireKey': flag('limit: nothing is booked without --key'),
  'policy.resolve': choice('limit: bookings are settled only at a terminal', ['terminal']),
  'policy.allowDuplicate': choice('limit: the same is booked twice only at a terminal', ['terminal']),
  'policy.production': choice('limit: production is booked only at a terminal', ['terminal']),
  currency: text('currency of customs'),
  type: choice('what is shipped', Object.keys(type._zod.def.entries)),
  category: choice('why it is shipped', Object.keys(category._zod.def.entries)),
  deliveryType: choice('who pays duties', Object.keys(deliveryType._zod.def.entries)),
  carrier: text('--carrier of each shipment: an id, cheapest or fastest'),
  maxPrice: checked(
    '--max-price of each shipment, such as 60EUR',
    value => boundIn(value) !== undefined,
    'an amount above 0 with a currency such as 60EUR',
  ),
  maxDays: checked('--max-days of each shipment', value => /^\d{1,4}$/.test(value), 'a whole number'),
  map: text('--map of each batch'),
  label: {
    description: '--label of each shipment (yes, no)',
    read(value: string, key: string) {
      const word = ['yes', 'true', 'no', 'false'].indexOf(value.toLowerCase());
      if (word >= 0) return word < 2;
      throw new Failure('usage', `${key} must be yes or no, not ${JSON.stringify(value)}`);
    },
  },
  merge: text('--merge of each batch, and of `label` with several shipments'),
} satisfies Record<string, Setting>;

/** Settings that are fields of a request. */
export const FIELD_SETTINGS = [
  'currency',
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
  'merge',
] as const satisfies (keyof typeof SETTINGS)[];
export type OptionSetting = (typeof OPTION_SETTINGS)[number];

/** What is not checked while no setting names the economy carrier. `command`: sets one. */
export const economyNote = (command: string): string =>
  `economyCarriers is not set. Name the carrier that needs IOSS and marketplace numbers, so that they are checked before anything is sent: \`${command}\``;

/** The milestones at which a journey ends: as the profile says, else what the service document shows. */
export const endMilestonesOf = ({ endMilestones = [] }: Profile): readonly string[] =>
  endMilestones.length > 0 ? endMilestones : [DELIVERED];

export type SettingName = keyof typeof SETTINGS;

/** Settings whose value is a path. */
export const FILE_SETTINGS = ['caCert', 'clientCert', 'clientKey'] as const satisfies readonly SettingName[];

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** The profile with `key` set to the parsed `value`. Throws `usage`. */
export function withSetting(profile: Profile, key: SettingName, value: string): Profile {
  // Only for this one an empty value has a meaning; for all others it removes the setting.
  const isRemoved = value === '' && key !== 'authScheme';
  const read = isRemoved ? undefined : SETTINGS[key].read(value, key);
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
  const strictest = (saved: string | undefined, name: string, variable: string) => {
    const given = setting(env, variable);
    const ofProfile = saved === undefined ? undefined : amountsIn(saved, `${name} of the profile`);
    const ours = given === undefined ? undefined : amountsIn(given, `the environment variable ${variable}`);
    if (ofProfile === undefined || ours === undefined) return ofProfile ?? ours;
    // The lesser amount of each currency; one that only one of them names has no room in the other one.
    return ofProfile.flatMap(({ amount, currency }) => {
      const same = ours.find(money => money.currency === currency);
      return same ? { amount: new Big(same.amount).lt(amount) ? same.amount : amount, currency } : [];
    });
  };
  const required = setting(env, 'WAYBILL_POLICY_REQUIRE_KEY') !== undefined;
  return {
    maxPrice: strictest(policy.maxPrice, 'policy.maxPrice', 'WAYBILL_POLICY_MAX_PRICE'),
    maxPerDay: strictest(policy.maxPerDay, 'policy.maxPerDay', 'WAYBILL_POLICY_MAX_PER_DAY'),
    requireKey: required || policy.requireKey === true,
    refused: new Set(isAtTerminal ? [] : RESERVABLE.filter(name => policy[name] !== undefined)),
  };
}

/** No amount is larger, so that sums of them can be counted. */
const LARGEST = 1e11;

/** `500EUR,300USD`: an amount of each currency. Throws `usage`. */
export function amountsIn(written: string, where: string): Money[] {
  const refuse = (why: string) =>
    new Failure('usage', `${where} is ${JSON.stringify(written)}, and ${why}; nothing was sent or saved`);
  const amounts = written.split(',').map(one => {
    const amount = moneyIn(one);
    if (amount === undefined)
      throw refuse('must be amounts with their currencies, such as 20EUR or 500EUR,300USD');
    if (new Big(amount.amount).gt(LARGEST)) throw refuse(`no amount may be above ${LARGEST}`);
    return amount;
  });
  const names = amounts.map(({ currency }) => currency);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has ${twice} twice`);
  return amounts;
}

const RESERVED_WORDS: Readonly<Record<Reservable, string>> = {
  resolve: 'what was booked is settled',
  allowDuplicate: 'the same is booked twice',
  production: 'production is booked',
};

/** Throws `usage` if the profile keeps it for a terminal and there is none. `command`: as it is typed. */
export function refuseReserved({ refused }: Limits, reserved: Reservable, command: string): void {
  if (refused.has(reserved))
    throw new Failure(
      'usage',
      `${command}: the profile says policy.${reserved}=terminal: ${RESERVED_WORDS[reserved]} only by a person at a terminal, and this is none; nothing was sent or changed`,
    );
}
