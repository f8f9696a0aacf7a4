// The settings of a profile: `profile set`, and the file that `profile export` prints and `profile add -f` reads.
import type { Command } from 'commander';
import { PARTIES, type PartyRole } from '../../contract/parties.ts';
import { isRecord } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { didYouMean } from '../../nearest.ts';
import { parsePackage } from '../../order/options.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { FILE_SETTINGS, isSetting, SETTINGS, withSetting } from '../../profile/settings.ts';
import {
  changeConfig,
  findProfile,
  findSaved,
  type Profile,
  profileOrDemo,
  refuseBadName,
  type StoredCredentials,
} from '../../profile/store.ts';
import { type Act, addPage, SILENT } from '../../session/command.ts';
import { readObject } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { type Change, type CredentialOptions, credentialChange, credentialOptions } from './credentials.ts';

export function define(command: Command, act: Act): void {
  credentialOptions(command.argument('[key=value...]', 'settings; an empty value removes one')).action(
    act<CredentialOptions>(set),
  );
  addPage(command, {
    examples: [
      '# Set defaults for each request.',
      'waybill profile set demo currency=EUR type=package category=sales',
      '# Set options of each shipment and batch; --no-max-price and the like leave one out.',
      'waybill profile set demo maxPrice=900EUR maxDays=9',
      'waybill profile set demo maxPrice= maxDays=',
      '# An empty value removes a setting.',
      'waybill profile set demo category=',
    ],
    output: SILENT,
    notes: {
      Settings: [
        ...Object.entries(SETTINGS).map(([name, { description }]) => [name, description] as const),
        [PARTIES.join(', '), 'a JSON file, or @name of a saved party'],
      ],
    },
  });
}

async function set(
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
  // Applied to the newest state: two runs that set different things must not undo each other.
  let replaced: string | undefined;
  await changeConfig(host, current => {
    const before = findProfile(current, name) ?? {};
    const changed = changes.reduce((profile, change) => change(profile), before);
    replaced = replacedCredentials(before, changed);
    return { ...current, profiles: { ...current.profiles, [name]: changed } };
  });
  await printer.note(
    `profile ${name} saved${replaced === undefined ? '' : `. It no longer sends ${replaced}`}`,
  );
}

/** The credentials of before and those of now, if they are others; another token in the place of one needs no words. */
function replacedCredentials(
  { credentials: before }: Profile,
  { credentials: after }: Profile,
): string | undefined {
  const words = before && savedWords(before);
  const now = after && savedWords(after);
  return words !== undefined && now !== undefined && now !== words ? `${words}, but ${now}` : undefined;
}

const savedWords = (stored: StoredCredentials): string =>
  stored.kind === 'token'
    ? describeCredentials(stored).replace('a token', 'the saved token')
    : describeCredentials(stored);

/** What `KEY=VALUE` does to a profile. An `@name` is one of the parties that `saved` has. Throws `usage`. */
async function pairChange(
  saved: { name: string; profile: Profile },
  pair: string,
  host: Host,
): Promise<Change> {
  const at = pair.indexOf('=');
  if (at < 1) throw new Failure('usage', `${JSON.stringify(pair)} is not of the form KEY=VALUE`);
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  // The map of a shop that is built in is a word.
  const isMap = key === 'map' && /[./\\]/.test(value);
  const isFile = (FILE_SETTINGS.some(name => name === key) || isMap) && value !== '';
  if (isSetting(key)) return profile => withSetting(profile, key, isFile ? absolutePath(value, host) : value);
  if (!isPartyRole(key)) throw unknownSetting(key);
  if (value === '') return ({ [key]: _removed, ...rest }) => rest;
  const party = value.startsWith('@')
    ? findSaved(saved, 'parties', value.slice(1), `${key}: `)
    : await readObject(value, host, 'nothing was saved');
  return profile => ({ ...profile, [key]: party });
}

/** The profile in a file, without its credentials. Its values are checked like settings on a command line. */
export function parseProfile(given: Record<string, unknown>): Profile {
  let profile: Profile = {};
  for (const [key, value] of Object.entries(given))
    if (isSetting(key)) profile = withSetting(profile, key, settingText(key, value));
    else if (isPartyRole(key)) profile = { ...profile, [key]: record(key, value) };
    else if (key === 'parties') profile = { ...profile, parties: partiesIn(value) };
    else if (key === 'parcels') profile = { ...profile, parcels: parcelsIn(value) };
    else if (key === 'policy') profile = withPolicy(profile, value);
    else if (key !== 'credentials') throw unknownSetting(key);
  return profile;
}

function withPolicy(profile: Profile, value: unknown): Profile {
  let changed = profile;
  for (const [name, limit] of Object.entries(record('policy', value))) {
    const key = `policy.${name}`;
    if (!isSetting(key)) throw unknownSetting(key);
    changed = withSetting(changed, key, settingText(key, limit));
  }
  return changed;
}

const isPartyRole = (key: string): key is PartyRole => PARTIES.some(role => role === key);

function unknownSetting(key: string): Failure {
  const names: readonly string[] = [...Object.keys(SETTINGS), ...PARTIES];
  return new Failure(
    'usage',
    `a profile has no setting ${JSON.stringify(key)}${didYouMean(key, names)}; it has ${names.join(', ')}`,
  );
}

function settingText(key: string, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.every(one => typeof one === 'string' || typeof one === 'boolean')) return values.join(',');
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

function parcelsIn(value: unknown): Record<string, string> {
  const parcels = record('parcels', value);
  for (const [name, spec] of Object.entries(parcels)) {
    refuseBadName(name, 'a parcel');
    if (typeof spec !== 'string')
      throw new Failure('usage', `parcels.${name} must be text, not ${JSON.stringify(spec)}`);
    parsePackage(spec, `parcels.${name}:`);
  }
  return parcels as Record<string, string>;
}
