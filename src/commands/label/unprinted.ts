// `label --unprinted`: names the labels that were made and not printed, or saves, merges and prints them as for several shipments.

import { isAt, shipmentsIn } from '../../booking/booking.ts';
import type { BookedOrder } from '../../booking/questions.ts';
import { LEGS, type Leg } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { indexedShipment } from '../../journal/tables.ts';
import { abandonedPrints } from '../../labels/print-claims.ts';
import { labelSourceOf } from '../../labels/save.ts';
import { orderPages, targetFilter } from '../../order/listed.ts';
import { requireFiles, targetFlags, wantsFiles } from '../../order/options.ts';
import { orderRow } from '../../output/columns.ts';
import { ORDER_COLUMNS, orderTable } from '../../output/orders.ts';
import { noteLeftOut } from '../../output/table.ts';
import { orderFacts } from '../../output/told.ts';
import { ASK_SERVICE } from '../../say/labels.ts';
import type { Moment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { commandText, someOf } from '../../text.ts';
import { labelNamed, type Options, type ShipmentsByName } from './several-shipments.ts';

export async function labelUnprinted(
  session: Session,
  options: Options,
  since: Moment | undefined,
): Promise<void> {
  requireFiles(options);
  const orders = await unprintedOrders(session, since);
  if (orders.length === 0 || options.dryRun || !wantsFiles(options)) return showUnprinted(session, orders);
  await labelNamed(session, options, orders.map(unprintedLabels), { onlyUnprinted: true });
}

/** The orders with unprinted labels, of the account in force; those that were booked first come first. */
async function unprintedOrders(session: Session, since: Moment | undefined): Promise<BookedOrder[]> {
  const journal = await session.openJournal('look');
  const filter = {
    ...targetFilter(session),
    unprinted: true,
    ...(since && { since: since(session.host.now()) }),
  };
  const orders: BookedOrder[] = [];
  for await (const page of orderPages(session, journal, filter))
    orders.push(...page.filter(({ booking }) => isAt(session.scope(), booking)));
  return orders.reverse();
}

/** The labels of an order that were not printed. */
function unprintedLabels(order: BookedOrder): ShipmentsByName {
  const { key, shipments, labelled } = orderFacts(order);
  const legs = LEGS.filter(leg => labelled.includes(leg) && order.printed?.[leg] === undefined);
  const ids = Object.fromEntries(legs.flatMap(leg => (shipments[leg] ? [[leg, shipments[leg]]] : [])));
  return { name: key ?? Object.values(ids)[0] ?? order.booking.id, key: key ?? undefined, ids };
}

/** Can a label of these legs be printed? A label that was resolved or pruned may have no file. */
async function hasFile(
  journal: Journal | undefined,
  order: BookedOrder,
  legs: readonly Leg[],
): Promise<boolean> {
  const { files } = orderFacts(order);
  for (const leg of legs) {
    const maker = order.labels.find(label => label.leg === leg)?.booking ?? order.booking;
    if (files[leg] ?? maker.labels[leg]?.link) return true;
    // The recorded answer may contain the label itself.
    const whole = await journal?.byId(maker.id);
    if (whole && labelSourceOf(whole, leg)) return true;
  }
  return false;
}

/** Names the orders. Throws `partial` if it is not known whether some of the labels were printed. */
async function showUnprinted(session: Session, orders: readonly BookedOrder[]): Promise<void> {
  const { host, printer, globals } = session;
  const flags = targetFlags(session);
  const unprinted = orders.map(order => ({ order, ...unprintedLabels(order) }));
  await printer.result(orders.map(orderRow), {
    essential: () => unprinted.map(({ name }) => name),
    table: (_, look) =>
      orders.length === 0 ? 'Every label that was made was printed.' : orderTable(orders, look, host.now()),
  });
  if (orders.length === 0) return;
  const journal = await session.openJournal('look');
  // Print jobs that began, and nobody knows how they ended: only --reprint prints these labels.
  const abandoned = new Map(
    ((await journal?.abandonedPrints(session.scope())) ?? []).map(print => [indexedShipment(print), print]),
  );
  let free = 0;
  const lost: string[] = [];
  const prints: Parameters<typeof abandonedPrints>[0][number][] = [];
  for (const { order, name, ids } of unprinted) {
    const legs: Leg[] = [];
    for (const label of shipmentsIn(ids)) {
      const print = abandoned.get(indexedShipment(label));
      if (print) prints.push({ print, name });
      else legs.push(label.leg);
    }
    if (await hasFile(journal, order, legs)) free += 1;
    else if (legs.length > 0) lost.push(name);
  }
  const print = commandText(['waybill', 'label', '--unprinted', '--print', ...flags]);
  const [count, them] = free === 1 ? ['1 order has', 'it'] : [`${free} orders have`, 'them'];
  if (free > 0)
    await printer.note(
      `${count} a label that was not printed: \`${print}\` prints ${them} (--merge FILE: as one PDF)`,
    );
  if (lost.length > 0)
    await printer.note(
      `no label to print of ${someOf(lost)}: the service gave no file, or it was pruned. ${ASK_SERVICE}`,
    );
  if (globals.query === undefined) await noteLeftOut(host, printer, ORDER_COLUMNS);
  const problems = abandonedPrints(prints, flags);
  if (problems.length > 0)
    throw new Failure(
      'partial',
      { kind: 'labels-unfinished', command: 'label', problems },
      { operation: 'label', created: true },
    );
}
