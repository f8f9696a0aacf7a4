// The life of a command that sends a request: options, form, body, dry run. What it sends is its own.

import type { Command } from 'commander';
import { bodyOf, type Issue, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { isDraft, openDraft } from '../forms/draft.ts';
import type { Desk } from '../forms/form.ts';
import type { Answers, MakeForm } from '../forms/run.ts';
import { existsAs } from '../journal/booking.ts';
import { askingOf, meansToBook } from '../means.ts';
import { buildRequest, gather, orderOf, type RequestCommand, type RequestParts } from '../order/build.ts';
import { findIssues, missingIn, refuseWarnings } from '../order/check.ts';
import { complete } from '../order/complete.ts';
import { checkKey, sameContentWords, twinUnderOtherKey } from '../order/key.ts';
import {
  type BookingOptions,
  bookingOptions,
  likeOption,
  type RequestOptions,
  requestOptions,
} from '../order/options.ts';
import type { Order } from '../order/order.ts';
import { safeJson } from '../output/text.ts';
import type { Act } from '../session/command.ts';
import { saveByName } from '../session/saved.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';

interface Preview {
  draft: unknown;
  unresolved: readonly string[];
}

export interface Running<O> {
  /** The form; loaded only if something must be asked. */
  loadForm(options: O): Promise<MakeForm>;
  /** A body as a dry run shows it, with what is still open. */
  preview?(body: unknown): Preview;
  run(session: Session, options: O, order: Order): Promise<void>;
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
      runRequest(session, description, running, withFile(options, file)),
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
  { operation, takesLike, options }: RequestCommand<O>,
): Command {
  const start = requestOptions(command, operation);
  const own = options(takesLike ? likeOption(start) : start);
  return operation.books ? bookingOptions(own, operation) : own;
}

/** Runs the command; on a terminal it asks for what is missing. */
export async function runRequest<O extends RequestOptions & BookingOptions>(
  session: Session,
  description: RequestCommand<O>,
  { loadForm, preview, run }: Running<O>,
  options: O,
): Promise<void> {
  const { operation } = description;
  description.check?.(options);
  checkKey(options.key);
  const like = await likeOf(session, description, options);
  const parts = await gather(session, description, options, like);
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
    if (!parts.dryRun) {
      const order = orderOf(description, all, request);
      // With a key, the answer that was recorded before is shown, and an order that may exist is exit 8, also with --strict.
      if (operation.keySpace !== null && order.key === undefined)
        refuseWarnings(session.printer, operation, 'nothing was sent');
      // The proposals that the person has just seen.
      if (answers && order.key !== undefined && (await isKnownTwin(session, order, all)))
        order.allowDuplicate = true;
      const placing = run(session, all, { ...order, proposals: answers?.proposals });
      return placing.finally(() => removeDraft(session, operation, options.file));
    }
    return showDryRun(session, operation, preview?.(body) ?? { draft: body, unresolved: [] });
  };
  if (!session.interactive) return send();
  const body = complete(bodyOf(operation), parts.layers.full);
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
  return runForm(deskOf(session), parts, await loadForm(options), send);
}

const hasBooked = ({ bookingLines }: Session): boolean =>
  bookingLines.records().some(({ state }) => existsAs(state) !== false);

/** A draft that is booked is none any more: continued later, it would be another order. */
function removeDraft(session: Session, operation: Operation, file: string | undefined): void {
  if (isDraft(session.host, file) && hasBooked(session)) openDraft(session.host, operation, file).remove();
}

/**
 * Was the same booked under another key, and does the person of the form want it once more? Throws `duplicate` if they do
 * not. Without a form that is a warning.
 */
async function isKnownTwin(session: Session, order: Order, options: BookingOptions): Promise<boolean> {
  const twin = order.allowDuplicate
    ? undefined
    : await twinUnderOtherKey(order, await meansToBook(session, options));
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
  const { bookingOfKey } = await import('../order/place.ts');
  return (await bookingOfKey(operation, options.key, await meansToBook(session, options))) === undefined;
}

/** A form asks for what is missing. Anything that is wrong is left to the command to refuse. */
const isMissing = (issues: readonly Issue[], body: unknown): boolean =>
  issues.length > 0 && missingIn(issues, body).length === issues.length;

/** Shows the request that would be sent. Sends nothing, shows no credential. */
async function showDryRun(
  { printer, scope, service }: Session,
  operation: Operation,
  { draft: body, unresolved }: Preview,
): Promise<void> {
  // A request can be shown without a credential.
  service.requireReachable({ ...operation, scope: null });
  const { method, path } = operation;
  const url = scope().address + path;
  await printer.note('dry run: nothing was sent');
  await printer.result(
    { method, url, body, unresolved },
    {
      essential: () => [`${method} ${url}`],
      // JSON for people too: this is what would be sent.
      table: request => safeJson(request, 2),
    },
  );
}

/** What a form needs of a session. */
export const deskOf = (session: Session): Desk => ({
  ...session,
  asking: () => askingOf(session),
  hasBooked: () => hasBooked(session),
  means: options => meansToBook(session, options),
  save: (kind, name, value) => saveByName(session, kind, name, value),
});
