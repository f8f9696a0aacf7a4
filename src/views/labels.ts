import { LEGS, type Leg } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';

interface LegLabel {
  leg: Leg;
  carrier: string | undefined;
  trackingNumber: string | undefined;
  /** The file that it was saved as, else its link. */
  where: string | undefined;
}

/** The labels in a response to `label`, or in the legs of a response to `ship-dual`. */
export function labelsIn(body: unknown, saved: Partial<Record<Leg, string>>): LegLabel[] {
  return LEGS.flatMap(leg => {
    const found = getAt(body, [leg, 'label']);
    const label = typeof found === 'object' ? found : getAt(body, [leg]);
    if (label === undefined) return [];
    return {
      leg,
      carrier: textAt(label, ['carrier']),
      trackingNumber: textAt(label, ['trackingNumber']),
      where: saved[leg] ?? textAt(label, ['label']) ?? textAt(label, ['labelPdf']),
    };
  });
}
