// What kind of value an option or argument takes, if it has neither choices nor a field of the contract.
import type { Argument, Command, Option } from 'commander';
import type { CommandLine } from './line.ts';

export type ValueKind =
  | 'file'
  | 'folder'
  | 'profile'
  | 'party name'
  | 'parcel name'
  | 'party'
  | 'parcel'
  | 'setting'
  | 'item'
  | 'field'
  | 'source'
  | 'currency'
  | 'carrier'
  | 'service'
  | 'key'
  | 'shipment'
  | 'subscription'
  | 'booking'
  | 'unknown booking'
  | 'operation'
  | 'state'
  | 'milestone'
  | 'event'
  | 'fault'
  | 'free';

// By the name of the option, or by command and option if the option means something else there.
const OPTIONS: Readonly<Record<string, ValueKind>> = {
  file: 'file',
  map: 'file',
  results: 'file',
  failed: 'file',
  data: 'file',
  'secret-file': 'file',
  download: 'folder',
  profile: 'profile',
  sender: 'party',
  receiver: 'party',
  invoice: 'party',
  package: 'parcel',
  item: 'item',
  set: 'field',
  'client-header': 'source',
  'add header': 'source',
  'set header': 'source',
  currency: 'currency',
  carrier: 'carrier',
  'ship-dual international': 'carrier',
  'ship-dual domestic': 'carrier',
  'label international': 'shipment',
  'label domestic': 'shipment',
  service: 'service',
  key: 'key',
  state: 'state',
  until: 'milestone',
  'list until': 'free',
  'list before': 'booking',
  event: 'event',
  fault: 'fault',
};

// By the words of a command and the name of its argument.
const ARGUMENTS: Readonly<Record<string, ValueKind>> = {
  'track id': 'shipment',
  'webhook get id': 'subscription',
  'history show id|key': 'booking',
  'history resolve id|key': 'unknown booking',
  'history import file': 'file',
  'profile add name': 'free',
  'profile set key=value': 'setting',
  'profile party show name': 'party name',
  'profile party remove name': 'party name',
  'profile parcel show name': 'parcel name',
  'profile parcel remove name': 'parcel name',
  'emulator command': 'file',
  'schema operation': 'operation',
};

/** The kind of the value being typed; `free` if nothing is known about it. */
export function kindAt({ command, typed: { option, argument } }: CommandLine): ValueKind {
  if (option) return kindOfOption(command, option);
  return argument ? kindOfArgument(command, argument) : 'free';
}

export const kindOfOption = (command: Command, option: Option): ValueKind =>
  OPTIONS[`${command.name()} ${option.name()}`] ?? OPTIONS[option.name()] ?? 'free';

export function kindOfArgument(command: Command, argument: Argument): ValueKind {
  const words = wordsOf(command);
  const known = ARGUMENTS[`${words.join(' ')} ${argument.name()}`];
  if (known) return known;
  if (argument.name() === 'file') return 'file';
  return words[0] === 'profile' && words.length === 2 && argument.name() === 'name' ? 'profile' : 'free';
}

/** The operation as it is typed: `webhook create`, and `ship` for `batch ship`. */
export const operationWords = ({ command }: CommandLine): string =>
  wordsOf(command)
    .filter(word => word !== 'batch')
    .join(' ');

/** The words after `waybill`: `['webhook', 'create']`. */
export const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
