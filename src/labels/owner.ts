// Whose a label is, if a service gave several bookings one id: the label of one parcel must not be put on another.
import { isSameKey } from '../contract/key.ts';
import { Failure } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { Session } from '../session/session.ts';
import { operands, shownId } from '../text.ts';

/**
 * Throws `duplicate` if several bookings have the shipment, unless its label was made before the others were booked and the
 * order, a key or an id of a booking, is that of this label.
 */
export async function refuseSharedId(
  session: Session,
  journal: Journal,
  shipment: string,
  order: string | undefined,
): Promise<void> {
  const { holders, labelled } = await journal.holdersOf(session.scope(), shipment);
  if (holders.length < 2 || (labelled && (order === labelled.id || isSameKey(order, labelled.key)))) return;
  const words = holders.map(({ id, key }) => (key === null ? id : `${id} (key ${JSON.stringify(key)})`));
  const other = holders.find(one => one !== labelled);
  const label = labelled
    ? `, and \`waybill label ${operands([labelled.key ?? labelled.id])}\` shows the label of the one that has it`
    : '';
  throw new Failure(
    'duplicate',
    `the service gave the id ${shownId(shipment)} to ${holders.length} bookings, ${words.join(' and ')}: its label would be put on several parcels, so it was not made or shown. Ask the service which shipments they are. \`waybill history show ${other?.id}\` shows what it answered${label}`,
  );
}
