// Labels of several shipments: each label is a booking of its own, but all labels are one print job.

import { LEGS, OPERATIONS } from '../../contract/operations.ts';
import { Failure, isOfOne } from '../../errors.ts';
import { FAILURES } from '../../exit-codes.ts';
import { finishOne, isLeftToOthers, noteDone, outputLabels } from '../../labels/finish.ts';
import { type MadeLabels, noteEarlier } from '../../labels/make.ts';
import {
  type LabelOutput,
  type OrderLabels,
  prepareFiles,
  type SavedLabels,
  severalLabelsView,
} from '../../labels/save.ts';
import { buildOrder, buildRequest, gather } from '../../order/build.ts';
import { confirmBooking, type Desk, openDesk } from '../../order/desk.ts';
import { bookedShipments, knownShipments, labelBody } from '../../order/find.ts';
import type { BookingOptions, LabelFileOptions, RequestOptions } from '../../order/options.ts';
import type { Order } from '../../order/order.ts';
import { failureJson } from '../../output/print.ts';
import { safeJson } from '../../output/text.ts';
import { type LabelLack, type LabelProblem, labelProblemText } from '../../say/labels.ts';
import { tellInner } from '../../say/notices.ts';
import { commandsOf } from '../../say/sentence.ts';
import type { Session } from '../../session/session.ts';
import { LABEL, makeAndSaveLabels } from './request.ts';

const operation = OPERATIONS.createLabels;

export type Options = RequestOptions &
  LabelFileOptions &
  Pick<BookingOptions, 'allowDuplicate' | 'newJournal'>;

/** What a person types to name a shipment. */
export type Name = { ref: string } | { key: string };

/** Shipments of one order that get labels, with the name that a person knows them by. */
export interface ShipmentsByName {
  name: string;
  key: string | undefined;
  ids: ReturnType<typeof labelBody>;
}

/** Shipments with the request for their labels, which has been checked. */
interface Ordered extends ShipmentsByName {
  order: Order;
}

interface Failed {
  name: string;
  pages: OrderLabels;
  failure: Failure;
}

interface Labelled extends Omit<Failed, 'failure'> {
  made: Pick<SavedLabels, 'content' | 'saved' | 'bookings' | 'problems' | 'failure'> &
    Pick<MadeLabels, 'body' | 'earlier'>;
  /** Why only a part of the labels was made, saved or printed. */
  failure: Failure | undefined;
}

/** Makes the missing labels; a label that fails does not stop the others. `saysEarlier`: a note names labels that were made before.
 * `onlyUnprinted`: labels that another command prints meanwhile are left out. */
export async function labelNamed(
  session: Session,
  options: Options,
  named: readonly (ShipmentsByName | Failed)[],
  asked: { saysEarlier?: boolean; onlyUnprinted?: boolean } = {},
): Promise<void> {
  const { saysEarlier = false, onlyUnprinted = false } = asked;
  if (options.dryRun) return showRequests(session, await labelOrders(session, options, named));
  const prepared = prepareFiles(session, options);
  const files = prepared && { ...prepared, onlyUnprinted };
  await session.service.check(operation);
  const desk = withOneYes(await openDesk(session, options), session, named.length);
  const { orders, stop } = await labelEach(await labelOrders(session, options, named), files, desk);
  if (saysEarlier) await noteEarlierOf(orders, desk);
  await showLabels(session, orders);
  const unfinished = files?.merged
    ? await outputLabels(
        files,
        named.map(({ name }, index) => orders[index]?.pages ?? { name, files: [], failed: true }),
        desk,
      )
    : [];
  await noteDone(files, desk);
  throwUnfinished(orders, named.length, named.length - orders.length, { unfinished, stop });
}

export const noteEarlierOf = (labelled: readonly (Labelled | Failed)[], desk: Desk): Promise<void> =>
  noteEarlier(
    labelled.flatMap(order => ('made' in order ? order.made.earlier : [])),
    desk,
  );

/** The label requests of all names. Each request is built and checked, as for a single label, before any label is made. */
export async function labelOrders(
  session: Session,
  options: Options,
  named: readonly (ShipmentsByName | Failed)[],
): Promise<(Ordered | Failed)[]> {
  const orders: (Ordered | Failed)[] = [];
  for (const shipment of named) {
    if (!('ids' in shipment)) {
      orders.push(shipment);
      continue;
    }
    const { ids, key, name } = shipment;
    try {
      const request = await buildRequest(session, await gather(session, LABEL, options, { file: ids }));
      LABEL.check?.(options, request.body);
      orders.push({ ...shipment, order: { ...buildOrder(LABEL, options, request), key } });
    } catch (error) {
      if (!(error instanceof Failure && isOfOne(error))) throw error;
      orders.push(failedLabel(name, error));
    }
  }
  return orders;
}

/**
 * Makes the missing labels of each order, one after the other. `stop`: a failure that concerns all orders: the rest was not started.
 */
export async function labelEach(
  named: readonly (Ordered | Failed)[],
  files: LabelOutput | undefined,
  desk: Desk,
): Promise<{ orders: (Labelled | Failed)[]; stop: Failure | undefined }> {
  const orders: (Labelled | Failed)[] = [];
  for (const shipment of named) {
    if (!('order' in shipment)) {
      orders.push(shipment);
      continue;
    }
    try {
      orders.push(await labelOrder(shipment, files, desk));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      orders.push(failedLabel(shipment.name, error));
      // The labels that were made until now are shown and printed all the same.
      if (!isOfOne(error)) return { orders, stop: error };
    }
  }
  return { orders, stop: undefined };
}

/** The shipments that each name means; shipments that two names mean are there once. */
export async function namedOnce(
  session: Session,
  names: readonly Name[],
): Promise<(ShipmentsByName | Failed)[]> {
  const named = new Map<string, ShipmentsByName | Failed>();
  for (const reference of names) {
    const name = 'ref' in reference ? reference.ref : reference.key;
    try {
      const { ids, booking } =
        'ref' in reference
          ? await knownShipments(session, name)
          : await bookedShipments(session, name).then(booking => ({ ids: booking.ids, booking }));
      const idOfLeg = labelBody(ids);
      // A service may give two bookings the same shipment id: the bookings are still two orders.
      const id = JSON.stringify([booking?.id, ...LEGS.map(leg => idOfLeg[leg])]);
      const key = booking?.key ?? undefined;
      // The id names a booking that was picked from a list; a person knows the booking by its key.
      const known = key !== undefined && name === booking?.id ? key : name;
      if (!named.has(id)) named.set(id, { name: known, key, ids: idOfLeg });
    } catch (error) {
      if (!(error instanceof Failure && isOfOne(error))) throw error;
      named.set(name, failedLabel(name, error));
    }
  }
  return [...named.values()];
}

const failedLabel = (name: string, failure: Failure): Failed => ({
  name,
  failure,
  pages: { name, files: [], failed: true },
});

async function labelOrder(ordered: Ordered, files: LabelOutput | undefined, desk: Desk): Promise<Labelled> {
  const made = await makeAndSaveLabels(ordered.order, files, desk);
  return {
    name: ordered.name,
    pages: made.pages,
    made,
    failure: await finishOne(operation, files, made, desk),
  };
}

/** A desk that asks a person once for all labels, when the first one is about to be sent. */
function withOneYes(desk: Desk, session: Session, count: number): Desk {
  let isAgreed = false;
  const agrees = async () => {
    if (!isAgreed)
      await confirmBooking(session, operation, place => `labels of ${count} shipments, ${place}`);
    isAgreed = true;
  };
  return { ...desk, caller: { ...desk.caller, agrees } };
}

async function showRequests(session: Session, named: readonly (Ordered | Failed)[]): Promise<void> {
  const { printer, scope } = session;
  const { labelStateOf } = await import('../plan.ts');
  const refused: Failed[] = [];
  const { method, path } = operation;
  const url = scope().address + path;
  await printer.note('dry run: nothing was sent');
  await session.service.noteOrigin();
  const requests: object[] = [];
  for (const shipment of named) {
    if (!('order' in shipment)) {
      requests.push(errorJson(shipment));
      continue;
    }
    const { journal, refuse } = await labelStateOf(session, shipment.ids);
    requests.push({ method, url, body: shipment.order.body.value, unresolved: [], journal });
    await refuse().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      refused.push(failedLabel(shipment.name, error));
    });
  }
  await printer.result(requests, {
    essential: () => named.map(() => `${method} ${url}`),
    table: shown => safeJson(shown, 2),
  });
  const unlabelled = [...named.flatMap(shipment => ('order' in shipment ? [] : shipment)), ...refused];
  throwUnfinished(unlabelled, named.length, 0);
}

const errorJson = (failed: Failed): object => ({ id: failed.name, ...failureJson(failed.failure) });

async function showLabels(session: Session, labelled: readonly (Labelled | Failed)[]): Promise<void> {
  const made = labelled.flatMap(order => ('made' in order ? { ...order.made, name: order.name } : []));
  // A table that has only errors would repeat what stderr says.
  if (made.length === 0 && !session.printer.json) return;
  const bodies = labelled.map(order => ('made' in order ? order.made.body : errorJson(order)));
  await session.printer.result(bodies, {
    ...severalLabelsView(made),
    async record() {
      const records = labelled.map(order =>
        'made' in order
          ? session.bookingLines.records(Object.values(order.made.bookings))
          : [errorJson(order)],
      );
      return (await Promise.all(records)).flat();
    },
  });
}

/** Whether to run the same command again: it prints no label twice, so yes, unless the failure says `never` or asks for a change. */
function retryOf(failure: Failure) {
  const retry = failure.facts.retry ?? FAILURES[failure.code].retry;
  return retry === 'after-change' || failure.facts.retry === 'never' ? retry : 'same';
}

/** What is still missing of an order that has a label. */
const lackOf = (labels: Labelled['made']): LabelLack =>
  labels.failure ? 'another-label' : labels.problems.length > 0 ? 'file' : 'print';

/** Throws if a label was not made, saved or printed: the failure that stopped the rest, else exit 8 if a label may exist, else exit 9. */
export function throwUnfinished(
  labelled: readonly (Labelled | Failed)[],
  count: number,
  notStarted: number,
  run: { unfinished?: readonly LabelProblem[]; stop?: Failure | undefined } = {},
): void {
  const { unfinished = [], stop } = run;
  const issues = labelled.flatMap(({ name, failure }) =>
    failure ? { path: name, message: failure.message } : [],
  );
  if (issues.length === 0 && unfinished.length === 0) return;
  const isUnknown = labelled.some(({ failure }) => failure?.code === 'outcome_unknown');
  const halfDone = labelled.flatMap(order => (order.failure && 'made' in order ? [order] : []));
  const notice = {
    kind: 'labels-of-several',
    failed: issues.length - halfDone.length,
    count,
    halfDone: halfDone.map(({ name, made }) => ({ name, lack: lackOf(made) })),
    notStarted,
    problems: unfinished,
  } as const;
  const retries = new Set([
    ...labelled.flatMap(({ failure }) => (failure ? [retryOf(failure)] : [])),
    ...unfinished.map(problem => (isLeftToOthers(problem) ? 'never' : 'same')),
    ...(notStarted > 0 ? ['same'] : []),
  ]);
  const code = stop?.code ?? (isUnknown ? 'outcome_unknown' : 'partial');
  throw new Failure(code, notice, {
    ...stop?.facts,
    operation: 'label',
    issues,
    created: labelled.some(order => 'made' in order) || (isUnknown ? null : false),
    // The same command does not make labels again that were made.
    retry: (!isUnknown && (['same', 'after-change'] as const).find(retry => retries.has(retry))) || 'never',
    next: [
      ...labelled.flatMap(({ failure }) => failure?.facts.next ?? []),
      ...commandsOf(...unfinished.map(problem => labelProblemText(problem, tellInner))),
    ],
  });
}
