import { LEGS, type Leg } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Ids } from '../journal/journal.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';

type Files = Partial<Record<Leg, string>>;

/** The labels in a response to `label`, or in the legs of a response to `ship-dual`; `where`: the file, else the link. */
export const labelsIn = (body: unknown, saved: Files = {}) =>
  LEGS.flatMap(leg => {
    const found = getAt(body, [leg, 'label']);
    const label = typeof found === 'object' ? found : getAt(body, [leg]);
    if (label === undefined) return [];
    const carrier = getAt(body, [leg, 'shipment', 'carrier']);
    return {
      leg,
      carrier: textAt(carrier, ['name']) ?? textAt(carrier, ['id']) ?? textAt(label, ['carrier']),
      trackingNumber: textAt(label, ['trackingNumber']),
      where: saved[leg] ?? textAt(label, ['label']) ?? textAt(label, ['labelPdf']),
    };
  });

/** A row for each leg that has a label; `ids`: of the shipments, if they were made too. */
export const labelsView = (saved: Files, ids?: Ids): View<unknown> => ({
  essential: body => (ids ? LEGS.map(leg => ids[leg]) : labelsIn(body, saved).map(({ where }) => where)),
  table: (body, look) =>
    table(look, {
      head: ['leg', ...(ids ? ['shipment'] : []), 'carrier', 'tracking number', 'label'],
      // Ids and links: none of them is cut.
      align: ['whole', 'whole', 'whole', 'whole', 'whole'],
      rows: labelsIn(body, saved).map(({ leg, carrier, trackingNumber, where }) => [
        leg,
        ...(ids ? [ids[leg]] : []),
        ...[carrier, trackingNumber, where],
      ]),
    }),
});
