// Values from config and environment: profiles, their saved parties and parcels, their settings.

import { fieldsOf } from '../../contract/fields.ts';
import { bodyOf } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { PARTIES } from '../../contract/parties.ts';
import { textAt } from '../../contract/paths.ts';
import { FORMAT_NAMES } from '../../formats.ts';
import type { Host } from '../../host.ts';
import { folded } from '../../journal/words.ts';
import { DEMO } from '../../profile/names.ts';
import { FILE_SETTINGS, SETTINGS } from '../../profile/settings.ts';
import { type Profile, readConfig } from '../../profile/store.ts';
import { resolveTarget, type Target } from '../../profile/target.ts';
import { type Candidate, NO_CANDIDATES, type Reply, startingWith } from '../candidate.ts';
import { kindAt } from '../kinds.ts';
import type { CommandLine } from '../line.ts';
import { fieldValues } from './contract.ts';

/** The target of the command on this line. Throws if the line contradicts itself. */
export function targetOf({ given }: CommandLine, host: Host): Target {
  const [profile] = given.get('profile') ?? [];
  const sandbox = given.get('sandbox')?.at(-1);
  const flags = {
    ...(profile !== undefined && { profile }),
    ...(sandbox !== undefined && { sandbox: sandbox === 'true' }),
  };
  return resolveTarget(host, readConfig(host), flags);
}

export async function fromProfile(line: CommandLine, host: Host): Promise<Reply> {
  const { typed, operands } = line;
  const { head, prefix } = typed;
  const profile = () => targetOf(line, host).profile;
  const offer = (candidates: readonly Candidate[]): Reply => ({
    head,
    candidates: startingWith(prefix, candidates),
  });
  switch (kindAt(line)) {
    case 'profile':
      return offer(profiles(host));
    case 'party name':
      return { head, candidates: searched(prefix, parties(profile(), '')) };
    case 'parcel name':
      return offer(parcels(profile(), ''));
    case 'party':
      // Any other word is the name of a file.
      return {
        head,
        candidates: /^@|^$/.test(prefix) ? searched(prefix, parties(profile(), '@')) : [],
        fallback: 'files',
      };
    case 'parcel': {
      const times = /^\d+x/.exec(prefix)?.[0] ?? '';
      return offer(parcels(profile(), `${times}@`));
    }
    case 'setting':
      return settings(profileNamed(host, operands[0]), head, prefix);
    case 'source':
      return source(head, prefix, host);
    default:
      return NO_CANDIDATES;
  }
}

function profiles(host: Host): Candidate[] {
  const { profiles: saved } = readConfig(host);
  const all = Object.entries(saved).map(([value, { baseUrl }]) => ({
    value,
    ...(baseUrl && { description: baseUrl }),
  }));
  const demo = { value: DEMO, description: 'the built-in emulator' };
  return [...all.filter(({ value }) => value !== DEMO), demo];
}

const profileNamed = (host: Host, name = ''): Profile => {
  const { profiles: saved } = readConfig(host);
  return Object.hasOwn(saved, name) ? (saved[name] ?? {}) : {};
};

const parties = (profile: Profile, sign: string): Candidate[] =>
  Object.entries(profile.parties ?? {}).map(([name, party]) => ({
    value: sign + name,
    description: whoIs(party),
  }));

const whoIs = (party: unknown): string =>
  [textAt(party, ['companyName']), textAt(party, ['lastName']), textAt(party, 'address.city')]
    .concat(textAt(party, 'address.country.code'))
    .filter(part => part !== undefined)
    .join(', ');

/** By the beginning of the name; if there is none, by that of a word of the description: `@weber` finds `@kunde-7`. */
function searched(prefix: string, all: readonly Candidate[]): Candidate[] {
  const begun = startingWith(prefix, all);
  const typed = folded(prefix.replace(/^@/, ''));
  if (begun.length > 0 || typed === '') return begun;
  return all.filter(({ description = '' }) =>
    folded(description)
      .split(/[^\p{Letter}\p{Number}]+/u)
      .some(word => word.startsWith(typed)),
  );
}

const parcels = (profile: Profile, sign: string): Candidate[] =>
  Object.entries(profile.parcels ?? {}).map(([name, spec]) => ({ value: sign + name, description: spec }));

/** `KEY=VALUE` of `profile set`. */
async function settings(profile: Profile, head: string, prefix: string): Promise<Reply> {
  const at = prefix.indexOf('=');
  const all = [
    ...Object.entries(SETTINGS).map(([name, { description }]) => ({
      value: `${name}=`,
      description,
      continues: true,
    })),
    ...PARTIES.map(role => ({
      value: `${role}=`,
      description: 'a JSON file, or @name of a saved party',
      continues: true,
    })),
  ];
  if (at < 0) return { head, candidates: startingWith(prefix, all) };
  const key = prefix.slice(0, at);
  const isParty = PARTIES.some(role => role === key);
  const isFile = isParty || FILE_SETTINGS.some(name => name === key);
  const values = isParty ? parties(profile, '@') : await valuesOfSetting(key);
  const candidates = startingWith(
    prefix,
    values.map(candidate => ({ ...candidate, value: `${key}=${candidate.value}` })),
  );
  return { head: `${head}${key}=`, candidates, ...(isFile && { fallback: 'files' }) };
}

function valuesOfSetting(key: string): Candidate[] | Promise<Candidate[]> {
  if (key === 'output') return FORMAT_NAMES.map(value => ({ value }));
  if (key === 'sandbox') return [{ value: 'true' }, { value: 'false' }];
  const field = fieldsOf(bodyOf(OPERATIONS.createShipment)).find(one => one.setting === key);
  return field ? fieldValues(field, '') : [];
}

/** `NAME=@env:VARIABLE`, `NAME=@FILE`, `NAME=@-`. */
function source(head: string, prefix: string, host: Host): Reply {
  const name = /^[^=]+=/.exec(prefix)?.[0];
  if (name === undefined) return NO_CANDIDATES;
  const variables = Object.keys(host.env).map(variable => `@env:${variable}`);
  const offered = prefix.startsWith(`${name}@e`)
    ? variables.map(value => ({ value: name + value }))
    : prefix.length <= name.length + 1
      ? [
          { value: `${name}@env:`, description: 'a variable of the environment', continues: true },
          { value: `${name}@-`, description: 'stdin' },
          { value: `${name}@./`, description: 'a file', continues: true },
        ]
      : [];
  return { head: `${head}${name}@`, candidates: startingWith(prefix, offered), fallback: 'files' };
}
