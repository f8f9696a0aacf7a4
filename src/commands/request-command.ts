// The work that all commands with a request share: options, form, body, dry run, plan. Each command itself says what it sends.

import { isSameKey } from '../contract/key.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import {
  buildOrder,
  buildRequest,
  type CheckedRequest,
  checkRequest,
  gather,
  type RequestCommand,
  type RequestParts,
} from '../order/build.ts';
import { missingIn, refuseWarnings } from '../order/check.ts';
import { openDesk } from '../order/desk.ts';
import { bookedBefore } from '../order/failure.ts';
import {
  type BookingOptions,
  bookingFlags,
  checkKey,
  leavingOut,
  noteProfileOptions,
  optionsOfProfile,
  type RequestOptions,
  requestFlags,
  type SettableOption,
  settableIn,
  targetFlags,
} from '../order/options.ts';
import type { Order, Placed } from '../order/order.ts';
import { bookingOfKey, twinUnderOtherKey } from '../order/place.ts';
import { sameOrderWords } from '../say/booked.ts';
import { batchText } from '../say/order.ts';
import { type DeclaredCommand, operand, type Page } from '../session/command.ts';
import { isDraft, readObject, removeDraft } from '../session/files.ts';
import type { Flags } from '../session/flags.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import type { Answers } from '../wing.ts';
import { fromWing } from '../wings.ts';
import type { Preview } from './plan.ts';

export interface Running<O> {
  preview?(body: unknown): Preview;
  run(session: Session, options: O, order: Order): Promise<void>;
  /** Shows an answer that was recorded before, or throws the failure that was recorded. */
  show?(session: Session, placed: Placed): Promise<void>;
}

/** The words for exit 8 on the help page of each command that books. */
export const EXIT_UNKNOWN =
  'it was sent, but no clear answer came: it may exist. `waybill history resolve REF` settles it';

/** Declares a command that sends one request. */
export function declareRequest<O extends RequestOptions & BookingOptions>(
  description: RequestCommand<O>,
  running: Running<O>,
  page: Page,
): DeclaredCommand {
  const flags = requestFlagsOf(description);
  return {
    ...page,
    operands: [operand('[file]', 'the request as a JSON object, the same as -f FILE')],
    flags,
    run(session: Session, options: O, file?: string) {
      if (file !== undefined && options.file !== undefined)
        throw new Failure(
          'usage',
          `the request is named twice, as ${shown(file)} and with -f ${shown(options.file)}`,
          { hint: 'Name one file' },
        );
      const request = file === undefined ? options : { ...options, file };
      return runRequest(session, description, running, request, settableIn(flags));
    },
  };
}

/** All flags of a command that sends a request. */
export const requestFlagsOf = <O>(command: RequestCommand<O>): Flags => ({
  ...leavingOut({
    ...requestFlags(command.operation, command.isShipment, command.hasWayBack),
    ...command.flags,
  }),
  ...(command.operation.books && bookingFlags(command.operation)),
});

/** Runs the command; on a terminal, a form asks for what is missing. */
export async function runRequest<O extends RequestOptions & BookingOptions>(
  session: Session,
  description: RequestCommand<O>,
  running: Running<O>,
  typed: O,
  settable: readonly SettableOption[] = [],
): Promise<void> {
  const { operation, isShipment } = description;
  const { carrier, ...taken } = optionsOfProfile(session.target().profile, typed, settable);
  // For a pair, `label` is a field of the body, and no option.
  const { label, ...bounds } = taken;
  const isPair = operation === OPERATIONS.createDualShipment;
  const options: O = { ...typed, ...(isPair ? bounds : taken) };
  description.check?.(options);
  checkKey(options.key);
  if (options.plan !== undefined && options.dryRun)
    throw new Failure('usage', '--plan asks the service, and --dry-run does not', { hint: 'Give one' });
  if (options.swap && options.like === undefined)
    throw new Failure('usage', { kind: 'swap-without-like' }, { operation: operation.command });
  const { file: path } = options;
  const isOfOne = path === undefined || path === '-' || operation === OPERATIONS.createSubscription;
  const many = isOfOne ? undefined : batchText(operation.command, path, targetFlags(session));
  const file = path === undefined ? undefined : await readObject(path, session.host, many);
  if (isShipment && file?.plan !== undefined) {
    const { isPlan } = await import('../order/plan.ts');
    // The file is a plan: a plan is booked as it is.
    if (isPlan(file)) {
      const { runPlan } = await import('./plan.ts');
      const withLabel = { ...typed, ...(!isPair && label === true && { label }) };
      return runPlan(session, description, withLabel, file, order => running.run(session, withLabel, order));
    }
  }
  const like =
    options.like === undefined
      ? undefined
      : await (await import('../order/like.ts')).requestLike(session, description, options.like, options);
  const parts = await gather(session, description, options, { file, like, ofProfile: taken });
  refuseOtherRelease(description, options);
  const { given: typedBody, full } = parts.layers;
  // The carrier of the request wins over the carrier of the profile; both are one field of the body.
  const isOfProfile =
    textAt(typedBody, 'carrier.id') === undefined && textAt(full, 'carrier.id') !== undefined;
  await noteProfileOptions(session, isOfProfile && carrier ? { carrier, ...taken } : taken);
  const request: CommandRequest<O> = { session, description, running, options, parts };
  const run = options.dryRun ? dryRunRequest : options.plan === undefined ? bookRequest : planRequest;
  const forms = fromWing('forms');
  if (!session.interactive || forms === undefined) return run(request);
  const checked = await checkRequest(session, parts);
  if (!(await mustAsk(request, checked))) {
    try {
      return await run({ ...request, checked });
    } catch (error) {
      // Which fields a carrier requires is known only when a proposal has picked the carrier: a form asks for them.
      if (!(error instanceof Failure && error.code === 'invalid_request')) throw error;
      if (!isMissing(error.facts.issues ?? [], checked.body)) throw error;
    }
  }
  const askForRequest = await forms.request();
  return askForRequest(session, parts, options, answers => run(request, answers));
}

/** Throws `usage` if --release names another key than the key of the order: that would release nothing. */
function refuseOtherRelease<O extends RequestOptions & BookingOptions>(
  command: RequestCommand<O>,
  options: O,
): void {
  const { release = [], key } = options;
  const operation = command.operation.command;
  const released = release.find(name => !isSameKey(name, key));
  if (released !== undefined)
    throw new Failure('usage', { kind: 'release-of-other-key', operation, released }, { operation });
}

/** A command's request, before the order is built from it. */
interface CommandRequest<O> {
  session: Session;
  description: RequestCommand<O>;
  running: Running<O>;
  options: O;
  parts: RequestParts;
  /** The checked request, if the request was checked already. */
  checked?: CheckedRequest;
}

async function bookRequest<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  answers?: Answers,
) {
  const { session, running } = request;
  const { options, order } = await acceptedOrder(request, answers);
  try {
    return await running.run(session, options, order);
  } finally {
    // A draft that was booked is removed: if a person continued the draft later, another order would be booked.
    if (isDraft(session.host, options.file) && session.bookingLines.hasBooked())
      removeDraft(absolutePath(options.file, session.host));
  }
}

async function planRequest<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  answers?: Answers,
) {
  const { options, order } = await acceptedOrder(request, answers);
  const { writePlan } = await import('./plan.ts');
  return writePlan(request.session, options, options.plan ?? '', order, request.running.show);
}

async function dryRunRequest<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  answers?: Answers,
) {
  const { order } = await builtOrder(request, answers);
  const { showDryRun } = await import('./plan.ts');
  return showDryRun(request.session, order, request.running.preview?.(order.body.value));
}

/** The order from the command line, with what a person answered in a form. */
async function builtOrder<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  answers?: Answers,
): Promise<{ options: O; order: Order }> {
  const { session, description, options: typed, parts, checked } = request;
  const options: O = { ...answers?.options, ...typed };
  const answered = answers && {
    layers: answers.layers,
    numbers: answers.numbers,
    otherOptions: answers.options,
    allowUnknown: answers.options.allowUnknown === true,
  };
  const whole = await buildRequest(session, { ...parts, ...answered }, answers ? undefined : checked);
  description.check?.(options, whole.body);
  const order = buildOrder(description, options, whole);
  if (answers?.proposals === undefined) return { options, order };
  // The person has just seen these proposals: the booking is compared with them, even if no field must be filled in from them.
  return { options, order: { ...order, proposals: answers.proposals, needsProposal: true } };
}

/**
 * The order; throws if a warning counts as an error. With a form, the person is asked whether to book once more what is booked under
 * another key, and a no throws `duplicate`; without a form that is only a warning.
 */
async function acceptedOrder<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  answers?: Answers,
) {
  const { session, description } = request;
  const { operation } = description;
  const { options, order } = await builtOrder(request, answers);
  // A request with a key goes on even with --strict: its recorded answer is shown, or exit 8 says that the order may exist.
  if (operation.keySpace !== null && order.key === undefined) refuseWarnings(session.printer, operation);
  if (!answers || order.key === undefined || order.allowDuplicate) return { options, order };
  const twin = await twinUnderOtherKey(order, await openDesk(session, options));
  if (twin === undefined) return { options, order };
  if (await session.confirm(`${sameOrderWords(bookedBefore(twin))}. Book another one?`))
    return { options, order: { ...order, allowDuplicate: true } };
  const { command } = operation;
  throw new Failure(
    'duplicate',
    { kind: 'same-order-booked', operation: command, ...bookedBefore(twin), flags: targetFlags(session) },
    { operation: command, booking: twin.id },
  );
}

/** Does a form open, to complete the request or to look over a request that --like or a draft began? */
async function mustAsk<O extends RequestOptions & BookingOptions>(
  request: CommandRequest<O>,
  checked: CheckedRequest,
): Promise<boolean> {
  const { session, options, parts } = request;
  const { issues, body } = checked;
  const isNameless = options.key === undefined && !parts.dryRun && parts.operation.keySpace === 'shipment';
  if (isNameless && session.limits().requireKey) return issues.length === 0 || isMissing(issues, body);
  const isBegun = options.like !== undefined || isDraft(session.host, options.file);
  return issues.length === 0 ? isBegun && isReviewed(session, parts, options) : isMissing(issues, body);
}

/** Does a person look over an order that --like or a draft began? Not if the order is booked: then its recorded answer is shown. */
async function isReviewed(session: Session, parts: RequestParts, options: BookingOptions): Promise<boolean> {
  if (parts.dryRun || session.globals.yes) return false;
  if (options.key === undefined) return true;
  return (await bookingOfKey(parts.operation, options.key, await openDesk(session, options))) === undefined;
}

/** Is each issue a missing field, which a form can ask for? A request with anything wrong is left to the command to refuse. */
const isMissing = (issues: readonly Issue[], body: unknown): boolean =>
  issues.length > 0 && missingIn(issues, body).length === issues.length;
