import type { Leg } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { type Booking, decidingBooking, type Ids } from '../journal/journal.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { checkKey } from './key.ts';

/** The shipments of a booking, in the form of a label request. */
export const labelBody = ({
  shipment,
  international = shipment,
  domestic,
}: Ids): Partial<Record<Leg, string>> => ({
  ...(international !== undefined && { international }),
  ...(domestic !== undefined && { domestic }),
});

/** The booking of the shipments that have a key here. Throws `usage`, `not_found`; `outcome_unknown` if they may exist. */
export async function bookedShipments(session: Session, key: string): Promise<Booking> {
  checkKey(key);
  const journal = await session.journalIfThere();
  const { address, account } = session.scope();
  const mine = ((await journal?.list({ key })) ?? []).filter(
    booking => booking.address === address && booking.account === account && booking.keySpace === 'shipment',
  );
  const found = decidingBooking(mine);
  if (found && Object.keys(found.ids).length > 0) return found;
  if (found?.state === 'unknown')
    throw new Failure(
      'outcome_unknown',
      `the booking ${found.id} with the key ${JSON.stringify(key)} may or may not exist; \`waybill history show ${found.id}\` shows what is known`,
      { booking: found.id },
    );
  throw new Failure(
    'not_found',
    `no shipment was booked with the key ${JSON.stringify(key)} at ${address}; \`waybill history list --key ${shellWord(key)}\` looks at all addresses`,
  );
}
