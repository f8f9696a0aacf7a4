// Values that may stand behind an option or as an argument, by their kind: the word that help has for the value, such as `dir` in
// `--download <dir>`. Nothing is sent to find these values.

import { STATES } from '../booking/booking.ts';
import { DONE } from '../booking/questions.ts';
import { COUNTRIES } from '../contract/countries.ts';
import { COUNTRY_ALIASES, countryName, findCountries } from '../contract/country-names.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { commandName, OPERATIONS } from '../contract/operations.ts';
import { parsePath } from '../contract/paths.ts';
import { comparable, SHOWN_MILESTONES } from '../contract/read.ts';
import { type Field, fieldAt, fieldsOf, type Schema } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { EVENTS } from '../contract/subscriptions.ts';
import { CARRIERS } from '../emulator/carriers.ts';
import { FAULTS } from '../emulator/settings.ts';
import type { Host } from '../host.ts';
import type { BookingSummary, SummedShipment } from '../journal/sqlite/read-only.ts';
import {
  endMilestonesOf,
  fieldOfSetting,
  settingInForce,
  settingWords,
  valuesOfSetting,
} from '../profile/settings.ts';
import { DEMO, findProfile, type Profile, readConfig } from '../profile/store.ts';
import { isSetting, kindOfSetting, SETTING_NAMES } from '../profile/table.ts';
import { resolveTarget, sharedJournal, type Target, targetScope } from '../profile/target.ts';
import { partyWords } from '../say/words.ts';
import { readOnlyView } from '../session/journal-home.ts';
import { folded } from '../text.ts';
import { type Candidate, type Reply, startingWith, startsWith } from './completion.ts';
import { type CommandLine, optionNames } from './line.ts';
import { commandPath, valueKind } from './tree.ts';

type Offered = readonly (string | Candidate)[] | Partial<Reply>;

/** Gives the values of one kind. A list is filtered by the typed word; a reply has its candidates ready. */
type Completing = (line: CommandLine, host: Host) => Offered | Promise<Offered>;

export async function valuesAt(line: CommandLine, host: Host): Promise<Reply> {
  const { option, argument, head, prefix } = line.typed;
  const kind = option ? valueKind(option.flags) : (argument?.name() ?? '');
  const offer = OFFERS[kind] ?? ofField;
  const offered = (option ?? argument)?.argChoices ?? (await offer(line, host));
  if (!('length' in offered)) return { head, candidates: [], ...offered };
  return { head, candidates: startingWith(prefix, offered) };
}

const describedValues = (descriptions: Readonly<Record<string, string | undefined>>, end = ''): Candidate[] =>
  Object.entries(descriptions).map(([name, description = '']) => ({
    value: name + end,
    ...(description !== '' && { description }),
    ...(end !== '' && { continues: true }),
  }));

const files: Completing = line => {
  const { prefix, argument } = line.typed;
  // If no file has to be named, options may follow at once.
  const candidates = argument?.required === false && prefix === '' ? optionNames(line) : [];
  return { candidates, fallback: 'files' };
};

// Values from the contract: the paths of fields, and the values that fields may have.

/** The body of the operation that the command is for: of `webhook create`, or of `ship` for `batch ship`. */
function bodyTyped(line: CommandLine): Schema | undefined {
  const name = commandPath(line.command)
    .filter(word => word !== 'batch')
    .join(' ');
  return Object.values(OPERATIONS).find(operation => commandName(operation) === name)?.body;
}

/** The values of the field that the typed option sets. */
const ofField: Completing = line => {
  const { option, prefix } = line.typed;
  const schema = option && bodyTyped(line);
  const field =
    schema && fieldsOf(schema).find(candidate => 'flag' in candidate && candidate.flag === option.flags);
  return { candidates: field ? fieldValues(field, prefix) : [] };
};

/** The words of `history import --done`, with commas between them, or `none`. */
const doneWords: Completing = line => {
  const { prefix } = line.typed;
  const before = prefix.slice(0, prefix.lastIndexOf(',') + 1);
  const remaining = DONE.filter(word => !before.split(',').includes(word)).map(word => before + word);
  return before === '' ? [...remaining, 'none'] : remaining;
};

/** The parts of an `--item`, with commas between them. */
const itemParts: Completing = line => {
  const { prefix } = line.typed;
  // The parts before the last comma are complete.
  const done = prefix.slice(0, prefix.lastIndexOf(',') + 1);
  const names = new Set(done.split(',').map(part => part.split('=', 1)[0]));
  const candidates = assignments(bodyTyped(line), 'items[0].', prefix.slice(done.length))
    .filter(({ value }) => !names.has(value.replace(/=$/, '')))
    .map(candidate => ({ ...candidate, value: done + candidate.value, continues: true }));
  return { candidates };
};

/** `PATH=` for the fields below `base` that begin with the typed word; behind the `=`, the values of the field. */
function assignments(schema: Schema | undefined, base: string, written: string): Candidate[] {
  if (schema === undefined) return [];
  const at = written.indexOf('=');
  if (at >= 0) {
    const field = fieldAt(schema, parsePath(base + written.slice(0, at)) ?? []);
    const values = field ? fieldValues(field, written.slice(at + 1)) : [];
    return values.map(candidate => ({ ...candidate, value: written.slice(0, at + 1) + candidate.value }));
  }
  // A list element that is typed already keeps its index; else the first element is meant.
  const indexes = [...(base + written).matchAll(/\[(\d+)\]/g)].map(([, index]) => index);
  const paths = fieldsOf(schema).flatMap(({ pattern, kind, description }) => {
    let position = 0;
    const path = pattern.replace(/\[\]/g, () => `[${indexes[position++] ?? 0}]`);
    if (kind === 'object' || kind === 'list' || !path.startsWith(base)) return [];
    return { value: `${path.slice(base.length)}${kind === 'map' ? '.' : '='}`, description, continues: true };
  });
  return startingWith(written, paths);
}

/** The values that a field may have, if they are a list. */
function fieldValues(field: Field, prefix: string): Candidate[] {
  const { kind, values = {}, means } = field;
  // The contract does not check the country of origin, but its values are countries, too.
  if (kind === 'country' || means === 'country') return countries(prefix);
  if (kind === 'boolean') return startingWith(prefix, ['true', 'false']);
  return startingWith(prefix, means === 'currency' ? [...CURRENCIES.keys()] : describedValues(values));
}

/** Countries whose code, name or alias begins with the prefix; if there is none, those with the word anywhere in their names. */
function countries(prefix: string): Candidate[] {
  const typed = prefix.toUpperCase();
  const isWhole = COUNTRIES.has(typed);
  const codes = [...COUNTRIES].filter(code => (isWhole ? code === typed : code.startsWith(typed)));
  const byCode = codes.map(code => ({ value: code, description: countryName(code) }));
  if (isWhole || prefix === '') return byCode;
  const byAnyName = findCountries(prefix).map(({ code, name }) => ({ value: code, description: name }));
  const aliases = prefix.length > 2 ? COUNTRY_ALIASES.filter(([alias]) => startsWith(alias, prefix)) : [];
  const byAlias = aliases.map(([alias, code]) => ({ value: code, description: alias }));
  const byName = byAnyName.filter(({ description }) =>
    startsWith(withoutMarks(description), withoutMarks(prefix)),
  );
  const first = new Map([...byAlias, ...byName, ...byCode].map(candidate => [candidate.value, candidate]));
  return first.size > 0 ? [...first.values()] : byAnyName;
}

/** Text without its marks, as people type it on most keyboards: `Turkiye` for `Türkiye`. */
const withoutMarks = (text: string): string => text.normalize('NFD').replace(/\p{Mark}/gu, '');

// Values from config and environment: profiles, their saved parties and parcels, their settings.

/** The target that the typed command line has. Throws if the line contradicts itself. */
function targetTyped(line: CommandLine, host: Host): Target {
  const [profile] = line.given.get('profile') ?? [];
  const sandbox = line.given.get('sandbox')?.at(-1);
  return resolveTarget(host, readConfig(host), {
    ...(profile !== undefined && { profile }),
    ...(sandbox !== undefined && { sandbox: sandbox === 'true' }),
  });
}

const profiles: Completing = (_, host) => {
  const { [DEMO]: __, ...saved } = readConfig(host).profiles;
  const addresses = Object.entries(saved).map(([name, { baseUrl }]): [string, string | undefined] => [
    name,
    baseUrl,
  ]);
  return describedValues({ ...Object.fromEntries(addresses), [DEMO]: 'the built-in emulator' });
};

/** The names of saved parties: as `@name` behind an option, which also takes files; without `@` as an argument. */
const parties: Completing = (line, host) => {
  const { option, prefix } = line.typed;
  const saved = savedParties(targetTyped(line, host).profile, option ? '@' : '');
  const begun = startingWith(prefix, saved);
  // A party is also found by what it is: `@weber` finds `@kunde-7`.
  const typed = folded(prefix.replace(/^@/, ''));
  const isMeant = (candidate: Candidate) =>
    typed !== '' && ` ${folded(candidate.description ?? '')}`.includes(` ${typed}`);
  const candidates = begun.length > 0 ? begun : saved.filter(isMeant);
  return { candidates, ...(option && { fallback: 'files' }) };
};

const savedParties = (profile: Profile, sign: string): Candidate[] =>
  Object.entries(profile.parties ?? {}).map(([name, party]) => ({
    value: sign + name,
    description: partyWords(party),
  }));

/** The names of saved parcels: as `@name` or `3x@name` behind an option; without `@` as an argument. */
const parcels: Completing = (line, host) => {
  const { option, prefix } = line.typed;
  const sign = option ? `${/^\d+x/.exec(prefix)?.[0] ?? ''}@` : '';
  const saved = targetTyped(line, host).profile.parcels ?? {};
  return Object.entries(saved).map(([name, spec]) => ({ value: sign + name, description: spec }));
};

/** The `KEY=VALUE` arguments of `profile set`. */
const settings: Completing = (line, host) => {
  const { head, prefix } = line.typed;
  const [name = ''] = line.operands;
  const key = prefix.split('=', 1)[0] ?? '';
  if (key === prefix) {
    const descriptions = SETTING_NAMES.map(setting => [setting, settingWords(setting)]);
    const roles = PARTIES.map(role => [role, 'a JSON file, or @name of a saved party']);
    return describedValues(Object.fromEntries([...descriptions, ...roles]), '=');
  }
  const isParty = PARTIES.some(role => role === key);
  const isFile = isParty || kindOfSetting(key) === 'file';
  const values = isParty ? savedParties(findProfile(readConfig(host), name) ?? {}, '@') : valuesFor(key);
  const candidates = values.map(candidate => ({ ...candidate, value: `${key}=${candidate.value}` }));
  return {
    head: `${head}${key}=`,
    candidates: startingWith(prefix, candidates),
    ...(isFile && { fallback: 'files' }),
  };
};

/** The values of a setting. Values of a setting that fills a field have descriptions. */
function valuesFor(key: string): Candidate[] {
  const field = fieldOfSetting(key);
  if (field) return fieldValues(field, '');
  return isSetting(key) ? startingWith('', valuesOfSetting(key)) : [];
}

/** The sources of a value: `NAME=@env:VARIABLE`, `NAME=@FILE`, `NAME=@-`. */
const sources: Completing = (line, host) => {
  const { head, prefix } = line.typed;
  const name = /^[^=]+=/.exec(prefix)?.[0];
  if (name === undefined) return [];
  const variables = Object.keys(host.env).map(variable => ({ value: `${name}@env:${variable}` }));
  const ways: Candidate[] = [
    { value: `${name}@env:`, description: 'a variable of the environment', continues: true },
    { value: `${name}@-`, description: 'stdin' },
  ];
  const candidates = startingWith(prefix, prefix.startsWith(`${name}@e`) ? variables : ways);
  return { head: `${head}${name}@`, candidates, fallback: 'files' };
};

// Values from the journal of this machine: keys, ids and carriers of bookings.

/** The newest bookings with a key or an id that begins as typed. `isHere`: only those of the account of the command. */
async function seen(line: CommandLine, host: Host, isHere: boolean, prefix = line.typed.prefix) {
  const target = targetTyped(line, host);
  // Completion opens no connection to a shared journal. The profile demo never uses one.
  if (target.from !== 'demo' && sharedJournal(host.env, target.profile) !== undefined) return [];
  const view = await readOnlyView(host).catch(() => undefined);
  try {
    return view?.find(prefix, isHere ? targetScope(target) : undefined) ?? [];
  } finally {
    view?.close();
  }
}

/** Each candidate once, without those that stand on the line already. */
function others(line: CommandLine, candidates: readonly Candidate[]): Candidate[] {
  const { typed, operands, given } = line;
  const byValue = new Map(candidates.map(candidate => [candidate.value, candidate]));
  for (const value of [...operands, ...(given.get(typed.option?.attributeName() ?? '') ?? [])])
    byValue.delete(value);
  return [...byValue.values()];
}

const booked =
  (pick: (all: readonly BookingSummary[], line: CommandLine) => Candidate[], isHere = true): Completing =>
  async (line, host) =>
    others(line, pick(await seen(line, host, isHere), line));

const offer = (value: string | null | undefined, booking: BookingSummary): Candidate[] =>
  value == null
    ? []
    : [
        {
          value,
          description: `${booking.operation}, ${booking.state}, ${new Date(booking.at).toISOString().slice(0, 10)}`,
        },
      ];

const keysAndIds = (bookings: readonly BookingSummary[]): Candidate[] => [
  ...bookings.flatMap(booking => offer(booking.key, booking)),
  ...bookings.flatMap(booking => offer(booking.id, booking)),
];

/** Has the command nothing left to do with the shipment? */
function isFinished(line: CommandLine, shipment: SummedShipment, ends: readonly string[]): boolean {
  const name = line.command.name();
  if (name === 'label') return shipment.isLabelled && !line.given.has('reprint');
  return name === 'track' && shipment.milestones.some(milestone => ends.includes(milestone));
}

/**
 * The orders that exist, with their shipments, without those that stand on the line already. Only orders for which the command has
 * something left to do; if no name of these begins as typed, all orders. `leg`: only shipments of that leg.
 */
async function orders(line: CommandLine, host: Host, leg?: string): Promise<BookingSummary[]> {
  const ends = endMilestonesOf(targetTyped(line, host).profile).map(comparable);
  const isOnLine = (booking: BookingSummary) =>
    line.operands.some(
      word => word === booking.key || booking.shipments.some(({ shipment }) => word === shipment),
    );
  const isThere = (booking: BookingSummary) => booking.state === 'created' || booking.state === 'partial';
  const existing = (await seen(line, host, true)).flatMap(order => {
    const shipments = order.shipments.filter(shipment => leg === undefined || shipment.leg === leg);
    return isThere(order) && !isOnLine(order) && shipments.length > 0 ? [{ ...order, shipments }] : [];
  });
  const left = existing.flatMap(order => {
    const shipments = order.shipments.filter(shipment => !isFinished(line, shipment, ends));
    return shipments.length > 0 ? [{ ...order, shipments }] : [];
  });
  return left.length > 0 || line.typed.prefix === '' ? left : existing;
}

const shipmentCandidates = (bookings: readonly BookingSummary[]): Candidate[] =>
  bookings.flatMap(order => order.shipments.flatMap(({ shipment }) => offer(shipment, order)));

/** The ids of shipments, of the leg that the option names. */
const shipments: Completing = async (line, host) => {
  const leg = line.typed.option?.name() === 'domestic' ? 'domestic' : 'international';
  return others(line, shipmentCandidates(await orders(line, host, leg)));
};

const keys: Completing = async (line, host) => {
  const path = commandPath(line.command);
  const keySpace = path[0] === 'webhook' ? 'subscription' : 'shipment';
  const isOfOrder = ['label', 'track'].includes(path.join(' '));
  const bookings = isOfOrder ? await orders(line, host) : await seen(line, host, true);
  return others(
    line,
    bookings.flatMap(booking => (booking.keySpace === keySpace ? offer(booking.key, booking) : [])),
  );
};

/** A booking by its key or its id in the journal. For `track`, `label` and `papers` an order by its key, or one of its shipments. */
const bookingRefs: Completing = async (line, host) => {
  const command = commandPath(line.command).join(' ');
  if (['track', 'label', 'papers'].includes(command)) {
    const found = await orders(line, host);
    return others(line, [...found.flatMap(order => offer(order.key, order)), ...shipmentCandidates(found)]);
  }
  const isFitting = (booking: BookingSummary) => {
    // An order that another begins as a copy of must be of the same command, which has the same fields, and must not be being sent.
    if (line.typed.option) return booking.operation === command && booking.state !== 'pending';
    return command !== 'history resolve' || booking.state === 'unknown';
  };
  return booked(bookings => keysAndIds(bookings.filter(isFitting)), false)(line, host);
};

const carriers: Completing = async (line, host) => {
  const target = targetTyped(line, host);
  const used = await seen(line, host, true, '');
  // A booking has the carrier that was chosen: `cheapest` and `fastest` are offered only for new orders.
  const chooses = line.typed.option?.name() === 'carrier' && line.command.name() !== 'list';
  const picks = { cheapest: 'of the valid proposals', fastest: 'of the valid proposals' };
  const plain = [
    ...used.flatMap(booking => booking.carriers),
    ...(settingInForce('economyCarriers', host.env, target.profile) ?? []),
  ];
  return others(line, [
    ...(chooses ? describedValues(picks) : []),
    // If the service is the emulator, its carriers are known, and there are no others.
    ...(target.from === 'demo' ? CARRIERS.map(({ id, name }) => ({ value: id, description: name })) : []),
    ...plain.map(value => ({ value })),
  ]);
};

const OFFERS: Readonly<Record<string, Completing>> = {
  file: files,
  path: files,
  command: files,
  dir: () => ({ fallback: 'folders' }),
  profile: profiles,
  party: parties,
  parcel: parcels,
  'key=value': settings,
  'name=source': sources,
  item: itemParts,
  words: doneWords,
  'path=value': line => ({ candidates: assignments(bodyTyped(line), '', line.typed.prefix) }),
  cc: line => ({ candidates: countries(line.typed.prefix) }),
  carrier: carriers,
  key: keys,
  ref: bookingRefs,
  shipment: shipments,
  subscription: booked(bookings => bookings.flatMap(booking => offer(booking.ids.subscription, booking))),
  booking: booked(keysAndIds, false),
  encoding: () => ['windows-1254', 'windows-1252', 'windows-1250', 'iso-8859-9', 'utf-16le'],
  operation: async () => [
    // Two operations share the command `track`: only the one that help lists is offered.
    ...Object.values(OPERATIONS).flatMap(({ command, summary, help }) =>
      help ? { value: command, description: summary } : [],
    ),
    ...Object.entries((await import('waybill:schemas')).schemas.outputs).map(([value, { description }]) => ({
      value,
      description,
    })),
    { value: 'rules', description: 'a file of --rules' },
    { value: 'commands', description: 'every command with its arguments, options and exit codes' },
  ],
  service: () => CARRIERS.map(carrier => carrier.serviceType),
  state: () => STATES,
  milestone: () => SHOWN_MILESTONES.toReversed(),
  event: () => describedValues(EVENTS),
  'kind:probability': () => describedValues(FAULTS, ':'),
};
