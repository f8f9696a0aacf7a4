// A command that builds a request, and what one run of the command knows of that request.

import { hash } from 'node:crypto';
import { countryTyped } from '../contract/country-names.ts';
import { bodyOf, OPERATIONS, type Operation } from '../contract/operations.ts';
import { getAt, isRecord, type Path, parsePath, setAt, setMissing, textAt } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, hasField, type Issue, type Schema } from '../contract/shapes.ts';
import { CUSTOMS, PARTIES, type PartyRole } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { DEEPEST, Json, parseJson } from '../json.ts';
import { findSaved } from '../profile/store.ts';
import type { Message } from '../say/notices.ts';
import { readObject } from '../session/files.ts';
import { type Flags, flag, grouped } from '../session/flags.ts';
import { REPEATED } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { numberOf } from '../text.ts';
import { isPick, mayBeEconomy } from './carrier-choice.ts';
import { type CheckTerms, findIssues, missingIn, refuseIssues, refuseWarnings } from './check.ts';
import { completeBody, withEmptyCodes } from './complete.ts';
import { boxWarnings, phonesFor, takenCodes, warnOfMistakes } from './doubts.ts';
import {
  type LeftNumber,
  NUMBER_NAMES,
  NUMBERS,
  type NumberName,
  type NumberSource,
  numberPath,
  type PlacedNumbers,
  type RecordNumbers,
  territoryOf,
  toldNumbers,
  withNumbers,
} from './numbers.ts';
import {
  type BookingOptions,
  optionIn,
  optionName,
  otherOptions,
  PARCEL_FLAGS,
  type Parcel,
  type ParcelOptions,
  type ProfileOptions,
  parcelsOf,
  parseItem,
  plainFields,
  type RequestOptions,
  shipmentPackage,
} from './options.ts';
import type { Bounds, Order, RulesInForce, Ruling, SoldOrder } from './order.ts';

/** What all requests of a command have in common. */
export interface RequestKind extends Omit<CheckTerms, 'record' | 'allowUnknown'> {
  /** May the order be the way back of an earlier order (`--like REF --swap`)? */
  hasWayBack?: true;
  /** Warnings about a body that only this command has. */
  warnings?(body: unknown): Message[];
}

/** A command that builds a request; its batch builds each request in the same way. `O`: the options of the command. */
export interface RequestCommand<O> extends RequestKind {
  /** Where `--package` and the flags of a single package put the packages, and in which shape. */
  packages?: { path: Path; entry(parcel: Parcel): unknown };
  /** Is it a shipment? Outside a batch it may then begin with an earlier order (`--like`), and be planned. */
  isShipment?: true;
  /** The flags of the command, without those of single fields. */
  flags: Flags;
  /** The part of the body that the options give. Throws `usage`. */
  fromOptions?(session: Session, options: O): unknown;
  /** The fingerprint of a request; by default, the fingerprint of what the user gave. */
  fingerprint?(given: unknown, options: O): string;
  /** The bounds of the order, and whether its label is made after it. */
  terms?(options: O): Pick<Order, 'bounds' | 'thenLabel'>;
  /** Must a proposal fill in something, or keep a bound? */
  needsProposal?(body: unknown, bounds: Bounds): boolean;
  /** Refuses options that contradict each other, and a body that the command does not allow. Throws `usage`. */
  check?(options: O, body?: unknown): void;
}

/** What one run knows of its request before the body is completed and checked. */
export interface RequestParts extends RequestKind {
  layers: Layers;
  /** What `fromOptions` gave. */
  extra: unknown;
  /** Each `PATH=VALUE`: first those of the flags for single fields, then those of `--set`. */
  sets: readonly string[];
  /** The given options that do not concern the body, by their names in code. */
  otherOptions: Readonly<Record<string, unknown>>;
  /** The options of `otherOptions` that a record of a batch gives itself. */
  ofRecord?: Readonly<Record<string, unknown>> | undefined;
  /** `false` for `--no-label`. */
  mayLabel?: boolean;
  allowUnknown: boolean;
  dryRun: boolean;
  /** The file of `-f`. */
  file: string | undefined;
  /** `--like`: the earlier order whose request this one begins with. It has the defaults of its time: the profile adds none. */
  like: string | undefined;
  /** `--swap`: is the request the way back of the order of `--like`? */
  swap: boolean;
  /** A record of a batch. `numbers`: what is known of customs numbers. `sold`: what the map of the batch tells of the sale. */
  record?: unknown;
  numbers?: RecordNumbers | undefined;
  sold?: SoldOrder | undefined;
  /** The rules in force: they choose what neither the user nor the record chooses. */
  rules?: RulesInForce | undefined;
}

export interface Layers {
  /** What the profile gives; nothing with `--like`. */
  defaults: unknown;
  /** What the other sources give. */
  given: unknown;
  full: unknown;
}

/** A request with its completed body, and what is wrong with it. */
export interface CheckedRequest extends Omit<PlacedNumbers, 'issues'> {
  issues: readonly Issue[];
  /** Issues of customs numbers; they are apart, because no form asks for such numbers. */
  numberIssues: readonly Issue[];
  /** What the rules in force made of the request. */
  ruling: Ruling | undefined;
}

export interface Request {
  parts: RequestParts;
  body: unknown;
  /** What the user gave, without the profile: two requests with the same `given` are the same order. */
  given: unknown;
  /** Customs numbers that were left out, because they do not hold for the order. */
  leftNumbers: readonly LeftNumber[];
  ruling: Ruling | undefined;
}

// The layers of a body, weakest first: the profile, or with `--like` an earlier order; then the file, the flags and `--set`; in a batch,
// the record.

/**
 * Reads all layers of a request but the record, each of them once: stdin cannot be read twice. `file`: the content of the file of `-f`.
 * `like`: the request of an earlier order; it takes the place of the profile, whose defaults may have changed since. `ofProfile`: the
 * options that the profile gives.
 */
export async function gather<O extends RequestOptions & ParcelOptions>(
  session: Session,
  command: RequestCommand<O>,
  options: O,
  sources: { file?: unknown; like?: unknown; ofProfile?: ProfileOptions } = {},
): Promise<RequestParts> {
  const { file = {}, like, ofProfile = {} } = sources;
  const { operation, packages } = command;
  const schema = bodyOf(operation);
  // A flag for a single field sets only that field: the other fields of its party stay.
  const flagged = plainFields(operation).flatMap(({ flag, pattern, kind }) => {
    const value = optionIn(options, optionName(flag));
    if (typeof value !== 'string') return [];
    return `${pattern}=${kind === 'country' ? countryTyped(value) : value}`;
  });
  const sets = [...flagged, ...(options.set ?? [])];
  let extra: unknown;
  let refused: Failure | undefined;
  try {
    extra = await command.fromOptions?.(session, options);
    const parcels = packages && parcelsOf(session, options);
    if (parcels) extra = setAt(extra ?? {}, packages.path, parcels.map(packages.entry));
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'usage')) throw error;
    refused = error;
  }
  const weakestFirst: unknown[] = [like, file, extra];
  const overridden = new Set(weakestFirst.flatMap(part => Object.keys(part ?? {})));
  const defaults = like === undefined ? await profileValues(session, schema, overridden, options) : {};
  const upon = (start: object, layers = weakestFirst) => applySets(schema, layers.reduce(layer, start), sets);
  const given = upon({});
  const constant = like === undefined ? [] : numbersOfEarlier(like, file, upon({}, [extra]));
  const parts: RequestParts = {
    ...command,
    layers: { defaults, given, full: Object.keys(defaults).length === 0 ? given : upon(defaults) },
    extra,
    sets,
    otherOptions: otherOptions(command, options),
    allowUnknown: options.allowUnknown === true,
    dryRun: options.dryRun === true,
    file: options.file,
    like: options.like,
    swap: options.swap === true,
    mayLabel: optionIn(options, 'label') !== false,
    rules: await rulesOf(session, options, ofProfile),
    ...(constant.length > 0 && { numbers: { ...OWN, constant } }),
    ...(options.swap && { numbers: OF_WAY_BACK }),
  };
  if (refused === undefined) return parts;
  // The other issues are told, too, but no missing field: its value may be in the option that cannot be read.
  const body = await completed(schema, parts.layers.full);
  const allIssues = findIssues(parts, body, session.rules());
  const missing = new Set(missingIn(allIssues, body));
  const issues = allIssues.filter(issue => !missing.has(issue));
  throw refused.with({ operation: operation.command, issues });
}

/** The numbers of the earlier order which say that its VAT was paid; the file of a draft may repeat them. `typed`: what the flags give. */
const numbersOfEarlier = (like: unknown, file: unknown, typed: unknown): NumberName[] =>
  NUMBER_NAMES.filter(name => {
    const path = numberPath(name);
    const isEarlier = [undefined, getAt(like, path)].includes(getAt(file, path) as string | undefined);
    return NUMBERS[name].territory === territoryOf(like) && isEarlier && getAt(typed, path) === undefined;
  });

/** The rules in force, if any. The code for rules is loaded only if there are some. Throws `invalid_request`, `usage`. */
async function rulesOf(
  session: Session,
  options: RequestOptions,
  ofProfile: ProfileOptions,
): Promise<RulesInForce | undefined> {
  if (typeof options.rules === 'string')
    return (await import('./ruling.ts')).openRules(session, options.rules, ofProfile, options.release);
  if (options.release !== undefined) throw new Failure('usage', { kind: 'release-without-rules' });
  return undefined;
}

/** The body of a request: the record, if there is one, on top of `under`. */
function layered(under: unknown, parts: RequestParts): unknown {
  const { record, layers, sets } = parts;
  // A record replaces the whole party of a profile, but `--set` fills in what the record leaves out of the party.
  const whole = (record === undefined ? [] : sets).reduce(
    (target: unknown, set) => {
      const path = parsePath(pathOfSet(set)) ?? [];
      const value = getAt(layers.given, path);
      return value === undefined ? target : setMissing(target, path, value);
    },
    layer(under, record),
  );
  // An empty cell of a record sets nothing, but a file has no other way to say that a postal code is not needed.
  return record === undefined ? whole : withEmptyCodes(whole);
}

/** Completes the body, and finds all that is wrong with it. */
export async function checkRequest(session: Session, parts: RequestParts): Promise<CheckedRequest> {
  const whole = layered(parts.layers.full, parts);
  const body = await completed(bodyOf(parts.operation), whole);
  const ruling = parts.rules?.ruleFor(body, parts);
  const { issues, ...placed } = placedNumbers(session, parts, ruling?.body ?? body);
  const terms = { ...parts, leftNumbers: placed.left };
  return {
    ...placed,
    doubts: [...placed.doubts, ...takenCodes(whole, body)],
    issues: withRuling(findIssues(terms, placed.body, session.rules()), ruling, session),
    numberIssues: issues,
    ruling,
  };
}

/**
 * The issues of a body, with the issue of a rule that cannot be decided for it. An order that is held or not decided needs no carrier yet.
 * While a person must fill in missing fields, the rule is left out: nobody knows what it says until then.
 */
function withRuling(
  issues: readonly Issue[],
  ruling: Ruling | undefined,
  session: Session,
): readonly Issue[] {
  const { problem, held } = ruling ?? {};
  if (problem === undefined && held === undefined) return issues;
  const others = issues.filter(({ path }) => path !== 'carrier.id');
  if (problem === undefined) return others;
  const isTold = others.some(({ path }) => path.startsWith(problem.path));
  return isTold || (session.interactive && others.length > 0) ? issues : [...others, problem];
}

/**
 * A request as it is sent. `checked`: the result of `checkRequest`. Throws `invalid_request` with every issue. With `--strict` warnings are
 * refused, too, unless `place` does that later: an earlier booking with the same key comes first.
 */
export async function buildRequest(
  session: Session,
  parts: RequestParts,
  checked?: CheckedRequest,
): Promise<Request> {
  const { operation, record, layers, dryRun } = parts;
  const { body, left, doubts, issues, numberIssues, ruling } =
    checked ?? (await checkRequest(session, parts));
  refuseIssues(operation, [...issues, ...numberIssues], body);
  if (ruling?.rule !== undefined) await session.printer.note({ kind: 'rule-fits', rule: ruling.rule });
  await warnOfMistakes(session.printer, operation, body, [...doubts, ...commandDoubts(session, parts, body)]);
  const numbers = toldNumbers(body, left).map(({ name, because }) => ({ path: numberPath(name), because }));
  if (numbers.length > 0) await session.printer.note({ kind: 'numbers-left-out', numbers });
  if (dryRun || record !== undefined || operation.keySpace === null)
    refuseWarnings(session.printer, operation);
  const isSame = layers.given === layers.full && left.length === 0 && ruling?.rule === undefined;
  const given = isSame ? body : await completed(bodyOf(operation), layered(layers.given, parts));
  return { parts, body, given, leftNumbers: left, ruling };
}

/** Doubts about more than single fields: a carrier that may not deliver to the address, and what only this command knows. */
export function commandDoubts(
  session: Pick<Session, 'rules'>,
  parts: Pick<RequestParts, 'operation' | 'warnings' | 'numbers'>,
  body: unknown,
): Message[] {
  const rules = session.rules();
  return [
    ...boxWarnings(body, rules, carriersOf(body), () =>
      mayBeEconomy(parts.operation, { ...parts, body, rules }),
    ),
    ...(parts.warnings?.(body) ?? []),
  ];
}

/** The carriers of the international leg that the body names; `cheapest` and `fastest` name none. */
const carriersOf = (body: unknown): string[] =>
  ['carrier.id', 'carriers.international.id'].flatMap(path => {
    const id = textAt(body, path);
    return id === undefined || isPick(id) ? [] : id;
  });

/** The body without the customs numbers of map, flags and profile that do not hold for the order. */
export function placedNumbers(
  session: Pick<Session, 'target'>,
  parts: Pick<RequestParts, 'layers' | 'record' | 'numbers'>,
  body: unknown,
): PlacedNumbers {
  const { layers, record, numbers: { constant, takes, company } = OWN } = parts;
  const isGiven = (path: string) => getAt(layers.given, path) !== undefined;
  const sourceOf = (path: string): NumberSource => {
    if (getAt(record ?? layers.given, path) === undefined) return isGiven(path) ? 'map' : 'profile';
    const isConstant = constant.some(name => numberPath(name) === path);
    return isConstant ? (record === undefined ? 'earlier' : 'map') : 'order';
  };
  return withNumbers(body, { sourceOf, takes, company }, session.target());
}

const OWN: RecordNumbers = { constant: [], takes: 'all' };

/** The customs numbers of a way back: goods that go back are not sold. */
export const OF_WAY_BACK: RecordNumbers = { constant: [], takes: 'back' };

/** A body as it is sent: completed, and with phone numbers as they are dialled. */
export async function completed(schema: Schema, body: unknown): Promise<unknown> {
  const whole = completeBody(schema, body);
  const phones = await phonesFor(whole);
  return phones ? phones.withReadPhones(whole) : whole;
}

/** The order that a command places. The bounds in its options hold for the answer, too. */
export function buildOrder<O extends BookingOptions>(
  command: RequestCommand<O>,
  options: O,
  request: Request,
): Order {
  const { body, parts, ruling } = request;
  const terms = command.terms?.({ ...options, ...ruling?.options }) ?? {};
  return {
    operation: command.operation,
    key: options.key,
    // The fingerprint of an order that books nothing is never compared.
    fingerprint: command.operation.books ? fingerprintOf(command, options, request) : '',
    body: new Json(body),
    needsProposal: command.needsProposal?.(body, terms.bounds ?? {}) ?? false,
    numbers: parts.numbers,
    rule: ruling?.rule,
    held: ruling?.held,
    allowUnknown: parts.allowUnknown,
    allowDuplicate: options.allowDuplicate,
    ...terms,
  };
}

/** Two requests with the same fingerprint are the same order. */
export const fingerprintOf = <O>(command: RequestCommand<O>, options: O, request: Request): string =>
  command.fingerprint?.(request.given, options) ?? fingerprint(request.given);

/** A hash of what the user gave, whatever the order of its fields. */
export const fingerprint = (input: unknown): string => hash('sha256', JSON.stringify(sorted(input)) ?? '');

/**
 * A hash of receiver, goods and parcels, without regard to case, blanks and the order of fields. Two orders with the same hash are the same
 * order under two keys, whatever carrier, service and bounds they have. The hash begins with the number of this rule. `null`: the order is
 * no shipment.
 */
export function orderFingerprint(operation: Pick<Operation, 'keySpace'>, body: unknown): string | null {
  if (operation.keySpace !== 'shipment' || !isRecord(body)) return null;
  const text = JSON.stringify(sorted([body.receiver, body.items, body.packages]));
  // In capitals first: `ß` becomes `SS` there.
  const plain = (/^[ -~]*$/.test(text) ? text : text.normalize('NFKC').toUpperCase()).toLowerCase();
  // A blank at the beginning or end of a text stands beside a quotation mark of the JSON.
  const folded = plain.replace(/(?:\s|\\[nrt])+/gu, ' ').replace(/ ?" ?/g, '"');
  return `1.${hash('sha256', folded, 'base64url').slice(0, 22)}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  // Assignment is twice as fast as `fromEntries`, but with this name it would change the prototype.
  if (names.includes('__proto__')) return Object.fromEntries(names.map(name => [name, sorted(value[name])]));
  const copy: Record<string, unknown> = {};
  for (const name of names) copy[name] = sorted(value[name]);
  return copy;
}

// Puts one layer on top of another, and applies the values of `--set`.

const WHOLE: ReadonlySet<string> = new Set(PARTIES);

/** Does a value replace the whole value below it, instead of being merged into that? */
export const isReplacedWhole = (name: string, under: unknown): boolean => WHOLE.has(name) || !isRecord(under);

/**
 * `over` merged into `under`: objects field by field, but a party or a list is replaced as a whole, so that two people or
 * two parcels are never mixed. `undefined` in `over` keeps the value of `under`.
 */
export function layer(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isRecord(under) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const name of Object.keys(over)) {
    const above = over[name];
    if (above === undefined) continue;
    const below = Object.hasOwn(under, name) ? under[name] : undefined;
    const value = WHOLE.has(name) ? above : layer(below, above);
    // `__proto__` in a JSON file is an own property; plain assignment would change the prototype, and is ten times as fast.
    if (name !== '__proto__') merged[name] = value;
    else Object.defineProperty(merged, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return merged;
}

/**
 * A saved party with the fields that this operation has for that role. Fields that only another operation has are left out and listed.
 * Fields that no operation has stay, so that validation refuses them.
 */
export function fitParty(
  schema: Schema,
  widest: Schema,
  role: PartyRole,
  party: unknown,
): { party: unknown; dropped: string[] } {
  const here = new Set(fieldsOf(schema).map(field => field.pattern));
  const elsewhere = new Set(fieldsOf(widest).map(field => field.pattern));
  const dropped: string[] = [];
  const prune = (value: unknown, pattern: string): unknown => {
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        const path = `${pattern}.${name}`;
        if (here.has(path) || !elsewhere.has(path)) return [[name, prune(inner, path)]];
        dropped.push(path);
        return [];
      }),
    );
  };
  return { party: prune(party, role), dropped };
}

/**
 * Text as a value of the field's type. Text that does not parse stays text, so that validation can show it; the value
 * of an unknown field stays text too.
 */
export function valueFrom(field: Field | undefined, written: string): unknown {
  switch (field?.kind) {
    case 'number':
      return numberOf(written) ?? written;
    case 'boolean':
      return written === 'true' ? true : written === 'false' ? false : written;
    case 'list':
    case 'object':
    case 'map': {
      const value = parseJson(written);
      return value === undefined ? written : value;
    }
    default:
      return written;
  }
}

/** The path of `PATH=VALUE`, as it is written; empty for a text of another form. */
export const pathOfSet = (set: string): string => set.slice(0, Math.max(0, set.indexOf('='))).trim();

/** A copy of the body with every `PATH=VALUE` set. Throws `usage` for a text of another form. */
export function applySets(schema: Schema, body: unknown, sets: readonly string[]): unknown {
  return sets.reduce((target: unknown, set) => {
    const written = pathOfSet(set);
    const path = parsePath(written);
    if (path === undefined || path.length > DEEPEST)
      throw new Failure('usage', {
        kind: 'set-malformed',
        typed: set,
        isIndexTooLarge: /\[\d{4,}\]/.test(written),
      });
    return setAt(target, path, valueFrom(fieldAt(schema, path), set.slice(set.indexOf('=') + 1)));
  }, body);
}

// What a profile contributes to a body: its parties and its defaults.

/** The values of the profile for which this body has a field, without the parties in `overridden`, which another source gives. */
async function profileValues(
  session: Session,
  schema: Schema,
  overridden: ReadonlySet<string>,
  options: RequestOptions,
): Promise<object> {
  const { profile } = session.target();
  let body: unknown = {};
  for (const role of PARTIES)
    if (hasField(schema, role) && profile[role] !== undefined && !overridden.has(role))
      body = setAt(body, [role], await fittedParty(session, schema, role, profile[role]));
  const settings: Readonly<Record<string, unknown>> = profile;
  // A flag such as `--no-carrier` leaves out the setting of the profile.
  for (const { pattern, setting = '' } of fieldsOf(schema))
    if (settings[setting] !== undefined && optionIn(options, setting) !== false)
      body = setAt(body, parsePath(pattern) ?? [], settings[setting]);
  return body as object;
}

/** The party that a `REF` names: a JSON file, or `@name` for a party that is saved in the profile. */
export async function readParty(
  session: Session,
  schema: Schema,
  role: PartyRole,
  ref: string,
): Promise<unknown> {
  if (!ref.startsWith('@')) return readObject(ref, session.host);
  const party = findSaved(session.target(), 'parties', ref.slice(1), `--${role} ${ref}: `);
  return fittedParty(session, schema, role, party);
}

async function fittedParty(
  session: Session,
  schema: Schema,
  role: PartyRole,
  saved: unknown,
): Promise<unknown> {
  const widest = OPERATIONS.createDualShipment.body ?? schema;
  const { party, dropped } = fitParty(schema, widest, role, saved);
  if (dropped.length > 0) await session.printer.note({ kind: 'saved-fields-left-out', fields: dropped });
  return party;
}

// What `ship` and `ship-dual` share.

export interface ShipmentOptions extends RequestOptions, ParcelOptions, Partial<Record<PartyRole, string>> {
  item?: string[];
  label?: boolean;
}

const ITEM_FLAGS = grouped(CUSTOMS, {
  item: flag(
    '--item <item>',
    'goods, as description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5; repeatable',
    REPEATED,
  ),
});

const RULE_FLAGS = grouped('Rules:', {
  rules: flag('--rules <file>', 'rules that choose the carrier of each order; the first that fits counts'),
  release: flag('--release <key>', 'book this order although a rule holds it; repeatable', REPEATED),
});

/** The command, completed with the flags and fields that every shipment has. */
export const shipmentCommand = <O extends ShipmentOptions>(
  command: RequestCommand<O>,
): RequestCommand<O> => ({
  ...command,
  isShipment: true,
  packages: { path: ['packages'], entry: shipmentPackage },
  flags: {
    ...PARCEL_FLAGS,
    ...ITEM_FLAGS,
    ...grouped(
      'Parties:',
      Object.fromEntries(
        PARTIES.map(role => [
          role,
          flag(`--${role} <party>`, `${role}: a JSON file, or @name of a party saved in the profile`),
        ]),
      ),
    ),
    ...command.flags,
    ...RULE_FLAGS,
  },
  async fromOptions(session, options) {
    const schema = bodyOf(command.operation);
    const fields: Record<string, unknown> = { ...(command.fromOptions?.(session, options) as object) };
    for (const role of PARTIES) {
      const ref = options[role];
      if (ref !== undefined) fields[role] = await readParty(session, schema, role, ref);
    }
    if (options.item)
      fields.items = options.item.map(spec =>
        parseItem(spec).reduce((item: unknown, [name, value]) => {
          const path = parsePath(name) ?? [name];
          return setAt(item, path, valueFrom(fieldAt(schema, ['items', 0, ...path]), value));
        }, {}),
      );
    return fields;
  },
});
