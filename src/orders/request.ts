import type { Command } from 'commander';
import { fieldAt, fieldsOf } from '../contract/fields.ts';
import { bodyOf, type Issue, type Schema } from '../contract/operation.ts';
import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { PARTIES, type PartyRole } from '../contract/parties.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { fieldOfOption } from '../field-option.ts';
import type { Profile } from '../profile/store.ts';
import { complete } from '../request/complete.ts';
import { layer } from '../request/layers.ts';
import { fitParty } from '../request/party.ts';
import { validate } from '../request/validate.ts';
import { applySets, typed } from '../request/values.ts';
import { warningsOf } from '../request/warnings.ts';
import { onLoopback } from '../session/address.ts';
import { collect } from '../session/globals.ts';
import { readObject } from '../session/input-files.ts';
import { findSaved } from '../session/saved.ts';
import type { Session } from '../session/session.ts';

/** A flag that gives one field of the body: what the field is, which values it may have, comes from the contract. */
export interface FieldFlag {
  /** As commander wants it: `--from <cc>`. */
  flag: string;
  path: string;
  /** The heading of help that it stands under; else that of the request. */
  group?: string;
}

const GROUP = 'Request:';

export interface RequestOptions {
  file?: string;
  set?: string[];
  dryRun?: boolean;
  draft?: boolean;
  allowUnknown?: boolean;
  [flag: string]: unknown;
}

/** `--from <cc>` -> `from`, as commander names it. */
export const optionName = ({ flag }: FieldFlag): string =>
  flag
    .replace(/^--/, '')
    .replace(/ .*/, '')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The flags of a command that builds a request. */
export const requestOptions = (
  command: Command,
  operation: Operation,
  flags: readonly FieldFlag[],
): Command =>
  fieldOptions(
    command.optionsGroup(GROUP).option('-f, --file <path>', 'the request as a JSON object; - is stdin'),
    operation,
    flags,
  )
    .option('--dry-run', 'show the request and send nothing')
    .option('--draft', 'go on with a form that was left');

/** Those that say something of the body. */
export function fieldOptions(command: Command, operation: Operation, flags: readonly FieldFlag[]): Command {
  for (const { flag, path, group = GROUP } of flags) {
    const field = operation.body && fieldAt(operation.body, parsePath(path) ?? []);
    const values = field?.values ? ` (${Object.keys(field.values).join(', ')})` : '';
    command.optionsGroup(group).option(flag, `${field?.description ?? path}${values}`);
    const option = command.options.at(-1);
    if (field && option) fieldOfOption.set(option, field);
  }
  return command
    .optionsGroup(GROUP)
    .option('--set <path=value>', 'any field by its path; repeatable', collect)
    .option('--allow-unknown', 'send fields that the service document does not name');
}

export interface RequestParts {
  operation: Operation;
  options: RequestOptions;
  flags: readonly FieldFlag[];
  /** What flags other than those of single fields give. */
  extra?: unknown;
  /** The flags of which one gives what a body lacks as a whole. */
  oneOf?: string;
  /** Paths that a proposal would tell; they may be missing. */
  unresolved?: readonly string[];
  /** The layers as they were gathered before, with what a form was told: they are not read again. */
  gathered?: Gathered;
  /** What a record of a batch says: it lies above flags and `--set`. */
  record?: unknown;
  /** What is doubtful in a body of this command beside what is doubtful in any. */
  doubtsIn?(body: unknown): string[];
}

export interface Request {
  body: unknown;
  /** What the user gave of it, before the profile filled anything in: two that are the same are one order. */
  given: unknown;
}

/**
 * Builds a body out of profile, file, flags and `--set`, weakest first, and validates it. Throws `invalid_request`
 * with every fault at once; tells warnings, and with `--strict` refuses them.
 */
export async function buildRequest(session: Session, parts: RequestParts): Promise<Request> {
  const { operation, record, gathered = await gather(session, parts) } = parts;
  const completed = (under: unknown) => complete(bodyOf(operation), layer(under, record));
  const body = completed(gathered.full);
  await refuseFaults(session, parts, body);
  await tellWarnings(session, parts, body);
  return { body, given: gathered.given === gathered.full ? body : completed(gathered.given) };
}

/** What there is of a body, before anything is completed or checked. */
export interface Gathered {
  /** Out of the profile. */
  defaults: unknown;
  /** Out of everything else. */
  given: unknown;
  full: unknown;
}

/** All but the record of a batch: it lies above, and replaces whole what a profile says of a party. */
export async function gather(session: Session, parts: RequestParts): Promise<Gathered> {
  const { operation, options } = parts;
  const schema = bodyOf(operation);
  const layers = await givenLayers(session, schema, parts);
  const overridden = new Set(layers.flatMap(part => Object.keys(part ?? {})));
  const defaults = await defaultsFor(session, schema, overridden);
  const upon = (start: unknown) => applySets(schema, layers.reduce(layer, start), options.set ?? []);
  const given = upon({});
  return { defaults, given, full: isEmpty(defaults) ? given : upon(defaults) };
}

const isEmpty = (defaults: unknown): boolean => Object.keys(defaults as object).length === 0;

/** What holds for every record of a batch, read once. */
export const common = async (session: Session, parts: RequestParts): Promise<RequestParts> => ({
  ...parts,
  gathered: await gather(session, parts),
});

async function givenLayers(
  session: Session,
  schema: Schema,
  { options, flags, extra }: RequestParts,
): Promise<unknown[]> {
  const file = options.file === undefined ? {} : await readObject(options.file, session.host);
  const fromFlags = flags.reduce((body: unknown, flag) => {
    const value = options[optionName(flag)];
    const path = parsePath(flag.path) ?? [];
    return typeof value === 'string' ? setAt(body, path, typed(fieldAt(schema, path), value)) : body;
  }, {});
  return [file, fromFlags, extra];
}

/** What the profile says that this body has a place for and nothing stronger gives. */
async function defaultsFor(
  session: Session,
  schema: Schema,
  overridden: ReadonlySet<string>,
): Promise<unknown> {
  const { profile } = session.target();
  const has = new Set(fieldsOf(schema).map(field => field.pattern));
  let body: unknown = {};
  for (const role of PARTIES)
    if (has.has(role) && profile[role] !== undefined && !overridden.has(role))
      body = setAt(body, [role], await fitted(session, schema, role, profile[role]));
  for (const [name, path] of SIMPLE_DEFAULTS)
    if (has.has(path) && profile[name] !== undefined)
      body = setAt(body, parsePath(path) ?? [], profile[name]);
  return body;
}

const SIMPLE_DEFAULTS: readonly (readonly [keyof Profile, string])[] = [
  ['currency', 'customs.currency'],
  ['type', 'type'],
  ['category', 'category'],
  ['deliveryType', 'deliveryType'],
];

/** The party for a `REF`: a JSON file, or `@name` of one that the profile keeps. */
export async function partyOf(
  session: Session,
  schema: Schema,
  role: PartyRole,
  ref: string,
): Promise<unknown> {
  if (!ref.startsWith('@')) return readObject(ref, session.host);
  const party = findSaved(session.target(), 'parties', ref.slice(1), `--${role} ${ref}: `);
  return fitted(session, schema, role, party);
}

async function fitted(session: Session, schema: Schema, role: PartyRole, saved: unknown): Promise<unknown> {
  const widest = OPERATIONS.createDualShipment.body ?? schema;
  const { party, dropped } = fitParty(schema, widest, role, saved);
  if (dropped.length > 0)
    await session.printer.note(
      `left out of the saved party, as only dual shipments have it: ${dropped.join(', ')}`,
    );
  return party;
}

/** Refuses a body that has faults; `fate` says what that means for the user. Throws `invalid_request`. */
export async function refuseFaults(
  session: Session,
  parts: RequestParts,
  body: unknown,
  fate = 'nothing was sent',
): Promise<void> {
  const { command } = parts.operation;
  const issues = await faultsOf(session, parts, body);
  if (issues.length === 0) return;
  const count = issues.length === 1 ? 'a fault' : `${issues.length} faults`;
  throw new Failure('invalid_request', `${command}: the request has ${count}; ${fate}`, {
    operation: command,
    issues,
  });
}

/** Every fault of a body, save what a proposal would tell. */
export async function faultsOf(session: Session, parts: RequestParts, body: unknown): Promise<Issue[]> {
  const { operation, options, unresolved = [] } = parts;
  const filled = unresolved.reduce((target: unknown, written) => {
    const path = parsePath(written) ?? [];
    if (getAt(target, path) !== undefined) return target;
    return setAt(target, path, fieldAt(operation.body as Schema, path)?.kind === 'number' ? 0 : '?');
  }, body);
  return validate(operation, filled, {
    rules: { economyCarriers: session.economyCarriers(), serviceOnLoopback: onLoopback(session.target()) },
    allowUnknown: options.allowUnknown === true,
    flagFor: path => flagFor(parts, path),
  });
}

// Flags that are not those of a single field.
const SPEC_FLAGS: readonly FieldFlag[] = [
  { flag: '--package', path: 'packages' },
  { flag: '--package', path: 'data.packages' },
  { flag: '--item', path: 'items' },
  { flag: '--event', path: 'events' },
  { flag: '--carrier', path: 'carrier.id' },
  ...PARTIES.map(role => ({ flag: `--${role}`, path: role })),
];

/** The flag that gives a field: one of its own, else `--set`. An object without one is given by its fields. */
function flagFor({ operation, flags, record, oneOf }: RequestParts, path: string): string | undefined {
  if (path === '') return record === undefined ? oneOf : undefined;
  const own = [...flags, ...SPEC_FLAGS].find(flag => flag.path === path);
  if (own) return own.flag.replace(/ .*/, '');
  const kind = fieldAt(bodyOf(operation), parsePath(path) ?? [])?.kind;
  // What one record of a batch lacks would be set for all of them.
  if (kind === undefined || kind === 'object' || record !== undefined) return undefined;
  return `--set ${path.includes('[') ? `'${path}=VALUE'` : `${path}=VALUE`}`;
}

/** Tells what is probably a mistake; with `--strict` that refuses the request. */
async function tellWarnings(
  session: Session,
  { operation, doubtsIn }: RequestParts,
  body: unknown,
): Promise<void> {
  for (const warning of [...warningsOf(body), ...(doubtsIn?.(body) ?? [])])
    await session.printer.warn(warning);
  refuseWarnings(session, operation, 'nothing was sent');
}

/** With `--strict` a warning is an error; `fate` says what that means for the user. Throws `invalid_request`. */
export function refuseWarnings({ printer }: Session, { command }: Operation, fate: string): void {
  if (printer.warnings.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${command}: there were warnings, and --strict makes them errors; ${fate}`,
    {
      operation: command,
      issues: printer.warnings.map(message => ({ path: '', message })),
    },
  );
}
