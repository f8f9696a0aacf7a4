// The label of a shipment that was created, now or before. Whatever fails, the shipment exists: nothing is thrown.
import { Failure, type FailureCode, messageOf } from '../errors.ts';
import type { Booking } from '../journal/booking.ts';
import type { BookingOptions } from '../orders/flags.ts';
import { labelCommand } from '../orders/same-command.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { knownLabels, type MadeLabels, makeLabels } from './make.ts';
import { type LabelFiles, type SavedLabels, saveLabels } from './save.ts';

export async function labelAfter(
  session: Session,
  id: string,
  files: LabelFiles | undefined,
  { key, newJournal }: BookingOptions,
): Promise<SavedLabels & Partial<MadeLabels>> {
  try {
    const made = await makeLabels(session, {
      shipments: [{ leg: 'international', shipment: id }],
      // `--allow-duplicate` allows another shipment of the same goods, not another label of one shipment.
      identity: { newJournal },
      summary: undefined,
    });
    return await saveLabels(session, files, made, key);
  } catch (error) {
    const failure = unlabelled(session, id, error);
    const pages = { name: key ?? id, files: [], failed: true };
    return {
      content: undefined,
      ids: {},
      labels: {},
      bookings: {},
      fresh: [],
      saved: {},
      problems: [],
      pages,
      failure,
    };
  }
}

/** The label of a shipment that was created before; `undefined` if none was requested yet. Sends nothing. */
export async function labelBefore(
  session: Session,
  { ids }: Booking,
): Promise<Pick<SavedLabels, 'labels' | 'failure'> | undefined> {
  const shipment = ids.shipment ?? '';
  try {
    const shipments = [{ leg: 'international', shipment }] as const;
    const labels = await knownLabels(session, { shipments });
    return labels && { labels };
  } catch (error) {
    return { labels: {}, failure: unlabelled(session, shipment, error) };
  }
}

// Codes that say more than that the label is missing.
const KEPT_CODES: readonly FailureCode[] = ['outcome_unknown', 'interrupted'];

function unlabelled(session: Session, id: string, error: unknown): Failure {
  const { code, facts } = error instanceof Failure ? error : { code: 'partial' as const, facts: {} };
  const command = labelCommand(session, { international: id });
  return new Failure(
    KEPT_CODES.includes(code) ? code : 'partial',
    code === 'outcome_unknown'
      ? `ship: the shipment ${id} was created; do not book it again. Whether it has a label is unknown: ${messageOf(error)}. \`waybill track ${shellWord(id)}\` shows its tracking number, if it has one. Once that is resolved: ${command}`
      : `ship: the shipment ${id} was created, but it has no label to show: ${messageOf(error)}. Do not book the shipment again. To make the label: ${command}`,
    { ...facts, operation: 'ship' },
  );
}
