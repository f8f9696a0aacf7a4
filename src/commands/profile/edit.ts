import type { Command } from 'commander';
import { PARTIES, type PartyRole } from '../../contract/parties.ts';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { nearest } from '../../nearest.ts';
import { maskProfile } from '../../profile/mask.ts';
import { findProfile, profileOrDemo } from '../../profile/names.ts';
import { isSetting, SETTINGS, withSetting } from '../../profile/settings.ts';
import { changeConfig, type Profile } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import { readObject } from '../../session/input-files.ts';
import { findSaved } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { type Change, type CredentialOptions, credentialChange, credentialOptions } from './credentials.ts';

export function defineSet(command: Command, act: Act): void {
  credentialOptions(
    command
      .argument('<name>', 'its name')
      .argument('[key=value...]', 'settings; an empty value takes one away'),
  ).action(act<CredentialOptions>(set));
}

async function set(
  session: Session,
  options: CredentialOptions,
  name: string,
  pairs: string[],
): Promise<void> {
  const { host, printer } = session;
  const before = profileOrDemo(session, name);
  if (pairs.length === 0 && Object.keys(options).length === 0)
    throw new Failure('usage', `nothing to set; try: waybill profile set ${name} currency=EUR`);
  const changes: Change[] = [];
  for (const pair of pairs) changes.push(await pairChange(name, before, pair, host));
  changes.push(await credentialChange(options, session));
  // Made on what is there by then: two that set different things must not undo each other.
  await changeConfig(host, current => {
    const changed = changes.reduce((made, change) => change(made), findProfile(current, name) ?? {});
    return { ...current, profiles: { ...current.profiles, [name]: changed } };
  });
  await printer.note(`profile ${name} saved`);
}

/** What `KEY=VALUE` does to a profile; `before` is where an `@name` is looked up. Throws `usage`. */
async function pairChange(name: string, before: Profile, pair: string, host: Host): Promise<Change> {
  const at = pair.indexOf('=');
  if (at < 1) throw new Failure('usage', `${JSON.stringify(pair)} is not of the form KEY=VALUE`);
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (isSetting(key)) return profile => withSetting(profile, key, value);
  if (!PARTIES.includes(key as PartyRole)) throw unknownKey(key);
  const party = value === '' ? undefined : await partyFrom(name, before, value, host);
  return ({ [key as PartyRole]: _, ...rest }) => (party === undefined ? rest : { ...rest, [key]: party });
}

const partyFrom = async (name: string, profile: Profile, ref: string, host: Host): Promise<unknown> =>
  ref.startsWith('@') ? findSaved({ profile, name }, 'parties', ref.slice(1)) : readObject(ref, host);

export function unknownKey(key: string): Failure {
  const names: readonly string[] = [...Object.keys(SETTINGS), ...PARTIES];
  const guess = nearest(key, names);
  return new Failure(
    'usage',
    `a profile has no setting ${JSON.stringify(key)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; it has ${names.join(', ')}`,
  );
}

/** Without credentials: for a colleague, who brings their own. */
export function exported(profile: Profile): Record<string, unknown> {
  const { credentials: _, ...rest } = maskProfile(profile);
  return rest;
}
