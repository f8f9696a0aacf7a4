// The settings and the credentials of a profile: `profile set`, and the file that `profile export` prints and `profile add -f` reads.
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../contract/paths.ts';
import { PARTIES, type PartyRole } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { didYouMean } from '../../nearest.ts';
import { parsePackage, repeatedHeader } from '../../order/options.ts';
import {
  describeCredentials,
  parseSource,
  programWords,
  readSecret,
  schemeFault,
  spelledCommand,
  warningAboutSource,
  withAbsoluteProgram,
} from '../../profile/secrets.ts';
import { settingWords, withSetting, withSettingValue } from '../../profile/settings.ts';
import {
  changeConfig,
  findSaved,
  headerSources,
  type Profile,
  profileOrDemo,
  refuseBadName,
  type SecretSource,
  type StoredCredentials,
  unknownSettings,
} from '../../profile/store.ts';
import { isSetting, kindOfSetting, SETTING_NAMES, SETTINGS, type SettingName } from '../../profile/table.ts';
import { refuseOneAddress, tokenUrl } from '../../profile/target.ts';
import { flag as flagWord, say } from '../../say/sentence.ts';
import { declare, operand, SILENT } from '../../session/command.ts';
import { readObject } from '../../session/files.ts';
import { flag, grouped, type OptionsOf } from '../../session/flags.ts';
import { REPEATED } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { confirmMove, placesLeft } from './change-of-place.ts';

/** How a profile gets its credentials: the flags of `add` and `set`. */
export const CREDENTIAL_FLAGS = grouped('Credentials:', {
  tokenStdin: flag('--token-stdin', 'read the token from stdin'),
  tokenCommand: flag(
    '--token-command <cmd>',
    'a program that prints the token, such as `pass show waybill`; run for each command, without a shell, for 10 s at most',
  ),
  tokenUrl: flag(
    '--token-url <url>',
    'fetch the token by POST from this path of the service, or from a whole https: URL, with --client-header; it is kept until it expires',
  ),
  clientHeader: flag(
    '--client-header <name=source>',
    'a header for --token-url: @env:VARIABLE, @FILE or @- (stdin); repeatable',
    REPEATED,
  ),
  clientCert: flag('--client-cert <file>', SETTINGS.clientCert.help),
  clientKey: flag('--client-key <file>', SETTINGS.clientKey.help),
  authHeader: flag('--auth-header <name>', SETTINGS.authHeader.help),
  authScheme: flag('--auth-scheme <word>', SETTINGS.authScheme.help),
  header: flag(
    '--header <name=source>',
    'a header with an API key, alone or beside a token: @env:VARIABLE, @FILE or @- (stdin); repeatable',
    REPEATED,
  ),
});

type CredentialOptions = OptionsOf<typeof CREDENTIAL_FLAGS>;

export const command = declare({
  examples: [
    '# Set defaults for each request.',
    'waybill profile set demo currency=EUR type=package category=sales',
    '# An empty value removes a setting.',
    'waybill profile set demo category=',
  ],
  output: SILENT,
  notes: {
    Settings: [
      ...SETTING_NAMES.map(name => [name, settingWords(name)] as const),
      [PARTIES.join(', '), 'a JSON file, or @name of a saved party'],
    ],
    'What was booked': `Keys and limits belong to the address, the account and the journal. Of a profile that has booked a change of one of these is asked about; where nobody can be asked it needs --yes.`,
  },
  operands: [
    operand('<profile>', 'its name'),
    operand('[key=value...]', 'settings; an empty value removes one'),
  ],
  flags: CREDENTIAL_FLAGS,
  run: setSettings,
});

const NOTHING_SAVED = 'Nothing was saved';

async function setSettings(
  session: Session,
  options: CredentialOptions,
  name: string,
  pairs: string[],
): Promise<void> {
  const { host, printer } = session;
  const saved = { name, profile: profileOrDemo(session, name) };
  if (pairs.length === 0 && Object.keys(options).length === 0)
    throw new Failure(
      'usage',
      `there is nothing to set. Give settings, such as \`waybill profile set ${name} currency=EUR\``,
    );
  const changes: Change[] = [];
  for (const pair of pairs) changes.push(await pairChange(saved, pair, host));
  changes.push(await credentialChange(options, session));
  const changed = (profile: Profile) => {
    const after = changes.reduce((before, change) => change(before), profile);
    refuseOneAddress(after.baseUrl, after.sandboxBaseUrl, { change: 'input' });
    return after;
  };
  await confirmMove(session, 'profile set', name, saved.profile, changed(saved.profile));
  // The changes are applied to the newest config: two runs that set different things must not undo each other.
  let replaced: string | undefined;
  await changeConfig(host, current => {
    // Another command may have removed the profile meanwhile.
    const before = profileOrDemo({ config: current }, name);
    const after = changed(before);
    // The person was asked about the profile as it was, and another command may have changed it since.
    if (!isDeepStrictEqual(placesLeft(before, after), placesLeft(saved.profile, changed(saved.profile))))
      throw new Failure('usage', `another command has changed the profile ${name} meanwhile`, {
        hint: `${NOTHING_SAVED}. Type it again`,
      });
    replaced = replacedCredentials(before, after);
    return { ...current, profiles: { ...current.profiles, [name]: after } };
  });
  await printer.note(
    `profile ${name} saved${replaced === undefined ? '' : `. It no longer sends ${replaced}`}`,
  );
}

/** Words for the old credentials and the new ones, if their kind changes; a token that replaces a token needs no words. */
function replacedCredentials(before: Profile, after: Profile): string | undefined {
  const words = before.credentials && savedWords(before.credentials);
  const now = after.credentials && savedWords(after.credentials);
  return words !== undefined && now !== undefined && now !== words ? `${words}, but ${now}` : undefined;
}

const savedWords = (stored: StoredCredentials): string =>
  stored.kind === 'token'
    ? describeCredentials(stored).replace('a token', 'the saved token')
    : describeCredentials(stored);

/** The change that `KEY=VALUE` makes in a profile. A value `@name` names a party of `saved`. Throws `usage`. */
async function pairChange(
  saved: { name: string; profile: Profile },
  pair: string,
  host: Host,
): Promise<Change> {
  const at = pair.indexOf('=');
  if (at < 1) throw new Failure('usage', `${JSON.stringify(pair)} is not of the form KEY=VALUE`);
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  const kind = kindOfSetting(key);
  // A word names a built-in map of a shop, a path any other map.
  const isFile = kind === 'file' || (kind === 'map' && /[./\\]/.test(value));
  if (isSetting(key)) {
    const kept = isFile && value !== '' ? absolutePath(value, host) : runAnywhere(key, value, host);
    return profile => withSetting(profile, key, kept);
  }
  if (!isPartyRole(key)) {
    // A setting with an unknown name may have been written into the file by hand: an empty value removes the setting.
    const isThere = unknownSettings(saved.profile).some(({ name }) => name === key);
    if (isThere && value === '') return profile => withSettingValue(profile, key, undefined);
    throw unknownSetting(key);
  }
  if (value === '') return profile => withSettingValue(profile, key, undefined);
  const party = value.startsWith('@')
    ? findSaved(saved, 'parties', value.slice(1), `${key}: `)
    : await readObject(value, host);
  return profile => withSettingValue(profile, key, party);
}

/** The value of a setting; a command gets the absolute path of its program, so that it runs in any folder. Throws `usage`. */
function runAnywhere(key: SettingName, value: string, host: Pick<Host, 'cwd'>): string {
  const kind = value === '' ? undefined : kindOfSetting(key);
  if (kind === 'program') return spelledCommand(withAbsoluteProgram(programWords(value, key), host));
  if (kind !== 'print-command') return value;
  const [program = '', ...rest] = withAbsoluteProgram(value.trim().split(/\s+/), host);
  if (!/\s/.test(program)) return [program, ...rest].join(' ');
  throw new Failure('usage', `${key} is split at blanks, and ${program} has some`, {
    hint: 'Name a program whose path has none',
  });
}

/** The profile in a file, without its credentials. Its values are checked like settings on a command line. */
export function parseProfile(written: Record<string, unknown>, host: Pick<Host, 'cwd'>): Profile {
  const { policy = {}, ...rest } = written;
  const limits = Object.entries(record('policy', policy)).map(([name, limit]) => [`policy.${name}`, limit]);
  let profile: Profile = {};
  for (const [key, value] of Object.entries({ ...rest, ...Object.fromEntries(limits) }))
    if (isSetting(key)) profile = withSetting(profile, key, runAnywhere(key, settingText(key, value), host));
    else if (isPartyRole(key)) profile = withSettingValue(profile, key, record(key, value));
    else if (key === 'parties') profile = { ...profile, parties: partiesIn(value) };
    else if (key === 'parcels') profile = { ...profile, parcels: parcelSpecsIn(value) };
    else if (key !== 'credentials') throw unknownSetting(key);
  return profile;
}

const isPartyRole = (key: string): key is PartyRole => PARTIES.some(role => role === key);

function unknownSetting(key: string): Failure {
  const names: readonly string[] = [...SETTING_NAMES, ...PARTIES];
  return new Failure(
    'usage',
    `a profile has no setting ${JSON.stringify(key)}${didYouMean(key, names)}; it has ${names.join(', ')}`,
  );
}

function settingText(key: SettingName, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const isProgram = kindOfSetting(key) === 'program' && Array.isArray(value);
  if (values.every(item => typeof item === 'string' || typeof item === 'boolean'))
    return isProgram ? spelledCommand(values.map(String)) : values.join(',');
  throw new Failure('usage', `${key} must be text, not ${JSON.stringify(value)}`);
}

function record(key: string, value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new Failure('usage', `${key} must be an object, not ${JSON.stringify(value)}`);
}

function partiesIn(value: unknown): Record<string, unknown> {
  const parties = record('parties', value);
  for (const [name, party] of Object.entries(parties)) record(`parties.${name}`, party);
  return parties;
}

function parcelSpecsIn(value: unknown): Record<string, string> {
  const parcels = record('parcels', value);
  for (const [name, spec] of Object.entries(parcels)) {
    refuseBadName(name, 'a parcel');
    if (typeof spec !== 'string')
      throw new Failure('usage', `parcels.${name} must be text, not ${JSON.stringify(spec)}`);
    parsePackage(spec, `parcels.${name}:`);
  }
  return parcels as Record<string, string>;
}

// What the credential flags do.

type Change = (profile: Profile) => Profile;

/** The change that the credential flags make in a profile. Reads stdin if a flag says so. Throws `usage`. */
export async function credentialChange(options: CredentialOptions, session: Session): Promise<Change> {
  const { host, globals, printer } = session;
  refuseMixture(options);
  const credentials = await readCredentials(options, host);
  // Without --client-key, the key is in the file of the certificate.
  const keyFile = options.clientKey ?? options.clientCert;
  const ofKey = keyFile === undefined ? [] : [{ file: absolutePath(keyFile, host) }];
  for (const source of [...(credentials ? headerSources(credentials) : []), ...ofKey]) {
    const warning = warningAboutSource(source, host);
    if (warning !== undefined && globals.strict)
      throw new Failure('usage', warning, {
        hint: say`With ${flagWord('--strict')} that is an error. Nothing was saved`,
      });
    if (warning !== undefined) await printer.warn(warning);
  }
  return profile => {
    const changed = withFlags(profile, options, host);
    if (credentials?.kind === 'url') refuseBadUrl(credentials.url, changed);
    const fault = credentials?.kind === 'token' && schemeFault(credentials.token, changed.authScheme);
    if (fault) throw new Failure('usage', fault, { hint: say`Nothing was saved` });
    if (credentials && 'also' in credentials) refuseOtherToken(credentials.also, changed);
    return credentials ? { ...changed, credentials } : changed;
  };
}

/** The profile with the settings that flags give; paths of files are made absolute. Throws `usage`. */
export function withFlags(profile: Profile, options: CredentialOptions, host: Host): Profile {
  const typed: Readonly<Record<string, unknown>> = options;
  let changed = profile;
  for (const name of SETTING_NAMES) {
    const value = typed[name];
    if (typeof value !== 'string') continue;
    changed = withSetting(changed, name, kindOfSetting(name) === 'file' ? absolutePath(value, host) : value);
  }
  return changed;
}

/** Do the options read stdin? Then a person cannot be asked there. */
export function readsStdin(options: CredentialOptions): boolean {
  const { tokenStdin, header = [], clientHeader = [] } = options;
  return tokenStdin === true || [...header, ...clientHeader].some(spec => spec.endsWith('=@-'));
}

function refuseMixture(options: CredentialOptions): void {
  const { tokenStdin, tokenCommand, tokenUrl: url, clientHeader } = options;
  const ways = { '--token-stdin': tokenStdin, '--token-command': tokenCommand, '--token-url': url };
  const flags = Object.entries(ways).flatMap(([flag, given]) => (given === undefined ? [] : flag));
  const refuse = (why: string) => new Failure('usage', why);
  if (flags.length > 1)
    throw refuse(
      `${flags.join(' and ')} give ${flags.length} tokens, but one is sent. Give only one of them`,
    );
  if (url !== undefined && clientHeader === undefined)
    throw refuse(
      '--token-url needs at least one --client-header NAME=SOURCE, which proves who asks for a token',
    );
  if (url === undefined && clientHeader !== undefined)
    throw refuse('--client-header needs --token-url PATH. A header for every request is --header');
}

async function readCredentials(
  options: CredentialOptions,
  host: Host,
): Promise<StoredCredentials | undefined> {
  const { tokenStdin, tokenCommand, tokenUrl: url, header, clientHeader = [] } = options;
  const headers = header && (await parseHeaders(header, '--header', host));
  const also = headers ? { also: headers } : {};
  if (tokenStdin) return { kind: 'token', token: (await readSecret(host)).trim(), ...also };
  if (tokenCommand !== undefined)
    return { kind: 'command', command: withAbsoluteProgram(programWords(tokenCommand), host), ...also };
  if (url !== undefined)
    return { kind: 'url', url, headers: await parseHeaders(clientHeader, '--client-header', host), ...also };
  return headers && { kind: 'headers', headers };
}

async function parseHeaders(
  specs: readonly string[],
  option: string,
  host: Host,
): Promise<Record<string, SecretSource>> {
  const sources: [string, SecretSource][] = [];
  for (const spec of specs) sources.push(await parseSource(spec, host, option));
  const twice = repeatedHeader(sources);
  if (twice !== undefined)
    throw new Failure('usage', `${option} gives the header ${twice} twice. A header has one value`);
  return Object.fromEntries(sources);
}

/** Throws `usage` if --header gives the header that carries the token: only one of the two values could be sent. */
function refuseOtherToken(otherHeaders: Record<string, SecretSource> = {}, profile: Profile): void {
  const { authHeader = 'authorization' } = profile;
  const taken = Object.keys(otherHeaders).find(name => name.toLowerCase() === authHeader.toLowerCase());
  if (taken !== undefined)
    throw new Failure(
      'usage',
      `--header gives the header ${taken}, which carries the token. Give it another name`,
    );
}

/** Throws `usage` if a token may not be fetched from this URL, beside an address of the profile. */
function refuseBadUrl(url: string, profile: Profile): void {
  for (const base of [profile.baseUrl, profile.sandboxBaseUrl])
    if (base !== undefined) tokenUrl(url, new URL(base));
}
