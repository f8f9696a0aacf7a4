// The life of a command that sends a request: options, form, body, dry run. What it sends is its own.

import type { Command } from 'commander';
import { bodyOf, type Issue, typedName } from '../contract/operation.ts';
import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { isDraft, openDraft } from '../forms/draft.ts';
import type { Desk } from '../forms/form.ts';
import type { Answers, MakeForm } from '../forms/run.ts';
import {
  buildOrder,
  buildRequest,
  completed,
  gather,
  type RequestCommand,
  type RequestParts,
} from '../order/build.ts';
import { findIssues, missingIn, refuseWarnings } from '../order/check.ts';
import { checkKey, sameContentWords, twinUnderOtherKey } from '../order/key.ts';
import {
  type BookingOptions,
  bookingOptions,
  likeOption,
  planOption,
  type RequestOptions,
  requestOptions,
} from '../order/options.ts';
import type { Order, Placed } from '../order/order.ts';
import {
  leavingOut,
  noteProfileOptions,
  optionsOfProfile,
  type ProfileOptions,
  type SettableOption,
  settableOptions,
} from '../order/profile-options.ts';
import type { Act } from '../session/command.ts';
import { readObject } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import type { Preview } from './plan.ts';

export interface Running<O> {
  /** The form; loaded only if something must be asked. */
  loadForm(options: O): Promise<MakeForm>;
  preview?(body: unknown): Preview;
  run(session: Session, options: O, order: Order): Promise<void>;
  /** Shows an answer that was recorded before. Throws its failure. */
  show?(session: Session, placed: Placed): Promise<void>;
}

/** Defines the options of a command, and what happens when it is typed. */
export const defineRequest = <O extends RequestOptions & BookingOptions>(
  command: Command,
  act: Act,
  description: RequestCommand<O>,
  running: Running<O>,
): Command =>
  defineOptions(
    command.argument('[file]', 'the request as a JSON object, the same as -f FILE'),
    description,
  ).action(
    act<O>((session, options, file?: string) =>
      runRequest(session, description, running, withFile(options, file), settableOptions(command)),
    ),
  );

/** Throws `usage` if the file is named twice. */
function withFile<O extends RequestOptions>(options: O, file: string | undefined): O {
  if (file === undefined) return options;
  if (options.file !== undefined)
    throw new Failure(
      'usage',
      `the request is named twice, as ${shown(file)} and with -f ${shown(options.file)}; nothing was sent. Name one file`,
    );
  return { ...options, file };
}

export function defineOptions<O>(
  command: Command,
  { operation, isShipment, options }: RequestCommand<O>,
): Command {
  const start = requestOptions(command, operation);
  const own = leavingOut(options(isShipment ? planOption(likeOption(start)) : start));
  return operation.books ? bookingOptions(own, operation) : own;
}

/** The options of a profile that hold for one shipment. */
const OF_SHIPMENT: readonly SettableOption[] = ['carrier', 'maxPrice', 'maxDays', 'label'];

const without = (taken: ProfileOptions, names: readonly SettableOption[]) =>
  Object.fromEntries(Object.entries(taken).filter(([name]) => !names.some(one => one === name)));

/** The options of the profile that hold: a carrier in the request beats that of the profile. */
const effective = (taken: ProfileOptions, { layers }: RequestParts) =>
  textAt(layers.given, 'carrier.id') === undefined && textAt(layers.full, 'carrier.id') !== undefined
    ? taken
    : without(taken, ['carrier']);

/** Runs the command; on a terminal it asks for what is missing. */
export async function runRequest<O extends RequestOptions & BookingOptions>(
  session: Session,
  description: RequestCommand<O>,
  running: Running<O>,
  given: O,
  settable: readonly SettableOption[] = [],
): Promise<void> {
  const { operation, isShipment } = description;
  const { profile } = session.target();
  // A merged file is replaced as a whole: the one label of this command would be all that is left of it.
  const names = settable.filter(name => OF_SHIPMENT.includes(name));
  const taken = optionsOfProfile(profile, given, names);
  const isPair = operation === OPERATIONS.createDualShipment;
  const options: O = { ...given, ...without(taken, isPair ? ['carrier', 'label'] : ['carrier']) };
  description.check?.(options);
  checkKey(options.key);
  if (options.plan !== undefined && options.dryRun)
    throw new Failure('usage', '--plan asks the service, and --dry-run does not; nothing was sent. Give one');
  const file = options.file === undefined ? undefined : await readObject(options.file, session.host);
  if (isShipment && file?.plan !== undefined) {
    const { isPlan } = await import('../order/plan.ts');
    // It is booked as it is.
    if (isPlan(file)) {
      const { runPlan } = await import('./plan.ts');
      const withLabel = { ...given, ...(taken.label === true && { label: true }) };
      return runPlan(session, description, withLabel, file, order => running.run(session, withLabel, order));
    }
  }
  const like = await likeOf(session, description, options);
  const parts = await gather(session, description, options, { file, like });
  await noteProfileOptions(session, effective(taken, parts));
  const send = async (answers?: Answers): Promise<void> => {
    const all: O = { ...answers?.options, ...options };
    const request = await buildRequest(session, {
      ...parts,
      ...(answers && {
        layers: answers.layers,
        otherOptions: answers.options,
        allowUnknown: answers.options.allowUnknown === true,
      }),
    });
    const { body } = request;
    description.check?.(all, body);
    const order = buildOrder(description, all, request);
    if (parts.dryRun) {
      const { showDryRun } = await import('./plan.ts');
      return showDryRun(session, order, running.preview?.(body));
    }
    // With a key, the answer that was recorded before is shown, and an order that may exist is exit 8, also with --strict.
    if (operation.keySpace !== null && order.key === undefined)
      refuseWarnings(session.printer, operation, 'nothing was sent');
    // The proposals that the person has just seen.
    order.proposals = answers?.proposals;
    if (answers && order.key !== undefined && (await isKnownTwin(session, order, all)))
      order.allowDuplicate = true;
    if (all.plan !== undefined) {
      const { writePlan } = await import('./plan.ts');
      return writePlan(session, all, all.plan, order, running.show);
    }
    const placing = running.run(session, all, order);
    return placing.finally(() => removeDraft(session, operation, options.file));
  };
  if (!session.interactive) return send();
  const body = await completed(bodyOf(operation), parts.layers.full);
  const issues = findIssues(parts, body, session.rules());
  const isBegun = like !== undefined || isDraft(session.host, options.file);
  const mustReview = isBegun && issues.length === 0 && (await isReviewed(session, parts, options));
  if (!mustReview && !isMissing(issues, body)) {
    try {
      return await send();
    } catch (error) {
      // Which fields a carrier requires is known only when a proposal has picked it.
      if (!(error instanceof Failure && error.code === 'invalid_request')) throw error;
      if (!isMissing(error.facts.issues ?? [], body)) throw error;
    }
  }
  const { runForm } = await import('../forms/run.ts');
  return runForm(await formDesk(session), parts, await running.loadForm(options), send);
}

/** A draft that is booked is none any more: continued later, it would be another order. */
function removeDraft(session: Session, operation: Operation, file: string | undefined): void {
  if (isDraft(session.host, file) && session.bookingLines.hasBooked())
    openDraft(session.host, operation, file).remove();
}

/**
 * Was the same booked under another key, and does the person of the form want it once more? Throws `duplicate` if they do
 * not. Without a form that is a warning.
 */
async function isKnownTwin(session: Session, order: Order, options: BookingOptions): Promise<boolean> {
  if (order.allowDuplicate) return false;
  const { meansToBook } = await import('./means.ts');
  const twin = await twinUnderOtherKey(order, await meansToBook(session, options));
  if (twin === undefined) return false;
  if (await session.confirm(`${sameContentWords(twin)}. Book another one?`)) return true;
  throw new Failure(
    'duplicate',
    `${typedName(order.operation)}: ${sameContentWords(twin)}; nothing was sent`,
    {
      operation: order.operation.command,
      booking: twin.id,
    },
  );
}

/** The request of `--like`, if it is given. What reads it is loaded only then. */
async function likeOf<O>(
  session: Session,
  description: RequestCommand<O>,
  { like, key }: RequestOptions & BookingOptions,
): Promise<unknown> {
  if (like === undefined) return undefined;
  const { requestLike } = await import('../order/like.ts');
  return requestLike(session, description, like, key);
}

/** Does a person look over an order that was begun elsewhere? Not if it is booked: then the recorded answer is shown. */
async function isReviewed(
  session: Session,
  { operation, dryRun }: RequestParts,
  options: BookingOptions,
): Promise<boolean> {
  if (dryRun || session.globals.yes) return false;
  if (options.key === undefined) return true;
  const { meansToBook } = await import('./means.ts');
  const { bookingOfKey } = await import('../order/place.ts');
  return (await bookingOfKey(operation, options.key, await meansToBook(session, options))) === undefined;
}

/** A form asks for what is missing. Anything that is wrong is left to the command to refuse. */
const isMissing = (issues: readonly Issue[], body: unknown): boolean =>
  issues.length > 0 && missingIn(issues, body).length === issues.length;

/** What a form needs of a session. */
async function formDesk(session: Session): Promise<Desk> {
  const { askingOf, meansToBook } = await import('./means.ts');
  return {
    ...session,
    asking: () => askingOf(session),
    hasBooked: () => session.bookingLines.hasBooked(),
    means: options => meansToBook(session, options),
    save: async (kind, name, value) =>
      (await import('../session/session.ts')).saveByName(session, kind, name, value),
  };
}
