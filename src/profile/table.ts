// Every setting, declared once: the variable and the setting of a profile that count where no flag is typed. The reading of the
// environment, `profile set`, the config file, completion and the lists of known names are all made from these rows.
import { FORMAT_NAMES } from '../text.ts';

export interface Setting {
  /** The variable that gives the setting. */
  variable?: string;
  /** The part of address and credentials that the variable gives. Such variables are never mixed with the values of a profile. */
  access?: 'address' | 'token' | 'header';
  /** The help of `profile set`; missing if a profile does not have the setting. */
  help?: string;
  /** How the text is checked and kept (`src/profile/settings.ts`); if missing, any text is allowed. */
  kind?: string;
  /**
   * Instead of a kind: all values that are allowed, or `form`, a pattern and its words. For a field of a request, the contract has the
   * values.
   */
  values?: readonly string[];
  form?: readonly [pattern: RegExp, words: string];
  /** What the setting of a profile gives to each request: the option of the same name, or a field or its condition. */
  gives?: 'option' | 'field';
}

/** The settings, in the order of `profile set --help`. */
export const SETTINGS = {
  baseUrl: {
    variable: 'WAYBILL_BASE_URL',
    access: 'address',
    help: 'address of the service',
    kind: 'address',
  },
  sandboxBaseUrl: {
    variable: 'WAYBILL_SANDBOX_BASE_URL',
    access: 'address',
    help: 'address of its sandbox',
    kind: 'address',
  },
  token: { variable: 'WAYBILL_TOKEN', access: 'token' },
  tokenFile: { variable: 'WAYBILL_TOKEN_FILE', access: 'token' },
  profile: { variable: 'WAYBILL_PROFILE' },
  account: { help: 'name of the account, which has its own keys', kind: 'account' },
  sandbox: { variable: 'WAYBILL_SANDBOX', help: 'use the sandbox by default', kind: 'switch' },
  caCert: { variable: 'WAYBILL_CACERT', help: 'further trusted authority (PEM file)', kind: 'file' },
  clientCert: { help: 'certificate of this client (PEM file)', kind: 'file' },
  clientKey: { help: 'its key (default: in the same file)', kind: 'file' },
  authHeader: {
    variable: 'WAYBILL_AUTH_HEADER',
    access: 'header',
    help: 'header for the token (default: authorization)',
    kind: 'header',
  },
  authScheme: {
    variable: 'WAYBILL_AUTH_SCHEME',
    access: 'header',
    help: 'word before the token (default: Bearer; or none)',
  },
  requestIdHeader: {
    variable: 'WAYBILL_REQUEST_ID_HEADER',
    help: 'header for a request id, such as X-Request-Id',
    kind: 'request-header',
  },
  tokenField: { help: 'path of the token in the answer of --token-url (default: usual names)', kind: 'path' },
  expiryField: { help: 'path of its lifetime in seconds, or its end (default: expires_in)', kind: 'path' },
  timeout: { variable: 'WAYBILL_TIMEOUT' },
  retries: { variable: 'WAYBILL_RETRIES' },
  output: { variable: 'WAYBILL_OUTPUT', help: 'output format', values: FORMAT_NAMES },
  color: { variable: 'NO_COLOR' },
  accessible: { variable: 'WAYBILL_ACCESSIBLE' },
  input: { variable: 'CI' },
  verbose: { variable: 'WAYBILL_DEBUG' },
  log: { variable: 'WAYBILL_LOG' },
  run: { variable: 'WAYBILL_RUN' },
  actor: { variable: 'WAYBILL_ACTOR' },
  configFolder: { variable: 'WAYBILL_CONFIG_DIR' },
  stateFolder: { variable: 'WAYBILL_STATE_DIR' },
  stateDisk: { variable: 'WAYBILL_STATE_FS', values: ['trusted'] },
  economyCarriers: {
    variable: 'WAYBILL_ECONOMY_CARRIERS',
    help: 'economy carriers (ids with commas), which need IOSS and marketplace numbers',
    kind: 'list',
  },
  endMilestones: {
    help: 'milestones that end a journey, for `track --active` (default: delivered)',
    kind: 'list',
  },
  journal: {
    variable: 'WAYBILL_JOURNAL',
    help: 'address of a shared journal, such as postgres://waybill@db.example.com/waybill',
    kind: 'journal',
  },
  journalPasswordCommand: {
    help: 'program that prints its password, such as `pass show db`',
    kind: 'program',
  },
  journalFailover: {
    variable: 'WAYBILL_JOURNAL_FAILOVER',
    help: 'a standby that takes over loses nothing; else a person says so each time',
    values: ['lossless'],
  },
  requireJournal: { variable: 'WAYBILL_REQUIRE_JOURNAL' },
  printCommand: { help: 'command that prints a label file (default: lp)', kind: 'print-command' },
  labelPaper: {
    help: 'paper of each label that is printed or merged, such as 100x150mm, 4x6in or a6',
    kind: 'paper',
  },
  labelStamp: { help: 'line below each label; {key} and {receiver} are those of its order', kind: 'stamp' },
  'policy.maxPrice': {
    variable: 'WAYBILL_POLICY_MAX_PRICE',
    help: 'limit: price of one order, such as 500EUR,300USD; no other currency',
    kind: 'amounts',
  },
  'policy.maxPerDay': {
    variable: 'WAYBILL_POLICY_MAX_PER_DAY',
    help: 'limit: price of all orders in 24 hours; no other currency',
    kind: 'amounts',
  },
  'policy.requireKey': {
    variable: 'WAYBILL_POLICY_REQUIRE_KEY',
    help: 'limit: nothing is booked without --key',
    kind: 'switch',
  },
  'policy.resolve': { help: 'limit: bookings are resolved only at a terminal', kind: 'terminal' },
  'policy.allowDuplicate': { help: 'limit: the same is booked twice only at a terminal', kind: 'terminal' },
  'policy.production': { help: 'limit: production is booked only at a terminal', kind: 'terminal' },
  currency: { help: 'currency of customs', gives: 'field' },
  iossNumber: {
    help: 'IOSS number of orders to the EU, up to iossLimit',
    form: [/^IM\d{10}$/, 'IM and ten digits, such as IM0123456789'],
    gives: 'field',
  },
  iossLimit: {
    help: 'largest value of goods with iossNumber (default: 150EUR)',
    kind: 'amounts',
    gives: 'field',
  },
  marketplaceNumber: {
    help: 'marketplace number of orders to Great Britain, up to marketplaceLimit',
    gives: 'field',
  },
  marketplaceLimit: {
    help: 'largest value of goods with marketplaceNumber (default: 135GBP)',
    kind: 'amounts',
    gives: 'field',
  },
  type: { help: 'what is shipped', gives: 'field' },
  category: { help: 'why it is shipped', gives: 'field' },
  deliveryType: { help: 'who pays duties', gives: 'field' },
  carrier: { help: '--carrier of each shipment: an id, cheapest or fastest', gives: 'option' },
  maxPrice: { help: '--max-price of each shipment, such as 60EUR', kind: 'bound', gives: 'option' },
  maxDays: { help: '--max-days of each shipment', kind: 'count', gives: 'option' },
  amazonCarriers: { help: 'how Amazon spells each carrier, such as EXP=DHL,ECO=UPS', kind: 'names' },
  woocommerceCarriers: {
    help: 'how WooCommerce spells each carrier, such as EXP=dhl,ECO=ups',
    kind: 'names',
  },
  woocommerceDate: {
    help: 'how WooCommerce writes a date',
    values: ['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY', 'DD-MM-YYYY'],
  },
  rules: {
    help: '--rules of each shipment: a JSON file of rules that choose its carrier',
    kind: 'file',
    gives: 'option',
  },
  map: { help: '--map of each batch', kind: 'map', gives: 'option' },
  label: { help: '--label of each shipment (yes, no)', kind: 'yes-or-no', gives: 'option' },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof SETTINGS;
export type SettingKind = Extract<Table[keyof Table], { kind: string }>['kind'];

/** The names of the settings whose rows have the properties of `Facts`. */
type Having<Facts> = { [N in keyof Table]: Table[N] extends Facts ? N : never }[keyof Table];

/** Names in code: of the settings of a profile, of those that a variable gives, and of those that are options of commands. */
export type SettingName = Having<{ help: string }>;
export type VariableSetting = Having<{ variable: string }>;
export type OptionSetting = Having<{ gives: 'option' }>;
type TerminalSetting = Having<{ kind: 'terminal' }>;

/** A variable that waybill reads. */
export type Variable = Table[VariableSetting]['variable'];

const rows = Object.entries<Setting>(SETTINGS);
const settingNames = <N extends string>(isMeant: (row: Setting) => boolean) =>
  rows.flatMap(([name, row]) => (isMeant(row) ? [name as N] : []));
const variablesOf = (isMeant: (row: Setting) => boolean) =>
  rows.flatMap(([, row]) => (row.variable !== undefined && isMeant(row) ? [row.variable as Variable] : []));

export const SETTING_NAMES = settingNames<SettingName>(({ help }) => help !== undefined);
export const OPTION_SETTINGS = settingNames<OptionSetting>(({ gives }) => gives === 'option');
/** Settings that give a field of a request, or say when such a field is given. */
export const FIELD_SETTINGS = settingNames<Having<{ gives: 'field' }>>(({ gives }) => gives === 'field');
/** Actions that a profile may allow only to a person at a terminal. */
export const TERMINAL_SETTINGS = settingNames<TerminalSetting>(({ kind }) => kind === 'terminal');

export const isSetting = (name: string): name is SettingName => SETTING_NAMES.some(known => known === name);

/** The kind of the setting with that name, if there is one. */
export const kindOfSetting = (name: string): SettingKind | undefined =>
  isSetting(name) ? ((SETTINGS[name] as Setting).kind as SettingKind | undefined) : undefined;

export const ADDRESS_VARIABLES = variablesOf(({ access }) => access === 'address');
/** The variables of which one gives the token. */
export const TOKEN_VARIABLES = variablesOf(({ access }) => access === 'token');
/** The variables for addresses and credentials. */
export const CREDENTIAL_VARIABLES = variablesOf(({ access }) => access !== undefined);
export const VARIABLES = variablesOf(() => true);
