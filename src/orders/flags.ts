// The flags of a command that builds a request, and of one that books.

import { type Command, Option } from 'commander';
import { type Field, fieldsOf } from '../contract/fields.ts';
import type { Operation } from '../contract/operations.ts';
import { fieldOfOption } from '../field-option.ts';
import { collect } from '../session/globals.ts';

/** A field that a flag gives; its pattern is its path. */
export interface FlaggedField extends Field {
  flag: string;
}

/** The fields that flags of the command give. */
export const flaggedFields = ({ body }: Operation): FlaggedField[] =>
  (body === undefined ? [] : fieldsOf(body)).filter((field): field is FlaggedField => 'flag' in field);

/** Those that an option gives whose text is the value: it is made of what the contract says of the field. */
export const plainFields = (operation: Operation): FlaggedField[] =>
  flaggedFields(operation).filter(({ flag }) => flag.includes(' '));

const GROUP = 'Request:';

export interface RequestOptions {
  file?: string;
  like?: string;
  set?: string[];
  dryRun?: boolean;
  draft?: boolean;
  allowUnknown?: boolean;
  [flag: string]: unknown;
}

/** `--from <cc>` -> `from`, as commander names it. */
export const optionName = (flag: string): string => new Option(flag).attributeName();

/** `--from <cc>` -> `--from` */
export const flagName = (flag: string): string => flag.replace(/ .*/, '');

export const requestOptions = (command: Command, operation: Operation): Command =>
  fieldOptions(
    command.optionsGroup(GROUP).option('-f, --file <path>', 'the request as a JSON object; - is stdin'),
    operation,
  )
    .option('--dry-run', 'show the request and send nothing')
    .option('--draft', 'continue a form that was left');

export const likeOption = (command: Command): Command =>
  command
    .optionsGroup(GROUP)
    .addOption(
      new Option(
        '--like <ref>',
        'start from the request of a booked order, in place of the profile; REF is its key, a shipment id, a tracking number or its id in the journal; needs another --key',
      ).conflicts('draft'),
    );

/** The options that set fields: a batch has these too. */
export function fieldOptions(command: Command, operation: Operation): Command {
  for (const field of plainFields(operation)) {
    const { flag, group = GROUP, description, values } = field;
    const option = new Option(flag, `${description}${values ? ` (${Object.keys(values).join(', ')})` : ''}`);
    command.optionsGroup(group).addOption(option);
    fieldOfOption.set(option, field);
  }
  return command
    .optionsGroup(GROUP)
    .option('--set <path=value>', 'any field by its path; repeatable', collect)
    .option('--allow-unknown', 'send fields that the service document does not name');
}

/** What a booking is called, and which safeguards the user waives. */
export interface BookingOptions {
  key?: string | undefined;
  allowDuplicate?: boolean | undefined;
  newJournal?: boolean | undefined;
}

export function bookingOptions(command: Command, { keySpace }: Operation): Command {
  command.optionsGroup('Booking:');
  if (keySpace !== null)
    command.option('--key <key>', 'your own name for it, such as an order number; a key is booked once');
  return journalOption(
    command.option('--allow-duplicate', 'book it although an order with the same content was booked before'),
  );
}

export const journalOption = (command: Command): Command =>
  command
    .optionsGroup('Booking:')
    .option('--new-journal', 'continue with a journal that is new or has lost bookings');
