// Values from config and environment: profiles, their saved parties and parcels, their settings.

import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { fieldsOf } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import type { Host } from '../host.ts';
import { FILE_SETTINGS, SETTINGS } from '../profile/settings.ts';
import { DEMO, type Profile, readConfig } from '../profile/store.ts';
import { resolveTarget, type Target } from '../profile/target.ts';
import { FORMAT_NAMES, folded } from '../text.ts';
import { fieldValues } from './contract-values.ts';
import { type Candidate, type CommandLine, type Reply, startingWith } from './line.ts';

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

export async function profiles(_: CommandLine, host: Host): Promise<Candidate[]> {
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

/** `@name` behind an option, where any other word is the name of a file; the name alone as an argument. */
export async function parties(line: CommandLine, host: Host): Promise<Reply> {
  const { option, head, prefix } = line.typed;
  const saved = savedParties(targetOf(line, host).profile, option ? '@' : '');
  if (option === undefined) return { head, candidates: searched(prefix, saved) };
  return { head, candidates: /^@|^$/.test(prefix) ? searched(prefix, saved) : [], fallback: 'files' };
}

const savedParties = (profile: Profile, sign: string): Candidate[] =>
  Object.entries(profile.parties ?? {}).map(([name, party]) => ({
    value: sign + name,
    description: whoIs(party),
  }));

const whoIs = (party: unknown): string =>
  [textAt(party, ['companyName']), textAt(party, ['lastName']), textAt(party, 'address.city')]
    .concat(textAt(party, 'address.country.code'))
    .filter(part => part !== undefined)
    .join(', ');

/** The candidates whose name begins so; if there is none, those with such a word in the description: `@weber` finds `@kunde-7`. */
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

/** `@name` and `3x@name` behind an option, the name alone as an argument. */
export async function parcels(line: CommandLine, host: Host): Promise<Candidate[]> {
  const { option, prefix } = line.typed;
  const sign = option ? `${/^\d+x/.exec(prefix)?.[0] ?? ''}@` : '';
  const saved = targetOf(line, host).profile.parcels ?? {};
  return Object.entries(saved).map(([name, spec]) => ({ value: sign + name, description: spec }));
}

/** `KEY=VALUE` of `profile set`. */
export async function settings({ typed, operands }: CommandLine, host: Host): Promise<Reply> {
  const { head, prefix } = typed;
  const profile = profileNamed(host, operands[0]);
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
  const values = isParty ? savedParties(profile, '@') : valuesOfSetting(key);
  const candidates = startingWith(
    prefix,
    values.map(candidate => ({ ...candidate, value: `${key}=${candidate.value}` })),
  );
  return { head: `${head}${key}=`, candidates, ...(isFile && { fallback: 'files' }) };
}

function valuesOfSetting(key: string): Candidate[] {
  if (key === 'output') return FORMAT_NAMES.map(value => ({ value }));
  if (key === 'sandbox') return [{ value: 'true' }, { value: 'false' }];
  const field = fieldsOf(bodyOf(OPERATIONS.createShipment)).find(one => one.setting === key);
  return field ? fieldValues(field, '') : [];
}

/** `NAME=@env:VARIABLE`, `NAME=@FILE`, `NAME=@-`. */
export async function sources({ typed: { head, prefix } }: CommandLine, host: Host): Promise<Reply> {
  const name = /^[^=]+=/.exec(prefix)?.[0];
  if (name === undefined) return { head, candidates: [] };
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
