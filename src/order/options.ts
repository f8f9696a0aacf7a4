// The flags of a command that builds a request, and of one that books.
import { type Command, Option } from 'commander';
import { type Field, fieldsOf } from '../contract/fields.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { findSaved } from '../profile/store.ts';
import { collect, readAmount } from '../session/globals.ts';
import { numberOf, shown } from '../text.ts';
import type { Sources } from './order.ts';

/** A field that a flag gives; its pattern is its path. */
export interface FlaggedField extends Field {
  flag: string;
}

/** The fields that flags of the command give. */
export const flaggedFields = ({ body }: Operation): FlaggedField[] =>
  (body === undefined ? [] : fieldsOf(body)).filter((field): field is FlaggedField => 'flag' in field);

/** The fields that an option gives whose text is the value: it is made of what the contract says of the field. */
export const plainFields = (operation: Operation): FlaggedField[] =>
  flaggedFields(operation).filter(({ flag }) => flag.includes(' '));

const GROUP = 'Request:';

export interface RequestOptions {
  file?: string;
  like?: string;
  set?: string[];
  dryRun?: boolean;
  plan?: string;
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
  ).option('--dry-run', 'show the request and send nothing');

export const likeOption = (command: Command): Command =>
  command
    .optionsGroup(GROUP)
    .option(
      '--like <ref>',
      'start from the request of a booked order, in place of the profile; REF is its key, a shipment id, a tracking number or its id in the journal; needs another --key',
    );

export const planOption = (command: Command): Command =>
  command
    .optionsGroup(GROUP)
    .option('--plan <file>', 'ask for the price and write all of it as a plan, which -f books; - is stdout');

/** The options that set fields: a batch has these too. */
export function fieldOptions(command: Command, operation: Operation): Command {
  for (const field of plainFields(operation)) {
    const { flag, group = GROUP, description, values } = field;
    const option = new Option(flag, `${description}${values ? ` (${Object.keys(values).join(', ')})` : ''}`);
    command.optionsGroup(group).addOption(option);
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

export interface ParcelOptions {
  package?: string[];
  weight?: number;
  length?: number;
  width?: number;
  height?: number;
  quantity?: number;
}

export const parcelOptions = (command: Command): Command =>
  command
    .optionsGroup('Packages:')
    .option(
      '--package <parcel>',
      'packages, as 2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H), or @NAME and 3x@NAME of a parcel saved in the profile; repeatable',
      collect,
    );

/** The plain flags of a single package. */
export const singleParcelOptions = (command: Command): Command =>
  command
    .optionsGroup('Packages:')
    .option('--weight <kg>', 'weight of a single package', readAmount)
    .option('--length <cm>', 'its length', readAmount)
    .option('--width <cm>', 'its width', readAmount)
    .option('--height <cm>', 'its height', readAmount)
    .option('--quantity <n>', 'how many of them (default: 1)', readAmount);

const NEEDED = ['weight', 'length', 'width', 'height'] as const;
/** The options of a single package. */
export const SINGLE = [...NEEDED, 'quantity'] as const;

/** The parcel of a SPEC, or of `@small` and `3x@small` from the profile. Throws `usage`. */
export function parcelOf(sources: Sources, spec: string): Parcel {
  const preset = parsePreset(spec);
  if (preset === undefined) return parsePackage(spec);
  const { times, name } = preset;
  const saved = findSaved(sources.target(), 'parcels', name, `--package ${spec.trim()}: `);
  const parcel = parsePackage(saved, `--package ${spec.trim()}: the saved parcel`);
  return { ...parcel, quantity: times * parcel.quantity };
}

/** The packages that the flags give; `undefined` if they give none. Throws `usage`. */
export function parcelsOf(sources: Sources, options: ParcelOptions): Parcel[] | undefined {
  const single = SINGLE.filter(name => options[name] !== undefined);
  if (options.package !== undefined) {
    if (single.length > 0)
      throw new Failure(
        'usage',
        `--package and --${single[0]} both describe packages; give one or the other. Nothing was sent`,
      );
    return options.package.map(spec => parcelOf(sources, spec));
  }
  if (single.length === 0) return undefined;
  const missing = NEEDED.filter(name => options[name] === undefined).map(name => `--${name}`);
  // A form asks for what is missing.
  if (missing.length > 0 && !sources.interactive)
    throw new Failure(
      'usage',
      `--${single[0]} describes a package, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; nothing was sent. Or give everything at once: --package 1.5kg@30x20x10cm`,
    );
  const { weight, length, width, height, quantity = 1 } = options;
  return [{ quantity, weight, length, width, height } as Parcel];
}

/** The options that say nothing of the body, by their names in code. */
export function otherOptions(
  { operation }: { operation: Operation },
  options: object,
): Record<string, unknown> {
  const ofBody = new Set<string>(['file', 'like', 'set', 'dryRun', ...SINGLE]);
  for (const { flag } of flaggedFields(operation)) ofBody.add(optionName(flag));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ofBody.has(name)));
}

/** A group of equal pieces, as `--package` and the single flags give it: kg and cm. */
export interface Parcel {
  quantity: number;
  weight: number;
  length: number;
  width: number;
  height: number;
}

const NUMBER = '(\\d+(?:\\.\\d+)?|\\.\\d+)';
const PACKAGE = new RegExp(
  `^\\s*(?:(\\d+)\\s*x\\s*)?${NUMBER}\\s*(?:kg)?\\s*@\\s*${NUMBER}\\s*x\\s*${NUMBER}\\s*x\\s*${NUMBER}\\s*(?:cm)?\\s*$`,
  'i',
);

// Many blanks between two optional parts would take time with the square of their number.
const matchPackage = (spec: string) => PACKAGE.exec(spec.replace(/\s+/g, ' '));

export const isPackage = (spec: string): boolean => matchPackage(spec) !== null;

/** `2x1.5kg@30x20x10cm`: pieces × weight each @ length × width × height. `label` begins the message. Throws `usage`. */
export function parsePackage(spec: string, label = '--package'): Parcel {
  const match = matchPackage(spec);
  const refuse = (hint: string) =>
    new Failure(
      'usage',
      `${label} ${shown(spec)} is not of the form [PIECESx]WEIGHT[kg]@LENGTHxWIDTHxHEIGHT[cm]; ${hint}`,
    );
  if (match === null)
    throw refuse(/\d,\d/.test(spec) ? 'decimals have a dot, not a comma' : 'try 2x1.5kg@30x20x10cm');
  // Only the pieces may be left out.
  const exact = (part = '1'): number => {
    const number = numberOf(part);
    if (number === undefined) throw refuse(`${shown(part)} has too many digits`);
    return number;
  };
  const [quantity = 1, weight = 0, length = 0, width = 0, height = 0] = match.slice(1).map(exact);
  return { quantity, weight, length, width, height };
}

/** `3x@small`: three times the parcel saved as `small`. `undefined` if it is not such a reference. */
function parsePreset(spec: string): { times: number; name: string } | undefined {
  const match = /^\s*(?:(\d+)\s*x\s*)?@([\w.@-]+)\s*$/i.exec(spec);
  return match === null ? undefined : { times: Number(match[1] ?? 1), name: match[2] ?? '' };
}

/** `description=T-shirt,hsCode=610910,…` as pairs; a comma separates them only if a `name=` follows. Throws `usage`. */
export function parseItem(spec: string): [name: string, value: string][] {
  const refuse = (why: string) => new Failure('usage', `--item ${shown(spec)} ${why}`);
  const pairs = spec.split(/,\s*(?=[A-Za-z_]\w*=)/).map((part): [string, string] => {
    const at = part.indexOf('=');
    if (at < 1)
      throw refuse(
        'is not of the form NAME=VALUE,NAME=VALUE; try description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5',
      );
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  const names = new Set<string>();
  const twice = pairs.map(([name]) => name).find(name => names.size === names.add(name).size);
  if (twice !== undefined) throw refuse(`gives ${twice} twice`);
  return pairs;
}

/** `X-Name: value`. Throws `usage`. */
export function parseHeader(spec: string): [name: string, value: string] {
  const at = spec.indexOf(':');
  if (at < 1) throw new Failure('usage', `--header ${shown(spec)} is not of the form 'X-Name: value'`);
  return [spec.slice(0, at).trim(), spec.slice(at + 1).trim()];
}

/** The name of a header that is there before, in any case. */
export function repeatedHeader(headers: readonly (readonly [name: string, value: unknown])[]) {
  const names = headers.map(([name]) => name.toLowerCase());
  return headers.find(([name], at) => names.indexOf(name.toLowerCase()) < at)?.[0];
}

/** A parcel in the shape of a shipment's body. */
export const shipmentPackage = ({ quantity, weight, ...dimensions }: Parcel) => ({
  quantity,
  weight,
  dimensions: { ...dimensions, unit: 'cm' },
});

/** … of a proposal. */
export const proposalPackage = ({ quantity, weight, ...dimensions }: Parcel) => ({
  quantity,
  weight,
  dimensions,
});

/** … of a rates request. */
export const ratePackage = ({ quantity, weight, length, width, height }: Parcel) => ({
  height,
  width,
  lengthCm: length,
  piece: quantity,
  pieceWeight: weight,
});
