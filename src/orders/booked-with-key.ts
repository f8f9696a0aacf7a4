import { Failure } from '../errors.ts';
import { type Booking, decidingBooking } from '../journal/journal.ts';
import type { Session } from '../session/session.ts';

/** The booking of the shipments that have a key here. Throws `not_found`, and `outcome_unknown` where it may exist. */
export async function bookedShipments(session: Session, key: string): Promise<Booking> {
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
      `the booking ${found.id} with the key ${JSON.stringify(key)} may or may not exist; \`waybill history show ${found.id}\` tells what is known of it`,
      { booking: found.id },
    );
  throw new Failure(
    'not_found',
    `no shipment was booked with the key ${JSON.stringify(key)} at ${address}; \`waybill history list --key\` looks everywhere`,
  );
}
