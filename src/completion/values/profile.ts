// What config and environment tell: profiles, what a profile keeps by name, its settings.

import { fieldsOf } from '../../contract/fields.ts';
import { bodyOf } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { PARTIES } from '../../contract/parties.ts';
import { textAt } from '../../contract/paths.ts';
import { FORMAT_NAMES } from '../../formats.ts';
import type { Host } from '../../host.ts';
import { DEMO } from '../../profile/names.ts';
import { SETTINGS } from '../../profile/settings.ts';
import { readConfig } from '../../profile/store.ts';
import { resolveTarget, type Target } from '../../profile/target.ts';
import { begun, type Candidate, NOTHING, type Reply } from '../candidate.ts';
import { kindAt } from '../kinds.ts';
import type { Line } from '../line.ts';
import { fieldValues } from './contract.ts';

/** Whom a command of this line would talk to. Throws where the line contradicts itself. */
export function targetOf({ given }: Line, host: Host): Target {
  const [profile] = given.get('profile') ?? [];
  const sandbox = given.get('sandbox')?.at(-1);
  const flags = {
    ...(profile !== undefined && { profile }),
    ...(sandbox !== undefined && { sandbox: sandbox === 'true' }),
  };
  return resolveTarget(host, readConfig(host), flags);
}

export async function kept(line: Line, host: Host): Promise<Reply> {
  const { typed, operands } = line;
  const { head, prefix } = typed;
  const kind = kindAt(line);
  const offer = (candidates: readonly Candidate[]): Reply => ({
    head,
    candidates: begun(prefix, candidates),
  });
  switch (kind) {
    case 'profile':
      return offer(profiles(host));
    case 'party name':
      return offer(parties(targetOf(line, host), ''));
    case 'parcel name':
      return offer(parcels(targetOf(line, host), ''));
    case 'party':
      // A file has any name but one that begins so.
      return { ...offer(/^@|^$/.test(prefix) ? parties(targetOf(line, host), '@') : []), otherwise: 'files' };
    case 'parcel': {
      const times = /^\d+x/.exec(prefix)?.[0] ?? '';
      return offer(parcels(targetOf(line, host), `${times}@`));
    }
    case 'setting':
      return settings(profileNamed(host, operands[0]), head, prefix);
    case 'source':
      return source(head, prefix, host);
    default:
      return NOTHING;
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

const profileNamed = (host: Host, name = ''): Target['profile'] => {
  const { profiles: saved } = readConfig(host);
  return Object.hasOwn(saved, name) ? (saved[name] ?? {}) : {};
};

const parties = ({ profile }: Pick<Target, 'profile'>, sign: string): Candidate[] =>
  Object.entries(profile.parties ?? {}).map(([name, party]) => ({
    value: sign + name,
    description: whoIs(party),
  }));

const whoIs = (party: unknown): string =>
  [textAt(party, ['companyName']) ?? textAt(party, ['lastName']), textAt(party, 'address.city')]
    .concat(textAt(party, 'address.country.code'))
    .filter(part => part !== undefined)
    .join(', ');

const parcels = ({ profile }: Pick<Target, 'profile'>, sign: string): Candidate[] =>
  Object.entries(profile.parcels ?? {}).map(([name, spec]) => ({ value: sign + name, description: spec }));

/** `KEY=VALUE` of `profile set`. */
async function settings(profile: Target['profile'], head: string, prefix: string): Promise<Reply> {
  const at = prefix.indexOf('=');
  const party = { description: 'a JSON file, or @name of a saved party' };
  const all = [
    ...Object.entries(SETTINGS).map(([name, { description }]) => ({
      value: `${name}=`,
      description,
      goesOn: true,
    })),
    ...PARTIES.map(role => ({ value: `${role}=`, ...party, goesOn: true })),
  ];
  if (at < 0) return { head, candidates: begun(prefix, all) };
  const key = prefix.slice(0, at);
  const isParty = PARTIES.some(role => role === key);
  const values = isParty ? parties({ profile }, '@') : await valuesOfSetting(key);
  const candidates = begun(
    prefix,
    values.map(candidate => ({ ...candidate, value: `${key}=${candidate.value}` })),
  );
  return { head: `${head}${key}=`, candidates, ...(isParty && { otherwise: 'files' }) };
}

function valuesOfSetting(key: string): Candidate[] | Promise<Candidate[]> {
  if (key === 'output') return FORMAT_NAMES.map(value => ({ value }));
  if (key === 'sandbox') return [{ value: 'true' }, { value: 'false' }];
  const pattern = key === 'currency' ? 'customs.currency' : key;
  const field = fieldsOf(bodyOf(OPERATIONS.createShipment)).find(one => one.pattern === pattern);
  return field ? fieldValues(field, '') : [];
}

/** `NAME=@env:VARIABLE`, `NAME=@FILE`, `NAME=@-`. */
function source(head: string, prefix: string, host: Host): Reply {
  const name = /^[^=]+=/.exec(prefix)?.[0];
  if (name === undefined) return NOTHING;
  const variables = Object.keys(host.env).map(variable => `@env:${variable}`);
  const offered = prefix.startsWith(`${name}@e`)
    ? variables.map(value => ({ value: name + value }))
    : prefix.length <= name.length + 1
      ? [
          { value: `${name}@env:`, description: 'a variable of the environment', goesOn: true },
          { value: `${name}@-`, description: 'stdin' },
          { value: `${name}@./`, description: 'a file', goesOn: true },
        ]
      : [];
  return { head: `${head}${name}@`, candidates: begun(prefix, offered), otherwise: 'files' };
}
