// What kind of value an option or argument takes, if it has neither choices nor a field of the contract.
import type { Command } from 'commander';
import type { CommandLine } from './line.ts';

// Options by name, or by command and option if the option means something else there.
const OPTIONS = {
  file: [
    'file',
    'map',
    'out',
    'results',
    'failed',
    'merge',
    'data',
    'secret-file',
    'log',
    'cacert',
    'client-cert',
    'client-key',
  ],
  folder: ['download'],
  profile: ['profile'],
  party: ['sender', 'receiver', 'invoice'],
  parcel: ['package'],
  item: ['item'],
  field: ['set'],
  source: ['client-header', 'add header', 'set header'],
  currency: ['currency'],
  carrier: ['carrier', 'ship-dual international', 'ship-dual domestic'],
  shipment: ['label international', 'label domestic'],
  service: ['service'],
  key: ['key'],
  state: ['state'],
  milestone: ['until'],
  booking: ['list before'],
  'same booking': ['like'],
  event: ['event'],
  fault: ['fault'],
  country: ['country'],
  encoding: ['encoding'],
  free: ['list until'],
} as const satisfies Names;

// Arguments by name, or by the words of a command and the name.
const ARGUMENTS = {
  shipment: ['track ref', 'label ref'],
  subscription: ['webhook get id'],
  booking: ['history show ref', 'history accept ref'],
  'unknown booking': ['history resolve ref'],
  file: ['file', 'emulator command'],
  profile: ['name'],
  setting: ['profile set key=value'],
  'party name': ['profile party show name', 'profile party edit name', 'profile party remove name'],
  'parcel name': ['profile parcel show name', 'profile parcel remove name'],
  operation: ['schema operation'],
  // The name of something new.
  free: ['profile add name', 'profile party add name', 'profile parcel add name'],
} as const satisfies Names;

type Names = Readonly<Record<string, readonly string[]>>;
export type ValueKind = keyof typeof OPTIONS | keyof typeof ARGUMENTS;

const byName = (names: Names): ReadonlyMap<string, ValueKind> =>
  new Map(
    Object.entries(names).flatMap(([kind, all]) => all.map(name => [name, kind as ValueKind] as const)),
  );
const OPTION_KINDS = byName(OPTIONS);
const ARGUMENT_KINDS = byName(ARGUMENTS);

/** The kind of the value being typed; `free` if nothing is known about it. */
export function kindAt({ command, typed: { option, argument } }: CommandLine): ValueKind {
  const [kinds, words, name] = option
    ? [OPTION_KINDS, command.name(), option.name()]
    : [ARGUMENT_KINDS, wordsOf(command).join(' '), argument?.name() ?? ''];
  return kinds.get(`${words} ${name}`) ?? kinds.get(name) ?? 'free';
}

/** The operation as it is typed: `webhook create`, and `ship` for `batch ship`. */
export const operationWords = ({ command }: CommandLine): string =>
  wordsOf(command)
    .filter(word => word !== 'batch')
    .join(' ');

/** The words after `waybill`: `['webhook', 'create']`. */
export const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
