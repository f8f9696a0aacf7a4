// The body of a request: profile, or with `--like` an earlier order; file, flags and `--set`, weakest first; for a batch, the
// record on top.

import { bodyOf } from '../contract/operation.ts';
import { getAt, parsePath, setAt, setMissing } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { findIssues, refuseIssues, refuseWarnings, warnOf } from '../order/check.ts';
import { fingerprint } from '../order/fingerprint.ts';
import type { Order } from '../order/order.ts';
import { complete } from '../request/complete.ts';
import { layer } from '../request/layers.ts';
import { missingIn } from '../request/validate.ts';
import { applySets, pathOfSet, typed } from '../request/values.ts';
import { readObject } from '../session/input-files.ts';
import type { Session } from '../session/session.ts';
import { type BookingOptions, optionName, plainFields, type RequestOptions } from './flags.ts';
import { profileValues } from './profile-values.ts';
import type { Layers, Request, RequestCommand, RequestKind, RequestParts } from './request-command.ts';
import { otherOptions } from './same-command.ts';

/**
 * Reads everything that a request is built of. Each source is read once: stdin has no second time. `like`: the request of an
 * earlier order; it takes the place of the profile, whose defaults may have changed since.
 */
export async function gather<O extends RequestOptions>(
  session: Session,
  command: RequestCommand<O>,
  options: O,
  like?: unknown,
): Promise<RequestParts> {
  const partsWith = async (extra: unknown): Promise<RequestParts> => ({
    ...command,
    layers: await layersOf(session, command, options, like, extra),
    extra,
    sets: options.set ?? [],
    otherOptions: otherOptions(command, options),
    allowUnknown: options.allowUnknown === true,
    dryRun: options.dryRun === true,
    isResumed: options.draft === true,
    isLike: like !== undefined,
  });
  let extra: unknown;
  try {
    extra = await command.fromOptions?.(session, options);
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'usage')) throw error;
    const issues = await issuesWithoutMissing(session, await partsWith(undefined));
    const { command: name } = command.operation;
    throw new Failure('usage', error.message, { operation: name, issues }, { cause: error });
  }
  return partsWith(extra);
}

/** The other issues of a request with a SPEC that cannot be parsed. A missing field may be in that SPEC. */
async function issuesWithoutMissing(session: Session, parts: RequestParts) {
  const body = complete(bodyOf(parts.operation), parts.layers.full);
  const issues = findIssues(parts, body, session.rules());
  const missing = new Set(missingIn(issues, body));
  return issues.filter(issue => !missing.has(issue));
}

async function layersOf(
  session: Session,
  { operation }: RequestKind,
  options: RequestOptions,
  like: unknown,
  extra: unknown,
): Promise<Layers> {
  const schema = bodyOf(operation);
  const file = options.file === undefined ? {} : await readObject(options.file, session.host);
  const fromFlags = plainFields(operation).reduce((body: unknown, field) => {
    const value = options[optionName(field.flag)];
    return typeof value === 'string'
      ? setAt(body, parsePath(field.pattern) ?? [], typed(field, value))
      : body;
  }, {});
  const layers: unknown[] = [like, file, fromFlags, extra];
  const overridden = new Set(layers.flatMap(part => Object.keys(part ?? {})));
  const defaults = like === undefined ? await profileValues(session, schema, overridden) : {};
  // `--set` reaches inside what a draft has, and so is applied on top of the draft.
  const sets = options.draft ? [] : (options.set ?? []);
  const upon = (start: unknown) => applySets(schema, layers.reduce(layer, start), sets);
  const given = upon({});
  return { defaults, given, full: Object.keys(defaults as object).length === 0 ? given : upon(defaults) };
}

/**
 * Completes and validates the body. Throws `invalid_request` with every issue; with `--strict` for warnings too, unless
 * `place` does so: what was booked with the key before comes first.
 */
export async function buildRequest(session: Session, parts: RequestParts): Promise<Request> {
  const { operation, record, layers, dryRun } = parts;
  // A record replaces the whole party of a profile, but `--set` gives what the record leaves out in it.
  const completed = (under: unknown) => complete(bodyOf(operation), withSets(layer(under, record), parts));
  const body = completed(layers.full);
  refuseIssues(parts, body, session.rules());
  await warnOf(session.printer, operation, body, parts.warnings?.(body));
  if (dryRun || record !== undefined || operation.keySpace === null)
    refuseWarnings(session.printer, operation, 'nothing was sent');
  return { parts, body, given: layers.given === layers.full ? body : completed(layers.given) };
}

/** With the values of `--set` that a record has replaced by a party or a list without them. */
function withSets(body: unknown, { record, sets, layers }: RequestParts): unknown {
  if (record === undefined) return body;
  return sets.reduce((target: unknown, set) => {
    const path = parsePath(pathOfSet(set)) ?? [];
    const value = getAt(layers.given, path);
    return value === undefined ? target : setMissing(target, path, value);
  }, body);
}

/** The order that a command places. `bounds` of its options hold for the answer, too. */
export function orderOf<O extends BookingOptions>(
  command: RequestCommand<O>,
  options: O,
  request: Request,
): Order {
  const { body, parts } = request;
  const terms = command.terms?.(options) ?? {};
  return {
    operation: command.operation,
    key: options.key,
    // Nothing compares that of what books nothing.
    fingerprint: command.operation.books ? fingerprintOf(command, options, request) : '',
    body: new Json(body),
    needsProposal: command.needsProposal?.(body, terms.bounds ?? {}) ?? false,
    allowUnknown: parts.allowUnknown,
    allowDuplicate: options.allowDuplicate,
    ...terms,
  };
}

/** Two requests with the same fingerprint are the same order. */
export const fingerprintOf = <O>(command: RequestCommand<O>, options: O, { given }: Request): string =>
  command.fingerprint?.(given, options) ?? fingerprint(given);
