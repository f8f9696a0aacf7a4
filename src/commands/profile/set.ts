import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { findProfile, profileOrDemo } from '../../profile/names.ts';
import { isSetting, withSetting } from '../../profile/settings.ts';
import { changeConfig, type Profile } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import { findSaved } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { type Change, type CredentialOptions, credentialChange, credentialOptions } from './credentials.ts';
import { isPartyRole, unknownSetting } from './profile-file.ts';

export function define(command: Command, act: Act): void {
  credentialOptions(command.argument('[key=value...]', 'settings; an empty value removes one')).action(
    act<CredentialOptions>(set),
  );
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
    throw new Failure('usage', `there is nothing to set. Try: waybill profile set ${name} currency=EUR`);
  const changes: Change[] = [];
  for (const pair of pairs) changes.push(await pairChange(saved, pair, host));
  changes.push(await credentialChange(options, session));
  // Applied to the newest state: two runs that set different things must not undo each other.
  await changeConfig(host, current => {
    const changed = changes.reduce((profile, change) => change(profile), findProfile(current, name) ?? {});
    return { ...current, profiles: { ...current.profiles, [name]: changed } };
  });
  await printer.note(`profile ${name} saved`);
}

/** What `KEY=VALUE` does to a profile. An `@name` is one of the parties that `saved` has. Throws `usage`. */
async function pairChange(
  saved: { name: string; profile: Profile },
  pair: string,
  host: Host,
): Promise<Change> {
  const at = pair.indexOf('=');
  if (at < 1) throw new Failure('usage', `${JSON.stringify(pair)} is not of the form KEY=VALUE`);
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (isSetting(key)) return profile => withSetting(profile, key, value);
  if (!isPartyRole(key)) throw unknownSetting(key);
  if (value === '') return ({ [key]: _removed, ...rest }) => rest;
  const party = value.startsWith('@')
    ? findSaved(saved, 'parties', value.slice(1), `${key}: `)
    : await readObject(value, host);
  return profile => ({ ...profile, [key]: party });
}
