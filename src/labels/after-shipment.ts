// The label of a shipment that was created, now or before. Whatever fails, the shipment exists: nothing is thrown.
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import type { Booking } from '../journal/booking.ts';
import { labelCommand } from '../order/failure.ts';
import type { Means } from '../order/order.ts';
import { shellWord } from '../text.ts';
import { knownLabels, type MadeLabels, makeLabels } from './make.ts';
import { type LabelFiles, type SavedLabels, saveLabels } from './save.ts';

const shipmentsIn = (id: string) => [{ leg: 'international', shipment: id }] as const;

/** `key`: of the shipment, for the name of the file. */
export async function labelAfter(
  id: string,
  files: LabelFiles | undefined,
  key: string | undefined,
  means: Means,
): Promise<SavedLabels & Partial<MadeLabels>> {
  try {
    // A person said yes to both. `--allow-duplicate` allows another shipment of the same goods, not another label of one.
    const made = await makeLabels({ shipments: shipmentsIn(id), isAgreed: true }, means);
    return await saveLabels(files, made, key, means);
  } catch (error) {
    const failure = unlabelled(means, id, error);
    return {
      content: undefined,
      ids: {},
      labels: {},
      bookings: {},
      fresh: [],
      saved: {},
      problems: [],
      pages: { name: key ?? id, files: [], failed: true },
      failure,
    };
  }
}

/** The label of a shipment that was created before; `undefined` if none was requested yet. Sends nothing. */
export async function labelBefore(
  { ids }: Booking,
  means: Means,
): Promise<Pick<SavedLabels, 'labels' | 'failure'> | undefined> {
  const shipment = ids.shipment ?? '';
  try {
    const labels = await knownLabels(shipmentsIn(shipment), means);
    return labels && { labels };
  } catch (error) {
    return { labels: {}, failure: unlabelled(means, shipment, error) };
  }
}

// Codes that say more than that the label is missing.
const KEPT_CODES: readonly FailureCode[] = ['outcome_unknown', 'interrupted'];

function unlabelled({ targetFlags }: Means, id: string, error: unknown): Failure {
  const { code, facts } = error instanceof Failure ? error : { code: 'partial' as const, facts: {} };
  const command = labelCommand({ international: id }, targetFlags);
  return new Failure(
    KEPT_CODES.includes(code) ? code : 'partial',
    code === 'outcome_unknown'
      ? `ship: the shipment ${id} was created; do not book it again. Whether it has a label is unknown: ${messageOf(error)}. \`waybill track ${shellWord(id)}\` shows its tracking number, if it has one. Once that is resolved: ${command}`
      : `ship: the shipment ${id} was created, but it has no label to show: ${messageOf(error)}. Do not book the shipment again. To make the label: ${command}`,
    { ...facts, operation: 'ship' },
  );
}
