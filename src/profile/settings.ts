import { isAbsolute } from 'node:path';
import { category, deliveryType, type } from '../contract/goods.ts';
import { parsePath } from '../contract/paths.ts';
import { boundIn, DELIVERED } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { FORMAT_NAMES } from '../formats.ts';
import { amountsIn } from './limits.ts';
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

const headerName = (description: string): Setting =>
  checked(description, isHeaderName, 'the name of a header');

/** Headers of every request that an id would replace. */
const TAKEN = ['accept', 'accept-encoding', 'authorization', 'user-agent'];

const freeHeader = (description: string): Setting =>
  checked(
    description,
    name => isHeaderName(name) && !isOurs(name) && !TAKEN.includes(name.toLowerCase()),
    'the name of a header that has no other use',
  );

const path = (description: string): Setting => checked(description, parsePath, 'a path such as data.token');

/** A path; `profile set` and the flags make it absolute, because commands run in any folder. */
const file = (description: string): Setting => checked(description, isAbsolute, 'an absolute path');

const flag = ({ description, read }: Setting): Setting => ({
  description,
  read: (value, key) => read(value, key) === 'true',
});

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

const isPrice = (value: string): boolean => boundIn(value) !== undefined;

/** Amounts as `readLimits` reads them. */
const amounts = (description: string): Setting => ({
  description: `${description}, such as 500EUR,300USD; other currencies are refused`,
  read: (value, key) =>
    amountsIn(value, key)
      .map(({ amount, currency }) => amount + currency)
      .join(','),
});

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
  sandbox: flag(choice('use the sandbox by default', ['true', 'false'])),
  caCert: file(
    'file with the certificate of an authority that is trusted in addition to the usual ones (PEM)',
  ),
  clientCert: file('file with the certificate of this client, for a service that requires one (PEM)'),
  clientKey: file('file with the key of that certificate (default: the same file)'),
  authHeader: headerName('header for the token (default: authorization)'),
  authScheme: text('word before the token (default: Bearer; none: the bare token)'),
  requestIdHeader: freeHeader(
    'header that gets an id of its own in each request, such as X-Request-Id; --log has it, too',
  ),
  tokenField: path(
    'path of the token in the answer of --token-url (default: the usual names, such as access_token)',
  ),
  expiryField: path('path of its lifetime in seconds, or of its end as a date (default: expires_in)'),
  output: choice('output format', FORMAT_NAMES),
  economyCarriers: list('ids of the economy carrier, which needs IOSS and marketplace numbers'),
  endMilestones: list(
    'milestones at which a journey ends, for `track --active` (default: delivered), such as delivered,returned',
  ),
  journal: {
    description: 'address of a shared journal, such as postgres://waybill@db.example.com/waybill',
    read: readJournal,
  },
  journalPasswordCommand: {
    description: 'program that prints the password of that journal, such as `pass show waybill-journal`',
    read: (value: string) => commandWords(value, 'journalPasswordCommand'),
  },
  printCommand: text('command that prints a label file (default: lp)'),
  'policy.maxPrice': amounts('limit: the price of one order'),
  'policy.maxPerDay': amounts('limit: what is booked in 24 hours together'),
  'policy.requireKey': flag(choice('limit: nothing is booked without --key', ['true', 'false'])),
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
    isPrice,
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
  `economyCarriers is not set. Name the carrier that needs IOSS and marketplace numbers, and they are checked before anything is sent: \`${command}\``;

/** The milestones at which a journey ends: as the profile says, else what the service document shows. */
export const endMilestonesOf = ({ endMilestones = [] }: Profile): readonly string[] =>
  endMilestones.length > 0 ? endMilestones : [DELIVERED];

export type SettingName = keyof typeof SETTINGS;

/** Settings whose value is a path. */
export const FILE_SETTINGS = ['caCert', 'clientCert', 'clientKey'] as const satisfies readonly SettingName[];

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

// Only for this one an empty value has a meaning; for all others it removes the setting.
const MAY_BE_EMPTY: readonly SettingName[] = ['authScheme'];

/** The profile with `key` set to the parsed `value`. Throws `usage`. */
export function withSetting(profile: Profile, key: SettingName, value: string): Profile {
  const isRemoved = value === '' && !MAY_BE_EMPTY.includes(key);
  const read = isRemoved ? undefined : SETTINGS[key].read(value, key);
  const limit = limitNamed(key);
  if (limit === undefined) return withValue(profile, key, read);
  const policy = withValue(profile.policy ?? {}, limit, read);
  return withValue(profile, 'policy', Object.keys(policy).length > 0 ? policy : undefined);
}

/** `maxPrice` of `policy.maxPrice`. */
const limitNamed = (key: string): string | undefined => /^policy\.(.*)$/.exec(key)?.[1];

function withValue<T extends object>(all: T, key: string, value: unknown): T {
  const { [key as keyof T]: _, ...rest } = all;
  return (value === undefined ? rest : { ...rest, [key]: value }) as T;
}

function readJournal(value: string, key: string): string {
  if (parseJournalAddress(value, key).password !== '') throw holdsPassword(key);
  return value;
}
