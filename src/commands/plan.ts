// Orders that are not sent: shown by --dry-run, or written as a plan by --plan. And how a plan is booked later.

import { statSync } from 'node:fs';
import { shipmentsToLabel } from '../booking/booking.ts';
import { commandName, OPERATIONS } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import { openReplacement } from '../host/replace-file.ts';
import type { Host } from '../host.ts';
import type { RequestCommand } from '../order/build.ts';
import { findIssues, refuseIssues, refuseWarnings } from '../order/check.ts';
import { openDesk, openDeskToLook } from '../order/desk.ts';
import { warnOfMistakes } from '../order/doubts.ts';
import { type BookingOptions, type RequestOptions, targetFlags } from '../order/options.ts';
import type { Order, Placed } from '../order/order.ts';
import { isPlan, lookUp, makePlan, orderOfPlan, planPage, toldChoice } from '../order/plan.ts';
import type { Plan } from '../output/schemas.ts';
import { safeJson } from '../output/text.ts';
import { isOwnFile, readObject } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { commandText, shown } from '../text.ts';

/** A body as a dry run shows it. `unresolved`: the fields whose value is still open. */
export interface Preview {
  draft: unknown;
  unresolved: readonly string[];
}

/** Books a plan as it is, or shows with --dry-run what would be sent. */
export async function runPlan<O extends RequestOptions & BookingOptions>(
  session: Session,
  description: RequestCommand<O>,
  options: O,
  file: Record<string, unknown>,
  run: (order: Order) => Promise<void>,
): Promise<void> {
  const { operation } = description;
  const { plan, order } = orderOfPlan(file, operation, options, session);
  const body = order.body.value;
  const issues = findIssues({ ...description, allowUnknown: true }, body, session.rules());
  refuseIssues(operation, issues, body);
  await warnOfMistakes(session.printer, operation, body, description.warnings?.(body));
  description.check?.(options, body);
  return options.dryRun ? showDryRun(session, order, undefined, plan) : run(order);
}

/** Writes an order as a plan, and shows the plan. If the order is booked, `show` shows its recorded answer, and no plan is written. */
export async function writePlan(
  session: Session,
  options: BookingOptions,
  path: string,
  order: Order,
  show?: (session: Session, placed: Placed) => Promise<void>,
): Promise<void> {
  const { host, printer } = session;
  const isStdout = path === '-';
  if (!isStdout) await refuseOtherFile(path, host);
  const file = isStdout ? undefined : openReplacement(absolutePath(path, host), path, host.process);
  try {
    const made = await makePlan(order, await openDesk(session, options));
    if ('booking' in made) return await show?.(session, made);
    const text = safeJson(made, 2);
    file?.write(`${text}\n`);
    file?.publish();
    const book = ['waybill', commandName(order.operation), '-f', path, ...targetFlags(session)];
    if (order.thenLabel)
      await printer.note('a plan is of the shipment alone: give --label again when it is booked');
    await printer.note(
      isStdout ? 'nothing was booked' : `nothing was booked. To book it: \`${commandText(book)}\``,
    );
    await printer.result(made, {
      essential: plan => [isStdout ? safeJson(made) : plan.hash],
      table: (plan, look) => (isStdout ? text : planPage(plan, 'new', look)),
    });
  } finally {
    file?.close();
  }
}

/** Throws `usage` if a plan would replace a file that is no plan: the order may be in that file. */
async function refuseOtherFile(path: string, host: Host): Promise<void> {
  const refuse = (why: string) => new Failure('usage', `--plan ${shown(path)} ${why}`);
  if (path === '') throw refuse('is no name of a file');
  const file = absolutePath(path, host);
  if (isOwnFile(file, host)) throw refuse('is a file that waybill keeps for itself');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const before = await readObject(path, host).catch(() => undefined);
  if (!isPlan(before)) throw refuse('exists and is no plan: name another file');
}

/** What is known of an order where there is no journal. */
const NOTHING_KNOWN = { journal: { state: 'new', booking: null } as const, async refuse() {} };

/** What the journal knows of the shipments' labels. Throws `storage`. */
export async function labelStateOf(session: Session, body: unknown) {
  const desk = await openDeskToLook(session);
  const { labelState } = await import('../labels/make.ts');
  return desk ? labelState(shipmentsToLabel(body), desk) : NOTHING_KNOWN;
}

/** What the journal knows of an order or of its labels. A journal that cannot be read is a warning, because nothing is booked. */
async function knownOf(session: Session, order: Order, isPriced: boolean) {
  const isLabel = order.operation === OPERATIONS.createLabels;
  if (order.operation.keySpace === null && !isLabel) return undefined;
  try {
    if (isLabel) return await labelStateOf(session, order.body.value);
    return await lookUp(order, session, isPriced);
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'storage')) throw error;
    await session.printer.warn(`${error.message}. So it is not known whether the order is booked`, {
      always: true,
    });
    return undefined;
  }
}

/**
 * Shows the request that would be sent, and what the journal knows of its key. Sends nothing, shows no credential. Throws
 * the failure with which the journal would refuse the request.
 */
export async function showDryRun(
  session: Session,
  order: Order,
  preview: Preview = { draft: order.body.value, unresolved: [] },
  plan?: Plan,
): Promise<void> {
  const { printer, scope, service } = session;
  const { operation } = order;
  // A request can be shown without a credential.
  service.requireReachable({ ...operation, scope: null });
  const { method, path } = operation;
  const url = scope().address + path;
  // No proposal is needed for the price: proposals have none for a pair, and the price of a plan is its bound.
  const isPriced = operation === OPERATIONS.createDualShipment || (plan?.price ?? null) !== null;
  const known = await knownOf(session, order, isPriced);
  await printer.note('dry run: nothing was sent');
  if (known?.journal.state === 'booked' && operation !== OPERATIONS.createLabels)
    await printer.note('it is booked already: without --dry-run its recorded answer is shown');
  await service.noteOrigin();
  const { maxPrice, maxPerDay } = session.limits();
  if (operation.keySpace === 'shipment' && (maxPrice ?? maxPerDay) !== undefined && !isPriced)
    await printer.note(
      'limits are held against a price, and a dry run asks for none: --plan FILE tells whether the order keeps them',
    );
  const choice = operation.keySpace === 'shipment' && { choice: plan?.choice ?? toldChoice(order) };
  await printer.result(
    {
      method,
      url,
      body: preview.draft,
      unresolved: preview.unresolved,
      ...(known && { journal: known.journal }),
      ...choice,
    },
    {
      essential: () => [`${method} ${url}`],
      // People see JSON, too: exactly what would be sent.
      table: (request, look) =>
        (plan && known && planPage(plan, known.journal.state, look)) ?? safeJson(request, 2),
    },
  );
  await session.refuseUnfit();
  await known?.refuse();
  refuseWarnings(printer, operation);
}
