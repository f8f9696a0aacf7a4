import { labelIn, labelText, labelTold } from '../contract/content.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import type { Ids } from '../journal/booking.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';

type Files = Partial<Record<Leg, string>>;

/**
 * The labels in the content of a response to `label`, or in the legs of one to `ship-dual`; `where`: the file, else the
 * link. `isInline`: the response has the label itself, and there is no file of it.
 */
export const labelsIn = (content: unknown, saved: Files = {}) =>
  LEGS.flatMap(leg => {
    const label = labelTold(content, leg);
    if (label === undefined) return [];
    const carrier = getAt(content, [leg, 'shipment', 'carrier']);
    const text = labelText(label);
    const isInline = saved[leg] === undefined && text !== undefined && labelIn(text) !== undefined;
    return {
      leg,
      carrier:
        textAt(carrier, ['name']) ?? read(readId, getAt(carrier, ['id'])) ?? textAt(label, ['carrier']),
      trackingNumber: read(readId, getAt(label, ['trackingNumber'])),
      where: saved[leg] ?? (isInline ? undefined : text),
      isInline,
    };
  });

/** The file or the link of a label for people. */
export const whereWords = ({ where, isInline }: { where: string | undefined; isInline: boolean }) =>
  isInline ? 'in the answer; --download saves it' : where;

/** A row for each leg that has a label; `ids`: of the shipments, if they were made too. */
export const labelsView = (content: unknown, saved: Files, ids?: Ids): View<unknown> => ({
  essential: () => (ids ? LEGS.map(leg => ids[leg]) : labelsIn(content, saved).map(({ where }) => where)),
  table: (_, look) =>
    table(look, {
      head: ['leg', ...(ids ? ['shipment'] : []), 'carrier', 'tracking number', 'label'],
      // Ids and links: none of them is cut.
      align: ['whole', 'whole', 'whole', 'whole', 'whole'],
      rows: labelsIn(content, saved).map(label => [
        label.leg,
        ...(ids ? [ids[label.leg]] : []),
        ...[label.carrier, label.trackingNumber, whereWords(label)],
      ]),
    }),
});

/** A row for each label of several orders. */
export const severalLabelsView = (
  all: readonly { name: string; content: unknown; saved: Files }[],
): View<unknown> => ({
  essential: () => all.flatMap(({ content, saved }) => labelsIn(content, saved).map(({ where }) => where)),
  table: (_, look) =>
    table(look, {
      head: ['shipment', 'leg', 'carrier', 'tracking number', 'label'],
      align: ['whole', 'whole', 'whole', 'whole', 'whole'],
      rows: all.flatMap(({ name, content, saved }) =>
        labelsIn(content, saved).map(label => [
          ...[name, label.leg, label.carrier, label.trackingNumber, whereWords(label)],
        ]),
      ),
    }),
});
