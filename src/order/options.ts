// The flags of commands that build a request or book: how they are defined, read, given by a profile, and written as typed.

import { InvalidArgumentError, Option } from 'commander';
import { keyFault } from '../contract/key.ts';
import type { Operation } from '../contract/operations.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { type Field, fieldsOf } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { CROP_RULE, cropIn, isStamp, PAPER_RULE, paperIn, STAMP_RULE } from '../paper.ts';
import { optionOfSetting } from '../profile/settings.ts';
import { findSaved, type Profile } from '../profile/store.ts';
import { OPTION_SETTINGS, type OptionSetting } from '../profile/table.ts';
import type { TargetFlags } from '../profile/target.ts';
import type { PackageFault } from '../say/order.ts';
import { type Flags, flag, grouped, type OptionsOf } from '../session/flags.ts';
import { REPEATED, readAmount } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { numberOf, shellWord } from '../text.ts';

/** A field of a body that a flag gives; its pattern is its path. */
export interface FlaggedField extends Field {
  flag: string;
}

/** The fields for which the command has flags. */
export const flaggedFields = (operation: Operation): FlaggedField[] =>
  (operation.body === undefined ? [] : fieldsOf(operation.body)).filter(
    (field): field is FlaggedField => 'flag' in field,
  );

/** The fields whose flag takes the value as text; such a flag is made of what the contract says of the field. */
export const plainFields = (operation: Operation): FlaggedField[] =>
  flaggedFields(operation).filter(({ flag }) => flag.includes(' '));

const GROUP = 'Request:';

export interface RequestOptions {
  file?: string;
  like?: string;
  swap?: boolean;
  set?: string[];
  dryRun?: boolean;
  plan?: string;
  allowUnknown?: boolean;
  /** The file of rules; `false`: not the rules of the profile. */
  rules?: string | false;
  /** Keys of orders that are booked although a rule holds them. */
  release?: string[];
}

/** The value of an option by its name, where the name comes from a field or from a profile. */
export const optionIn = (options: object, name: string): unknown =>
  new Map<string, unknown>(Object.entries(options)).get(name);

/** The name of an option, as commander makes it: `from` for `--from <cc>`. */
export const optionName = (flag: string): string => new Option(flag).attributeName();

/** A flag without its value: `--from` for `--from <cc>`. */
export const flagName = (flag: string): string => flag.replace(/ .*/, '');

/**
 * The flags of a command that sends a request. `isShipment`: the request may begin with an earlier order, and be planned. `hasWayBack`: the
 * request may be the way back of that order.
 */
export const requestFlags = (operation: Operation, isShipment = false, hasWayBack = false): Flags => ({
  ...grouped(GROUP, { file: flag('-f, --file <path>', 'the request as a JSON object; - is stdin') }),
  ...fieldFlags(operation),
  ...grouped(GROUP, {
    dryRun: flag('--dry-run', 'show the request and send nothing'),
    ...(isShipment && {
      like: flag(
        '--like <ref>',
        'start from the request of a booked order, by any of its names, in place of the profile; needs another --key',
      ),
      ...(hasWayBack && {
        swap: flag(
          '--swap',
          'with --like: the way back, such as a return; sender and receiver change places, and customs numbers are left out',
        ),
      }),
      plan: flag(
        '--plan <file>',
        'ask for the price and write all of it as a plan, which -f books; - is stdout',
      ),
    }),
  }),
});

/** The flags that set fields of a body: a batch has these flags, too. */
export const fieldFlags = (operation: Operation): Flags => ({
  ...Object.fromEntries(
    plainFields(operation).map(({ flag: typed, group = GROUP, description, values = {}, assumed }) => {
      const allowed = [Object.keys(values).join(', '), assumed && `default: ${assumed}`].filter(Boolean);
      const help = allowed.length > 0 ? `${description} (${allowed.join('; ')})` : description;
      return [optionName(typed), { group, ...flag(typed, help) }];
    }),
  ),
  ...grouped(GROUP, {
    set: flag('--set <path=value>', 'any field by its path; repeatable', REPEATED),
    allowUnknown: flag('--allow-unknown', 'send fields that the service document does not name'),
  }),
});

/** The options of a booking: its name, and the safeguards that the user waives. */
export interface BookingOptions {
  key?: string | undefined;
  allowDuplicate?: boolean | undefined;
  newJournal?: boolean | undefined;
}

export const JOURNAL_FLAGS = grouped('Booking:', {
  newJournal: flag('--new-journal', 'continue with a journal that is new or has lost bookings'),
});

export const bookingFlags = (operation: Operation): Flags => ({
  ...grouped('Booking:', {
    ...(operation.keySpace !== null && {
      key: flag('--key <key>', 'your own name for it, such as an order number; a key is booked once'),
    }),
    allowDuplicate: flag(
      '--allow-duplicate',
      'book it although an order with the same content was booked before',
    ),
  }),
  ...JOURNAL_FLAGS,
});

/** Refuses a text that cannot be a key. Throws `usage`. */
export function checkKey(key: string | undefined): void {
  if (key?.trim() === '') throw new Failure('usage', { kind: 'key-empty' });
  const fault = key === undefined ? undefined : keyFault(key);
  if (key !== undefined && fault !== undefined)
    throw new Failure('usage', { kind: 'key-unusable', key, rule: fault });
}

/** This word, typed as the paper or the stamp of labels, leaves out that of the profile. */
export const NONE = 'none';

export const LABEL_FLAGS = grouped('Label:', {
  download: flag('--download <dir>', 'save the label as {key or shipment id}.pdf in this folder'),
  merge: flag('--merge <file>', 'write all labels as one PDF, in the order given'),
  print: flag('--print', "run the profile's printCommand (lp) on each label that was not printed yet"),
  reprint: flag('--reprint', 'with --print: on labels that were printed before, too'),
  fit: flag('--fit <paper>', 'print or merge each label on this paper: 100x150mm, 4x6in, a6; none: its own', {
    read: text => asTyped(text, word => word === NONE || paperIn(word), `${PAPER_RULE}, or ${NONE}`),
  }),
  crop: flag(
    '--crop <part>',
    'print or merge a part of each page: auto (what is drawn), or X,Y,WxH in mm from the upper left',
    { read: text => asTyped(text, cropIn, CROP_RULE) },
  ),
  perPage: flag('--per-page <n>', 'with --merge: so many labels on each A4 page', { choices: ['2', '4'] }),
  stamp: flag(
    '--stamp <text>',
    'a line below each label; {key} and {receiver} are those of its order; none: no line',
    {
      read: text => asTyped(text, isStamp, STAMP_RULE),
    },
  ),
  papers: flag(
    '--papers [papers]',
    'behind each label the commercial invoice and the packing slip: invoice, slip, or both if left out',
    { read: parsePapers },
  ),
});
export type LabelFileOptions = OptionsOf<typeof LABEL_FLAGS>;

/** The papers that may go with a label: a commercial invoice and a packing slip. */
export const PAPERS = ['invoice', 'slip'] as const;
export type Paper = (typeof PAPERS)[number];

/** The papers that the option `--papers` wants; all papers if it has no value. */
export const papersIn = (typed: string | true | undefined): readonly Paper[] =>
  typed === undefined ? [] : PAPERS.filter(paper => typed === true || typed.split(',').includes(paper));

/** Reads papers such as `invoice,slip`. Throws what commander shows, for example if a REF stands behind the flag. */
function parsePapers(written: string): string {
  if (written.split(',').every(word => PAPERS.some(paper => paper === word))) return written;
  throw new InvalidArgumentError(
    'It must be invoice, slip or invoice,slip. For both, put --papers behind all names.',
  );
}

/** Must the labels be saved as files, also those that earlier commands made? */
export const wantsFiles = (options: LabelFileOptions): boolean =>
  options.download !== undefined || Boolean(options.merge) || Boolean(options.print);

/** The text of an option as it was typed, if it is allowed. Throws what commander shows. */
function asTyped(text: string, isAllowed: (text: string) => unknown, rule: string): string {
  if (isAllowed(text)) return text;
  throw new InvalidArgumentError(`It must be ${rule}.`);
}

/** Refuses papers without label files, and options of paper without merging or printing. Throws `usage`. */
export function requireFiles(options: LabelFileOptions): void {
  const { papers, merge, print, fit, crop, perPage, stamp } = options;
  if (papers !== undefined && !wantsFiles(options))
    throw new Failure('usage', { kind: 'papers-without-files' });
  if (perPage !== undefined && !merge) throw new Failure('usage', { kind: 'per-page-without-merge' });
  // Papers between the labels would end each page after one label.
  if (perPage !== undefined && papers !== undefined)
    throw new Failure('usage', { kind: 'per-page-with-papers' });
  const onPaper = Object.entries({ fit, crop, perPage, stamp }).find(([, value]) => value !== undefined);
  if (onPaper && !merge && !print)
    throw new Failure('usage', {
      kind: 'paper-without-print',
      option: optionWords(onPaper[0], true).join(''),
    });
  if (perPage !== undefined && fit !== undefined) throw new Failure('usage', { kind: 'two-papers' });
}

/** Refuses options for label files if no label is wanted: these options make no label, which would cost money. Throws `usage`. */
export function requireLabel(options: LabelFileOptions, isWanted: boolean): void {
  const { download, merge, print, reprint, papers, fit, crop, perPage, stamp } = options;
  const wanted = { print, merge, download, reprint, papers, fit, crop, perPage, stamp };
  const name = Object.entries(wanted).find(([, value]) => value)?.[0];
  if (name !== undefined && !isWanted)
    throw new Failure('usage', { kind: 'option-needs-label', option: optionWords(name, true).join('') });
}

export const PARCEL_FLAGS = grouped('Packages:', {
  package: flag(
    '--package <parcel>',
    'packages, as 2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H), or @NAME and 3x@NAME of a parcel saved in the profile; repeatable',
    REPEATED,
  ),
});

/** The flags of packages, with the flags that describe a single package. */
export const SINGLE_PARCEL_FLAGS = {
  ...PARCEL_FLAGS,
  ...grouped('Packages:', {
    weight: flag('--weight <kg>', 'weight of a single package', { read: readAmount }),
    length: flag('--length <cm>', 'its length', { read: readAmount }),
    width: flag('--width <cm>', 'its width', { read: readAmount }),
    height: flag('--height <cm>', 'its height', { read: readAmount }),
    quantity: flag('--quantity <n>', 'how many of them (default: 1)', { read: readAmount }),
  }),
};

export type ParcelOptions = OptionsOf<typeof SINGLE_PARCEL_FLAGS>;

const NEEDED = ['weight', 'length', 'width', 'height'] as const;
/** The options that describe a single package. */
export const SINGLE = [...NEEDED, 'quantity'] as const;

/** The parcel of a SPEC, or of a name from the profile such as `@small` or `3x@small`. Throws `usage`. */
export function parcelOf(session: Session, spec: string): Parcel {
  const [, times = 1, name] = /^\s*(?:(\d+)\s*x\s*)?@([\w.@-]+)\s*$/i.exec(spec) ?? [];
  if (name === undefined) return parsePackage(spec);
  const label = `--package ${spec.trim()}: `;
  const saved = findSaved(session.target(), 'parcels', name, label);
  const parcel = parsePackage(saved, `${label}the saved parcel`);
  return { ...parcel, quantity: Number(times) * parcel.quantity };
}

/** The packages that the flags give; `undefined` if they give none. Throws `usage`. */
export function parcelsOf(session: Session, options: ParcelOptions): Parcel[] | undefined {
  const single = SINGLE.filter(name => options[name] !== undefined);
  if (options.package !== undefined) {
    if (single.length > 0)
      throw new Failure('usage', { kind: 'packages-given-twice', option: single[0] ?? '' });
    return options.package.map(spec => parcelOf(session, spec));
  }
  if (single.length === 0) return undefined;
  const missing = NEEDED.filter(name => options[name] === undefined);
  // If prompts are possible, a form asks for what is missing.
  if (missing.length > 0 && !session.interactive)
    throw new Failure('usage', { kind: 'package-incomplete', option: single[0] ?? '', missing });
  const { weight, length, width, height, quantity = 1 } = options;
  return [{ quantity, weight, length, width, height } as Parcel];
}

/** The options that do not concern the body, by their names in code. */
export function otherOptions(command: { operation: Operation }, options: object): Record<string, unknown> {
  const ofBody = new Set<string>(['file', 'like', 'swap', 'set', 'dryRun', ...SINGLE]);
  for (const { flag } of flaggedFields(command.operation)) ofBody.add(optionName(flag));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ofBody.has(name)));
}

/** A group of equal pieces, as `--package` or the flags of a single package give it; in kg and cm. */
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

/** Reads `2x1.5kg@30x20x10cm`: pieces × weight of each @ length × width × height. `where` begins the message. Throws `usage`. */
export function parsePackage(spec: string, where = '--package'): Parcel {
  // Many blanks between two optional parts would make the match slow: its time grows with the square of their number.
  const match = PACKAGE.exec(spec.replace(/\s+/g, ' '));
  const refuse = (fault: PackageFault) =>
    new Failure('usage', { kind: 'package-malformed', where, typed: spec, ...fault });
  if (match === null) throw refuse({ fault: /\d,\d/.test(spec) ? 'comma' : 'form' });
  // Only the number of pieces may be left out: it is 1 then.
  const exact = (part = '1'): number => {
    const number = numberOf(part);
    if (number === undefined) throw refuse({ fault: 'digits', number: part });
    return number;
  };
  const [quantity = 1, weight = 0, length = 0, width = 0, height = 0] = match.slice(1).map(exact);
  return { quantity, weight, length, width, height };
}

/** Reads `description=T-shirt,hsCode=610910,…` as pairs; a comma separates pairs only if a `name=` follows. Throws `usage`. */
export function parseItem(spec: string): [name: string, value: string][] {
  const pairs = spec.split(/,\s*(?=[A-Za-z_]\w*=)/).map((part): [string, string] => {
    const at = part.indexOf('=');
    if (at < 1) throw new Failure('usage', { kind: 'item-malformed', typed: spec });
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  const names = new Set<string>();
  const twice = pairs.map(([name]) => name).find(name => names.size === names.add(name).size);
  if (twice !== undefined) throw new Failure('usage', { kind: 'item-names-twice', typed: spec, name: twice });
  return pairs;
}

/** Reads a header such as `X-Name: value`. Throws `usage`. */
export function parseHeader(spec: string): [name: string, value: string] {
  const at = spec.indexOf(':');
  if (at < 1) throw new Failure('usage', { kind: 'header-malformed', typed: spec });
  return [spec.slice(0, at).trim(), spec.slice(at + 1).trim()];
}

/** The first name of a header that repeats an earlier one, whatever its case. */
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

/** A parcel in the shape of a request for proposals. */
export const proposalPackage = ({ quantity, weight, ...dimensions }: Parcel) => ({
  quantity,
  weight,
  dimensions,
});

/** A parcel in the shape of a request for rates. */
export const ratePackage = (parcel: Parcel) => ({
  height: parcel.height,
  width: parcel.width,
  lengthCm: parcel.length,
  piece: parcel.quantity,
  pieceWeight: parcel.weight,
});

// Command lines for people to type: the same request again, or the next step.

/** The flags that make another command use the same service, as arguments. */
export function targetFlags(session: { globals: TargetFlags }): string[] {
  const { profile, sandbox } = session.globals;
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(sandbox === undefined ? [] : [sandbox ? '--sandbox' : '--no-sandbox']),
  ];
}

/** An option as it is typed, from its name in code; nothing if the option is not given. */
export function optionWords(name: string, value: unknown): string[] {
  const flag = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
  if (value === false && OPTION_SETTINGS.some(setting => setting === name))
    return [flag.replace('--', '--no-')];
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  if (Array.isArray(value)) return value.flatMap(entry => optionWords(name, entry));
  // A price: an amount with its currency.
  const text = isRecord(value) ? `${value.amount}${value.currency}` : String(value);
  return [`${flag} ${shellWord(text)}`];
}

/** A package of a shipment, of proposals or of rates, as a SPEC: `2x1.5kg@30x20x10cm`. */
export function specOf(entry: unknown): string | undefined {
  const first = (...paths: string[]) =>
    paths.map(path => getAt(entry, path)).find(value => value !== undefined);
  const sides = [
    first('dimensions.length', 'lengthCm'),
    first('dimensions.width', 'width'),
    first('dimensions.height', 'height'),
  ];
  const numbers = [first('quantity', 'piece'), first('weight', 'pieceWeight'), ...sides];
  const unit = first('dimensions.unit') ?? 'cm';
  if (unit !== 'cm' || !numbers.every(number => /^\d+(\.\d+)?$/.test(String(number)))) return undefined;
  return `${numbers[0]}x${numbers[1]}kg@${sides.join('x')}cm`;
}

// Options that a profile gives, so that a daily command is short. A flag is stronger than an option of the profile; `--no-…` leaves the
// option out.

export type SettableOption = OptionSetting;

/** The values of options that a profile gives. */
export type ProfileOptions = Readonly<Partial<Record<SettableOption, unknown>>>;

export const isSettable = (name: string): boolean => OPTION_SETTINGS.some(setting => setting === name);

/** The names of those flags that a profile can give. */
export const settableIn = (flags: Flags): SettableOption[] =>
  OPTION_SETTINGS.filter(name => flags[name] !== undefined);

/** The flags, together with a hidden `--no-…` for each one that a profile can give: help tells of these in one sentence. */
export const leavingOut = (flags: Flags): Flags => ({
  ...flags,
  ...Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) =>
      isSettable(name) ? [[name, { ...flag, negative: 'hidden' }]] : [],
    ),
  ),
});

/** The options among `names` that the profile gives, and that the command line does not. */
export function optionsOfProfile(
  profile: Profile,
  options: object,
  names: readonly SettableOption[],
): ProfileOptions {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = profile[name];
      if (optionIn(options, name) !== undefined || value === undefined || value === false) return [];
      return [[name, optionOfSetting(name, value)]];
    }),
  );
}

/** Notes which options the profile gives. */
export async function noteProfileOptions(
  session: Pick<Session, 'printer' | 'target'>,
  taken: ProfileOptions,
): Promise<void> {
  const [first] = Object.keys(taken);
  if (first === undefined) return;
  const options = Object.entries(taken).flatMap(([name, value]) =>
    optionWords(name, value).map((typed): [string, string?] => {
      const [option, word] = typed.split(/ (.*)/s);
      return word === undefined ? [option ?? ''] : [option ?? '', word];
    }),
  );
  const without = optionWords(first, true).join('').replace('--', '--no-');
  await session.printer.note({
    kind: 'profile-gives-options',
    profile: session.target().name ?? '',
    options,
    without,
  });
}
