import type { Command } from 'commander';
import { PARTIES, type PartyRole } from '../../contract/parties.ts';
import { isRecord } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { optionWords } from '../../orders/same-command.ts';
import { refuseBadName, takenFault } from '../../profile/names.ts';
import { isSetting, SETTINGS, withSetting } from '../../profile/settings.ts';
import { type Config, changeConfig, type Profile } from '../../profile/store.ts';
import { parsePackage } from '../../request/specs.ts';
import type { Act } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { type CredentialOptions, credentialChange, credentialOptions, readsStdin } from './credentials.ts';
import { unknownKey } from './edit.ts';
import { askedFor } from './form.ts';
import { lacks, type Named, type Sheet, whole } from './steps.ts';

interface AddOptions extends CredentialOptions {
  baseUrl?: string;
  sandboxBaseUrl?: string;
  account?: string;
  file?: string;
}

export function defineAdd(command: Command, act: Act): void {
  credentialOptions(
    command
      .argument('[name]', 'its name')
      .optionsGroup('Profile:')
      .option('--base-url <url>', SETTINGS.baseUrl.description)
      .option('--sandbox-base-url <url>', SETTINGS.sandboxBaseUrl.description)
      .option('--account <id>', SETTINGS.account.description)
      .option('-f, --file <path>', 'start from what `profile export` printed; - is stdin'),
  ).action(act<AddOptions>(add));
}

async function add(session: Session, options: AddOptions, name?: string): Promise<void> {
  const takesStdin = readsStdin(options);
  if (takesStdin && options.file === '-')
    throw new Failure(
      'usage',
      'stdin is wanted for the profile (-f -) and for a secret; give one of them by a file',
    );
  const given = await read(session, options, name);
  const mayAsk = session.interactive && !takesStdin && options.file !== '-';
  if (!mayAsk) whole(given);
  const change = await credentialChange(options, session);
  const begun = { ...given, profile: change(given.profile) };
  const asks = mayAsk && lacks(begun);
  const made = asks ? await askedFor(session, begun) : whole(begun);
  await save(session, made);
  if (asks) await session.printer.note(`without questions: ${sameCommand(options, made)}`);
}

/** What the command line gives, but for credentials. Throws `usage`. */
async function read({ config, host }: Session, options: AddOptions, name?: string): Promise<Sheet> {
  if (name !== undefined) {
    refuseTaken(config, name);
    refuseBadName(name, 'a profile');
  }
  let profile = options.file === undefined ? {} : readProfile(await readObject(options.file, host));
  for (const key of ['baseUrl', 'sandboxBaseUrl', 'account'] as const)
    if (options[key] !== undefined) profile = withSetting(profile, key, options[key]);
  return { name, profile };
}

async function save({ host, config, printer }: Session, { name, profile }: Named): Promise<void> {
  await changeConfig(host, current => {
    refuseTaken(current, name);
    return { current: current.current ?? name, profiles: { ...current.profiles, [name]: profile } };
  });
  await printer.note(
    `profile ${name} saved${config.current === undefined ? ', and used from now on' : `; \`waybill profile use ${name}\` makes it the current one`}`,
  );
  if (profile.credentials === undefined)
    await printer.note(
      `it has no credentials yet; \`waybill profile set ${name} --token-stdin\` reads a token`,
    );
}

function refuseTaken(config: Config, name: string): void {
  const fault = takenFault(config, name);
  if (fault) throw new Failure('usage', fault);
}

/** A token is named as a file: it does not belong on a command line. */
function sameCommand(options: AddOptions, { name, profile }: Named): string {
  const { baseUrl, sandboxBaseUrl, credentials } = profile;
  const given = Object.entries({ ...options, baseUrl, sandboxBaseUrl });
  return [
    `waybill profile add ${shellWord(name)}`,
    ...given.flatMap(([option, value]) => optionWords(option, value)),
    ...(credentials?.kind === 'token' ? ['--token-stdin < token.txt'] : []),
  ].join(' ');
}

/** What `profile export` prints, checked like settings that are typed. */
function readProfile(given: Record<string, unknown>): Profile {
  let profile: Profile = {};
  for (const [key, value] of Object.entries(given))
    if (isSetting(key)) profile = withSetting(profile, key, settingText(key, value));
    else if (key === 'parties' || PARTIES.includes(key as PartyRole))
      profile = { ...profile, [key]: partiesIn(key, value) };
    else if (key === 'parcels') profile = { ...profile, parcels: parcelsIn(value) };
    else if (key !== 'credentials') throw unknownKey(key);
  return profile;
}

function settingText(key: string, value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.every(one => typeof one === 'string' || typeof one === 'boolean')) return values.join(',');
  throw new Failure('usage', `${key} must be text, not ${JSON.stringify(value)}`);
}

function partiesIn(key: string, value: unknown): Record<string, unknown> {
  if (isRecord(value) && (key !== 'parties' || Object.values(value).every(isRecord))) return value;
  throw new Failure('usage', `${key} must be ${key === 'parties' ? 'an object of objects' : 'an object'}`);
}

function parcelsIn(value: unknown): Record<string, string> {
  if (!isRecord(value)) throw new Failure('usage', 'parcels must be an object');
  const parcels = Object.entries(value).map(([name, spec]): [string, string] => {
    refuseBadName(name, 'a parcel');
    if (typeof spec !== 'string')
      throw new Failure('usage', `parcels.${name} must be text, not ${JSON.stringify(spec)}`);
    parsePackage(spec, `parcels.${name}:`);
    return [name, spec];
  });
  return Object.fromEntries(parcels);
}
