// The file that `profile export` prints and `profile add -f` reads.
import { PARTIES, type PartyRole } from '../../contract/parties.ts';
import { isRecord } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { refuseBadName } from '../../profile/names.ts';
import { isSetting, SETTINGS, withSetting } from '../../profile/settings.ts';
import type { Profile } from '../../profile/store.ts';
import { parsePackage } from '../../request/specs.ts';

/** The profile in a file, without its credentials. Its values are checked like settings on a command line. */
export function parseProfile(given: Record<string, unknown>): Profile {
  let profile: Profile = {};
  for (const [key, value] of Object.entries(given))
    if (isSetting(key)) profile = withSetting(profile, key, settingText(key, value));
    else if (isPartyRole(key)) profile = { ...profile, [key]: record(key, value) };
    else if (key === 'parties') profile = { ...profile, parties: partiesIn(value) };
    else if (key === 'parcels') profile = { ...profile, parcels: parcelsIn(value) };
    else if (key !== 'credentials') throw unknownSetting(key);
  return profile;
}

export const isPartyRole = (key: string): key is PartyRole => PARTIES.some(role => role === key);

export function unknownSetting(key: string): Failure {
  const names: readonly string[] = [...Object.keys(SETTINGS), ...PARTIES];
  const guess = nearest(key, names);
  return new Failure(
    'usage',
    `a profile has no setting ${JSON.stringify(key)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; it has ${names.join(', ')}`,
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

const partiesIn = (value: unknown): Record<string, unknown> => {
  const parties = record('parties', value);
  for (const [name, party] of Object.entries(parties)) record(`parties.${name}`, party);
  return parties;
};

function parcelsIn(value: unknown): Record<string, string> {
  const parcels = Object.entries(record('parcels', value)).map(([name, spec]): [string, string] => {
    refuseBadName(name, 'a parcel');
    if (typeof spec !== 'string')
      throw new Failure('usage', `parcels.${name} must be text, not ${JSON.stringify(spec)}`);
    parsePackage(spec, `parcels.${name}:`);
    return [name, spec];
  });
  return Object.fromEntries(parcels);
}
