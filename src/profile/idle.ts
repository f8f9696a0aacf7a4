// Settings that are set and have no effect: a person may believe that they have one.
import type { Host } from '../host.ts';
import type { Lacking } from '../say/doctor.ts';
import type { Notice } from '../say/notices.ts';
import { setting } from './environment.ts';
import type { Profile } from './store.ts';
import { CREDENTIAL_VARIABLES, SETTINGS, type SettingName } from './table.ts';
import type { Target } from './target.ts';
import { unknownNamesIn } from './unknown.ts';

type Dependent = SettingName & keyof Profile;

/** Settings that have an effect only beside another one: which one each needs, and whether that is there. */
const NEEDS: readonly (readonly [Dependent, Lacking, (profile: Profile, env: Host['env']) => boolean])[] = [
  ['tokenField', 'token-url', ({ credentials }) => credentials?.kind === 'url'],
  ['expiryField', 'token-url', ({ credentials }) => credentials?.kind === 'url'],
  ['authHeader', 'token', sendsToken],
  ['authScheme', 'token', sendsToken],
  ['clientKey', 'clientCert', ({ clientCert }) => clientCert !== undefined],
  ['journalPasswordCommand', 'journal', hasOwnJournal],
  ['journalFailover', 'journal', hasOwnJournal],
];

function sendsToken(profile: Profile): boolean {
  return profile.credentials !== undefined && profile.credentials.kind !== 'headers';
}

function hasOwnJournal(profile: Profile, env: Host['env']): boolean {
  return profile.journal !== undefined && setting(env, SETTINGS.journal.variable) === undefined;
}

/** Each setting of the profile in force, and each variable, that has no effect. */
export function settingsWithoutEffect(
  env: Host['env'],
  config: Parameters<typeof unknownNamesIn>[1],
  target: Target,
): Notice[] {
  const { from, name: profileName, profile } = target;
  const { variables, settings } = unknownNamesIn(env, config, profileName);
  const beside = from === 'profile' || from === 'demo' ? CREDENTIAL_VARIABLES : [];
  const owner = profileName ?? '';
  return [
    ...variables.map(({ name, meant }): Notice => ({ kind: 'variable-without-effect', name, meant })),
    ...beside
      .filter(name => setting(env, name) !== undefined)
      .map((name): Notice => ({ kind: 'variable-beside-profile', name, by: `--profile ${owner}` })),
    ...settings.map(
      ({ name, meant }): Notice => ({ kind: 'setting-without-effect', name, profile: owner, meant }),
    ),
    ...NEEDS.filter(
      ([name, , isThere]) => from === 'profile' && profile[name] !== undefined && !isThere(profile, env),
    ).map(([name, lacking]): Notice => ({ kind: 'setting-without-effect', name, profile: owner, lacking })),
  ];
}
